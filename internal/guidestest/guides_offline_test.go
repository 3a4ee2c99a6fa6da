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
	p, start := readPage(t, guide("offline")), readPage(t, guide("getting-started"))
	needs(t, start.text)
	at := p.index(t, "PATCH /v1/organizations")
	p.blocks = slices.Insert(p.blocks, at, start.blocks...)
	wantText(t, newReader(t).withFake(p), "1 imported, 0 added, 1 changed, 0 destroyed.")
}

// TestModuleGuide follows the guide: it tests the module with a mock and with the fake, which the test names although the
// environment has another platform.
func TestModuleGuide(t *testing.T) {
	all := chapters(t, guide("publishing-a-module"))
	needs(t, all[0].text)
	w := newReader(t)
	p := readPage(t, guide("publishing-a-module"))
	p.drop(func(b block) bool {
		return b.language == "yaml" || b.language == "hcl" && !namedFile.MatchString(b.text) // TestModuleChanges
	})
	p.insert(t, "terraform init", "unset DATAPLATFORM_ORGANIZATION_ID\nexport DATAPLATFORM_BASE_URL=https://192.0.2.1\n")
	start := readPage(t, guide("offline")).block(t, "./mockplatform ")
	p.blocks = append([]block{*start}, p.blocks...)
	wantText(t, w.withFake(p), "Success! 2 passed, 0 failed.")
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
	wantText(t, inClone(t).follow(p), "Installed dataplatform/dataplatform v0.1.0", "1 imported, 0 added, 1 changed, 0 destroyed.",
		`"public.customers:customers": phone`)
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
	for _, name := range []string{".ci", "GNUmakefile", "go.mod", "go.sum", "main.go", "internal", "tools", "examples"} {
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
