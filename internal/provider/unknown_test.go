package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// knownValues are those of attributes for which not any value of their type does.
var knownValues = map[string]string{
	"service_id": `"` + mockplatform.ServiceID + `"`, "organization_id": `"` + mockplatform.OrganizationID + `"`, "pipe_id": `"` + mockplatform.KafkaPipeID + `"`,
	"roles": `["admin"]`, "early_renewal_hours": "2", "source": `"10.0.0.1"`, "use_custom_sorting_key": "true",
}

// needs reports whether an argument is invalid without another one.
func needs(argument, other string) bool {
	return map[string]string{"early_renewal_hours": "validity_hours", "sorting_keys": "use_custom_sorting_key"}[argument] == other ||
		argument+"_version" == other || argument == other+"_version"
}

// someArgument is an argument with some known value.
func someArgument(a *tfprotov6.SchemaAttribute) string {
	value := `["a"]`
	switch {
	case knownValues[a.Name] != "":
		value = knownValues[a.Name]
	case a.Type.Is(tftypes.Number):
		value = "24"
	case a.Type.Is(tftypes.String):
		value = `"a"`
	}
	return a.Name + " = " + value + "\n"
}

// partlyUnknown are all configurations of these attributes that have one unknown value, by
// its place: an attribute at any depth, or an element of a list, set or map. Beside it stands
// only what must.
func partlyUnknown(at string, attributes []*tfprotov6.SchemaAttribute) map[string]string {
	all := map[string]string{}
	for _, a := range attributes {
		if !a.Optional && !a.Required {
			continue
		}
		arguments := ""
		for _, other := range attributes {
			if other != a && (other.Required || needs(a.Name, other.Name)) {
				arguments += someArgument(other)
			}
		}
		place := at + "." + a.Name
		add := func(place, format string, inner any) {
			all[place] = arguments + a.Name + " = " + fmt.Sprintf(format, inner) + "\n"
		}
		add(place, "%s", "later")
		nested := "{\n%s}"
		switch a.ValueType().(type) {
		case tftypes.List, tftypes.Set:
			add(place+"[*]", "[%s]", "later")
			nested = "[{\n%s}]"
		case tftypes.Map:
			add(place+"[*]", `{ "a.b:c" = %s }`, "later")
			nested = "{ \"a.b:c\" = {\n%s} }"
		}
		if a.NestedType != nil {
			for inner, text := range partlyUnknown(place, a.NestedType.Attributes) {
				add(inner, nested, text)
			}
		}
	}
	return all
}

// TestUnknownEverywhere leaves each attribute at every depth, and one element of each list,
// set and map, unknown: validation and plan accept it.
func TestUnknownEverywhere(t *testing.T) {
	f := newFixture(t)
	for name, least := range map[string]int{"dataplatform_pipe": 75, "dataplatform_service_scaling": 7, "dataplatform_api_key": 18} {
		places := partlyUnknown("", schemasOnce().ResourceSchemas[name].Block.Attributes)
		if len(places) < least {
			t.Fatalf("only %d places", len(places))
		}
		for place, arguments := range places {
			for kind, id := range pipesByKind {
				if strings.Contains(place, "."+kind) {
					arguments = strings.Replace(arguments, mockplatform.KafkaPipeID, id, 1)
				}
			}
			if r := f.manage(name, "", arguments, nil).tryPlan(f.start()); len(r.errors) > 0 {
				t.Errorf("%s%s unknown: %q", name, place, r.errors)
			}
		}
	}
	f.wantWrites()
}
