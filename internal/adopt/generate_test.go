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
	e := newToy().engine()
	for name, row := range map[string]struct{ state, want m }{
		"values, false and 0 among them": {
			m{"name": "crm", "threads": 0, "destination": m{"table": m{"rows": 4}, "validate": false}},
			m{"name": "crm", "threads": 0, "destination": m{"table": m{"rows": 4}, "validate": false}},
		},
		"nothing for what is empty":      {m{"name": "", "columns": []any{}, "mappings": ""}, m{}},
		"nothing for what cannot be set": {m{"state": "sorted", "destination": m{"table": m{"rows": 4, "bytes": 9}}, "owner": m{"name": "n"}}, m{"destination": m{"table": m{"rows": 4}}}},
		"no object without an argument":  {m{"destination": m{"table": m{"bytes": 9}}, "credentials": m{}}, m{}},
		"nothing deprecated":             {m{"workers": 24, "threads": 3}, m{"threads": 3}},
		"nothing write-only":             {m{"credentials": m{"user": "u", "key": "k"}}, m{"credentials": m{"user": "u"}}},
		"elements without their names": {
			m{"mappings": m{"items": m{"target_table": "items", "sorted": false, "excluded_columns": []any{}}, "events": mapping("events from w sorted")}},
			m{"mappings": m{"items": m{"excluded_columns": []any{}}, "events": m{"source_table": "w", "sorted": true}}},
		},
		"no element without a name":   {m{"mappings": "events, _ sorted", "name": "crm"}, m{"name": "crm"}},
		"no key that is repeated":     {m{"mappings": "events, events", "name": "crm"}, m{"name": "crm"}},
		"no list with a null element": {m{"columns": []any{"a", nil}}, m{}},
		"another organization":        {m{"organization_id": organization}, m{"organization_id": organization}},
		"the provider's organization": {m{"organization_id": ours}, m{}},
		"the provider's, in capitals": {m{"organization_id": strings.ToUpper(ours)}, m{}},
	} {
		t.Run(name, func(t *testing.T) {
			row.state["pipe_id"], row.want["pipe_id"] = firstPipe, firstPipe
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
