package tfvalue_test

import (
	"math/big"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// whole is a number that keeps every digit.
type whole struct{ big.Float }

func (w *whole) Exact() *big.Float { return &w.Float }

func wholeOf(text string) *whole {
	number, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	return &whole{*number}
}

type (
	goThing struct {
		goNames
		Size    *whole             `tfsdk:"size"`
		On      *bool              `tfsdk:"on"`
		List    []string           `tfsdk:"list"`
		Tags    *map[string]string `tfsdk:"tags"`
		Set     []string           `tfsdk:"set"`
		Numbers []*whole           `tfsdk:"numbers"`
		Maps    []goMap            `tfsdk:"maps"`
		Pointed *[]string          `tfsdk:"pointed"`
		Inner   *goInner           `tfsdk:"inner"`
		Hidden  string             // without a tag: not the schema's
		Extra   *string            `tfsdk:"extra"` // the schema has none
	}
	goNames struct {
		Name *string `tfsdk:"name"`
	}
	goMap struct {
		Schema string   `tfsdk:"schema"`
		Hidden []string `tfsdk:"hidden"`
	}
	goInner struct {
		Name *string `tfsdk:"name"`
	}
)

var goThingType = object(attributes{
	"name": tftypes.String, "size": tftypes.Number, "on": tftypes.Bool,
	"tags": tftypes.Map{ElementType: tftypes.String}, "list": list(tftypes.String), "set": set(tftypes.String), "numbers": list(tftypes.Number),
	"maps":    set(object(attributes{"schema": tftypes.String, "hidden": set(tftypes.String)})),
	"pointed": list(tftypes.String),
	"inner":   object(attributes{"name": tftypes.String, "more": tftypes.Bool}),
	"unheard": tftypes.String, // the struct has none
})

func TestEncode(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		from any
		want string
	}{
		"nothing":             {goThing{}, `{}`},
		"a nil pointer":       {(*goThing)(nil), `null`},
		"a pointer":           {&goThing{}, `{}`},
		"zeros":               {goThing{goNames: goNames{new("")}, Size: wholeOf("0"), On: new(false), List: []string{}, Set: []string{}}, `{"name": "", "size": 0, "on": false, "list": [], "set": []}`},
		"an embedded struct":  {goThing{goNames: goNames{new("a")}}, `{"name": "a"}`},
		"what has no place":   {goThing{Hidden: "x", Extra: new("x")}, `{}`},
		"digits":              {goThing{Size: wholeOf("9007199254740993"), Numbers: []*whole{wholeOf("18446744073709551617"), nil}}, `{"size": 9007199254740993, "numbers": [18446744073709551617, null]}`},
		"an exact fraction":   {goThing{Size: wholeOf("2.5")}, `{"size": 2.5}`},
		"an object":           {goThing{Inner: &goInner{new("b")}}, `{"inner": {"name": "b"}}`},
		"an empty object":     {goThing{Inner: &goInner{}}, `{"inner": {}}`},
		"a map":               {goThing{Tags: &map[string]string{"a": "b"}}, `{"tags": {"a": "b"}}`},
		"a list keeps all":    {goThing{List: []string{"b", "a", "b"}}, `{"list": ["b", "a", "b"]}`},
		"a set drops repeats": {goThing{Set: []string{"b", "a", "b"}}, `{"set": ["b", "a"]}`},
		"objects that are alike are repeats": {
			goThing{Maps: []goMap{{"s", []string{"x", "y"}}, {"s", []string{"y", "x"}}, {"t", nil}, {"t", []string{}}}},
			`{"maps": [{"schema": "s", "hidden": ["x", "y"]}, {"schema": "t"}]}`,
		},
		"a pointer to a slice":     {goThing{Pointed: &[]string{}}, `{"pointed": []}`},
		"a pointer to a nil slice": {goThing{Pointed: new([]string(nil))}, `{}`},
	} {
		same(t, name, tfvalue.Encode(test.from, goThingType), parse(t, goThingType, test.want))
	}
}

// TestDecode reads into a struct that holds something already: null leaves it.
func TestDecode(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]goThing{
		`null`:                                   {},
		`{}`:                                     {},
		`{"name": ""}`:                           {goNames: goNames{new("")}},
		`{"size": 9007199254740993}`:             {Size: wholeOf("9007199254740993")},
		`{"on": false}`:                          {On: new(false)},
		`{"list": [], "pointed": []}`:            {List: []string{}, Pointed: &[]string{}},
		`{"list": ["b", "a"], "set": ["x"]}`:     {List: []string{"b", "a"}, Set: []string{"x"}},
		`{"numbers": [1, null]}`:                 {Numbers: []*whole{wholeOf("1"), nil}},
		`{"maps": [{"schema": "s"}]}`:            {Maps: []goMap{{Schema: "s"}}},
		`{"inner": {"name": "b", "more": true}}`: {Inner: &goInner{new("b")}},
		`{"inner": {}, "unheard": "x"}`:          {Inner: &goInner{}},
	} {
		var got goThing
		if err := parse(t, goThingType, value).Decode(&got); err != nil {
			t.Errorf("%s: %v", value, err)
			continue
		}
		if a, b := show(tfvalue.Encode(got, goThingType)), show(tfvalue.Encode(want, goThingType)); a != b {
			t.Errorf("%s\n is  %s\nwant %s", value, a, b)
		}
		if (got.List == nil) != (want.List == nil) || (got.Pointed == nil) != (want.Pointed == nil) {
			t.Errorf("%s: list %v, pointed %v", value, got.List, got.Pointed)
		}
	}
	held := goThing{goNames: goNames{new("kept")}, List: []string{"kept"}}
	if err := parse(t, goThingType, `{"size": 1}`).Decode(&held); err != nil || *held.Name != "kept" || len(held.List) != 1 {
		t.Errorf("null did not leave what was there: %+v, %v", held, err)
	}
	for _, value := range []string{`{"name": "??"}`, `{"on": "??"}`, `{"size": "??"}`, `{"inner": {"name": "??"}}`, `{"set": ["??"]}`} {
		if err := parse(t, goThingType, value).Decode(&goThing{}); err == nil {
			t.Errorf("%s was read", value)
		}
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	typ := reflect.TypeFor[goThing]()
	fields := tfvalue.Fields(typ)
	if _, untagged := fields[""]; untagged || typ.FieldByIndex(fields["name"]).Name != "Name" {
		t.Errorf("the fields are %v", fields)
	}
}
