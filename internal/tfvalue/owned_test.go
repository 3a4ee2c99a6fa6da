package tfvalue_test

import (
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

func TestOwned(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, config, plan, want string }{
		{"nothing", `{}`, `{"name": "a", "size": 1, "inner": {"name": "b"}}`, `{}`},
		{"below an object", `{"inner": {"deep": {"on": true}}}`, `{"inner": {"name": "b", "deep": {"on": true, "cert": "c"}}}`, `{"inner": {"deep": {"on": true}}}`},
		{"an empty object", `{"inner": {}}`, `{"inner": {"name": "b"}}`, `{"inner": {}}`},
		{"a destroy", `null`, `null`, `null`},

		// Where plan and configuration mean the same, the plan's spelling is owned.
		{"the order of a set", `{"set": ["a", "b"]}`, `{"set": ["b", "a"]}`, `{"set": ["b", "a"]}`},

		// Where they do not, the leaf is under ignore_changes.
		{"ignore_changes of a leaf", `{"name": "b", "size": 1}`, `{"name": "a", "size": 1}`, `{"size": 1}`},

		{"what an element omits is empty", `{"maps": [{"schema": "s", "table": "t"}]}`, `{"maps": [{"schema": "s", "table": "t", "sorted": false, "hidden": []}]}`, `{"maps": [{"schema": "s", "table": "t", "sorted": false, "hidden": []}]}`},

		{"unknown until the apply", `{"name": "??"}`, `{"name": "a"}`, `{"name": "a"}`},
		{"known, and unknown in the plan", `{"name": "a"}`, `{"name": "??"}`, `{"name": "??"}`},
		{"a member of an element is unknown", `{"maps": [{"schema": "s", "table": "t", "hidden": "??"}]}`, `{"maps": [{"schema": "s", "table": "t", "hidden": "??", "sorted": false}]}`, `{"maps": [{"schema": "s", "table": "t", "hidden": "??", "sorted": false}]}`},
	} {
		same(t, test.name, rules.Owned(val(t, test.config), val(t, test.plan), val(t, test.plan)), val(t, test.want))
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, owned, remote, want string }{
		{"nothing differs", `{"name": "a", "inner": {"size": 1}}`, `{"name": "a", "size": 9, "inner": {"size": 1, "name": "b"}}`, `{"inner": {}}`},
		{"a deep leaf differs", `{"inner": {"size": 1, "deep": {"on": true}}}`, `{"inner": {"size": 1, "deep": {"on": false}}}`, `{"inner": {"deep": {"on": true}}}`},
		{"empty, and omitted", `{"name": "", "list": [], "on": false, "size": 0}`, `{}`, `{"name": "", "list": [], "on": false, "size": 0}`},
		{"spellings", `{"size": 4.0, "set": ["a", "b"], "cert": "a\n", "inner": {"deep": {"cert": "b "}}}`, `{"size": 4, "set": ["b", "a"], "cert": "a", "inner": {"deep": {"cert": "b"}}}`, `{"inner": {"deep": {}}}`},
		{"a keyed map is sent whole", `{"maps": [{"schema": "s", "table": "t"}, {"schema": "t", "table": "t", "sorted": true}]}`, `{"maps": [{"schema": "s", "table": "t"}, {"schema": "t", "table": "t"}]}`, `{"maps": [{"schema": "s", "table": "t"}, {"schema": "t", "table": "t", "sorted": true}]}`},
		{"no element, and omitted", `{"maps": []}`, `{}`, `{}`},
		{"unknown differs", `{"name": "??", "list": ["??"]}`, `{"name": "a", "list": ["a"]}`, `{"name": "??", "list": ["??"]}`},
	} {
		same(t, test.name, rules.Changes(val(t, test.owned), val(t, test.remote)), val(t, test.want))
	}
}

func TestSettle(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, plan, response, want string }{
		{"what the plan showed stays", `{"name": "a", "size": 1}`, `{"name": "b", "size": 2, "on": true}`, `{"name": "a", "size": 1}`},
		{"what the response omits is null", `{"size": "??", "list": "??"}`, `{}`, `{}`},
		{"below an object that the response omits", `{"inner": {"name": "a", "size": "??"}}`, `{}`, `{"inner": {"name": "a"}}`},
		{"a destroy", `null`, `{"name": "b"}`, `null`},
		{"a list that is unknown in part", `{"list": ["a", "??"], "size": 1}`, `{"list": ["a", "b"], "size": 2}`, `{"list": ["a", "b"], "size": 1}`},
	} {
		same(t, test.name, tfvalue.Settle(val(t, test.plan), val(t, test.response)), val(t, test.want))
	}
}

func TestSuppress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, plan, prior, want string }{
		{"a number's spelling", `{"size": 4.0}`, `{"size": 4}`, `{"size": 4}`},
		{"whitespace at the end", `{"cert": "a\n", "name": "a"}`, `{"cert": "a", "name": "a\n"}`, `{"cert": "a", "name": "a"}`},
		{"another value", `{"size": 4, "list": ["a", "b"]}`, `{"size": 5, "list": ["b", "a"]}`, `{"size": 4, "list": ["a", "b"]}`},
		{"below an object", `{"inner": {"size": 4.0, "name": "a", "deep": {"cert": "b "}}}`, `{"inner": {"size": 4, "name": "b", "deep": {"cert": "b"}}}`, `{"inner": {"size": 4, "name": "a", "deep": {"cert": "b"}}}`},
		{"unknown", `{"name": "??", "set": ["??"], "inner": "??"}`, `{"name": "a", "set": ["a"], "inner": {"name": "a"}}`, `{"name": "??", "set": ["??"], "inner": "??"}`},
	} {
		same(t, test.name, rules.Suppress(val(t, test.plan), val(t, test.prior)), val(t, test.want))
	}
}
