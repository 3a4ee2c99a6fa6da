// Package demo has the demo's script, which `make demo` runs.
package demo

import (
	"errors"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	// go test does not know what the built provider is made of, and would return a cached result.
	_ "github.com/dataplatform/terraform-provider-dataplatform/internal/provider"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

func TestMain(m *testing.M) {
	terraformtest.Isolate("TF_", "DATAPLATFORM_")
	os.Exit(m.Run())
}

// demo runs the script in a directory like a clone.
type demo struct {
	*testing.T
	dir, script string
}

func newDemo(t *testing.T) *demo {
	t.Helper()
	if program := terraformtest.ProgramUnder(t); program.OlderThan("1.5", "1.5") {
		t.Skipf("needs version 1.5, and this is %s", program)
	}
	root, err := filepath.Abs("../../..")
	d := &demo{t, t.TempDir(), filepath.Join(root, "internal", "cmd", "demo", "demo.sh")}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(d.dir, "bin")+"/", ".", "./internal/cmd/mockplatform", "./internal/cmd/picture")
	build.Dir = root
	out, errBuild := build.CombinedOutput()
	if err := errors.Join(err, errBuild, os.Symlink(filepath.Join(root, "examples"), filepath.Join(d.dir, "examples"))); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return d
}

func (d *demo) run(args ...string) string {
	d.Helper()
	temporary := d.TempDir()
	command := exec.CommandContext(d.Context(), d.script, append([]string{os.Getenv("TF_ACC_TERRAFORM_PATH")}, args...)...)
	command.Dir = d.dir
	command.Env = append(os.Environ(), "TMPDIR="+temporary, "TF_CLI_ARGS=-nonsense")
	out, err := command.CombinedOutput()
	if err != nil {
		d.Fatalf("%v\n%s", err, out)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		d.Errorf("the demo left %v behind (%v)", left, err)
	}
	return string(out)
}

// TestDemo runs the script: it tells its story, draws the picture of README.md, and leaves
// nothing behind.
func TestDemo(t *testing.T) {
	t.Parallel()
	d := newDemo(t)
	rest := d.run()
	const events, ledger = "20000000-0000-4000-8000-000000000001", "20000000-0000-4000-8000-000000000003"
	sent := func(service, body string) string {
		return "PATCH …/services/" + service + "/scaling\n      " + body + "\n"
	}
	sealed, destroyed := []string{`"key_secret": "`}, "4 destroyed."
	if _, err := exec.LookPath("ssh-keygen"); err == nil && !terraformtest.ProgramUnder(t).OlderThan("1.11", "1.11") {
		sealed, destroyed = append(sealed, "━━━ Keep its secret out of the state ━━━", "2 added, 0 changed, 1 destroyed.", `"encrypted_key_secret": "-----BEGIN AGE ENCRYPTED FILE-----`, `"key_secret": null`), "5 destroyed."
	}
	// Each after the one before. What is sent is among them, and what is not.
	for _, text := range slices.Concat([]string{
		"━━━ 1. ", "num_replicas          = 3 -> 4", "2 imported, 0 added, 2 changed, 0 destroyed.",
		sent(events, `{"idleTimeoutMinutes":30,"numReplicas":4}`),
		"━━━ 2. ", "1 added, 0 changed, 0 destroyed.", sent(ledger, `{"idleScaling":true,"numReplicas":3}`),
		"━━━ 3. ", "1 added, 0 changed, 0 destroyed.", "POST  …/keys\n", `"name":"sensor-loader"`,
	}, sealed, []string{
		"━━━ 4. ", "num_replicas          = 2 -> 4", "0 added, 1 changed, 0 destroyed.", sent(events, `{"numReplicas":4}`), "No changes.",
		"━━━ 5. ", "without changing any real infrastructure",
		"━━━ 6. ", destroyed, "Requests:\n  none\n",
		"━━━ 7. ", `"idleScaling": false`, `"idleTimeoutMinutes": 30`, `"numReplicas": 4`, `"name": "sensor-loader"`,
	}) {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Fatalf("%q is missing in\n%s", text, rest)
		}
		rest = after
	}
	d.run("README.svg")
	want := changesIn(t, "../../../README.md") // its plan is tested against a real one
	for _, directory := range []string{d.dir, "../../.."} {
		if got := changesIn(t, filepath.Join(directory, "README.svg")); len(want) < 3 || !slices.Equal(got, want) {
			t.Errorf("%s/README.svg shows %q, and README.md %q: run make picture, and look at it", directory, got, want)
		}
	}
}

var (
	lineOfPicture = regexp.MustCompile(`<text[^>]*>`)
	otherTag      = regexp.MustCompile(`<[^>]*>`)
)

// changesIn returns what a page or a picture of a plan says of values and of numbers of objects.
// Spaces, colors and the other lines differ between versions of Terraform.
func changesIn(t *testing.T, name string) (changes []string) {
	t.Helper()
	plan, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text := otherTag.ReplaceAllString(lineOfPicture.ReplaceAllString(string(plan), "\n"), "")
	for line := range strings.Lines(html.UnescapeString(text)) {
		words := strings.Fields(line)
		if len(words) > 0 && (words[0] == "Plan:" || slices.Contains(words, "->")) {
			changes = append(changes, strings.Join(words, " "))
		}
	}
	return changes
}
