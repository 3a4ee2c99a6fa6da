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

// TestStep has a change from one set to another: what each PATCH removes and adds.
func TestStep(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ base, want, steps string }{
		"nothing":                        {"a/t", "a/t", ""},
		"nothing, one key twice":         {"a/t.x a/t.z", "a/t.x a/t.z", ""},
		"beside one key twice":           {"a/t.x a/t.z", "a/t.x a/t.z b/u", ": b/u"},
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
		want := mapsOf(t, test.want)
		for base := mapsOf(t, test.base); len(got) < 3; {
			step := mapsKey.Step(base, want)
			if step.IsEmpty() {
				break
			}
			got = append(got, spelled(step.Remove)+": "+spelled(step.Add))
			base = mapsKey.After(base, step)
		}
		if got := strings.Join(got, "; "); got != test.steps {
			t.Errorf("%s: %q, want %q", name, got, test.steps)
		}
	}
}

// TestGuard has a change that was decided, and the set by now, before its first PATCH.
func TestGuard(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		base, want, now string
		answer          tfvalue.Answer
		conflicts       string
	}{
		"as it was, but for another":             {"a/t.x b/u", "a/t.y b/u", "a/t.x b/u.z c/v", tfvalue.Pending, ""},
		"as the PATCH wants it, but for another": {"a/t.x b/u", "a/t.y b/u", "", tfvalue.Done, ""},
		"as it is wanted in the end":             {"a/t.x b/u", "a/t.y b/u", "a/t.y b/u", tfvalue.Conflict, "a/t.y"},
		"changed":                                {"a/t.x", "a/t.y", "a/t.z", tfvalue.Conflict, "a/t.z"},
		"one more of its table":                  {"a/t.x", "a/t.y", "a/t.x b/t", tfvalue.Conflict, "b/t"},
		"another one of its table changed":       {"a/t.x b/t", "a/t.y b/t", "a/t.x b/t.z", tfvalue.Conflict, "b/t.z"},
		"an addition under a key that is there":  {"", "a/t", "a/t.z", tfvalue.Conflict, "a/t.z"},
		"half of it done":                        {"a/t b/u", "", "b/u", tfvalue.Conflict, "a/t"},
		"removed, and replaced under its table":  {"a/t c/u", "b/t c/u.x", "c/u", tfvalue.Conflict, "a/t"},
		"one key twice, as it was":               {"a/t.x a/t.z", "a/t.y", "a/t.x a/t.z", tfvalue.Pending, ""},
		"one key twice":                          {"a/t.x", "a/t.y", "a/t.x a/t.z", tfvalue.Conflict, "a/t.x a/t.z"},
		"dropped before, and there again":        {"b/u", "b/u a/t", "b/u a/t", tfvalue.Done, ""},
	} {
		base, want := mapsOf(t, test.base), mapsOf(t, test.want)
		answer, conflicts := mapsKey.Guard(base, mapsKey.After(base, mapsKey.Step(base, want)), want, mapsOf(t, test.now))
		if answer != test.answer || spelled(conflicts) != test.conflicts {
			t.Errorf("%s: %d, %q; want %d, %q", name, answer, spelled(conflicts), test.answer, test.conflicts)
		}
	}
}

// TestOutcome has a set at the beginning, right before a PATCH that removes b/u and adds a/t.y,
// and after it.
func TestOutcome(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		begin, before, now, late, wrong, lost, changed string
		isPast                                         bool
	}{
		"as it should be":                 {"b/u c/v", "b/u c/v", "a/t.y c/v", "", "", "", "", false},
		"not added yet":                   {"b/u c/v", "b/u c/v", "c/v", "a/t.y", "", "", "", false},
		"not added, as at the beginning":  {"a/t.x b/u", "b/u", "a/t.x", "a/t.y", "", "", "", false},
		"added otherwise":                 {"b/u c/v", "b/u c/v", "a/t c/v", "", "a/t.y", "", "", false},
		"added twice":                     {"b/u c/v", "b/u c/v", "a/t a/t.y c/v", "", "a/t.y", "", "", false},
		"not removed yet":                 {"b/u c/v", "b/u c/v", "a/t.y b/u c/v", "b/u", "", "", "", false},
		"not removed, with another value": {"b/u c/v", "b/u c/v", "a/t.y b/u.z c/v", "b/u", "", "", "", false},
		"another one is gone":             {"b/u c/v", "b/u c/v", "a/t.y", "", "", "c/v", "", false},
		"another one is not there yet":    {"b/u", "b/u c/v", "a/t.y", "", "", "c/v", "", true},
		"it is not, and a third is gone":  {"b/u d/w", "b/u c/v d/w", "a/t.y", "", "", "c/v d/w", "", false},
		"another one is changed":          {"b/u c/v", "b/u c/v", "a/t.y c/v.z", "", "", "", "c/v", false},
		"another one is as it was":        {"b/u c/v.z", "b/u c/v", "a/t.y c/v.z", "", "", "", "c/v", true},
		"one key twice":                   {"b/u c/v c/v.z", "b/u c/v c/v.z", "a/t.y c/v c/v.z", "", "", "", "", false},
		"one without a name is gone":      {"b/u /w c/v", "b/u /w c/v", "a/t.y c/v", "", "", "", "", false},
		"one more":                        {"b/u c/v", "b/u c/v", "a/t.y c/v d/w", "", "", "", "", false},
	} {
		edit := tfvalue.Edit{Remove: mapsOf(t, "b/u").Elements(), Add: mapsOf(t, "a/t.y").Elements()}
		o := mapsKey.Outcome(edit, mapsOf(t, test.begin), mapsOf(t, test.before), mapsOf(t, test.now))
		if spelled(o.Late) != test.late || spelled(o.Wrong) != test.wrong || spelled(o.Lost) != test.lost || spelled(o.Changed) != test.changed || o.IsPast != test.isPast {
			t.Errorf("%s: late %q, wrong %q, lost %q, changed %q, past %t", name, spelled(o.Late), spelled(o.Wrong), spelled(o.Lost), spelled(o.Changed), o.IsPast)
		}
	}
}
