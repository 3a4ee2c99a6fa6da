package guidestest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

const examplesDir = "../../examples"

// walk calls a function for each file of examples, by its path there, but for the
// directories that are one configuration each.
func walk(t *testing.T, found func(name string)) {
	t.Helper()
	examples := os.DirFS(examplesDir)
	if err := fs.WalkDir(examples, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == "scenario", name == "demo", entry.Name() == ".terraform":
			return fs.SkipDir
		case !entry.IsDir():
			found(name)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestExamples runs each file under examples/ against a platform of its own,
// with the provider's settings from the environment, as the documentation
// shows them: what a reader copies works.
func TestExamples(t *testing.T) {
	t.Parallel()
	found := map[string]int{}
	walk(t, func(name string) {
		kind, _, _ := strings.Cut(name, "/")
		found[kind]++
		t.Run(name, func(t *testing.T) { runExample(t, name) })
	})
	for kind, least := range map[string]int{"data-sources": 5, "provider": 1, "resources": 14} {
		if found[kind] < least {
			t.Errorf("%d examples under %s, want at least %d", found[kind], kind, least)
		}
	}
}

func runExample(t *testing.T, name string) {
	dir, file := filepath.Split(name)
	read := func(file string) string { return fileText(t, filepath.Join(examplesDir, dir, file)) }
	switch {
	case file == "provider.tf", strings.HasPrefix(file, "resource") && filepath.Ext(file) == ".tf", strings.HasPrefix(file, "data-source"):
		w := newExample(t, read(file))
		w.appliesAndStays()
		if len(w.Requests()) == 0 {
			t.Error("the example asks the platform for nothing")
		}
		if kind, _, _ := strings.Cut(name, "/"); kind == "data-sources" {
			w.wantWrites()
		}
	case file == "import-by-string-id.tf", file == "import-by-identity.tf":
		wantText(t, newExample(t, read("resource.tf")+read(file)).PlanText(), "Plan: 1 to import, 0 to add")
	case file == "import.sh":
		newExample(t, read("resource.tf")).importsByCommand(read(file))
	case file == "versions.tf": // for linters that look at the whole directory
	case file == "list-resource.tfquery.hcl": // TestQueryGeneratesConfiguration
	default:
		t.Errorf("no test knows what to do with %s", name)
	}
}

// openVariable finds a variable without a default.
var openVariable = regexp.MustCompile(`(?s)variable "(\w+)" \{(.*?)\n\}`)

// newExample has a configuration, the source of the provider if it lacks that, and a value
// for each variable that wants one.
func newExample(t *testing.T, config string) *workspace {
	t.Helper()
	w := newWorkspace(t, config)
	if !strings.Contains(config, "required_providers") {
		w.File("versions.tf", plainProvider)
	}
	for _, variable := range openVariable.FindAllStringSubmatch(config, -1) {
		if !strings.Contains(variable[2], "default") {
			w.setenv("TF_VAR_" + variable[1] + "=example")
		}
	}
	return w
}

func (w *workspace) appliesAndStays() {
	w.T.Helper()
	w.Apply()
	w.WantEmptyPlan()
}

// importsByCommand runs each command of an import.sh.
func (w *workspace) importsByCommand(script string) {
	w.T.Helper()
	ran := 0
	for line := range strings.Lines(script) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		ran++
		w.shell(line)
		if states := w.States(); len(states) != 1 || !strings.Contains(line, " "+states[0]+" ") {
			w.T.Errorf("%s imported %v", line, states)
		}
		w.shell("rm terraform.tfstate")
	}
	if ran == 0 {
		w.T.Error("import.sh has no command")
	}
	w.wantWrites()
}

// TestSnippets applies each configuration that the guides show, on a platform of its
// own. Fences of another language than terraform are no whole configurations: the tests of
// the guides follow them.
func TestSnippets(t *testing.T) {
	t.Parallel()
	templates, err := filepath.Glob("../../templates/*/*")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, path := range append(templates, "../../templates/index.md.tmpl") {
		p := readPage(t, path)
		for _, b := range p.blocks {
			if b.language != "terraform" || path == guide("offline") { // TestOfflineGuide
				continue
			}
			found++
			t.Run(fmt.Sprintf("%s:%d", p.title, b.line), func(t *testing.T) {
				if needs, ok := terraformtest.NeededBy(t, b.text); ok && !strings.Contains(b.text, fmt.Sprintf("# Requires %s, or later.", needs)) {
					t.Errorf("the snippet doesn't say that it requires %s, or later", needs)
				}
				newExample(t, b.text).appliesAndStays()
			})
		}
	}
	if found < 8 {
		t.Errorf("only %d snippets were found", found)
	}
}
