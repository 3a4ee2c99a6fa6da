package tfvalue_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

func TestDescribe(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, value, want string }{
		{"name", `"a"`, `"a"`},
		{"name", `""`, `""`},
		{"name", `"a\n\"b\""`, `"a\n\"b\""`},
		{"name", `null`, `not set`},
		{"size", `4`, `4`},
		{"size", `4.0`, `4`},
		{"size", `0.1`, `0.1`},
		{"size", `"~0.1"`, `0.1`},
		{"size", `9007199254740993`, `9007199254740993`},
		{"size", `1e21`, `1000000000000000000000`},
		{"size", `null`, `not set`},
		{"on", `true`, `true`},
		{"on", `false`, `false`},
		{"on", `null`, `not set`},
		{"list", `["b", "a"]`, `["b", "a"]`},
		{"list", `[]`, `[]`},
		{"list", `[null]`, `[not set]`},
		{"list", `null`, `not set`},
		{"pairs", `[{"to": "b", "from": "a"}, {"to": "c"}]`, `[{from = "a", to = "b"}, {to = "c"}]`},
		{"maps", `[{"schema": "s", "table": "t", "hidden": ["x"]}, {"schema": "u", "table": "t"}]`, `[s.t, u.t]`},
		{"inner", `{"size": 1, "name": "a", "deep": {"on": true}}`, `{deep.on = true, name = "a", size = 1}`},
		{"inner", `{}`, `{}`},
	} {
		if got := rules.Describe(test.name, at(t, test.name, test.value)); got != test.want {
			t.Errorf("%s %s is described as %s, want %s", test.name, test.value, got, test.want)
		}
	}
	if got := (tfvalue.Rules{}).Describe("maps", at(t, "maps", `[{"schema": "s"}]`)); got != `[{schema = "s"}]` {
		t.Errorf("without a key a set is described as %s", got)
	}
}

// TestDescribeIsCut has a text of which a sentence shows the beginning.
func TestDescribeIsCut(t *testing.T) {
	t.Parallel()
	for length, cut := range map[int]bool{1998: false, 1999: true, 5000: true} {
		got := rules.Describe("name", tfvalue.String(strings.Repeat("é", length)))
		if utf8.RuneCountInString(got) > 2001 || strings.HasSuffix(got, "…") != cut || !strings.HasPrefix(got, `"éé`) || !utf8.ValidString(got) {
			t.Errorf("%d characters are described in %d, ending in %s", length, utf8.RuneCountInString(got), got[len(got)-5:])
		}
	}
}
