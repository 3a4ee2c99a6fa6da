package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// TestMain makes the outcome of the tests independent of what the shell has set, and
// nothing has to be set to run them: terraform is taken from PATH, or from
// TF_ACC_TERRAFORM_PATH. Under TF_ACC, only the acceptance tests run, on the organization
// that the shell's DATAPLATFORM_* variables name.
func TestMain(m *testing.M) {
	terraform := cmp.Or(os.Getenv("TF_ACC_TERRAFORM_PATH"), "terraform")
	organization := os.Getenv(resource.EnvTfAcc) != ""
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "TF_") || strings.HasPrefix(name, "DATAPLATFORM_") && !organization {
			_ = os.Unsetenv(name)
		}
	}
	if path, err := exec.LookPath(terraform); err == nil {
		_ = os.Setenv("TF_ACC_TERRAFORM_PATH", path)
	}
	_ = os.Setenv("TF_CLI_CONFIG_FILE", os.DevNull) // keeps Terraform from reading that of the home directory
	_ = os.Setenv("CHECKPOINT_DISABLE", "1")
	// terraform-plugin-testing asks for these. What the acceptance tests may touch is
	// decided here and in newPlatform.
	_ = os.Setenv(resource.EnvTfAcc, "1")
	_ = os.Setenv(resource.EnvTfAccProviderNamespace, "dataplatform")
	if program, err := programUnderTest(); err == nil && program.openTofu {
		_ = os.Setenv(resource.EnvTfAccProviderHost, "registry.opentofu.org")
	}
	// Most of what runs is a terraform that ends before its memory matters.
	_ = os.Setenv("GOGC", "400")
	debug.SetGCPercent(400)
	var code int
	if organization {
		code = runOnOrganization(m)
	} else {
		code = m.Run()
	}
	if builtDir != "" {
		_ = os.RemoveAll(builtDir)
	}
	os.Exit(code)
}

// needTerraform skips a test where there is no terraform.
func needTerraform(t *testing.T) {
	t.Helper()
	if os.Getenv("TF_ACC_TERRAFORM_PATH") == "" {
		t.Skip("needs terraform on PATH, or the path of a terraform or tofu in TF_ACC_TERRAFORM_PATH; make test fetches one")
	}
}

// fixture is one test's own platform, and the provider before it.
type fixture struct {
	t *testing.T
	*mockplatform.Server
	url     string
	now     func() time.Time
	random  func() float64 // of waits
	network *mockplatform.Memory
}

// newFixture starts a platform that the test shares with no other.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	return newFixtureOf(t, mockplatform.DefaultSeed())
}

// newFixtureOf starts a platform with a seed of the test's own.
func newFixtureOf(t *testing.T, seed mockplatform.Seed) *fixture {
	t.Helper()
	if run != nil {
		t.Skip("runs on a fake platform alone, with make test")
	}
	t.Parallel()
	return startFixture(t, seed)
}

func startFixture(t *testing.T, seed mockplatform.Seed) *fixture {
	t.Helper()
	platform := mockplatform.New(seed)
	server := httptest.NewServer(platform)
	t.Cleanup(server.Close)
	return &fixture{t: t, Server: platform, url: server.URL, now: time.Now}
}

// inBubble runs a test with a platform in memory, in the time of a synctest bubble, for
// played resources: time passes when nothing else happens, and waits cost none.
func inBubble(test func(t *testing.T, f *fixture)) func(t *testing.T) {
	return func(t *testing.T) {
		t.Helper()
		if run != nil {
			t.Skip("runs on a fake platform alone, with make test")
		}
		synctest.Test(t, func(t *testing.T) {
			f := &fixture{t: t, Server: mockplatform.New(mockplatform.DefaultSeed()), url: "http://127.0.0.1", now: time.Now, network: new(mockplatform.Memory)}
			stop := f.network.Start(f.Server)
			t.Cleanup(func() { stop(); synctest.Wait() })
			test(t, f)
		})
	}
}

// waitFor waits for what another process does, for up to a minute.
func waitFor(t *testing.T, what string, seen func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !seen(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a minute has passed without " + what)
		}
	}
}

// provider is the provider block, with further arguments.
func (f *fixture) provider(arguments ...string) string {
	return fmt.Sprintf(`
terraform {
  required_providers {
    dataplatform = { source = "dataplatform/dataplatform" }
  }
}
provider "dataplatform" {
  base_url            = %q
  organization_id     = %q
  key_id              = "demo-key-id"
  key_secret          = "demo-key-secret"
  alerts_base_url     = %q
  alerts_access_token = "demo-alerts-token"
  %s
}
`, f.url, mockplatform.OrganizationID, f.url, strings.Join(arguments, "\n  "))
}

// writes are the bodies of the requests so far that change something, by
// method and the last elements of the path.
func (f *fixture) writes() []string {
	var bodies []string
	for _, r := range f.Requests() {
		if r.Method != "GET" {
			bodies = append(bodies, r.Body)
		}
	}
	return bodies
}

// wantWrites compares the bodies of all writes since the journal was reset,
// as JSON, and resets it.
func (f *fixture) wantWrites(want ...string) {
	f.t.Helper()
	got := f.writes()
	f.ResetJournal()
	f.wantBodies(got, want)
}

func (f *fixture) wantBodies(got, want []string) {
	f.t.Helper()
	if len(got) != len(want) {
		f.t.Errorf("got %d writes, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
		return
	}
	for i := range want {
		if !sameJSON(f.t, got[i], want[i]) {
			f.t.Errorf("write %d is\n%s\nwant\n%s", i, got[i], want[i])
		}
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	return normalJSON(t, a) == normalJSON(t, b)
}

func normalJSON(t *testing.T, text string) string {
	t.Helper()
	return toJSON(t, fromJSON(t, text))
}

// workspace is a folder in which the real terraform runs the built provider,
// for what only a person sees: warnings, error texts, logs.
type workspace struct {
	*fixture
	dir string
	env []string
}

var (
	buildOnce sync.Once
	builtDir  string
	errBuild  error
)

// built is the folder with the provider as a program.
func built(t *testing.T) string {
	t.Helper()
	buildOnce.Do(func() {
		if builtDir, errBuild = os.MkdirTemp("", "dataplatform-provider-"); errBuild != nil {
			return
		}
		build := exec.CommandContext(context.Background(), "go", "build", "-o", filepath.Join(builtDir, "terraform-provider-dataplatform"), "../..")
		if out, err := build.CombinedOutput(); err != nil {
			errBuild = fmt.Errorf("%w: %s", err, out)
		}
	})
	if errBuild != nil {
		t.Fatal(errBuild)
	}
	return builtDir
}

// workspace skips the test if the configuration needs a newer program than runs.
func (f *fixture) workspace(config string) *workspace {
	f.t.Helper()
	needTerraform(f.t)
	skipIfTooOld(f.t, config)
	w := &workspace{fixture: f, dir: f.t.TempDir()}
	rc := filepath.Join(w.dir, "terraform.rc")
	w.file("terraform.rc", fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"dataplatform/dataplatform\" = %q\n  }\n  direct {}\n}\n", built(f.t)))
	w.file("main.tf", config)
	w.env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+rc, "TF_IN_AUTOMATION=1")
	return w
}

// file writes a file. A test of a newer program is skipped where it begins, since a skip in
// its middle would hide what it has found out by then.
func (w *workspace) file(name, content string) {
	w.t.Helper()
	if needs, tooOld := tooOldFor(w.t, content); tooOld {
		w.t.Fatalf("%s needs %s: call skipIfTooOld where the test begins", name, needs)
	}
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workspace) command(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, os.Getenv("TF_ACC_TERRAFORM_PATH"), args...)
	command.Dir = w.dir
	command.Env = w.env
	return command
}

// terraform runs one command and returns its output, folded to single spaces
// so that a sentence is found wherever Terraform breaks it, and whether it
// succeeded. Terraform's own notice about development overrides is taken out:
// it holds the word "Warning".
func (w *workspace) terraform(args ...string) (string, bool) {
	w.t.Helper()
	out, err := w.command(context.Background(), append(args, "-no-color")...).CombinedOutput()
	text := folded(string(out))
	w.checkRun(text, err)
	return text, err == nil
}

// providersFault is what Terraform writes where a provider breaks its rules or
// ends. A test that expects some error would take it for the one it expects.
var providersFault = regexp.MustCompile(`Provider produced|Provider returned invalid|error in the provider|bug in the provider|Plugin did not respond|plugin crashed|panic: `)

// checkRun fails where terraform didn't run, or blames the provider.
func (w *workspace) checkRun(out string, err error) {
	w.t.Helper()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("terraform did not run: %v", err)
	}
	if fault := providersFault.FindStringIndex(out); fault != nil {
		w.t.Errorf("the provider takes the blame: %s", out[max(0, fault[0]-200):min(len(out), fault[1]+500)])
	}
}

func folded(out string) string {
	if begin := strings.Index(out, "Warning: Provider development overrides"); begin >= 0 {
		if end := strings.Index(out[begin:], "published\nreleases."); end >= 0 {
			out = out[:begin] + out[begin+end+len("published\nreleases."):]
		}
	}
	return strings.Join(strings.FieldsFunc(out, func(r rune) bool { return r == ' ' || r == '\n' || r == '│' || r == '╷' || r == '╵' }), " ")
}

func (w *workspace) apply(args ...string) string {
	w.t.Helper()
	out, ok := w.terraform(append([]string{"apply", "-auto-approve", "-input=false"}, args...)...)
	if !ok {
		w.t.Fatalf("apply failed:\n%s", out)
	}
	return out
}

// wantEmptyPlan fails unless a plan finds nothing to do.
func (w *workspace) wantEmptyPlan() {
	w.t.Helper()
	out, ok := w.terraform("plan", "-detailed-exitcode", "-input=false")
	if !ok {
		w.t.Fatalf("the plan is not empty:\n%s", out)
	}
}

// wantText fails unless the output has each of these texts. An empty one is in
// every output, so it is an error of the test's.
func wantText(t *testing.T, out string, texts ...string) {
	t.Helper()
	if len(texts) == 0 {
		t.Error("the test looks for no text")
	}
	for _, text := range texts {
		switch {
		case strings.TrimSpace(text) == "":
			t.Error("the test looks for an empty text, which is in every output")
		case !strings.Contains(out, text):
			t.Errorf("no %q in\n%s", text, out)
		}
	}
}
