package tfvalue_test

import (
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestWith has objects with another value at a path, and holds that none of them changes the
// value it is called on: they share maps. Without is With null.
func TestWith(t *testing.T) {
	t.Parallel()
	const full = `{"name": "a", "size": 1, "inner": {"name": "b", "deep": {"on": true, "cert": "c"}}}`
	for _, test := range []struct{ value, path, to, want string }{
		{full, "name", `"z"`, `{"name": "z", "size": 1, "inner": {"name": "b", "deep": {"on": true, "cert": "c"}}}`},
		{full, "inner.deep.on", `false`, `{"name": "a", "size": 1, "inner": {"name": "b", "deep": {"on": false, "cert": "c"}}}`},
		{full, "inner.deep", `"??"`, `{"name": "a", "size": 1, "inner": {"name": "b", "deep": "??"}}`},
		{full, "inner", `null`, `{"name": "a", "size": 1}`},
		{full, "", `{"name": "z"}`, `{"name": "z"}`},
		{`{"name": "a"}`, "inner.deep.on", `true`, `{"name": "a"}`},
		{`null`, "name", `"z"`, `null`},
		{`"??"`, "name", `"z"`, `"??"`},
	} {
		value := val(t, test.value)
		to := parse(t, value.At(names(test.path)...).Type(), test.to)
		what := test.value + " with " + test.path + " = " + test.to
		same(t, what, value.With(to, names(test.path)...), val(t, test.want))
		if to.IsNull() {
			same(t, what, value.Without(names(test.path)...), val(t, test.want))
		}
		same(t, what+": the value itself", value, val(t, test.value))
	}
}

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

// TestOtherForms has values, in which cafe' is the name in another form than Terraform's.
func TestOtherForms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ leaf, held, want string }{
		{"set", `["cafe'", "x", "cafe'"]`, "caf\u00e9"},
		{"list", `["caf\u00e9", "x"]`, ""},
		{"list", `["t\ud800l", "x"]`, "t\ufffdl"}, // half a surrogate pair
		{"maps", `[{"schema": "a", "table": "cafe'", "hidden": ["b", "a'"]}]`, "caf\u00e9 \u00e1"},
	} {
		form := strings.NewReplacer("'", "\u0301").Replace
		if got := strings.Join(at(t, test.leaf, form(test.held)).OtherForms(), " "); got != test.want {
			t.Errorf("%s %s: %q, want %q", test.leaf, test.held, got, test.want)
		}
	}
	if forms := tfvalue.String("caf\u00e9").OtherForms(); len(forms) > 0 {
		t.Error(forms)
	}
}
