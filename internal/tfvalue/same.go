package tfvalue

import (
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// When two values are equal is decided in this file alone. All comparisons ignore the order of a set and
// the keys of a keyed map, the spelling of a number (4.0 is 4), the Unicode form of a text, and repeated
// elements of a set; none ignores the order of a list. An empty value is "", [], {}, false or 0, see
// IsEmpty. What else they make of two values:
//
//	         | null             | omitted in an element   | trailing space | who asks
//	         |                  |                         | of Trimmed     |
//	---------|------------------|-------------------------|----------------|--------------------------------------
//	Same     | only null        | is the empty value      | is ignored     | plans, changes, drift
//	alike    | or an empty value| is the empty value      | counts         | elements of keyed maps, Differing
//	Confirms | of the response: | of the response:        | is ignored, at | responses: verification and drift
//	         | an empty value   | is not compared         | any text's ends|
//	hasAll   | --               | is a difference, unless | --             | reads: is anything omitted
//	         |                  | it was empty before     |                |
//
// Unknown is equal to nothing, but alike takes two unknown values for equal.

// Rules are what the types of a schema cannot express, by attribute name. The zero
// Rules have no exceptions.
type Rules struct {
	// Trimmed are strings whose trailing whitespace and whose ends of lines (CRLF or LF) are ignored.
	Trimmed []string
	// Keys are those of the keyed maps, and of a set of which a response may omit members of an element.
	Keys map[string]Key
	// Alternatives are objects whose member objects exclude each other: if a response
	// contains one, the others do not exist.
	Alternatives []string

	// Verbatim are the objects whose members have in JSON the names of their attributes.
	Verbatim []Path
	// NotInJSON are attributes that JSON does not have at their path.
	NotInJSON []Path
	// NullIsEmpty reads a list, a set or a map that is null in JSON as empty. One that is omitted is null.
	NullIsEmpty bool

	// Instants are timestamps, which Same compares by their instant, and Folded are strings
	// whose letter case it ignores.
	Instants, Folded []string
}

// Same reports whether two values of an attribute mean the same.
func (r Rules) Same(name string, a, b Value) bool {
	switch {
	case a.IsNull() || b.IsNull():
		return a.IsNull() && b.IsNull()
	case a.IsObject() && b.IsObject():
		others := b.attributes()
		for name, member := range a.attributes() {
			if !r.Same(name, Value{member}, Value{others[name]}) {
				return false
			}
		}
		return true
	default:
		return a.IsFullyKnown() && b.IsFullyKnown() && r.sameLeaf(name, a, b)
	}
}

func (r Rules) sameLeaf(name string, a, b Value) bool {
	switch {
	case slices.Contains(r.Instants, name):
		return sameInstant(a.Text(), b.Text())
	case slices.Contains(r.Folded, name):
		return strings.EqualFold(a.Text(), b.Text())
	case isList(a):
		return slices.EqualFunc(a.Elements(), b.Elements(), func(a, b Value) bool { return r.Same(name, a, b) })
	case a.Equal(b):
		return true // nearly always, and much cheaper than a canonical text
	default:
		return r.canonical(name, a) == r.canonical(name, b)
	}
}

// ParseTime parses a timestamp. Unlike time.Parse, it accepts "t" and "z", which RFC 3339
// allows.
func ParseTime(text string) (time.Time, error) {
	return time.Parse(time.RFC3339, strings.ToUpper(text))
}

// sameInstant compares texts that are no timestamps as they are.
func sameInstant(a, b string) bool {
	x, errX := ParseTime(a)
	y, errY := ParseTime(b)
	if errX != nil || errY != nil {
		return a == b
	}
	return x.Equal(y)
}

// alike reports whether two values mean the same if null counts as empty: a response
// may omit empty members of an element.
func alike(a, b Value) bool {
	return a.Equal(b) || Rules{}.canonical("", a) == Rules{}.canonical("", b)
}

// Differing returns the names of the members in which two elements differ.
func Differing(a, b Value) []string {
	var names []string
	for name, member := range a.Members() {
		if !alike(member, b.At(name)) {
			names = append(names, name)
		}
	}
	return names
}

// Confirms reports whether the value of a leaf in a response confirms the wanted one. White space at the ends of texts
// makes no difference, but in keyed maps, which have the names of tables and columns.
func (r Rules) Confirms(name string, wanted, response Value) bool {
	key, hasKey := r.Keys[name]
	switch {
	case r.Same(name, wanted, response):
		return true
	case response.IsNull():
		return wanted.IsEmpty()
	case hasKey:
		have := key.Group(response.Elements())
		isMissing := func(element Value) bool {
			return !slices.ContainsFunc(have[key.Of(element)], func(now Value) bool { return confirmsElement(element, now) })
		}
		return len(wanted.Elements()) == len(response.Elements()) && !slices.ContainsFunc(wanted.Elements(), isMissing)
	case isList(wanted) && slices.EqualFunc(wanted.Elements(), response.Elements(), confirmsElement):
		return true
	default: // a platform may trim texts
		return r.Same(name, wanted.trimmed(), response.trimmed())
	}
}

// trimmed returns a value whose texts have no white space at their ends.
func (v Value) trimmed() Value {
	trimmed, _ := tftypes.Transform(v.Value, func(_ *tftypes.AttributePath, part tftypes.Value) (tftypes.Value, error) {
		if text := (Value{part}); isString(text) && text.IsKnown() && !text.IsNull() {
			part = String(strings.TrimSpace(text.Text())).Value
		}
		return part, nil // never fails
	})
	return Value{trimmed}
}

// confirmsElement reports whether an element in a response is the wanted one, in the members that it
// has.
func confirmsElement(wanted, response Value) bool {
	for name, member := range response.Members() {
		if !member.IsNull() && !alike(member, wanted.At(name)) {
			return false
		}
	}
	return response.IsObject() || alike(wanted, response)
}

// hasAll reports whether every element of a keyed map that was read has its key, and each member that it
// had before.
func (k Key) hasAll(read, before Value) bool {
	had := maps.Collect(before.Members())
	for key, element := range read.Members() {
		for name, member := range had[key].Members() {
			if element.At(name).IsNull() && !member.IsEmpty() {
				return false
			}
		}
	}
	return len(k.Unnamed(read)) == 0
}

// canonical returns a text that is equal for values that are alike.
func (r Rules) canonical(name string, value Value) string {
	switch {
	case !value.IsKnown():
		return "?"
	case isString(value):
		return strconv.Quote(r.trimmed(name, value.Normal()))
	case value.IsEmpty():
		return ""
	case isNumber(value):
		return canonicalNumber(value.Number())
	case isBool(value):
		return "true"
	default:
		return "[" + strings.Join(r.canonicalParts(name, value), ",") + "]"
	}
}

func (r Rules) trimmed(name, text string) string {
	if slices.Contains(r.Trimmed, name) {
		text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), " \t\n")
	}
	return text
}

func (r Rules) canonicalParts(name string, value Value) (parts []string) {
	for _, element := range value.Elements() {
		parts = append(parts, r.canonical(name, element))
	}
	if isSet(value) || value.isKeyed() {
		slices.Sort(parts)
		return slices.Compact(parts)
	}
	for name, member := range value.Members() {
		parts = append(parts, strconv.Quote(name)+r.canonical(name, member))
	}
	return parts
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
