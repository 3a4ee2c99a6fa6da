package terraformtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// attributes are those of a resource or of a nested object.
type attributes []*tfprotov6.SchemaAttribute

// Schema is the schema of a resource.
type Schema struct {
	attributes attributes
	// Type is the type of the resource's objects.
	Type cty.Type
}

// NewSchema returns the schema of a resource that has no nested blocks.
func NewSchema(schema *tfprotov6.Schema) *Schema {
	if len(schema.Block.BlockTypes) > 0 {
		panic("nested blocks are not played")
	}
	return &Schema{attributes: schema.Block.Attributes, Type: typeOf(schema.ValueType())}
}

// typeOf returns a type of the protocol as Terraform has it. Both have one notation.
func typeOf(typ tftypes.Type) cty.Type {
	return must(ctyjson.UnmarshalType(must(typ.MarshalJSON()))) //nolint:staticcheck // deprecated for all but this
}

// Config returns a configuration with the type of the schema. Attributes that it omits
// are null, and members of nested objects that the schema does not have are dropped, as
// Terraform does.
func (s *Schema) Config(written cty.Value) (cty.Value, error) {
	config, err := convert.Convert(written, optional(s.Type))
	if err != nil {
		return cty.NilVal, fmt.Errorf("the configuration does not have the type of the schema: %w", err)
	}
	return convert.Convert(config, s.Type) //nolint:wrapcheck // to the same type without its optional attributes
}

// optional returns a type whose attributes may be omitted.
func optional(typ cty.Type) cty.Type {
	switch {
	case typ.IsObjectType():
		members, names := map[string]cty.Type{}, []string{}
		for name, member := range typ.AttributeTypes() {
			members[name], names = optional(member), append(names, name)
		}
		return cty.ObjectWithOptionalAttrs(members, names)
	case typ.IsListType():
		return cty.List(optional(typ.ElementType()))
	case typ.IsSetType():
		return cty.Set(optional(typ.ElementType()))
	case typ.IsMapType():
		return cty.Map(optional(typ.ElementType()))
	default:
		return typ
	}
}

// Encode returns a value as the protocol has it.
func (s *Schema) Encode(value cty.Value) *tfprotov6.DynamicValue {
	return &tfprotov6.DynamicValue{MsgPack: must(msgpack.Marshal(value, s.Type))}
}

// Decode returns a value of the protocol.
func (s *Schema) Decode(value *tfprotov6.DynamicValue) (cty.Value, error) {
	return msgpack.Unmarshal(value.MsgPack, s.Type) //nolint:wrapcheck // the caller says what could not be read
}

// must is for what fails only if a test or this package is wrong.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// at returns the attribute at a path, nil if the path ends in none, as one does at the
// element of a collection.
func (all attributes) at(path cty.Path) (found *tfprotov6.SchemaAttribute) {
	for _, step := range path {
		name, isName := step.(cty.GetAttrStep)
		if !isName {
			found = nil // an element
			continue
		}
		i := slices.IndexFunc(all, func(a *tfprotov6.SchemaAttribute) bool { return a.Name == name.Name })
		if i < 0 {
			return nil
		}
		found, all = all[i], nil
		if found.NestedType != nil {
			all = found.NestedType.Attributes
		}
	}
	return found
}

// any finds the parts of a value, itself included, whose attribute has a property. Nulls
// are no parts.
func (all attributes) any(value cty.Value, has func(*tfprotov6.SchemaAttribute) bool) (found []cty.Path) {
	for path, part := range cty.DeepValues(value) {
		if a := all.at(path); a != nil && !part.IsNull() && has(a) {
			found = append(found, path.Copy())
		}
	}
	return found
}

// member returns an attribute of an object, null if the object is.
func member(object cty.Value, a *tfprotov6.SchemaAttribute) cty.Value {
	if object.IsNull() {
		return cty.NullVal(object.Type().AttributeType(a.Name))
	}
	return object.GetAttr(a.Name)
}

// formatPath returns a path as Terraform writes it after the address of a resource.
func formatPath(path cty.Path) string {
	var text strings.Builder
	for _, step := range path {
		switch s := step.(type) {
		case cty.GetAttrStep:
			text.WriteString("." + s.Name)
		case cty.IndexStep:
			switch {
			case s.Key.IsNull() || !s.Key.IsKnown():
				text.WriteString("[...]")
			case s.Key.Type() == cty.String:
				fmt.Fprintf(&text, "[%q]", s.Key.AsString())
			case s.Key.Type() == cty.Number:
				text.WriteString("[" + s.Key.AsBigFloat().Text('f', -1) + "]")
			default:
				text.WriteString("[...]")
			}
		}
	}
	return text.String()
}
