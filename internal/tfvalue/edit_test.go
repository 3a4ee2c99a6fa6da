package tfvalue_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// mapsOf is a set of maps. Each is written as its schema, table and hidden column, such as
// "a/t.x"; "a/t" hides none. Those of one table are related.
func mapsOf(t *testing.T, texts string) tfvalue.Value {
	t.Helper()
	var elements []string
	for _, text := range strings.Fields(texts) {
		id, hidden, hides := strings.Cut(text, ".")
		schema, table, _ := strings.Cut(id, "/")
		columns := "[]"
		if hides {
			columns = fmt.Sprintf("[%q]", hidden)
		}
		elements = append(elements, fmt.Sprintf(`{"schema": %q, "table": %q, "hidden": %s}`, schema, table, columns))
	}
	return at(t, "maps", "["+strings.Join(elements, ",")+"]")
}

// spelled writes maps as mapsOf reads them.
func spelled(maps []tfvalue.Value) string {
	var all []string
	for _, element := range maps {
		text := element.At("schema").Text() + "/" + element.At("table").Text()
		for _, column := range element.At("hidden").Elements() {
			text += "." + column.Text()
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

// TestEditStages has a change from one set to another: what each request removes and adds.
func TestEditStages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ before, after, stages string }{
		"nothing":                        {"a/t", "a/t", ": "},
		"nothing, one key twice":         {"a/t.x a/t.z", "a/t.x a/t.z", ": "},
		"another value":                  {"a/t.x b/u", "a/t.y b/u", "a/t.x: ; : a/t.y"},
		"another one of the same table":  {"a/t", "b/t", "a/t: ; : b/t"},
		"two that exchange their tables": {"a/t b/u", "a/u b/t", "a/t b/u: ; : a/u b/t"},
		"an addition beside":             {"a/t.x", "a/t.y b/u", "a/t.x: b/u; : a/t.y"},
		"an addition to a table":         {"a/t", "a/t b/t", ": b/t"},
		"removals, in order":             {"b/a a/b", "", "a/b b/a: "},
		"additions, in order":            {"", "b/a a/b a/10 a/9", ": a/10 a/9 a/b b/a"},
		"elements without a name":        {"/y", "/z a/t", ": a/t"},
		"one of two with one key":        {"a/t.x a/t", "a/t.x", "a/t.x a/t: ; : a/t.x"},
	} {
		var got []string
		for _, stage := range mapsKey.Edit(mapsOf(t, test.before), mapsOf(t, test.after)).Stages() {
			got = append(got, spelled(stage.Remove)+": "+spelled(stage.Add))
		}
		if got := strings.Join(got, "; "); got != test.stages {
			t.Errorf("%s: %q, want %q", name, got, test.stages)
		}
	}
}

// TestEditAsk has a change that was decided, and the set by now.
func TestEditAsk(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, after, now string
		want               tfvalue.Answer
		conflicts          string
	}{
		"as it was, but for another":            {"a/t.x b/u", "a/t.y b/u", "a/t.x b/u.z c/v", tfvalue.Due, ""},
		"as it is wanted, but for another":      {"a/t.x b/u", "a/t.y b/u", "a/t.y", tfvalue.Done, ""},
		"changed":                               {"a/t.x", "a/t.y", "a/t.z", tfvalue.Conflict, "a/t.z"},
		"one more of its table":                 {"a/t.x", "a/t.y", "a/t.x b/t", tfvalue.Conflict, "b/t"},
		"another one of its table changed":      {"a/t.x b/t", "a/t.y b/t", "a/t.x b/t.z", tfvalue.Conflict, "b/t.z"},
		"an addition under a key that is there": {"", "a/t", "a/t.z", tfvalue.Conflict, "a/t.z"},
		"half of it done":                       {"a/t b/u", "", "b/u", tfvalue.Conflict, "a/t"},
		"one key twice, as it was":              {"a/t.x a/t.z", "a/t.y", "a/t.x a/t.z", tfvalue.Due, ""},
		"one key twice":                         {"a/t.x", "a/t.y", "a/t.x a/t.z", tfvalue.Conflict, "a/t.z"},
	} {
		answer, conflicts := mapsKey.Edit(mapsOf(t, test.before), mapsOf(t, test.after)).Ask(mapsOf(t, test.now))
		if answer != test.want || spelled(conflicts) != test.conflicts {
			t.Errorf("%s: %d, %q; want %d, %q", name, answer, spelled(conflicts), test.want, test.conflicts)
		}
	}
}

// TestEditOn makes a change to a set that has moved on, and keeps its spelling.
func TestEditOn(t *testing.T) {
	t.Parallel()
	edit := mapsKey.Edit(mapsOf(t, "caf\u00e9/t a/u"), mapsOf(t, "a/u.y")).On(mapsOf(t, "cafe\u0301/t a/u c/v"))
	if got := spelled(edit.Remove) + ": " + spelled(edit.Add); got != "a/u cafe\u0301/t: a/u.y" || spelled(edit.After().Elements()) != "c/v a/u.y" {
		t.Errorf("%q leads to %q", got, spelled(edit.After().Elements()))
	}
}

// TestEditVerify has a set right before a change, and after it.
func TestEditVerify(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ held, now, wrong, lost, changed string }{
		"as it should be":        {"a/t.x b/u c/v", "a/t.y c/v", "", "", ""},
		"not added":              {"a/t.x b/u c/v", "c/v", "a/t.y", "", ""},
		"added otherwise":        {"a/t.x b/u c/v", "a/t c/v", "a/t.y", "", ""},
		"not removed":            {"a/t.x b/u c/v", "a/t.y b/u c/v", "b/u", "", ""},
		"another one is gone":    {"a/t.x b/u c/v", "a/t.y", "", "c/v", ""},
		"another one is changed": {"a/t.x b/u c/v", "a/t.y c/v.z", "", "", "c/v"},
		"one key twice":          {"a/t.x b/u c/v c/v.z", "a/t.y c/v c/v.z", "", "", ""},
		"one more":               {"a/t.x b/u c/v", "a/t.y c/v d/w", "", "", ""},
	} {
		wrong, lost, changed := mapsKey.Edit(mapsOf(t, "a/t.x b/u c/v"), mapsOf(t, "a/t.y c/v")).Verify(mapsOf(t, test.held), mapsOf(t, test.now))
		if spelled(wrong) != test.wrong || spelled(lost) != test.lost || spelled(changed) != test.changed {
			t.Errorf("%s: wrong %q, lost %q, changed %q; want %q, %q, %q", name, spelled(wrong), spelled(lost), spelled(changed), test.wrong, test.lost, test.changed)
		}
	}
}
