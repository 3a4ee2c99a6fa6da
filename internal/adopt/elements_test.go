package adopt

import (
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestElements has what somebody else or the platform does to bulbs between two PATCHes: one of them
// removes E14, and the other adds G9, which hangs on its wire.
func TestElements(t *testing.T) {
	t.Parallel()
	otherG9 := m{"socket": "G9", "wire": "E14", "colors": []any{"green"}, "on": false}
	withG9 := func(g9 any) func(tfvalue.Value) tfvalue.Value { return inTurn(keeps([]any{g9, e27}, bulbsAt...)) }
	lateName := func(w *workshop, _ string, lamp tfvalue.Value) tfvalue.Value {
		if len(w.patches()) == 1 && w.lastReads() < 3 {
			return keeps("desk", "name")(lamp)
		}
		return lamp
	}
	for name, test := range map[string]scene{
		"one is removed, and a related one is added after it": {
			config: m{"bulbs": elsewhere}, sent: []string{"GET", "PATCH name -E14", "PATCH +G9"},
		},
		"what is left to be added is there: it is not sent": {
			config: m{"bulbs": elsewhere}, rewrite: withG9(g9), sent: []string{"GET", "PATCH name -E14"},
		},
		"what is left to be added is there: a leaf that is late is still waited for": {
			config: m{"bulbs": elsewhere}, rewrite: withG9(g9), edit: lateName,
			sent: []string{"GET", "PATCH name -E14", "3 GETs"}, took: firstPause,
		},
		"another element has its key: a conflict": {
			config: m{"bulbs": elsewhere}, rewrite: withG9(otherG9), sent: []string{"GET", "PATCH name -E14"},
			errors: []string{"fixture.mount.bulbs of lamp", "only partly updated"},
		},
		"an element that goes with the first PATCH is added with the second": {
			config: m{"bulbs": blue}, rewrite: inTurn(keeps([]any{}, bulbsAt...)),
			sent: []string{"GET", "PATCH name -E14", "GET", "PATCH name +E14 +E27"},
		},
	} {
		t.Run(name, test.play)
	}
}
