package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// knownValues are those of attributes that not any value of their type does for, by their
// names.
var knownValues = map[string]any{
	"service_id": mockplatform.ServiceID, "organization_id": mockplatform.OrganizationID, "pipe_id": mockplatform.KafkaPipeID, "num_replicas": 3,
	"roles": []any{"admin"}, "state": "enabled", "expire_at": "2999-01-01T00:00:00Z", "early_renewal_hours": 2, "source": "10.0.0.1",
}

// standBeside are the arguments that others need at their side.
var standBeside = map[string]string{
	"early_renewal_hours": "validity_hours", "password_wo": "password_wo_version", "secret_key_wo": "secret_key_wo_version", "connection_string_wo": "connection_string_wo_version",
	"password_wo_version": "password_wo", "secret_key_wo_version": "secret_key_wo", "connection_string_wo_version": "connection_string_wo",
	"sorting_keys": "excluded_columns", "use_custom_sorting_key": "excluded_columns",
}

// someValue is some known value of an attribute.
func someValue(name string, typ tftypes.Type) tfvalue.Value {
	elements := func(of tftypes.Type) []tfvalue.Value {
		return []tfvalue.Value{someValue(strings.TrimSuffix(name, "s"), of)}
	}
	known := knownValues[name]
	switch t := typ.(type) {
	case tftypes.List:
		return tfvalue.Collection(typ, elements(t.ElementType))
	case tftypes.Set:
		return tfvalue.Collection(typ, elements(t.ElementType))
	}
	switch {
	case name == "role":
		return tfvalue.String("admin")
	case known != nil:
		return tfvalue.Of(tftypes.NewValue(typ, known))
	case typ.Is(tftypes.Number):
		return tfvalue.Of(tftypes.NewValue(typ, 24))
	case typ.Is(tftypes.Bool):
		return tfvalue.Bool(true)
	default:
		return tfvalue.String("a")
	}
}

// partlyUnknown are all configurations of these attributes that have one unknown value: an
// attribute at any depth, or an element of a list, set or map. Beside it stands only what
// must.
func partlyUnknown(at string, attributes []*tfprotov6.SchemaAttribute, typ tftypes.Object) map[string]tfvalue.Value {
	all := map[string]tfvalue.Value{}
	for _, a := range attributes {
		if !a.Optional && !a.Required {
			continue
		}
		object := unset(typ, nil)
		for _, other := range attributes {
			if other != a && (other.Required || other.Name == standBeside[a.Name]) {
				object = object.With(someValue(other.Name, other.ValueType()), other.Name)
			}
		}
		path := strings.TrimPrefix(at+"."+a.Name, ".")
		add := func(place string, value tfvalue.Value) { all[place] = object.With(value, a.Name) }
		add(path, tfvalue.Unknown(a.ValueType()))
		wrap := func(element tfvalue.Value) tfvalue.Value { return element }
		var element tftypes.Type
		switch t := a.ValueType().(type) {
		case tftypes.List:
			element = t.ElementType
		case tftypes.Set:
			element = t.ElementType
		case tftypes.Map:
			add(path+"[*]", tfvalue.Of(tftypes.NewValue(t, map[string]tftypes.Value{"a": tftypes.NewValue(t.ElementType, tftypes.UnknownValue)})))
		}
		if element != nil {
			wrap = func(element tfvalue.Value) tfvalue.Value {
				return tfvalue.Collection(a.ValueType(), []tfvalue.Value{element})
			}
			add(path+"[*]", wrap(tfvalue.Unknown(element)))
		} else {
			element = a.ValueType()
		}
		if a.NestedType != nil {
			for place, inner := range partlyUnknown(path, a.NestedType.Attributes, element.(tftypes.Object)) {
				add(place, wrap(inner))
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
		schema := schemasOnce().ResourceSchemas[name]
		typ := schema.ValueType().(tftypes.Object)
		places := partlyUnknown("", schema.Block.Attributes, typ)
		if len(places) < least {
			t.Fatalf("only %d places", len(places))
		}
		for place, config := range places {
			for kind, id := range map[string]string{"object_storage": mockplatform.ObjectStoragePipeID, "cloud_stream": mockplatform.CloudStreamPipeID, "postgres": mockplatform.PostgresPipeID} {
				if strings.Contains(place, "."+kind) {
					config = config.With(tfvalue.String(id), "pipe_id")
				}
			}
			b := f.play(name)
			b.block.Config = b.value(config.Value)
			if r := b.tell(&result{change: b.block.Plan(f.start())}, b.block.State); len(r.errors) > 0 {
				t.Errorf("%s, %s unknown: %q", name, place, r.errors)
			}
		}
	}
	f.wantWrites()
}
