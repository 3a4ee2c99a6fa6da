package provider

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// This file works around five faults of validation by the framework and Terraform:
//
//   - The framework reads the members of an unknown element as null, and reports
//     required ones as missing. Such an element becomes an object of unknown
//     members.
//   - The framework rejects a read-only attribute without naming it.
//   - The framework's time grows with the cube of a set's size, since it looks up
//     each element by value for each of its members. It gets large sets in parts.
//   - The framework's errors in a set repeat the element.
//   - Terraform silently drops misspelled members of nested objects. An object
//     without any members set is therefore a warning.

// partSize is the number of elements of a set that the framework validates at once.
const partSize = 16

// ValidateResourceConfig implements tfprotov6.ProviderServer.
func (s server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	resp := &tfprotov6.ValidateResourceConfigResponse{}
	var rules tfvalue.Rules
	engine, adopted := s.engines[req.TypeName]
	if adopted {
		rules = engine.Rules
	}
	err := validate(s.schemas().ResourceSchemas[req.TypeName], preparation{rules: rules, adopted: adopted}, req.Config, &resp.Diagnostics, func(part *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
		partly := *req
		partly.Config = part
		resp, err := s.frameworkServer.ValidateResourceConfig(ctx, &partly)
		if err != nil {
			return nil, err
		}
		return resp.Diagnostics, nil
	})
	return resp, err
}

// ValidateDataResourceConfig implements tfprotov6.ProviderServer.
func (s server) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	resp := &tfprotov6.ValidateDataResourceConfigResponse{}
	err := validate(s.schemas().DataSourceSchemas[req.TypeName], preparation{}, req.Config, &resp.Diagnostics, func(part *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
		partly := *req
		partly.Config = part
		resp, err := s.frameworkServer.ValidateDataResourceConfig(ctx, &partly)
		if err != nil {
			return nil, err
		}
		return resp.Diagnostics, nil
	})
	return resp, err
}

// validate calls the framework for each part of a configuration. The framework also
// rejects what cannot be decoded.
func validate(schema *tfprotov6.Schema, p preparation, config *tfprotov6.DynamicValue, diags *[]*tfprotov6.Diagnostic, call func(*tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error)) error {
	parts := []*tfprotov6.DynamicValue{config}
	if schema != nil && config != nil {
		if raw, err := config.Unmarshal(schema.ValueType()); err == nil && !raw.IsNull() && raw.IsKnown() {
			prepared := p.object(nil, schema.Block.Attributes, tfvalue.Of(raw))
			*diags = p.found
			if parts, err = p.parts(config, prepared); err != nil {
				return err
			}
		}
	}
	for _, part := range parts {
		found, err := call(part)
		if err != nil {
			return err
		}
		for _, d := range found {
			d.Detail = hideElements(d.Detail)
			if !slices.ContainsFunc(*diags, func(known *tfprotov6.Diagnostic) bool { return reflect.DeepEqual(known, d) }) {
				*diags = append(*diags, d)
			}
		}
	}
	return nil
}

// hideElements removes the values of elements from paths in a text. The framework
// spells a path through a set with the whole element, which may be sensitive.
func hideElements(text string) string {
	const begin, end = "[Value(", ")]"
	at := strings.Index(text, begin)
	if at < 0 {
		return text
	}
	rest := text[at+len(begin):]
	for quoted := false; rest != ""; rest = rest[1:] {
		switch {
		case quoted && rest[0] == '\\' && len(rest) > 1:
			rest = rest[1:]
		case rest[0] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(rest, end):
			return text[:at] + "[...]" + hideElements(rest[len(end):])
		}
	}
	return text[:at] + "[...]"
}

type preparation struct {
	rules   tfvalue.Rules
	adopted bool // the engine warns about empty objects, once it knows the platform's side
	found   []*tfprotov6.Diagnostic
	changed bool
	large   []tfvalue.Path // sets that are split
	within  int            // depth of nested collections
}

// parts are copies of the configuration, each with a part of each large set.
func (p *preparation) parts(config *tfprotov6.DynamicValue, prepared tfvalue.Value) ([]*tfprotov6.DynamicValue, error) {
	if !p.changed && len(p.large) == 0 {
		return []*tfprotov6.DynamicValue{config}, nil
	}
	var parts []*tfprotov6.DynamicValue
	for from, more := 0, true; more; from += partSize {
		part := prepared
		more = false
		for _, path := range p.large {
			set := prepared.At(path...)
			elements := set.Elements()
			to := min(len(elements), from+partSize)
			more = more || to < len(elements)
			part = part.With(tfvalue.Collection(set.Type(), elements[min(from, to):to]), path...)
		}
		encoded, err := tfprotov6.NewDynamicValue(part.Type(), part.Value)
		if err != nil {
			return nil, fmt.Errorf("writing a part of the configuration: %w", err)
		}
		parts = append(parts, &encoded)
	}
	return parts, nil
}

func (p *preparation) object(at tfvalue.Path, attributes []*tfprotov6.SchemaAttribute, object tfvalue.Value) tfvalue.Value {
	for _, attribute := range attributes {
		next := append(slices.Clone(at), attribute.Name)
		value := object.At(attribute.Name)
		switch {
		case value.IsNull():
		case attribute.Computed && !attribute.Optional:
			p.report(tfprotov6.DiagnosticSeverityError, next, "Read-only attribute is set",
				fmt.Sprintf("%s is read-only: the API returns it. Remove it from the configuration.", next))
			object, p.changed = object.Without(attribute.Name), true
		case attribute.NestedType == nil || !value.IsKnown():
		case attribute.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle:
			if !anyMember(value) && !p.adopted {
				p.report(tfprotov6.DiagnosticSeverityWarning, next, adopt.EmptyObject, adopt.EmptyObjectDetail(next))
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

// elements prepares the elements of a list or set.
func (p *preparation) elements(nested *tfprotov6.SchemaObject, at tfvalue.Path, collection tfvalue.Value) tfvalue.Value {
	elements := collection.Elements()
	if nested.Nesting == tfprotov6.SchemaObjectNestingModeSet && len(elements) > partSize && p.within == 0 {
		p.large = append(p.large, at)
	}
	if key, keyed := p.rules.Keys[at[len(at)-1]]; keyed {
		p.distinct(key, at, elements)
	}
	p.within++
	defer func() { p.within-- }()
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

// distinct reports elements of a keyed set with the same key. Terraform drops only
// elements that are equal in every member.
func (p *preparation) distinct(key tfvalue.Key, at tfvalue.Path, elements []tfvalue.Value) {
	seen := map[string]bool{}
	for _, element := range elements {
		if !key.Known(element) {
			continue
		}
		if seen[key.Of(element)] {
			p.report(tfprotov6.DiagnosticSeverityError, at, "Duplicate "+key.Noun,
				fmt.Sprintf("%s maps %s more than once. Keep one of these mappings.", at, key.Spell(element)))
		}
		seen[key.Of(element)] = true
	}
}

func (p *preparation) report(severity tfprotov6.DiagnosticSeverity, at tfvalue.Path, summary, detail string) {
	path := tftypes.NewAttributePath()
	for _, name := range at {
		path = path.WithAttributeName(name)
	}
	p.found = append(p.found, &tfprotov6.Diagnostic{Severity: severity, Summary: summary, Detail: detail, Attribute: path})
}
