package tfvalue_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// keys are the elements of a set by schema and table.
func keys(elements []tfvalue.Value) string {
	var all []string
	for _, element := range elements {
		all = append(all, mapsKey.Spell(element))
	}
	return strings.Join(all, " ")
}

// TestKeyOf gives every two elements of other keys other keys, whatever their
// members hold.
func TestKeyOf(t *testing.T) {
	t.Parallel()
	texts := []string{"", " ", `"`, `""`, `" "`, `\`, `\"`, "a", "a b", `a" "b`, "b", ".", "a.b", "%q", "%!q", "\n", `\n`, "\u2028", "é"}
	seen := map[string]string{}
	for _, schema := range texts {
		for _, table := range texts {
			element := element(t, `{"keys": ["x"]}`).With(tfvalue.String(schema), "schema").With(tfvalue.String(table), "table")
			key, pair := mapsKey.Of(element), fmt.Sprintf("%q and %q", schema, table)
			if other, ok := seen[key]; ok {
				t.Errorf("%s and %s have the same key", pair, other)
			}
			seen[key] = pair
			decomposed := element.With(tfvalue.String(strings.ReplaceAll(table, "é", "e\u0301")), "table")
			if mapsKey.Of(decomposed) != key {
				t.Errorf("the key of %s depends on the normal form", pair)
			}
		}
	}
}

func TestKeyKnown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"schema": "s", "table": "t"}`:                   true,
		`{"schema": "s", "table": "t", "hidden": ["??"]}`: true,
		`{"schema": "??", "table": "t"}`:                  false,
		`null`:                                            false,
		`"??"`:                                            false,
	} {
		if got := mapsKey.Known(element(t, text)); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
}

// TestKeyDifference has a wanted set and a remote one: what is to be removed, and
// what is to be added. An element without a name is neither.
func TestKeyDifference(t *testing.T) {
	t.Parallel()
	const s, u = `{"schema": "s", "table": "t", "hidden": ["x", "y"]}`, `{"schema": "u", "table": "t"}`
	for _, test := range []struct{ wanted, remote, remove, add string }{
		{`[]`, `null`, "", ""},
		{`null`, `[` + s + `]`, "s.t", ""},
		{`[` + s + `]`, `"??"`, "", "s.t"},
		{`[` + s + `, ` + u + `]`, `[` + u + `, ` + s + `]`, "", ""},
		{`[` + s + `]`, `[` + u + `]`, "u.t", "s.t"},
		{`[` + s + `]`, `[{"schema": "s", "table": "t", "hidden": ["y", "x"], "sorted": false, "keys": []}]`, "", ""},
		{`[` + s + `]`, `[{"schema": "s", "table": "t", "hidden": ["y", "x"], "sorted": true, "keys": ["k"]}]`, "s.t", "s.t"},
		{`[` + s + `]`, `[{"schema": "s", "table": "t", "hidden": ["x"]}]`, "s.t", "s.t"},
		{`[{"schema": "s", "table": "t"}]`, `[` + s + `]`, "s.t", "s.t"},
		{`[` + s + `]`, `[` + s + `, {"schema": "s", "table": "t"}]`, "s.t", "s.t"},
		{`[{"schema": "s", "table": "t", "hidden": "??"}]`, `[{"schema": "s", "table": "t"}]`, "s.t", "s.t"},
		// By schema first, then by table, as texts.
		{`[{"schema": "b", "table": "a"}, {"schema": "a", "table": "b"}, {"schema": "a", "table": "10"}, {"schema": "a", "table": "9"}, {"table": "z"}]`, `[]`, "", "a.10 a.9 a.b b.a"},
		{`[]`, `[{"schema": "b", "table": "a"}, {"schema": "a", "table": "b"}, {"table": "z"}]`, "a.b b.a", ""},
	} {
		remove, add := mapsKey.Difference(at(t, "maps", test.wanted), at(t, "maps", test.remote))
		if keys(remove) != test.remove || keys(add) != test.add {
			t.Errorf("%s wanted, %s there: remove %q and add %q, want %q and %q", test.wanted, test.remote, keys(remove), keys(add), test.remove, test.add)
		}
	}
	remove, add := mapsKey.Difference(at(t, "maps", `[{"schema": "s", "table": "t", "sorted": true}]`), at(t, "maps", `[{"schema": "s", "table": "t", "hidden": ["x"]}]`))
	same(t, "what is removed", remove[0], element(t, `{"schema": "s", "table": "t", "hidden": ["x"]}`))
	same(t, "what is added", add[0], element(t, `{"schema": "s", "table": "t", "sorted": true}`))
}

func TestKeyList(t *testing.T) {
	t.Parallel()
	if got := mapsKey.Spell(element(t, `{"schema": "a\u001bb", "table": "t"}`)); got != `"a\x1bb".t` {
		t.Errorf("a control character is spelled %s", got)
	}
	if got := mapsKey.List(at(t, "maps", `[{"schema": "s", "table": "t", "sorted": true}, {"schema": "u"}]`).Elements()); got != "  - s.t\n  - u.\"\"" {
		t.Errorf("listed as %q", got)
	}
}

// TestWhole has what an element omits: members are empty, but a name stays missing.
func TestWhole(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"maps": [{"schema": "s", "table": "t"}]}`:  `{"maps": [{"schema": "s", "table": "t", "hidden": [], "sorted": false, "keys": [], "rank": 0, "note": ""}]}`,
		`{"maps": [{"schema": "s", "keys": ["k"]}]}`: `{"maps": [{"schema": "s", "hidden": [], "sorted": false, "keys": ["k"], "rank": 0, "note": ""}]}`,
		`{"name": "a", "pairs": [{"from": "a"}]}`:    `{"name": "a", "pairs": [{"from": "a"}]}`,
		`{"maps": "??"}`: `{"maps": "??"}`,
	} {
		same(t, text, rules.Whole(val(t, text)), val(t, want))
	}
}
