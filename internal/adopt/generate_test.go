package adopt

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// TestGeneratedConfigurationOfAnObject has what a person would write for an object.
func TestGeneratedConfigurationOfAnObject(t *testing.T) {
	const ours = "1000000a-0000-4000-8000-000000000001" // the provider's organization
	e := newWorkshop().engine()
	for name, row := range map[string]struct{ state, want m }{
		"values, false and 0 among them": {
			m{"name": "desk", "size": 0, "shape": m{"round": m{"radius": 4}, "dry": false}},
			m{"name": "desk", "size": 0, "shape": m{"round": m{"radius": 4}, "dry": false}},
		},
		"nothing for what is empty":      {m{"name": "", "tags": []any{}, "bulbs": []any{}}, m{}},
		"nothing for what cannot be set": {m{"state": "on", "shape": m{"round": m{"radius": 4, "volume": 9}}, "maker": m{"name": "n"}}, m{"shape": m{"round": m{"radius": 4}}}},
		"no object without an argument":  {m{"shape": m{"round": m{"volume": 9}}, "secret": m{}}, m{}},
		"nothing deprecated":             {m{"age": 24, "size": 3}, m{"size": 3}},
		"nothing write-only":             {m{"secret": m{"user": "u", "key": "k"}}, m{"secret": m{"user": "u"}}},
		"elements without their names": {
			m{"bulbs": []any{m{"socket": "E27", "wire": "w", "on": false, "colors": []any{}}, m{"socket": "E14", "wire": "w", "on": true}}},
			m{"bulbs": m{"E27": m{"wire": "w", "colors": []any{}}, "E14": m{"wire": "w", "on": true}}},
		},
		"no element without a name":   {m{"bulbs": []any{e14, m{"on": true}}, "name": "desk"}, m{"name": "desk"}},
		"no key that is repeated":     {m{"bulbs": []any{e14, m{"socket": "E14"}}, "name": "desk"}, m{"name": "desk"}},
		"no list with a null element": {m{"tags": []any{"a", nil}}, m{}},
		"another organization":        {m{"organization_id": organization}, m{"organization_id": organization}},
		"the provider's organization": {m{"organization_id": ours}, m{}},
		"the provider's, in capitals": {m{"organization_id": strings.ToUpper(ours)}, m{}},
	} {
		t.Run(name, func(t *testing.T) {
			row.state["lamp_id"], row.want["lamp_id"] = firstLamp, firstLamp
			got := e.generate(value(row.state, e.objectType), ours)
			if want := value(row.want, e.objectType); !got.Equal(want) {
				t.Error(cmp.Diff(want.Value, got.Value, cmp.Comparer(tftypes.Type.Equal)))
			}
		})
	}
	if got := e.generate(value(nil, e.objectType), ours); !got.IsNull() {
		t.Errorf("of no object: %v", got)
	}
}
