package tfvalue_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// The tests write values as JSON, so that a row of a table is a line:
// `{"name": "a", "set": ["x"], "size": 4}`. A member that is omitted is null, and "??" is
// unknown.

type attributes = map[string]tftypes.Type

func object(members attributes) tftypes.Type { return tftypes.Object{AttributeTypes: members} }
func list(of tftypes.Type) tftypes.Type      { return tftypes.List{ElementType: of} }
func set(of tftypes.Type) tftypes.Type       { return tftypes.Set{ElementType: of} }
func keyed(members attributes) tftypes.Type  { return tftypes.Map{ElementType: object(members)} }

// thing has an attribute of each type. cert is trimmed, since is a timestamp, the letter case
// of code does not matter, maps is keyed by schema and table, and the objects in kind are
// alternatives, see rules.
var thing = attributes{
	"name": tftypes.String, "cert": tftypes.String, "since": tftypes.String, "code": tftypes.String, "size": tftypes.Number, "on": tftypes.Bool,
	"list": list(tftypes.String), "nums": set(tftypes.Number), "set": set(tftypes.String),
	"tags":  tftypes.Map{ElementType: tftypes.String},
	"pairs": list(object(attributes{"from": tftypes.String, "to": tftypes.String})),
	"maps": keyed(attributes{
		"schema": tftypes.String, "table": tftypes.String,
		"hidden": set(tftypes.String), "sorted": tftypes.Bool, "keys": list(tftypes.String), "rank": tftypes.Number, "note": tftypes.String,
	}),
	"max_size_gb": tftypes.Number,
	"settings":    object(attributes{"max_threads": tftypes.Number}),
	"own":         object(attributes{"name": tftypes.String}),
	"inner": object(attributes{
		"name": tftypes.String, "size": tftypes.Number, "own": tftypes.String, "settings": object(attributes{"max_threads": tftypes.Number}),
		"deep": object(attributes{"on": tftypes.Bool, "cert": tftypes.String, "far": object(attributes{"x": tftypes.Bool, "y": tftypes.Bool})}),
		"more": object(attributes{"on": tftypes.Bool}),
	}),
	"kind": object(attributes{
		"cat": object(attributes{"name": tftypes.String, "size": tftypes.Number}), "dog": object(attributes{"name": tftypes.String}), "note": tftypes.String,
	}),
}

var (
	mapsKey = tfvalue.Key{Members: []string{"schema", "table"}, Separators: ".", Parts: [][]string{{"table"}}}
	rules   = tfvalue.Rules{
		Trimmed: []string{"cert"}, Instants: []string{"since"}, Folded: []string{"code"},
		Keys: map[string]tfvalue.Key{"maps": mapsKey}, Alternatives: []string{"kind"},
		Verbatim: []tfvalue.Path{{"settings"}}, NotInJSON: []tfvalue.Path{{"own"}, {"inner", "own"}},
	}
)

// val is a thing.
func val(t *testing.T, text string) tfvalue.Value {
	t.Helper()
	return parse(t, object(thing), text)
}

// at is a value of an attribute of a thing.
func at(t *testing.T, name, text string) tfvalue.Value {
	t.Helper()
	return parse(t, thing[name], text)
}

func parse(t *testing.T, typ tftypes.Type, text string) tfvalue.Value {
	t.Helper()
	return tfvalue.Of(build(typ, decoded(t, text)))
}

// decoded is JSON as the client decodes it.
func decoded(t *testing.T, text string) (read any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&read); err != nil || decoder.More() {
		t.Fatalf("%v in %s", err, text)
	}
	return read
}

// build gives what was read a type. It panics if an object has a member that its type lacks.
func build(typ tftypes.Type, read any) tftypes.Value {
	switch read := read.(type) {
	case map[string]any:
		members := map[string]tftypes.Value{}
		if object, isObject := typ.(tftypes.Object); isObject {
			for name, memberType := range object.AttributeTypes {
				members[name] = tftypes.NewValue(memberType, nil)
			}
		}
		for name, member := range read {
			members[name] = build(typeWithin(typ, name), member)
		}
		return tftypes.NewValue(typ, members)
	case []any:
		elements := []tfvalue.Value{}
		for _, element := range read {
			elements = append(elements, tfvalue.Of(build(typeWithin(typ, ""), element)))
		}
		if typ.Is(tftypes.Map{}) { // whose keys follow
			return mapsKey.Collect(typ, elements).Value
		}
		return tfvalue.Collection(typ, elements).Value
	case json.Number:
		number, _, _ := big.ParseFloat(read.String(), 10, 512, big.ToNearestEven)
		return tftypes.NewValue(typ, number)
	}
	if read == "??" {
		read = tftypes.UnknownValue
	}
	return tftypes.NewValue(typ, read)
}

// typeWithin is the type of a member of that name, or of the elements of a collection.
func typeWithin(typ tftypes.Type, name string) tftypes.Type {
	switch typ := typ.(type) {
	case tftypes.Object:
		return typ.AttributeTypes[name]
	case tftypes.Map:
		return typ.ElementType
	case tftypes.List:
		return typ.ElementType
	default:
		return typ.(tftypes.Set).ElementType
	}
}

// show writes a value so that every difference is seen: the order of a set, and the digits of
// a number. Members that are null are left out, as in the notation.
func show(v tfvalue.Value) string {
	switch {
	case v.IsNull():
		return "null"
	case !v.IsKnown():
		return "unknown"
	case v.Type().Is(tftypes.Number):
		return v.Number().Text('f', -1)
	case v.Type().Is(tftypes.Bool):
		return fmt.Sprint(v.True())
	case v.Type().Is(tftypes.String):
		return fmt.Sprintf("%q", v.Text())
	}
	var parts []string
	for name, member := range v.Members() {
		if !member.IsNull() {
			parts = append(parts, name+": "+show(member))
		}
	}
	if _, isMap := v.Type().(tftypes.Map); !isMap {
		for _, element := range v.Elements() {
			parts = append(parts, show(element))
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// same fails unless two values are the same to the letter.
func same(t *testing.T, what string, got, want tfvalue.Value) {
	t.Helper()
	if !got.Type().Equal(want.Type()) || show(got) != show(want) {
		t.Errorf("%s\n is  %s %s\nwant %s", what, show(got), got.Type(), show(want))
	}
}

// paths are where leaves are, by dots.
func paths(leaves []tfvalue.Leaf) string {
	var all []string
	for _, leaf := range leaves {
		all = append(all, leaf.Path.String())
	}
	return strings.Join(all, " ")
}

// names is a chain of names as a row has it.
func names(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '.' })
}
