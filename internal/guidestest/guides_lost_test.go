package guidestest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing/sealingtest"
)

// TestLostStateAndIdentity does what the guide says after a state, an identity, and a copy of a state: the store
// has a secret that the platform knows, each time.
func TestLostStateAndIdentity(t *testing.T) {
	w := newScenario(t).in("staging")
	const state = "keys/terraform.tfstate.d/staging/terraform.tfstate"
	apply := func(identity, text string) {
		t.Helper()
		wantText(t, w.shell("TF_VAR_age_identity="+identity+" terraform -chdir=keys apply -auto-approve"), text)
		loaders := w.keys("ingest-staging-loader")
		wantText(t, w.stored("ingest/staging/loader"), loaders[len(loaders)-1].secret)
	}
	pair, next := sealingtest.X25519(t), sealingtest.X25519(t)
	w.File("keys/environments/staging.pub", pair.Recipient+"\n")
	w.shell("terraform -chdir=keys init")
	apply(pair.Identity, "6 added, 0 changed, 0 destroyed")

	w.File("keys/environments/staging.pub", next.Recipient+"\n")
	apply(next.Identity, "4 added, 0 changed, 4 destroyed")

	old := w.Read(state)
	w.expireKeys(state)
	aged := w.Read(state)
	apply(next.Identity, "4 added, 0 changed, 4 destroyed")
	w.File(state, aged) // a copy of the time before the renewal
	apply(next.Identity, "4 added, 0 changed, 4 destroyed")

	// A copy of the time before a key was replaced on demand has the one that the page told to revoke, and plans nothing.
	copied := w.Read(state)
	const replace = `terraform -chdir=keys apply -auto-approve '-replace=dataplatform_api_key.this["loader"]'`
	w.shell("TF_VAR_age_identity=" + next.Identity + " " + replace)
	w.File(state, copied)
	wantText(t, w.shell("TF_VAR_age_identity="+next.Identity+" terraform -chdir=keys plan"), "No changes.")
	wantText(t, w.shell("TF_VAR_age_identity="+next.Identity+" "+replace), "2 added, 0 changed, 2 destroyed")
	wantText(t, w.stored("ingest/staging/loader"), w.keys("ingest-staging-loader")[5].secret)

	w.shell("rm " + state + "*")
	apply(next.Identity, "6 added, 0 changed, 0 destroyed")

	w.File(state, old)
	w.edit("keys/environments/staging.tfvars", `loader     = { roles = ["developer"] }`, `loader     = { roles = ["developer"], generation = 2 }`)
	apply(next.Identity, "2 added, 0 changed, 2 destroyed")
	wantText(t, w.shell("TF_VAR_age_identity="+next.Identity+" terraform -chdir=keys apply -auto-approve '-replace=aws_secretsmanager_secret_version.this[\"loader\"]'"), "1 added, 0 changed, 1 destroyed")
}

// TestOlderCopyOfCredentials has a copy of the time before a password was changed: the apply sends it once more.
func TestOlderCopyOfCredentials(t *testing.T) {
	const credentials = `variable "password" {
  type      = string
  default   = null
  ephemeral = true
}
`
	pipe := pipeBlock("orders", mockplatform.KafkaPipeID, "  source_credentials = { kafka = { username = \"u\", password_wo = var.password, password_wo_version = 1 } }\n")
	skipIfTooOld(t, pipe)
	w := newWorkspace(t, plainProvider+credentials+pipe)
	const set = "TF_VAR_password=second "
	w.shell(set + "terraform apply -auto-approve")
	old := w.Read("terraform.tfstate")
	w.edit("main.tf", "version = 1", "version = 2")
	w.shell(set + "terraform apply -auto-approve")
	w.ResetJournal()
	w.File("terraform.tfstate", old)
	w.wantScript("terraform plan", 1, "Credential missing")
	w.shell(set + "terraform apply -auto-approve")
	w.wantWrites(`{"source":{"kafka":{"credentials":{"password":"second","username":"u"}}}}`)
}

// TestLostConfiguration has nothing left but the state, from which the guide writes the configuration again.
func TestLostConfiguration(t *testing.T) {
	needs(t, "Requires Terraform 1.10 or later.")
	key := fileText(t, examplesDir+"/resources/dataplatform_api_key/resource.tf")
	w := newWorkspace(t, plainProvider+pipeBlock("orders", mockplatform.KafkaPipeID, "")+key)
	w.Apply()
	w.ResetJournal()
	w.File("main.tf", plainProvider)
	wantText(t, w.PlanText(), "0 to add, 0 to change, 2 to destroy.")
	w.shell("mkdir other")
	w.File("other/main.tf", plainProvider+fmt.Sprintf("import {\n  to       = dataplatform_pipe.orders\n  id       = %q\n  provider = dataplatform\n}\n", mockplatform.ServiceID+"/"+mockplatform.KafkaPipeID))
	w.shell("terraform -chdir=other plan -generate-config-out=generated.tf && mv other/generated.tf .")
	w.File("key.tf", key)
	w.WantEmptyPlan()
	w.wantWrites()
}

// TestLostPipe has a pipe that is gone, and one with another ID in its place.
func TestLostPipe(t *testing.T) {
	const id = "40000000-0000-4000-8000-000000000009"
	imported := func(id string) string {
		return plainProvider + pipeBlock("orders", id, "  settings = { engine_max_threads = 16 }\n") +
			"import {\n  to = dataplatform_pipe.orders\n  id = \"" + mockplatform.ServiceID + "/" + id + "\"\n}\n"
	}
	w := newWorkspace(t, imported(mockplatform.KafkaPipeID))
	w.Apply()
	pipe := w.Pipe(mockplatform.KafkaPipeID)
	w.Console().ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodDelete, "/console/pipes/"+mockplatform.KafkaPipeID, nil))
	out, _ := w.Terraform("plan", "-input=false")
	wantText(t, out, "no longer exists", "No such pipe")
	pipe["id"] = id
	w.SetPipe(pipe)
	w.shell("terraform state rm dataplatform_pipe.orders")
	w.File("main.tf", strings.ReplaceAll(imported(id), "= 16", "= 4"))
	wantText(t, w.Apply(), "engine_max_threads = 16 -> 4", "1 imported, 0 added, 1 changed, 0 destroyed")
	w.WantEmptyPlan()
}
