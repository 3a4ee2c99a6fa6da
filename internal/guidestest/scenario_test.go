package guidestest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing/sealingtest"
)

const scenarioDir = examplesDir + "/scenario"

// newScenario is a reader's copy of the scenario, without what an apply in the directory
// itself leaves behind.
func newScenario(t *testing.T) *workspace {
	t.Helper()
	w := newReader(t)
	skipIfTooOld(t, fileText(t, scenarioDir+"/modules/team/main.tf"))
	w.copies(scenarioDir, ".")
	w.shell("rm -rf .terraform .terraform.lock.hcl .tflint.d terraform.tfstate* key.txt environments/*.pub")
	w.File("environments/staging.pub", sealingtest.X25519(t).Recipient+"\n")
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
	wantText(t, w.Apply("-var=import_only=true"), "Plan: 1 to import, 2 to add, 0 to change, 0 to destroy.")
	out := w.Apply()
	wantText(t, out, "Plan: 0 to add, 1 to change, 0 to destroy.")
	wantNoText(t, out, "Warning")
	w.wantKeys(2, 1)
	w.WantEmptyPlan()
}

// TestScenarioReadme runs the commands of the scenario's README as they stand, with
// the provider installed as from a registry: it tests the module, imports production
// without a change, and then changes it. The scripts of its pipeline find nothing to do.
func TestScenarioReadme(t *testing.T) {
	w := newScenario(t)
	p := readPage(t, scenarioDir+"/README.md")
	p.drop(func(b block) bool { return b.language == "hcl" }) // other providers
	const secrets = `{"customers":"secret-of-customers"}`
	w.File("secrets.json", secrets)
	w.follow(p)
	loader := w.key("ingest-production-loader")
	wantText(t, strings.Join(w.Writes(), "\n"),
		fmt.Sprintf(`"kafka":{"credentials":{"password":%q,"username":%q}}`, loader.secret, loader.id),
		`"postgres":{"credentials":{"password":"secret-of-customers","username":"crm-replication"}}`)
	w.wantKeys(2, 4)

	// A run that sends no secret needs none.
	w.in("production").setenv("TF_VAR_source_secrets={}", "TF_VAR_age_identity="+w.Read("key.txt"))
	wantText(t, w.shell("bash ci/plan.sh && bash ci/drift.sh && bash ci/renew.sh"), "0 to add, 0 to change, 0 to destroy.", "No API key is due")
	wantNoText(t, w.Read("terraform.tfstate.d/production/terraform.tfstate"), "secret-of-")

	// A new version of one secret and a new generation of one key are sent, and nothing else. The
	// plan does not have the secret.
	const values = "environments/production.tfvars"
	w.edit(values, `{ username = "crm-replication" }`, "{ username = \"crm-replication\" }\n    secret_version = 2")
	w.edit(values, `roles = ["query_endpoints"]`, `roles = ["query_endpoints"], generation = 2`)
	w.wantScript("terraform plan", 1, "Credential missing")
	plan := w.setenv(`TF_VAR_source_secrets={"customers":"placeholder"}`).shell("terraform plan -out=tfplan")
	w.setenv("TF_VAR_source_secrets="+secrets, "TF_CLI_ARGS_apply=").shell("terraform apply tfplan")
	wantText(t, plan, "Plan: 1 to add, 1 to change, 1 to destroy.", `API key "ingest-production-dashboards"`)
	if sent := strings.Join(w.Writes(), "\n"); strings.Count(sent, "secret-of-") != 1 {
		t.Errorf("want one secret, got\n%s", sent)
	}
	w.wantKeys(1, 1)
	w.WantEmptyPlan()
}
