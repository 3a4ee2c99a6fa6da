package tfvalue_test

import "testing"

func TestLeaves(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		value, leaves string
		pruned        string
	}{
		{`null`, "", `null`},
		{`{"inner": {"deep": {}}, "name": "a"}`, "name", `{"name": "a"}`},
		{`{"size": 0, "on": false, "name": "", "list": []}`, "list name on size", `{"size": 0, "on": false, "name": "", "list": []}`},
		{`{"inner": {"size": 1, "deep": {"on": true}}, "cert": "c"}`, "cert inner.deep.on inner.size", `{"inner": {"size": 1, "deep": {"on": true}}, "cert": "c"}`},
		// Paths that grow out of each other do not overwrite each other.
		{`{"inner": {"deep": {"far": {"x": true, "y": true}}}}`, "inner.deep.far.x inner.deep.far.y", `{"inner": {"deep": {"far": {"x": true, "y": true}}}}`},
		{`{"maps": [{"schema": "s"}], "pairs": [{"from": "a"}]}`, "maps pairs", `{"maps": [{"schema": "s"}], "pairs": [{"from": "a"}]}`},
		{`{"name": "??", "inner": "??"}`, "inner name", `{"name": "??", "inner": "??"}`},
	} {
		v := val(t, test.value)
		leaves := v.Leaves()
		if got := paths(leaves); got != test.leaves {
			t.Errorf("the leaves of %s are %q, want %q", test.value, got, test.leaves)
		}
		for _, leaf := range leaves {
			same(t, leaf.Path.String(), leaf.Value, v.At(leaf.Path...))
		}
		if v.AnyLeaf() != (test.leaves != "") {
			t.Errorf("AnyLeaf of %s is %t", test.value, v.AnyLeaf())
		}
		same(t, "pruned "+test.value, v.Prune(), val(t, test.pruned))
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ value, other, want string }{
		{`{"name": "b"}`, `{"name": "a", "size": 1}`, `{"name": "b", "size": 1}`},
		{`{"name": "", "on": false, "size": 0, "list": []}`, `{"name": "a", "on": true, "size": 1, "list": ["x"]}`, `{"name": "", "on": false, "size": 0, "list": []}`},
		{`{"name": "a"}`, `null`, `{"name": "a"}`},
		{`{"inner": {"name": "a"}}`, `{"inner": {"size": 1, "deep": {"on": true}}}`, `{"inner": {"name": "a", "size": 1, "deep": {"on": true}}}`},
		{`{"name": "??", "inner": "??"}`, `{"name": "a", "inner": {"name": "b"}}`, `{"name": "??", "inner": "??"}`},
		// A list or a set is one leaf: members of elements are not filled in.
		{`{"maps": [{"schema": "s"}]}`, `{"maps": [{"schema": "s", "sorted": true}]}`, `{"maps": [{"schema": "s"}]}`},
	} {
		same(t, test.value+" over "+test.other, val(t, test.value).Merge(val(t, test.other)), val(t, test.want))
	}
}
