package tfvalue

import (
	"fmt"
	"math/big"
	"reflect"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// This file is the one bridge between Go structs and values of a schema. A
// field goes to the attribute that its tfsdk tag names: the tag line is the
// whole mapping.
//
// Rejected: the framework's reflection. It insists that struct and schema have
// exactly the same members, reports a repeated element of a set in a response
// as an error that blocks every plan, and can't read into other number types.

// Exact is a number type of a struct that keeps every digit.
type Exact interface{ Exact() *big.Float }

// Encode gives a struct the type of a schema. What the struct doesn't have is
// null, what the schema doesn't have is dropped, and so are repeated elements
// of a set.
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
			members[name] = encode(v.FieldByIndex(index), memberType)
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
	case typ.Is(tftypes.Map{}):
		members := make(map[string]tftypes.Value, v.Len())
		for key, member := range v.Seq2() {
			members[key.String()] = encode(member, typ.(tftypes.Map).ElementType)
		}
		return tftypes.NewValue(typ, members)
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
		elements[i] = encode(v.Index(i), typ)
	}
	return elements
}

func withoutRepeats(elements []tftypes.Value) []tftypes.Value {
	seen := make(map[string]bool, len(elements))
	kept := elements[:0]
	for _, element := range elements {
		if key := canonical(Value{element}); !seen[key] {
			seen[key] = true
			kept = append(kept, element)
		}
	}
	return kept
}

// Decode reads a known value into a struct. Null leaves the field as it is, an
// empty list or set is an empty slice and not nil, and attributes without a
// field are skipped.
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
		fields := fieldsOf(into.Type())
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
		number, ok := into.Addr().Interface().(Exact)
		if !ok {
			float, _ := value.Number().Float64()
			into.SetFloat(float)
			return nil
		}
		return value.As(number.Exact())
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
	fields := Fields(typ)
	fieldIndexes.Store(typ, fields)
	return fields
}

// Fields gives where the field of each attribute is in a struct type, those of
// embedded structs included.
func Fields(typ reflect.Type) map[string][]int {
	fields := map[string][]int{}
	for _, field := range reflect.VisibleFields(typ) {
		if name := field.Tag.Get("tfsdk"); name != "" {
			fields[name] = field.Index
		}
	}
	return fields
}
