package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// What the framework's validation gets wrong is put right before a
// configuration is handed to it:
//
//   - It reads the members of an element that is unknown as a whole as null, and
//     misses required ones. Such an element becomes an object of unknown members.
//   - It refuses a read-only attribute without naming it.
//
// And an object that declares nothing is warned of: Terraform drops misspelt
// members of nested objects without a word.

// ValidateResourceConfig implements tfprotov6.ProviderServer.
func (s server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	config, found := prepare(s.schemas().ResourceSchemas[req.TypeName], req.Config)
	prepared := *req
	prepared.Config = config
	resp, err := release(ctx, &prepared, s.ProviderServerWithListResource.ValidateResourceConfig)
	if resp != nil {
		resp.Diagnostics = append(found, resp.Diagnostics...)
	}
	return resp, err
}

// ValidateDataResourceConfig implements tfprotov6.ProviderServer.
func (s server) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	config, found := prepare(s.schemas().DataSourceSchemas[req.TypeName], req.Config)
	prepared := *req
	prepared.Config = config
	resp, err := release(ctx, &prepared, s.ProviderServerWithListResource.ValidateDataResourceConfig)
	if resp != nil {
		resp.Diagnostics = append(found, resp.Diagnostics...)
	}
	return resp, err
}

// prepare returns a configuration as the framework is to see it. What can't be
// read is the framework's to refuse.
func prepare(schema *tfprotov6.Schema, config *tfprotov6.DynamicValue) (*tfprotov6.DynamicValue, []*tfprotov6.Diagnostic) {
	if schema == nil || config == nil {
		return config, nil
	}
	raw, err := config.Unmarshal(schema.ValueType())
	if err != nil || raw.IsNull() || !raw.IsKnown() {
		return config, nil
	}
	var p preparation
	prepared := p.object(nil, schema.Block.Attributes, tfvalue.Of(raw))
	if !p.changed {
		return config, p.found
	}
	encoded, err := tfprotov6.NewDynamicValue(raw.Type(), prepared.Value)
	if err != nil {
		return config, p.found
	}
	return &encoded, p.found
}

type preparation struct {
	found   []*tfprotov6.Diagnostic
	changed bool
}

func (p *preparation) object(at tfvalue.Path, attributes []*tfprotov6.SchemaAttribute, object tfvalue.Value) tfvalue.Value {
	for _, attribute := range attributes {
		next := append(at[:len(at):len(at)], attribute.Name)
		value := object.At(attribute.Name)
		switch {
		case value.IsNull():
		case attribute.Computed && !attribute.Optional:
			p.report(tfprotov6.DiagnosticSeverityError, next, "Read-only attribute is set",
				fmt.Sprintf("%s is reported by the platform and cannot be set. Remove it from the configuration.", next))
			object, p.changed = object.Without(attribute.Name), true
		case attribute.NestedType == nil || !value.IsKnown():
		case attribute.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle:
			if !anyMember(value) {
				p.report(tfprotov6.DiagnosticSeverityWarning, next, "Object declares nothing",
					fmt.Sprintf("%s is set, but none of its attributes is, so nothing in it is managed. "+
						"Terraform ignores misspelled attributes of nested objects: check their names.", next))
			}
			object = object.With(p.object(next, attribute.NestedType.Attributes, value), attribute.Name)
		default:
			object = object.With(p.elements(attribute.NestedType, next, value), attribute.Name)
		}
	}
	return object
}

func anyMember(object tfvalue.Value) bool {
	for _, member := range object.Members() {
		if !member.IsNull() {
			return true
		}
	}
	return false
}

// elements are those of a list or set. A set can tell unknown elements no more
// apart than the framework does.
func (p *preparation) elements(nested *tfprotov6.SchemaObject, at tfvalue.Path, collection tfvalue.Value) tfvalue.Value {
	elements := collection.Elements()
	for i, element := range elements {
		switch {
		case element.IsNull():
		case element.IsKnown():
			elements[i] = p.object(at, nested.Attributes, element)
		default:
			members := map[string]tftypes.Value{}
			for name, typ := range element.Type().(tftypes.Object).AttributeTypes {
				members[name] = tfvalue.Unknown(typ).Value
			}
			elements[i], p.changed = tfvalue.Of(tftypes.NewValue(element.Type(), members)), true
		}
	}
	return tfvalue.Collection(collection.Type(), elements)
}

func (p *preparation) report(severity tfprotov6.DiagnosticSeverity, at tfvalue.Path, summary, detail string) {
	path := tftypes.NewAttributePath()
	for _, name := range at {
		path = path.WithAttributeName(name)
	}
	p.found = append(p.found, &tfprotov6.Diagnostic{Severity: severity, Summary: summary, Detail: detail, Attribute: path})
}
