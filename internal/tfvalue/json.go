package tfvalue

import (
	"bytes"
	"errors"
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
// replicaMemoryGb, and nothing else.
//
// Rejected: structs between JSON and values. Each field would be declared three times, and
// reflection over them took longer than reading the JSON.

// lenient accepts repeated names, of which the last counts, and invalid UTF-8.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// FromJSON reads one JSON value into a value of a type. What the JSON omits is null, and
// what the type does not have is skipped, like repeated elements of a set. The error names
// the member that has another type and the type that came, and never its value, which may be
// a secret.
func (r Rules) FromJSON(raw jsontext.Value, typ tftypes.Type) (Value, error) {
	reader := jsonReader{jsontext.NewDecoder(bytes.NewBuffer(raw), lenient), r}
	value, err := reader.value(make(Path, 0, 8), typ)
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

// jsonReader reads values from JSON. Paths are those of attributes, and the elements of a
// list have its path.
type jsonReader struct {
	*jsontext.Decoder
	rules Rules
}

func (r jsonReader) value(at Path, typ tftypes.Type) (value tftypes.Value, err error) {
	kind := r.PeekKind()
	if kind == 'n' {
		return tftypes.NewValue(typ, nil), r.SkipValue()
	}
	switch t := typ.(type) {
	case tftypes.Object:
		if kind == '{' {
			return r.object(at, t)
		}
	case tftypes.Map:
		if kind == '{' {
			return r.dictionary(at, t)
		}
	case tftypes.List:
		if kind == '[' {
			return r.elements(at, typ, t.ElementType)
		}
	case tftypes.Set:
		if kind == '[' {
			return r.elements(at, typ, t.ElementType)
		}
	default:
		return r.scalar(typ, kind)
	}
	return value, r.otherType(kind)
}

// newValue returns a value of a type, unless there is an error.
func newValue(typ tftypes.Type, content any, err error) (tftypes.Value, error) {
	if err != nil {
		return tftypes.Value{}, err
	}
	return tftypes.NewValue(typ, content), nil
}

func (r jsonReader) scalar(typ tftypes.Type, kind jsontext.Kind) (tftypes.Value, error) {
	switch {
	case typ.Is(tftypes.String) && kind == '"':
		token, err := r.ReadToken()
		return newValue(typ, token.String(), err)
	case typ.Is(tftypes.Bool) && (kind == 't' || kind == 'f'):
		return newValue(typ, kind == 't', r.SkipValue())
	case typ.Is(tftypes.Number) && kind == '0':
		token, err := r.ReadToken()
		if err != nil {
			return tftypes.Value{}, err
		}
		number, err := parseNumber(token.String())
		if err != nil {
			err = fmt.Errorf("%s is a %w", r.subject(), err)
		}
		return newValue(typ, number, err)
	default:
		return tftypes.Value{}, r.otherType(kind)
	}
}

// object reads an object by the attributes of its type.
func (r jsonReader) object(at Path, typ tftypes.Object) (tftypes.Value, error) {
	verbatim := contains(r.rules.Verbatim, at)
	members := make(map[string]tftypes.Value, len(typ.AttributeTypes))
	err := r.members(func(name string) (err error) {
		if !verbatim {
			name = attributeOf(name)
		}
		member := append(at, name) //nolint:gocritic // each replaces the one before it
		memberType, known := typ.AttributeTypes[name]
		if !known || contains(r.rules.NotInJSON, member) {
			return r.SkipValue()
		}
		members[name], err = r.value(member, memberType)
		return err
	})
	for name, memberType := range typ.AttributeTypes {
		if _, read := members[name]; !read {
			members[name] = tftypes.NewValue(memberType, nil)
		}
	}
	return newValue(typ, members, err)
}

// dictionary reads an object whose names are those of its elements.
func (r jsonReader) dictionary(at Path, typ tftypes.Map) (tftypes.Value, error) {
	elements := map[string]tftypes.Value{}
	err := r.members(func(name string) (err error) {
		elements[name], err = r.value(at, typ.ElementType)
		return err
	})
	return newValue(typ, elements, err)
}

// members calls read for each member of an object.
func (r jsonReader) members(read func(name string) error) error {
	_, err := r.ReadToken()
	for err == nil && r.PeekKind() != '}' {
		var name jsontext.Token
		if name, err = r.ReadToken(); err == nil {
			err = read(name.String())
		}
	}
	if err == nil {
		_, err = r.ReadToken()
	}
	return err
}

// elements reads a list or a set.
func (r jsonReader) elements(at Path, typ, elementType tftypes.Type) (tftypes.Value, error) {
	elements := []tftypes.Value{}
	_, err := r.ReadToken()
	for err == nil && r.PeekKind() != ']' {
		var element tftypes.Value
		element, err = r.value(at, elementType)
		elements = append(elements, element)
	}
	if err == nil {
		_, err = r.ReadToken()
	}
	if err == nil && typ.Is(tftypes.Set{}) {
		elements = withoutRepeats(elements)
	}
	return newValue(typ, elements, err)
}

func withoutRepeats(elements []tftypes.Value) []tftypes.Value {
	if len(elements) < 2 {
		return elements
	}
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

var kindNames = map[jsontext.Kind]string{
	'{': "an object", '[': "an array", '"': "a string", '0': "a number", 't': "a boolean", 'f': "a boolean",
}

// otherType skips a value that the API document does not have there.
func (r jsonReader) otherType(kind jsontext.Kind) error {
	if err := r.SkipValue(); err != nil {
		return err
	}
	return fmt.Errorf("%s is %s, and the API document has another type", r.subject(), kindNames[kind])
}

// subject is the value that was read last, as in a message.
func (r jsonReader) subject() string {
	at := strings.TrimPrefix(string(r.StackPointer()), "/")
	if at == "" {
		return "the result"
	}
	return `"` + strings.ReplaceAll(at, "/", ".") + `"`
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
		if !isMap(v) && !contains(r.Verbatim, at) {
			name = Member(name)
		}
		written[name] = value
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
func (v Value) Decode(into any) error { return Rules{}.Decode(v, into) }

// Decode is Value.Decode by rules.
func (r Rules) Decode(v Value, into any) error {
	written, err := r.JSON(v)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(written)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// attributeOf returns the attribute of a member: replica_memory_gb of replicaMemoryGb; ""
// if it has none.
func attributeOf(member string) string {
	name := make([]byte, 0, len(member)+8)
	for _, char := range []byte(member) {
		switch {
		case char == '_':
			return ""
		case 'A' <= char && char <= 'Z':
			name = append(name, '_', char+'a'-'A')
		default:
			name = append(name, char)
		}
	}
	return string(name)
}

// Member returns the member of an attribute: replicaMemoryGb of replica_memory_gb.
func Member(attribute string) string {
	words := strings.Split(attribute, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
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
