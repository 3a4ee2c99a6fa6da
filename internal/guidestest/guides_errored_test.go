package guidestest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing/sealingtest"
)

// TestErroredStateIsKept has a backend that rejects the state with the first keys: the job leaves the state to be kept,
// and creates no more keys until it is pushed, as the guide on CI/CD says.
func TestErroredStateIsKept(t *testing.T) {
	w := newScenario(t)
	stored, rejects := []byte(nil), true
	backend := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost && rejects:
			rw.WriteHeader(http.StatusForbidden)
		case r.Method == http.MethodPost:
			stored, _ = io.ReadAll(r.Body)
		default:
			_, _ = rw.Write(stored)
		}
	}))
	t.Cleanup(backend.Close)
	w.File("keys/backend_override.tf", fmt.Sprintf("terraform {\n  backend \"http\" {\n    address = %q\n  }\n}\n", backend.URL))
	// This backend has no workspaces.
	w.edit("keys/variables.tf", "var.environment == terraform.workspace", `var.environment == "production"`)
	w.shell("mkdir bin")
	w.File("bin/terraform", fmt.Sprintf("#!/bin/sh\nexec env -u TF_WORKSPACE %q \"$@\"\n", os.Getenv("TF_ACC_TERRAFORM_PATH")))
	w.shell("chmod +x bin/terraform && PATH=$PWD/bin:$PATH terraform -chdir=keys init")
	pair := sealingtest.X25519(t)
	w.File("keys/environments/production.pub", pair.Recipient+"\n")
	f := &pipeline{workspace: w.setenv("TF_WORKSPACE=production", "GITHUB_REPOSITORY=example/team")}
	run := "PATH=$PWD/bin:$PATH TF_VAR_age_identity=" + pair.Identity

	f.run("keys", run, 1, "errored.tfstate")
	// What the step after that does, which is an action.
	wantText(t, fileText(t, scenarioDir+"/workflows/environment.yml"), "name: \"errored-${{ inputs.environment }}\", path: keys/errored.tfstate")
	w.shell("mkdir artifacts && mv keys/errored.tfstate artifacts/errored-production")
	f.run("keys", run, 1, "Push the state of artifact errored-production")
	w.wantKeys(2, 0)

	rejects = false
	push := chapterOf(t, guide("pipeline"), "Renew API keys").block(t, "state push")
	download, commands, _ := strings.Cut(push.text, "\n")
	wantText(t, download, "gh run download RUN_ID --name errored-production --dir keys")
	commands = strings.ReplaceAll(commands, "terraform -chdir=keys workspace select production\n", "")
	w.shell("cp artifacts/errored-production keys/errored.tfstate; PATH=$PWD/bin:$PATH\n" + commands)
	w.shell("rm -r artifacts")
	f.run("keys", run, 0, "0 added, 0 changed, 0 destroyed")
	w.wantKeys(0, 0)
	wantText(t, w.stored("ingest/production/loader"), w.key("ingest-production-loader").secret)
}
