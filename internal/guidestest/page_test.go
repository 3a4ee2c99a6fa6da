package guidestest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// page is a Markdown page or a chapter of it: its fenced blocks, in order.
type page struct {
	title, text string
	blocks      []block
}

type block struct {
	line                 int
	lead, language, text string // lead is the line above
}

var fence = regexp.MustCompile("(?s)\n(?:([^\n]+)\n\n)?```(\\w*)\n(.*?\n)```\n")

func pageOf(title, text string) *page {
	p := &page{title: title, text: text}
	for _, at := range fence.FindAllStringSubmatchIndex(text, -1) {
		p.blocks = append(p.blocks, block{
			line:     strings.Count(text[:at[6]], "\n"),
			lead:     text[max(at[2], 0):max(at[3], 0)],
			language: text[at[4]:at[5]],
			text:     text[at[6]:at[7]],
		})
	}
	return p
}

func readPage(t *testing.T, path string) *page {
	t.Helper()
	return pageOf(filepath.Base(path), fileText(t, path))
}

// guide is a page of templates/guides.
func guide(name string) string { return "../../templates/guides/" + name + ".md" }

var heading = regexp.MustCompile(`\n###? `)

// chapters are a page's parts, each up to the next heading of the second or third level. The first is
// what stands above all headings.
func chapters(t *testing.T, path string) (all []*page) {
	t.Helper()
	for _, part := range heading.Split(fileText(t, path), -1) {
		title, _, _ := strings.Cut(part, "\n")
		all = append(all, pageOf(title, part))
	}
	return all
}

func chapterOf(t *testing.T, path, title string) *page {
	t.Helper()
	all := chapters(t, path)
	at := slices.IndexFunc(all, func(p *page) bool { return p.title == title })
	if at < 0 {
		t.Fatalf("%s has no chapter %q", path, title)
	}
	return all[at]
}

// index is that of the first block with a text, which must be there.
func (p *page) index(t *testing.T, text string) int {
	t.Helper()
	at := slices.IndexFunc(p.blocks, func(b block) bool { return strings.Contains(b.text, text) })
	if at < 0 {
		t.Fatalf("%s has no block with %q", p.title, text)
	}
	return at
}

// block is the first with a text.
func (p *page) block(t *testing.T, text string) *block {
	t.Helper()
	return &p.blocks[p.index(t, text)]
}

// insert adds commands before the first block with a text.
func (p *page) insert(t *testing.T, before, commands string) {
	t.Helper()
	p.blocks = slices.Insert(p.blocks, p.index(t, before), block{language: "shell", text: commands})
}

// drop takes out the blocks that a test does not follow.
func (p *page) drop(unwanted func(b block) bool) { p.blocks = slices.DeleteFunc(p.blocks, unwanted) }

// replace changes a text in every block.
func (p *page) replace(before, after string) {
	for i := range p.blocks {
		p.blocks[i].text = strings.ReplaceAll(p.blocks[i].text, before, after)
	}
}

var (
	namedFile  = regexp.MustCompile(`^# ([\w./-]+\.(?:tf|hcl|ya?ml|jq|sh))\n`)
	promised   = regexp.MustCompile("must say `([^`]+)`")
	startsFake = regexp.MustCompile(`(?m)^(make mock|\./mockplatform) `)
	needsLine  = regexp.MustCompile(`(?m)^(?:Needs|Requires) Terraform ([0-9.]+)(?: or OpenTofu ([0-9.]+))?(?:,? or later)?(, and jq)?\.`)
)

// needs skips a test of a chapter whose needs this machine does not meet.
func needs(t *testing.T, text string) {
	t.Helper()
	least := needsLine.FindStringSubmatch(text)
	if least == nil {
		return
	}
	if program := programUnder(t); program.OpenTofu && least[2] == "" || program.OlderThan(least[1], least[2]) {
		t.Skipf("%s: this is %s", least[0], program)
	}
	if least[3] != "" {
		needsProgram(t, "jq")
	}
}

func needsProgram(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip("there is no " + name)
	}
}

// follow does what a reader of the page does, in its order and in one shell: it writes
// the files that begin with their name, runs the commands, and finds in their output what
// the page shows or promises of it. The block that starts the fake runs in a terminal of
// its own, whose journal the page may show as well. It returns what was printed.
func (w *workspace) follow(p *page) string {
	w.T.Helper()
	var mock, script strings.Builder
	mark := func(i int) string { return fmt.Sprintf("▶%d◀", i) }
	for i, b := range p.blocks {
		fmt.Fprintf(&script, "echo '%s'\n", mark(i))
		switch name := namedFile.FindStringSubmatch(b.text); {
		case b.language == "":
		case b.language == "shell" && startsFake.MatchString(b.text):
			mock.WriteString(b.text)
		case b.language == "shell":
			script.WriteString(b.text)
		case name != nil:
			skipIfTooOld(w.T, b.text)
			fmt.Fprintf(&script, "mkdir -p $(dirname %[1]s)\ncat > %[1]s <<'END OF FILE'\n%[2]sEND OF FILE\n", name[1], b.text)
		default:
			w.T.Errorf("%s:%d: no test knows what to do with this %s", p.title, b.line, b.language)
		}
	}
	commands, journal := script.String(), filepath.Join(w.T.TempDir(), "journal")
	if mock.Len() > 0 {
		commands = fmt.Sprintf(beside, &mock, journal, commands)
	}
	out := w.shell(commands)
	content, _ := os.ReadFile(journal) // there is none without a fake
	output := ""
	for i, b := range p.blocks {
		for _, promise := range promised.FindAllStringSubmatch(b.lead, -1) {
			wantText(w.T, output, promise[1])
		}
		switch b.language {
		case "shell":
			_, output, _ = strings.Cut(out, mark(i))
			output, _, _ = strings.Cut(output, mark(i+1))
		case "":
			for line := range strings.Lines(anyNumbers(b.text)) {
				if line = folded(line); line != "" {
					wantText(w.T, anyNumbers(output)+folded(anyNumbers(string(content))), line)
				}
			}
		}
	}
	return out
}

// beside runs the fake in a process group of its own, which ends as one, and commands once
// it listens.
const beside = `unset MAKEFLAGS MFLAGS MAKELEVEL # of a make that runs this test
set -m
(
%s) > %q 2>&1 &
fake=$!
trap 'kill -- -$fake; wait' EXIT
set +m
until grep -qs 'Press Ctrl-C' %[2]q; do
	kill -0 $fake || { cat %[2]q; exit 1; }
	sleep 0.1
done
%[3]s`

// anyNumbers takes out what differs from run to run, and what the page
// shortens: ports, times, and the IDs before the last in a path.
func anyNumbers(text string) string {
	return replacePatterns(text, map[string]string{
		`127\.0\.0\.1:\d+`:                     "127.0.0.1:PORT",
		`\d\d:\d\d:\d\d\.\d{3}`:                "TIME",
		`/organizations/[^/]+/services/[^/]+/`: "/organizations/…/services/…/",
	})
}

func replacePatterns(text string, patterns map[string]string) string {
	for pattern, with := range patterns {
		text = regexp.MustCompile(pattern).ReplaceAllString(text, with)
	}
	return text
}
