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
