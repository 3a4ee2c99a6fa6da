package provider

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What tests see of rows, warnings, requests and interrupts.

// rows plays each row of a table as a subtest. One that fails says where it is.
func rows[Row any](t *testing.T, all map[string]Row, play func(t *testing.T, row Row)) {
	t.Helper()
	for name, row := range all {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(func() {
				files, _ := filepath.Glob("*_test.go")
				for _, file := range files {
					source, _ := os.ReadFile(file)
					if before, _, found := strings.Cut(string(source), fmt.Sprintf("\t%q: ", name)); found && t.Failed() {
						t.Logf("the row is in %s:%d", file, 1+strings.Count(before, "\n"))
					}
				}
			})
			play(t, row)
		})
	}
}

// played is rows, each in a bubble with a platform of its own.
func played[Row any](t *testing.T, all map[string]Row, play func(t *testing.T, f *fixture, row Row)) {
	t.Helper()
	t.Parallel()
	rows(t, all, func(t *testing.T, row Row) {
		inBubble(func(t *testing.T, f *fixture) { play(t, f, row) })(t)
	})
}

// wantWarning fails unless there is one warning, and it has this text. Where
// there is no text there must be no warning.
func wantWarning(t *testing.T, warnings []string, text string) {
	t.Helper()
	switch {
	case text == "" && len(warnings) > 0:
		t.Errorf("%d warnings, want none:\n%s", len(warnings), strings.Join(warnings, "\n"))
	case text != "" && len(warnings) != 1:
		t.Errorf("%d warnings, want one with %q:\n%s", len(warnings), text, strings.Join(warnings, "\n"))
	case text != "":
		wantText(t, folded(warnings[0]), text)
	}
}

// wantRequests compares the requests since the journal was reset, each as
// method and what follows the organization, and resets it.
func (f *fixture) wantRequests(want ...string) {
	f.t.Helper()
	var got []string
	for _, r := range f.Requests() {
		_, rest, _ := strings.Cut(r.Path, "/organizations/")
		_, rest, _ = strings.Cut(rest, "/")
		got = append(got, r.Method+" "+rest)
	}
	f.ResetJournal()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		f.t.Errorf("requests:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// interrupted applies, interrupts the whole process group once something is seen, does
// something then, and returns what was printed.
func (w *workspace) interrupted(with syscall.Signal, seen func() bool, then func()) string {
	w.t.Helper()
	command := w.Command(w.t.Context(), "apply", "-auto-approve", "-input=false", "-no-color")
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if command.ProcessState == nil {
			_ = command.Process.Kill()
		}
	})
	waitFor(w.t, "what the interrupt is for", seen)
	_ = syscall.Kill(-command.Process.Pid, with)
	then()
	_ = command.Wait()
	return folded(output.String())
}
