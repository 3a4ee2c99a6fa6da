package tfvalue_test

import (
	"fmt"
	"math/rand/v2"
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
			element := at(t, "maps", `[{"keys": ["x"]}]`).Elements()[0].With(tfvalue.String(schema), "schema").With(tfvalue.String(table), "table")
			key, pair := mapsKey.Of(element), fmt.Sprintf("%q and %q", schema, table)
			if other, ok := seen[key]; ok {
				t.Errorf("%s and %s have the same key", pair, other)
			}
			seen[key] = pair
			decomposed := element.With(tfvalue.String(strings.ReplaceAll(table, "é", "e\u0301")), "table")
			if mapsKey.Of(decomposed) != key {
				t.Errorf("the key of %s depends on the normal form", pair)
			}
			if again := element.With(tfvalue.Bool(true), "sorted").Without("keys"); mapsKey.Of(again) != key {
				t.Errorf("the key of %s depends on other members", pair)
			}
		}
	}
}

func TestKeyKnown(t *testing.T) {
	t.Parallel()
	for element, want := range map[string]bool{
		`{"schema": "s", "table": "t"}`:                   true,
		`{"schema": "s"}`:                                 true,
		`{"schema": "s", "table": "t", "sorted": "??"}`:   true,
		`{"schema": "s", "table": "t", "hidden": ["??"]}`: true,
		`{"schema": "s", "table": "??"}`:                  false,
		`{"schema": "??", "table": "t"}`:                  false,
		`null`:                                            false,
		`"??"`:                                            false,
	} {
		if got := mapsKey.Known(at(t, "maps", "["+element+"]").Elements()[0]); got != want {
			t.Errorf("%s: %t, want %t", element, got, want)
		}
	}
}

func TestKeyIndex(t *testing.T) {
	t.Parallel()
	index := mapsKey.Index(at(t, "maps", `[{"schema": "s", "table": "t", "sorted": true}, {"schema": "u"}]`))
	if len(index) != 2 {
		t.Errorf("%d elements", len(index))
	}
	for key, element := range index {
		if mapsKey.Of(element) != key {
			t.Errorf("%s is held as %s", show(element), key)
		}
	}
	for _, text := range []string{`null`, `"??"`, `[]`} {
		if index := mapsKey.Index(at(t, "maps", text)); len(index) != 0 {
			t.Errorf("%s has %d elements", text, len(index))
		}
	}
}

// TestKeyDifference has a wanted set and a remote one: what is to be removed, and
// what is to be added. Members that the wanted one omits are nobody's.
func TestKeyDifference(t *testing.T) {
	t.Parallel()
	const s, u = `{"schema": "s", "table": "t", "hidden": ["x", "y"]}`, `{"schema": "u"}`
	for _, test := range []struct{ wanted, remote, remove, add string }{
		{`[]`, `[]`, "", ""},
		{`[]`, `null`, "", ""},
		{`null`, `[` + s + `]`, "s.t", ""},
		{`[` + s + `]`, `null`, "", "s.t"},
		{`[` + s + `]`, `"??"`, "", "s.t"},
		{`[` + s + `, ` + u + `]`, `[` + u + `, ` + s + `]`, "", ""},
		{`[` + s + `, ` + u + `]`, `[` + u + `]`, "", "s.t"},
		{`[` + u + `]`, `[` + s + `, ` + u + `]`, "s.t", ""},
		{`[` + s + `]`, `[` + u + `]`, "u.", "s.t"},
		{`[` + s + `]`, `[{"schema": "s", "table": "t", "hidden": ["y", "x"], "sorted": false, "keys": []}]`, "", ""},
		{`[` + s + `]`, `[{"schema": "s", "table": "t", "hidden": ["y", "x"], "sorted": true, "keys": ["k"]}]`, "", ""},
		{`[` + s + `]`, `[{"schema": "s", "table": "t", "hidden": ["x"]}]`, "s.t", "s.t"},
		{`[` + s + `]`, `[{"schema": "s", "table": "t"}]`, "s.t", "s.t"},
		{`[{"schema": "s", "table": "t"}]`, `[` + s + `]`, "", ""},
		{`[{"schema": "s", "table": "t", "hidden": []}]`, `[` + s + `]`, "s.t", "s.t"},
		{`[{"schema": "s", "table": "t", "sorted": false}]`, `[` + s + `]`, "", ""},
		{`[{"schema": "s", "hidden": "??"}]`, `[{"schema": "s"}]`, "s.", "s."},
		// By schema first, then by table, as texts.
		{`[{"schema": "b", "table": "a"}, {"schema": "a", "table": "b"}, {"schema": "a", "table": "10"}, {"schema": "a", "table": "9"}, {"table": "z"}]`, `[]`, "", ".z a.10 a.9 a.b b.a"},
		{`[]`, `[{"schema": "b", "table": "a"}, {"schema": "a", "table": "b"}, {"table": "z"}]`, ".z a.b b.a", ""},
	} {
		remove, add := mapsKey.Difference(at(t, "maps", test.wanted), at(t, "maps", test.remote))
		if keys(remove) != test.remove || keys(add) != test.add {
			t.Errorf("%s wanted, %s there: remove %q and add %q, want %q and %q", test.wanted, test.remote, keys(remove), keys(add), test.remove, test.add)
		}
	}
	remove, add := mapsKey.Difference(at(t, "maps", `[{"schema": "s", "sorted": true}]`), at(t, "maps", `[{"schema": "s", "hidden": ["x"]}]`))
	same(t, "what is removed", remove[0], at(t, "maps", `[{"schema": "s", "hidden": ["x"]}]`).Elements()[0])
	same(t, "what is added", add[0], at(t, "maps", `[{"schema": "s", "sorted": true}]`).Elements()[0])
}

// TestKeyDifferenceOrder has the same order whatever the set's is.
func TestKeyDifferenceOrder(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 0))
	whole := at(t, "maps", `[{"schema": "a", "table": "c"}, {"schema": "b", "table": "a"}, {"schema": "a", "table": "b"}, {"schema": "a"}]`)
	for range 50 {
		elements := whole.Elements()
		r.Shuffle(len(elements), func(i, j int) { elements[i], elements[j] = elements[j], elements[i] })
		shuffled := tfvalue.Collection(whole.Type(), elements)
		_, add := mapsKey.Difference(shuffled, at(t, "maps", `[]`))
		remove, _ := mapsKey.Difference(at(t, "maps", `[]`), shuffled)
		if keys(add) != "a. a.b a.c b.a" || keys(remove) != keys(add) {
			t.Fatalf("added in the order %s, removed in %s", keys(add), keys(remove))
		}
	}
}

func TestKeyList(t *testing.T) {
	t.Parallel()
	if got := mapsKey.List(at(t, "maps", `[{"schema": "s", "table": "t", "sorted": true}, {"schema": "u"}]`).Elements()); got != "  - s.t\n  - u." {
		t.Errorf("listed as %q", got)
	}
}

func TestCovered(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		wanted, element string
		want            bool
	}{
		{`{"schema": "s"}`, `{"schema": "s"}`, true},
		{`{"schema": "s"}`, `{"schema": "s", "sorted": true, "hidden": ["x"]}`, true},
		{`{"schema": "s", "sorted": true}`, `{"schema": "s"}`, false},
		{`{"schema": "s", "sorted": false, "hidden": [], "keys": []}`, `{"schema": "s"}`, true},
		{`{"schema": "s", "hidden": []}`, `{"schema": "s", "hidden": ["x"]}`, false},
		{`{"schema": "s", "hidden": ["x", "y"]}`, `{"schema": "s", "hidden": ["y", "x"]}`, true},
		{`{"schema": "s", "keys": ["x", "y"]}`, `{"schema": "s", "keys": ["y", "x"]}`, false},
		{`{"schema": "s", "sorted": "??"}`, `{"schema": "s", "sorted": true}`, false},
		{`{"schema": "s"}`, `null`, false},
		{`{}`, `null`, true},
	} {
		elements := at(t, "maps", `[`+test.wanted+`, `+test.element+`]`).Elements()
		if got := tfvalue.Covered(elements[0], elements[1]); got != test.want {
			t.Errorf("%s by %s: %t, want %t", test.wanted, test.element, got, test.want)
		}
	}
}

// TestKeyCompleteAndFill has a keyed set that was read, what was known of it, whether
// the read contains all of that, and both together.
func TestKeyCompleteAndFill(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		read, known string
		complete    bool
		filled      string
	}{
		{`[]`, `[]`, true, `[]`},
		{`[]`, `null`, true, `[]`},
		{`[{"schema": "s"}]`, `null`, true, `[{"schema": "s"}]`},
		{`[]`, `[{"schema": "s", "sorted": true}]`, true, `[]`},
		{`[{"schema": "s"}]`, `[{"schema": "s", "sorted": true}]`, false, `[{"schema": "s", "sorted": true}]`},
		{`[{"schema": "s"}]`, `[{"schema": "s", "hidden": ["x"], "keys": ["k"]}]`, false, `[{"schema": "s", "hidden": ["x"], "keys": ["k"]}]`},
		{`[{"schema": "s"}]`, `[{"schema": "s", "sorted": false, "hidden": [], "keys": []}]`, true, `[{"schema": "s", "sorted": false, "hidden": [], "keys": []}]`},
		{`[{"schema": "s", "sorted": false}]`, `[{"schema": "s", "sorted": true}]`, true, `[{"schema": "s", "sorted": false}]`},
		{`[{"schema": "t"}]`, `[{"schema": "s", "sorted": true}]`, true, `[{"schema": "t"}]`},
		{`[{"schema": "s", "table": "t"}]`, `[{"schema": "s", "sorted": true}]`, true, `[{"schema": "s", "table": "t"}]`},
		{`[{"schema": "t", "hidden": ["x"]}, {"schema": "s"}]`, `[{"schema": "s", "sorted": true}, {"schema": "t", "hidden": ["y"], "keys": []}]`, false, `[{"schema": "t", "hidden": ["x"], "keys": []}, {"schema": "s", "sorted": true}]`},
	} {
		read, known := at(t, "maps", test.read), at(t, "maps", test.known)
		if got := mapsKey.HasAll(read, known); got != test.complete {
			t.Errorf("%s, known %s: %t, want %t", test.read, test.known, got, test.complete)
		}
		same(t, test.read+" over "+test.known, mapsKey.Merge(read, known), at(t, "maps", test.filled))
	}
}

// TestAsksFor has values and the configurations that they satisfy: elements of a
// keyed set may omit members there.
func TestAsksFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, config, value string
		want                bool
	}{
		{"name", `"a"`, `"a"`, true},
		{"name", `"a"`, `"b"`, false},
		{"name", `null`, `"a"`, false},
		{"cert", `"a\n"`, `"a"`, true},
		{"size", `4.0`, `4`, true},
		{"set", `["a", "b"]`, `["b", "a"]`, true},
		{"set", `["a"]`, `["b", "a"]`, false},
		{"pairs", `[{"from": "a"}]`, `[{"from": "a", "to": "b"}]`, false},
		{"maps", `[]`, `[]`, true},
		{"maps", `[]`, `null`, true},
		{"maps", `[{"schema": "s"}]`, `[{"schema": "s", "hidden": ["x"], "sorted": true}]`, true},
		{"maps", `[{"schema": "s"}, {"schema": "t"}]`, `[{"schema": "t", "sorted": true}, {"schema": "s"}]`, true},
		{"maps", `[{"schema": "s", "sorted": true}]`, `[{"schema": "s", "hidden": ["x"], "sorted": true}]`, true},
		{"maps", `[{"schema": "s", "hidden": ["y", "x"]}]`, `[{"schema": "s", "hidden": ["x", "y"], "sorted": true}]`, true},
		{"maps", `[{"schema": "s", "hidden": []}]`, `[{"schema": "s", "hidden": ["x"]}]`, false},
		{"maps", `[{"schema": "s", "sorted": false}]`, `[{"schema": "s", "sorted": true}]`, false},
		{"maps", `[{"schema": "s", "sorted": false, "hidden": []}]`, `[{"schema": "s"}]`, true},
		{"maps", `[{"schema": "s"}]`, `[]`, false},
		{"maps", `[]`, `[{"schema": "s"}]`, false},
		{"maps", `[{"schema": "s"}]`, `[{"schema": "t"}]`, false},
		{"maps", `[{"schema": "s"}]`, `[{"schema": "s"}, {"schema": "t"}]`, false},
		{"maps", `[{"schema": "s", "hidden": ["x"]}]`, `[{"schema": "s", "hidden": []}, {"schema": "s", "hidden": ["x"]}]`, false},
		{"maps", `[{"schema": "s", "hidden": ["x"]}]`, `[{"schema": "s", "hidden": ["x"]}, {"schema": "s", "hidden": []}]`, false},
		{"maps", `[{"schema": "s", "sorted": "??"}]`, `[{"schema": "s", "sorted": "??"}]`, false},
		{"maps", `[{"schema": "s"}]`, `[{"schema": "s", "sorted": "??"}]`, false},
		{"name", `"??"`, `"??"`, false},
	} {
		if got := rules.AsksFor(test.name, at(t, test.name, test.config), at(t, test.name, test.value)); got != test.want {
			t.Errorf("%s: %s is satisfied by %s: %t, want %t", test.name, test.config, test.value, got, test.want)
		}
	}
}
