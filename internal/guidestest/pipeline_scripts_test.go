package guidestest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// The scripts of the scenario, as they stand.

const scriptedConfig = `
terraform {
  required_providers {
    dataplatform = { source = "dataplatform/dataplatform" }
  }
}

resource "dataplatform_service_scaling" "events" {
  service_id           = %q
  idle_timeout_minutes = 15
}

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
func (f *fixture) scripted() *workspace {
	f.t.Helper()
	skipIfReaderCannot(f.t, "Requires Terraform 1.5 or OpenTofu 1.6 or later, and jq.\n")
	w := f.reader()
	w.copies("ci")
	w.File("main.tf", fmt.Sprintf(scriptedConfig, mockplatform.ServiceID))
	w.shell("terraform init && terraform apply -auto-approve")
	f.ResetJournal()
	return w
}

// copies puts a directory of the scenario into the workspace.
func (w *workspace) copies(name string) {
	w.t.Helper()
	if err := os.CopyFS(filepath.Join(w.Dir, name), os.DirFS(filepath.Join(examplesDir, "scenario", name))); err != nil {
		w.t.Fatal(err)
	}
}

// wantScript runs a script, and expects its exit code and texts of its output.
func (w *workspace) wantScript(command string, code int, texts ...string) string {
	w.t.Helper()
	out := w.shell(fmt.Sprintf("code=0; %s 2>&1 || code=$?; echo; echo exit code $code", command))
	wantText(w.t, out, append(texts, fmt.Sprintf("exit code %d", code))...)
	return out
}

// wantList runs ci/plan.sh, and expects exactly these lines.
func (w *workspace) wantList(lines ...string) {
	w.t.Helper()
	if got, want := strings.TrimSpace(w.shell("bash ci/plan.sh")), folded(strings.Join(lines, "\n")); got != want {
		w.t.Errorf("ci/plan.sh printed\n%s\nwant\n%s", got, want)
	}
}

// TestPipelinePlans has what ci/plan.sh lists, and what it does where a plan cannot be made
// or must not be applied.
func TestPipelinePlans(t *testing.T) {
	f := newFixture(t)
	w := f.scripted()
	w.setenv("GITHUB_OUTPUT=output")
	w.wantList("Plan: 0 to import, 0 to add, 0 to change, 0 to destroy.")
	wantText(t, w.Read("output"), "changes=false")

	// One value of a nested object, elements of sets, sensitive values; nothing else.
	w.File("pipe.tf", fmt.Sprintf(`
import {
  to = dataplatform_pipe.customers
  id = "%[1]s/%[2]s"
}

resource "dataplatform_pipe" "customers" {
  service_id = %[1]q
  pipe_id    = %[2]q

  settings = {
    streaming_max_insert_wait_ms = 2000
  }
}
`, mockplatform.ServiceID, mockplatform.PostgresPipeID))
	w.wantList(
		"dataplatform_pipe.customers: update",
		"settings.streaming_max_insert_wait_ms: 5000 -> 2000",
		"Plan: 1 to import, 0 to add, 1 to change, 0 to destroy.")
	wantText(t, w.Read("output"), "changes=true")
	w.shell("terraform apply -input=false tfplan")

	w.edit("main.tf", `roles = ["developer"]`, `roles = ["admin", "developer"]`+"\n"+`  hash_data = { key_id_hash = "hash-of-a-key" }`)
	out := w.shell("bash ci/plan.sh")
	wantText(t, out, `roles: + "admin"`, "hash_data.key_id_hash: (sensitive)", `warning: API key "orders-loader"`, "in dataplatform_api_key.loader", "on main.tf line")
	wantNoText(t, out, "hash-of-a-key", "validity_hours", "name:")
	w.edit("main.tf", `roles = ["admin", "developer"]`+"\n"+`  hash_data = { key_id_hash = "hash-of-a-key" }`, `roles = ["developer"]`)

	// An object of misspelled names.
	w.edit("pipe.tf", "streaming_max_insert_wait_ms", "streaming_max_insert_wait_mss")
	w.wantScript("bash ci/plan.sh", 1, "warning: Object is empty", "on pipe.tf line", "in dataplatform_pipe.customers", "Correct the objects above.")
	w.edit("pipe.tf", "streaming_max_insert_wait_mss", "streaming_max_insert_wait_ms")

	// Errors of several objects are shown once, with the IDs of one.
	w.File("other.tf", fmt.Sprintf("resource \"dataplatform_pipe\" \"orders\" {\n  service_id = %q\n  pipe_id    = %q\n}\n", mockplatform.ServiceID, mockplatform.KafkaPipeID))
	f.Inject(mockplatform.Fault{Method: "GET", Path: "/pipes/", Status: 403, Times: mockplatform.Always})
	out = w.wantScript("bash ci/plan.sh", 1, "in dataplatform_pipe.customers in dataplatform_pipe.orders Tried to read pipe ", "HTTP 403")
	if strings.Count(out, "HTTP 403") != 1 {
		t.Errorf("an error of two pipes is shown twice:\n%s", out)
	}
	f.ClearFaults()
	w.File("other.tf", "")

	// Wrong credentials, a configuration that is wrong, and a secret that is not set, which
	// is an empty text in a workflow.
	w.wantScript("DATAPLATFORM_KEY_SECRET=wrong bash ci/plan.sh", 1, "error: ")
	w.File("wrong.tf", "resource \"dataplatform_pipe\" \"none\" {\n}\n")
	w.wantScript("bash ci/plan.sh", 1, "error: Missing required argument", "on wrong.tf line 1")
	w.wantScript("bash ci/plan.sh -no-such-option", 1)

	// An error of several objects is shown once.
	wrong := func(name string) string {
		return fmt.Sprintf("resource \"dataplatform_service_scaling\" %q {\n  service_id   = %q\n  num_replicas = 0\n}\n", name, mockplatform.ServiceID)
	}
	w.File("wrong.tf", wrong("one")+wrong("two"))
	w.wantScript("bash ci/plan.sh", 1, "on wrong.tf line 3 on wrong.tf line 7 in dataplatform_service_scaling.one in dataplatform_service_scaling.two num_replicas must be between 1 and 20, got 0.")

	w.File("wrong.tf", "variable \"source_secrets\" {\n  type    = map(string)\n  default = {}\n}\n")
	w.wantScript("TF_VAR_source_secrets= bash ci/plan.sh", 1, "error: ")
	w.wantScript("TF_VAR_source_secrets='{}' bash ci/plan.sh", 0)
	f.wantWrites(`{"settings":{"streaming_max_insert_wait_ms":2000}}`)
}

// TestPipelineReplacement has the list of a key's replacement: what forces it, and what is
// known only after apply. An argument that leaves the configuration is shown.
func TestPipelineReplacement(t *testing.T) {
	f := newFixture(t)
	w := f.scripted()
	const list = "  ip_access_list = [{ source = \"192.0.2.10\" }, { source = \"192.0.2.11\" }]\n"
	w.edit("main.tf", "  validity_hours ", list+"  validity_hours ")
	w.shell("terraform apply -auto-approve")
	w.edit("main.tf", list, "")
	out := w.shell("bash ci/plan.sh")
	_, out, _ = strings.Cut(out, "dataplatform_api_key.loader: create, delete ")
	wantText(t, out, `ip_access_list: [{"description":null,"source":"192.0.2.10"},{"description":null,"source":"192.0.2.11"}] -> null # forces replacement`)
	if !regexp.MustCompile(`^expire_at: "[^"]+" -> \(known after apply\) ip_access_list`).MatchString(out) {
		t.Errorf("the list does not begin with the expiry:\n%s", out)
	}
	w.edit("main.tf", "  validity_hours ", strings.Replace(list, `"192.0.2.11"`, "terraform_data.address.output", 1)+"  validity_hours ")
	w.File("address.tf", "resource \"terraform_data\" \"address\" {\n  input = \"192.0.2.12\"\n}\n")
	wantText(t, w.shell("bash ci/plan.sh"), "a part of it known after apply # forces replacement")
}

// TestPipelineGone clears the state of a service that was deleted on the platform and then
// removed from the configuration. Terraform's plan has no changes.
func TestPipelineGone(t *testing.T) {
	f := newFixture(t)
	w := f.scripted()
	w.setenv("GITHUB_OUTPUT=output")
	f.RemoveService(mockplatform.ServiceID)
	config := w.Read("main.tf")
	before, after, _ := strings.Cut(config, "resource \"dataplatform_service_scaling\"")
	_, after, _ = strings.Cut(after, "\n}\n")
	w.File("main.tf", before+after)
	wantText(t, w.shell("bash ci/plan.sh"), "warning: The service", "is gone", "dataplatform_service_scaling.events: delete")
	wantText(t, w.Read("output"), "changes=true")
	w.shell("terraform apply -input=false tfplan && rm output")
	w.wantList("Plan: 0 to import, 0 to add, 0 to change, 0 to destroy.")
	wantText(t, w.Read("output"), "changes=false")
	w.wantScript("bash ci/drift.sh", 0)
}

// TestPipelineStalePlans applies a saved plan again after an apply that failed: it is
// stale as soon as that has stored anything, be it what the plan has read. A new plan
// contains what is still to do.
func TestPipelineStalePlans(t *testing.T) {
	f := newFixture(t)
	w := f.scripted()
	f.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["idleScaling"] = false })
	w.edit("main.tf", "idle_timeout_minutes = 15", "idle_timeout_minutes = 20")
	w.shell("bash ci/plan.sh")
	const apply = "terraform apply -input=false tfplan"
	w.wantScript("DATAPLATFORM_KEY_SECRET=wrong "+apply, 1, "HTTP 401 Unauthorized")
	f.wantWrites()
	w.wantScript(apply, 1, "Saved plan is stale")
	w.wantList(
		"dataplatform_service_scaling.events: update",
		"idle_timeout_minutes: 15 -> 20",
		"Plan: 0 to import, 0 to add, 1 to change, 0 to destroy.")
	w.shell(apply)
	w.wantScript(apply, 1, "Saved plan is stale")
	f.wantWrites(`{"idleTimeoutMinutes":20}`)

	// One of two changes succeeds.
	w.edit("main.tf", "idle_timeout_minutes = 20", "idle_timeout_minutes = 25")
	w.edit("main.tf", `"orders-loader"`, `"loader"`)
	w.shell("bash ci/plan.sh")
	f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, Status: 400})
	w.wantScript(apply, 1, "HTTP 400")
	w.wantScript(apply, 1, "Saved plan is stale")
	out := w.shell("bash ci/plan.sh")
	wantText(t, out, `name: "orders-loader" -> "loader"`)
	wantNoText(t, out, "idle_timeout_minutes")
	w.shell(apply)
	w.WantEmptyPlan()
}

// TestPipelineDrift tells drift from a check that failed, and has what an apply hides.
func TestPipelineDrift(t *testing.T) {
	f := newFixture(t)
	w := f.scripted()
	w.wantScript("bash ci/drift.sh", 0)
	w.wantScript("DATAPLATFORM_KEY_SECRET=wrong bash ci/drift.sh", 1, "HTTP 401 Unauthorized")

	// What the platform itself changes is no drift.
	w.File("pipe.tf", fmt.Sprintf("resource \"dataplatform_pipe\" \"orders\" {\n  service_id = %q\n  pipe_id    = %q\n}\n", mockplatform.ServiceID, mockplatform.KafkaPipeID))
	w.shell("terraform apply -auto-approve")
	f.UpdatePipe(mockplatform.KafkaPipeID, func(doc mockplatform.Document) { doc["state"] = "Paused" })
	w.wantScript("bash ci/drift.sh", 0)

	f.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["idleScaling"] = false })
	drift := []string{"dataplatform_service_scaling.events: update", "idle_scaling: true -> false"}
	w.wantScript("bash ci/drift.sh", 2, "These objects have changed outside of Terraform: "+strings.Join(drift, " ")+" exit code")
	w.edit("main.tf", "idle_timeout_minutes = 15", "idle_timeout_minutes = 20")
	w.wantList(append([]string{
		"dataplatform_service_scaling.events: update",
		"idle_timeout_minutes: 15 -> 20",
		"Plan: 0 to import, 0 to add, 1 to change, 0 to destroy.",
		"Changed outside of Terraform since the last apply:",
	}, drift...)...)
	w.shell("terraform apply -input=false tfplan")
	w.wantScript("bash ci/drift.sh", 0)

	// A program of the script that fails with another code.
	w.shell(`mkdir bin; printf '#!/bin/sh\nexit 2\n' > bin/jq; chmod +x bin/jq`)
	w.wantScript("PATH=$PWD/bin:$PATH bash ci/drift.sh", 1)
}

// TestPipelineRenewal replaces a key that is due, whatever else is to be changed or cannot
// be planned.
func TestPipelineRenewal(t *testing.T) {
	f := newFixture(t)
	w := f.scripted()
	w.wantScript("bash ci/renew.sh", 0, "No API key is due for renewal.")
	w.edit("main.tf", "idle_timeout_minutes = 15", "idle_timeout_minutes = 20")
	w.File("other.tf", fmt.Sprintf("resource \"dataplatform_pipe\" \"gone\" {\n  service_id = %q\n  pipe_id    = \"40000000-0000-4000-8000-00000000dead\"\n}\n", mockplatform.ServiceID))
	w.wantScript("bash ci/plan.sh", 1)
	w.expireKeys()
	w.wantScript("bash ci/renew.sh", 0, "dataplatform_api_key.loader: create, delete", "1 added, 0 changed, 1 destroyed")
	if len(f.RequestsOf(mockplatform.CreateKey)) != 1 || len(f.writes()) != 1 {
		t.Errorf("want one key and nothing else, got\n%s", strings.Join(f.writes(), "\n"))
	}
	w.wantScript("bash ci/renew.sh", 0, "No API key is due for renewal.")

	// A change that somebody made is no renewal, and a renewal that needs another change
	// waits for it.
	f.ResetJournal()
	w.edit("main.tf", `roles = ["developer"]`, `roles = ["query_endpoints"]`)
	w.wantScript("bash ci/renew.sh", 0, "No API key is due for renewal.")
	w.edit("main.tf", `roles = ["query_endpoints"]`, `roles = ["developer"]`+"\n  depends_on = [dataplatform_service_scaling.events]")
	w.expireKeys()
	w.wantScript("bash ci/renew.sh", 1, "The renewal depends on other changes.")
	f.wantWrites()
	w.wantScript("DATAPLATFORM_KEY_SECRET=wrong bash ci/renew.sh", 1)

	// A resource that stores the secret may change with the key.
	w.edit("ci/renew.sh", "stores='[]'", `stores='["terraform_data"]'`)
	w.edit("main.tf", "idle_timeout_minutes = 20", "idle_timeout_minutes = 15")
	w.File("other.tf", "resource \"terraform_data\" \"store\" {\n  input = dataplatform_api_key.loader.id\n}\n")
	w.shell("terraform apply -auto-approve")
	w.wantScript("bash ci/renew.sh", 0, "No API key is due for renewal.")
	w.expireKeys()
	w.wantScript("bash ci/renew.sh", 0, "terraform_data.store: update", "1 added, 1 changed, 1 destroyed")
	w.WantEmptyPlan()
}

// TestPipelineComment writes the plan as a comment, and replaces it in a later run.
func TestPipelineComment(t *testing.T) {
	f := newFixture(t)
	w := f.reader()
	w.copies("ci")
	w.File("plan.txt", "Plan: 0 to import\n")
	// The comments of a pull request: one of somebody else, one of staging and, from the
	// second run on, one of production.
	w.File("gh", `#!/usr/bin/env bash
case "$*" in
*--jq*) jq -r "${@: -1}" comments.json ;;
*) printf '%s\n' "$@" >> requests ;;
esac
`)
	comments := func(bodies ...string) {
		all := make([]map[string]any, len(bodies))
		for i, body := range bodies {
			all[i] = map[string]any{"id": 100 + i, "body": body}
		}
		content, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		w.File("comments.json", string(content))
	}
	w.setenv("GITHUB_REPOSITORY=acme/platform", "PULL_REQUEST=7", "TF_WORKSPACE=production")
	const run = `chmod +x gh; PATH=$PWD:$PATH bash ci/comment.sh`
	comments("Looks good.", "<!-- terraform plan of staging -->\nplan")
	w.shell(run)
	wantText(t, folded(w.Read("requests")), "--method POST repos/acme/platform/issues/7/comments -F body=@plan.md")
	wantText(t, w.Read("plan.md"), "<!-- terraform plan of production -->", "Plan: 0 to import")
	comments("Looks good.", w.Read("plan.md"))
	w.shell("rm requests; " + run)
	wantText(t, folded(w.Read("requests")), "--method PATCH repos/acme/platform/issues/comments/101 -F body=@plan.md")
}

// TestPipelineFiles adds everything to git as a user does: what the scripts need is added,
// and what they write is not.
func TestPipelineFiles(t *testing.T) {
	f := newFixture(t)
	w := f.scripted()
	w.File(".gitignore", fileText(t, filepath.Join(examplesDir, "scenario", ".gitignore")))
	w.shell("bash ci/plan.sh; bash ci/drift.sh; touch tfplan.enc plan.md; mkdir -p .tflint.d; touch .tflint.d/schema.json")
	added := strings.Fields(w.shell("git init -q .; git add -A; git ls-files"))
	for _, name := range added {
		switch {
		case name == ".gitignore", name == ".terraform.lock.hcl", name == "main.tf", name == "terraform.rc", strings.HasPrefix(name, "ci/"), strings.HasPrefix(name, ".mirror/"):
		default:
			t.Errorf("git has %s", name)
		}
	}
	for _, name := range []string{"changes.jq", "comment.sh", "drift.sh", "lint.sh", "only-imports.sh", "plan.sh", "renew.sh"} {
		wantText(t, strings.Join(added, "\n"), "ci/"+name)
	}
}

// TestPipelineSecrets has what a secret that is not set does.
func TestPipelineSecrets(t *testing.T) {
	t.Parallel()
	content := fileText(t, filepath.Join(examplesDir, "scenario", "workflows", "environment.yml"))
	wantText(t, content, "TF_VAR_source_secrets: ${{ secrets.SOURCE_SECRETS || '{}' }}")
	_, command, _ := strings.Cut(content, "- run: test -n")
	command, _, _ = strings.Cut("test -n"+command, "\n")
	f := &fixture{t: t}
	w := &workspace{f, &terraformtest.Workspace{T: t, Dir: t.TempDir(), Env: os.Environ()}}
	w.File("tfplan", "a plan")
	w.wantScript("PLAN_PASSPHRASE= && export PLAN_PASSPHRASE && "+command, 1)
	if _, err := os.Stat(filepath.Join(w.Dir, "tfplan.enc")); err == nil {
		t.Error("the plan was encrypted with an empty passphrase")
	}
}
