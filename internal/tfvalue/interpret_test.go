package tfvalue_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestInterpret has reads of an object: what was known before, the leaves that no read has
// returned, what this one returns, what is known then ("last" or "read" if it is one of them), and what is
// omitted.
func TestInterpret(t *testing.T) {
	t.Parallel()
	const (
		full  = `{"maps": [{"schema": "s", "table": "t", "hidden": ["x"], "sorted": true, "keys": ["k"]}]}`
		empty = `{"name": "", "list": [], "set": [], "on": false, "size": 0, "maps": []}`
		long  = `{"size": 0.1000000000000000055511151231257827, "set": ["a", "b"], "cert": "a"}`
	)
	for name, test := range map[string]struct{ last, unreturned, read, want, omitted string }{
		"the first read": {`null`, "", `{"name": "a"}`, "read", ""},
		"another value":  {`{"name": "a", "size": 1}`, "", `{"name": "b", "size": 1}`, "read", ""},

		// A leaf that a read omits.
		"each type":      {`{"name": "a", "size": 1, "on": true, "list": ["a"], "set": ["a"]}`, "", `{}`, "read", "list name on set size"},
		"never returned": {`{"name": "a", "size": 1}`, "name", `{"size": 2}`, `{"name": "a", "size": 2}`, ""},
		"empty":          {empty, "", `{}`, "last", ""},

		// The members of an object that a read omits keep their values.
		"an object in it": {`{"inner": {"name": "a"}, "size": 1}`, "", `{"size": 2}`, `{"inner": {"name": "a"}, "size": 2}`, ""},
		"a member":        {`{"name": "b", "inner": {"name": "a"}}`, "inner.name", `{"inner": {}}`, `{"inner": {"name": "a"}}`, "name"},

		// Alternatives: if one is returned, the others do not exist.
		"another one":    {`{"kind": {"cat": {"name": "a"}}}`, "", `{"kind": {"dog": {"name": "b"}}}`, "read", "kind.cat"},
		"a note alone":   {`{"kind": {"cat": {"name": "a"}}}`, "", `{"kind": {"note": "n"}}`, `{"kind": {"cat": {"name": "a"}, "note": "n"}}`, ""},
		"less":           {`{"kind": {"cat": {"name": "a", "size": 1}}}`, "", `{"kind": {"cat": {"size": 1}}}`, "read", "kind.cat.name"},
		"no alternative": {`{"inner": {"deep": {"on": true}}}`, "", `{"inner": {"more": {}}}`, `{"inner": {"deep": {"on": true}, "more": {}}}`, ""},

		// The last spelling stays where it means the same, but for names, which an update sends as the platform has them.
		"spellings":   {`{"size": 0.1, "set": ["b", "a"], "cert": "a\n"}`, "", long, `{"size": 0.1, "set": ["a", "b"], "cert": "a\n"}`, ""},
		"in a list":   {`{"pairs": [{"from": "a", "to": "b"}]}`, "", `{"pairs": [{"from": "a"}]}`, "last", ""},
		"in elements": {`{"maps": [{"schema": "s", "hidden": ["x", "y"]}]}`, "", `{"maps": [{"schema": "s", "hidden": ["y", "x"]}]}`, "read", "maps"},

		// A keyed map is returned in full or not.
		"all elements":     {full, "", `{}`, "read", "maps"},
		"a member of them": {full, "", `{"maps": [{"schema": "s", "table": "t", "sorted": true}]}`, "read", "maps"},
		"a name":           {`{"maps": []}`, "", `{"maps": [{"schema": "s"}]}`, "read", "maps"},
	} {
		unreturned := func(at tfvalue.Path) bool { return at.String() == test.unreturned }
		known, omitted := rules.Interpret(val(t, test.last), unreturned, val(t, test.read))
		want := strings.NewReplacer("last", test.last, "read", test.read).Replace(test.want)
		same(t, name, known, val(t, want))
		slices.SortFunc(omitted, func(a, b tfvalue.Leaf) int { return strings.Compare(a.Path.String(), b.Path.String()) })
		if got := paths(omitted); got != test.omitted {
			t.Errorf("%s: %q is omitted, want %q", name, got, test.omitted)
		}
		for _, leaf := range omitted {
			same(t, name+": the value of "+leaf.Path.String(), leaf.Value, val(t, test.last).At(leaf.Path...))
		}
	}
}
