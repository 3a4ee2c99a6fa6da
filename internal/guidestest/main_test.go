// Package guidestest does what a reader of the documentation does, with a real Terraform,
// the built provider and the fake platform. An example, a snippet or a command that stops
// working fails its test.
package guidestest

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	// go test does not know what the built provider is made of, and would return a cached result.
	_ "github.com/dataplatform/terraform-provider-dataplatform/internal/provider"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

func TestMain(m *testing.M) {
	terraformtest.Isolate("TF_", "DATAPLATFORM_")
	terraformtest.Run(m.Run)
}

var (
	fileText     = terraformtest.FileText
	folded       = terraformtest.Folded
	programUnder = terraformtest.ProgramUnder
	skipIfTooOld = terraformtest.SkipIfTooOld
	wantText     = terraformtest.WantText
	wantNoText   = terraformtest.WantNoText
)

const plainProvider = terraformtest.PlainProvider

// workspace is a directory before a platform of the test's own. The settings of the
// provider are in the environment, as the documentation shows them.
type workspace struct {
	*terraformtest.Workspace
	*mockplatform.Server
	url string // of the platform
}

// newWorkspace needs no `terraform init`.
func newWorkspace(t *testing.T, config string) *workspace {
	t.Helper()
	t.Parallel()
	platform := mockplatform.New(mockplatform.DefaultSeed())
	server := httptest.NewServer(platform)
	t.Cleanup(server.Close)
	return (&workspace{terraformtest.NewWorkspace(t, config), platform, server.URL}).setenv(
		"DATAPLATFORM_BASE_URL="+server.URL,
		"DATAPLATFORM_ORGANIZATION_ID="+mockplatform.OrganizationID,
		"DATAPLATFORM_KEY_ID=demo-key-id",
		"DATAPLATFORM_KEY_SECRET=demo-key-secret",
		"DATAPLATFORM_ALERTS_BASE_URL="+server.URL,
		"DATAPLATFORM_ALERTS_ACCESS_TOKEN=demo-alerts-token",
		"DATAPLATFORM_RETRY_TIMEOUT=5s",
	)
}

// newReader has the provider installed as from a registry, so that `terraform init` works,
// and is needed.
func newReader(t *testing.T) *workspace {
	t.Helper()
	w := newWorkspace(t, "")
	mirror := filepath.Join(w.Dir, ".mirror")
	directory := filepath.Join(mirror, programUnder(t).RegistryHost(), "dataplatform", "dataplatform", "0.1.0", runtime.GOOS+"_"+runtime.GOARCH)
	const program = "terraform-provider-dataplatform"
	if err := errors.Join(
		os.MkdirAll(directory, 0o700),
		os.Symlink(filepath.Join(terraformtest.Built(t), program), filepath.Join(directory, program+"_v0.1.0")),
		os.Remove(filepath.Join(w.Dir, "main.tf")),
	); err != nil {
		t.Fatal(err)
	}
	w.File("terraform.rc", fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirror))
	return w
}

var buildStore sync.Once

// withStore installs a stand-in for the AWS provider, whose secrets are files of the directory
// secrets of the workspace.
func (w *workspace) withStore() *workspace {
	w.T.Helper()
	dir := terraformtest.Built(w.T)
	const program = "terraform-provider-aws"
	buildStore.Do(func() {
		if out, err := exec.CommandContext(w.T.Context(), "go", "build", "-o", filepath.Join(dir, program), "./aws").CombinedOutput(); err != nil {
			w.T.Fatalf("%v: %s", err, out)
		}
	})
	mirror := filepath.Join(w.Dir, ".mirror", programUnder(w.T).RegistryHost(), "hashicorp", "aws", "6.0.0", runtime.GOOS+"_"+runtime.GOARCH)
	if err := errors.Join(
		os.MkdirAll(mirror, 0o700),
		os.Mkdir(filepath.Join(w.Dir, "secrets"), 0o700),
		os.Symlink(filepath.Join(dir, program), filepath.Join(mirror, program+"_v6.0.0")),
	); err != nil {
		w.T.Fatal(err)
	}
	if settings := w.Read("terraform.rc"); strings.Contains(settings, "dev_overrides {") {
		w.File("terraform.rc", strings.Replace(settings, "dev_overrides {", fmt.Sprintf("dev_overrides {\n    \"hashicorp/aws\" = %q", dir), 1))
	}
	return w.setenv("SECRETS_DIRECTORY=" + filepath.Join(w.Dir, "secrets"))
}

// stored is the content of a secret, or empty.
func (w *workspace) stored(name string) string {
	content, _ := os.ReadFile(filepath.Join(w.Dir, "secrets", "arn:"+strings.ReplaceAll(name, "/", "-")))
	return string(content)
}

// setenv adds variables to those of what the workspace runs.
func (w *workspace) setenv(variables ...string) *workspace {
	w.Env = append(slices.Clip(w.Env), variables...)
	return w
}

// copies puts a directory of the repository into the workspace.
func (w *workspace) copies(from, to string) {
	w.T.Helper()
	if err := os.CopyFS(filepath.Join(w.Dir, to), os.DirFS(from)); err != nil {
		w.T.Fatal(err)
	}
}

// edit replaces a text of a file, which has it once.
func (w *workspace) edit(name, before, after string) {
	w.T.Helper()
	content := w.Read(name)
	if strings.Count(content, before) != 1 {
		w.T.Fatalf("%s does not have %q once", name, before)
	}
	w.File(name, strings.Replace(content, before, after, 1))
}

// shell runs commands as a reader would, and stops at the first that fails.
func (w *workspace) shell(commands string) string {
	w.T.Helper()
	run := exec.CommandContext(w.T.Context(), "bash", "-euo", "pipefail", "-c", commands)
	run.Dir, run.WaitDelay = w.Dir, 10*time.Second
	run.Env = append(slices.Clip(w.Env), "PATH="+programs(w.T)+string(os.PathListSeparator)+os.Getenv("PATH"), "TF_CLI_ARGS=-no-color")
	out, err := run.CombinedOutput()
	text := folded(string(out))
	w.CheckRun(text, err)
	if err != nil {
		w.T.Fatalf("%v from\n%s\n%s", err, commands, out)
	}
	return text
}

var install sync.Once

// programs is a directory in which the program under test is called terraform, beside age and a stand-in for gh.
func programs(t *testing.T) string {
	t.Helper()
	dir := terraformtest.Built(t)
	install.Do(func() {
		const age = "filippo.io/age/cmd/age"
		out, err := exec.CommandContext(t.Context(), "go", "build", "-modfile=../../tools/go.mod", "-o", dir, age, age+"-keygen").CombinedOutput()
		// In the place of GitHub, artifacts are files of a directory.
		const gh = "#!/bin/sh\n[ ! -d artifacts ] || ls artifacts\n"
		if err := errors.Join(err, os.Symlink(os.Getenv("TF_ACC_TERRAFORM_PATH"), filepath.Join(dir, "terraform")),
			os.WriteFile(filepath.Join(dir, "gh"), []byte(gh), 0o700)); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	})
	return dir
}

// wantScript runs a command, and expects its exit code and texts of its output.
func (w *workspace) wantScript(command string, code int, texts ...string) string {
	w.T.Helper()
	out := w.shell(fmt.Sprintf("code=0; %s 2>&1 || code=$?; echo; echo exit code $code", command))
	wantText(w.T, out, append(texts, fmt.Sprintf("exit code %d", code))...)
	return out
}

// wantWrites compares the bodies of all writes since the journal was reset, and resets it.
func (w *workspace) wantWrites(want ...string) {
	w.T.Helper()
	if got := w.Writes(); !slices.Equal(got, want) {
		w.T.Errorf("writes are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	w.ResetJournal()
}

// wantKeys expects so many creations of keys, and other writes, and resets the journal.
func (w *workspace) wantKeys(keys, others int) {
	w.T.Helper()
	if got := w.Writes(); w.Count("POST", "") != keys || len(got) != keys+others {
		w.T.Errorf("want %d keys and %d other writes, got\n%s", keys, others, strings.Join(got, "\n"))
	}
	w.ResetJournal()
}

// key is what the platform returned of a new API key.
type key struct{ id, secret string }

// keys are those that were created with a name, or all of them if it is empty.
func (w *workspace) keys(name string) (all []key) {
	for _, created := range w.Keys() {
		request, _ := created["request"].(mockplatform.Document)
		result, _ := created["result"].(mockplatform.Document)
		if name == "" || request["name"] == name {
			all = append(all, key{fmt.Sprint(result["keyId"]), fmt.Sprint(result["keySecret"])})
		}
	}
	return all
}

// key is the only one with a name.
func (w *workspace) key(name string) key {
	w.T.Helper()
	all := w.keys(name)
	if len(all) != 1 {
		w.T.Fatalf("%d keys are called %s, want one", len(all), name)
	}
	return all[0]
}

// absolute is a path that holds in every directory.
func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
