package guidestest

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// The scripts of the scenario, as they stand.

const keyBlock = `
resource "dataplatform_api_key" "loader" {
  name  = "orders-loader"
  roles = ["developer"]

  validity_hours      = 90 * 24
  early_renewal_hours = 14 * 24

  lifecycle {
    create_before_destroy = true
  }
}
`

// scripted is a workspace with the scripts, whose configuration is applied.
func scripted(t *testing.T) *workspace {
	t.Helper()
	w := newReader(t)
	needs(t, "Requires Terraform 1.5 or OpenTofu 1.6 or later, and jq.\n")
	w.copies(scenarioDir+"/ci", "ci")
	w.File("service.tf", fmt.Sprintf(`
resource "dataplatform_service_scaling" "events" {
  service_id           = %q
  idle_timeout_minutes = 15
}
`, mockplatform.ServiceID))
	w.File("main.tf", plainProvider+keyBlock)
	w.shell("terraform init && terraform apply -auto-approve")
	w.ResetJournal()
	return w
}

// pipeBlock is a resource block for a pipe of the first service.
func pipeBlock(name, id, arguments string) string {
	return fmt.Sprintf("resource \"dataplatform_pipe\" %q {\n  service_id = %q\n  pipe_id    = %q\n%s}\n", name, mockplatform.ServiceID, id, arguments)
}

// TestPipelineSaysWhyAPlanFailed has what ci/plan.sh prints where a plan cannot be made or must not be
// applied. What several objects have in common is shown once.
func TestPipelineSaysWhyAPlanFailed(t *testing.T) {
	w := scripted(t)
	misspelled := pipeBlock("customers", mockplatform.PostgresPipeID, "  settings = { no_such_setting = 1 }\n")
	for config, says := range map[string]string{
		misspelled: "warning: Object is empty in dataplatform_pipe.customers (other",
		pipeBlock("one", noPipe+"1", "") + pipeBlock("two", noPipe+"2", ""): "pipe.one (other.tf line 3) in dataplatform_pipe.two (other.tf line 7)",
		// A secret that is not set is an empty text in a workflow.
		"variable \"secrets\" { type = map(string) }\n": "error: ",
	} {
		w.File("other.tf", config)
		w.wantScript("TF_VAR_secrets= bash ci/plan.sh", 1, says, "The plan of default failed.")
	}
	w.wantWrites()
}

// noPipe is the ID of no pipe, but for its last digit.
const noPipe = "40000000-0000-4000-8000-00000000dea"

// TestPipelineForgetsDeletedObjects clears the state of a service that was deleted on the platform and then
// removed from the configuration. Terraform's plan has no changes.
func TestPipelineForgetsDeletedObjects(t *testing.T) {
	w := scripted(t).setenv("GITHUB_OUTPUT=output")
	w.RemoveService(mockplatform.ServiceID)
	w.shell("rm service.tf")
	out := w.shell("bash ci/plan.sh")
	wantText(t, out, "warning: The service", "no longer exists", "dataplatform_service_scaling.events: gone from the platform")
	wantNoText(t, out, "keeps its current settings on the platform.") // it may, if it still exists
	wantText(t, w.Read("output"), "changes=true")
	w.shell("terraform apply -input=false tfplan && rm output")
	w.shell("bash ci/plan.sh")
	wantText(t, w.Read("output"), "changes=false")
	w.wantScript("bash ci/drift.sh", 0)
}

// TestPipelineFindsDrift tells drift from a check that failed, and has what an apply hides.
func TestPipelineFindsDrift(t *testing.T) {
	w := scripted(t)
	w.wantScript("DATAPLATFORM_KEY_SECRET=wrong bash ci/drift.sh", 1, "HTTP 401 Unauthorized")

	// What the platform itself changes is no drift.
	w.File("pipe.tf", pipeBlock("orders", mockplatform.KafkaPipeID, ""))
	w.shell("terraform apply -auto-approve")
	w.UpdatePipe(mockplatform.KafkaPipeID, func(doc mockplatform.Document) { doc["state"] = "Paused" })
	w.wantScript("bash ci/drift.sh", 0)

	w.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["idleScaling"] = false })
	const drift = "dataplatform_service_scaling.events: changed outside of Terraform idle_scaling: true -> false"
	w.wantScript("bash ci/drift.sh", 2, drift+" exit code")
	w.edit("service.tf", "= 15", "= 20")
	wantText(t, w.shell("bash ci/plan.sh"),
		"dataplatform_service_scaling.events: update idle_timeout_minutes: 15 -> 20 "+drift+" Plan: 0 to import, 0 to add, 1 to change, 0 to destroy.")
	w.shell("terraform apply -input=false tfplan")
	w.wantScript("bash ci/drift.sh", 0)

	// A value that the plan sets back, or to yet another one, is told with the change.
	w.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["idleTimeoutMinutes"] = 40 })
	wantText(t, w.shell("bash ci/plan.sh"), "idle_timeout_minutes: 40 -> 20 (reverts a change made outside of Terraform) Plan: ")
	w.edit("service.tf", "= 20", "= 30")
	wantText(t, w.shell("bash ci/plan.sh"), "idle_timeout_minutes: 40 -> 30 (also changed outside of Terraform) Plan: ")

	// A program of the script that fails with another code.
	w.shell(`mkdir bin; printf '#!/bin/sh\nexit 2\n' > bin/jq; chmod +x bin/jq`)
	w.wantScript("PATH=$PWD/bin:$PATH bash ci/drift.sh", 1)
}

// TestPipelineRenewsKeysAlone replaces a key that is due, whatever else is to be changed or cannot
// be planned, and leaves a plan that is being reviewed as it is.
func TestPipelineRenewsKeysAlone(t *testing.T) {
	w := scripted(t)
	w.shell("bash ci/plan.sh; cp tfplan reviewed; cp tfplan.json reviewed.json")
	w.edit("service.tf", "= 15", "= 20")
	w.File("other.tf", pipeBlock("gone", noPipe+"1", ""))
	w.expireKeys("terraform.tfstate")
	w.wantScript("mkdir tmp; TMPDIR=$PWD/tmp "+renew, 0, "dataplatform_api_key.loader: create, delete", "1 added, 0 changed, 1 destroyed")
	w.shell("cmp tfplan reviewed; cmp tfplan.json reviewed.json; rmdir tmp")
	for _, script := range []string{"renew", "drift"} { // no text of theirs is a command of the workflow
		w.wantScript("GITHUB_ACTIONS=true bash ci/"+script+".sh | sed -n 1p | grep -cx '::stop-commands::[0-9a-f]\\{32\\}'", 0, "1 exit code")
	}
	w.wantScript(renew, 0, "No API key is due for renewal.")
	w.wantKeys(1, 0)
}

const renew = "bash ci/renew.sh"

// TestPipelineRenewsNothingElse leaves out a key whose replacement would have other arguments, although
// ignore_changes hides them from the plan's reasons, and updates what stores a secret, but neither
// deletes nor replaces it.
func TestPipelineRenewsNothingElse(t *testing.T) {
	w := scripted(t)
	w.File("ci/renew.sh", regexp.MustCompile(`(?m)^stores=.*`).ReplaceAllString(w.Read("ci/renew.sh"), `stores='(.type == "terraform_data")'`))
	w.File("store.tf", "resource \"terraform_data\" \"store\" {\n  input = dataplatform_api_key.loader.key_id\n}\n")
	w.shell("terraform apply -auto-approve")
	w.expireKeys("terraform.tfstate")
	w.wantScript(renew, 0, "dataplatform_api_key.loader: create, delete", "terraform_data.store: update", "1 added, 1 changed, 1 destroyed")
	w.wantKeys(1, 0)

	w.expireKeys("terraform.tfstate")
	const refused = "The renewal depends on other changes. Apply them first: terraform_data.store: "
	w.edit("store.tf", "  input", "  triggers_replace = 1\n  input")
	w.wantScript(renew, 1, refused+"delete, create (-/+)")
	w.shell("rm store.tf")
	w.wantScript(renew, 1, refused+"delete. Nothing is deleted on the platform exit code")

	w.setenv("DATAPLATFORM_ORGANIZATION_ID=" + mockplatform.OtherOrganizationID)
	w.File("moved.tf", "moved {\n  from = dataplatform_api_key.loader\n  to   = dataplatform_api_key.loader[\"##[error]a\"]\n}\n")
	w.edit("main.tf", `"loader" {`, `"loader" {`+"\n  for_each = toset([\"##[error]a\"])\n")
	w.edit("main.tf", `["developer"]`, `["admin"]`)
	w.edit("main.tf", "    create_before", "    ignore_changes        = [roles]\n    create_before")
	w.wantScript(renew, 1, `Due, and not renewed, because more than the renewal changes. Apply these changes: `+
		`dataplatform_api_key.loader["## [error]a"]: organization_id, roles exit code`)
	w.wantWrites()
}

// expireKeys lets a state say that its keys have expired.
func (w *workspace) expireKeys(name string) {
	w.T.Helper()
	state := w.Read(name)
	const expired = `"expire_at": "2026-01-01T00:00:00Z"`
	state = regexp.MustCompile(`"created_at": "[^"]+"(,\s+"early_renewal_hours")`).ReplaceAllString(state, `"created_at": "2025-01-01T00:00:00Z"$1`)
	w.File(name, regexp.MustCompile(`"expire_at": "2[^"]+"`).ReplaceAllString(state, expired))
}

// TestPipelineReplacesItsComment writes the plan as a comment, and replaces its own in a later run. A run
// without a plan says so.
func TestPipelineReplacesItsComment(t *testing.T) {
	w := reviewer(t).setenv("GITHUB_REPOSITORY=acme/platform", "GITHUB_RUN_ID=9", "PULL_REQUEST=7", "TF_WORKSPACE=production")
	w.File("gh", `#!/usr/bin/env bash
case "$*" in
*--jq*) jq -r "${@: -1}" comments.json ;;
*) printf '%s\n' "$@" > request ;;
esac
`)
	comment := func(id int, author, body string) string {
		return fmt.Sprintf(`{"id": %d, "user": {"login": %q}, "body": %q}`, id, author, body)
	}
	const bot, marker = "github-actions[bot]", "<!-- terraform plan of production -->"
	others := comment(100, "ann", "Looks good.") + "," + comment(101, bot, "<!-- terraform plan of staging -->") + "," + comment(102, "mallory", marker)
	for _, row := range []struct{ comments, request string }{
		{others, "--method POST repos/acme/platform/issues/7/comments -F body=@plan.md"},
		{others + "," + comment(103, bot, marker), "--method PATCH repos/acme/platform/issues/comments/103 -F body=@plan.md"},
	} {
		w.File("comments.json", "["+row.comments+"]")
		w.shell(`chmod +x gh; PATH=$PWD:$PATH bash ci/comment.sh`)
		wantText(t, folded(w.Read("request")), row.request)
	}
	wantText(t, w.Read("plan.md"), marker+"There is no plan of production. See the log of run 9.\n")
}

// TestPipelineFiles adds everything to git as a user does: what the scripts need is added,
// and what they write is not. What the workflows end with removes it.
func TestPipelineFiles(t *testing.T) {
	w := scripted(t)
	w.File(".gitignore", fileText(t, filepath.Join(scenarioDir, ".gitignore")))
	w.shell("bash ci/plan.sh; bash ci/drift.sh; touch tfplan.enc plan.md key.txt secrets.json; mkdir -p .tflint.d; touch .tflint.d/schema.json")
	got := w.shell("git init -q .; git add -A; git ls-files -- . ':!.mirror'")
	if want := w.shell("echo .gitignore .terraform.lock.hcl ci/* main.tf service.tf terraform.rc"); got != want {
		t.Errorf("git has\n%s\nwant\n%s", got, want)
	}
	if left := w.shell("git clean -ffdxq; git ls-files --others"); left != "" {
		t.Errorf("these files stay on the runner: %s", left)
	}
}

// TestPipelineSecrets encrypts no plan with an empty passphrase, which is what a secret that
// is not set comes to, and decrypts only the plan with the digest.
func TestPipelineSecrets(t *testing.T) {
	w := newWorkspace(t, "").setenv("PLAN_PASSPHRASE=passphrase", "GITHUB_OUTPUT=output")
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("there is no openssl")
	}
	w.copies(scenarioDir+"/ci", "ci")
	w.File("tfplan", "a plan")
	w.wantScript("PLAN_PASSPHRASE= bash ci/encrypt.sh", 1, "PLAN_PASSPHRASE: is not set")
	w.wantScript("test -e tfplan.enc", 1)

	digest := w.shell("bash ci/encrypt.sh && mv tfplan.enc made && bash ci/encrypt.sh > other && mv tfplan.enc other && rm tfplan")
	wantText(t, w.Read("output"), "digest="+digest+"\n")
	w.setenv("PLAN_DIGEST=" + digest)
	w.wantScript("cp other tfplan.enc && bash ci/decrypt.sh", 1, "tfplan.enc is not the plan that was encrypted.")
	w.wantScript("PLAN_DIGEST= bash ci/decrypt.sh", 1, "is not the plan")
	w.wantScript("test -e tfplan", 1)
	w.wantScript("cp made tfplan.enc && bash ci/decrypt.sh && cat tfplan", 0, "a plan")
}

// TestPipelineMasks has each value of a JSON object hidden, in the form of GitHub's commands.
func TestPipelineMasks(t *testing.T) {
	w := reviewer(t).setenv(`TF_VAR_source_secrets={"a":{"b":["deep"]},"c":1234,"d":null,"e":"","key":"100%\r\nlast"}`)
	if out := w.shell("bash ci/mask.sh"); out != "::add-mask::deep ::add-mask::1234 ::add-mask::100%25%0D%0Alast" {
		t.Errorf("got %q", out)
	}
	w.setenv(`TF_VAR_source_secrets={"orders":"first"} hunter2`)
	wantNoText(t, w.wantScript("bash ci/mask.sh", 1, "TF_VAR_source_secrets is not JSON, so its values cannot be hidden in the log."), "hunter2")
}
