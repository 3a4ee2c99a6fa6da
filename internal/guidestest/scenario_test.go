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
// then changes. TestScenarioReadme has production.
func TestScenarioExample(t *testing.T) {
	w := newScenario(t).in("staging")
	w.shell("terraform init")
	wantText(t, w.Apply("-var=import_only=true"), "Plan: 1 to import, 2 to add, 0 to change, 0 to destroy.")
	out := w.setenv(`TF_VAR_source_secrets={"orders":"password-of-orders","customers":"password-of-customers"}`).Apply()
	wantText(t, out, "Plan: 0 to add, 1 to change, 0 to destroy.")
	wantNoText(t, out, "Warning")
	w.wantKeys(2, 1)
	w.WantEmptyPlan()
}

// TestScenarioRejects has what would manage an object twice or in another environment.
func TestScenarioRejects(t *testing.T) {
	w := newScenario(t).in("staging")
	w.shell("terraform init")
	const aPipe = `-var=pipes={"a":{"id":"40000000-0000-4000-8000-000000000001","kafka":{"username":"u"},`
	for _, row := range []struct {
		workspace, argument, text string
	}{
		{"default", "-refresh=true", "the values of staging, but the workspace is default."},
		{"staging", aPipe + `"service":"ledger","postgres":{"username":"u"}}}`, "A pipe has one kind of source."},
		{"staging", aPipe + `"service":"ledger"},"b":{"id":"40000000-0000-4000-8000-000000000001","service":"ledger"}}`, "Two pipes have the same ID."},
		{"staging", `-var=services={"a":{"id":"2000000a-0000-4000-8000-000000000001"},"b":{"id":"2000000A-0000-4000-8000-000000000001"}}`, "Two services have the same ID."},
	} {
		out, ok := w.setenv("TF_WORKSPACE="+row.workspace).Terraform("plan", "-input=false", row.argument)
		if ok {
			t.Errorf("planned in %s with %s:\n%s", row.workspace, row.argument, out)
		}
		wantText(t, out, row.text)
	}
}

// TestScenarioReadme runs the commands of the scenario's README as they stand, with
// the provider installed as from a registry: it tests the module, imports production
// without a change, and then changes it. The scripts of its pipeline find nothing to do.
func TestScenarioReadme(t *testing.T) {
	w := newScenario(t)
	p := readPage(t, scenarioDir+"/README.md")
	p.drop(func(b block) bool { return b.language == "hcl" }) // other providers
	const secrets = `{"clickstream":"secret-of-clickstream","sensors":"secret-of-sensors","customers":"secret-of-customers"}`
	p.replace(`{"clickstream":"...","sensors":"...","customers":"..."}`, secrets)
	w.follow(p)
	loader := w.key("ingest-production-loader")
	wantText(t, strings.Join(w.Writes(), "\n"),
		fmt.Sprintf(`"kafka":{"credentials":{"password":%q,"username":%q}}`, loader.secret, loader.id),
		`"postgres":{"credentials":{"password":"secret-of-customers","username":"crm-replication"}}`,
		`"cloudStream":{"accessKey":{"accessKeyId":"sensor-reader","secretKey":"secret-of-sensors"}}`,
		`"objectStorage":{"accessKey":{"accessKeyId":"clickstream-reader","secretKey":"secret-of-clickstream"}}`)
	w.wantKeys(2, 6)

	// A run that sends no secret needs none.
	w.in("production").setenv("TF_VAR_source_secrets={}", "TF_VAR_age_identity="+w.Read("key.txt"))
	wantText(t, w.shell("bash ci/plan.sh && bash ci/drift.sh && bash ci/renew.sh"), "0 to add, 0 to change, 0 to destroy.", "No API key is due")
	wantNoText(t, w.Read("terraform.tfstate.d/production/terraform.tfstate"), "secret-of-")

	// A new version of one secret, which is a connection string now, and a new generation
	// of one key are sent, and nothing else. The plan does not have the secret.
	const values = "environments/production.tfvars"
	w.edit(values, `object_storage = { access_key_id = "clickstream-reader" }`, "object_storage = {}\n    secret_version = 2")
	w.edit(values, `roles = ["query_endpoints"]`, `roles = ["query_endpoints"], generation = 2`)
	w.wantScript("terraform plan", 1, "Credential missing")
	plan := w.setenv(`TF_VAR_source_secrets={"clickstream":"placeholder"}`).shell("terraform plan -out=tfplan")
	w.setenv("TF_VAR_source_secrets="+secrets, "TF_CLI_ARGS_apply=").shell("terraform apply tfplan")
	wantText(t, plan, "Plan: 1 to add, 1 to change, 1 to destroy.", `API key "ingest-production-dashboards"`)
	sent := strings.Join(w.Writes(), "\n")
	if strings.Count(sent, "secret-of-") != 1 {
		t.Errorf("want one secret, got\n%s", sent)
	}
	wantText(t, sent, `"objectStorage":{"connectionString":"secret-of-clickstream"}`)
	w.wantKeys(1, 1)
	w.WantEmptyPlan()
}
