package tfvalue

import (
	"fmt"
	"math/big"
	"reflect"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// This file converts between Go structs and values of a schema. A field maps to the
// attribute that its tfsdk tag names.
//
// Rejected: the framework's reflection. It requires exactly the same members in
// struct and schema, reports a repeated element of a set in a response as an error
// that blocks every plan, and cannot read into other number types.

// Exact is a number type that keeps every digit. Its pointer is the field of a number.
// Exact returns the number, to read or to set.
type Exact interface{ Exact() *big.Float }

// Encode converts a struct to a value of a type. Attributes without a field are
// null. Fields without an attribute, and repeated elements of a set, are omitted.
func Encode(from any, typ tftypes.Type) Value {
	return Value{encode(reflect.ValueOf(from), typ)}
}

func encode(v reflect.Value, typ tftypes.Type) tftypes.Value {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return tftypes.NewValue(typ, nil)
		}
		if number, ok := v.Interface().(Exact); ok {
			return tftypes.NewValue(typ, number.Exact())
		}
		v = v.Elem()
	}
	if v.Kind() == reflect.Slice && v.IsNil() {
		return tftypes.NewValue(typ, nil)
	}
	switch t := typ.(type) {
	case tftypes.Object:
		fields := Fields(v.Type())
		members := make(map[string]tftypes.Value, len(t.AttributeTypes))
		for name, memberType := range t.AttributeTypes {
			index, ok := fields[name]
			if !ok {
				members[name] = tftypes.NewValue(memberType, nil)
				continue
			}
			members[name] = encode(v.FieldByIndex(index), memberType)
		}
		return tftypes.NewValue(typ, members)
	case tftypes.List:
		return tftypes.NewValue(typ, encodeElements(v, t.ElementType))
	case tftypes.Set:
		return tftypes.NewValue(typ, withoutRepeats(encodeElements(v, t.ElementType)))
	case tftypes.Map:
		members := make(map[string]tftypes.Value, v.Len())
		for key, member := range v.Seq2() {
			members[key.String()] = encode(member, t.ElementType)
		}
		return tftypes.NewValue(typ, members)
	}
	if typ.Is(tftypes.Bool) {
		return tftypes.NewValue(typ, v.Bool())
	}
	return tftypes.NewValue(typ, v.String())
}

func encodeElements(v reflect.Value, typ tftypes.Type) []tftypes.Value {
	elements := make([]tftypes.Value, v.Len())
	for i := range elements {
		elements[i] = encode(v.Index(i), typ)
	}
	return elements
}

func withoutRepeats(elements []tftypes.Value) []tftypes.Value {
	seen := make(map[string]bool, len(elements))
	kept := elements[:0]
	for _, element := range elements {
		key := Rules{exact: true}.canonical("", Value{element})
		if !seen[key] {
			seen[key] = true
			kept = append(kept, element)
		}
	}
	return kept
}

// Decode reads a value into the struct that into points to. Null leaves a field
// unchanged, an empty list or set becomes an empty slice and not nil, and attributes
// without a field are skipped. It fails if a value is unknown.
func (v Value) Decode(into any) error {
	return decode(v, reflect.ValueOf(into).Elem())
}

func decode(value Value, into reflect.Value) error {
	if value.IsNull() {
		return nil
	}
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	switch {
	case value.Type().Is(tftypes.Object{}):
		fields := Fields(into.Type())
		for name, member := range value.Members() {
			index, ok := fields[name]
			if !ok {
				continue
			}
			if err := decode(member, into.FieldByIndex(index)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	case isList(value), isSet(value):
		elements := value.Elements()
		into.Set(reflect.MakeSlice(into.Type(), len(elements), len(elements)))
		for i, element := range elements {
			if err := decode(element, into.Index(i)); err != nil {
				return err
			}
		}
		return nil
	case value.Type().Is(tftypes.Number):
		return value.As(into.Addr().Interface().(Exact).Exact())
	default:
		return value.As(into.Addr().Interface())
	}
}

var fieldIndexes sync.Map // reflect.Type -> map[string][]int

// Fields returns the index of the field of each attribute in a struct type, for
// reflect.Value.FieldByIndex. It includes the fields of embedded structs. The map is
// shared, and must not be changed.
func Fields(typ reflect.Type) map[string][]int {
	if cached, ok := fieldIndexes.Load(typ); ok {
		return cached.(map[string][]int)
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
