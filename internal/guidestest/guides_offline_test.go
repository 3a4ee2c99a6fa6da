package guidestest

import (
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

// What README.md, CONTRIBUTING.md and the guide to modules offline tell their reader
// to type and to write is typed and written here as it stands, in the order of the page:
// a page whose commands don't work fails its test.

const (
	readme       = "../../README.md"
	offlineGuide = "../../templates/guides/offline.md"
	contributing = "../../CONTRIBUTING.md"
)

// TestOfflineGuide follows the guide, with the provider and the fake of this tree in place
// of released ones.
func TestOfflineGuide(t *testing.T) {
	needsMocks(t)
	out := newFixture(t).reader().setenv("TF_CLI_ARGS_apply=-auto-approve").withFake(readPage(t, offlineGuide))
	wantText(t, out,
		"Plan: 1 to import, 0 to add, 1 to change, 0 to destroy.",
		"1 imported, 0 added, 1 changed, 0 destroyed.",
		"Success! 2 passed, 0 failed.",
	)
}

// TestRehearsal follows the rehearsal of a renewal in the guide to rotating keys, with the
// settings that the guide to modules offline exports.
func TestRehearsal(t *testing.T) {
	page := chapterOf(t, "../../templates/guides/rotating-keys.md", "Rehearse a renewal").page
	for _, b := range readPage(t, offlineGuide).blocks {
		if strings.HasPrefix(b.text, "export DATAPLATFORM_BASE_URL=") {
			page.blocks = slices.Insert(page.blocks, 1, b)
		}
	}
	out := newFixture(t).reader().setenv("TF_CLI_ARGS_apply=-auto-approve").withFake(page)
	wantText(t, out, "1 added, 0 changed, 0 destroyed.", "0 added, 1 changed, 0 destroyed.", "1 added, 0 changed, 1 destroyed.")
	wantNoText(t, out, "no such key")
}

// withFake follows a page that starts a released fake: that of this tree, on a free port.
func (w *workspace) withFake(p page) string {
	w.t.Helper()
	build := exec.CommandContext(w.t.Context(), "go", "build", "-o", filepath.Join(w.Dir, "mockplatform"), "../cmd/mockplatform")
	if out, err := build.CombinedOutput(); err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
	listener, err := new(net.ListenConfig).Listen(w.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		w.t.Fatal(err)
	}
	p.blocks = slices.DeleteFunc(p.blocks, func(b block) bool {
		return strings.HasPrefix(b.text, "docker ") || strings.HasPrefix(b.text, "credentials.json ") // files of a seed
	})
	for i := range p.blocks {
		p.blocks[i].text = strings.ReplaceAll(p.blocks[i].text, "127.0.0.1:18080", listener.Addr().String())
	}
	return w.follow(p)
}

// TestContributingByHand follows what CONTRIBUTING.md says of a build and the fake.
func TestContributingByHand(t *testing.T) {
	t.Parallel()
	page := chapterOf(t, contributing, "Try it by hand").page
	page.blocks = slices.DeleteFunc(page.blocks, func(b block) bool { return strings.HasPrefix(b.text, "dlv ") }) // needs a debugger
	wantText(t, inClone(t).setenv("TF_CLI_ARGS_apply=-auto-approve").follow(page),
		"Apply complete! Resources: 1 added, 0 changed, 0 destroyed.",
		"has been successfully initialized!",
	)
}

// TestReadme follows README.md.
func TestReadme(t *testing.T) {
	t.Parallel()
	content := fileText(t, readme)
	skipIfTooOld(t, content)
	program := programUnder(t)
	page := readPage(t, readme)
	if program.OpenTofu { // as it says
		for i := range page.blocks {
			page.blocks[i].text = strings.ReplaceAll(page.blocks[i].text, "registry.terraform.io", "registry.opentofu.org")
		}
	}
	const clone = "/path/to/clone/"
	const settings = ". " + clone + "bin/mock.env"
	wantText(t, content, "`"+settings+"`")
	inAnEmptyDirectory(t, &page)
	page.blocks = slices.Insert(page.blocks, 0, block{language: "shell", text: strings.ReplaceAll(settings, clone, "") + "\n"})
	wantText(t, inClone(t).setenv("TF_CLI_ARGS_apply=-auto-approve").follow(page), "Installed dataplatform/dataplatform v0.1.0", "1 imported, 0 added, 1 changed, 0 destroyed.")
	for path := range linked(content) {
		if _, err := os.Stat("../../" + path); err != nil {
			t.Error(err)
		}
	}
	for _, folder := range []string{"resources", "data-sources", "list-resources", "guides"} {
		pages, err := filepath.Glob("../../docs/" + folder + "/*.md")
		if err != nil || len(pages) == 0 {
			t.Fatalf("no pages of %s: %v", folder, err)
		}
		for _, path := range pages {
			if name := "docs/" + folder + "/" + filepath.Base(path); !linked(content)[name] {
				t.Errorf("README.md doesn't name %s", name)
			}
		}
	}
}

// inAnEmptyDirectory moves the files of README.md to where the reader writes them, before
// the commands that use them, and the plan that it shows behind these. The clone is there
// already.
func inAnEmptyDirectory(t *testing.T, p *page) {
	t.Helper()
	var files, shown, others []block
	for _, b := range p.blocks {
		switch {
		case strings.HasPrefix(b.text, "git clone "):
		case b.language == "terraform":
			files = append(files, b)
		case b.language == "":
			shown = append(shown, b)
		case strings.HasPrefix(b.text, "terraform init\n"):
			others = slices.Concat(others, []block{{language: "shell", text: "mkdir ../empty && cd ../empty\n"}}, files, []block{b}, shown)
		default:
			others = append(others, b)
		}
	}
	if len(others) != len(p.blocks) || len(files) != 2 || len(shown) != 1 {
		t.Fatalf("%s has other blocks: %v", p.name, p.blocks)
	}
	p.blocks = others
}

// linked are the files that a page links to.
func linked(content string) map[string]bool {
	paths := map[string]bool{}
	for _, link := range regexp.MustCompile(`\]\(([\w./-]+)(?:#[\w-]+)?\)`).FindAllStringSubmatch(content, -1) {
		paths[link[1]] = true
	}
	return paths
}

// needsMocks skips a test of mock_provider where there is none.
func needsMocks(t *testing.T) {
	t.Helper()
	program := programUnder(t)
	if program.OlderThan("1.7", "1.8") {
		t.Skipf("%s has no mock_provider", program)
	}
}

// inClone is a workspace with the files of the repository, and without what was built
// there, in a home directory in which nothing was set.
func inClone(t *testing.T) *workspace {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "terraform-provider-dataplatform")
	if err := os.Mkdir(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"GNUmakefile", "go.mod", "go.sum", "main.go", "internal", "tools", "examples"} {
		if err := os.Symlink(filepath.Join(root, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), goCaches(t)...)
	env = append(env, "HOME="+home(t), "XDG_CONFIG_HOME=", "XDG_DATA_HOME=")
	return &workspace{&fixture{t: t}, &terraformtest.Workspace{T: t, Dir: dir, Env: env}}
}

// goCaches keep Go's caches where they are in another home directory, and make
// builds in a folder of another name use them.
func goCaches(t *testing.T) []string {
	t.Helper()
	names := []string{"GOCACHE", "GOMODCACHE", "GOFLAGS"}
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(string(out), "\n")
	return []string{"GOCACHE=" + values[0], "GOMODCACHE=" + values[1], "GOFLAGS=" + values[2] + " -trimpath"}
}

// home is a home directory in which nothing was set. The go command would go on
// writing its statistics there while the test removes it.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, config := range []string{".config", "Library/Application Support"} { // Linux, macOS
		telemetry := filepath.Join(dir, filepath.FromSlash(config), "go", "telemetry")
		if err := os.MkdirAll(telemetry, 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(telemetry, "mode"), []byte("off"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
