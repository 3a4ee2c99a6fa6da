package tfvalue

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// This file reads JSON into values of a type, and writes values as JSON. The type of the
// schema is the only declaration of a field: the attribute replica_memory_gb is the member
// replicaMemoryGb.
//
// Rejected: structs between JSON and values. Each field would be declared three times.
// Rejected: reading token by token. It is 1.6 times as fast, in 75 more lines.

// lenient accepts repeated names, of which the last counts, and invalid UTF-8.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// FromJSON reads one JSON value into a value of a type. What the JSON omits is null, and
// what the type does not have is skipped, like repeated elements of a set. The error names
// the attribute that has another type and the type that came, and never its value, which may
// be a secret.
func (r Rules) FromJSON(raw jsontext.Value, typ tftypes.Type) (Value, error) {
	value, err := r.read(make(Path, 0, 8), raw, typ)
	if err != nil {
		return Null(typ), err
	}
	return Value{value}, nil
}

// Into returns a function that reads JSON into a value, by the type that the value has.
func (r Rules) Into(v *Value) func(jsontext.Value) error {
	typ := v.Type()
	return func(raw jsontext.Value) (err error) {
		*v, err = r.FromJSON(raw, typ)
		return err
	}
}

func (r Rules) read(at Path, raw jsontext.Value, typ tftypes.Type) (tftypes.Value, error) {
	if raw == nil || raw.Kind() == 'n' {
		return tftypes.NewValue(typ, nil), nil
	}
	var content any
	var err error
	switch t := typ.(type) {
	case tftypes.Object:
		content, err = r.readMembers(at, raw, t)
	case tftypes.List:
		content, err = r.readElements(at, raw, t.ElementType, false)
	case tftypes.Set:
		content, err = r.readElements(at, raw, t.ElementType, true)
	default:
		content, err = readScalar(at, raw, typ)
	}
	if err != nil {
		return tftypes.Value{}, err
	}
	return tftypes.NewValue(typ, content), nil
}

// readMembers reads an object by the attributes of its type.
func (r Rules) readMembers(at Path, raw jsontext.Value, typ tftypes.Object) (map[string]tftypes.Value, error) {
	members, err := readAs[map[string]jsontext.Value](at, raw)
	if err != nil {
		return nil, err
	}
	read := make(map[string]tftypes.Value, len(typ.AttributeTypes))
	for name, memberType := range typ.AttributeTypes {
		next := append(at, name) //nolint:gocritic // each replaces the one before it
		member := members[r.Member(next)]
		if contains(r.NotInJSON, next) {
			member = nil
		}
		if read[name], err = r.read(next, member, memberType); err != nil {
			return nil, err
		}
	}
	return read, nil
}

// readElements reads the elements of a list or set, which have its path.
func (r Rules) readElements(at Path, raw jsontext.Value, typ tftypes.Type, unique bool) ([]tftypes.Value, error) {
	elements, err := readAs[[]jsontext.Value](at, raw)
	if err != nil {
		return nil, err
	}
	read, seen := make([]tftypes.Value, 0, len(elements)), map[string]bool{}
	for _, element := range elements {
		value, err := r.read(at, element, typ)
		if err != nil {
			return nil, err
		}
		if unique {
			text := Rules{byForm: true}.canonical("", Value{value})
			if seen[text] {
				continue
			}
			seen[text] = true
		}
		read = append(read, value)
	}
	return read, nil
}

func readScalar(at Path, raw jsontext.Value, typ tftypes.Type) (any, error) {
	switch {
	case typ.Is(tftypes.String):
		return readAs[string](at, raw)
	case typ.Is(tftypes.Bool):
		return readAs[bool](at, raw)
	case typ.Is(tftypes.Number) && raw.Kind() == '0':
		n, _, err := big.ParseFloat(string(raw), 10, numberPrecision, big.ToNearestEven)
		if err != nil || !inRange(n) {
			return nil, outOfRange(at)
		}
		return n, nil
	default:
		return nil, otherType(at, raw)
	}
}

func readAs[T any](at Path, raw jsontext.Value) (read T, err error) {
	if json.Unmarshal(raw, &read, lenient) != nil {
		return read, otherType(at, raw)
	}
	return read, nil
}

var kindNames = map[jsontext.Kind]string{
	'{': "an object", '[': "an array", '"': "a string", '0': "a number", 't': "a boolean", 'f': "a boolean",
}

func otherType(at Path, raw jsontext.Value) error {
	return fmt.Errorf("%s is %s, and the API document has another type", cmp.Or(at.String(), "the result"), kindNames[raw.Kind()])
}

// JSON returns what of an object is not null, to be marshaled: maps for objects, slices for
// lists and sets. See Prune for objects without leaves. It fails if a leaf is unknown or out
// of range.
func (r Rules) JSON(v Value) (map[string]any, error) { return r.writeMembers(nil, v) }

func (r Rules) writeMembers(at Path, v Value) (map[string]any, error) {
	written := map[string]any{}
	for name, member := range v.Members() {
		next := append(at, name) //nolint:gocritic // each replaces the one before it
		if member.IsNull() || contains(r.NotInJSON, next) {
			continue
		}
		value, err := r.write(next, member)
		if err != nil {
			return nil, err
		}
		written[r.Member(next)] = value
	}
	return written, nil
}

func (r Rules) write(at Path, v Value) (any, error) {
	switch {
	case v.IsNull():
		return nil, nil
	case !v.IsKnown():
		return nil, fmt.Errorf("%s is unknown", at)
	case isString(v):
		return v.Text(), nil
	case isNumber(v):
		n := v.Number()
		if !inRange(n) {
			return nil, outOfRange(at)
		}
		return jsontext.Value(n.Text('f', -1)), nil
	case v.Type().Is(tftypes.Bool):
		return v.True(), nil
	case isList(v), isSet(v):
		written := []any{}
		for _, element := range v.Elements() {
			value, err := r.write(at, element)
			if err != nil {
				return nil, err
			}
			written = append(written, value)
		}
		return written, nil
	default:
		return r.writeMembers(at, v)
	}
}

// Member returns the member of the attribute at a path: replicaMemoryGb of replica_memory_gb.
func (r Rules) Member(at Path) string {
	name := at[len(at)-1]
	if contains(r.Verbatim, at[:len(at)-1]) {
		return name
	}
	member, rest, more := strings.Cut(name, "_")
	for more {
		var word string
		word, rest, more = strings.Cut(rest, "_")
		member += strings.ToUpper(word[:1]) + word[1:]
	}
	return member
}

func contains(paths []Path, at Path) bool {
	return slices.ContainsFunc(paths, func(p Path) bool { return slices.Equal(p, at) })
}

const (
	// numberPrecision is the precision of Terraform's numbers, in bits: byte counts exceed
	// 2^53, where a float64 rounds.
	numberPrecision = 512
	// Numbers beyond these limits are rejected: 1e999999999 is short, but takes
	// gigabytes to print. The exponents are binary and those of a float64, which
	// every JSON library reads.
	minExponent, maxExponent = -1073, 1024
)

func outOfRange(at Path) error { return fmt.Errorf("%s is a number that is out of range", at) }

func inRange(n *big.Float) bool {
	exponent := n.MantExp(nil)
	return !n.IsInf() && (n.Sign() == 0 || minExponent <= exponent && exponent <= maxExponent)
}
