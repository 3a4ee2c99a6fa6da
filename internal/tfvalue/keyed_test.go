package tfvalue_test

import (
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestKeyOf has elements of every two names: no two have the same key, whatever is in a name.
func TestKeyOf(t *testing.T) {
	defer start(t)()
	names := []string{"", " ", `"`, `""`, `" "`, `\`, `\"`, "a", "a b", `a" "b`, "b", ".", "a.b", "%q", "%!q", "\n", `\n`, "\u2028"}
	keys := map[string]bool{}
	for _, schema := range names {
		for _, table := range names {
			named := element(t, `{}`).With(tfvalue.String(schema), "schema").With(tfvalue.String(table), "table")
			keys[mapsKey.Of(named)] = true
		}
	}
	if len(keys) != len(names)*len(names) {
		t.Errorf("%d keys of %d elements", len(keys), len(names)*len(names))
	}
}

func TestKeyKnown(t *testing.T) {
	defer start(t)()
	for text, want := range map[string]bool{
		`{"schema": "s", "table": "t"}`:                   true,
		`{"schema": "s", "table": "t", "hidden": ["??"]}`: true,
		`{"schema": "??", "table": "t"}`:                  false,
		`null`:                                            false,
		`"??"`:                                            false,
	} {
		if got := mapsKey.HasKnownKey(element(t, text)); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
}

// TestFillElements has what an element omits: members are empty, but a name stays missing.
func TestFillElements(t *testing.T) {
	defer start(t)()
	for text, want := range map[string]string{
		`{"maps": [{"schema": "s", "table": "t"}]}`:  `{"maps": [{"schema": "s", "table": "t", "hidden": [], "sorted": false, "keys": [], "rank": 0, "note": ""}]}`,
		`{"maps": [{"schema": "s", "keys": ["k"]}]}`: `{"maps": [{"schema": "s", "hidden": [], "sorted": false, "keys": ["k"], "rank": 0, "note": ""}]}`,
		`{"name": "a", "pairs": [{"from": "a"}]}`:    `{"name": "a", "pairs": [{"from": "a"}]}`,
		`{"maps": "??"}`: `{"maps": "??"}`,
	} {
		same(t, text, rules.FillElements(val(t, text)), val(t, want))
	}
}
