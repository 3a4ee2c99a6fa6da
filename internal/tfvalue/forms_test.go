package tfvalue_test

import (
	"strings"
	"testing"
)

// TestRespelled has what would be sent, what the platform holds, and the names that the
// request would replace by another form. é is composed in what is sent, and É is its
// decomposed form.
func TestRespelled(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ leaf, sent, held, want string }{
		"another form":                 {"list", `["é", "a"]`, `["DE"]`, "é"},
		"several, in order":            {"list", `["éd", "éc", "éb", "éa", "é"]`, `["DEb", "DEd", "DEa", "DE", "DEc"]`, "é éa éb éc éd"},
		"each once":                    {"maps", `[{"schema": "s", "table": "t", "hidden": ["é", "x"]}, {"schema": "u", "table": "t", "hidden": ["é", "x"]}]`, `[{"schema": "s", "table": "t", "hidden": ["DE"]}, {"schema": "u", "table": "t", "hidden": ["DE"]}]`, "é"},
		"another form, sent as it is":  {"list", `["DE", "a"]`, `["DE"]`, ""},
		"both forms":                   {"set", `["é", "a"]`, `["DE", "é"]`, "é"},
		"in an element of a list":      {"pairs", `[{"from": "é", "to": "b"}]`, `[{"from": "DE"}]`, "é"},
		"nothing is known":             {"list", `["é"]`, `null`, ""},
		"an element that stays":        {"maps", `[{"schema": "s", "table": "t", "hidden": ["é"]}, {"schema": "s", "table": "u", "hidden": ["é"]}]`, `[{"schema": "s", "table": "t", "hidden": ["DE"]}]`, ""},
		"a name of an element":         {"maps", `[{"schema": "s", "table": "é", "hidden": ["x"]}]`, `[{"schema": "s", "table": "DE", "hidden": []}]`, "é"},
		"another element of the table": {"maps", `[{"schema": "z", "table": "t", "hidden": ["é"]}]`, `[{"schema": "s", "table": "t", "hidden": ["DE"]}]`, "é"},
	} {
		form := func(text string) string { return strings.ReplaceAll(text, "DE", "e\u0301") }
		if got := strings.Join(rules.Respelled(test.leaf, at(t, test.leaf, form(test.sent)), at(t, test.leaf, form(test.held))), " "); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
