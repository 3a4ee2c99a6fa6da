package terraformtest

import (
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// These need no terraform. TestLives compares far more with a real one.

type values = map[string]cty.Value

func text(s string) cty.Value { return cty.StringVal(s) }

func object(v values) cty.Value { return cty.ObjectVal(v) }

// thing is a thing with these attributes.
func thing(t *testing.T, v values) cty.Value {
	t.Helper()
	value, err := schema.Config(cty.ObjectVal(v))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// TestPropose proposes what is computed from the prior state, and the rest from the
// configuration.
func TestPropose(t *testing.T) {
	t.Parallel()
	element := func(name, computed string) cty.Value {
		return object(values{"name": text(name), "computed": text(computed)})
	}
	written := func(name string) cty.Value {
		return object(values{"name": text(name), "computed": cty.NullVal(cty.String)})
	}
	for name, test := range map[string]struct{ prior, config, want values }{
		"an attribute": {values{"both": text("a"), "name": text("a"), "computed": text("c")}, values{}, values{"both": text("a"), "computed": text("c")}},
		"a member": {
			values{"plain": element("a", "c")}, values{"plain": object(values{"both": text("b")})},
			values{"plain": object(values{"both": text("b"), "computed": text("c")})},
		},
		"an object that only a configuration can have made": {
			values{"one": element("a", "c"), "chosen": object(values{"computed": text("c")})}, values{}, values{"chosen": object(values{"computed": text("c")})},
		},
		"a list, by index": {
			values{"items": cty.ListVal([]cty.Value{element("a", "1"), element("b", "2")})}, values{"items": cty.ListVal([]cty.Value{written("b")})},
			values{"items": cty.ListVal([]cty.Value{element("b", "1")})},
		},
		"a map, by key": {
			values{"keyed": cty.MapVal(values{"x": element("a", "1"), "y": element("b", "2")})}, values{"keyed": cty.MapVal(values{"y": written("a")})},
			values{"keyed": cty.MapVal(values{"y": element("a", "2")})},
		},
		"a set, by what is set": {
			values{"group": cty.SetVal([]cty.Value{element("a", "1"), element("b", "2")})}, values{"group": cty.SetVal([]cty.Value{written("b"), written("c")})},
			values{"group": cty.SetVal([]cty.Value{element("b", "2"), written("c")})},
		},
	} {
		got := schema.Propose(thing(t, test.prior), thing(t, test.config))
		if want := thing(t, test.want); !got.RawEquals(want) {
			t.Errorf("%s: %s, want %s", name, short(got), short(want))
		}
	}
}

// TestIgnore has the prior value wherever a path leads to one.
func TestIgnore(t *testing.T) {
	t.Parallel()
	labels := func(x, y string) cty.Value { return cty.MapVal(values{"x": text(x), "y": text(y)}) }
	prior := thing(t, values{"name": text("a"), "tags": cty.ListVal([]cty.Value{text("a"), text("b")}), "labels": labels("a", "b"), "computed": text("c")})
	config := thing(t, values{"name": text("x"), "tags": cty.ListVal([]cty.Value{text("x"), text("y"), text("z")}), "labels": cty.MapVal(values{"x": text("x")})})
	for name, want := range map[string]values{
		"name":          {"name": text("a")},
		"tags[1]":       {"tags": cty.ListVal([]cty.Value{text("x"), text("b"), text("z")})},
		"tags[2]":       {},
		`labels["y"]`:   {"labels": labels("x", "b")},
		"plain.name":    {},
		"all":           {"name": text("a"), "tags": prior.GetAttr("tags"), "labels": prior.GetAttr("labels")},
		"a new object":  {},
		`labels["new"]`: {},
	} {
		from := prior
		lifecycle := Lifecycle{IgnoreChanges: []cty.Path{map[string]cty.Path{
			"name": cty.GetAttrPath("name"), "tags[1]": cty.GetAttrPath("tags").IndexInt(1), "tags[2]": cty.GetAttrPath("tags").IndexInt(2),
			`labels["y"]`: cty.GetAttrPath("labels").IndexString("y"), "plain.name": cty.GetAttrPath("plain").GetAttr("name"), `labels["new"]`: cty.GetAttrPath("labels").IndexString("new"),
			"all": nil, "a new object": cty.GetAttrPath("name"),
		}[name]}}
		switch name {
		case "all":
			lifecycle = Lifecycle{IgnoreAll: true}
		case "a new object":
			from = cty.NullVal(schema.Type)
		}
		all := config.AsValueMap()
		for attribute, value := range want {
			all[attribute] = value
		}
		if got := schema.ignore(lifecycle, from, config); !got.RawEquals(cty.ObjectVal(all)) {
			t.Errorf("%s: %s", name, short(got))
		}
	}
}

// TestFaults has one fault of each sort, and what is none.
func TestFaults(t *testing.T) {
	t.Parallel()
	unknown := cty.UnknownVal(cty.String)
	item := cty.ListVal([]cty.Value{object(values{"name": text("a")})})
	for name, test := range map[string]struct {
		prior, config, planned, result values
		plan, outcome                  []string
	}{
		"nothing":                      {values{}, values{"name": text("a")}, values{"name": text("a"), "both": unknown}, values{"name": text("a"), "both": text("x")}, nil, nil},
		"the prior value":              {values{"name": text("A")}, values{"name": text("a")}, values{"name": text("A")}, values{"name": text("A")}, nil, nil},
		"another value":                {values{"name": text("b")}, values{"name": text("a")}, values{"name": text("c")}, values{"name": text("d")}, []string{".name"}, []string{".name"}},
		"neither set nor computed":     {values{"name": text("a")}, values{}, values{"name": text("a")}, values{"name": text("a")}, []string{".name"}, nil},
		"a write-only value":           {values{}, values{}, values{"once": text("a")}, values{"once": text("a")}, []string{".once"}, nil},
		"a member":                     {values{}, values{"plain": object(values{"name": text("a")})}, values{"plain": object(values{"name": text("b"), "both": text("c")})}, values{}, []string{".plain.name"}, []string{".plain"}},
		"an object that is not there":  {values{}, values{"plain": object(values{})}, values{}, values{"plain": object(values{})}, []string{".plain"}, []string{".plain"}},
		"an element":                   {values{}, values{"items": item}, values{"items": cty.ListVal([]cty.Value{object(values{"name": text("b")})})}, values{"items": item}, []string{".items[0].name"}, []string{".items[0].name"}},
		"elements":                     {values{}, values{"items": item}, values{"items": cty.ListValEmpty(item.Type().ElementType())}, values{"items": item}, []string{".items"}, []string{".items"}},
		"other keys":                   {values{}, values{"keyed": cty.MapVal(values{"x": object(values{})})}, values{"keyed": cty.MapVal(values{"y": object(values{})})}, values{"keyed": cty.MapVal(values{"x": object(values{})})}, []string{".keyed", ".keyed"}, []string{".keyed", ".keyed"}},
		"the number of a set's":        {values{}, values{"group": cty.SetVal([]cty.Value{object(values{"name": text("a")}), object(values{"name": text("b")})})}, values{"group": cty.SetVal([]cty.Value{object(values{"name": text("a")})})}, values{"group": cty.SetVal([]cty.Value{object(values{"name": text("b")})})}, []string{".group"}, []string{".group"}},
		"a set that becomes larger":    {values{}, values{}, values{"marks": cty.SetVal([]cty.Value{unknown})}, values{"marks": cty.SetVal([]cty.Value{text("a"), text("b")})}, []string{".marks"}, []string{".marks"}},
		"a sensitive value, not shown": {values{}, values{"secret": text("hush")}, values{"secret": text("hush")}, values{"secret": text("loud")}, nil, []string{".secret"}},
	} {
		planned := thing(t, test.planned)
		plan, outcome := &faults{}, &faults{}
		plan.plan(schema.attributes, thing(t, test.prior), thing(t, test.config), planned, nil)
		outcome.outcome(schema.attributes, planned, thing(t, test.result))
		for _, check := range []struct {
			found []Fault
			want  []string
		}{{plan.found, test.plan}, {outcome.found, test.outcome}} {
			var got []string
			for _, fault := range check.found {
				got = append(got, fault.Path)
			}
			if !slices.Equal(got, check.want) {
				t.Errorf("%s: faults %v, want at %q", name, check.found, check.want)
			}
		}
	}
}
