package tfvalue_test

import (
	"fmt"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestKeyOf gives every two elements of other keys other keys, whatever their
// members hold.
func TestKeyOf(t *testing.T) {
	t.Parallel()
	texts := []string{"", " ", `"`, `""`, `" "`, `\`, `\"`, "a", "a b", `a" "b`, "b", ".", "a.b", "%q", "%!q", "\n", `\n`, "\u2028"}
	seen := map[string]string{}
	for _, schema := range texts {
		for _, table := range texts {
			element := element(t, `{"keys": ["x"]}`).With(tfvalue.String(schema), "schema").With(tfvalue.String(table), "table")
			key, pair := mapsKey.Of(element), fmt.Sprintf("%q and %q", schema, table)
			if other, ok := seen[key]; ok {
				t.Errorf("%s and %s have the same key", pair, other)
			}
			seen[key] = pair
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

// TestKeyDifference has a wanted set and a remote one: what is to be removed, and what is to be
// added, ordered by schema first, then by table. An element without a name is neither.
func TestKeyDifference(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ wanted, remote, remove, add string }{
		{"", "", "", ""},
		{"a/t.x b/u", "b/u a/t.x", "", ""},
		{"", "b/a a/b /z", "a/b b/a", ""},
		{"b/a a/b a/10 a/9 /z", "", "", "a/10 a/9 a/b b/a"},
		{"a/t.x", "a/t.y", "a/t.y", "a/t.x"},
		{"a/t", "a/t.x", "a/t.x", "a/t"},
		{"a/t.x", "a/t.x a/t", "a/t", "a/t.x"},
	} {
		remove, add := mapsKey.Difference(mapsOf(t, test.wanted), mapsOf(t, test.remote))
		if spelled(remove) != test.remove || spelled(add) != test.add {
			t.Errorf("%s wanted, %s there: remove %q and add %q, want %q and %q", test.wanted, test.remote, spelled(remove), spelled(add), test.remove, test.add)
		}
	}
	for _, set := range []string{`null`, `"??"`} {
		if remove, add := mapsKey.Difference(mapsOf(t, "a/t"), at(t, "maps", set)); len(remove) > 0 || spelled(add) != "a/t" {
			t.Errorf("of %s, %q is removed, and %q added", set, spelled(remove), spelled(add))
		}
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
