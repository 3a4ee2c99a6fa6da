package provider

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// The guide with its scripts, which are files of the scenario.
const pipelineGuide = "../../docs/guides/pipeline.md"

// TestPipelineGuide follows the guide on a pipeline, then what its scripts say of a
// sensitive value, of drift and of a key that is due.
func TestPipelineGuide(t *testing.T) {
	content, err := os.ReadFile(pipelineGuide)
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t)
	skipIfReaderCannot(t, string(content))
	needsMocks(t)
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("there is no openssl")
	}
	w := f.reader()
	w.follow(readPage(t, pipelineGuide))
	if got := len(f.writes()); got != 2 { // the timeout and the key
		t.Errorf("%d writes, want 2:\n%s", got, strings.Join(f.writes(), "\n"))
	}

	// Each command of the workflow is one that was run above, or prepares for it.
	for _, run := range regexp.MustCompile(`(?m)^ +- run: (.*)$`).FindAllStringSubmatch(string(content), -1) {
		if count := strings.Count(strings.ReplaceAll(string(content), " -lock-timeout=5m", ""), strings.ReplaceAll(run[1], " -lock-timeout=5m", "")); count < 2 {
			t.Errorf("the workflow runs %q, and the guide does not", run[1])
		}
	}

	w.edit("services.tf", `roles = ["developer"]`, `roles = ["query_endpoints"]`+"\n"+`  hash_data = { key_id_hash = "hash-of-a-key" }`)
	out := w.shell("GITHUB_OUTPUT=output bash ci/plan.sh; cat output; ! bash ci/only-imports.sh")
	wantText(t, out, "changes=true approval=production", "dataplatform_api_key.loader: create, delete", `roles: ["developer"] -> ["query_endpoints"]`, "hash_data: (sensitive)", "API key \"orders-loader\"")
	wantNoText(t, out, "hash-of-a-key")
	w.edit("services.tf", `roles = ["query_endpoints"]`+"\n"+`  hash_data = { key_id_hash = "hash-of-a-key" }`, `roles = ["developer"]`)

	f.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["idleScaling"] = false })
	wantText(t, w.shell("! bash ci/drift.sh"), "These objects have changed outside of Terraform", "idle_scaling: true -> false")

	w.expireKeys()
	wantText(t, w.shell("GITHUB_OUTPUT=output bash ci/plan.sh > plan.log; cat output"), "changes=true approval=renewal")
}

// expireKeys lets the state say that its keys have expired.
func (w *workspace) expireKeys() {
	w.t.Helper()
	name := filepath.Join(w.dir, "terraform.tfstate")
	content, err := os.ReadFile(name)
	if err != nil {
		w.t.Fatal(err)
	}
	changed := regexp.MustCompile(`"expire_at": "[^"]+"`).ReplaceAllString(string(content), `"expire_at": "2026-01-01T00:00:00Z"`)
	if changed == string(content) || !json.Valid([]byte(changed)) {
		w.t.Fatal("the state has no key")
	}
	w.file("terraform.tfstate", changed)
}

// needsMocks skips a test of mock_provider where there is none.
func needsMocks(t *testing.T) {
	t.Helper()
	program := programUnder(t)
	if least := map[bool]string{false: "1.7", true: "1.8"}[program.openTofu]; older(program.version, least) {
		t.Skipf("mock_provider takes %s, and this is %s", least, program)
	}
}

// TestGettingStarted follows the guide from an empty directory to its last plan.
func TestGettingStarted(t *testing.T) {
	f := newFixture(t)
	w := f.reader().setenv("TF_CLI_ARGS_apply=-auto-approve")
	w.follow(readPage(t, "../../templates/guides/getting-started.md"))
	if got := f.writes(); len(got) != 3 || len(f.RequestsOf(mockplatform.CreateKey)) != 1 {
		t.Errorf("want the replicas, the threads and a key, got\n%s", strings.Join(got, "\n"))
	}
	w.wantEmptyPlan()
}
