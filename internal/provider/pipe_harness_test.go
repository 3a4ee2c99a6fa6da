package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// What the tests of pipes share: many pipes in one run of terraform, their
// configuration as JSON, and what plan, state and journal tell of each.

type object = map[string]any

// clonePipe adds a copy of a pipe of the seed to the platform, and returns its
// id.
func (f *fixture) clonePipe(from string, changes ...func(mockplatform.Document)) string {
	f.t.Helper()
	doc := f.Pipe(from)
	id := uuid.NewString()
	doc["id"] = id
	for _, change := range changes {
		change(doc)
	}
	f.SetPipe(doc)
	return id
}

// setMember sets the member of a document at the end of a dotted path, or
// takes it away where value is nil.
func setMember(doc mockplatform.Document, path string, value any) {
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		child, ok := doc[name].(mockplatform.Document)
		if !ok {
			child = mockplatform.Document{}
			doc[name] = child
		}
		doc = child
	}
	last := names[len(names)-1]
	if value == nil {
		delete(doc, last)
		return
	}
	doc[last] = value
}

// member is the member of a JSON value at the end of a dotted path, or nil.
func member(value any, path string) any {
	for _, name := range strings.Split(path, ".") {
		parent, ok := value.(object)
		if !ok {
			return nil
		}
		value = parent[name]
	}
	return value
}

// fromJSON reads JSON with the digits of its numbers.
func fromJSON(t *testing.T, text string) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return value
}

func toJSON(t *testing.T, value any) string {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// onePipe is a resource block of that name, for a pipe of the first service.
func onePipe(name, id, arguments string) string {
	return fmt.Sprintf("resource \"dataplatform_pipe\" %q {\n  service_id = %q\n  pipe_id    = %q\n%s\n}\n",
		name, mockplatform.ServiceID, id, arguments)
}

// patches are the bodies of the PATCHes of one pipe since the journal was
// reset, and gets is the number of its GETs.
func (f *fixture) patches(id string) []string {
	var bodies []string
	for _, r := range f.RequestsOf(mockplatform.UpdatePipe) {
		if strings.HasSuffix(r.Path, id) {
			bodies = append(bodies, r.Body)
		}
	}
	return bodies
}

func (f *fixture) gets(id string) int { return f.Count("GET", id) }

// wantPatches compares the PATCHes of one pipe, as JSON.
func (f *fixture) wantPatches(id string, want ...string) {
	f.t.Helper()
	got := f.patches(id)
	if len(got) != len(want) {
		f.t.Errorf("got %d PATCHes, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
		return
	}
	for i := range want {
		if !sameJSON(f.t, got[i], want[i]) {
			f.t.Errorf("PATCH %d is\n%s\nwant\n%s", i, got[i], want[i])
		}
	}
}

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

// planWithWarnings makes a plan, and returns its warnings and what it has for
// each resource, both by address.
func (w *workspace) planWithWarnings() (map[string][]string, map[string]planned) {
	w.t.Helper()
	warnings, ok := w.warnings("plan", "-input=false", "-out=tf.plan")
	if !ok {
		w.t.Fatalf("plan failed:\n%s", warnings)
	}
	return warnings, w.planned()
}

// warnings runs one command as machines do, and returns the warnings by the
// address of what they are about, and whether the command succeeded. Output for
// people folds warnings that share a summary and hides the addresses of all but
// the first, and a text found in it may stand in another resource's warning.
func (w *workspace) warnings(args ...string) (map[string][]string, bool) {
	w.t.Helper()
	out, err := w.command(w.t.Context(), slices.Insert(args, 1, "-json")...).Output()
	w.checkRun(string(out), err)
	warnings := map[string][]string{}
	lines := 0
	for line := range strings.Lines(string(out)) {
		var said struct {
			Diagnostic struct{ Severity, Summary, Detail, Address string }
		}
		if err := json.Unmarshal([]byte(line), &said); err != nil { //nolint:musttag // encoding/json finds names in any letter case
			w.t.Fatalf("%v in %s", err, line)
		}
		lines++
		switch d := said.Diagnostic; d.Severity {
		case "error":
			w.t.Errorf("%s: %s: %s", d.Address, d.Summary, d.Detail)
		case "warning":
			warnings[d.Address] = append(warnings[d.Address], folded(d.Summary+" "+d.Detail))
		}
	}
	if lines == 0 {
		w.t.Fatalf("terraform %s wrote nothing: %v", strings.Join(args, " "), err)
	}
	return warnings, err == nil
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
		wantText(t, warnings[0], text)
	}
}

// state is what the state has for each resource and data source, by address.
func (w *workspace) state() map[string]object {
	w.t.Helper()
	var shown struct {
		Values struct {
			Root struct {
				Resources []struct {
					Address string
					Values  object
				}
			} `json:"root_module"`
		}
	}
	w.show(&shown)
	values := map[string]object{}
	for _, resource := range shown.Values.Root.Resources {
		values[resource.Address] = resource.Values
	}
	return values
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

// unknown are the dotted paths of what a plan leaves until after the apply.
func (p planned) unknown() []string {
	var paths []string
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch value := value.(type) {
		case bool:
			if value {
				paths = append(paths, strings.TrimPrefix(path, "."))
			}
		case object:
			for _, name := range slices.Sorted(maps.Keys(value)) {
				walk(path+"."+name, value[name])
			}
		case []any:
			for i, element := range value {
				walk(fmt.Sprintf("%s[%d]", path, i), element)
			}
		}
	}
	walk("", p.Change.AfterUnknown)
	return paths
}

// differing are the dotted paths of what a plan changes to a known value.
func (p planned) differing() []string {
	var paths []string
	var walk func(path string, before, after, unknown any)
	walk = func(path string, before, after, unknown any) {
		if unknown == true {
			return
		}
		was, isObject := before.(object)
		will, willBeObject := after.(object)
		if isObject && willBeObject {
			for _, name := range slices.Sorted(maps.Keys(was)) {
				walk(path+"."+name, was[name], will[name], member(unknown, name))
			}
			return
		}
		if fmt.Sprint(before) != fmt.Sprint(after) {
			paths = append(paths, strings.TrimPrefix(path, "."))
		}
	}
	walk("", p.Change.Before, p.Change.After, p.Change.AfterUnknown)
	return paths
}
