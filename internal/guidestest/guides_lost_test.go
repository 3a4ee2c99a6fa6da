package guidestest

import (
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

	w.shell("rm " + state + "*")
	apply(next.Identity, "6 added, 0 changed, 0 destroyed")

	w.File(state, old)
	w.edit("keys/environments/staging.tfvars", `loader     = { roles = ["developer"] }`, `loader     = { roles = ["developer"], generation = 2 }`)
	apply(next.Identity, "2 added, 0 changed, 2 destroyed")
	wantText(t, w.shell("TF_VAR_age_identity="+next.Identity+" terraform -chdir=keys apply -auto-approve '-replace=aws_secretsmanager_secret_version.this[\"loader\"]'"), "1 added, 0 changed, 1 destroyed")
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
