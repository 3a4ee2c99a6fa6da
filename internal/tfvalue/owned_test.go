package tfvalue_test

import "testing"

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
		{"a keyed set is sent whole", `{"maps": [{"schema": "s", "table": "t"}, {"schema": "t", "table": "t", "sorted": true}]}`, `{"maps": [{"schema": "s", "table": "t"}, {"schema": "t", "table": "t"}]}`, `{"maps": [{"schema": "s", "table": "t"}, {"schema": "t", "table": "t", "sorted": true}]}`},
		{"no element, and omitted", `{"maps": []}`, `{}`, `{}`},
		{"unknown differs", `{"name": "??", "list": ["??"]}`, `{"name": "a", "list": ["a"]}`, `{"name": "??", "list": ["??"]}`},
	} {
		same(t, test.name, rules.Changes(val(t, test.owned), val(t, test.remote)), val(t, test.want))
	}
}
