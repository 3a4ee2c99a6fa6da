package guidestest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing/sealingtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

const examplesDir = "../../examples"

// TestExamples runs each file under examples/ against a platform of its own,
// with the provider's settings from the environment, as the documentation
// shows them: what a reader copies works. The scenario and the demo have tests of their own.
func TestExamples(t *testing.T) {
	t.Parallel()
	found := 0
	examples := os.DirFS(examplesDir)
	if err := fs.WalkDir(examples, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == "scenario", name == "demo", entry.Name() == ".terraform":
			return fs.SkipDir
		case !entry.IsDir():
			found++
			t.Run(name, func(t *testing.T) { runExample(t, name) })
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if found < 20 {
		t.Errorf("only %d examples were found", found)
	}
}

func runExample(t *testing.T, name string) {
	dir, file := filepath.Split(name)
	read := func(file string) string { return fileText(t, filepath.Join(examplesDir, dir, file)) }
	switch {
	case file == "provider.tf", file == "ephemeral-resource.tf", file == "function.tf", strings.HasPrefix(file, "data-source"),
		strings.HasPrefix(file, "resource") && filepath.Ext(file) == ".tf":
		w := newExample(t, read(file))
		w.Apply()
		w.WantEmptyPlan()
		if len(w.Requests()) == 0 {
			t.Error("the example asks the platform for nothing")
		}
		if kind, _, _ := strings.Cut(name, "/"); kind == "data-sources" {
			w.wantWrites()
		}
	case file == "import-by-string-id.tf", file == "import-by-identity.tf":
		wantText(t, newExample(t, read("resource.tf")+read(file)).PlanText(), "Plan: 1 to import, 0 to add")
	case file == "import.sh":
		// Each of its commands imports into an empty state.
		w := newExample(t, read("resource.tf"))
		wantText(t, w.shell("terraform() { command terraform \"$@\"; rm terraform.tfstate; }\n"+read(file)), "Import successful!")
		w.wantWrites()
	case file == "tables.csv": // which resource_tables.tf reads
	case file == "versions.tf": // for linters that look at the whole directory
	case file == "list-resource.tfquery.hcl": // TestQueryPage
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
	if strings.Contains(config, "aws_secretsmanager") {
		w.withStore()
	}
	if strings.Contains(config, "tables.csv") {
		w.File("tables.csv", fileText(t, examplesDir+"/resources/dataplatform_pipe/tables.csv"))
	}
	if strings.Contains(config, "key.pub") {
		pair := sealingtest.PostQuantum(t)
		w.File("key.pub", pair.Recipient+"\n")
		w.setenv("TF_VAR_age_identity=" + pair.Identity)
	}
	return w
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
				if strings.Contains(b.text, "required_providers {") && !strings.Contains(b.text, "required_version") {
					t.Error("the linter of the guide on CI/CD would demand a required_version")
				}
				w := newExample(t, b.text)
				w.Apply()
				w.WantEmptyPlan()
			})
		}
	}
	if found < 1 {
		t.Errorf("only %d snippets were found", found)
	}
}
