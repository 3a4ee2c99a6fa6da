package tfvalue

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"golang.org/x/text/unicode/norm"
)

// Rules are what the types of a schema cannot express, by attribute name. The zero
// Rules have no exceptions.
type Rules struct {
	// Trimmed are strings whose trailing white space is ignored.
	Trimmed []string
	// Keys are the keyed sets.
	Keys map[string]Key
	// Alternatives are objects whose member objects exclude each other: if a response
	// contains one, the others do not exist.
	Alternatives []string
}

// Same reports whether two values of an attribute mean the same. Numbers are
// compared by value, sets without order, trimmed strings without trailing white
// space. Null is the same only as null, and unknown is not the same as anything.
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
		return normal(a) == normal(b)
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

func trimmed(v Value) string { return strings.TrimRight(normal(v), " \t\r\n") }

// normal returns a string in the normal form that Terraform gives to all strings of
// configuration and state. A response may contain another form of the same text.
func normal(v Value) string { return norm.NFC.String(v.Text()) }

// sameNumber compares whole numbers exactly, and fractions as float64: 0.1 from a
// configuration has more digits than 0.1 from a response.
func sameNumber(a, b *big.Float) bool {
	if a.IsInt() && b.IsInt() {
		return a.Cmp(b) == 0
	}
	x, _ := a.Float64()
	y, _ := b.Float64()
	return x == y
}

// Alike reports whether two values mean the same if null counts as empty: a response
// may omit empty members of an element.
func Alike(a, b Value) bool { return canonical(a) == canonical(b) }

// canonical returns a text that is equal for values that are alike.
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
		b.WriteString(strconv.Quote(normal(value)))
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
