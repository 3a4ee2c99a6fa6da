package tfvalue

import (
	"iter"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"golang.org/x/text/unicode/norm"
)

// Value is a value of an attribute, or of a whole object.
type Value struct{ tftypes.Value }

// Of wraps a value of the framework or the protocol.
func Of(raw tftypes.Value) Value { return Value{raw} }

// Null returns the null value of a type.
func Null(typ tftypes.Type) Value { return Value{tftypes.NewValue(typ, nil)} }

// Unknown returns the unknown value of a type.
func Unknown(typ tftypes.Type) Value { return Value{tftypes.NewValue(typ, tftypes.UnknownValue)} }

// String returns a string value.
func String(s string) Value { return Value{tftypes.NewValue(tftypes.String, s)} }

// Optional returns a string value, null if s is "".
func Optional(s string) Value {
	if s == "" {
		return Null(tftypes.String)
	}
	return String(s)
}

// Bool returns a boolean value.
func Bool(b bool) Value { return Value{tftypes.NewValue(tftypes.Bool, b)} }

// Collection returns a list or set of these elements.
func Collection(typ tftypes.Type, elements []Value) Value {
	raw := make([]tftypes.Value, len(elements))
	for i, element := range elements {
		raw[i] = element.Value
	}
	return Value{tftypes.NewValue(typ, raw)}
}

// empty returns the value of a type for which a response may omit the field: see IsEmpty.
func empty(typ tftypes.Type) Value {
	switch {
	case typ.Is(tftypes.String):
		return String("")
	case typ.Is(tftypes.Bool):
		return Bool(false)
	case typ.Is(tftypes.Number):
		return Value{tftypes.NewValue(typ, 0)}
	default:
		return Collection(typ, nil)
	}
}

// IsObject reports whether the value is an object that is known and not null.
func (v Value) IsObject() bool {
	return isOf[tftypes.Object](v) && v.hasContent()
}

func (v Value) hasContent() bool { return v.IsKnown() && !v.IsNull() }

// Equal reports whether two values of a type are identical. The library's own comparison lists all that differs, which
// takes far longer. See Rules.Same.
func (v Value) Equal(other Value) bool {
	switch {
	case !v.hasContent() || !other.hasContent():
		return v.IsNull() == other.IsNull() && v.IsKnown() == other.IsKnown()
	case isNumber(v):
		return v.Number().Cmp(other.Number()) == 0
	case v.hasMembers():
		a, b := v.attributes(), other.attributes()
		return reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer() || maps.EqualFunc(a, b, equal)
	default: // a list or a set has elements, a string a text
		return v.Text() == other.Text() && v.True() == other.True() && slices.EqualFunc(v.elements(), other.elements(), equal)
	}
}

func equal(a, b tftypes.Value) bool { return Value{a}.Equal(Value{b}) }

// attributes and elements return the value's own map or list, which must not be changed.
func (v Value) attributes() map[string]tftypes.Value {
	return as[map[string]tftypes.Value](v, v.hasMembers())
}

func (v Value) elements() []tftypes.Value { return as[[]tftypes.Value](v, isList(v) || isSet(v)) }

// as returns what a value has, and nothing if it is null, unknown or of another type. The library is not asked for another
// type: for its error, it spells the type, which may be a whole schema.
func as[T any](v Value, isType bool) (none T) {
	if !isType || v.IsNull() {
		return none
	}
	var content T // allocated, and so not above
	_ = v.As(&content)
	return content
}

// Members returns the attributes of an object, or the elements of a map, in the order of their names,
// none if it is null or unknown.
func (v Value) Members() iter.Seq2[string, Value] {
	all := v.attributes()
	return func(yield func(string, Value) bool) {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if !yield(name, Value{all[name]}) {
				return
			}
		}
	}
}

// Elements returns the elements of a list or a set, and those of a keyed map in the order of its keys,
// none if it is null or unknown.
func (v Value) Elements() (all []Value) {
	if v.isKeyed() {
		for _, element := range v.Members() {
			all = append(all, element)
		}
		return all
	}
	for _, element := range v.elements() {
		all = append(all, Value{element})
	}
	return all
}

// Distinct returns a keyed map without elements that are equal to one of the eight before them.
func (v Value) Distinct() Value {
	all := map[string]tftypes.Value{}
	var kept []Value
	for key, element := range v.Members() {
		if !slices.ContainsFunc(kept[max(0, len(kept)-8):], element.Equal) {
			all[key], kept = element.Value, append(kept, element)
		}
	}
	return Value{tftypes.NewValue(v.Type(), all)}
}

// At returns the value at a path of attribute names: null below null, unknown below unknown. It
// panics if the type has no such path.
func (v Value) At(names ...string) Value {
	for _, name := range names {
		typ, exists := v.Type().(tftypes.Object).AttributeTypes[name]
		switch {
		case !exists: // or another panic, which names nothing
			panic("the schema has no attribute " + Path(names).String())
		case v.IsNull():
			v = Null(typ)
		case !v.IsKnown():
			v = Unknown(typ)
		default:
			v = Value{v.attributes()[name]}
		}
	}
	return v
}

// With returns a copy of an object with another value at a path of attribute names. If an object on
// the path is null or unknown, nothing is changed.
func (v Value) With(value Value, names ...string) Value {
	if len(names) == 0 {
		return value
	}
	all := maps.Clone(v.attributes())
	if all == nil {
		return v
	}
	all[names[0]] = Value{all[names[0]]}.With(value, names[1:]...).Value
	return Value{tftypes.NewValue(v.Type(), all)}
}

// Without returns a copy of an object with null at a path of attribute names.
func (v Value) Without(names ...string) Value {
	return v.With(Null(v.At(names...).Type()), names...)
}

// WithoutAll returns a copy of an object with null at each of some paths.
func (v Value) WithoutAll(paths []Path) Value {
	for _, path := range paths {
		v = v.Without(path...)
	}
	return v
}

// Map returns a copy of an object or a keyed map with every member replaced, and any other value as it is.
func (v Value) Map(change func(name string, member Value) Value) Value {
	all := v.attributes()
	if all == nil {
		return v
	}
	changed := make(map[string]tftypes.Value, len(all))
	for name, member := range all {
		changed[name] = change(name, Value{member}).Value
	}
	return Value{tftypes.NewValue(v.Type(), changed)}
}

// hasNull reports whether a member is null.
func (v Value) hasNull() bool {
	for _, member := range v.attributes() {
		if member.IsNull() {
			return true
		}
	}
	return false
}

// Text returns a string, "" if it is null or unknown.
func (v Value) Text() string { return as[string](v, isString(v)) }

// Normal returns a string in Terraform's Unicode form. Terraform normalizes every string of
// configuration and state to one form (NFC). A database may have a name in another form, and to the
// database that is another name. Here the forms are equal, so they alone are no difference. But to
// send a list or a set again would rename what is in it.
func (v Value) Normal() string { return norm.NFC.String(v.Text()) }

// OtherForms returns the strings in a value that have another form, or that could not be read in full
// (what was no text has become U+FFFD), each once, in Terraform's form and sorted. A value that contains
// one must not be sent again.
func (v Value) OtherForms() []string {
	found := map[string]bool{}
	_ = tftypes.Walk(v.Value, func(_ *tftypes.AttributePath, at tftypes.Value) (bool, error) {
		if s := (Value{at}); isString(s) && (s.Normal() != s.Text() || strings.ContainsRune(s.Text(), utf8.RuneError)) {
			found[s.Normal()] = true
		}
		return true, nil // never fails
	})
	return slices.Sorted(maps.Keys(found))
}

// True reports whether a boolean is known and true.
func (v Value) True() bool { return as[bool](v, isBool(v)) }

// Number returns a number, 0 if it is null or unknown.
func (v Value) Number() *big.Float {
	n := new(big.Float)
	_ = v.As(n)
	return n
}

// IsEmpty reports whether a response that omits the field may mean this value: null, "", [], {} of
// a map, false and 0.
func (v Value) IsEmpty() bool {
	switch {
	case v.IsNull():
		return true
	case !v.IsKnown(), v.IsObject():
		return false
	case isString(v):
		return v.Text() == ""
	case isNumber(v):
		return v.Number().Sign() == 0
	case isList(v), isSet(v):
		return len(v.Elements()) == 0
	default: // a boolean, which has no attributes, or a map
		return !v.True() && len(v.attributes()) == 0
	}
}
