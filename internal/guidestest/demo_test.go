package guidestest

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestDemo runs the script of make demo, whatever the shell has set: it tells its story in under 200
// lines, without colors in a terminal that has none, and leaves nothing behind.
func TestDemo(t *testing.T) {
	t.Parallel()
	needs(t, "Requires Terraform 1.5 or OpenTofu 1.6 or later.")
	w := inClone(t)
	w.shell("make build bin/mockplatform && mkdir temporary")
	demo := `TMPDIR=$PWD/temporary TF_CLI_ARGS=-nonsense internal/cmd/demo/demo.sh "$(command -v terraform)"`
	if exec.CommandContext(t.Context(), "script", "-qec", "true", os.DevNull).Run() == nil { // makes a terminal
		demo = "TERM=dumb script -qec '" + demo + " </dev/null' /dev/null | tr -d '\\r'"
	}
	rest := w.shell(demo + "| tee story && test $(wc -l <story) -lt 200")
	wantNoText(t, w.Read("story"), "\x1b")
	// Each after the one before. What is sent is among them, and what is not.
	for _, text := range []string{
		"━━━ 1. ", "Plan: 2 to import, 0 to add, 0 to change", "2 imported, 0 added, 0 changed, 0 destroyed.", "nothing ",
		"━━━ 2. ", `- "phone",`, `+ "sales.invoices:invoices"`, "Columns that will be copied from now on.",
		"━━━ 3. ", "0 added, 1 changed, 0 destroyed.", `{"source":{"postgres":{"tableMappingsToAdd":[{"excludedColumns":["iban"],`,
		"━━━ 4. ", "num_replicas = 2 -> 3", `/scaling {"numReplicas":3} `,
		"━━━ 5. ", "POST …/keys ", "1 to add, 0 to change, 1 to destroy.", "is replaced and stays valid", "POST …/keys ", "examples/demo",
	} {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Fatalf("%q is missing in\n%s", text, rest)
		}
		rest = after
	}
	w.shell("rmdir temporary")
}

// TestDemoIsInterrupted presses Ctrl-C in the demo: everything ends, and nothing is left behind.
func TestDemoIsInterrupted(t *testing.T) {
	t.Parallel()
	needs(t, "Requires Terraform 1.5 or OpenTofu 1.6 or later.")
	w := inClone(t)
	w.shell("make build bin/mockplatform")
	for _, at := range []string{"━━━ 1. ", "$ terraform apply", "━━━ 4. ", "laptop"} {
		temporary := t.TempDir()
		demo := exec.CommandContext(t.Context(), "internal/cmd/demo/demo.sh", os.Getenv("TF_ACC_TERRAFORM_PATH"))
		demo.Dir, demo.Env = w.Dir, append(os.Environ(), "TMPDIR="+temporary)
		demo.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		out, in, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		demo.Stdout, demo.Stderr = in, in
		if err := demo.Start(); err != nil {
			t.Fatal(err)
		}
		_ = in.Close()
		lines := bufio.NewScanner(out)
		for found := false; !found && lines.Scan(); found = strings.Contains(lines.Text(), at) {
		}
		if err := syscall.Kill(-demo.Process.Pid, syscall.SIGINT); err != nil {
			t.Errorf("at %q: %v", at, err)
		}
		for lines.Scan() { // until no process has the pipe
		}
		if err := demo.Wait(); err == nil || demo.ProcessState.ExitCode() != 130 {
			t.Errorf("at %q: %v", at, err)
		}
		if left, _ := filepath.Glob(temporary + "/*"); len(left) > 0 {
			t.Errorf("at %q: %s is left behind", at, left)
		}
	}
}

// TestNeeds runs the checks before make demo and make test on machines that lack something.
func TestNeeds(t *testing.T) {
	t.Parallel()
	root := absolute(t, "../..")
	bin := t.TempDir()
	sed, err := exec.LookPath("sed")
	if err := errors.Join(err, os.Symlink(sed, filepath.Join(bin, "sed"))); err != nil {
		t.Fatal(err)
	}
	install := "Install Go 1.21 or later"
	for _, c := range []struct{ check, program, prints, want string }{
		{"go", "", "", "Go is missing. " + install},
		{"go", "go", `echo go version go1.19.8 linux/amd64`, "Go 1.19.8 is too old. " + install},
		{"go", "go", `echo go version go1.20 linux/amd64`, "Go 1.20 is too old. " + install},
		{"go", "go", `[ $1 = version ] && echo go version go1.21.0 linux/amd64 || { echo "go: download go1.26.0: Get: tls: failed to verify certificate: x509: certificate signed by unknown authority"; exit 1; }`, "Install ca-certificates."},
		{"go", "go", `[ $1 = version ] && echo go version go1.23.5 linux/amd64 || { echo "go: go.mod requires go >= 1.26.0 (running go 1.23.5; GOTOOLCHAIN=local)"; exit 1; }`, "Set GOTOOLCHAIN=auto."},
		{"go", "go", `[ $1 = version ] && echo go version go1.23.5 linux/amd64 || { echo "dial tcp: no such host"; exit 1; }`, "Go cannot fetch modules, which the build needs: dial tcp: no such host"},
		{"go", "go", `[ $1 != version ] || echo go version go1.21.0 linux/amd64`, ""},
		{"curl", "", "", "Install curl."},
		{"curl", "curl", "", ""},
		{"terraform-1.5", "terraform", "echo Terraform v1.4.7", "The demo needs Terraform 1.5 or later"},
		{"terraform-1.5", "terraform", "echo Terraform v1.16.1", ""},
		{"terraform-1.5", "terraform", "echo OpenTofu v1.6.0", ""},
	} {
		path := bin
		if c.program != "" {
			path = t.TempDir()
			if err := os.WriteFile(filepath.Join(path, c.program), []byte("#!/bin/sh\n"+c.prints+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			path += ":" + bin
		}
		check := exec.CommandContext(t.Context(), "/bin/bash", ".ci/needs.sh", c.check, "terraform")
		check.Dir, check.Env = root, []string{"PATH=" + path}
		out, err := check.CombinedOutput()
		if (err == nil) != (c.want == "") || !strings.Contains(string(out), c.want) || c.want == "" && len(out) > 0 || strings.Count(string(out), "\n") > 1 {
			t.Errorf("%s: want %q, got %v, %s", c.check, c.want, err, out)
		}
	}
}
