package tfvalue_test

import (
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// thingTraits are what a configuration of a thing may contain: name, size, on and list are optional and computed,
// since is computed, code is deprecated, and cert is optional alone.
var thingTraits = func() tfvalue.Traits {
	settable, inner := tfvalue.Trait{Computed: true, Settable: true, Written: true}, tfvalue.Trait{Computed: true, Settable: true, Written: true}
	maps, deprecated := settable, tfvalue.Trait{Computed: true, Settable: true}
	maps.Members = tfvalue.Traits{"hidden": {Settable: true, Required: true, Written: true}}
	inner.Members = tfvalue.Traits{"name": settable, "size": {Computed: true}, "own": {Settable: true, WriteOnly: true}, "more": {Computed: true}}
	return tfvalue.Traits{"name": settable, "size": settable, "on": settable, "list": settable, "since": {Computed: true}, "code": deprecated,
		"cert": {Settable: true, Written: true}, "inner": inner, "maps": maps}
}()

func TestPropose(t *testing.T) {
	t.Parallel()
	combine(t, map[string]combination{ // configuration, prior
		"what is set, and else the prior value":  {`{"name": "a"}`, `{"name": "b", "size": 1, "since": "s"}`, `{"name": "a", "size": 1, "since": "s"}`},
		"what is optional alone, and write-only": {`{"inner": {"own": "x"}}`, `{"cert": "c", "inner": {"size": 1}}`, `{"inner": {"size": 1}}`},
		"an object that is omitted":              {`{}`, `{"inner": {"name": "a"}}`, `{"inner": {"name": "a"}}`},
		"an adoption": {`{"name": "a", "inner": {}}`, `null`, `{"name": "a", "size": "??", "on": "??", "list": "??", "since": "??", "code": "??", "maps": "??",
			"inner": {"name": "??", "size": "??", "more": "??"}}`},
	}, thingTraits.Propose)
}

func TestGenerate(t *testing.T) {
	t.Parallel()
	combine(t, map[string]combination{ // an object, and nothing
		"values, false and 0 among them":    {`{"name": "a", "size": 0, "on": false}`, `{}`, `{"name": "a", "size": 0, "on": false}`},
		"what is empty":                     {`{"name": "", "list": [], "inner": {}}`, `{}`, `null`},
		"a list with a null element":        {`{"list": ["a", null]}`, `{}`, `null`},
		"an element without what it must":   {`{"maps": [{"schema": "s"}]}`, `{}`, `null`},
		"an element, whole":                 {`{"maps": [{"schema": "s", "hidden": []}]}`, `{}`, `{"maps": [{"schema": "s", "hidden": []}]}`},
		"what is deprecated, or write-only": {`{"code": "c", "inner": {"own": "x"}}`, `{}`, `null`},
		"what cannot be set":                {`{"since": "s", "inner": {"name": "a", "size": 1}}`, `{}`, `{"inner": {"name": "a"}}`},
		"no object in which nothing is set": {`{"inner": {"size": 1, "more": {"on": true}}}`, `{}`, `null`},
		"no object":                         {`null`, `{}`, `null`},
	}, func(object, _ tfvalue.Value) tfvalue.Value { return thingTraits.Generate(object) })
}

func TestSettable(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]bool{"name": true, "code": true, "since": false, "inner.name": true, "inner.size": false} {
		if got := thingTraits.Settable(strings.Split(at, ".")); got != want {
			t.Errorf("%s: %t", at, got)
		}
	}
}
