package tfvalue

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// This file reads decoded JSON into values of a type, and writes values as JSON. The type of
// the schema is the only declaration of a field: the attribute replica_memory_gb is the
// member replicaMemoryGb. Decoded JSON is what encoding/json reads into an any, but for
// numbers, which are of type json.Number.

// FromJSON reads decoded JSON into a value of a type. What the JSON omits is null. What the type
// does not have is skipped, and so are repeated elements of a set or a keyed map, of which an array has
// the elements. An error names the attribute, but never the value, which may be a secret.
func (r Rules) FromJSON(decoded any, typ tftypes.Type) (Value, error) {
	return r.read(make(Path, 0, 8), decoded, typ)
}

// Salvage reads an object like FromJSON, but as far as it can: a member with an error is null, or a number as it is spelled
// where a text belongs. The errors are those of all such members.
func (r Rules) Salvage(decoded any, typ tftypes.Object) (Value, []error) {
	var wrong []error
	all := make(map[string]tftypes.Value, len(typ.AttributeTypes))
	members, _ := decoded.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(typ.AttributeTypes)) {
		memberType := typ.AttributeTypes[name]
		read, err := r.readMembers(make(Path, 0, 8), decoded, tftypes.Object{AttributeTypes: map[string]tftypes.Type{name: memberType}})
		if number, isNumber := members[r.Member(Path{name})].(json.Number); isNumber && memberType.Is(tftypes.String) && len(number) <= maxNumberText {
			read[name] = tftypes.NewValue(tftypes.String, number.String())
		}
		if all[name] = read[name]; err != nil {
			wrong = append(wrong, err)
		}
	}
	return Value{tftypes.NewValue(typ, all)}, slices.CompactFunc(wrong, func(a, b error) bool { return a.Error() == b.Error() })
}

// Into returns a function that reads decoded JSON into a value, by the value's own type.
func (r Rules) Into(v *Value) func(any) error {
	typ := v.Type()
	return func(decoded any) (err error) {
		*v, err = r.FromJSON(decoded, typ)
		return err
	}
}

// read returns null with an error.
func (r Rules) read(at Path, decoded any, typ tftypes.Type) (Value, error) {
	if decoded == nil {
		return Null(typ), nil
	}
	var content any
	var err error
	switch t := typ.(type) {
	case tftypes.Object:
		content, err = r.readMembers(at, decoded, t)
	case tftypes.List:
		return r.readElements(at, decoded, typ, t.ElementType)
	case tftypes.Set:
		return r.readElements(at, decoded, typ, t.ElementType)
	case tftypes.Map:
		return r.readElements(at, decoded, typ, t.ElementType)
	default:
		content, err = readScalar(at, decoded, typ)
	}
	if err != nil {
		return Null(typ), err
	}
	return Value{tftypes.NewValue(typ, content)}, nil
}

// readMembers reads an object by the attributes of its type, all of them despite an error.
func (r Rules) readMembers(at Path, decoded any, typ tftypes.Object) (map[string]tftypes.Value, error) {
	members, isObject := decoded.(map[string]any)
	var wrong error
	if decoded != nil && !isObject {
		wrong = otherType(at)
	}
	read := make(map[string]tftypes.Value, len(typ.AttributeTypes))
	for name, memberType := range typ.AttributeTypes {
		next := append(at, name) //nolint:gocritic // nothing keeps the last path, so the next one may overwrite it
		member, isReturned := members[r.Member(next)]
		if contains(r.NotInJSON, next) {
			member = nil
		} else if r.NullIsEmpty && isReturned && member == nil && Null(memberType).IsCollection() {
			member = []any{}
		}
		value, err := r.read(next, member, memberType)
		read[name], wrong = value.Value, cmp.Or(wrong, err)
	}
	return read, wrong
}

// readElements reads a list, a set or a keyed map, whose elements have its path.
func (r Rules) readElements(at Path, decoded any, typ, elementType tftypes.Type) (Value, error) {
	array, isArray := decoded.([]any)
	if !isArray {
		return Null(typ), otherType(at)
	}
	elements := make([]Value, len(array))
	for i, one := range array {
		var err error
		if elements[i], err = r.read(at, one, elementType); err != nil {
			return Null(typ), err
		}
	}
	switch {
	case typ.Is(tftypes.Map{}):
		return r.Keys[at.Name()].Collect(typ, elements), nil
	case typ.Is(tftypes.Set{}):
		seen := map[string]bool{}
		elements = slices.DeleteFunc(elements, func(element Value) (repeats bool) {
			text := element.String()
			repeats, seen[text] = seen[text], true
			return repeats
		})
	}
	return Collection(typ, elements), nil
}

func readScalar(at Path, decoded any, typ tftypes.Type) (any, error) {
	_, isText := decoded.(string)
	_, isBool := decoded.(bool)
	number, isNumber := decoded.(json.Number)
	switch {
	case isText && typ.Is(tftypes.String), isBool && typ.Is(tftypes.Bool):
		return decoded, nil
	case !isNumber || !typ.Is(tftypes.Number):
		return nil, otherType(at)
	case len(number) <= maxNumberText:
		if n, _, err := big.ParseFloat(string(number), 10, numberPrecision, big.ToNearestEven); err == nil && inRange(n) {
			return n, nil
		}
	}
	return nil, fmt.Errorf("%s is a number that is out of range", at)
}

const (
	// numberPrecision is the precision of Terraform's numbers, in bits. Any response can be read, and
	// no value changes on its way.
	numberPrecision = 512
	// The time to read digits grows with their square. The smallest float64 has 1,076 characters.
	maxNumberText = 2000
)

// inRange reports whether a float64 can hold a number, at least by its size: every JSON library reads that.
// 1e999999999 is short, but takes gigabytes to print.
func inRange(n *big.Float) bool {
	float, _ := n.Float64()
	return !math.IsInf(float, 0) && (float != 0 || n.Sign() == 0)
}

func otherType(at Path) error {
	return fmt.Errorf("%s has another type than in the API document", cmp.Or(at.String(), "the result"))
}

// JSON returns the attributes of an object that are not null, to be marshaled: maps for objects,
// slices for lists, sets and keyed maps. See Prune for objects without leaves. Nothing is unknown in an
// apply; if something is, json.Marshal fails and names it.
func (r Rules) JSON(v Value) map[string]any { return r.writeMembers(nil, v) }

func (r Rules) writeMembers(at Path, v Value) map[string]any {
	written := map[string]any{}
	for name, member := range v.Members() {
		next := append(at, name) //nolint:gocritic // likewise
		if !member.IsNull() && !contains(r.NotInJSON, next) {
			written[r.Member(next)] = r.write(next, member)
		}
	}
	return written
}

func (r Rules) write(at Path, v Value) any {
	switch {
	case v.IsNull():
		return nil
	case !v.IsKnown():
		return json.Number(at.String() + " is unknown") // which is no number
	case isString(v):
		return v.Text()
	case isNumber(v):
		return json.Number(v.Number().Text('f', -1))
	case isBool(v):
		return v.True()
	case v.IsCollection():
		written := []any{}
		for _, element := range v.Elements() {
			written = append(written, r.write(at, element))
		}
		return written
	default:
		return r.writeMembers(at, v)
	}
}

// Member returns the member of the attribute at a path: replicaMemoryGb of replica_memory_gb.
func (r Rules) Member(at Path) string {
	name := at.Name()
	if contains(r.Verbatim, at[:len(at)-1]) {
		return name
	}
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

func contains(paths []Path, at Path) bool {
	return slices.ContainsFunc(paths, func(p Path) bool { return slices.Equal(p, at) })
}
