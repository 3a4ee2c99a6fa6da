package provider

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

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

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
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(content), "\n## ")
	for _, part := range parts[1:] {
		title, text, _ := strings.Cut(part, "\n")
		all = append(all, chapter{title, text, pageOf(name, text)})
	}
	return pageOf(name, parts[0]), all
}

var (
	promised   = regexp.MustCompile("must say `([^`]+)`")
	exportLine = regexp.MustCompile(`(?m)^export (\w+)='([^']*)'$`)
	needsLine  = regexp.MustCompile(`(?m)^Needs Terraform ([0-9.]+)(?: or OpenTofu ([0-9.]+))?(, and jq)?\.`)
)

// follow does what a reader of the page does, in its order: it writes the files
// that begin with their name, runs the commands, and finds in their output what
// the page shows or promises of it.
func (w *workspace) follow(p page) {
	w.t.Helper()
	output := ""
	for _, b := range p.blocks {
		for _, promise := range promised.FindAllStringSubmatch(b.lead, -1) {
			wantText(w.t, output, promise[1])
		}
		switch name := namedFile.FindStringSubmatch(b.text); {
		case b.language == "":
			wantText(w.t, output, folded(b.text))
		case b.language == "shell":
			output = w.shell(b.text)
			for _, exported := range exportLine.FindAllStringSubmatch(b.text, -1) {
				w.setenv(exported[1] + "=" + exported[2]) // for the blocks that follow
			}
		case name != nil:
			if err := os.MkdirAll(filepath.Join(w.dir, filepath.Dir(name[1])), 0o700); err != nil {
				w.t.Fatal(err)
			}
			w.file(name[1], b.text)
		default:
			w.t.Errorf("%s:%d: no test knows what to do with this %s", p.name, b.line, b.language)
		}
	}
}

// shell runs commands as a reader would, and stops at the first that fails.
func (w *workspace) shell(commands string) string {
	w.t.Helper()
	run := exec.CommandContext(w.t.Context(), "bash", "-euo", "pipefail", "-c", commands)
	run.Dir = w.dir
	run.Env = append(slices.Clip(w.env), "PATH="+onPath(w.t)+string(os.PathListSeparator)+os.Getenv("PATH"), "TF_CLI_ARGS=-no-color")
	out, err := run.CombinedOutput()
	text := folded(string(out))
	w.checkRun(text, err)
	if err != nil {
		w.t.Fatalf("%v from\n%s\n%s", err, commands, out)
	}
	return text
}

// reader is a workspace in which `terraform` is the program under test, and the
// provider is installed as from a registry, so that `terraform init` works.
func (f *fixture) reader() *workspace {
	f.t.Helper()
	w := f.workspace("").setenv(f.fromEnvironment()...)
	host := "registry.terraform.io"
	if programUnder(f.t).openTofu {
		host = "registry.opentofu.org"
	}
	mirror := filepath.Join(w.dir, ".mirror")
	folder := filepath.Join(mirror, host, "dataplatform", "dataplatform", "0.1.0", runtime.GOOS+"_"+runtime.GOARCH)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		f.t.Fatal(err)
	}
	const program = "terraform-provider-dataplatform"
	if err := os.Symlink(filepath.Join(built(f.t), program), filepath.Join(folder, program+"_v0.1.0")); err != nil {
		f.t.Fatal(err)
	}
	w.file("terraform.rc", fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirror))
	if err := os.Remove(filepath.Join(w.dir, "main.tf")); err != nil {
		f.t.Fatal(err)
	}
	return w
}

// skipIfReaderCannot skips a chapter whose needs this machine does not meet.
func skipIfReaderCannot(t *testing.T, text string) {
	t.Helper()
	needs := needsLine.FindStringSubmatch(text)
	if needs == nil {
		return
	}
	program := programUnder(t)
	least := needs[1]
	if program.openTofu {
		least = needs[2]
	}
	if least == "" || older(program.version, least) {
		t.Skipf("%s: this is %s", needs[0], program)
	}
	if _, err := exec.LookPath("jq"); needs[3] != "" && err != nil {
		t.Skip("there is no jq")
	}
}

// TestAdoptingManyGuide follows the guide for large organizations, chapter by
// chapter. Only that on keys changes the platform.
func TestAdoptingManyGuide(t *testing.T) {
	t.Parallel()
	common, all := chapters(t, "../../templates/guides/adopting-many.md")
	if len(all) != 6 {
		t.Errorf("%d chapters, want 6", len(all))
	}
	for _, c := range all {
		t.Run(c.title, func(t *testing.T) {
			f := newFixture(t)
			skipIfReaderCannot(t, c.text)
			w := f.reader()
			w.follow(common)
			w.follow(c.page)
			if strings.Contains(c.title, "keys") {
				if got := len(f.RequestsOf(mockplatform.CreateKey)); got != 2 || len(f.writes()) != 2 {
					t.Errorf("%d keys, want 2", got)
				}
			} else {
				f.wantWrites()
			}
			folder := "."
			if strings.Contains(c.title, "states") {
				folder = "production"
			}
			if out, err := w.command(context.Background(), "-chdir="+folder, "plan", "-detailed-exitcode").CombinedOutput(); err != nil {
				t.Errorf("the last plan is not empty: %v\n%s", err, out)
			}
		})
	}
}

// TestAdoptingGuide follows the chapter on generated configuration: what
// programs disagree about there is easy to get wrong. The others are snippets.
func TestAdoptingGuide(t *testing.T) {
	_, all := chapters(t, "../../templates/guides/adopting.md")
	at := slices.IndexFunc(all, func(c chapter) bool { return c.title == "Generate the configuration" })
	if at < 0 {
		t.Fatal("the guide has no chapter on generated configuration")
	}
	f := newFixture(t)
	skipIfReaderCannot(t, all[at].text)
	w := f.reader()
	w.file("providers.tf", plainProvider)
	w.shell("terraform init")
	w.follow(all[at].page)
	w.apply()
	w.wantEmptyPlan()
	f.wantWrites()
}

// TestDestroyFalse has the permanent form of leaving, where there is one.
func TestDestroyFalse(t *testing.T) {
	f := newFixture(t)
	program := programUnder(t)
	if program.openTofu && older(program.version, "1.12") || !program.openTofu && older(program.version, "1.16") {
		t.Skipf("%s has no lifecycle { destroy = false } in resources", program)
	}
	w := f.workspace(f.provider() + fmt.Sprintf(`
resource "dataplatform_service_scaling" "events" {
  service_id = %q
  lifecycle {
    destroy = false
  }
}
`, mockplatform.ServiceID))
	w.apply()
	arguments := []string{"-destroy"}
	if program.openTofu {
		arguments = append(arguments, "-suppress-forget-errors")
	}
	wantText(t, w.apply(arguments...), "0 destroyed")
	f.wantWrites()
	if states := w.states(); len(states) != 0 {
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
	w := f.workspace(f.provider() + scalingConfig(mockplatform.ServiceID, "num_replicas = 4"))
	output := w.planText()
	w.file("main.tf", f.provider()+key)
	w.apply()
	output += w.planText("-destroy")
	f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, After: true, Status: 503})
	failed, ok := w.terraform("apply", "-auto-approve", "-input=false", "-replace=dataplatform_api_key.loader")
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
	text = anyUUID.ReplaceAllString(text, "UUID")
	text = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`).ReplaceAllString(text, "DATE")
	return regexp.MustCompile(`suffix \w+`).ReplaceAllString(text, "suffix X")
}
