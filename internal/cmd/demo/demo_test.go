// Package demo has the demo's script, which `make demo` runs.
package demo

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../../.."

// run runs the script in a directory like a clone, and checks that it leaves
// nothing behind. It skips the test under a Terraform older than 1.minor.
func run(t *testing.T, minor int, args ...string) (dir, output string) {
	t.Helper()
	terraform, err := exec.LookPath(cmp.Or(os.Getenv("TF_ACC_TERRAFORM_PATH"), "terraform"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), terraform, "version", "-json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var version struct {
		Terraform string `json:"terraform_version"`
	}
	if err := json.Unmarshal(out, &version); err != nil {
		t.Fatal(err)
	}
	var have int
	if _, err := fmt.Sscanf(version.Terraform, "1.%d", &have); err != nil || have < minor {
		t.Skipf("needs version 1.%d, and this is %s", minor, version.Terraform)
	}

	dir = t.TempDir()
	abs, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(abs, "examples"), filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "bin")+"/", ".", "./internal/cmd/mockplatform", "./internal/cmd/picture")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	script, err := filepath.Abs("demo.sh")
	if err != nil {
		t.Fatal(err)
	}
	temporary := t.TempDir()
	command := exec.CommandContext(t.Context(), script, append([]string{terraform}, args...)...)
	command.Dir, command.Env = dir, append(os.Environ(), "TMPDIR="+temporary, "TF_CLI_ARGS=-nonsense")
	out, err = command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if left, err := filepath.Glob(filepath.Join(temporary, "dataplatform-*")); err != nil || len(left) > 0 {
		t.Errorf("the demo left %v behind (%v)", left, err)
	}
	return dir, string(out)
}

// TestDemo finds these texts, each after the one before. What is sent is among
// them, and what is not.
func TestDemo(t *testing.T) {
	t.Parallel()
	_, rest := run(t, 5)
	const (
		events = "PATCH …/services/20000000-0000-4000-8000-000000000001/scaling\n      "
		ledger = "PATCH …/services/20000000-0000-4000-8000-000000000003/scaling\n      "
		none   = "Requests:\n  none\n"
	)
	for _, text := range []string{
		"━━━ 1. Import ━━━\n", "num_replicas          = 3 -> 4", "Plan: 2 to import, 0 to add, 2 to change, 0 to destroy.", "Requests:\n  GET   …/services",
		"2 imported, 0 added, 2 changed, 0 destroyed.", events + `{"idleTimeoutMinutes":30,"numReplicas":4}` + "\n",
		"━━━ 2. Adopt ", "num_replicas", "1 added, 0 changed, 0 destroyed.", ledger + `{"idleScaling":true,"numReplicas":3}` + "\n",
		"━━━ 3. Create ", "1 added, 0 changed, 0 destroyed.", `POST  …/keys` + "\n" + `      {`, `"name":"sensor-loader"`,
		"━━━ 4. Drift ", "num_replicas          = 2 -> 4", "Plan: 0 to add, 1 to change, 0 to destroy.",
		"0 added, 1 changed, 0 destroyed.", events + `{"numReplicas":4}` + "\n", "No changes.",
		"━━━ 5. Read ", "without changing any real infrastructure",
		"━━━ 6. Destroy ", "Plan: 0 to add, 0 to change, 4 to destroy.", "Revoke it in", "4 destroyed.", none,
		"━━━ 7. ", `"idleScaling": false`, `"idleTimeoutMinutes": 30`, `"numReplicas": 4`, `"name": "sensor-loader"`,
	} {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Fatalf("%q is missing in\n%s", text, rest)
		}
		rest = after
	}
}

// TestPicture draws the picture again, under the versions that are known to draw
// the same one.
func TestPicture(t *testing.T) {
	t.Parallel()
	dir, _ := run(t, 11, "README.svg")
	drawn, err := os.ReadFile(filepath.Join(dir, "README.svg"))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(root + "/README.svg")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(drawn, kept) {
		t.Error("README.svg is stale: run make picture, and look at it")
	}
}
