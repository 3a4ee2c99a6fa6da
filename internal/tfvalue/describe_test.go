package tfvalue_test

import (
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

func TestDescribe(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, value, want string }{
		{"name", `"a\n\"b\""`, `"a\n\"b\""`},
		{"size", `0.1`, `0.1`},
		{"size", `1e21`, `1000000000000000000000`},
		{"list", `["b", "a"]`, `["b", "a"]`},
		{"list", `null`, `not set`},
		{"pairs", `[{"to": "b", "from": "a"}, {"to": "c"}]`, `[{from = "a", to = "b"}, {to = "c"}]`},
		{"maps", `[{"schema": "s", "table": "t", "hidden": ["x"]}, {"schema": "u", "table": "t"}]`, `["s.t", "u.t"]`},
		{"maps", `[{"schema": "a\u001bb", "table": "t"}, {"schema": "u"}]`, `["a\x1bb.t", "u.\"\""]`},
		{"inner", `{"size": 1, "name": "a", "deep": {"on": true}}`, `{deep.on = true, name = "a", size = 1}`},
	} {
		if got := at(t, test.name, test.value).Describe(); got != test.want {
			t.Errorf("%s %s is described as %s, want %s", test.name, test.value, got, test.want)
		}
	}
	// A certificate has many lines, a name one.
	for begin, length := range map[string]int{`-\n`: 2000, `-`: 200} {
		long := tfvalue.String(strings.ReplaceAll(begin, `\n`, "\n") + strings.Repeat("é", 70_000))
		if got, want := long.Describe(), `"`+begin+strings.Repeat("é", length-len(begin)-1)+"…"; got != want {
			t.Errorf("a long text is described as %s", got)
		}
	}
}

// TestDescribeChange has two values of a leaf, of which each line of a message shows both.
func TestDescribeChange(t *testing.T) {
	t.Parallel()
	const s = `{"schema": "s", "table": "t", "hidden": ["x"], "sorted": true}`
	for _, test := range []struct{ at, one, other, want string }{
		{"inner.name", `"a"`, `"b"`, `  - inner.name: was "a", is "b"`},
		{"inner.name", `"secret"`, `null`, `  - inner.name: was "***", is not set`},
		{"maps", `[` + s + `, {"schema": "u", "table": "t"}]`, `[{"schema": "s", "table": "t", "hidden": ["secret"]}, {"schema": "v", "table": "t"}]`,
			`  - maps, "s.t", hidden: was ["x"], is ["***"]
  - maps, "s.t", sorted: was true, is not set
  - maps, "u.t": was there, is missing
  - maps, "v.t": was missing, is there`},
	} {
		path := tfvalue.Path(names(test.at))
		typ := val(t, `{}`).At(path...).Type()
		mask := func(text string) string { return strings.ReplaceAll(text, "secret", "***") }
		lines := tfvalue.DescribeChange(path, parse(t, typ, test.one), parse(t, typ, test.other), [2]string{"was", "is"}, mask)
		if got := strings.Join(lines, "\n"); got != test.want {
			t.Errorf("%s from %s to %s:\n%s\nwant\n%s", test.at, test.one, test.other, got, test.want)
		}
	}
}
