package provider

import (
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
)

// This file is the one bridge between the platform's types and Terraform's
// values. The tag line of a field in internal/platform is the whole mapping:
// a field goes to the attribute that its tfsdk tag names.
//
// The framework's own reflection was rejected for it: it insists that struct
// and schema have exactly the same members (the resource leaves out what the
// data source shows), reports a repeated element of a set in an answer as an
// error that blocks every plan, and can't read into a number type of our own.

// encode gives an answer of the platform the type of a schema. What the
// answer doesn't have is null, what the schema doesn't have is left out, and
// repeated elements of a set are dropped.
func encode(answer any, typ tftypes.Type) tftypes.Value {
	return encodeValue(reflect.ValueOf(answer), typ)
}

func encodeValue(v reflect.Value, typ tftypes.Type) tftypes.Value {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return tftypes.NewValue(typ, nil)
		}
		if integer, ok := v.Interface().(*platform.Integer); ok {
			return tftypes.NewValue(typ, &integer.Float)
		}
		v = v.Elem()
	}
	switch t := typ.(type) {
	case tftypes.Object:
		fields := fieldsOf(v.Type())
		members := make(map[string]tftypes.Value, len(t.AttributeTypes))
		for name, memberType := range t.AttributeTypes {
			index, ok := fields[name]
			if !ok {
				members[name] = tftypes.NewValue(memberType, nil)
				continue
			}
			members[name] = encodeValue(v.FieldByIndex(index), memberType)
		}
		return tftypes.NewValue(typ, members)
	case tftypes.List:
		if v.IsNil() {
			return tftypes.NewValue(typ, nil)
		}
		return tftypes.NewValue(typ, encodeElements(v, t.ElementType))
	case tftypes.Set:
		if v.IsNil() {
			return tftypes.NewValue(typ, nil)
		}
		return tftypes.NewValue(typ, withoutRepeats(encodeElements(v, t.ElementType)))
	}
	switch {
	case typ.Is(tftypes.Number):
		return tftypes.NewValue(typ, big.NewFloat(v.Float()))
	case typ.Is(tftypes.Bool):
		return tftypes.NewValue(typ, v.Bool())
	default:
		return tftypes.NewValue(typ, v.String())
	}
}

func encodeElements(v reflect.Value, typ tftypes.Type) []tftypes.Value {
	elements := make([]tftypes.Value, v.Len())
	for i := range elements {
		elements[i] = encodeValue(v.Index(i), typ)
	}
	return elements
}

func withoutRepeats(elements []tftypes.Value) []tftypes.Value {
	seen := make(map[string]bool, len(elements))
	kept := elements[:0]
	for _, element := range elements {
		if key := canonical(element); !seen[key] {
			seen[key] = true
			kept = append(kept, element)
		}
	}
	return kept
}

// decode reads a known value into a struct of internal/platform. Null leaves
// the field as it is, an empty list or set is an empty slice and not nil, and
// attributes without a field are passed over.
func decode(value tftypes.Value, into any) error {
	return decodeValue(value, reflect.ValueOf(into).Elem())
}

func decodeValue(value tftypes.Value, into reflect.Value) error {
	if value.IsNull() {
		return nil
	}
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	switch typ := value.Type(); {
	case typ.Is(tftypes.Object{}):
		fields := fieldsOf(into.Type())
		for name, member := range members(value) {
			index, ok := fields[name]
			if !ok {
				continue
			}
			if err := decodeValue(member, into.FieldByIndex(index)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	case typ.Is(tftypes.List{}), typ.Is(tftypes.Set{}):
		values := elements(value)
		into.Set(reflect.MakeSlice(into.Type(), len(values), len(values)))
		for i, element := range values {
			if err := decodeValue(element, into.Index(i)); err != nil {
				return err
			}
		}
		return nil
	case typ.Is(tftypes.Number):
		var number big.Float
		if err := value.As(&number); err != nil {
			return err
		}
		if integer, ok := into.Addr().Interface().(*platform.Integer); ok {
			integer.Float = number
			return nil
		}
		float, _ := number.Float64()
		into.SetFloat(float)
		return nil
	default:
		return value.As(into.Addr().Interface())
	}
}

// fieldIndexes holds, by struct type, where the field of each attribute is.
var fieldIndexes sync.Map // reflect.Type -> map[string][]int

func fieldsOf(typ reflect.Type) map[string][]int {
	if known, ok := fieldIndexes.Load(typ); ok {
		return known.(map[string][]int)
	}
	fields := map[string][]int{}
	for _, field := range reflect.VisibleFields(typ) {
		if name := field.Tag.Get("tfsdk"); name != "" {
			fields[name] = field.Index
		}
	}
	fieldIndexes.Store(typ, fields)
	return fields
}

// members returns the attributes of an object, or nil for one that is null or
// unknown. The map is the object's own: copy it before a change.
func members(object tftypes.Value) map[string]tftypes.Value {
	if object.IsNull() || !object.IsKnown() {
		return nil
	}
	var all map[string]tftypes.Value
	if err := object.As(&all); err != nil {
		return nil
	}
	return all
}

// elements returns the elements of a list or a set, or nil for one that is
// null or unknown. The slice is the collection's own: copy it before a change.
func elements(collection tftypes.Value) []tftypes.Value {
	if collection.IsNull() || !collection.IsKnown() {
		return nil
	}
	var all []tftypes.Value
	if err := collection.As(&all); err != nil {
		return nil
	}
	return all
}

// at returns the value at the end of a chain of attribute names: null below
// null, unknown below unknown.
func at(object tftypes.Value, names ...string) tftypes.Value {
	for _, name := range names {
		typ := object.Type().(tftypes.Object).AttributeTypes[name]
		switch {
		case object.IsNull():
			object = tftypes.NewValue(typ, nil)
		case !object.IsKnown():
			object = tftypes.NewValue(typ, tftypes.UnknownValue)
		default:
			object = members(object)[name]
		}
	}
	return object
}

// with returns a copy of an object in which the attribute at the end of a
// chain of names has another value. Below null or unknown there is nothing to
// set, and the object is returned as it is.
func with(object, value tftypes.Value, names ...string) tftypes.Value {
	if len(names) == 0 {
		return value
	}
	all := maps.Clone(members(object))
	if all == nil {
		return object
	}
	all[names[0]] = with(all[names[0]], value, names[1:]...)
	return tftypes.NewValue(object.Type(), all)
}

// text returns a string value, or "" where it is null or unknown.
func text(value tftypes.Value) string {
	var s string
	if value.IsNull() || !value.IsKnown() || value.As(&s) != nil {
		return ""
	}
	return s
}

// deref is a string, or "" where there is none.
func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
