package guidestest

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

const (
	readme       = "../../README.md"
	contributing = "../../CONTRIBUTING.md"
)

// TestOfflineGuide follows the guide, with the provider and the fake of this tree in place
// of released ones.
func TestOfflineGuide(t *testing.T) {
	p := readPage(t, guide("offline"))
	needs(t, p.text)
	wantText(t, newReader(t).withFake(p),
		"Plan: 1 to import, 0 to add, 1 to change, 0 to destroy.",
		"1 imported, 0 added, 1 changed, 0 destroyed.",
		"Success! 2 passed, 0 failed.", "Success! 1 passed, 0 failed.")
}

// TestContainersOfTheOfflineGuide plans with the settings of the guide's containers, which are the same. A proxy
// stands for the network in which the fake has the name of its container.
func TestContainersOfTheOfflineGuide(t *testing.T) {
	wantText(t, fileText(t, guide("offline")), "-p 127.0.0.1:18080:18080 ") // not for other machines
	wantText(t, fileText(t, "../../Dockerfile"), `["/mockplatform", "-addr", "0.0.0.0:18080"]`)
	p := readPage(t, guide("offline"))
	setting := regexp.MustCompile(`(DATAPLATFORM_\w+): "?([^"\n]+)`)
	settings := setting.FindAllStringSubmatch(p.block(t, "# compose.yaml").text, -1)
	if inWorkflow := setting.FindAllStringSubmatch(p.block(t, "# .github/workflows/module.yml").text, -1); !slices.EqualFunc(settings, inWorkflow, slices.Equal) {
		t.Errorf("the containers have other settings: %q and %q", settings, inWorkflow)
	}
	w := newWorkspace(t, "")
	skipIfTooOld(t, p.block(t, "# main.tf").text)
	w.File("main.tf", p.block(t, "# main.tf").text)
	w.setenv("HTTP_PROXY="+w.url, "DATAPLATFORM_ALERTS_BASE_URL=", "DATAPLATFORM_ALERTS_ACCESS_TOKEN=")
	for _, found := range settings {
		w.setenv(found[1] + "=" + found[2])
	}
	wantText(t, w.PlanText(), "1 to import, 0 to add, 1 to change")
	w.setenv("DATAPLATFORM_ALLOW_HTTP=").wantScript("terraform plan", 1, "allow_http")
}

// TestRehearsalOfARenewal follows the rehearsal of a renewal in the guide to rotating keys, with the
// settings that the guide to modules offline exports.
func TestRehearsalOfARenewal(t *testing.T) {
	p, offline := chapterOf(t, guide("rotating-keys"), "Rehearse a renewal"), readPage(t, guide("offline"))
	p.insert(t, "# main.tf", offline.block(t, "export DATAPLATFORM_BASE_URL=").text)
	out := newReader(t).withFake(p)
	wantText(t, out, "1 added, 0 changed, 0 destroyed.", "1 added, 0 changed, 1 destroyed.")
	wantNoText(t, out, "no such key")
}

// withFake follows a page that starts a released fake: that of this tree, on a free port.
func (w *workspace) withFake(p *page) string {
	w.T.Helper()
	// go test does not know of the program, and would return a cached result. It looks
	// whether a directory has changed that a test has read.
	_, err := os.ReadDir("../cmd/mockplatform")
	out, errBuild := exec.CommandContext(w.T.Context(), "go", "build", "-o", w.Dir, "../cmd/mockplatform").CombinedOutput()
	listener, errListen := new(net.ListenConfig).Listen(w.T.Context(), "tcp", "127.0.0.1:0")
	if err := errors.Join(err, errBuild, errListen); err != nil {
		w.T.Fatalf("%v: %s", err, out)
	}
	listener.Close()
	p.drop(func(b block) bool {
		return strings.HasPrefix(b.text, "docker ") || strings.HasPrefix(b.text, "credentials.json ") || // files of a seed
			strings.HasPrefix(b.text, "shasum ") // files of a release
	})
	p.replace("127.0.0.1:18080", listener.Addr().String())
	return w.setenv("TF_CLI_ARGS_apply=-auto-approve").follow(p)
}

// TestContributingByHand follows what CONTRIBUTING.md says of a build and the fake.
func TestContributingByHand(t *testing.T) {
	t.Parallel()
	p := chapterOf(t, contributing, "Try it by hand")
	p.drop(func(b block) bool { return strings.HasPrefix(b.text, "dlv ") }) // needs a debugger
	wantText(t, inClone(t).follow(p),
		"Apply complete! Resources: 1 added, 0 changed, 0 destroyed.",
		"has been successfully initialized!")
}

// TestReadmeIsFollowed follows README.md.
func TestReadmeIsFollowed(t *testing.T) {
	t.Parallel()
	p := readPage(t, readme)
	skipIfTooOld(t, p.text)
	p.replace("registry.terraform.io", programUnder(t).RegistryHost()) // as it says
	p.drop(func(b block) bool { return b.language == "diff" })         // TestReadmePlan
	wantText(t, p.text, "`. /path/to/clone/bin/mock.env`")
	wantText(t, p.blocks[2].text, "git clone ")
	empty := block{language: "shell", text: ". bin/mock.env\nmkdir ../empty && cd ../empty\n"}
	p.blocks = slices.Concat(p.blocks[3:5], []block{empty}, p.blocks[:2], p.blocks[5:])
	wantText(t, inClone(t).follow(p), "Installed dataplatform/dataplatform v0.1.0", "1 imported, 0 added, 1 changed, 0 destroyed.")
}

// TestReadmeLinks wants each page of the docs in README.md, and what that links to.
func TestReadmeLinks(t *testing.T) {
	t.Parallel()
	content := fileText(t, readme)
	for _, link := range regexp.MustCompile(`\]\(([\w./-]+)(?:#[\w-]+)?\)`).FindAllStringSubmatch(content, -1) {
		if _, err := os.Stat("../../" + link[1]); err != nil {
			t.Error(err)
		}
	}
	pages, err := filepath.Glob("../../docs/*/*.md")
	if err != nil || len(pages) < 15 {
		t.Fatalf("only these pages: %v, %v", pages, err)
	}
	for _, path := range pages {
		wantText(t, content, "]("+strings.TrimPrefix(filepath.ToSlash(path), "../../"))
	}
}

// inClone is a workspace with the files of the repository, and without what was built
// there, in a home directory in which nothing was set.
func inClone(t *testing.T) *workspace {
	t.Helper()
	terraformtest.NeedTerraform(t)
	root := absolute(t, "../..")
	dir, home := filepath.Join(t.TempDir(), "terraform-provider-dataplatform"), t.TempDir()
	err := os.Mkdir(dir, 0o750)
	for _, name := range []string{"GNUmakefile", "go.mod", "go.sum", "main.go", "internal", "tools", "examples"} {
		err = errors.Join(err, os.Symlink(filepath.Join(root, name), filepath.Join(dir, name)))
	}
	// The go command would go on writing its statistics there while the test removes it.
	for _, config := range []string{".config", "Library/Application Support"} { // Linux, macOS
		telemetry := filepath.Join(home, filepath.FromSlash(config), "go", "telemetry")
		err = errors.Join(err, os.MkdirAll(telemetry, 0o750), os.WriteFile(filepath.Join(telemetry, "mode"), []byte("off"), 0o600))
	}
	// Go's caches stay where they are, and builds in a directory of another name use them.
	out, errEnv := exec.CommandContext(t.Context(), "go", "env", "GOCACHE", "GOMODCACHE", "GOFLAGS").Output()
	if err := errors.Join(err, errEnv); err != nil {
		t.Fatal(err)
	}
	values := strings.Split(string(out), "\n")
	w := &workspace{Workspace: &terraformtest.Workspace{T: t, Dir: dir, Env: os.Environ()}}
	return w.setenv("GOCACHE="+values[0], "GOMODCACHE="+values[1], "GOFLAGS="+values[2]+" -trimpath",
		"HOME="+home, "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "TF_CLI_ARGS_apply=-auto-approve")
}

// TestContributingNamesTests wants each test that CONTRIBUTING.md names: it says which
// tests hold the promises of SECURITY.md.
func TestContributingNamesTests(t *testing.T) {
	t.Parallel()
	all := ""
	for _, pattern := range []string{"../*/*_test.go", "../cmd/*/*_test.go", "../../tools/*/*_test.go"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			all += fileText(t, file)
		}
	}
	names := regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w+)`").FindAllStringSubmatch(fileText(t, contributing), -1)
	for _, name := range names {
		if !strings.Contains(all, "\nfunc "+name[1]+"(") {
			t.Errorf("CONTRIBUTING.md names %s, which does not exist", name[1])
		}
	}
	if len(names) < 15 {
		t.Errorf("CONTRIBUTING.md names %d tests only", len(names))
	}
}
