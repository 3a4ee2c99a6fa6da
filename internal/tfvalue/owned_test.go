package tfvalue_test

import (
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// combination is two objects, and what becomes of them.
type combination struct{ one, other, want string }

// combine checks what a function makes of the two objects of each row.
func combine(t *testing.T, rows map[string]combination, function func(one, other tfvalue.Value) tfvalue.Value) {
	t.Helper()
	for name, row := range rows {
		same(t, name, function(val(t, row.one), val(t, row.other)), val(t, row.want))
	}
}

func TestOwned(t *testing.T) {
	t.Parallel()
	const keyed = `{"maps": [{"schema": "s", "table": "t", "hidden": "??"}]}`
	combine(t, map[string]combination{ // configuration, plan
		"nothing":         {`{}`, `{"name": "a", "inner": {"name": "b"}}`, `{}`},
		"below an object": {`{"inner": {"deep": {"on": true}}}`, `{"inner": {"name": "b", "deep": {"on": true}}}`, `{"inner": {"deep": {"on": true}}}`},
		"an empty object": {`{"inner": {}}`, `{"inner": {"name": "b"}}`, `{"inner": {}}`},
		"a destroy":       {`null`, `null`, `null`},

		// Where plan and configuration mean the same, the plan's spelling is owned. Where they do not, the leaf is
		// under ignore_changes.
		"the order of a set":           {`{"set": ["a", "b"]}`, `{"set": ["b", "a"]}`, `{"set": ["b", "a"]}`},
		"ignore_changes":               {`{"name": "b", "size": 1}`, `{"name": "a", "size": 1}`, `{"size": 1}`},
		"unknown until the apply":      {`{"name": "??"}`, `{"name": "a"}`, `{"name": "a"}`},
		"unknown in the plan":          {`{"name": "a"}`, `{"name": "??"}`, `{"name": "??"}`},
		"a member of an element is so": {keyed, keyed, keyed},
	}, func(config, plan tfvalue.Value) tfvalue.Value { return rules.Owned(config, plan, plan) })
}

func TestChanges(t *testing.T) {
	t.Parallel()
	const sorted = `{"maps": [{"schema": "s"}, {"schema": "t", "sorted": true}]}`
	combine(t, map[string]combination{ // owned, remote
		"nothing differs":          {`{"name": "a", "inner": {"size": 1}}`, `{"name": "a", "size": 9, "inner": {"size": 1}}`, `{"inner": {}}`},
		"a deep leaf differs":      {`{"inner": {"deep": {"on": true}}}`, `{"inner": {"deep": {"on": false}}}`, `{"inner": {"deep": {"on": true}}}`},
		"empty, and omitted":       {`{"name": "", "list": [], "size": 0}`, `{}`, `{"name": "", "list": [], "size": 0}`},
		"spellings":                {`{"size": 4.0, "set": ["a", "b"], "cert": "a\n"}`, `{"size": 4, "set": ["b", "a"], "cert": "a"}`, `{}`},
		"a keyed map is one leaf":  {sorted, `{"maps": [{"schema": "s"}, {"schema": "t"}]}`, sorted},
		"no element, and omitted":  {`{"maps": []}`, `{}`, `{}`},
		"what is unknown, differs": {`{"name": "??", "list": ["??"]}`, `{"name": "a", "list": ["a"]}`, `{"name": "??", "list": ["??"]}`},
	}, rules.Changes)
}

func TestSettle(t *testing.T) {
	t.Parallel()
	combine(t, map[string]combination{ // plan, response
		"what the plan showed stays":     {`{"name": "a", "size": 1}`, `{"name": "b", "size": 2, "on": true}`, `{"name": "a", "size": 1}`},
		"what is omitted is null":        {`{"size": "??", "list": "??"}`, `{}`, `{}`},
		"below an object that is":        {`{"inner": {"name": "a", "size": "??"}}`, `{}`, `{"inner": {"name": "a"}}`},
		"a destroy":                      {`null`, `{"name": "b"}`, `null`},
		"a list that is unknown in part": {`{"list": ["a", "??"], "size": 1}`, `{"list": ["a", "b"], "size": 2}`, `{"list": ["a", "b"], "size": 1}`},
	}, tfvalue.Settle)
}

func TestSuppress(t *testing.T) {
	t.Parallel()
	combine(t, map[string]combination{ // plan, prior
		"a number's spelling":   {`{"size": 4.0}`, `{"size": 4}`, `{"size": 4}`},
		"whitespace at the end": {`{"cert": "a\n", "name": "a"}`, `{"cert": "a", "name": "a\n"}`, `{"cert": "a", "name": "a"}`},
		"another value":         {`{"size": 4, "list": ["a", "b"]}`, `{"size": 5, "list": ["b", "a"]}`, `{"size": 4, "list": ["a", "b"]}`},
		"below an object":       {`{"inner": {"size": 4.0, "name": "a"}}`, `{"inner": {"size": 4, "name": "b"}}`, `{"inner": {"size": 4, "name": "a"}}`},
		"unknown":               {`{"name": "??", "inner": "??"}`, `{"name": "a", "inner": {"name": "a"}}`, `{"name": "??", "inner": "??"}`},
	}, rules.Suppress)
}
