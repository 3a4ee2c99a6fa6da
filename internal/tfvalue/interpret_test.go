package tfvalue_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestInterpret has reads of an object: what was known before, the leaves that no read has
// returned, what this one returns, what is known then, what is omitted.
func TestInterpret(t *testing.T) {
	t.Parallel()
	const full = `{"schema": "s", "table": "t", "hidden": ["x"], "sorted": true, "keys": ["k"]}`
	for _, test := range []struct{ name, last, unreturned, read, want, omitted string }{
		{"the first read", `null`, "", `{"name": "a"}`, `{"name": "a"}`, ""},
		{"another value", `{"name": "a", "size": 1}`, "", `{"name": "b", "size": 1}`, `{"name": "b", "size": 1}`, ""},

		// A leaf that a read omits.
		{"each type", `{"name": "a", "size": 1, "on": true, "list": ["a"], "set": ["a"], "pairs": [{"to": "b"}]}`, "", `{}`, `{}`, "list name on pairs set size"},
		{"never returned", `{"name": "a", "size": 1}`, "name", `{"size": 2}`, `{"name": "a", "size": 2}`, ""},
		{"empty", `{"name": "", "list": [], "set": [], "on": false, "size": 0, "maps": []}`, "", `{}`, `{"name": "", "list": [], "set": [], "on": false, "size": 0, "maps": []}`, ""},

		// The members of an object that a read omits keep their values.
		{"an object in it", `{"inner": {"name": "a", "deep": {"on": true}}, "size": 1}`, "", `{"size": 2}`, `{"inner": {"name": "a", "deep": {"on": true}}, "size": 2}`, ""},
		{"a member that was never returned", `{"name": "b", "inner": {"name": "a"}}`, "inner.name", `{"inner": {}}`, `{"inner": {"name": "a"}}`, "name"},

		// Alternatives: if one is returned, the others do not exist.
		{"another one", `{"kind": {"cat": {"name": "a"}}}`, "", `{"kind": {"dog": {"name": "b"}}}`, `{"kind": {"dog": {"name": "b"}}}`, "kind.cat"},
		{"none, but a note", `{"kind": {"cat": {"name": "a"}}}`, "", `{"kind": {"note": "n"}}`, `{"kind": {"cat": {"name": "a"}, "note": "n"}}`, ""},
		{"the same one, with less", `{"kind": {"cat": {"name": "a", "size": 1}}}`, "", `{"kind": {"cat": {"size": 1}}}`, `{"kind": {"cat": {"size": 1}}}`, "kind.cat.name"},
		{"objects elsewhere are no alternatives", `{"inner": {"deep": {"on": true}}}`, "", `{"inner": {"more": {"on": true}}}`, `{"inner": {"deep": {"on": true}, "more": {"on": true}}}`, ""},

		// The last spelling stays where it means the same.
		{"spellings", `{"size": 0.1, "set": ["b", "a"], "cert": "a\n"}`, "", `{"size": 0.1000000000000000055511151231257827, "set": ["a", "b"], "cert": "a"}`, `{"size": 0.1, "set": ["a", "b"], "cert": "a\n"}`, ""},
		{"a member that elements of a list omit", `{"pairs": [{"from": "a", "to": "b"}]}`, "", `{"pairs": [{"from": "a"}]}`, `{"pairs": [{"from": "a", "to": "b"}]}`, ""},

		// A keyed map is returned in full or not.
		// An update sends names as the platform spells them.
		{"other spellings", `{"maps": [{"schema": "s", "table": "t", "hidden": ["x", "y"]}]}`, "", `{"maps": [{"schema": "s", "table": "t", "hidden": ["y", "x"]}]}`, `{"maps": [{"schema": "s", "table": "t", "hidden": ["y", "x"]}]}`, ""},
		{"all are omitted", `{"maps": [{"schema": "s", "table": "t"}]}`, "", `{}`, `{}`, "maps"},

		// Elements that omit members.
		{"returned before", `{"maps": [` + full + `]}`, "", `{"maps": [{"schema": "s", "table": "t", "sorted": true}]}`, `{"maps": [{"schema": "s", "table": "t", "sorted": true}]}`, "maps"},
		{"a name of another one", `{"maps": []}`, "", `{"maps": [{"schema": "s"}]}`, `{"maps": [{"schema": "s"}]}`, "maps"},
		{"never returned", `{"maps": [` + full + `]}`, "maps", `{"maps": [{"schema": "s", "table": "t"}]}`, `{"maps": [{"schema": "s", "table": "t"}]}`, "maps"},
	} {
		unreturned := func(at tfvalue.Path) bool { return slices.Contains(strings.Fields(test.unreturned), at.String()) }
		known, omitted := rules.Interpret(val(t, test.last), unreturned, val(t, test.read))
		same(t, test.name, known, val(t, test.want))
		slices.SortFunc(omitted, func(a, b tfvalue.Leaf) int { return strings.Compare(a.Path.String(), b.Path.String()) })
		if got := paths(omitted); got != test.omitted {
			t.Errorf("%s: %q is omitted, want %q", test.name, got, test.omitted)
		}
		for _, leaf := range omitted {
			same(t, test.name+": the value of "+leaf.Path.String(), leaf.Value, val(t, test.last).At(leaf.Path...))
		}
	}
}
