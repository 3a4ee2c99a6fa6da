package tfvalue_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

func TestAt(t *testing.T) {
	defer start(t)()
	for _, test := range []struct{ value, path, want string }{
		{`{"name": "a"}`, "name", `"a"`},
		{`{"inner": {"deep": {"on": true}}}`, "inner.deep.on", `true`},
		{`{}`, "inner.deep.on", `null`},
		{`null`, "inner.deep.on", `null`},
		{`"??"`, "inner.deep.on", `"??"`},
		{`{"inner": "??"}`, "inner.deep.on", `"??"`},
		{`{"inner": "??"}`, "name", `null`},
	} {
		got := val(t, test.value).At(names(test.path)...)
		same(t, test.path+" of "+test.value, got, parse(t, got.Type(), test.want))
	}
	same(t, "below null", val(t, `null`).At("inner", "set"), at(t, "set", `null`))
	same(t, "below unknown", val(t, `"??"`).At("inner", "set"), at(t, "set", `"??"`))
}

// TestWith has objects with another value at a path, and holds that none of them changes the
// value it is called on: they share maps. Without is With null.
func TestWith(t *testing.T) {
	defer start(t)()
	const full = `{"name": "a", "size": 1, "inner": {"name": "b", "deep": {"on": true, "cert": "c"}}}`
	for _, test := range []struct{ value, path, to, want string }{
		{full, "name", `"z"`, `{"name": "z", "size": 1, "inner": {"name": "b", "deep": {"on": true, "cert": "c"}}}`},
		{full, "inner.deep.on", `false`, `{"name": "a", "size": 1, "inner": {"name": "b", "deep": {"on": false, "cert": "c"}}}`},
		{full, "inner.deep", `"??"`, `{"name": "a", "size": 1, "inner": {"name": "b", "deep": "??"}}`},
		{full, "inner", `null`, `{"name": "a", "size": 1}`},
		{full, "inner.deep.on", `null`, `{"name": "a", "size": 1, "inner": {"name": "b", "deep": {"cert": "c"}}}`},
		{full, "", `{"name": "z"}`, `{"name": "z"}`},
		{`{"name": "a"}`, "inner.deep.on", `true`, `{"name": "a"}`},
		{`{"inner": "??"}`, "inner.deep.on", `true`, `{"inner": "??"}`},
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

func TestMembersAndElements(t *testing.T) {
	defer start(t)()
	for _, text := range []string{`null`, `"??"`} {
		for name, member := range val(t, text).Members() {
			t.Errorf("%s has a member %s = %s", text, name, show(member))
		}
		same(t, "no elements", tfvalue.Collection(list(tftypes.String), at(t, "list", text).Elements()), at(t, "list", `[]`))
	}
	const elements = `["b", "a", "??", null]`
	same(t, "elements", tfvalue.Collection(set(tftypes.String), at(t, "set", elements).Elements()), at(t, "set", elements))
}

// TestReadings has what Go makes of values that are null, unknown or of another type, and
// which an omitted field may mean.
func TestReadings(t *testing.T) {
	defer start(t)()
	for _, test := range []struct {
		name, value, text string
		isTrue            bool
		number            string
		empty, isObject   bool
	}{
		{"name", `"a"`, "a", false, "0", false, false},
		{"name", `""`, "", false, "0", true, false},
		{"name", `"??"`, "", false, "0", false, false},
		{"on", `true`, "", true, "0", false, false},
		{"on", `false`, "", false, "0", true, false},
		{"size", `2.5`, "", false, "2.5", false, false},
		{"size", `"??"`, "", false, "0", false, false},
		{"list", `[]`, "", false, "0", true, false},
		{"tags", `{}`, "", false, "0", true, false},
		{"tags", `{"a": ""}`, "", false, "0", false, false},
		{"inner", `{}`, "", false, "0", false, true},
		{"inner", `"??"`, "", false, "0", false, false},
	} {
		v := at(t, test.name, test.value)
		if v.Text() != test.text || v.True() != test.isTrue || v.Number().Text('f', -1) != test.number || v.IsEmpty() != test.empty || v.IsObject() != test.isObject {
			t.Errorf("%s %s is %q, %t, %s, empty %t, an object %t", test.name, test.value, v.Text(), v.True(), v.Number().Text('f', -1), v.IsEmpty(), v.IsObject())
		}
	}
	if (tfvalue.Value{}).IsObject() {
		t.Error("no value is an object")
	}
	same(t, "String", tfvalue.String("a"), at(t, "name", `"a"`))
	same(t, "Optional", tfvalue.Optional(new("a")), at(t, "name", `"a"`))
	same(t, "Optional of nil", tfvalue.Optional(nil), at(t, "name", `null`))
	same(t, "Bool", tfvalue.Bool(false), at(t, "on", `false`))
}

func TestLeaves(t *testing.T) {
	defer start(t)()
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
	defer start(t)()
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

// TestOtherForms has values, in which cafe' is the name in another form than Terraform's.
func TestOtherForms(t *testing.T) {
	defer start(t)()
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
