package guidestest

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing/sealingtest"
)

// TestScenarioSecrets plays the runs of the scenario's workflow with its commands and its variables: a pull
// request, which does not have the identity, main, which has it, and renewals. The secret of the loader
// reaches the pipe orders, and stands nowhere else.
func TestScenarioSecrets(t *testing.T) {
	w := newScenario(t)
	needs(t, "Requires Terraform 1.11 or OpenTofu 1.11 or later, and jq.\n")
	pair, other := sealingtest.X25519(t), sealingtest.X25519(t)
	w.File("environments/production.pub", pair.Recipient+"\n")
	w.setenv("TF_WORKSPACE=production", `TF_VAR_source_secrets={"customers":"s","orders":"placeholder"}`)
	w.shell("terraform init")

	var left strings.Builder // what the runs print, store and comment
	run := func(code int, script string, variables string, texts ...string) {
		t.Helper()
		left.WriteString(w.wantScript("export "+variables+"; "+step(t, script), code, texts...))
		if script == "ci/plan.sh" {
			left.WriteString(w.Read("plan.md") + w.Unzipped("tfplan"))
		}
		left.WriteString(w.shell("for file in terraform.tfstate.d/*/* tfplan.json; do [ ! -e $file ] || cat $file; done; terraform show -json"))
	}
	const pullRequest = "TF_VAR_decrypts=false TF_VAR_age_identity=" // a secret that is not set is an empty text
	main := fmt.Sprintf("TF_VAR_decrypts=true TF_VAR_age_identity=%s", pair.Identity)
	identity := "TF_VAR_age_identity=" + pair.Identity
	stored := func(n int) {
		t.Helper()
		loaders := w.keys("ingest-production-loader")
		if len(loaders) != n {
			t.Fatalf("the loader has had %d keys, want %d", len(loaders), n)
		}
		last := loaders[n-1]
		wantText(t, fmt.Sprint(w.PipeSecrets(mockplatform.KafkaPipeID)), fmt.Sprintf("map[password:%s username:%s]", last.secret, last.id))
		for _, key := range w.keys("") {
			wantNoText(t, left.String(), key.secret)
		}
		wantNoText(t, left.String(), pair.Identity)
	}

	// The first creation, and its delivery in the same apply.
	run(0, "ci/plan.sh", pullRequest, "4 to import, 2 to add")
	run(0, "ci/plan.sh", main, "4 to import, 2 to add")
	run(0, "terraform apply", identity, "4 imported, 2 added")
	stored(1)
	w.ResetJournal()

	// What exists needs the identity, but not in a pull request or a drift check.
	run(0, "ci/plan.sh", pullRequest, "0 to add, 0 to change, 0 to destroy")
	run(0, "ci/drift.sh", "TF_VAR_decrypts=false", "exit code 0")
	w.wantScript("export TF_VAR_decrypts=true TF_VAR_age_identity="+other.Identity+"; "+step(t, "ci/plan.sh"), 1, "identity")

	// A pull request that gives the pipe an existing key plans with a placeholder.
	const values = "environments/production.tfvars"
	w.edit(values, `application = "loader"`, `application = "dashboards"`)
	run(0, "ci/plan.sh", pullRequest, "0 to add, 1 to change, 0 to destroy")
	w.edit(values, `application = "dashboards"`, `application = "loader"`)

	// A change of recipients is no renewal, not even of a key that is due, and the comment has no ciphertext.
	w.File("environments/production.pub", pair.Recipient+"\n"+other.Recipient+"\n")
	run(0, "ci/renew.sh", identity, "No API key is due for renewal.")
	run(0, "ci/plan.sh", pullRequest, "2 to add, 1 to change, 2 to destroy.", `secret_recipients: + "`+other.Recipient+`" # forces replacement`)
	for _, name := range []string{"plan.md", "plan.txt"} {
		wantNoText(t, w.Read(name), "encrypted_key_secret:", "BEGIN AGE ENCRYPTED FILE", "YWdlLWVuY3J5cHRpb24")
	}
	w.expireKeys("terraform.tfstate.d/production/terraform.tfstate")
	run(1, "ci/renew.sh", identity, `Due, and not renewed, because more than the renewal changes.`,
		`this["dashboards"]: secret_recipients module.team.dataplatform_api_key.this["loader"]: secret_recipients exit code`)
	w.wantWrites()
	w.File("environments/production.pub", pair.Recipient+"\n")

	// A renewal delivers the new secret, once nothing else of the pipe is to be changed.
	w.edit("modules/team/main.tf", "= 2000", "= 3000")
	run(1, "ci/renew.sh", identity, "The renewal depends on other changes.")
	w.wantWrites()
	w.edit("modules/team/main.tf", "= 3000", "= 2000")
	run(0, "ci/renew.sh", identity, `dataplatform_api_key.this["loader"]: create, delete`, "2 added, 1 changed, 2 destroyed")
	stored(2)
	w.wantKeys(2, 1)
	run(0, "ci/plan.sh", main, "0 to add, 0 to change, 0 to destroy")
}

// step is the one command of the scenario's workflow with a text.
func step(t *testing.T, text string) string {
	t.Helper()
	pattern := regexp.MustCompile(`(?m)^ +- run: (.*` + regexp.QuoteMeta(text) + ` .*)$`)
	steps := pattern.FindAllStringSubmatch(fileText(t, scenarioDir+"/workflows/environment.yml"), -1)
	if len(steps) != 1 {
		t.Fatalf("%d steps run %s", len(steps), text)
	}
	return steps[0][1]
}
