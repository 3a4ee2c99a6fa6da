package tfvalue_test

import (
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestAnswers has what was wanted of a leaf and what a response says of it.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, wanted, answer string
		want                 bool
	}{
		{"name", `"a"`, `"a"`, true},
		{"name", `"a"`, `"b"`, false},
		{"name", `"a"`, `""`, false},
		{"cert", `"a\n"`, `"a"`, true},
		{"size", `4.0`, `4`, true},
		{"size", `4`, `5`, false},
		{"on", `true`, `false`, false},
		{"set", `["a", "b"]`, `["b", "a"]`, true},
		{"set", `["a", "b"]`, `["b", "a", "b"]`, true},
		{"set", `["a", "b"]`, `["a"]`, false},
		{"set", `["a"]`, `["a", "b"]`, false},
		{"list", `["a", "b"]`, `["b", "a"]`, false},
		{"list", `["a"]`, `["a", "a"]`, false},

		// A response that omits the field.
		{"name", `null`, `null`, true},
		{"name", `"a"`, `null`, false},
		{"name", `""`, `null`, true},
		{"list", `[]`, `null`, true},
		{"list", `["a"]`, `null`, false},
		{"set", `[]`, `null`, true},
		{"maps", `[]`, `null`, true},
		{"maps", `[{"schema": "s"}]`, `null`, false},
		{"on", `true`, `null`, false},
		{"on", `false`, `null`, false},
		{"size", `1`, `null`, false},
		{"size", `0`, `null`, false},

		// A response that has the field empty where nothing was wanted.
		{"name", `null`, `""`, false},
		{"on", `null`, `false`, false},

		// Members that a response omits in elements.
		{"pairs", `[{"from": "a", "to": "b"}]`, `[{"from": "a", "to": "b"}]`, true},
		{"pairs", `[{"from": "a", "to": "b"}]`, `[{"from": "a"}]`, true},
		{"pairs", `[{"from": "a", "to": "b"}]`, `[{"from": "a", "to": ""}]`, false},
		{"pairs", `[{"from": "a", "to": ""}]`, `[{"from": "a"}]`, true},
		{"pairs", `[{"from": "a"}]`, `[{"from": "a", "to": ""}]`, true},
		{"pairs", `[{"from": "a"}]`, `[{"from": "a", "to": "b"}]`, false},
		{"pairs", `[{"from": "a"}, {"from": "b"}]`, `[{"from": "b"}, {"from": "a"}]`, false},
		{"pairs", `[{"from": "a"}]`, `[{"from": "a"}, {"from": "b"}]`, false},
		{"pairs", `[]`, `[{"from": "a"}]`, false},

		// A keyed set.
		{"maps", `[{"schema": "s", "hidden": ["x", "y"]}]`, `[{"schema": "s", "hidden": ["y", "x"], "sorted": false}]`, true},
		{"maps", `[{"schema": "s"}, {"schema": "t"}]`, `[{"schema": "t"}, {"schema": "s"}]`, true},
		{"maps", `[{"schema": "s", "hidden": ["x"]}]`, `[{"schema": "s"}]`, true},
		{"maps", `[{"schema": "s", "hidden": ["x"]}]`, `[{"schema": "s", "hidden": []}]`, false},
		{"maps", `[{"schema": "s"}]`, `[{"schema": "s", "hidden": ["x"]}]`, false},
		{"maps", `[{"schema": "s", "sorted": false}]`, `[{"schema": "s", "sorted": true}]`, false},
		{"maps", `[{"schema": "s"}]`, `[]`, false},
		{"maps", `[{"schema": "s"}]`, `[{"schema": "s"}, {"schema": "t"}]`, false},
		{"maps", `[{"schema": "s"}]`, `[{"schema": "t"}]`, false},
	} {
		if got := rules.Answers(test.name, at(t, test.name, test.wanted), at(t, test.name, test.answer)); got != test.want {
			t.Errorf("%s: wanted %s, answered %s: %t, want %t", test.name, test.wanted, test.answer, got, test.want)
		}
	}
}

// TestMissing has the leaves that were there before and that an answer omits.
func TestMissing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ before, answer, want string }{
		{`{}`, `{}`, ""},
		{`null`, `{}`, ""},
		{`{"name": "a", "size": 1}`, `{"name": "b", "size": 2}`, ""},
		{`{"name": "a"}`, `{"name": ""}`, ""},
		{`{"name": "a", "size": 1}`, `{"size": 1}`, "name"},
		{`{"name": "", "list": [], "set": []}`, `{}`, ""},
		{`{"on": true, "size": 1}`, `{}`, "on size"},
		{`{"on": false, "size": 0}`, `{}`, "on size"},
		{`{"list": ["a"], "maps": [{"schema": "s"}]}`, `{"maps": []}`, "list"},
		// Members of elements are not leaves.
		{`{"maps": [{"schema": "s", "sorted": true}]}`, `{"maps": [{"schema": "s"}]}`, ""},
		{`{"inner": {"name": "a", "deep": {"on": true}}}`, `{"inner": {"deep": {}}}`, "inner.deep.on inner.name"},
		{`{"inner": {"name": "a", "deep": {"on": true}}}`, `{}`, "inner.deep.on inner.name"},
		{`{"name": "a"}`, `null`, "name"},
	} {
		if got := paths(tfvalue.Missing(val(t, test.before), val(t, test.answer))); got != test.want {
			t.Errorf("%s, answered %s: %q is missing, want %q", test.before, test.answer, got, test.want)
		}
	}
}

// TestRemember has what is known of an object after an answer.
func TestRemember(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, last, answer, want string }{
		{"the first answer", `null`, `{"name": "a"}`, `{"name": "a"}`},
		{"no answer", `{"name": "a"}`, `null`, `{"name": "a"}`},
		{"another value", `{"name": "a", "size": 1}`, `{"name": "b", "size": 1}`, `{"name": "b", "size": 1}`},
		{"to empty", `{"name": "a", "list": ["a"], "on": true, "size": 1}`, `{"name": "", "list": [], "on": false, "size": 0}`, `{"name": "", "list": [], "on": false, "size": 0}`},
		{"what was not known", `{"name": "??", "inner": "??"}`, `{"name": "a", "inner": {"size": 1}}`, `{"name": "a", "inner": {"size": 1}}`},
		{"what was null", `{}`, `{"name": "a", "inner": {"size": 1}}`, `{"name": "a", "inner": {"size": 1}}`},
		{"what is not known yet", `{"name": "a"}`, `{"name": "??"}`, `{"name": "a"}`},

		// What an answer omits.
		{"a leaf is omitted", `{"name": "a", "size": 1}`, `{"size": 2}`, `{"name": "a", "size": 2}`},
		{"an object is omitted", `{"inner": {"name": "a"}, "size": 1}`, `{"size": 2}`, `{"inner": {"name": "a"}, "size": 2}`},
		{"a member is omitted", `{"inner": {"name": "a", "size": 1}}`, `{"inner": {"size": 2}}`, `{"inner": {"name": "a", "size": 2}}`},
		{"empty values are omitted", `{"name": "", "list": [], "on": false, "size": 0}`, `{}`, `{"name": "", "list": [], "on": false, "size": 0}`},

		// The last spelling stays where it means the same.
		{"spellings", `{"size": "~4", "set": ["b", "a"], "cert": "a\n"}`, `{"size": 4.0, "set": ["a", "b"], "cert": "a"}`, `{"size": "~4", "set": ["b", "a"], "cert": "a\n"}`},
		{"a list in another order", `{"list": ["a", "b"]}`, `{"list": ["b", "a"]}`, `{"list": ["b", "a"]}`},
		{"a member that elements omit", `{"pairs": [{"from": "a", "to": "b"}]}`, `{"pairs": [{"from": "a"}]}`, `{"pairs": [{"from": "a", "to": "b"}]}`},

		// A keyed set.
		{"another order", `{"maps": [{"schema": "s"}, {"schema": "t"}]}`, `{"maps": [{"schema": "t"}, {"schema": "s"}]}`, `{"maps": [{"schema": "s"}, {"schema": "t"}]}`},
		{"an element comes", `{"maps": [{"schema": "s"}]}`, `{"maps": [{"schema": "t"}, {"schema": "s"}]}`, `{"maps": [{"schema": "t"}, {"schema": "s"}]}`},
		{"an element goes", `{"maps": [{"schema": "s"}, {"schema": "t"}]}`, `{"maps": [{"schema": "t"}]}`, `{"maps": [{"schema": "t"}]}`},
		{"all go", `{"maps": [{"schema": "s"}]}`, `{"maps": []}`, `{"maps": []}`},
		{"the set is omitted", `{"maps": [{"schema": "s"}]}`, `{}`, `{"maps": [{"schema": "s"}]}`},
		{"a member changes", `{"maps": [{"schema": "s", "sorted": true}]}`, `{"maps": [{"schema": "s", "sorted": false}]}`, `{"maps": [{"schema": "s", "sorted": false}]}`},
		{"a member of an element is omitted", `{"maps": [{"schema": "s", "hidden": ["x"]}]}`, `{"maps": [{"schema": "s"}]}`, `{"maps": [{"schema": "s", "hidden": ["x"]}]}`},
		{"and another element comes", `{"maps": [{"schema": "s", "hidden": ["x"]}]}`, `{"maps": [{"schema": "s"}, {"schema": "t"}]}`, `{"maps": [{"schema": "s", "hidden": ["x"]}, {"schema": "t"}]}`},
		{"and another member changes", `{"maps": [{"schema": "s", "hidden": ["x"], "sorted": true}]}`, `{"maps": [{"schema": "s", "sorted": false}]}`, `{"maps": [{"schema": "s", "hidden": ["x"], "sorted": false}]}`},
	} {
		same(t, test.name, rules.Remember(val(t, test.last), val(t, test.answer)), val(t, test.want))
	}
}
