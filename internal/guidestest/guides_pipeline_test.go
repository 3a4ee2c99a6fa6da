package guidestest

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

const pipelineGuide = "../../docs/guides/pipeline.md"

// TestPipelineGuide follows the guide on CI/CD, with the tools for misspelled names that
// make tflint has built.
func TestPipelineGuide(t *testing.T) {
	content := fileText(t, pipelineGuide)
	f := newFixture(t)
	skipIfReaderCannot(t, content)
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("there is no openssl")
	}
	w := f.reader()
	p := readPage(t, pipelineGuide)
	const build, lint = `go build -C lint -o "$PWD/.tflint.d/" . github.com/terraform-linters/tflint` + "\n", "bash ci/lint.sh\n"
	linted, canLint := false, w.linters()
	scenario, err := filepath.Abs(filepath.Join(examplesDir, "scenario"))
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range p.blocks {
		if clone, rest, _ := strings.Cut(b.text, "\n"); strings.HasPrefix(clone, "git clone ") {
			p.blocks[i].text = fmt.Sprintf("mkdir -p clone/examples && cp -R %q clone/examples\n%s", scenario, rest)
		}
		if b.text == build+lint {
			linted = true
			p.blocks[i].text = lint
			if !canLint {
				p.blocks[i].text = "true\n"
			}
		}
	}
	if !linted {
		t.Error("the guide does not build the linters")
	}
	var shown []string // what later runs print
	p.blocks = slices.DeleteFunc(p.blocks, func(b block) bool {
		if b.language == "text" {
			shown = append(shown, folded(b.text))
		}
		return b.language == "text"
	})
	w.follow(p)
	if got := len(f.writes()); got != 2 { // the timeout and the key
		t.Errorf("%d writes, want 2:\n%s", got, strings.Join(f.writes(), "\n"))
	}

	f.UpdateService(mockplatform.FullServiceID, func(doc mockplatform.Document) { doc["maxReplicaMemoryGb"] = 236 })
	if len(shown) != 2 {
		t.Fatalf("the guide shows %d outputs, want 2", len(shown))
	}
	w.wantScript("bash ci/drift.sh", 2, shown[0])
	if canLint {
		w.File("pipes.tf", fmt.Sprintf("resource \"dataplatform_pipe\" \"orders\" {\n  service_id = %q\n  pipe_id    = %q\n\n  settings = {\n    engine_max_thread = 4\n  }\n}\n", mockplatform.ServiceID, mockplatform.KafkaPipeID))
		w.wantScript("bash ci/lint.sh", 2, shown[1])
	}

	// Each command of the workflow is one that was run above, prepares for it, or has a
	// test of its own.
	run := regexp.MustCompile(`(?m)^ +(?:- )?run: (.*)$`)
	text := strings.ReplaceAll(content, " -lock-timeout=5m", "")
	for _, command := range run.FindAllStringSubmatch(text, -1) {
		of := command[1]
		if strings.Count(text, of) <= strings.Count(text, "run: "+of) && of != "bash ci/comment.sh" && !strings.HasPrefix(of, "printf") {
			t.Errorf("the workflow runs %q, and the guide does not", of)
		}
	}

	// The scenario's workflows run the same commands, with its values.
	values := strings.NewReplacer(` -var-file="environments/$TF_WORKSPACE.tfvars"`, "", " -lock-timeout=5m", "")
	for _, name := range []string{"terraform.yml", "environment.yml"} {
		workflow := fileText(t, filepath.Join(examplesDir, "scenario", "workflows", name))
		for _, command := range run.FindAllStringSubmatch(values.Replace(workflow), -1) {
			wantText(t, text, command[1])
		}
	}
}

// expireKeys lets the state say that its keys have expired.
func (w *workspace) expireKeys() {
	w.t.Helper()
	name := filepath.Join(w.Dir, "terraform.tfstate")
	content := fileText(w.t, name)
	changed := regexp.MustCompile(`"expire_at": "[^"]+"`).ReplaceAllString(content, `"expire_at": "2026-01-01T00:00:00Z"`)
	if changed == content || !json.Valid([]byte(changed)) {
		w.t.Fatal("the state has no key")
	}
	w.File("terraform.tfstate", changed)
}

// TestGettingStarted follows the guide from an empty directory to its last plan.
func TestGettingStarted(t *testing.T) {
	f := newFixture(t)
	w := f.reader().setenv("TF_CLI_ARGS_apply=-auto-approve")
	w.follow(readPage(t, "../../templates/guides/getting-started.md"))
	if got := f.writes(); len(got) != 3 || len(f.RequestsOf(mockplatform.CreateKey)) != 1 {
		t.Errorf("want the replicas, the threads and a key, got\n%s", strings.Join(got, "\n"))
	}
	w.WantEmptyPlan()
}
