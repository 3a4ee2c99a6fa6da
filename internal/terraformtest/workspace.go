package terraformtest

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
)

// PlainProvider is what each configuration needs.
const PlainProvider = `
terraform {
  required_providers {
    dataplatform = { source = "dataplatform/dataplatform" }
  }
}
`

// Isolate makes the outcome of tests independent of what the shell has set: variables with
// these prefixes do not reach them. Terraform is taken from PATH, or from
// TF_ACC_TERRAFORM_PATH.
func Isolate(prefixes ...string) {
	terraform := cmp.Or(os.Getenv("TF_ACC_TERRAFORM_PATH"), "terraform")
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		for _, prefix := range prefixes {
			if strings.HasPrefix(name, prefix) {
				_ = os.Unsetenv(name)
			}
		}
	}
	if path, err := exec.LookPath(terraform); err == nil {
		_ = os.Setenv("TF_ACC_TERRAFORM_PATH", path)
	}
	_ = os.Setenv("TF_CLI_CONFIG_FILE", os.DevNull) // keeps Terraform from reading that of the home directory
	_ = os.Setenv("CHECKPOINT_DISABLE", "1")
}

// builtDir is the directory with the provider as a program, once build has made it.
var builtDir string

var build = sync.OnceValue(func() (err error) {
	if builtDir, err = os.MkdirTemp("", "dataplatform-provider-"); err != nil {
		return err
	}
	program := filepath.Join(builtDir, "terraform-provider-dataplatform")
	out, err := exec.CommandContext(context.Background(), "go", "build", "-o", program, "../..").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
})

// Built returns the directory with the provider as a program.
func Built(t *testing.T) string {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	return builtDir
}

// Run runs all tests, removes the program, and ends. Most of what runs is a terraform that ends before its memory matters.
func Run(tests func() int) {
	_ = os.Setenv("GOGC", "400")
	debug.SetGCPercent(400)
	code := tests()
	if builtDir != "" {
		_ = os.RemoveAll(builtDir)
	}
	os.Exit(code)
}

// Workspace is a directory in which a real Terraform runs the built provider, for what only
// a person sees: warnings, error texts, logs.
type Workspace struct {
	T   *testing.T
	Dir string
	Env []string
}

// NewWorkspace skips the test if the configuration needs a newer program than runs.
func NewWorkspace(t *testing.T, config string) *Workspace {
	t.Helper()
	NeedTerraform(t)
	SkipIfTooOld(t, config)
	w := &Workspace{T: t, Dir: t.TempDir()}
	w.File("terraform.rc", fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"dataplatform/dataplatform\" = %q\n  }\n  direct {}\n}\n", Built(t)))
	w.File("main.tf", config)
	w.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+filepath.Join(w.Dir, "terraform.rc"), "TF_IN_AUTOMATION=1")
	return w
}

// File writes a file. A test of a newer program is skipped where it begins, since a skip in
// its middle would hide what it has found out by then.
func (w *Workspace) File(name, content string) {
	w.T.Helper()
	if needs, old := tooOld(w.T, content); old {
		w.T.Fatalf("%s needs %s: call SkipIfTooOld where the test begins", name, needs)
	}
	if err := os.WriteFile(filepath.Join(w.Dir, name), []byte(content), 0o600); err != nil {
		w.T.Fatal(err)
	}
}

// Read returns the content of a file that must be there.
func (w *Workspace) Read(name string) string {
	w.T.Helper()
	return FileText(w.T, filepath.Join(w.Dir, name))
}

// Unzipped is all that stands in a zip file, as a plan is one: what is searched for in the file itself is never found.
func (w *Workspace) Unzipped(name string) string {
	w.T.Helper()
	files, err := zip.OpenReader(filepath.Join(w.Dir, name))
	if err != nil {
		w.T.Fatal(err)
	}
	defer files.Close() //nolint:errcheck // it is only read
	var all strings.Builder
	for _, file := range files.File {
		content, err := fs.ReadFile(files, file.Name)
		if err != nil {
			w.T.Fatal(err)
		}
		all.Write(content)
	}
	return all.String()
}

// FileText is the content of a file that must be there.
func FileText(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// Command is Terraform with these arguments.
func (w *Workspace) Command(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, os.Getenv("TF_ACC_TERRAFORM_PATH"), args...)
	command.Dir = w.Dir
	command.Env = w.Env
	return command
}

// Terraform runs one command and returns its output, folded, and whether it succeeded.
func (w *Workspace) Terraform(args ...string) (string, bool) {
	w.T.Helper()
	out, err := w.Command(context.Background(), append(args, "-no-color")...).CombinedOutput()
	text := Folded(string(out))
	w.CheckRun(text, err)
	return text, err == nil
}

// providersFault is what Terraform writes where a provider breaks its rules or
// ends. A test that expects some error would take it for the one it expects.
var providersFault = regexp.MustCompile(`Provider produced|Provider returned invalid|error in the provider|bug in the provider|` +
	`Plugin did not respond|plugin crashed|panic: `)

// CheckRun fails where Terraform didn't run, or blames the provider.
func (w *Workspace) CheckRun(out string, err error) {
	w.T.Helper()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		w.T.Fatalf("terraform did not run: %v", err)
	}
	if fault := providersFault.FindStringIndex(out); fault != nil {
		w.T.Errorf("the provider takes the blame: %s", out[max(0, fault[0]-200):min(len(out), fault[1]+500)])
	}
}

// Apply ends the test if it fails.
func (w *Workspace) Apply(args ...string) string {
	w.T.Helper()
	return w.succeed("apply failed", append([]string{"apply", "-auto-approve", "-input=false"}, args...)...)
}

// PlanText is what a person sees of a plan.
func (w *Workspace) PlanText(args ...string) string {
	w.T.Helper()
	return w.succeed("plan failed", append([]string{"plan", "-input=false"}, args...)...)
}

// WantEmptyPlan fails unless a plan finds nothing to do.
func (w *Workspace) WantEmptyPlan() {
	w.T.Helper()
	w.succeed("the plan is not empty", "plan", "-detailed-exitcode", "-input=false")
}

func (w *Workspace) succeed(otherwise string, args ...string) string {
	w.T.Helper()
	out, ok := w.Terraform(args...)
	if !ok {
		w.T.Fatalf("%s:\n%s", otherwise, out)
	}
	return out
}

// States are the addresses in the state.
func (w *Workspace) States() []string {
	w.T.Helper()
	out, err := w.Command(w.T.Context(), "state", "list").Output()
	if err != nil {
		w.T.Fatal(err)
	}
	return strings.Fields(string(out))
}

// Folded is an output with single spaces, so that a sentence is found wherever Terraform
// breaks it. Terraform's own notice about development overrides is taken out: it holds the
// word "Warning".
func Folded(out string) string {
	if begin := strings.Index(out, "Warning: Provider development overrides"); begin >= 0 {
		if end := strings.Index(out[begin:], "published\nreleases."); end >= 0 {
			out = out[:begin] + out[begin+end+len("published\nreleases."):]
		}
	}
	return strings.Join(strings.FieldsFunc(out, func(r rune) bool { return r == ' ' || r == '\n' || r == '│' || r == '╷' || r == '╵' }), " ")
}

// WantText fails unless the output has each of these texts. An empty text would always pass, so it is
// an error of the test.
func WantText(t *testing.T, out string, texts ...string) {
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

// WantNoText fails if the output has one of these texts. An empty output would always pass, so it is
// an error of the test.
func WantNoText(t *testing.T, out string, texts ...string) {
	t.Helper()
	if len(texts) == 0 || strings.TrimSpace(out) == "" {
		t.Error("the test looks for no text, or in none")
	}
	for _, text := range texts {
		if strings.Contains(out, text) {
			t.Errorf("%q in\n%s", text, out)
		}
	}
}
