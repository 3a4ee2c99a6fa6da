package provider

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const examplesDir = "../../examples"

// TestExamples runs each file under examples/ against a platform of its own,
// with the provider's settings from the environment, as the documentation
// shows them: what a reader copies works.
func TestExamples(t *testing.T) {
	t.Parallel()
	found := map[string]int{}
	err := filepath.WalkDir(examplesDir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(examplesDir, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == ".terraform" {
				return fs.SkipDir
			}
			return nil
		}
		found[strings.SplitN(filepath.ToSlash(name), "/", 2)[0]]++
		t.Run(name, func(t *testing.T) { runExample(t, path) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder, least := range map[string]int{"data-sources": 3, "demo": 1, "provider": 2, "resources": 14} {
		if found[folder] < least {
			t.Errorf("%d examples under %s, want at least %d", found[folder], folder, least)
		}
	}
}

func runExample(t *testing.T, path string) {
	f := newFixture(t)
	dir, file := filepath.Split(path)
	kind := filepath.Base(dir)
	switch {
	case kind == "demo" || kind == "provider":
		f.example(dir, allOf(t, dir)...).appliesAndStays()
	case strings.HasPrefix(file, "resource") && filepath.Ext(file) == ".tf", file == "data-source.tf":
		f.example(dir, file).appliesAndStays()
	case file == "import-by-string-id.tf", file == "import-by-identity.tf":
		f.example(dir, "resource.tf", file).imports(t)
	case file == "list-resource.tfquery.hcl": // TestQueryGeneratesConfiguration
	case file == "import.sh":
		f.example(dir, "resource.tf").importsByCommand(dir)
	default:
		t.Errorf("no test knows what to do with %s", path)
	}
}

func allOf(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.tf"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}

// openVariable finds a variable without a default.
var openVariable = regexp.MustCompile(`(?s)variable "(\w+)" \{(.*?)\n\}`)

// example copies files of a folder into a workspace, beside a provider if they
// have none, and gives a value to each variable that wants one.
func (f *fixture) example(dir string, names ...string) *workspace {
	f.t.Helper()
	var all strings.Builder
	w := f.workspace("").setenv(f.fromEnvironment()...)
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			f.t.Fatal(err)
		}
		if name == "main.tf" {
			name = "example.tf"
		}
		w.file(name, string(content))
		all.Write(content)
	}
	if !strings.Contains(all.String(), "required_providers") {
		w.file("main.tf", plainProvider)
	}
	for _, variable := range openVariable.FindAllStringSubmatch(all.String(), -1) {
		if !strings.Contains(variable[2], "default") {
			w.setenv("TF_VAR_" + variable[1] + "=example")
		}
	}
	return w
}

// appliesAndStays applies an example, plans nothing more, and destroys it.
func (w *workspace) appliesAndStays() {
	w.t.Helper()
	w.apply()
	w.wantEmptyPlan()
	w.apply("-destroy")
}

// imports plans an import with the resource that it is for.
func (w *workspace) imports(t *testing.T) {
	t.Helper()
	out, ok := w.terraform("plan", "-input=false")
	if !ok {
		t.Fatalf("plan failed:\n%s", out)
	}
	wantText(t, out, "Plan: 1 to import, 0 to add")
}

// importsByCommand runs each command of an import.sh.
func (w *workspace) importsByCommand(dir string) {
	w.t.Helper()
	script, err := os.ReadFile(filepath.Join(dir, "import.sh"))
	if err != nil {
		w.t.Fatal(err)
	}
	ran := 0
	for line := range strings.Lines(string(script)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if len(words) != 4 || words[0] != "terraform" || words[1] != "import" {
			w.t.Fatalf("import.sh has %q", line)
		}
		if out, ok := w.terraform(words[1:]...); !ok {
			w.t.Errorf("%s failed:\n%s", line, out)
		}
		if out, ok := w.terraform("state", "rm", words[2]); !ok {
			w.t.Errorf("nothing was imported:\n%s", out)
		}
		ran++
	}
	if ran == 0 {
		w.t.Error("import.sh has no command")
	}
	w.wantWrites()
}
