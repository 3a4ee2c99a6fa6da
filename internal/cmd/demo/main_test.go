package main

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// newOptions builds the provider, and skips the test under a Terraform that is
// too old. What a run writes goes to a folder that must be empty at the end.
func newOptions(t *testing.T) options {
	t.Helper()
	o := options{
		terraform: cmp.Or(os.Getenv("TF_ACC_TERRAFORM_PATH"), "terraform"),
		provider:  filepath.Join(t.TempDir(), "terraform-provider-dataplatform"),
		config:    "../../../examples/demo",
		out:       io.Discard,
	}
	s := &stage{terraform: o.terraform, env: environment(os.DevNull)}
	if err := s.checkVersion(t.Context()); errors.Is(err, errTooOld) {
		t.Skip(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", o.provider, "../../..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Cleanup(func() {
		if left, err := filepath.Glob(filepath.Join(temporary, "dataplatform-*")); err != nil || len(left) > 0 {
			t.Errorf("the demo left %v behind (%v)", left, err)
		}
	})
	return o
}

func TestDemo(t *testing.T) {
	o := newOptions(t)
	var out bytes.Buffer
	o.out = &out
	if err := run(t.Context(), o); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for text, times := range map[string]int{
		"━━━ 8. ":                        1,
		"num_replicas          = 3 -> 4": 1,
		"num_replicas          = 2 -> 4": 1,
		"num_replicas: 5 now":            1,
		"Nothing is sent:":               1,
		"Revoke it in":                   1,
	} {
		if got := strings.Count(out.String(), text); got != times {
			t.Errorf("%q is printed %d times, want %d, in\n%s", text, got, times, &out)
		}
	}
}

// TestPicture draws the picture again, under the versions that are known to draw
// the same one.
func TestPicture(t *testing.T) {
	o := newOptions(t)
	s := &stage{terraform: o.terraform, env: environment(os.DevNull)}
	if major, minor, err := s.version(t.Context()); err != nil {
		t.Fatal(err)
	} else if major == 1 && minor < 11 {
		t.Skip("an older program may draw the plan otherwise")
	}
	o.picture = filepath.Join(t.TempDir(), "README.svg")
	if err := run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	drawn, err := os.ReadFile(o.picture)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile("../../../README.svg")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(drawn, kept) {
		t.Error("README.svg is stale: run make picture, and look at it")
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	want := expected{says: "1 added", gets: 2, writes: []string{`POST …/keys {"name":"x",`}}
	sent := []string{`POST …/keys {"name":"x","expireAt":"2027-02-19T22:03:37Z"}`}
	if err := want.compare("apply", "Resources:\x1b[0m 1 \x1b[1madded", expected{gets: 2, writes: sent}); err != nil {
		t.Error(err)
	}
	for name, have := range map[string]expected{
		"1 added, and a GET too many":   {says: "1 added", gets: 3, writes: sent},
		"1 added, without its request":  {says: "1 added", gets: 2},
		"1 added, and a request twice":  {says: "1 added", gets: 2, writes: append(sent, sent...)},
		"1 added, with another request": {says: "1 added", gets: 2, writes: []string{`POST …/keys {"name":"y"}`}},
		"0 added":                       {says: "0 added", gets: 2, writes: sent},
	} {
		if want.compare("apply", have.says, have) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestVersionTooOld(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "terraform")
	for version, ok := range map[string]bool{"1.0.11": false, "1.4.7": false, "1.5.0": true, "1.16.0-dev": true, "2.0.0": true, "new": false} {
		script := "#!/bin/sh\necho '{\"terraform_version\": \"" + version + "\"}'\n"
		if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		err := (&stage{terraform: program}).checkVersion(t.Context())
		if (err == nil) != ok || errors.Is(err, errTooOld) != strings.HasPrefix(version, "1.") && !ok {
			t.Errorf("%s: %v", version, err)
		}
	}
}

func TestSVG(t *testing.T) {
	t.Parallel()
	drawn := svg("\x1b[1mPlan:\x1b[0m 1 to add\n      \x1b[32m+\x1b[0m\x1b[0m a   = 1 -> 2 & <x>\n")
	for _, element := range []string{
		`width="242" height="76"`,
		`<text x="20.0" y="33" textLength="39.0" class="bold">Plan:</text>`,
		`<text x="66.8" y="33" textLength="62.4">1 to add</text>`,
		`<text x="66.8" y="51" textLength="7.8" class="green">+</text>`,
		`<text x="82.4" y="51" textLength="7.8">a</text>`,
		`<text x="113.6" y="51" textLength="109.2">= 1 -&gt; 2 &amp; &lt;x&gt;</text>`,
	} {
		if !strings.Contains(drawn, element) {
			t.Errorf("%s is missing in\n%s", element, drawn)
		}
	}
}
