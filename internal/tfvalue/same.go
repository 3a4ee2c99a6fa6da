package tfvalue

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Rules are what the schema's owner knows of its attributes and their types
// don't say, by attribute name. The zero Rules know nothing.
type Rules struct {
	// Trimmed are strings whose trailing white space has no meaning.
	Trimmed []string
	// Keys are the keyed sets.
	Keys map[string]Key
	// Alternatives are objects of objects that exclude each other: where a
	// response tells one, there is no other.
	Alternatives []string
}

// Same reports whether two values of an attribute mean the same: numbers by
// value, sets whatever their order, trimmed strings whatever white space they
// end in. Null is the same as null alone, and unknown the same as nothing.
func (r Rules) Same(name string, a, b Value) bool {
	if a.IsNull() || b.IsNull() {
		return a.IsNull() && b.IsNull()
	}
	if !a.IsFullyKnown() || !b.IsFullyKnown() {
		return false
	}
	switch {
	case isString(a):
		if slices.Contains(r.Trimmed, name) {
			return trimmed(a) == trimmed(b)
		}
		return a.Text() == b.Text()
	case a.Type().Is(tftypes.Number):
		return sameNumber(a.Number(), b.Number())
	case a.IsObject():
		for name, member := range a.Members() {
			if !r.Same(name, member, b.At(name)) {
				return false
			}
		}
		return true
	case isList(a):
		return slices.EqualFunc(a.Elements(), b.Elements(), func(a, b Value) bool { return r.Same(name, a, b) })
	case isSet(a):
		return canonical(a) == canonical(b)
	default:
		return a.Equal(b)
	}
}

func trimmed(v Value) string { return strings.TrimRight(v.Text(), " \t\r\n") }

// sameNumber compares whole numbers exactly and fractions as the float64 that
// JSON decoders make of them: 0.1 read from a configuration has more digits
// than 0.1 read from a response.
func sameNumber(a, b *big.Float) bool {
	if a.IsInt() && b.IsInt() {
		return a.Cmp(b) == 0
	}
	x, _ := a.Float64()
	y, _ := b.Float64()
	return x == y
}

// Alike reports whether two values mean the same where null does as any empty
// value does: a response may omit such members of an element or not.
func Alike(a, b Value) bool { return canonical(a) == canonical(b) }

// canonical spells a value so that values that are alike are spelled alike.
func canonical(value Value) string {
	var b strings.Builder
	writeCanonical(&b, value)
	return b.String()
}

func writeCanonical(b *strings.Builder, value Value) {
	switch {
	case !value.IsKnown():
		b.WriteByte('?')
	case value.IsEmpty():
	case isString(value):
		b.WriteString(strconv.Quote(value.Text()))
	case value.Type().Is(tftypes.Number):
		b.WriteString(value.Number().Text('g', -1))
	case value.Type().Is(tftypes.Bool):
		b.WriteByte('t')
	case value.IsObject():
		for _, member := range value.Members() {
			b.WriteByte(';')
			writeCanonical(b, member)
		}
	default:
		var spelled []string
		for _, element := range value.Elements() {
			spelled = append(spelled, canonical(element))
		}
		if isSet(value) {
			slices.Sort(spelled)
			spelled = slices.Compact(spelled)
		}
		b.WriteString("[" + strings.Join(spelled, ",") + "]")
	}
}
