// Package demo has the demo's script, which `make demo` runs.
package demo

import (
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

// TestDemo runs the script in a directory like a clone: it tells its story, draws the
// picture of README.md, and leaves nothing behind.
func TestDemo(t *testing.T) {
	t.Parallel()
	terraform, err := exec.LookPath(cmp.Or(os.Getenv("TF_ACC_TERRAFORM_PATH"), "terraform"))
	if err != nil {
		t.Skip("needs terraform on PATH, or the path of a terraform or tofu in TF_ACC_TERRAFORM_PATH")
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
	var minor int
	if _, err := fmt.Sscanf(version.Terraform, "1.%d", &minor); err != nil || minor < 5 {
		t.Skipf("needs version 1.5, and this is %s", version.Terraform)
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	dir, temporary := t.TempDir(), t.TempDir()
	if err := os.Symlink(filepath.Join(abs, "examples"), filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "bin")+"/", ".", "./internal/cmd/mockplatform", "./internal/cmd/picture")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := func(args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), filepath.Join(abs, "internal", "cmd", "demo", "demo.sh"), append([]string{terraform}, args...)...)
		command.Dir = dir
		command.Env = append(os.Environ(), "TMPDIR="+temporary, "TF_CLI_ARGS=-nonsense")
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if left, err := filepath.Glob(filepath.Join(temporary, "dataplatform-*")); err != nil || len(left) > 0 {
			t.Errorf("the demo left %v behind (%v)", left, err)
		}
		return string(out)
	}
	rest := run()
	const (
		events = "PATCH …/services/20000000-0000-4000-8000-000000000001/scaling\n      "
		ledger = "PATCH …/services/20000000-0000-4000-8000-000000000003/scaling\n      "
		none   = "Requests:\n  none\n"
	)
	// Each after the one before. What is sent is among them, and what is not.
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
	run("README.svg")
	page, err := os.ReadFile(root + "/README.md") // its plan is tested against a real one
	if err != nil {
		t.Fatal(err)
	}
	want := changesIn(string(page))
	for _, directory := range []string{dir, root} {
		picture, err := os.ReadFile(filepath.Join(directory, "README.svg"))
		if err != nil {
			t.Fatal(err)
		}
		if got := changesIn(plainText(t, picture)); len(want) < 3 || !slices.Equal(got, want) {
			t.Errorf("%s/README.svg shows %q, and README.md %q: run make picture, and look at it", directory, got, want)
		}
	}
}

// plainText returns what a picture says, one line for each text.
func plainText(t *testing.T, picture []byte) string {
	t.Helper()
	var out strings.Builder
	decoder := xml.NewDecoder(bytes.NewReader(picture))
	for {
		token, err := decoder.Token()
		switch token := token.(type) {
		case xml.CharData:
			out.Write(token)
		case xml.StartElement:
			if token.Name.Local == "text" {
				out.WriteByte('\n')
			}
		}
		if errors.Is(err, io.EOF) {
			return out.String()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// changesIn returns what a plan says of values and of numbers of objects. Spaces, colors
// and the other lines differ between versions of Terraform.
func changesIn(plan string) []string {
	var changes []string
	for line := range strings.Lines(plan) {
		words := strings.Fields(line)
		if len(words) > 0 && (words[0] == "Plan:" || slices.Contains(words, "->")) {
			changes = append(changes, strings.Join(words, " "))
		}
	}
	return changes
}
