package provider

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
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
			if entry.Name() == ".terraform" || name == "scenario" { // TestScenarioExample
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
	for folder, least := range map[string]int{"data-sources": 5, "demo": 1, "provider": 1, "resources": 14} {
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
		if all := allOf(t, dir); file == all[0] { // with the others of its folder
			f.example(dir, all...).appliesAndStays()
		}
	case strings.HasPrefix(file, "resource") && filepath.Ext(file) == ".tf", file == "data-source.tf", file == "data-source_filter.tf":
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

// TestScenarioExample follows the README of the scenario in each environment: it
// tests the module, imports without a change, and then changes.
func TestScenarioExample(t *testing.T) {
	t.Parallel()
	for environment, want := range map[string]struct {
		imports, changes string
		writes           int
	}{
		"staging":    {"Plan: 1 to import, 2 to add, 0 to change, 0 to destroy.", "Plan: 0 to add, 1 to change, 0 to destroy.", 1},
		"production": {"Plan: 4 to import, 2 to add, 0 to change, 0 to destroy.", "Plan: 0 to add, 4 to change, 0 to destroy.", 4},
	} {
		t.Run(environment, func(t *testing.T) {
			w := newFixture(t).scenario(environment)
			const passwords = `TF_VAR_passwords={"orders":"password-of-orders","customers":"password-of-customers"}`
			withoutPasswords := w.env
			wantText(t, w.apply("-var=import_only=true"), want.imports)
			if got := w.RequestsOf(mockplatform.CreateKey); len(got) != 2 || len(w.writes()) != 2 {
				t.Errorf("want two keys and no other write, got\n%s", strings.Join(w.writes(), "\n"))
			}
			w.ResetJournal()
			w.setenv(passwords)
			out := w.apply()
			wantText(t, out, want.changes)
			if environment == "production" {
				readme, err := os.ReadFile(filepath.Join(w.dir, "README.md"))
				if err != nil {
					t.Fatal(err)
				}
				wantText(t, string(readme), want.imports, want.changes)
			}
			if strings.Contains(out, "Warning") {
				t.Errorf("the apply warns:\n%s", out)
			}
			if got := w.writes(); len(got) != want.writes {
				t.Errorf("got %d writes, want %d:\n%s", len(got), want.writes, strings.Join(got, "\n"))
			}
			w.wantEmptyPlan()

			// A run that sends no password needs none.
			w.env = withoutPasswords
			w.wantEmptyPlan()

			state, err := os.ReadFile(filepath.Join(w.dir, "terraform.tfstate"))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(state), "password-of-") {
				t.Error("a password is in the state")
			}
			if environment == "production" {
				w.setenv(passwords).rotates(withoutPasswords)
			}
			w.apply("-destroy")
		})
	}

	const pipe = `pipes={"orders":{"id":"40000000-0000-4000-8000-000000000001","username":"orders-loader",%s}}`
	for message, wrong := range map[string]string{
		"The environment must be staging or production.": "environment=test",
		"must be 2 to 31 lowercase letters":              "team=Ingest",
		"A team has at least one service.":               "services={}",
		"An application must not have the role admin.":   `applications={"loader":{"roles":["admin"]}}`,
		"The service of a pipe must be one of services.": fmt.Sprintf(pipe, `"service":"event","kind":"kafka"`),
		"The kind of a pipe must be kafka or postgres.":  fmt.Sprintf(pipe, `"service":"events","kind":"stream"`),
	} {
		t.Run(message, func(t *testing.T) {
			w := newFixture(t).scenario("production")
			out, ok := w.terraform("plan", "-input=false", "-var", wrong)
			if ok {
				t.Fatalf("the plan succeeded:\n%s", out)
			}
			wantText(t, out, message)
			w.wantWrites()
		})
	}
}

// TestScenarioReadme runs the commands of the scenario's README as they stand, with
// the provider installed as from a registry.
func TestScenarioReadme(t *testing.T) {
	f := newFixture(t)
	needsMocks(t)
	w := f.reader()
	copyScenario(t, w)
	p := readPage(t, filepath.Join(examplesDir, "scenario", "README.md"))
	p.blocks = slices.DeleteFunc(p.blocks, func(b block) bool { return b.language == "hcl" }) // other providers
	w.follow(p)
	if out, err := w.command(t.Context(), "plan", "-detailed-exitcode", "-var-file=environments/production.tfvars").CombinedOutput(); err != nil {
		t.Errorf("the last plan is not empty: %v\n%s", err, out)
	}
	wantText(t, w.shell("bash ci/plan.sh -var-file=environments/production.tfvars && bash ci/drift.sh -var-file=environments/production.tfvars"), "No changes")
}

// rotates increases the version of one password and the generation of one key, and
// wants these two sent and nothing else.
func (w *workspace) rotates(withoutPasswords []string) {
	w.t.Helper()
	w.ResetJournal()
	const values = "environments/production.tfvars"
	w.edit(values, `username = "orders-loader"`, `username = "orders-loader", password_version = 2`)
	w.edit(values, `roles = ["query_endpoints"]`, `roles = ["query_endpoints"], generation = 2`)

	without := &workspace{fixture: w.fixture, dir: w.dir, env: withoutPasswords}
	if out, ok := without.terraform("plan", "-input=false"); ok || !strings.Contains(out, "Credential missing") {
		w.t.Errorf("a version was raised without a password:\n%s", out)
	}

	wantText(w.t, w.apply(), "Plan: 1 to add, 1 to change, 1 to destroy.", `API key "ingest-production-dashboards"`)
	sent := strings.Join(w.writes(), "\n")
	if len(w.writes()) != 2 || !strings.Contains(sent, "password-of-orders") || strings.Contains(sent, "password-of-customers") {
		w.t.Errorf("want one password and one key, got\n%s", sent)
	}
	w.wantEmptyPlan()
}

// scenario copies the scenario into a workspace where every command takes the
// values of an environment.
func (f *fixture) scenario(environment string) *workspace {
	f.t.Helper()
	w := f.workspace("").setenv(f.fromEnvironment()...)
	copyScenario(f.t, w)
	// init would look for the provider in the registry.
	if out, ok := w.terraform("get"); !ok {
		f.t.Fatalf("get failed:\n%s", out)
	}
	values := "-var-file=environments/" + environment + ".tfvars"
	return w.setenv("TF_CLI_ARGS_plan="+values, "TF_CLI_ARGS_apply="+values)
}

// copyScenario copies the files of the scenario into a workspace.
func copyScenario(t *testing.T, w *workspace) {
	t.Helper()
	dir := filepath.Join(examplesDir, "scenario")
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		// What an apply in the folder itself leaves behind.
		left := strings.HasPrefix(entry.Name(), ".terraform") || strings.HasPrefix(entry.Name(), "terraform.tfstate")
		switch {
		case left && entry.IsDir():
			return fs.SkipDir
		case left:
			return nil
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(w.dir, name), 0o700)
		}
		content, err := os.ReadFile(path)
		w.file(name, string(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// edit replaces a text of a file, which has it once.
func (w *workspace) edit(name, before, after string) {
	w.t.Helper()
	content, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	if strings.Count(string(content), before) != 1 {
		w.t.Fatalf("%s does not have %q once", name, before)
	}
	w.file(name, strings.Replace(string(content), before, after, 1))
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
