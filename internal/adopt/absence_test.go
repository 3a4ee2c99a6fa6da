package adopt

import (
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// reads is the number of GETs since the last wantPatches.
func (w *toy) reads() int { return len(w.requests) - len(w.patches()) }

// TestReturnedLeavesGoMissing has leaves that reads have returned and that go missing: once, for good, with
// their object, owned or not. A plan reads at most once more.
func TestReturnedLeavesGoMissing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		edit  editing
		reads int
		sent  string
		name  string // in the state, which nobody manages; "" for null
	}{
		"once":                   {within(0, 1, 2, omits("threads")), 2, "", "crm"},
		"once, the mappings":     {within(0, 1, 2, omits(mappingsAt...)), 2, "", "crm"},
		"one leaf after another": {each(within(0, 1, 2, omits("name")), within(0, 2, 3, omits("threads"))), 2, "", "crm"},
		"with its object":        {to("", omits("destination")), 1, "", "crm"},
		"for good, and nobody's": {to("", omits("name")), 2, "", ""},
		"for good":               {to("", omits("threads")), 2, "PATCH threads", "crm"},
		"for good, from reads":   {to("GET", omits("threads")), 2, "PATCH threads", "crm"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tf := adopted(t, m{"threads": 3, "destination": m{"table": m{"rows": 4}}, "mappings": usualMappings})
			tf.edit = test.edit
			o := tf.plan()
			if got := tf.reads(); got != test.reads {
				t.Errorf("the plan reads %d times, want %d", got, test.reads)
			}
			tf.applyPlan(o)
			tf.wantOK(o)
			tf.wantPatches(test.sent)
			tf.plays(act{}, act{}) // what was sent because of it, and is still not returned, counts as never returned
			if got := tf.state.At("name"); got.Text() != test.name || got.IsNull() != (test.name == "") {
				t.Errorf("the state has the name %v", got)
			}
		})
	}
}

// TestNeverReturned has platforms that never return a leaf, or only in responses to
// writes: it is sent once, makes no noise, and a plan reads no more than otherwise.
func TestNeverReturned(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"", "GET"} {
		tf := adopts(t, newToy(), m{"name": "n", "threads": 5, "columns": []any{"x"}, "destination": m{"table": m{"rows": 1}}})
		tf.edit = each(to(method, omits("name")), to(method, omits("threads")), to(method, omits("columns")), to(method, omits("destination", "table", "rows")), to(method, omits("memory")))
		tf.wantOK(tf.apply())
		tf.wantPatches("PATCH columns destination.table.rows name threads")
		for range 2 {
			tf.wantOK(tf.plan())
			tf.wantRequests("GET")
			tf.plays(act{})
		}
		tf.config["threads"] = 6
		tf.wantOK(tf.apply())
		tf.wantPatches("PATCH threads")
		if has := !tf.state.At("memory").IsNull(); has != (method == "GET") { // which nobody manages
			t.Errorf("%q: the state has the memory: %t", method, has)
		}
	}
}

// TestAdoptionReads has an adoption, which reads once in the plan and twice in the apply, and
// responses that omit a part of the set, once or always: another read follows where that can matter,
// and nothing is added that is there.
func TestAdoptionReads(t *testing.T) {
	t.Parallel()
	nameless := func(times int) editing { return within(0, 1, times+1, omitsNames) }
	for name, test := range map[string]struct {
		mappings any // in the configuration
		edit     editing
		sent     string
		error    string
	}{
		"nothing is omitted":                    {usualMappings, to("GET", omits("certificate")), "3 GETs", ""},
		"the set, once":                         {usualMappings, within(0, 1, 2, omits(mappingsAt...)), "4 GETs", ""},
		"the set, always: it counts as empty":   {usualMappings, to("GET", omits(mappingsAt...)), "6 GETs, PATCH +events +items", ""},
		"the set, which nobody manages":         {nil, to("GET", omits(mappingsAt...)), "3 GETs", ""},
		"the object around it, once":            {usualMappings, within(0, 1, 2, omits("source", "postgres")), "4 GETs", ""},
		"the object around it, always":          {usualMappings, to("GET", omits("source", "postgres")), "2 GETs", "The API did not return source.postgres, so it is not known which table mappings the pipe has."},
		"the names, once":                       {usualMappings, nameless(1), "4 GETs", ""},
		"the names, once, which nobody manages": {nil, nameless(1), "4 GETs", ""},
		"the names, twice":                      {usualMappings, nameless(2), "2 GETs", "The API returned a table mapping that does not have all of target"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tf := adopts(t, newToy(), m{"mappings": test.mappings})
			tf.edit = test.edit
			o := tf.apply()
			tf.wantRequests(test.sent)
			if test.error != "" {
				tf.wantErrors(o, test.error)
				return
			}
			tf.wantQuiet(o)
			if unnamed := mappingKey.Unnamed(tf.state.At(mappingsAt...)); len(unnamed) > 0 {
				t.Errorf("the state has the mappings %v", unnamed)
			}
		})
	}
	tf := adopted(t, m{"threads": 3})
	tf.edit = to("GET", omits("threads"))
	tf.fail = func(string) error {
		if tf.reads() == 2 {
			return &platform.Error{Status: 403}
		}
		return nil
	}
	tf.wantErrors(tf.plan(), "Cannot read pipe")
}

// TestPrivateStateHasWhatNoReadReturned has what private state remembers of a pipe, and states without it.
func TestPrivateStateHasWhatNoReadReturned(t *testing.T) {
	t.Parallel()
	const nothing = `{"unreturned":"W10="}`
	tf := adopted(t, m{"threads": 3})
	tf.plays(act{config: m{"credentials": m{"version": "1"}}, sent: "PATCH credentials.version"})
	if got := string(tf.block.State.Private); got != nothing {
		t.Errorf("private state %s", got)
	}
	wantPlan := func(private string, want terraformtest.Action) {
		tf.block.State.Private = []byte(private)
		if o := tf.plan(); o.Action != want {
			t.Errorf("with private state %q, the plan is to %s", private, o.Action)
		}
	}
	wantPlan(nothing, terraformtest.None)                               // what no response has is not missing
	for _, unread := range []string{"", "{", `{"unreturned":"e30="}`} { // which is ignored
		wantPlan(unread, terraformtest.None)
	}
	tf.edit = within(0, 1, 2, omits("threads"))
	wantPlan("", terraformtest.None) // without a memory, no leaf counts as emptied

	// What goes missing with its object stays a leaf that reads have returned.
	tf = adopted(t, m{"destination": m{"table": m{"rows": 4}}})
	tf.edit = to("", omits("destination"))
	tf.plays(act{})
	tf.edit = to("", omits("destination", "table", "rows"))
	wantPlan(nothing, terraformtest.Update)
}

// TestSetAndEmptied sets a leaf that the platform does not have yet, and the console
// empties it. That is drift once Terraform has stored a read that returned it; until then
// the state keeps what was planned, since a platform that returns a leaf only in responses
// to writes would otherwise cause an endless difference.
func TestSetAndEmptied(t *testing.T) {
	t.Parallel()
	w := newToy()
	w.change(firstPipe, nil, "threads")
	tf := adopts(t, w, m{"threads": 2})
	tf.wantOK(tf.apply())
	tf.wantPatches("PATCH threads")
	tf.plays(
		act{console: m{"threads": nil}},
		act{console: m{"threads": 2}}, // which stores what its refresh has read
		act{console: m{"threads": nil}, sent: "PATCH threads"},
	)
}

// TestResponseOmitsALeaf has a response to a PATCH that omits one leaf, managed or not: one
// more read has it, even if it omits what the response has.
func TestResponseOmitsALeaf(t *testing.T) {
	t.Parallel()
	for omitted, byRead := range map[string]string{"name": "", "memory": "", "source.postgres.table_mappings": "", "source.postgres": "", "source": "", "certificate": "name"} {
		test := scene{config: m{"mappings": nil}, edit: to("PATCH", omits(strings.Split(omitted, ".")...)), sent: "GET, PATCH name, GET"}
		if byRead != "" {
			test.edit = each(test.edit, within(1, 1, 2, omits(byRead)))
		}
		t.Run(omitted, test.play)
	}
}
