package tfvalue_test

import (
	"testing"
)

// TestConfirms has the wanted value of a leaf and the one in a response.
func TestConfirms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, wanted, response string
		want                   bool
	}{
		{"name", `"a"`, `"a"`, true},
		{"name", `"a"`, `"b"`, false},
		{"cert", `"a\n"`, `"a"`, true},
		{"set", `["a", "b"]`, `["a"]`, false},
		{"list", `["a", "b"]`, `["b", "a"]`, false},
		{"list", `["a"]`, `["a", "a"]`, false},

		// A response that omits the field.
		{"name", `null`, `null`, true},
		{"name", `"a"`, `null`, false},
		{"name", `""`, `null`, true},
		{"list", `[]`, `null`, true},
		{"list", `["a"]`, `null`, false},
		{"maps", `[]`, `null`, true},
		{"maps", `[{"schema": "s", "table": "t"}]`, `null`, false},

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
		{"maps", `[{"schema": "s", "table": "t", "hidden": ["x", "y"]}]`, `[{"schema": "s", "table": "t", "hidden": ["y", "x"], "sorted": false}]`, true},
		{"maps", `[{"schema": "s", "table": "t", "hidden": ["x"]}]`, `[{"schema": "s", "table": "t"}]`, true}, // the engine passes whole elements
		{"maps", `[{"schema": "s", "table": "t", "hidden": ["x"]}]`, `[{"schema": "s", "table": "t", "hidden": []}]`, false},
		{"maps", `[{"schema": "s", "table": "t"}]`, `[{"schema": "s", "table": "t", "hidden": ["x"]}]`, false},
		{"maps", `[{"schema": "s", "table": "t", "keys": ["a", "b"]}]`, `[{"schema": "s", "table": "t", "keys": ["b", "a"]}]`, false},
		{"maps", `[{"schema": "s", "table": "t", "sorted": false}]`, `[{"schema": "s", "table": "t", "sorted": true}]`, false},
		{"maps", `[{"schema": "s", "table": "t"}]`, `[]`, false},
		{"maps", `[{"schema": "s", "table": "t"}]`, `[{"schema": "s", "table": "t"}, {"schema": "t", "table": "t"}]`, false},
		{"maps", `[{"schema": "s", "table": "t"}]`, `[{"schema": "t", "table": "t"}]`, false},
	} {
		if got := rules.Confirms(test.name, at(t, test.name, test.wanted), at(t, test.name, test.response)); got != test.want {
			t.Errorf("%s: wanted %s, returned %s: %t, want %t", test.name, test.wanted, test.response, got, test.want)
		}
	}
}
