package provider

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Two spellings that mean the same are no difference, in a plan, in what is
// sent and in what is believed of an answer. What "the same" is stands here
// alone.

// same tells whether two values of an attribute mean the same: numbers by
// value, sets whatever their order, certificates whatever white space they end
// in. Null is the same as null only, and unknown the same as nothing.
func same(name string, a, b tftypes.Value) bool {
	if a.IsNull() || b.IsNull() {
		return a.IsNull() && b.IsNull()
	}
	if !a.IsFullyKnown() || !b.IsFullyKnown() {
		return false
	}
	switch typ := a.Type(); {
	case typ.Is(tftypes.String):
		if name == "ca_certificate" {
			return trimmed(text(a)) == trimmed(text(b))
		}
		return text(a) == text(b)
	case typ.Is(tftypes.Number):
		return sameNumber(number(a), number(b))
	case typ.Is(tftypes.Object{}):
		others := members(b)
		for name, member := range members(a) {
			if !same(name, member, others[name]) {
				return false
			}
		}
		return true
	case typ.Is(tftypes.List{}):
		return slices.EqualFunc(elements(a), elements(b), func(a, b tftypes.Value) bool { return same(name, a, b) })
	case typ.Is(tftypes.Set{}):
		return canonical(a) == canonical(b)
	default:
		return a.Equal(b)
	}
}

func trimmed(s string) string { return strings.TrimRight(s, " \t\r\n") }

func number(value tftypes.Value) *big.Float {
	var n big.Float
	if value.As(&n) != nil {
		return new(big.Float)
	}
	return &n
}

// sameNumber compares whole numbers exactly and fractions as the float64 that
// JSON decoders make of them: 0.1 read from a configuration has more digits
// than 0.1 read from an answer.
func sameNumber(a, b *big.Float) bool {
	if a.IsInt() && b.IsInt() {
		return a.Cmp(b) == 0
	}
	x, _ := a.Float64()
	y, _ := b.Float64()
	return x == y
}

// canonical spells a value so that equal spellings mean the same element of a
// set. Members that are null, empty or false are spelled alike: the platform
// may leave them out of an element or not.
func canonical(value tftypes.Value) string {
	var b strings.Builder
	writeCanonical(&b, value)
	return b.String()
}

func writeCanonical(b *strings.Builder, value tftypes.Value) {
	if value.IsNull() {
		return
	}
	if !value.IsKnown() {
		b.WriteByte('?')
		return
	}
	switch typ := value.Type(); {
	case typ.Is(tftypes.String):
		if s := text(value); s != "" {
			b.WriteString(strconv.Quote(s))
		}
	case typ.Is(tftypes.Number):
		b.WriteString(number(value).Text('g', -1))
	case typ.Is(tftypes.Bool):
		var yes bool
		if value.As(&yes) == nil && yes {
			b.WriteByte('t')
		}
	case typ.Is(tftypes.Object{}):
		all := members(value)
		for _, name := range sortedNames(all) {
			b.WriteByte(';')
			writeCanonical(b, all[name])
		}
	default:
		spelled := make([]string, 0, len(elements(value)))
		for _, element := range elements(value) {
			spelled = append(spelled, canonical(element))
		}
		if typ.Is(tftypes.Set{}) {
			slices.Sort(spelled)
			spelled = slices.Compact(spelled)
		}
		for _, s := range spelled {
			b.WriteByte(',')
			b.WriteString(s)
		}
	}
}

// isEmpty tells whether a value is one that an answer may express by leaving
// the field out: null, "", [] and an object of nothing else.
func isEmpty(value tftypes.Value) bool {
	if value.IsNull() {
		return true
	}
	if !value.IsKnown() {
		return false
	}
	switch typ := value.Type(); {
	case typ.Is(tftypes.String):
		return text(value) == ""
	case typ.Is(tftypes.List{}), typ.Is(tftypes.Set{}):
		return len(elements(value)) == 0
	default:
		return false
	}
}
