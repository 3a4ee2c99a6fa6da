// Package tfvalue is a value of a schema and its algebra: what the user owns,
// what differs, what an answer says, and what the state is then. It knows no
// attribute by name; what a type can't say about one is in Rules.
package tfvalue

import (
	"iter"
	"maps"
	"math/big"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Value is a value of an attribute, or of a whole object.
type Value struct{ tftypes.Value }

// Of is a value as the framework and the protocol have it.
func Of(raw tftypes.Value) Value { return Value{raw} }

// Null is the null value of a type.
func Null(typ tftypes.Type) Value { return Value{tftypes.NewValue(typ, nil)} }

// Unknown is the unknown value of a type.
func Unknown(typ tftypes.Type) Value { return Value{tftypes.NewValue(typ, tftypes.UnknownValue)} }

// String is a string value.
func String(s string) Value { return Value{tftypes.NewValue(tftypes.String, s)} }

// Optional is a string value, null where there is no string.
func Optional(s *string) Value {
	if s == nil {
		return Null(tftypes.String)
	}
	return String(*s)
}

// Bool is a boolean value.
func Bool(b bool) Value { return Value{tftypes.NewValue(tftypes.Bool, b)} }

// Int is a number value.
func Int(n int64) Value { return Value{tftypes.NewValue(tftypes.Number, n)} }

// Collection is a list or set of these elements.
func Collection(typ tftypes.Type, elements []Value) Value {
	raw := make([]tftypes.Value, len(elements))
	for i, element := range elements {
		raw[i] = element.Value
	}
	return Value{tftypes.NewValue(typ, raw)}
}

// IsObject reports whether the value is a known object, which has members.
func (v Value) IsObject() bool {
	return v.Type() != nil && v.Type().Is(tftypes.Object{}) && v.IsKnown() && !v.IsNull()
}

// Equal reports whether two values are the same to the letter.
func (v Value) Equal(other Value) bool { return v.Value.Equal(other.Value) }

// members is the value's own map: copy it before a change.
func (v Value) members() map[string]tftypes.Value {
	if v.IsNull() || !v.IsKnown() {
		return nil
	}
	var all map[string]tftypes.Value
	if err := v.As(&all); err != nil {
		return nil
	}
	return all
}

// Members are the attributes of an object in the order of their names, none
// where it is null or unknown.
func (v Value) Members() iter.Seq2[string, Value] {
	all := v.members()
	return func(yield func(string, Value) bool) {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if !yield(name, Value{all[name]}) {
				return
			}
		}
	}
}

// Elements are those of a list or set, none where it is null or unknown.
func (v Value) Elements() []Value {
	if v.IsNull() || !v.IsKnown() {
		return nil
	}
	var raw []tftypes.Value
	if err := v.As(&raw); err != nil {
		return nil
	}
	all := make([]Value, len(raw))
	for i, element := range raw {
		all[i] = Value{element}
	}
	return all
}

// Has reports whether the object's type has an attribute of this name.
func (v Value) Has(name string) bool {
	object, ok := v.Type().(tftypes.Object)
	_, has := object.AttributeTypes[name]
	return ok && has
}

// At is the value at the end of a chain of attribute names: null below null,
// unknown below unknown.
func (v Value) At(names ...string) Value {
	for _, name := range names {
		typ := v.Type().(tftypes.Object).AttributeTypes[name]
		switch {
		case v.IsNull():
			v = Null(typ)
		case !v.IsKnown():
			v = Unknown(typ)
		default:
			v = Value{v.members()[name]}
		}
	}
	return v
}

// With is a copy of an object with another value at the end of a chain of
// attribute names. Below null or unknown there is no place to set, and the
// object is returned as it is.
func (v Value) With(value Value, names ...string) Value {
	if len(names) == 0 {
		return value
	}
	all := maps.Clone(v.members())
	if all == nil {
		return v
	}
	all[names[0]] = Value{all[names[0]]}.With(value, names[1:]...).Value
	return Value{tftypes.NewValue(v.Type(), all)}
}

// Without is a copy of an object with null at the end of a chain of names.
func (v Value) Without(names ...string) Value {
	return v.With(Null(v.At(names...).Type()), names...)
}

// Only is an object with the value at the end of a chain of names, and null
// everywhere else.
func (v Value) Only(names ...string) Value {
	return v.Map(func(name string, member Value) Value {
		switch {
		case name != names[0]:
			return Null(member.Type())
		case len(names) == 1:
			return member
		default:
			return member.Only(names[1:]...)
		}
	})
}

// Map replaces every member of an object. Null and unknown have none.
func (v Value) Map(change func(name string, member Value) Value) Value {
	all := v.members()
	if all == nil {
		return v
	}
	changed := make(map[string]tftypes.Value, len(all))
	for name, member := range all {
		changed[name] = change(name, Value{member}).Value
	}
	return Value{tftypes.NewValue(v.Type(), changed)}
}

// Text is a string, or "" where it is null or unknown.
func (v Value) Text() string {
	var s string
	if v.IsNull() || !v.IsKnown() || v.As(&s) != nil {
		return ""
	}
	return s
}

// TextOrNil is a string, or nil where it is null or unknown.
func (v Value) TextOrNil() *string {
	if v.IsNull() || !v.IsKnown() {
		return nil
	}
	s := v.Text()
	return &s
}

// True reports whether a boolean is known and true.
func (v Value) True() bool {
	var b bool
	return !v.IsNull() && v.IsKnown() && v.As(&b) == nil && b
}

// Number is a number, or 0 where it is null or unknown.
func (v Value) Number() *big.Float {
	var n big.Float
	if v.IsNull() || !v.IsKnown() || v.As(&n) != nil {
		return new(big.Float)
	}
	return &n
}

// IsEmpty reports whether a response may express the value by omitting its
// field: null, "", [], false and 0.
func (v Value) IsEmpty() bool {
	if v.IsNull() {
		return true
	}
	if !v.IsKnown() {
		return false
	}
	switch {
	case isString(v):
		return v.Text() == ""
	case isList(v), isSet(v):
		return len(v.Elements()) == 0
	case v.Type().Is(tftypes.Bool):
		return !v.True()
	case v.Type().Is(tftypes.Number):
		return v.Number().Sign() == 0
	default:
		return false
	}
}
