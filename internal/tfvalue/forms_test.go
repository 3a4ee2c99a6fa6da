package tfvalue_test

import (
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestOtherForms has values, in which cafe' is the name in another form than Terraform's.
func TestOtherForms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ leaf, held, want string }{
		{"set", `["cafe'", "x", "cafe'"]`, "caf\u00e9"},
		{"list", `["caf\u00e9", "x"]`, ""},
		{"list", `["t\ud800l", "x"]`, "t\ufffdl"}, // half a surrogate pair
		{"maps", `[{"schema": "a", "table": "cafe'", "hidden": ["b", "a'"]}]`, "caf\u00e9 \u00e1"},
	} {
		form := strings.NewReplacer("'", "\u0301").Replace
		if got := strings.Join(at(t, test.leaf, form(test.held)).OtherForms(), " "); got != test.want {
			t.Errorf("%s %s: %q, want %q", test.leaf, test.held, got, test.want)
		}
	}
	if forms := tfvalue.String("caf\u00e9").OtherForms(); len(forms) > 0 {
		t.Error(forms)
	}
}
