package tfvalue_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// interpretation is a read of an object: what was known before, the leaves that no
// read has returned, what this one returns, what is known then, what is missing.
type interpretation struct{ name, last, unreported, read, want, missing string }

func (test interpretation) check(t *testing.T) {
	t.Helper()
	unreported := func(at tfvalue.Path) bool { return slices.Contains(strings.Fields(test.unreported), at.String()) }
	known, missing := rules.Interpret(val(t, test.last), unreported, val(t, test.read))
	same(t, test.name, known, val(t, test.want))
	slices.SortFunc(missing, func(a, b tfvalue.Leaf) int { return strings.Compare(a.Path.String(), b.Path.String()) })
	if got := paths(missing); got != test.missing {
		t.Errorf("%s: %q is missing, want %q", test.name, got, test.missing)
	}
	for _, leaf := range missing {
		same(t, test.name+": the value of "+leaf.Path.String(), leaf.Value, val(t, test.last).At(leaf.Path...))
	}
}

// TestInterpret has reads of single leaves and objects.
func TestInterpret(t *testing.T) {
	t.Parallel()
	for _, test := range []interpretation{
		{"the first read", `null`, "", `{"name": "a"}`, `{"name": "a"}`, ""},
		{"the first read omits a field", `null`, "", `{"name": "a", "inner": {}}`, `{"name": "a", "inner": {}}`, ""},
		{"another value", `{"name": "a", "size": 1}`, "", `{"name": "b", "size": 1}`, `{"name": "b", "size": 1}`, ""},
		{"to empty", `{"name": "a", "list": ["a"], "on": true, "size": 1}`, "", `{"name": "", "list": [], "on": false, "size": 0}`, `{"name": "", "list": [], "on": false, "size": 0}`, ""},
		{"what was null", `{}`, "", `{"name": "a", "inner": {"size": 1}}`, `{"name": "a", "inner": {"size": 1}}`, ""},
		{"what was not known", `{"name": "??", "inner": "??"}`, "", `{"name": "a", "inner": {"size": 1}}`, `{"name": "a", "inner": {"size": 1}}`, ""},
		{"what was not known is omitted", `{"name": "??"}`, "", `{}`, `{}`, ""},

		// A leaf that a read omits.
		{"returned before", `{"name": "a", "size": 1}`, "", `{"size": 2}`, `{"size": 2}`, "name"},
		{"each type", `{"name": "a", "size": 1, "on": true, "list": ["a"], "set": ["a"], "pairs": [{"to": "b"}]}`, "", `{}`, `{}`, "list name on pairs set size"},
		{"never returned", `{"name": "a", "size": 1}`, "name", `{"size": 2}`, `{"name": "a", "size": 2}`, ""},
		{"never returned, and returned now", `{"name": "a"}`, "name", `{"name": "b"}`, `{"name": "b"}`, ""},
		{"empty", `{"name": "", "list": [], "set": [], "on": false, "size": 0, "maps": []}`, "", `{}`, `{"name": "", "list": [], "set": [], "on": false, "size": 0, "maps": []}`, ""},
		{"elements of empty values are not empty", `{"list": [""], "maps": [{}]}`, "", `{}`, `{}`, "list maps"},
		{"one returned, one not", `{"name": "a", "size": 1}`, "size", `{}`, `{"size": 1}`, "name"},

		// The members of an object that a read omits keep their values.
		{"the object", `{"name": "a"}`, "", `null`, `{"name": "a"}`, ""},
		{"an object in it", `{"inner": {"name": "a", "deep": {"on": true}}, "size": 1}`, "", `{"size": 2}`, `{"inner": {"name": "a", "deep": {"on": true}}, "size": 2}`, ""},
		{"an object below", `{"inner": {"name": "a", "deep": {"on": true}}}`, "", `{"inner": {"name": "b"}}`, `{"inner": {"name": "b", "deep": {"on": true}}}`, ""},
		{"a member of an object", `{"inner": {"name": "a", "size": 1}}`, "", `{"inner": {"size": 2}}`, `{"inner": {"size": 2}}`, "inner.name"},
		{"a member below", `{"inner": {"deep": {"on": true, "cert": "a"}}}`, "", `{"inner": {"deep": {}}}`, `{"inner": {"deep": {}}}`, "inner.deep.cert inner.deep.on"},
		{"a member that was never returned", `{"name": "b", "inner": {"name": "a"}}`, "inner.name", `{"inner": {}}`, `{"inner": {"name": "a"}}`, "name"},
		{"an object without members", `{"inner": {}}`, "", `{"inner": {}}`, `{"inner": {}}`, ""},

		// Alternatives: if one is returned, the others do not exist.
		{"another one", `{"kind": {"cat": {"name": "a"}}}`, "", `{"kind": {"dog": {"name": "b"}}}`, `{"kind": {"dog": {"name": "b"}}}`, "kind.cat"},
		{"another one, never returned", `{"kind": {"cat": {"name": "a"}}}`, "kind.cat.name", `{"kind": {"dog": {}}}`, `{"kind": {"dog": {}}}`, "kind.cat"},
		{"none", `{"kind": {"cat": {"name": "a"}}}`, "", `{"kind": {}}`, `{"kind": {"cat": {"name": "a"}}}`, ""},
		{"none, but a note", `{"kind": {"cat": {"name": "a"}}}`, "", `{"kind": {"note": "n"}}`, `{"kind": {"cat": {"name": "a"}, "note": "n"}}`, ""},
		{"the object itself is omitted", `{"kind": {"cat": {"name": "a"}}}`, "", `{}`, `{"kind": {"cat": {"name": "a"}}}`, ""},
		{"the same one, with less", `{"kind": {"cat": {"name": "a", "size": 1}}}`, "", `{"kind": {"cat": {"size": 1}}}`, `{"kind": {"cat": {"size": 1}}}`, "kind.cat.name"},
		{"a note is no alternative", `{"kind": {"note": "n", "cat": {"name": "a"}}}`, "", `{"kind": {"cat": {"name": "a"}}}`, `{"kind": {"cat": {"name": "a"}}}`, "kind.note"},
		{"objects elsewhere are no alternatives", `{"inner": {"deep": {"on": true}}}`, "", `{"inner": {"more": {"on": true}}}`, `{"inner": {"deep": {"on": true}, "more": {"on": true}}}`, ""},

		// The last spelling stays where it means the same.
		{"spellings", `{"size": "~4", "set": ["b", "a"], "cert": "a\n"}`, "", `{"size": 4.0, "set": ["a", "b"], "cert": "a"}`, `{"size": "~4", "set": ["a", "b"], "cert": "a\n"}`, ""},
		{"a list in another order", `{"list": ["a", "b"]}`, "", `{"list": ["b", "a"]}`, `{"list": ["b", "a"]}`, ""},
		{"a member that elements of a list omit", `{"pairs": [{"from": "a", "to": "b"}]}`, "", `{"pairs": [{"from": "a"}]}`, `{"pairs": [{"from": "a", "to": "b"}]}`, ""},
		{"and another element comes", `{"pairs": [{"from": "a", "to": "b"}]}`, "", `{"pairs": [{"from": "a"}, {"from": "c"}]}`, `{"pairs": [{"from": "a"}, {"from": "c"}]}`, ""},
	} {
		test.check(t)
	}
}

// TestInterpretKeyedSets has reads of a keyed set, which is returned in full or not.
func TestInterpretKeyedSets(t *testing.T) {
	t.Parallel()
	const full = `{"schema": "s", "table": "t", "hidden": ["x"], "sorted": true, "keys": ["k"]}`
	for _, test := range []interpretation{
		// An update sends names as the platform spells them.
		{"another order", `{"maps": [{"schema": "s", "table": "t"}, {"schema": "t", "table": "t"}]}`, "", `{"maps": [{"schema": "t", "table": "t"}, {"schema": "s", "table": "t"}]}`, `{"maps": [{"schema": "t", "table": "t"}, {"schema": "s", "table": "t"}]}`, ""},
		{"other spellings", `{"maps": [{"schema": "s", "table": "t", "hidden": ["x", "y"]}]}`, "", `{"maps": [{"schema": "s", "table": "t", "hidden": ["y", "x"]}]}`, `{"maps": [{"schema": "s", "table": "t", "hidden": ["y", "x"]}]}`, ""},
		{"another normal form", `{"maps": [{"schema": "s", "table": "t", "hidden": ["\u00e9"]}]}`, "", `{"maps": [{"schema": "s", "table": "t", "hidden": ["e\u0301"]}]}`, `{"maps": [{"schema": "s", "table": "t", "hidden": ["e\u0301"]}]}`, ""},
		{"what is empty is returned now", `{"maps": [{"schema": "s", "table": "t"}]}`, "", `{"maps": [{"schema": "s", "table": "t", "hidden": [], "sorted": false}]}`, `{"maps": [{"schema": "s", "table": "t", "hidden": [], "sorted": false}]}`, ""},
		{"an element comes", `{"maps": [{"schema": "s", "table": "t"}]}`, "", `{"maps": [{"schema": "t", "table": "t"}, {"schema": "s", "table": "t"}]}`, `{"maps": [{"schema": "t", "table": "t"}, {"schema": "s", "table": "t"}]}`, ""},
		{"an element goes", `{"maps": [{"schema": "s", "table": "t"}, {"schema": "t", "table": "t"}]}`, "", `{"maps": [{"schema": "t", "table": "t"}]}`, `{"maps": [{"schema": "t", "table": "t"}]}`, ""},
		{"all go", `{"maps": [{"schema": "s", "table": "t"}]}`, "", `{"maps": []}`, `{"maps": []}`, ""},
		{"all are omitted", `{"maps": [{"schema": "s", "table": "t"}]}`, "", `{}`, `{}`, "maps"},
		{"none are omitted", `{"maps": []}`, "", `{}`, `{"maps": []}`, ""},
		{"all are omitted, never returned", `{"maps": [{"schema": "s", "table": "t"}]}`, "maps", `{}`, `{"maps": [{"schema": "s", "table": "t"}]}`, ""},
		{"a member changes", `{"maps": [{"schema": "s", "table": "t", "sorted": true}]}`, "", `{"maps": [{"schema": "s", "table": "t", "sorted": false}]}`, `{"maps": [{"schema": "s", "table": "t", "sorted": false}]}`, ""},
		{"a member comes", `{"maps": [{"schema": "s", "table": "t"}]}`, "", `{"maps": [` + full + `]}`, `{"maps": [` + full + `]}`, ""},

		// Elements that omit members.
		{"returned before", `{"maps": [` + full + `]}`, "", `{"maps": [{"schema": "s", "table": "t", "sorted": true}]}`, `{"maps": [{"schema": "s", "table": "t", "sorted": true}]}`, "maps"},
		{"one of two", `{"maps": [` + full + `, {"schema": "u", "table": "t", "sorted": true}]}`, "", `{"maps": [` + full + `, {"schema": "u", "table": "t"}]}`, `{"maps": [` + full + `, {"schema": "u", "table": "t"}]}`, "maps"},
		{"empty", `{"maps": [{"schema": "s", "table": "t", "hidden": [], "sorted": false, "keys": []}]}`, "", `{"maps": [{"schema": "s", "table": "t"}]}`, `{"maps": [{"schema": "s", "table": "t"}]}`, ""},
		{"a name", `{"maps": [` + full + `]}`, "", `{"maps": [{"schema": "s", "hidden": ["x"], "sorted": true, "keys": ["k"]}]}`, `{"maps": [{"schema": "s", "hidden": ["x"], "sorted": true, "keys": ["k"]}]}`, "maps"},
		{"a name of another one", `{"maps": []}`, "", `{"maps": [{"schema": "s"}]}`, `{"maps": [{"schema": "s"}]}`, "maps"},
		{"another element's", `{"maps": [` + full + `]}`, "", `{"maps": [` + full + `, {"schema": "u", "table": "t"}]}`, `{"maps": [` + full + `, {"schema": "u", "table": "t"}]}`, ""},
		{"never returned", `{"maps": [` + full + `]}`, "maps", `{"maps": [{"schema": "s", "table": "t"}]}`, `{"maps": [{"schema": "s", "table": "t"}]}`, "maps"},
		{"never returned, and the element goes", `{"maps": [` + full + `]}`, "maps", `{"maps": []}`, `{"maps": []}`, ""},
	} {
		test.check(t)
	}
}
