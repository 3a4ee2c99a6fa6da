package guidestest

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

const pipelineWorkflow = examplesDir + "/pipeline/terraform.yml"

// TestPipelineGuide follows the guide on CI/CD, with the tools for misspelled names that
// make tflint has built.
func TestPipelineGuide(t *testing.T) {
	w, p := newReader(t), readPage(t, guide("pipeline"))
	needs(t, p.text)
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("there is no openssl")
	}
	w.copies(examplesDir, "clone/examples")
	clone := p.block(t, "git clone ")
	_, clone.text, _ = strings.Cut(clone.text, "\n")
	lint := p.block(t, "go build -C lint ")
	lint.text = "true\n"
	canLint := w.linters()
	if canLint {
		lint.text = "bash ci/lint.sh\n"
	}
	var shown []string // what later runs print
	p.drop(func(b block) bool {
		if b.language == "text" {
			shown = append(shown, folded(b.text))
		}
		return b.language == "text"
	})
	if len(shown) != 2 {
		t.Fatalf("the guide shows %d outputs, want those of drift and of a misspelled name", len(shown))
	}
	w.follow(p)
	w.wantKeys(1, 1) // and the timeout

	w.UpdateService(mockplatform.FullServiceID, func(doc mockplatform.Document) { doc["maxReplicaMemoryGb"] = 236 })
	w.wantScript("bash ci/drift.sh", 2, shown[0])
	if canLint {
		w.File("pipes.tf", pipeBlock("orders", mockplatform.KafkaPipeID, "\n  settings = {\n    engine_max_thread = 4\n  }\n"))
		w.wantScript("bash ci/lint.sh", 2, shown[1])
	}
}

// TestWorkflowsRunWhatTheGuidesRun wants each command of the guide's workflow in the guide, unless it has a test
// of its own, and each command of the scenario's workflows there or in the guide on modules.
func TestWorkflowsRunWhatTheGuidesRun(t *testing.T) {
	t.Parallel()
	// What the scenario's commands have for its values and secrets.
	values := strings.NewReplacer(` -var-file="environments/$TF_WORKSPACE.tfvars"`, "", " -lock-timeout=5m", "", " -lockfile=readonly", "", "bash ci/mask.sh && ", "",
		`echo "::stop-commands::$(openssl rand -hex 16)" && `, "", "rm -f plan.md && ", "")
	tested := []string{"bash ci/comment.sh", "git clean -ffdxq"}
	run := regexp.MustCompile(`(?m)^ +(?:- )?run: (.*)$`)
	commands, text := values.Replace(fileText(t, pipelineWorkflow)), fileText(t, guide("pipeline"))
	for _, command := range run.FindAllStringSubmatch(commands, -1) {
		if of := command[1]; !slices.Contains(tested, of) && !strings.HasPrefix(of, "printf") && !strings.Contains(text, of) {
			t.Errorf("the workflow runs %q, and the guide does not", of)
		}
	}
	for _, name := range []string{"terraform.yml", "environment.yml"} {
		workflow := values.Replace(fileText(t, filepath.Join(scenarioDir, "workflows", name)))
		for _, command := range run.FindAllStringSubmatch(workflow, -1) {
			wantText(t, commands+text+fileText(t, guide("offline")), command[1])
		}
	}
}
