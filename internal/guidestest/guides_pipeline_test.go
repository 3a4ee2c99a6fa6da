package guidestest

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// TestPipelineGuide follows the guide on CI/CD, with the tools for misspelled names that make tflint has
// built, and then runs the jobs of its workflow that have secrets.
func TestPipelineGuide(t *testing.T) {
	w, p := newReader(t), readPage(t, guide("pipeline"))
	needs(t, p.text)
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("there is no openssl")
	}
	w.copies(examplesDir, "clone/examples")
	w.File("versions.tf", fileText(t, examplesDir+"/resources/dataplatform_service_scaling/versions.tf"))
	w.File("main.tf", keyBlock+fmt.Sprintf(`
import {
  to = dataplatform_service_scaling.ledger
  id = %[1]q
}

resource "dataplatform_service_scaling" "ledger" {
  service_id           = %[1]q
  idle_timeout_minutes = 45
}
`, mockplatform.FullServiceID))
	clone := p.block(t, "git clone ")
	_, clone.text, _ = strings.Cut(clone.text, "\n")
	p.insert(t, "bash ci/plan.sh", "terraform init\n")
	lint := p.block(t, "go build -C lint ")
	lint.text = "true\n"
	canLint := w.linters()
	if canLint {
		lint.text = "bash ci/lint.sh\n"
	}
	var shown []string // the diagram, and what later runs print
	p.drop(func(b block) bool {
		if b.language == "text" {
			shown = append(shown, folded(b.text))
		}
		return b.language == "text"
	})
	if len(shown) != 3 {
		t.Fatalf("the guide shows %d texts, want the diagram and the outputs of drift and of a misspelled name", len(shown))
	}
	w.follow(p)
	w.wantWrites()

	w.setenv("PLAN_PASSPHRASE=passphrase", "GITHUB_OUTPUT=output")
	_, jobs, _ := strings.Cut(fileText(t, examplesDir+"/pipeline/terraform.yml"), "\n  renew:\n")
	for _, step := range regexp.MustCompile(`(?m)^ +- run: (.*)$`).FindAllStringSubmatch(jobs, -1) {
		switch command := step[1]; command {
		case "bash ci/comment.sh", "git clean -ffdxq": // other tests have them
		case "bash ci/encrypt.sh":
			w.setenv("PLAN_DIGEST=" + w.shell(command)).shell("rm tfplan tfplan.json")
		default:
			w.shell(command)
		}
	}
	w.wantKeys(1, 1) // and the timeout
	w.shell("mv .terraform.lock.hcl lock; rm -r .terraform")
	w.wantScript("terraform init -input=false -lockfile=readonly", 1, "lock file")
	w.shell("mv lock .terraform.lock.hcl; terraform init")

	w.UpdateService(mockplatform.FullServiceID, func(doc mockplatform.Document) { doc["maxReplicaMemoryGb"] = 236 })
	w.wantScript("bash ci/drift.sh", 2, shown[1])
	if canLint {
		w.File("pipes.tf", pipeBlock("orders", mockplatform.KafkaPipeID, "\n  settings = {\n    engine_max_thread = 4\n  }\n"))
		w.wantScript("bash ci/lint.sh", 2, shown[2])
	}
}
