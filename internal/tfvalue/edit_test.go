package tfvalue_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// mapsOf are maps. Each is written as its schema, table and hidden column, such as
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

// TestSteps has a change from some maps to others: what the first PATCH removes, what the second adds, and what the third removes.
func TestSteps(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ from, to, first, added, last string }{
		"nothing":                        {"a/t", "a/t", "", "", ""},
		"beside one key twice":           {"a/t.x a/t.z", "a/t.x a/t.z b/u b/10 b/9", "", "b/10 b/9 b/u", ""},
		"another value":                  {"a/t.x b/u", "a/t.y b/u", "a/t.x", "a/t.y", ""},
		"another one of the same table":  {"a/t", "b/t", "a/t", "b/t", ""},
		"in another letter case":         {"a/t", "a/T", "a/t", "a/T", ""},
		"its table in another case":      {"a/t", "b/T", "a/t", "b/T", ""},
		"two that exchange their tables": {"a/t b/u", "a/u b/t", "a/t b/u", "a/u b/t", ""},
		"an addition beside":             {"a/t.x", "a/t.y b/u", "a/t.x", "a/t.y b/u", ""},
		"a removal beside":               {"a/t.x b/u", "a/t.y", "a/t.x", "a/t.y", "b/u"},
		"a removal alone":                {"a/t b/u", "a/t", "", "", "b/u"},
		"an addition to a table":         {"a/t", "a/t b/t", "", "b/t", ""},
		"elements without a name":        {"/y", "/z a/t", "", "a/t", ""},
		"one of two with one key":        {"a/t.x a/t", "a/t.x", "a/t.x a/t", "a/t.x", ""},
	} {
		steps := mapsKey.Steps(mapsKey.Difference(mapsOf(t, test.to), mapsOf(t, test.from)))
		want := []string{test.first + ": ", ": " + test.added, test.last + ": "}
		for i, step := range steps {
			if got := spelled(step.Remove) + ": " + spelled(step.Add); got != want[i] {
				t.Errorf("%s: step %d is %q, want %q", name, i, got, want[i])
			}
		}
		if len(steps) != len(want) {
			t.Errorf("%s: %d steps", name, len(steps))
		}
	}
}

// TestChanged has a change that was decided, and which of its elements, and of those related to them, have changed by now.
func TestChanged(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ from, to, now, changed string }{
		"as it was, but for another":            {"a/t.x b/u", "a/t.y b/u", "a/t.x b/u.z c/v", ""},
		"gone":                                  {"a/t.x b/u", "a/t.y b/u", "", "a/t.x"},
		"as it is wanted in the end":            {"a/t.x b/u", "a/t.y b/u", "a/t.y b/u", "a/t.y"},
		"changed":                               {"a/t.x", "a/t.y", "a/t.z", "a/t.z"},
		"one more of its table":                 {"a/t.x", "a/t.y", "a/t.x b/t", "b/t"},
		"half of it done":                       {"a/t b/u", "", "b/u", "a/t"},
		"removed, and replaced under its table": {"a/t c/u", "b/t c/u.x", "c/u", "a/t"},
		"one key twice, as it was":              {"a/t.x a/t.z", "a/t.y", "a/t.x a/t.z", ""},
		"one key twice":                         {"a/t.x", "a/t.y", "a/t.x a/t.z", "a/t.x a/t.z"},
	} {
		from := mapsOf(t, test.from)
		edit := mapsKey.Difference(mapsOf(t, test.to), from)
		if got := spelled(mapsKey.Changed(edit.All(), from, mapsOf(t, test.now))); got != test.changed {
			t.Errorf("%s: changed %q", name, got)
		}
	}
}

// TestKeyOf has elements of every two names: no two have one key, whatever is in a name, each key has
// its names, and no other text is a key.
func TestKeyOf(t *testing.T) {
	t.Parallel()
	names := []string{" ", `"`, `""`, `" "`, `\`, `\"`, "a", "a b", `a"."b`, "b", ".", "a.b", "%q", "\n", `\n`, "\u2028"}
	keys, none := map[string]bool{}, at(t, "maps", "[{}]").Elements()[0]
	for _, schema := range names {
		for _, table := range names {
			key := mapsKey.Of(none.With(tfvalue.String(schema), "schema").With(tfvalue.String(table), "table"))
			if split, isKey := mapsKey.Split(key); !isKey || !slices.Equal(split, []string{schema, table}) {
				t.Errorf("the key %s is split into %q, %t", key, split, isKey)
			}
			keys[key] = true
		}
	}
	if len(keys) != len(names)*len(names) {
		t.Errorf("%d keys of %d elements", len(keys), len(names)*len(names))
	}
	for _, text := range []string{"", "a", "a.", ".b", ".", "a.b.c", `"a".b`, `"a.b`, `a."".c`, `"".b`, `a"."b`, `"a.b".c (2).d`} {
		if names, isKey := mapsKey.Split(text); isKey {
			t.Errorf("%q is a key of %q", text, names)
		}
	}
}

// TestKeysOfElements has maps as a response and a configuration have them: a key that is repeated, or
// lacks a name, and names that follow from the key.
func TestKeysOfElements(t *testing.T) {
	t.Parallel()
	const one, two = `{"schema": "a", "table": "b.c"}`, `{"schema": "a", "table": "b.c", "rank": 1}`
	read := at(t, "maps", `[`+one+`, `+two+`, `+two+`, `+one+`, {"schema": "a", "table": "b.c", "rank": 2}, {"schema": "a"}]`)
	var keys []string
	for key := range read.Members() {
		keys = append(keys, key)
	}
	if got, want := strings.Join(keys, " | "), `a."" | a."b.c" | a."b.c" (2) | a."b.c" (3)`; got != want {
		t.Errorf("the keys are %s, want %s", got, want)
	}
	const rest = `"hidden": [], "sorted": false, "keys": [], "note": ""}`
	same(t, "filled", rules.Fill("maps", at(t, "maps", `{"a.t": {"rank": 1}, "b.t": {"schema": "c"}, "b": {}, "d.t": "??", "e.t": null}`)), at(t, "maps",
		`{"a.t": {"schema": "a", "table": "t", "rank": 1, `+rest+`, "b.t": {"schema": "c", "table": "t", "rank": 0, `+rest+`,
		  "b": {"rank": 0, `+rest+`, "d.t": "??", "e.t": null}`))
	same(t, "named", mapsKey.Named(at(t, "maps", `{"a.t": "??", "b.t": {"schema": "??", "rank": 1}}`)), at(t, "maps",
		`{"a.t": {"schema": "a", "table": "t", "rank": "??", "hidden": "??", "sorted": "??", "keys": "??", "note": "??"}, "b.t": {"schema": "b", "rank": 1}}`))
}
