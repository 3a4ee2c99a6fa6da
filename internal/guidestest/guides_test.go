package guidestest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// page is a Markdown page: its fenced blocks, in order.
type page struct {
	name   string
	blocks []block
}

type block struct {
	line                 int
	lead, language, text string // lead is the line above
}

var fence = regexp.MustCompile("(?s)\n(?:([^\n]+)\n\n)?```(\\w*)\n(.*?\n)```\n")

func readPage(t *testing.T, name string) page {
	t.Helper()
	return pageOf(name, fileText(t, name))
}

// pageOf is a part of a page.
func pageOf(name, content string) page {
	p := page{name: filepath.Base(name)}
	for _, at := range fence.FindAllStringSubmatchIndex(content, -1) {
		p.blocks = append(p.blocks, block{
			line:     strings.Count(content[:at[6]], "\n"),
			lead:     content[max(at[2], 0):max(at[3], 0)],
			language: content[at[4]:at[5]],
			text:     content[at[6]:at[7]],
		})
	}
	return p
}

// A chapter is a section of a guide that a reader follows in a folder of its
// own.
type chapter struct {
	title, text string
	page
}

// chapters splits a guide into what stands before the first chapter, which
// every chapter needs, and the chapters.
func chapters(t *testing.T, name string) (common page, all []chapter) {
	t.Helper()
	parts := strings.Split(fileText(t, name), "\n## ")
	for _, part := range parts[1:] {
		title, text, _ := strings.Cut(part, "\n")
		all = append(all, chapter{title, text, pageOf(name, text)})
	}
	return pageOf(name, parts[0]), all
}

// chapterOf is the chapter of a guide with a title.
func chapterOf(t *testing.T, name, title string) chapter {
	t.Helper()
	_, all := chapters(t, name)
	at := slices.IndexFunc(all, func(c chapter) bool { return c.title == title })
	if at < 0 {
		t.Fatalf("%s has no chapter %q", name, title)
	}
	return all[at]
}

var (
	namedFile  = regexp.MustCompile(`^# ([\w./-]+\.(?:tf|hcl|ya?ml|jq|sh))\n`)
	promised   = regexp.MustCompile("must say `([^`]+)`")
	startsFake = regexp.MustCompile(`(?m)^(make mock|\./mockplatform) `)
	needsLine  = regexp.MustCompile(`(?m)^(?:Needs|Requires) Terraform ([0-9.]+)(?: or OpenTofu ([0-9.]+))?(?:,? or later)?(, and jq)?\.`)
)

// follow does what a reader of the page does, in its order and in one shell: it writes
// the files that begin with their name, runs the commands, and finds in their output what
// the page shows or promises of it. The block that starts the fake runs in a terminal of
// its own, whose journal the page may show as well. It returns what was printed.
func (w *workspace) follow(p page) string {
	w.t.Helper()
	var mock, script strings.Builder
	mark := func(i int) string { return fmt.Sprintf("▶%d◀", i) }
	for i, b := range p.blocks {
		fmt.Fprintf(&script, "echo '%s'\n", mark(i))
		switch name := namedFile.FindStringSubmatch(b.text); {
		case b.language == "":
		case b.language == "shell" && startsFake.MatchString(b.text):
			mock.WriteString(b.text)
		case b.language == "shell" && strings.Contains(b.text, "make test"): // this is a part of it
			fmt.Fprintf(&script, "make() { command make -n \"$@\" >/dev/null; }\n%sunset -f make\n", b.text)
		case b.language == "shell":
			script.WriteString(b.text)
		case name != nil:
			skipIfTooOld(w.t, b.text)
			fmt.Fprintf(&script, "mkdir -p $(dirname %[1]s)\ncat > %[1]s <<'END OF FILE'\n%[2]sEND OF FILE\n", name[1], b.text)
		default:
			w.t.Errorf("%s:%d: no test knows what to do with this %s", p.name, b.line, b.language)
		}
	}
	journal := filepath.Join(w.t.TempDir(), "journal")
	commands := script.String()
	if mock.Len() > 0 {
		commands = fmt.Sprintf(`unset MAKEFLAGS MFLAGS MAKELEVEL # of a make that runs this test
set -m # the first terminal is a process group, and ends as one
(
%s) > %q 2>&1 &
fake=$!
trap 'kill -- -$fake; wait' EXIT
set +m
until grep -qs 'Press Ctrl-C' %[2]q; do
	kill -0 $fake || { cat %[2]q; exit 1; }
	sleep 0.1
done
%[3]s`, &mock, journal, commands)
	}
	out := w.shell(commands)
	content, _ := os.ReadFile(journal) // there is none without a fake
	output := ""
	for i, b := range p.blocks {
		for _, promise := range promised.FindAllStringSubmatch(b.lead, -1) {
			wantText(w.t, output, promise[1])
		}
		switch b.language {
		case "shell":
			_, output, _ = strings.Cut(out, mark(i))
			output, _, _ = strings.Cut(output, mark(i+1))
		case "":
			for line := range strings.Lines(anyNumbers(b.text)) {
				if line = folded(line); line != "" {
					wantText(w.t, anyNumbers(output)+folded(anyNumbers(string(content))), line)
				}
			}
		}
	}
	return out
}

// anyNumbers takes out what differs from run to run, and what the page
// shortens: ports, times, and the IDs before the last in a path.
func anyNumbers(text string) string {
	for _, pattern := range []struct{ pattern, with string }{
		{`127\.0\.0\.1:\d+`, "127.0.0.1:PORT"},
		{`\d\d:\d\d:\d\d\.\d{3}`, "TIME"},
		{`/organizations/[^/]+/services/[^/]+/`, "/organizations/…/services/…/"},
	} {
		text = regexp.MustCompile(pattern.pattern).ReplaceAllString(text, pattern.with)
	}
	return text
}

// shell runs commands as a reader would, and stops at the first that fails.
func (w *workspace) shell(commands string) string {
	w.t.Helper()
	run := exec.CommandContext(w.t.Context(), "bash", "-euo", "pipefail", "-c", commands)
	run.Dir, run.WaitDelay = w.Dir, 10*time.Second
	run.Env = append(slices.Clip(w.Env), "PATH="+onPath(w.t)+string(os.PathListSeparator)+os.Getenv("PATH"), "TF_CLI_ARGS=-no-color")
	out, err := run.CombinedOutput()
	text := folded(string(out))
	w.CheckRun(text, err)
	if err != nil {
		w.t.Fatalf("%v from\n%s\n%s", err, commands, out)
	}
	return text
}

// reader is a workspace in which `terraform` is the program under test, and the
// provider is installed as from a registry, so that `terraform init` works.
func (f *fixture) reader() *workspace {
	f.t.Helper()
	w := f.workspace("")
	mirror := filepath.Join(w.Dir, ".mirror")
	folder := filepath.Join(mirror, programUnder(f.t).RegistryHost(), "dataplatform", "dataplatform", "0.1.0", runtime.GOOS+"_"+runtime.GOARCH)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		f.t.Fatal(err)
	}
	const program = "terraform-provider-dataplatform"
	if err := os.Symlink(filepath.Join(terraformtest.Built(f.t), program), filepath.Join(folder, program+"_v0.1.0")); err != nil {
		f.t.Fatal(err)
	}
	w.File("terraform.rc", fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirror))
	if err := os.Remove(filepath.Join(w.Dir, "main.tf")); err != nil {
		f.t.Fatal(err)
	}
	return w
}

// onPath is a folder in which the program under test is called terraform.
func onPath(t *testing.T) string {
	t.Helper()
	terraformtest.NeedTerraform(t)
	program, err := exec.LookPath(os.Getenv("TF_ACC_TERRAFORM_PATH"))
	if err != nil {
		t.Fatal(err)
	}
	if program, err = filepath.Abs(program); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(program, filepath.Join(dir, "terraform")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// skipIfReaderCannot skips a chapter whose needs this machine does not meet.
func skipIfReaderCannot(t *testing.T, text string) {
	t.Helper()
	needs := needsLine.FindStringSubmatch(text)
	if needs == nil {
		return
	}
	program := programUnder(t)
	if program.OpenTofu && needs[2] == "" || program.OlderThan(needs[1], needs[2]) {
		t.Skipf("%s: this is %s", needs[0], program)
	}
	if _, err := exec.LookPath("jq"); needs[3] != "" && err != nil {
		t.Skip("there is no jq")
	}
}

// TestAdoptingManyGuide follows the guide for large organizations, chapter by
// chapter. None changes the platform.
func TestAdoptingManyGuide(t *testing.T) {
	t.Parallel()
	common, all := chapters(t, "../../templates/guides/adopting-many.md")
	if len(all) != 5 {
		t.Errorf("%d chapters, want 5", len(all))
	}
	for _, c := range all {
		t.Run(c.title, func(t *testing.T) {
			f := newFixture(t)
			skipIfReaderCannot(t, c.text)
			w := f.reader()
			w.follow(common)
			w.follow(c.page)
			f.wantWrites()
			folder := "."
			if strings.Contains(c.title, "states") {
				folder = "production"
			}
			if out, err := w.Command(context.Background(), "-chdir="+folder, "plan", "-detailed-exitcode").CombinedOutput(); err != nil {
				t.Errorf("the last plan is not empty: %v\n%s", err, out)
			}
			if folder == "production" {
				w.rejectsMisspelled(all)
			}
		})
	}
}

// rejectsMisspelled changes the module of several states as the guide says, with what the
// chapter on a file has, and misspells a name.
func (w *workspace) rejectsMisspelled(all []chapter) {
	w.t.Helper()
	var checked string
	for _, c := range all {
		if c.title == "All services from a file" {
			checked = c.blocks[2].text
		}
	}
	module := w.Read("modules/services/main.tf")
	module = regexp.MustCompile(`(?s)type = map.*?\n {2}}\)\)`).ReplaceAllString(module, "type = any")
	module, _, _ = strings.Cut(module, "resource ")
	_, resource, _ := strings.Cut(checked, "resource ")
	known := regexp.MustCompile(`known += .*`).FindString(checked)
	w.File("modules/services/main.tf", module+"locals {\n"+known+"\n}\nresource "+strings.ReplaceAll(resource, "local.services", "var.services"))
	w.shell("terraform -chdir=production plan -detailed-exitcode")
	w.edit("production/services.yaml", "idle_timeout_minutes", "idle_timeout_minute")
	w.wantScript("terraform -chdir=production plan", 1, "Unknown in services.yaml: idle_timeout_minute.")
}

// TestExistingKeysGuide follows the chapter on existing keys of the guide on rotation. The
// one on a rehearsed renewal has TestRehearsal, and the others are snippets.
func TestExistingKeysGuide(t *testing.T) {
	chapter := chapterOf(t, "../../templates/guides/rotating-keys.md", "Existing API keys")
	f := newFixture(t)
	w := f.reader()
	w.File("providers.tf", plainProvider)
	w.shell("terraform init")
	w.follow(chapter.page)
	if got := len(f.RequestsOf(mockplatform.CreateKey)); got != 2 || len(f.writes()) != 2 {
		t.Errorf("%d keys, want 2:\n%s", got, strings.Join(f.writes(), "\n"))
	}
	w.WantEmptyPlan()
}

// TestAdoptingGuide follows the chapter on generated configuration: what
// programs disagree about there is easy to get wrong. The others are snippets.
func TestAdoptingGuide(t *testing.T) {
	chapter := chapterOf(t, "../../templates/guides/adopting.md", "Generate the configuration")
	f := newFixture(t)
	skipIfReaderCannot(t, chapter.text)
	w := f.reader()
	w.File("providers.tf", plainProvider)
	w.shell("terraform init")
	w.follow(chapter.page)
	w.Apply()
	w.WantEmptyPlan()
	f.wantWrites()
}

// TestDestroyFalse has the permanent form of leaving, where there is one.
func TestDestroyFalse(t *testing.T) {
	f := newFixture(t)
	program := programUnder(t)
	if program.OlderThan("1.16", "1.12") {
		t.Skipf("%s has no lifecycle { destroy = false } in resources", program)
	}
	w := f.workspace(plainProvider + fmt.Sprintf(`
resource "dataplatform_service_scaling" "events" {
  service_id = %q
  lifecycle {
    destroy = false
  }
}
`, mockplatform.ServiceID))
	w.Apply()
	arguments := []string{"-destroy"}
	if program.OpenTofu {
		arguments = append(arguments, "-suppress-forget-errors")
	}
	wantText(t, w.Apply(arguments...), "0 destroyed")
	f.wantWrites()
	if states := w.States(); len(states) != 0 {
		t.Errorf("the state still has %v", states)
	}
}

// TestGuidesQuoteMessages finds each message that the guides on adoption and
// rotation quote in the output of a run that causes it.
func TestGuidesQuoteMessages(t *testing.T) {
	f := newFixture(t)
	const key = `
resource "dataplatform_api_key" "loader" {
  name           = "orders-loader"
  roles          = ["developer"]
  validity_hours = 24
}
`
	w := f.workspace(plainProvider + fmt.Sprintf("resource \"dataplatform_service_scaling\" \"this\" {\n  service_id   = %q\n  num_replicas = 4\n}\n", mockplatform.ServiceID))
	output := w.PlanText()
	w.File("main.tf", plainProvider+key)
	w.Apply()
	output += w.PlanText("-destroy")
	f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, After: true, Status: 503})
	failed, ok := w.Terraform("apply", "-auto-approve", "-input=false", "-replace=dataplatform_api_key.loader")
	if ok {
		t.Errorf("the creation did not fail:\n%s", failed)
	}
	output += failed
	found := 0
	for _, guide := range []string{"adopting", "rotating-keys"} {
		for _, b := range readPage(t, "../../templates/guides/"+guide+".md").blocks {
			quoted := strings.HasPrefix(b.text, "Warning: ") || strings.HasPrefix(b.text, "The platform may")
			if b.language != "" || !quoted || strings.HasPrefix(b.text, "Warning: Refresh skipped") { // TestKeyOfAnotherProvider
				continue
			}
			found++
			for paragraph := range strings.SplitSeq(anyRun(strings.TrimSpace(b.text)), "\n\n") {
				wantText(t, anyRun(output), folded(paragraph))
			}
		}
	}
	if found != 3 {
		t.Errorf("%d messages are quoted, want 3", found)
	}
}

// anyRun takes out of a message what differs from run to run.
func anyRun(text string) string {
	text = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`).ReplaceAllString(text, "UUID")
	text = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`).ReplaceAllString(text, "DATE")
	return regexp.MustCompile(`suffix \w+`).ReplaceAllString(text, "suffix X")
}

// TestKeyOfAnotherProvider renews a key that a second provider block uses, in
// one run: what that block manages is refreshed by the next.
func TestKeyOfAnotherProvider(t *testing.T) {
	f := newFixture(t)
	config := func(trigger string) string {
		return plainProvider + fmt.Sprintf(`
provider "dataplatform" {
  alias           = "second"
  base_url        = %q
  organization_id = %q
  key_id          = dataplatform_api_key.second.key_id
  key_secret      = dataplatform_api_key.second.key_secret
}
resource "dataplatform_api_key" "second" {
  name              = "second"
  roles             = ["admin"]
  validity_hours    = 24
  rotation_triggers = { generation = %q }
  lifecycle {
    create_before_destroy = true
  }
}
resource "dataplatform_service_scaling" "this" {
  provider     = dataplatform.second
  service_id   = %q
  num_replicas = 4
}
`, f.url, mockplatform.OrganizationID, trigger, mockplatform.ServiceID)
	}
	w := f.workspace(config("1"))
	w.Apply()
	f.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["numReplicas"] = 7 })
	w.File("main.tf", config("2"))
	f.ResetJournal()
	out := w.Apply()
	wantText(t, out, "Refresh skipped: provider settings are unknown", "key_id and key_secret are known only after apply", "1 added, 0 changed, 1 destroyed")
	for _, b := range readPage(t, "../../templates/guides/rotating-keys.md").blocks {
		if summary, detail, quoted := strings.Cut(b.text, "\n\n"); quoted && strings.Contains(summary, "Refresh skipped") {
			wantText(t, out, summary, folded(detail))
		}
	}
	if writes := f.writes(); len(writes) != 1 {
		t.Errorf("writes: %q", writes)
	}
	wantText(t, w.Apply(), "0 added, 1 changed, 0 destroyed")

	// A data source can't wait. The guide's way: the key first, then the rest.
	w.File("main.tf", config("3")+"data \"dataplatform_services\" \"all\" {\n  provider = dataplatform.second\n}\n")
	var ok bool
	if out, ok = w.Terraform("apply", "-auto-approve", "-input=false"); ok {
		t.Errorf("a data source was read without a known key:\n%s", out)
	}
	wantText(t, out, "Unknown provider settings")
	w.Apply("-target=dataplatform_api_key.second")
	w.Apply()
	w.WantEmptyPlan()
}
