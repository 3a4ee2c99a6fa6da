package guidestest

import (
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
			if entry.Name() == ".terraform" || name == "scenario" || name == "demo" { // TestScenarioExample, TestDemo
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
	for folder, least := range map[string]int{"data-sources": 5, "provider": 1, "resources": 14} {
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
	case kind == "provider" && file == "provider.tf", strings.HasPrefix(file, "resource") && filepath.Ext(file) == ".tf", file == "data-source.tf", file == "data-source_filter.tf":
		folder, err := filepath.Rel(examplesDir, filepath.Clean(dir))
		if err != nil {
			t.Fatal(err)
		}
		w := f.example(dir, file)
		w.appliesAndStays()
		w.wantRequestsOf(filepath.ToSlash(folder), file)
	case file == "import-by-string-id.tf", file == "import-by-identity.tf":
		f.example(dir, "resource.tf", file).imports(t)
	case file == "versions.tf": // for linters that look at the whole directory
	case file == "list-resource.tfquery.hcl": // TestQueryGeneratesConfiguration
	case file == "import.sh":
		f.example(dir, "resource.tf").importsByCommand(dir)
	default:
		t.Errorf("no test knows what to do with %s", path)
	}
}

// TestScenarioExample applies the scenario in staging: it imports without a change, and
// then changes. TestScenarioReadme has production.
func TestScenarioExample(t *testing.T) {
	f := newFixture(t)
	w := f.workspace("")
	copyScenario(t, w)
	// init would look for the provider in the registry.
	if out, ok := w.Terraform("get"); !ok {
		t.Fatalf("get failed:\n%s", out)
	}
	w.setenv("TF_CLI_ARGS_plan=-var-file=environments/staging.tfvars", "TF_CLI_ARGS_apply=-var-file=environments/staging.tfvars")
	if out, ok := w.Terraform("plan", "-input=false"); ok || !strings.Contains(out, "the values of staging, but the workspace is default.") {
		t.Errorf("another workspace was not rejected:\n%s", out)
	}
	w.setenv("TF_WORKSPACE=staging")
	wantText(t, w.Apply("-var=import_only=true"), "Plan: 1 to import, 2 to add, 0 to change, 0 to destroy.")
	out := w.setenv(`TF_VAR_source_secrets={"orders":"password-of-orders","customers":"password-of-customers"}`).Apply()
	wantText(t, out, "Plan: 0 to add, 1 to change, 0 to destroy.")
	wantNoText(t, out, "Warning")
	if len(f.RequestsOf(mockplatform.CreateKey)) != 2 || len(f.writes()) != 3 {
		t.Errorf("want two keys and one other write, got\n%s", strings.Join(f.writes(), "\n"))
	}
	w.WantEmptyPlan()

	rejects := func(values []string, messages ...string) {
		t.Helper()
		out, ok := w.Terraform(append([]string{"plan", "-input=false"}, values...)...)
		if ok {
			t.Errorf("planned with %s:\n%s", values, out)
		}
		wantText(t, out, messages...)
	}
	rejects([]string{"-var=team=Ingest", "-var=services={}", `-var=applications={"loader":{"roles":["admin"]}}`},
		"must be 2 to 31 lowercase letters", "A team has at least one service.", "An application must not have the role admin.")
	const pipe = `{"id":"40000000-0000-4000-8000-000000000001","kafka":{"username":"u"},`
	rejects([]string{"-var=pipes={\"a\":" + pipe + `"service":"event"}}`}, "The service of a pipe must be one of services.")
	rejects([]string{"-var=pipes={\"a\":" + pipe + `"service":"ledger","postgres":{"username":"u"}}}`}, "A pipe has one kind of source.")
	rejects([]string{"-var=key_rotation_days=0.5"}, "key_rotation_days must be a whole number between 1 and 365.")
	w.setenv("TF_WORKSPACE=test")
	rejects([]string{"-var=environment=test"}, "The environment must be staging or production.")
}

// TestScenarioReadme runs the commands of the scenario's README as they stand, with
// the provider installed as from a registry: it tests the module, imports production
// without a change, and then changes it. The scripts of its pipeline find nothing to do.
func TestScenarioReadme(t *testing.T) {
	f := newFixture(t)
	needsMocks(t)
	w := f.reader()
	copyScenario(t, w)
	p := readPage(t, filepath.Join(examplesDir, "scenario", "README.md"))
	p.blocks = slices.DeleteFunc(p.blocks, func(b block) bool { return b.language == "hcl" }) // other providers
	const placeholders = `{"orders":"...","clickstream":"...","sensors":"...","customers":"..."}`
	const secrets = `{"orders":"secret-of-orders","clickstream":"secret-of-clickstream","sensors":"secret-of-sensors","customers":"secret-of-customers"}`
	for i := range p.blocks {
		p.blocks[i].text = strings.Replace(p.blocks[i].text, placeholders, secrets, 1)
	}
	w.follow(p)
	sent := strings.Join(f.writes(), "\n")
	if len(f.RequestsOf(mockplatform.CreateKey)) != 2 || len(f.writes()) != 8 {
		t.Errorf("want two keys and six other writes, got\n%s", sent)
	}
	wantText(t, sent,
		`"kafka":{"credentials":{"password":"secret-of-orders","username":"orders-loader"}}`,
		`"postgres":{"credentials":{"password":"secret-of-customers","username":"crm-replication"}}`,
		`"cloudStream":{"accessKey":{"accessKeyId":"sensor-reader","secretKey":"secret-of-sensors"}}`,
		`"objectStorage":{"accessKey":{"accessKeyId":"clickstream-reader","secretKey":"secret-of-clickstream"}}`)

	// A run that sends no secret needs none.
	w.setenv("TF_VAR_source_secrets={}", "TF_CLI_ARGS_plan=-var-file=environments/production.tfvars", "TF_CLI_ARGS_apply=-var-file=environments/production.tfvars")
	wantText(t, w.shell("bash ci/plan.sh && bash ci/drift.sh && bash ci/renew.sh"), "0 to add, 0 to change, 0 to destroy.", "No API key is due")
	if strings.Contains(w.Read("terraform.tfstate.d/production/terraform.tfstate"), "secret-of-") {
		t.Error("a secret is in the state")
	}

	// A new version of one secret, which is a connection string now, and a new generation
	// of one key are sent, and nothing else.
	f.ResetJournal()
	const values = "environments/production.tfvars"
	w.edit(values, `object_storage = { access_key_id = "clickstream-reader" }`, "object_storage = {}\n    secret_version = 2")
	w.edit(values, `roles = ["query_endpoints"]`, `roles = ["query_endpoints"], generation = 2`)
	if out, ok := w.Terraform("plan", "-input=false"); ok || !strings.Contains(out, "Credential missing") {
		t.Errorf("a version was raised without a secret:\n%s", out)
	}
	wantText(t, w.setenv("TF_VAR_source_secrets="+secrets).Apply(), "Plan: 1 to add, 1 to change, 1 to destroy.", `API key "ingest-production-dashboards"`)
	sent = strings.Join(f.writes(), "\n")
	if len(f.writes()) != 2 || strings.Count(sent, "secret-of-") != 1 {
		t.Errorf("want one secret and one key, got\n%s", sent)
	}
	wantText(t, sent, `"objectStorage":{"connectionString":"secret-of-clickstream"}`)
	w.WantEmptyPlan()
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
		left := strings.HasPrefix(entry.Name(), ".terraform") || entry.Name() == ".tflint.d" || strings.HasPrefix(entry.Name(), "terraform.tfstate")
		switch {
		case left && entry.IsDir():
			return fs.SkipDir
		case left:
			return nil
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(w.Dir, name), 0o700)
		}
		content := fileText(t, path)
		skipIfTooOld(t, content)
		w.File(name, content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// edit replaces a text of a file, which has it once.
func (w *workspace) edit(name, before, after string) {
	w.t.Helper()
	content := fileText(w.t, filepath.Join(w.Dir, name))
	if strings.Count(content, before) != 1 {
		w.t.Fatalf("%s does not have %q once", name, before)
	}
	w.File(name, strings.Replace(content, before, after, 1))
}

// openVariable finds a variable without a default.
var openVariable = regexp.MustCompile(`(?s)variable "(\w+)" \{(.*?)\n\}`)

// example copies files of a folder into a workspace, beside a provider if they
// have none, and gives a value to each variable that wants one.
func (f *fixture) example(dir string, names ...string) *workspace {
	f.t.Helper()
	var all strings.Builder
	w := f.workspace("")
	for _, name := range names {
		content := fileText(f.t, filepath.Join(dir, name))
		if name == "main.tf" {
			name = "example.tf"
		}
		skipIfTooOld(f.t, content)
		w.File(name, content)
		all.WriteString(content)
	}
	if !strings.Contains(all.String(), "required_providers") {
		w.File("main.tf", plainProvider)
	}
	for _, variable := range openVariable.FindAllStringSubmatch(all.String(), -1) {
		if !strings.Contains(variable[2], "default") {
			w.setenv("TF_VAR_" + variable[1] + "=example")
		}
	}
	return w
}

// exampleRequests are what the examples of a folder are about, or one of them.
var exampleRequests = map[string]mockplatform.Operation{
	"resources/dataplatform_service_scaling/resource_by_name.tf": mockplatform.ListServices, // it sets what the service has
	"provider":                               mockplatform.UpdateScaling,
	"data-sources/dataplatform_alert":        mockplatform.GetAlert,
	"data-sources/dataplatform_pipe":         mockplatform.GetPipe,
	"data-sources/dataplatform_service":      mockplatform.ListServices,
	"data-sources/dataplatform_services":     mockplatform.ListServices,
	"resources/dataplatform_api_key":         mockplatform.CreateKey,
	"resources/dataplatform_pipe":            mockplatform.UpdatePipe,
	"resources/dataplatform_service_scaling": mockplatform.UpdateScaling,
}

// wantRequestsOf fails unless the example of a folder sent what it is about.
func (w *workspace) wantRequestsOf(folder, file string) {
	w.t.Helper()
	operation, known := exampleRequests[folder+"/"+file]
	if !known {
		operation, known = exampleRequests[folder]
	}
	if !known || len(w.RequestsOf(operation)) == 0 {
		w.t.Errorf("an example of %s sends no %q: %v", folder, operation, w.Requests())
	}
	if reads := strings.HasPrefix(folder, "data-sources/"); reads && len(w.writes()) > 0 {
		w.t.Errorf("an example of %s writes: %q", folder, w.writes())
	}
}

// appliesAndStays applies an example, and plans nothing more.
func (w *workspace) appliesAndStays() {
	w.t.Helper()
	w.Apply()
	w.WantEmptyPlan()
}

// imports plans an import with the resource that it is for.
func (w *workspace) imports(t *testing.T) {
	t.Helper()
	out, ok := w.Terraform("plan", "-input=false")
	if !ok {
		t.Fatalf("plan failed:\n%s", out)
	}
	wantText(t, out, "Plan: 1 to import, 0 to add")
}

// importsByCommand runs each command of an import.sh.
func (w *workspace) importsByCommand(dir string) {
	w.t.Helper()
	script := fileText(w.t, filepath.Join(dir, "import.sh"))
	ran := 0
	for line := range strings.Lines(script) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if len(words) != 4 || words[0] != "terraform" || words[1] != "import" {
			w.t.Fatalf("import.sh has %q", line)
		}
		if out, ok := w.Terraform(words[1:]...); !ok {
			w.t.Errorf("%s failed:\n%s", line, out)
		}
		kind, _, _ := strings.Cut(words[2], ".")
		if !strings.Contains(w.Read("terraform.tfstate"), kind) || os.Remove(filepath.Join(w.Dir, "terraform.tfstate")) != nil {
			w.t.Errorf("%s imported nothing", line)
		}
		ran++
	}
	if ran == 0 {
		w.t.Error("import.sh has no command")
	}
	w.wantWrites()
}
