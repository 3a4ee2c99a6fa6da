package tfvalue_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// meanings are pairs of values of one attribute: whether they mean the same,
// and whether they do where absence and emptiness do.
var meanings = []struct {
	name, a, b  string
	same, alike bool
}{
	{"name", `"a"`, `"a "`, false, false},
	{"name", `null`, `""`, false, true},
	{"name", `"??"`, `"a"`, false, false},
	{"cert", `"a"`, `"a \t\r\n"`, true, false},
	{"cert", `"a\nb"`, `"a \nb"`, false, false},
	{"cert", `null`, `"\n"`, false, false},
	{"code", `"a"`, `"A"`, true, false},
	{"since", `"2030-01-01T00:00:00Z"`, `"2030-01-01t01:00:00+01:00"`, true, false},
	{"since", `"2030-01-01T00:00:00Z"`, `"2030-01-01T00:00:01Z"`, false, false},
	{"since", `"0001-01-01T00:00:00Z"`, `"soon"`, false, false},
	{"since", `"soon"`, `"soon"`, true, true},
	{"size", `4`, `4.0`, true, true},
	{"size", `0.1`, `0.1000000000000000055511151231257827`, true, true}, // as a float64 has it
	{"size", `9007199254740992`, `9007199254740992.5`, true, true},
	{"size", `9007199254740992`, `9007199254740993`, false, false},
	{"on", `"??"`, `"??"`, false, true},
	{"list", `["a", "b"]`, `["b", "a"]`, false, false},
	{"set", `["a", "b"]`, `["b", "a", "b"]`, true, true},
	{"set", `["a,b"]`, `["a", "b"]`, false, false},
	{"pairs", `[{"from": "a"}]`, `[{"from": "a", "to": ""}]`, false, true},
	// Elements of a keyed map are the same where absence and emptiness are.
	{"maps", `[{"schema": "s", "table": "t"}]`, `[{"schema": "s", "table": "t", "sorted": false, "keys": [], "hidden": []}]`, true, true},
	{"maps", `[{"schema": "s", "table": "t"}]`, `[{"schema": "s", "table": "t", "sorted": true}]`, false, false},
	{"maps", `{"s.t": {"schema": "s", "table": "t"}}`, `{"s.t (2)": {"schema": "s", "table": "t"}}`, true, true},
	// Terraform keeps all strings in one normal form, and a response need not.
	{"cert", `"\u00e9"`, `"e\u0301\n"`, true, false},
	{"inner", `{"deep": {"cert": "a"}}`, `{"deep": {"cert": "a\n"}}`, true, false},
	{"inner", `{"name": "a"}`, `{"name": "a", "size": 4}`, false, false},
	{"inner", `{"name": "??"}`, `{"name": "??"}`, false, true},
}

func TestSame(t *testing.T) {
	t.Parallel()
	for _, test := range meanings {
		a, b := at(t, test.name, test.a), at(t, test.name, test.b)
		if rules.Same(test.name, a, b) != test.same || rules.Same(test.name, b, a) != test.same {
			t.Errorf("%s: Same of %s and %s is not %t", test.name, test.a, test.b, test.same)
		}
		if differ := tfvalue.Differing(member(a), member(b)); (differ == nil) != test.alike || (tfvalue.Differing(member(b), member(a)) == nil) != test.alike {
			t.Errorf("%s: %s and %s differ in %q, want alike: %t", test.name, test.a, test.b, differ, test.alike)
		}
		for _, pair := range [][2]tfvalue.Value{{a, b}, {b, a}, {a, a}, {b, at(t, test.name, test.b)}} {
			if want := pair[0].Value.Equal(pair[1].Value); pair[0].Equal(pair[1]) != want {
				t.Errorf("%s: Equal of %s and %s is not %t, as it is for the library", test.name, test.a, test.b, want)
			}
		}
	}
}

// member is an object with this member.
func member(v tfvalue.Value) tfvalue.Value {
	typ := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"member": v.Type()}}
	return tfvalue.Of(tftypes.NewValue(typ, map[string]tftypes.Value{"member": v.Value}))
}

// TestConfirms has the wanted value of a leaf and the one in a response.
func TestConfirms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, wanted, response string
		want                   bool
	}{
		{"cert", `"a\n"`, `"a"`, true},
		{"list", `["a", "b"]`, `["b", "a"]`, false},
		{"name", `"a"`, `null`, false},
		{"name", `""`, `null`, true},
		// A platform that trims texts.
		{"name", `" a b "`, `"a b"`, true},
		{"name", `"a"`, `"a\n"`, true},
		{"name", `"a b"`, `"ab"`, false},
		{"pairs", `[{"from": "a ", "to": "b"}]`, `[{"from": "a", "to": "b"}]`, true},
		{"maps", `[{"schema": "s", "table": "t", "hidden": ["x "]}]`, `[{"schema": "s", "table": "t", "hidden": ["x"]}]`, false},
		// Nothing was wanted, and the response has the field.
		{"name", `null`, `""`, false},
		// Members that a response omits in elements.
		{"pairs", `[{"from": "a", "to": "b"}]`, `[{"from": "a"}]`, true},
		{"pairs", `[{"from": "a", "to": "b"}]`, `[{"from": "a", "to": ""}]`, false},
		{"pairs", `[{"from": "a"}]`, `[{"from": "a", "to": "b"}]`, false},
		{"pairs", `[{"from": "a"}]`, `[{"from": "a"}, {"from": "b"}]`, false},
		// A keyed map.
		{"maps", `[{"schema": "s", "hidden": ["x", "y"]}]`, `[{"schema": "s", "hidden": ["y", "x"], "sorted": false}]`, true},
		{"maps", `[{"schema": "s", "table": "t", "hidden": ["x"]}]`, `[{"schema": "s", "table": "t"}]`, true}, // the engine passes whole elements
		{"maps", `[{"schema": "s", "table": "t", "hidden": ["x"]}]`, `[{"schema": "s", "table": "t", "hidden": []}]`, false},
		{"maps", `[{"schema": "s", "table": "t"}]`, `[{"schema": "s", "table": "t"}, {"schema": "t", "table": "t"}]`, false},
		{"maps", `[{"schema": "s", "table": "t", "hidden": ["x"]}]`, `[{"schema": "s"}]`, false},
	} {
		if got := rules.Confirms(test.name, at(t, test.name, test.wanted), at(t, test.name, test.response)); got != test.want {
			t.Errorf("%s: wanted %s, returned %s: %t, want %t", test.name, test.wanted, test.response, got, test.want)
		}
	}
}
