package provider

import (
	"bytes"
	"encoding/json"
	"strings"
	"syscall"
	"testing"
)

// What a workspace shows of plans, states and warnings.

// planned is what a plan has for one resource.
type planned struct {
	Address string
	Change  struct {
		Actions       []string
		Before, After any
		AfterUnknown  any `json:"after_unknown"`
	}
}

// plan makes a plan, and returns what a person sees of it and what it has for
// each resource, by address.
func (w *workspace) plan(args ...string) (string, map[string]planned) {
	w.t.Helper()
	out, ok := w.terraform(append([]string{"plan", "-input=false", "-out=tf.plan"}, args...)...)
	if !ok {
		w.t.Fatalf("plan failed:\n%s", out)
	}
	return out, w.planned()
}

// planned is what the plan last made has for each resource, by address.
func (w *workspace) planned() map[string]planned {
	w.t.Helper()
	var shown struct {
		Changes []planned `json:"resource_changes"`
	}
	w.show(&shown, "tf.plan")
	changes := map[string]planned{}
	for _, change := range shown.Changes {
		changes[change.Address] = change
	}
	return changes
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

func (w *workspace) show(into any, args ...string) {
	w.t.Helper()
	out, err := w.command(w.t.Context(), append([]string{"show", "-json"}, args...)...).Output()
	if err != nil {
		w.t.Fatalf("show: %v", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(out))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		w.t.Fatal(err)
	}
}

// states are the addresses in the workspace's state.
func (w *workspace) states() []string {
	w.t.Helper()
	out, err := w.command(w.t.Context(), "state", "list").Output()
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// planText is what a person sees of a plan.
func (w *workspace) planText(args ...string) string {
	w.t.Helper()
	out, ok := w.terraform(append([]string{"plan", "-input=false"}, args...)...)
	if !ok {
		w.t.Fatalf("plan failed:\n%s", out)
	}
	return out
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

// wantNoText fails if the output has one of these texts. An empty output has
// none of any.
func wantNoText(t *testing.T, out string, texts ...string) {
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

// interrupted applies, interrupts the whole process group once something is seen, does
// something then, and returns what was printed.
func (w *workspace) interrupted(with syscall.Signal, seen func() bool, then func()) string {
	w.t.Helper()
	command := w.command(w.t.Context(), "apply", "-auto-approve", "-input=false", "-no-color")
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
