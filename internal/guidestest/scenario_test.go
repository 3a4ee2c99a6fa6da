package guidestest

import (
	"strings"
	"testing"
)

const scenarioDir = examplesDir + "/scenario"

// newScenario is a reader's copy of the scenario, without what an apply in the directory
// itself leaves behind.
func newScenario(t *testing.T) *workspace {
	t.Helper()
	w := newReader(t).withStore()
	skipIfTooOld(t, fileText(t, scenarioDir+"/keys/store.tf"))
	w.copies(scenarioDir, ".")
	w.shell("rm -rf {.,keys}/.terraform {.,keys}/.terraform.lock.hcl .tflint.d {.,keys}/terraform.tfstate* key-*.txt keys/environments/*.pub")
	return w
}

// in gives Terraform the workspace and the values of an environment.
func (w *workspace) in(environment string) *workspace {
	values := "=-var-file=environments/" + environment + ".tfvars"
	return w.setenv("TF_WORKSPACE="+environment, "TF_CLI_ARGS_plan"+values, "TF_CLI_ARGS_apply"+values)
}

// TestScenarioExample applies the scenario in staging: it imports without a change, and
// then changes, but not in the workspace of another environment. TestScenarioReadme has production.
func TestScenarioExample(t *testing.T) {
	w := newScenario(t).in("staging")
	w.shell("terraform init")
	w.wantScript("TF_WORKSPACE=default terraform plan", 1, "the values of staging, but the workspace is default.")
	w.wantScript(`TF_VAR_pipes='{a={id="1",service="ledger",kafka={username="u"},postgres={username="u"}}}' terraform plan`, 1, "A pipe has one kind of source.")
	wantText(t, w.Apply("-var=import_only=true"), "Plan: 1 to import, 0 to add, 0 to change, 0 to destroy.")
	out := w.Apply()
	wantText(t, out, "Plan: 0 to add, 1 to change, 0 to destroy.")
	wantNoText(t, out, "Warning")
	w.wantKeys(0, 1)
	w.WantEmptyPlan()
}

// TestScenarioReadme runs the commands of the scenario's README as they stand, with
// the provider installed as from a registry: it tests the module, creates the keys, imports
// production without a change, and then changes it.
func TestScenarioReadme(t *testing.T) {
	needsProgram(t, "jq")
	w := newScenario(t)
	p := readPage(t, scenarioDir+"/README.md")
	p.drop(func(b block) bool { return b.language == "hcl" || strings.Contains(b.text, "go build") }) // other providers, and TestExamplesAreLinted
	p.replace("read -rs TF_VAR_customers_password", "read -r TF_VAR_customers_password <<< secret-of-customers")
	out := w.follow(p)
	loader := w.key("ingest-production-loader")
	wantText(t, w.stored("ingest/production/loader"), loader.id, loader.secret)
	wantText(t, out, w.key("ingest-production-dashboards").secret) // what age prints
	wantText(t, strings.Join(w.Writes(), "\n"), `"postgres":{"credentials":{"password":"secret-of-customers","username":"crm-replication"}}`)
	w.wantKeys(2, 4)
	for _, state := range []string{"", "keys/"} {
		wantNoText(t, w.Read(state+"terraform.tfstate.d/production/terraform.tfstate"), "secret-of-", loader.secret)
	}
	w.shell("rm imports.tf")           // as it says
	w.in("production").WantEmptyPlan() // without the password
}
