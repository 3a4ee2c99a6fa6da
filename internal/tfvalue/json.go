package tfvalue

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"

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
		content, err = r.readElements(at, raw, t.ElementType)
	case tftypes.Set:
		var elements []tftypes.Value
		if elements, err = r.readElements(at, raw, t.ElementType); err == nil {
			elements = withoutRepeats(elements)
		}
		content = elements
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
func (r Rules) readElements(at Path, raw jsontext.Value, typ tftypes.Type) ([]tftypes.Value, error) {
	elements, err := readAs[[]jsontext.Value](at, raw)
	if err != nil {
		return nil, err
	}
	read := make([]tftypes.Value, len(elements))
	for i, element := range elements {
		if read[i], err = r.read(at, element, typ); err != nil {
			return nil, err
		}
	}
	return read, nil
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

func readScalar(at Path, raw jsontext.Value, typ tftypes.Type) (any, error) {
	switch {
	case typ.Is(tftypes.String):
		return readAs[string](at, raw)
	case typ.Is(tftypes.Bool):
		return readAs[bool](at, raw)
	case typ.Is(tftypes.Number) && raw.Kind() == '0':
		number, err := parseNumber(string(raw))
		if err != nil {
			return nil, fmt.Errorf("%s is a %w", at, err)
		}
		return number, nil
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
			return nil, fmt.Errorf("%s is a %w", at, errOutOfRange)
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

// Encode converts a struct with tags for JSON to a value of a type, null if it does not fit.
func Encode(from any, typ tftypes.Type) Value {
	raw, err := json.Marshal(from)
	if err != nil {
		return Null(typ)
	}
	value, err := Rules{}.FromJSON(raw, typ)
	if err != nil {
		return Null(typ)
	}
	return value
}

// Decode reads an object into a struct with tags for JSON. It fails if a leaf is unknown.
func (v Value) Decode(into any) error {
	written, err := Rules{}.JSON(v)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(written)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// Member returns the member of the attribute at a path: replicaMemoryGb of replica_memory_gb.
func (r Rules) Member(at Path) string {
	name := at[len(at)-1]
	if contains(r.Verbatim, at[:len(at)-1]) {
		return name
	}
	member := make([]byte, 0, len(name))
	for i := 0; i < len(name); i++ {
		char := name[i]
		if char == '_' && i+1 < len(name) {
			i++
			char = name[i]
			if 'a' <= char && char <= 'z' {
				char -= 'a' - 'A'
			}
		}
		member = append(member, char)
	}
	return string(member)
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
	maxNumberLength          = 1000 // characters
	minExponent, maxExponent = -1073, 1024
)

var errOutOfRange = errors.New("number that is out of range")

// parseNumber reads any spelling of a number with all its digits.
func parseNumber(text string) (*big.Float, error) {
	if len(text) > maxNumberLength {
		return nil, errOutOfRange
	}
	n, _, err := big.ParseFloat(text, 10, numberPrecision, big.ToNearestEven)
	if err != nil || !inRange(n) {
		return nil, errOutOfRange
	}
	return n, nil
}

func inRange(n *big.Float) bool {
	exponent := n.MantExp(nil)
	return !n.IsInf() && (n.Sign() == 0 || minExponent <= exponent && exponent <= maxExponent)
}
