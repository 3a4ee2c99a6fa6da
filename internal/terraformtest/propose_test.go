package terraformtest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// These need no terraform. TestLives compares far more with a real one.

// thing is a thing with these attributes, as JSON. "??" is unknown.
func thing(t *testing.T, text string) cty.Value {
	t.Helper()
	value := ctyjson.SimpleJSONValue{}
	if err := value.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return must(schema.Config(must(cty.Transform(value.Value, func(_ cty.Path, part cty.Value) (cty.Value, error) {
		if part.RawEquals(cty.StringVal("??")) {
			return cty.UnknownVal(cty.String), nil
		}
		return part, nil
	}))))
}

// TestPropose proposes what is computed from the prior state, and the rest from the
// configuration.
func TestPropose(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ prior, config, want string }{
		"an attribute": {`{"both": "a", "name": "a", "computed": "c"}`, `{}`, `{"both": "a", "computed": "c"}`},
		"a member":     {`{"plain": {"name": "a", "computed": "c"}}`, `{"plain": {"both": "b"}}`, `{"plain": {"both": "b", "computed": "c"}}`},
		"an object that only a configuration can have made": {`{"one": {"name": "a", "computed": "c"}, "chosen": {"computed": "c"}}`, `{}`, `{"chosen": {"computed": "c"}}`},
		"a list, by index":      {`{"items": [{"name": "a", "computed": "1"}, {"name": "b", "computed": "2"}]}`, `{"items": [{"name": "b"}]}`, `{"items": [{"name": "b", "computed": "1"}]}`},
		"a map, by key":         {`{"keyed": {"x": {"name": "a", "computed": "1"}, "y": {"name": "b", "computed": "2"}}}`, `{"keyed": {"y": {"name": "a"}}}`, `{"keyed": {"y": {"name": "a", "computed": "2"}}}`},
		"a set, by what is set": {`{"group": [{"name": "a", "computed": "1"}, {"name": "b", "computed": "2"}]}`, `{"group": [{"name": "b"}, {"name": "c"}]}`, `{"group": [{"name": "b", "computed": "2"}, {"name": "c", "computed": null}]}`},
	} {
		if got, want := schema.Propose(thing(t, test.prior), thing(t, test.config)), thing(t, test.want); !got.RawEquals(want) {
			t.Errorf("%s: %s, want %s", name, short(got), short(want))
		}
	}
}

// TestIgnore has the prior value wherever a path leads to one.
func TestIgnore(t *testing.T) {
	t.Parallel()
	const before = `{"name": "a", "tags": ["a", "b"], "labels": {"x": "a", "y": "b"}, "computed": "c"}`
	const config = `{"name": "x", "tags": ["x", "y", "z"], "labels": {"x": "x"}}`
	for ignored, want := range map[string]string{
		"name":          `{"name": "a", "tags": ["x", "y", "z"], "labels": {"x": "x"}}`,
		"tags[1]":       `{"name": "x", "tags": ["x", "b", "z"], "labels": {"x": "x"}}`,
		"tags[2]":       config,
		`labels["y"]`:   `{"name": "x", "tags": ["x", "y", "z"], "labels": {"x": "x", "y": "b"}}`,
		"plain.name":    config,
		`labels["new"]`: config,
		"all":           `{"name": "a", "tags": ["a", "b"], "labels": {"x": "a", "y": "b"}}`,
	} {
		lifecycle := Lifecycle{IgnoreAll: ignored == "all", IgnoreChanges: []cty.Path{path(t, ignored)}}
		if got := schema.ignore(lifecycle, thing(t, before), thing(t, config)); !got.RawEquals(thing(t, want)) {
			t.Errorf("%s: %s", ignored, short(got))
		}
		if got := schema.ignore(lifecycle, cty.NullVal(schema.Type), thing(t, config)); !got.RawEquals(thing(t, config)) {
			t.Errorf("%s of a new object: %s", ignored, short(got))
		}
	}
}

// TestFaults has one fault of each sort, and what is none: the prior state, the configuration,
// the plan and its outcome, and where each of the last two has a fault.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ prior, config, planned, result, plan, outcome string }{
		"nothing":                      {`{}`, `{"name": "a"}`, `{"name": "a", "both": "??"}`, `{"name": "a", "both": "x"}`, "", ""},
		"the prior value":              {`{"name": "A"}`, `{"name": "a"}`, `{"name": "A"}`, `{"name": "A"}`, "", ""},
		"another value":                {`{"name": "b"}`, `{"name": "a"}`, `{"name": "c"}`, `{"name": "d"}`, ".name", ".name"},
		"neither set nor computed":     {`{"name": "a"}`, `{}`, `{"name": "a"}`, `{"name": "a"}`, ".name", ""},
		"a write-only value":           {`{}`, `{}`, `{"once": "a"}`, `{"once": "a"}`, ".once", ""},
		"a member":                     {`{}`, `{"plain": {"name": "a"}}`, `{"plain": {"name": "b", "both": "c"}}`, `{}`, ".plain.name", ".plain"},
		"an object that is not there":  {`{}`, `{"plain": {}}`, `{}`, `{"plain": {}}`, ".plain", ".plain"},
		"an element":                   {`{}`, `{"items": [{"name": "a"}]}`, `{"items": [{"name": "b"}]}`, `{"items": [{"name": "a"}]}`, ".items[0].name", ".items[0].name"},
		"elements":                     {`{}`, `{"items": [{"name": "a"}]}`, `{"items": []}`, `{"items": [{"name": "a"}]}`, ".items", ".items"},
		"other keys":                   {`{}`, `{"keyed": {"x": {}}}`, `{"keyed": {"y": {}}}`, `{"keyed": {"x": {}}}`, ".keyed", ".keyed"},
		"the number of a set's":        {`{}`, `{"group": [{"name": "a"}, {"name": "b"}]}`, `{"group": [{"name": "a"}]}`, `{"group": [{"name": "b"}]}`, ".group", ".group"},
		"a set that becomes larger":    {`{}`, `{}`, `{"marks": ["??"]}`, `{"marks": ["a", "b"]}`, ".marks", ".marks"},
		"a sensitive value, not shown": {`{}`, `{"secret": "hush"}`, `{"secret": "hush"}`, `{"secret": "loud"}`, "", ".secret"},
	} {
		plan, outcome := &faults{}, &faults{}
		plan.plan(schema.attributes, thing(t, test.prior), thing(t, test.config), thing(t, test.planned), nil)
		outcome.outcome(schema.attributes, thing(t, test.planned), thing(t, test.result))
		for want, found := range map[*string][]Fault{&test.plan: plan.found, &test.outcome: outcome.found} {
			at := map[string]bool{}
			for _, fault := range found {
				at[fault.Path] = true
			}
			if got := strings.Join(slices.Sorted(maps.Keys(at)), " "); got != *want {
				t.Errorf("%s: faults %v, want at %q", name, found, *want)
			}
		}
	}
}
