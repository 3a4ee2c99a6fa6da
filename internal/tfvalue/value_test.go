package tfvalue_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// names is a chain of names as a row has it.
func names(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path, ".")
}

func TestAt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ value, path, want string }{
		{`{"name": "a"}`, "name", `"a"`},
		{`{"name": "a"}`, "", `{"name": "a"}`},
		{`{"inner": {"deep": {"on": true}}}`, "inner.deep.on", `true`},
		{`{"inner": {"deep": {"on": true}}}`, "inner.deep", `{"on": true}`},
		{`{}`, "name", `null`},
		{`{}`, "inner.deep.on", `null`},
		{`{"inner": {}}`, "inner.deep.on", `null`},
		{`null`, "name", `null`},
		{`null`, "inner.deep.on", `null`},
		{`"??"`, "name", `"??"`},
		{`"??"`, "inner.deep.on", `"??"`},
		{`{"inner": "??"}`, "inner.deep.on", `"??"`},
		{`{"inner": {"deep": "??"}}`, "inner.deep.on", `"??"`},
		{`{"inner": "??"}`, "name", `null`},
	} {
		got := val(t, test.value).At(names(test.path)...)
		if show(got) != show(parse(t, got.Type(), test.want)) {
			t.Errorf("%s of %s is %s, want %s", test.path, test.value, show(got), test.want)
		}
	}
	if typ := val(t, `null`).At("inner", "deep", "on").Type(); !typ.Is(tftypes.Bool) {
		t.Errorf("below null the type is %s", typ)
	}
	if typ := val(t, `"??"`).At("inner", "set").Type(); !typ.Equal(set(tftypes.String)) {
		t.Errorf("below unknown the type is %s", typ)
	}
}

// TestWithAndWithout also holds that neither changes the value it is
// called on: they share maps.
func TestWithAndWithout(t *testing.T) {
	t.Parallel()
	with := func(path, to string) func(*testing.T, tfvalue.Value) tfvalue.Value {
		return func(t *testing.T, v tfvalue.Value) tfvalue.Value {
			return v.With(parse(t, v.At(names(path)...).Type(), to), names(path)...)
		}
	}
	without := func(path string) func(*testing.T, tfvalue.Value) tfvalue.Value {
		return func(_ *testing.T, v tfvalue.Value) tfvalue.Value { return v.Without(names(path)...) }
	}
	const full = `{"name": "a", "size": 1, "inner": {"name": "b", "deep": {"on": true, "cert": "c"}}}`
	for _, test := range []struct {
		name   string
		change func(*testing.T, tfvalue.Value) tfvalue.Value
		value  string
		want   string
	}{
		{"with a member", with("name", `"z"`), full, `{"name": "z", "size": 1, "inner": {"name": "b", "deep": {"on": true, "cert": "c"}}}`},
		{"with a deep member", with("inner.deep.on", `false`), full, `{"name": "a", "size": 1, "inner": {"name": "b", "deep": {"on": false, "cert": "c"}}}`},
		{"with an unknown", with("inner.deep", `"??"`), full, `{"name": "a", "size": 1, "inner": {"name": "b", "deep": "??"}}`},
		{"with null", with("inner", `null`), full, `{"name": "a", "size": 1}`},
		{"with itself", with("", `{"name": "z"}`), full, `{"name": "z"}`},
		{"with, below null", with("inner.deep.on", `true`), `{"name": "a"}`, `{"name": "a"}`},
		{"with, below unknown", with("inner.deep.on", `true`), `{"inner": "??"}`, `{"inner": "??"}`},
		{"with, of null", with("name", `"z"`), `null`, `null`},
		{"with, of unknown", with("name", `"z"`), `"??"`, `"??"`},
		{"without a member", without("size"), full, `{"name": "a", "inner": {"name": "b", "deep": {"on": true, "cert": "c"}}}`},
		{"without a deep member", without("inner.deep.on"), full, `{"name": "a", "size": 1, "inner": {"name": "b", "deep": {"cert": "c"}}}`},
		{"without what is null", without("inner.deep.on"), `{"name": "a"}`, `{"name": "a"}`},
		{"without, below unknown", without("inner.deep.on"), `{"inner": "??"}`, `{"inner": "??"}`},
	} {
		value := val(t, test.value)
		same(t, test.name, test.change(t, value), val(t, test.want))
		same(t, test.name+": the value itself", value, val(t, test.value))
	}
}

func TestMembersAndElements(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`null`, `"??"`} {
		for name, member := range val(t, text).Members() {
			t.Errorf("%s has a member %s = %s", text, name, show(member))
		}
		if elements := at(t, "list", text).Elements(); len(elements) > 0 {
			t.Errorf("%s has elements %v", text, elements)
		}
	}
	elements := at(t, "set", `["b", "a", "??", null]`).Elements()
	same(t, "a collection", tfvalue.Collection(set(tftypes.String), elements), at(t, "set", `["b", "a", "??", null]`))
	same(t, "an empty collection", tfvalue.Collection(list(tftypes.String), nil), at(t, "list", `[]`))
}

// TestReadings has what Go makes of values that are null, unknown or of another
// type: nothing, and no panic.
func TestReadings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, value string
		text        string
		isTrue      bool
		number      string
	}{
		{"name", `"a"`, "a", false, "0"},
		{"name", `""`, "", false, "0"},
		{"name", `null`, "", false, "0"},
		{"name", `"??"`, "", false, "0"},
		{"on", `true`, "", true, "0"},
		{"on", `false`, "", false, "0"},
		{"on", `null`, "", false, "0"},
		{"on", `"??"`, "", false, "0"},
		{"size", `2.5`, "", false, "2.5"},
		{"size", `9007199254740993`, "", false, "9007199254740993"},
		{"size", `null`, "", false, "0"},
		{"size", `"??"`, "", false, "0"},
	} {
		v := at(t, test.name, test.value)
		if v.Text() != test.text || v.True() != test.isTrue || v.Number().Text('f', -1) != test.number {
			t.Errorf("%s %s is %q, %t, %s", test.name, test.value, v.Text(), v.True(), v.Number().Text('f', -1))
		}
	}
	same(t, "String", tfvalue.String("a"), at(t, "name", `"a"`))
	same(t, "Optional", tfvalue.Optional(new("a")), at(t, "name", `"a"`))
	same(t, "Optional of nil", tfvalue.Optional(nil), at(t, "name", `null`))
	same(t, "Bool", tfvalue.Bool(false), at(t, "on", `false`))
}

func TestIsObject(t *testing.T) {
	t.Parallel()
	if !val(t, `{}`).IsObject() {
		t.Error("{} is an object")
	}
	for _, v := range []tfvalue.Value{val(t, `null`), val(t, `"??"`), at(t, "set", `[]`), {}} {
		if v.IsObject() {
			t.Errorf("%v is no object", v)
		}
	}
}

// TestIsEmpty has the values that an omitted field may mean.
func TestIsEmpty(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, value string
		want        bool
	}{
		{"name", `null`, true},
		{"name", `""`, true},
		{"name", `" "`, false},
		{"name", `"??"`, false},
		{"list", `[]`, true},
		{"list", `[""]`, false},
		{"list", `"??"`, false},
		{"set", `[]`, true},
		{"tags", `{}`, true},
		{"tags", `{"a": ""}`, false},
		{"maps", `[]`, true},
		{"maps", `[{}]`, false},
		{"on", `false`, true},
		{"on", `true`, false},
		{"size", `0`, true},
		{"size", `-0`, true},
		{"size", `1`, false},
		{"size", `0.1`, false},
		{"size", `"??"`, false},
		{"kind", `{"cat": {}}`, false},
		{"inner", `{}`, false},
		{"inner", `"??"`, false},
	} {
		if got := at(t, test.name, test.value).IsEmpty(); got != test.want {
			t.Errorf("%s %s: %t, want %t", test.name, test.value, got, test.want)
		}
	}
}
