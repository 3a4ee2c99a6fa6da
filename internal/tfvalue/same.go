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
	// Trimmed are strings whose trailing whitespace is ignored.
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
	switch {
	case a.IsNull() || b.IsNull():
		return a.IsNull() && b.IsNull()
	case !a.IsFullyKnown() || !b.IsFullyKnown():
		return false
	case a.IsObject():
		for name, member := range a.Members() {
			if !r.Same(name, member, b.At(name)) {
				return false
			}
		}
		return true
	case isList(a):
		return slices.EqualFunc(a.Elements(), b.Elements(), func(a, b Value) bool { return r.Same(name, a, b) })
	case isMap(a):
		return a.Equal(b)
	case isString(a) && a.Text() == b.Text(), isNumber(a) && a.Number().Cmp(b.Number()) == 0:
		return true // nearly always, and much cheaper than a canonical text
	default:
		return r.canonical(name, a) == r.canonical(name, b)
	}
}

// normal returns a string in the normal form that Terraform gives to all strings of
// configuration and state. A response may contain another form of the same text.
func normal(v Value) string { return norm.NFC.String(v.Text()) }

// Alike reports whether two values mean the same if null counts as empty: a response
// may omit empty members of an element.
func Alike(a, b Value) bool { return Rules{}.canonical("", a) == Rules{}.canonical("", b) }

// canonical returns a text that is equal for values that are alike.
func (r Rules) canonical(name string, value Value) string {
	return string(r.appendCanonical(nil, name, value))
}

func (r Rules) appendCanonical(b []byte, name string, value Value) []byte {
	switch {
	case !value.IsKnown():
		return append(b, '?')
	case isString(value) && slices.Contains(r.Trimmed, name):
		return strconv.AppendQuote(b, strings.TrimRight(normal(value), " \t\r\n"))
	case isString(value):
		return strconv.AppendQuote(b, normal(value))
	case value.IsEmpty():
		return b
	case isNumber(value):
		return append(b, canonicalNumber(value.Number())...)
	case value.Type().Is(tftypes.Bool):
		return append(b, "true"...)
	case isSet(value):
		var elements []string
		for _, element := range value.Elements() {
			elements = append(elements, r.canonical(name, element))
		}
		slices.Sort(elements)
		return append(b, "["+strings.Join(slices.Compact(elements), ",")+"]"...)
	case isList(value):
		b = append(b, '[')
		for _, element := range value.Elements() {
			b = append(r.appendCanonical(b, name, element), ',')
		}
		return append(b, ']')
	default:
		b = append(b, '{')
		for name, member := range value.Members() {
			b = append(r.appendCanonical(b, name, member), ',')
		}
		return append(b, '}')
	}
}

// canonicalNumber has every digit of a whole number, and those of a float64 of a
// fraction: 0.1 from a configuration has more digits than 0.1 from a response.
func canonicalNumber(n *big.Float) string {
	if n.IsInt() {
		return n.Text('f', 0)
	}
	float, _ := n.Float64()
	return strconv.FormatFloat(float, 'f', -1, 64)
}
