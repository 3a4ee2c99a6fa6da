package adopt

import (
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// TestReturnedLeavesGoMissing has leaves that reads have returned and that go missing: once, for good, with
// their object, owned or not. A plan reads at most once more.
func TestReturnedLeavesGoMissing(t *testing.T) {
	type row struct {
		act
		name string // in the state, which nobody manages; "" for null
	}
	eachRow(t, func(row row, t *testing.T) {
		tf := adopted(t, m{"threads": 3, "destination": m{"table": m{"rows": 4}}, "mappings": usual})
		tf.plays(row.act, act{}, act{}) // what was sent because of it, and is still not returned, counts as never returned
		if got := tf.state.At("name"); got.Text() != row.name || got.IsNull() != (row.name == "") {
			t.Errorf("the state has the name %v", got)
		}
	}, map[string]row{
		"once":                   {act{events: events{within(0, 1, 2, omits("threads"))}, sent: "2 GETs"}, "crm"},
		"once, the mappings":     {act{events: events{within(0, 1, 2, omits("mappings"))}, sent: "2 GETs"}, "crm"},
		"one leaf after another": {act{events: events{within(0, 1, 2, omits("name")), within(0, 2, 3, omits("threads"))}, sent: "2 GETs"}, "crm"},
		"for good, and nobody's": {act{events: events{to("", omits("name"))}, sent: "2 GETs"}, ""},
		"for good": {act{events: events{to("", omits("threads"))}, sent: "3 GETs, PATCH threads, GET",
			warnings: []string{"API does not return all values"}}, "crm"},
		"for good, from reads": {act{events: events{to("GET", omits("threads"))}, sent: "3 GETs, PATCH threads"}, "crm"},
	})
}

// TestNeverReturned has platforms that never return some leaves, or only in responses to writes: they are sent once, and
// nothing is read more than otherwise. No plan says anything of it.
func TestNeverReturned(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"", "GET"} {
		tf := adopts(t, m{"name": "n", "columns": []any{"x"}, "destination": m{"table": m{"rows": 1}}})
		tf.events = events{to(method, omits("columns")), to(method, omits("destination.table.rows")), to(method, omits("memory"))}
		tf.wantErrors(tf.apply())
		tf.wantPatches("PATCH columns destination.table.rows name")
		tf.plays(act{}, act{config: m{"name": "new"}, sent: "2 GETs, PATCH name"}, act{sent: "GET"})
		tf.plays(act{config: m{"columns": []any{}, "destination": nil}, sent: "2 GETs, PATCH columns"})
		tf.wantSaid(tf.plan(), nil, nil)
		if has := !tf.state.At("memory").IsNull(); has != (method == "GET") { // which nobody manages
			t.Errorf("%q: the state has the memory: %t", method, has)
		}
	}
}

// TestAdoptionReads has an adoption, which reads once in the plan and twice in the apply, and
// responses that omit a part of the set, once or always: another read follows where that can matter,
// and nothing is added that is there.
func TestAdoptionReads(t *testing.T) {
	const adds = "Creating this resource adds table mappings to " + pipeCRM + ": The pipe already exists. " +
		"These table mappings will be added:\n\n  - \"events\"\n  - \"items\"\n\nTo keep"
	eachRow(t, func(adoption act, t *testing.T) { adopts(t, m{"mappings": usual}).plays(adoption) }, map[string]act{
		"the set, once":                       {events: events{within(0, 1, 2, omits("mappings"))}, sent: "4 GETs"},
		"the set, always: it counts as empty": {events: events{to("GET", omits("mappings"))}, sent: "6 GETs, PATCH +events +items, 10 GETs", warnings: []string{adds, adds}, errors: []string{mayCome}},
		"the set, which nobody manages":       {config: m{"mappings": nil}, events: events{to("GET", omits("mappings"))}, sent: "3 GETs"},
		"the object around it, once":          {events: events{within(0, 1, 2, omits("source.postgres"))}, sent: "4 GETs"},
		"the object around it, always": {events: events{to("GET", omits("source.postgres"))}, sent: "2 GETs",
			errors: []string{"The API did not return source.postgres, so it is not known"}},
		"the names, once, which nobody manages": {config: m{"mappings": nil}, events: events{within(0, 1, 2, omitsNames)}, sent: "4 GETs"},
		"the names, twice": {events: events{within(0, 1, 3, omitsNames)}, sent: "2 GETs",
			errors: []string{"The API returned a table mapping that does not have all of target"}},
	})
}

// TestPrivateStateHasWhatNoReadReturned has what private state remembers of a pipe, and states without it.
func TestPrivateStateHasWhatNoReadReturned(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"threads": 3})
	tf.plays(act{config: m{"credentials": m{"version": "1"}}, sent: "PATCH credentials.version"}) // what no response has is not missing
	if got := string(tf.block.State.Private); got != `{"was_read":true}` {
		t.Errorf("private state %s", got)
	}
	tf.block.State.Private, tf.lacks = nil, []string{"key_secret"} // without a memory, no leaf counts as emptied
	tf.start(tf.config)
	tf.block.Refresh(tf) // which is skipped, so that it does not know more than before
	tf.lacks = nil
	tf.plays(act{events: events{within(0, 1, 99, omits("threads"))}})

	// What goes missing with its object stays a leaf that reads have returned.
	tf = adopted(t, m{"destination": m{"table": m{"rows": 4}}})
	tf.plays(act{events: events{to("", omits("destination"))}, sent: "GET"})
	tf.events = events{to("", omits("destination.table.rows"))}
	if o := tf.plan(); o.Action != terraformtest.Update {
		t.Errorf("the plan is to %s", o.Action)
	}
}

// TestPrivateStateCannotBeRead has a memory that another build has written. A leaf that the platform leaves out, because somebody
// has emptied it or because it never returns it, is drift, once, and the plan says so, with a refresh or without.
func TestPrivateStateCannotBeRead(t *testing.T) {
	t.Parallel()
	const warning = "Private state cannot be read: " + pipeCRM + ": Another version of the provider has written it, or it was edited. " +
		"It says which values the API does not return. Until the next apply, such a value may show as drift, or drift in it may be hidden."
	for _, unreadable := range []string{"{", "{}", "null", `{"x":1}`, `"was_read"`, `{"was_read":"yes","unreturned":{"threads":true}}`} {
		tf := adopted(t, m{"threads": 3})
		tf.block.State.Private = []byte(unreadable)
		tf.wantSaid(tf.block.PlanOnly(tf), nil, []string{warning})
		tf.events = events{to("", omits("threads"))}
		tf.plays(act{sent: "3 GETs, PATCH threads, GET", warnings: []string{warning, "API does not return all values"}}, act{}, act{})
	}
	for _, older := range []string{"", `{"was_read":true,"unconfirmed":["threads"]}`, `{"imported_in":"another","imported":true}`} {
		tf := adopted(t, m{"threads": 3})
		tf.block.State.Private = []byte(older)
		tf.plays(act{}, act{})
	}
}

// TestSetAndEmptied sets a leaf that the platform does not have yet, and the console
// empties it. That is drift once Terraform has stored a read that returned it; until then
// the state keeps what was planned, since a platform that returns a leaf only in responses
// to writes would otherwise cause an endless difference.
func TestSetAndEmptied(t *testing.T) {
	t.Parallel()
	adopts(t, m{"threads": 2}).plays(
		act{console: m{"threads": nil}, sent: "PATCH threads"},
		act{console: m{"threads": nil}},
		act{console: m{"threads": 2}}, // which stores what its refresh has read
		act{console: m{"threads": nil}, sent: "PATCH threads"},
	)
}
