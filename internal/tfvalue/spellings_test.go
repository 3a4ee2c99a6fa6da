package tfvalue_test

import (
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestSpellings has a response, an object to send, and what is sent: names in lists and
// sets as the response spells them.
func TestSpellings(t *testing.T) {
	t.Parallel()
	const composed, decomposed = `"caf\u00e9"`, `"cafe\u0301"`
	for _, test := range []struct{ name, response, object, want string }{
		{"a set", `{"set": [` + decomposed + `]}`, `{"set": [` + composed + `, "b"]}`, `{"set": [` + decomposed + `, "b"]}`},
		{"members of elements", `{"maps": [{"schema": "s", "hidden": [` + decomposed + `]}]}`, `{"maps": [{"schema": "s", "hidden": [` + composed + `, "x"]}]}`, `{"maps": [{"schema": "s", "hidden": [` + decomposed + `, "x"]}]}`},
		{"another list", `{"inner": {}, "list": [` + decomposed + `]}`, `{"pairs": [{"from": ` + composed + `}]}`, `{"pairs": [{"from": ` + decomposed + `}]}`},
		{"in the normal form", `{"set": [` + composed + `]}`, `{"set": [` + composed + `]}`, `{"set": [` + composed + `]}`},
		{"a text is no name", `{"set": [` + decomposed + `]}`, `{"name": ` + composed + `}`, `{"name": ` + composed + `}`},
		{"a text teaches nothing", `{"name": ` + decomposed + `}`, `{"set": [` + composed + `]}`, `{"set": [` + composed + `]}`},
		{"unknown", `{"set": [` + decomposed + `]}`, `{"set": "??", "list": ["??"]}`, `{"set": "??", "list": ["??"]}`},
		{"nothing", `null`, `{"set": [` + composed + `]}`, `{"set": [` + composed + `]}`},
	} {
		spellings := tfvalue.Spellings{}
		spellings.Add(val(t, test.response))
		same(t, test.name, spellings.Apply(val(t, test.object)), val(t, test.want))
	}
}
