package provider

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// This file works around five faults of validation by the framework:
//
//   - It reads the members of an unknown element as null, and reports required ones as not set. Such
//     an element becomes an object of unknown members.
//   - It rejects a read-only attribute without naming it.
//   - Its time grows with the cube of a set's size, since it looks up each element by value for each
//     of its members. It gets large sets in parts.
//   - Its errors in a set repeat the element.
//   - Without the element, an error about a required member does not say which element lacks it.

// partSize is the number of elements of a set that the framework validates at once.
const partSize = 16

// ValidateResourceConfig implements tfprotov6.ProviderServer.
func (s server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	var rules tfvalue.Rules
	if engine, ok := s.engines[req.TypeName]; ok {
		rules = engine.Rules
	}
	found, err := validate(s.schemas().ResourceSchemas[req.TypeName], rules, req.Config, func(part *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
		req.Config = part
		resp, err := s.frameworkServer.ValidateResourceConfig(ctx, req)
		if err != nil {
			return nil, err
		}
		return resp.Diagnostics, nil
	})
	return &tfprotov6.ValidateResourceConfigResponse{Diagnostics: found}, err
}

// ValidateDataResourceConfig implements tfprotov6.ProviderServer.
func (s server) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	found, err := validate(s.schemas().DataSourceSchemas[req.TypeName], tfvalue.Rules{}, req.Config, func(part *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
		req.Config = part
		resp, err := s.frameworkServer.ValidateDataResourceConfig(ctx, req)
		if err != nil {
			return nil, err
		}
		return resp.Diagnostics, nil
	})
	return &tfprotov6.ValidateDataResourceConfigResponse{Diagnostics: found}, err
}

// validate prepares a configuration, and calls the framework for each part of it. What cannot be
// decoded is left to the framework, which rejects it.
func validate(schema *tfprotov6.Schema, rules tfvalue.Rules, config *tfprotov6.DynamicValue, call func(*tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error)) ([]*tfprotov6.Diagnostic, error) {
	p := preparation{rules: rules}
	parts := []*tfprotov6.DynamicValue{config}
	if schema != nil {
		if raw, err := config.Unmarshal(schema.ValueType()); err == nil {
			if parts, err = partsOf(p.object(nil, schema.Block.Attributes, tfvalue.Of(raw))); err != nil {
				return nil, err
			}
		}
	}
	all := conn.ToProtocol(p.diags)
	for _, part := range parts {
		found, err := call(part)
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			d.Detail = setElement.ReplaceAllString(d.Detail, "[...]")
			if !slices.ContainsFunc(all, func(other *tfprotov6.Diagnostic) bool { return reflect.DeepEqual(other, d) }) {
				all = append(all, d)
			}
		}
	}
	return all, nil
}

// setElement matches a step of a path through a set, which the framework spells with the whole
// element. That may be sensitive.
var setElement = regexp.MustCompile(`(?s)\[Value\((("(\\.|[^"\\])*"|[^"])*?\)\]|.*)`)

// partsOf returns copies of a configuration, each with a part of each large set of
// objects.
func partsOf(config tfvalue.Value) ([]*tfprotov6.DynamicValue, error) {
	large := slices.DeleteFunc(config.Leaves(), func(leaf tfvalue.Leaf) bool {
		elements := leaf.Value.Elements()
		return !leaf.Value.Type().Is(tftypes.Set{}) || len(elements) <= partSize || !elements[0].Type().Is(tftypes.Object{})
	})
	var parts []*tfprotov6.DynamicValue
	for from, more := 0, true; more; from += partSize {
		part := config
		more = false
		for _, set := range large {
			elements := set.Value.Elements()
			to := min(len(elements), from+partSize)
			more = more || to < len(elements)
			part = part.With(tfvalue.Collection(set.Value.Type(), elements[min(from, to):to]), set.Path...)
		}
		encoded, err := tfprotov6.NewDynamicValue(part.Type(), part.Value)
		if err != nil {
			return nil, fmt.Errorf("writing a part of the configuration: %w", err)
		}
		parts = append(parts, &encoded)
	}
	return parts, nil
}

// preparation changes a configuration into one that the framework validates well, and reports what
// the framework would not.
type preparation struct {
	rules tfvalue.Rules
	diags diag.Diagnostics
}

func (p *preparation) object(at tfvalue.Path, attributes []*tfprotov6.SchemaAttribute, object tfvalue.Value) tfvalue.Value {
	for _, attribute := range attributes {
		next := append(slices.Clone(at), attribute.Name)
		value := object.At(attribute.Name)
		switch {
		case value.IsNull():
		case attribute.Computed && !attribute.Optional:
			p.diags.AddAttributeError(conn.AttributePath(next), "Read-only attribute is set", fmt.Sprintf("%s is read-only: the API returns it. Remove it from the configuration.", next))
			object = object.Without(attribute.Name)
		case attribute.NestedType == nil || !value.IsKnown():
		case attribute.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle:
			object = object.With(p.object(next, attribute.NestedType.Attributes, value), attribute.Name)
		default:
			object = object.With(p.elements(attribute.NestedType, next, value), attribute.Name)
		}
	}
	return object
}

// elements prepares the elements of a list or set.
func (p *preparation) elements(nested *tfprotov6.SchemaObject, at tfvalue.Path, collection tfvalue.Value) tfvalue.Value {
	elements := collection.Elements()
	if key, keyed := p.rules.Keys[at[len(at)-1]]; keyed {
		p.checkKeyed(key, at, nested.Attributes, elements)
	}
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
			elements[i] = tfvalue.Of(tftypes.NewValue(element.Type(), members))
		}
	}
	return tfvalue.Collection(collection.Type(), elements)
}

// checkKeyed reports elements of a keyed set with the same key, of which Terraform drops only those
// that are equal in every member; and required members that elements lack, naming the element. Such
// members become unknown, which the framework accepts.
func (p *preparation) checkKeyed(key tfvalue.Key, at tfvalue.Path, attributes []*tfprotov6.SchemaAttribute, elements []tfvalue.Value) {
	seen := map[string]bool{}
	for i, element := range elements {
		if !key.HasKnownKey(element) {
			continue
		}
		if seen[key.Of(element)] {
			p.diags.AddAttributeError(conn.AttributePath(at), "Duplicate "+key.Noun, fmt.Sprintf("%s maps %s more than once. Keep one of these mappings.", at, key.Label(element)))
		}
		seen[key.Of(element)] = true
		for _, attribute := range attributes {
			if !attribute.Required || !element.At(attribute.Name).IsNull() {
				continue
			}
			_, howTo, _ := strings.Cut(attribute.Description, ".") // after what it is
			p.diags.AddAttributeError(conn.AttributePath(at), "Incomplete "+key.Noun, fmt.Sprintf("%s must be set in %s for %s.%s", attribute.Name, at, key.Label(element), howTo))
			elements[i] = elements[i].With(tfvalue.Unknown(attribute.ValueType()), attribute.Name)
		}
	}
}
