package adopt

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestMemberThatNoElementHas has responses that have a member for no mapping at all: they say nothing of it, nor of that
// of a mapping whose addition is lost. Where one mapping has it, the others have the empty value.
func TestMemberThatNoElementHas(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"mappings": usual})
	tf.events = events{to("", lacks("sorted")), lost(2, 0)}
	for _, one := range []string{"events sorted without phone", "events without phone", "events sorted without phone"} {
		tf.config["mappings"], tf.requests = one+", items", nil
		o := tf.apply()
		tf.wantSent("2 GETs, PATCH -events, GET, PATCH +events, GET") // no response leaves a doubt
		tf.wantQuiet(o)
	}
	tf.events = events{to("", lacks("sorted", "events"))}
	if o := tf.plan(); o.Action != terraformtest.Update {
		t.Errorf("the plan is to %s", o.Action)
	}
}

// TestAcceptedAndNotReturned has a value that the platform accepts and does not return while another
// one is off: a warning each time it is sent, and never an error. Otherwise it counts as never
// returned, until it is returned again.
func TestAcceptedAndNotReturned(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"threads": 3, "name": "crm"})
	tf.events = events{to("", func(pipe tfvalue.Value) tfvalue.Value {
		if pipe.At("name").Text() == "off" {
			return pipe.Without("threads")
		}
		return pipe
	})}
	const is = "API does not return all values of pipe "
	tf.plays(
		act{config: m{"name": "off"}, sent: "PATCH name", warnings: []string{"- threads: was 3, is now not set"}, drifts: true},
		act{sent: "PATCH threads", warnings: []string{is + `"off" (` + firstPipe + ")"}},
		act{config: m{"columns": []any{"c"}}, sent: "PATCH columns threads"},
		act{config: m{"threads": 6}, sent: "PATCH threads", warnings: []string{is + `"off"`}},
		act{config: m{"name": "on"}, sent: "PATCH name threads"},
		act{console: m{"threads": 1}, sent: "PATCH threads"},
	)
	if said := tf.plan().Warnings; len(said) > 0 {
		t.Errorf("what is returned again, the plan tells: %q", said)
	}
}

// TestResetLeavesAreCarried has a platform that resets what a PATCH omits: the next plan shows what is managed of it, and
// from then on each PATCH carries it. So it is quiet after two plans. What nobody manages is carried by none.
func TestResetLeavesAreCarried(t *testing.T) {
	eachRow(t, func(shown events, t *testing.T) {
		tf := adopted(t, m{"name": "crm", "threads": 3, "columns": []any{"a", "b"}})
		tf.resets, tf.events = true, shown
		tf.plays(
			act{config: m{"threads": 4}, sent: "PATCH threads", drifts: true, warnings: []string{
				"- certificate: was \"c\", is now \"\"\n  - columns: was [\"a\", \"b\"], is now []\n" +
					"  - destination.table.rows: was 4, is now 0\n  - name: was \"crm\", is now \"\""}},
			act{sent: "PATCH columns name", warnings: []string{"- threads: was 4, is now 0"}, drifts: true},
			act{sent: "PATCH columns name threads"},
			act{config: m{"name": "new"}, sent: "PATCH columns name threads"},
			act{config: m{"credentials": m{"version": "1"}}, sent: "PATCH columns credentials.version name threads"},
			act{config: m{"mappings": changed}, sent: "PATCH columns name threads -events, PATCH columns name threads +events"},
			act{console: m{"columns": []any{"ne\u0301", "b"}}, config: m{"columns": []any{"n\u00e9", "b"}, "threads": 7}, sent: "PATCH name threads",
				events: append(shown[:len(shown):len(shown)], stores(0, keeps("items", "mappings"))), warnings: []string{"\"b\"], is now []"}, drifts: true},
		)
		if got := string(tf.block.State.Private); !strings.Contains(got, `"reset":["certificate","columns","destination.table.rows","name","threads"]`) {
			t.Errorf("private state %s", got)
		}
	}, map[string]events{"of a response": nil, "of no response": {none}, "of a response of the past": {past}})
}

// TestCarriedLeaves has a pipe of which an update has once reset the threads: a PATCH carries them as they are by then, as
// it does the columns that a certificate needs.
func TestCarriedLeaves(t *testing.T) {
	const moved = "- threads: was 3, is now 9"
	eachRow(t, scene.play, map[string]scene{
		"as the platform has them": {reset: true, events: events{before(0, 1, 9, "threads")}, sent: "GET, PATCH name threads", differs: true},
		"after an attempt that failed, from a new read": {reset: true, events: events{before(1, 0, 9, "threads"), busy(1)},
			sent: "GET, PATCH name threads, GET, PATCH name threads, GET", differs: true, warnings: []string{moved}},
		"after a wait in the queue, from a new read": {reset: true, events: events{before(1, 0, 9, "threads"), queues(0, 1, 11*time.Second)},
			sent: "2 GETs, PATCH name threads", took: 11 * time.Second},
		"after a 429, from a new read": {reset: true, events: events{limited(1)}, sent: "GET, PATCH name threads, GET, PATCH name threads"},
		"as they were sent, while reads show them so": {reset: true, config: m{"threads": 5}, mappings: changed,
			events: events{stores(2, keeps(9, "threads"))}, sent: "GET, PATCH threads, GET, PATCH threads -events, GET, PATCH +events, GET",
			differs: true, warnings: []string{"- threads: was 5, is now 9"}},
		"which change between the steps": {reset: true, mappings: changed, events: events{stores(1, keeps(9, "threads"))},
			sent: "GET, PATCH threads -events, GET, PATCH threads +events, GET", differs: true, warnings: []string{moved}},
		"of a pipe of another kind, after a wait in the queue": {reset: true, config: m{"mappings": nil},
			events: events{to("", omits("source.postgres")), queues(0, 1, 11*time.Second)}, sent: "2 GETs, PATCH name threads", took: 11 * time.Second},
		"after a wait in the queue, and no new read succeeds": {reset: true,
			events: events{queues(0, 1, 11*time.Second), {with: between(0, 2, 99), fails: &platform.Error{Status: http.StatusForbidden}}}, sent: "2 GETs",
			took: 11 * time.Second, errors: []string{"Cannot update pipe: Tried to "}},
		"one of a kind, neither beside other leaves nor beside mappings": {reset: true, config: m{"name": "new", "destination": m{"table": m{"rows": 4}}},
			mappings: changed, sent: "GET, PATCH name threads, GET, PATCH threads -events, GET, PATCH threads +events, GET"},
		"one of a kind, beside another of the kind": {reset: true, config: m{"destination": m{"table": m{"rows": 4, "limit": 8}}},
			sent: "GET, PATCH destination.table.limit destination.table.rows name threads"},
		"a rejection names them": {reset: true, events: events{fails(1, never, platform.Error{Status: 400})}, sent: "GET, PATCH name threads",
			errors: []string{"HTTP 400 Bad Request with an empty body.\n\nThe request also had threads, with the values of the last read, because "}},
		"what a leaf needs":                     {config: m{"name": "crm", "certificate": "new"}, sent: "GET, PATCH certificate columns"},
		"what a leaf needs, and nobody manages": {config: m{"name": "crm", "columns": nil, "certificate": "new"}, sent: "GET, PATCH certificate"},
	})
}

// TestInterruptBetweenRemovalAndAddition has a user who interrupts the apply while the removal is under way: waits end,
// nothing new is sent, but for the addition.
func TestInterruptBetweenRemovalAndAddition(t *testing.T) {
	eachRow(t, scene.play, map[string]scene{
		"the addition follows, and a read": {mappings: changed, events: events{interrupts(1, 0)}, sent: swaps + ", GET"},
		"the removal is late by less than a request may take": {mappings: changed, events: events{{lag: 3 * time.Second}, interrupts(1, 0)},
			sent: removes + ", 4 GETs, PATCH +events, GET", took: 3500 * time.Millisecond, errors: []string{"reads for 0s did not return"}},
		"the removal is not there in the time of a request": {mappings: changed, events: events{interrupts(1, 0), stores(0, keeps(usual, "mappings"))},
			sent: removes + ", 6 GETs", took: 10 * time.Second, errors: []string{"reads for 10s did not return"}},
		"what nothing waits for is not removed any more": {mappings: "events without phone", events: events{interrupts(2, 0)}, sent: swaps + ", GET",
			errors: []string{notDone}},
		"nothing was removed": {events: events{interrupts(0, 1)}, sent: "GET", errors: []string{"Interrupted before it was sent"}},
	})
}

// TestMovedByTheChange has leaves that the platform derives from another one, which is no warning, and leaves that it
// changes beside.
func TestMovedByTheChange(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "crm", "threads": 3})
	tf.block.IgnoreChanges = []cty.Path{cty.GetAttrPath("columns")}
	tf.plays(
		act{config: m{"threads": 4}, events: events{stores(0, keeps(99, "memory"))}, sent: "PATCH threads"}, // with which the memory changes
		act{config: m{"name": "newer"}, events: events{stores(0, keeps(9, "memory"))}, sent: "PATCH name", warnings: []string{"- memory: was 99, is now 9"}},
		act{config: m{"name": "newest"}, events: events{stores(0, keeps(1, "memory")), stores(0, keeps([]any{"d"}, "columns"))}, sent: "PATCH name",
			warnings: []string{"- columns: was [\"a\", \"b\"], is now [\"d\"]\n  - memory: was 9, is now 1"}},
		act{config: m{"name": "again", "columns": []any{"c"}}, events: events{stores(0, keeps([]any{}, "columns"))}, sent: "PATCH name",
			warnings: []string{"- columns: was [\"d\"], is now []"}},
	)
}

// TestSentIsAwaited has platforms whose responses are of the past, that reach a value in steps, or
// that accept a change and never show it. Each row is a rule of the wait.
func TestSentIsAwaited(t *testing.T) {
	const lag, read = 3 * time.Second, 3500 * time.Millisecond // the read that no longer lags
	eachRow(t, scene.play, map[string]scene{
		"a leaf that comes in steps is read until it is there": {config: m{"name": "crm", "threads": 6},
			events: events{within(1, 0, 2, keeps(4, "threads")), within(1, 2, 4, keeps(5, "threads"))}, sent: "GET, PATCH threads, 4 GETs", took: read},
		"a mapping whose members come late is read until it has them": {config: m{"name": "crm"}, mappings: shared,
			events: events{within(1, 0, 4, lacks("source_table", "users"))}, sent: "GET, PATCH +users, 4 GETs", took: read},
		"mappings wait for the leaves, which are sent once": {config: m{"name": "new"}, mappings: renamed, events: events{stores(0, keeps("crm", "name"))},
			sent: "GET, PATCH name, 10 GETs", took: maxWait,
			errors: []string{`name was sent and accepted, but the API still returned the value from before, "crm", in reads for 30s. `}},
		"a leaf that becomes another one, while somebody uncovers a column": {config: m{"name": "crm", "threads": 5},
			events: events{stores(0, keeps(7, "threads")), before(1, 0, "events sorted, items", "mappings")},
			sent:   "GET, PATCH threads, 10 GETs", took: maxWait, warnings: []string{`"events", excluded_columns: was ["né"], is now []`},
			errors: []string{"threads was sent and accepted, but the API returned another value, 7, in reads for 30s. Nothing more was sent. " + advice[0]}},
		"a removal that is never there has removed nothing": {mappings: changed, events: events{stores(0, keeps(usual, "mappings"))}, sent: removes + ", 10 GETs",
			took: maxWait, errors: []string{isThere + accepted + mayCome}},
		"an addition that becomes another one exposes columns": {mappings: changed, events: events{stores(2, keeps("events, items", "mappings"))},
			sent: swaps + ", 10 GETs", took: maxWait,
			errors: []string{isGone[:len(isGone)-7] + "excluded_columns = [], sorted = false, source_table = \"events\"; may be copied now: n\u00e9, phone\n\nTo prevent"}},
		"an addition in another letter case is named": {mappings: more, events: events{stores(0, keeps(usual+", Users", "mappings"))},
			sent: "GET, PATCH +users, 10 GETs", took: maxWait, errors: []string{"\"Users\": was missing; should be missing; is excluded_columns = []"}},
		"an addition to a set that is omitted once it is empty is waited for": {mappings: bothChanged, events: events{{lag: lag}, to("", omitsEmptyMappings)},
			sent: "GET, PATCH -events -items, 5 GETs, PATCH +events +items, 4 GETs", took: 2 * read},
		"a read during the wait fails: another one follows": {mappings: changed, events: events{{lag: lag}, forbidsRead(1, 2)},
			sent: removes + ", 4 GETs, PATCH +events, 4 GETs", took: 2 * read},
		"all reads during the wait fail: what may be removed is in the list": {mappings: changed, events: events{past, forbidsReads(1)},
			sent: removes + ", 10 GETs", took: maxWait, errors: []string{notKnown + accepted + "Tried to   at . The API returned HTTP 403 Forbidden with an empty body.\n\n" + mayCome}},
		"somebody adds the removed mapping again: it is there": {mappings: renamed,
			events: events{past, before(2, 1, "users from events, "+usual, "mappings"), forbidsRead(2, 2)},
			sent:   removes + ", GET, PATCH +users, 10 GETs", took: maxWait, errors: []string{wasEvents + "missing; is excluded_columns"}},
		"a read during the wait for a leaf fails: another one follows": {
			events: events{{lag: lag}, {with: at(1, 2), fails: &platform.Error{Status: http.StatusBadGateway}}}, sent: "GET, PATCH name, 4 GETs", took: read},
		"a read during the wait for a leaf is rejected: another one would be, too": {events: events{{lag: lag}, forbidsRead(1, 2)},
			sent: "GET, PATCH name, 2 GETs", took: firstPause, errors: []string{unread}},
	})
}

// TestUnknownOutcome has PATCHes whose response is lost: carried out, or not, or later. Each row is a
// rule of what follows.
func TestUnknownOutcome(t *testing.T) {
	const (
		again = "the next apply sends them again:\n\n  - "
	)
	unreadable := platform.Error{Status: http.StatusOK, Ambiguous: true}
	eachRow(t, scene.play, map[string]scene{
		"leaves are sent again at once": {plain: true, events: events{lost(1, never)}, sent: "GET, PATCH name, PATCH name"},
		"credentials are sent again at once, which a warning names": {config: m{"name": "crm", "credentials": m{"version": "1"}}, events: events{lost(1, never)},
			sent: "GET, PATCH credentials.version, PATCH credentials.version", warnings: []string{"An earlier request may still change " + pipeCRM}},
		"leaves whose response cannot be read, and that are not there": {events: events{fails(1, never, unreadable)}, sent: "GET, PATCH name, 10 GETs",
			took: maxWait, errors: []string{again + "name"}},
		"a leaf whose response cannot be read is read": {events: events{fails(1, 0, unreadable)}, sent: "GET, PATCH name, GET"},
		"credentials whose response cannot be read have not arrived": {config: m{"name": "crm", "credentials": m{"version": "1"}},
			events: events{fails(1, 0, unreadable)}, sent: "GET, PATCH credentials.version, GET", differs: true, errors: []string{again + "credentials.version"}},
		"a leaf that has changed meanwhile is not put back": {config: m{"threads": 3}, mappings: changed, events: events{before(1, 0, 9, "threads"), lost(1, 0)},
			sent: removes + ", GET, PATCH +events, GET", differs: true, warnings: []string{"- threads: was 3, is now 9"}},
		"a removal that is carried out after 14 s is not sent again": {mappings: changed, events: events{lost(1, 14*time.Second)},
			sent: removes + ", 7 GETs, PATCH +events, GET", took: 17500 * time.Millisecond},
		"a removal of two mappings that is carried out one by one": {mappings: bothChanged, events: events{lost(1, 0), within(1, 1, 3, keeps("items", "mappings"))},
			sent: "GET, PATCH -events -items, 3 GETs, PATCH +events +items, GET", took: 3 * firstPause},
		"a removal of two mappings, of which somebody changes one meanwhile: what replaces the other one is added": {mappings: bothChanged,
			events: events{fails(1, never, platform.Error{Status: 504, Ambiguous: true}), before(1, 1, "items without x", "mappings")},
			sent:   "GET, PATCH -events -items, 10 GETs, PATCH +events, GET", took: maxWait,
			errors: []string{notDone + ": These are not as they should be. A table mapping that was removed replicates nothing until an apply adds it again:\n\n  - " + wasItems[:len(wasItems)-3] + "others excluded x meanwhile; is excluded_columns = [\"x\"]"}},
		"an addition that is lost, and an interrupt: it is not sent again": {mappings: changed, events: events{interrupts(2, 0), lost(2, never)},
			sent: swaps + ", GET", errors: []string{isGone}},
		"later reads after it fail: what it removes is in the list": {mappings: changed,
			events: events{lost(1, never), {with: between(1, 2, 99), fails: &platform.Error{Status: http.StatusForbidden}}}, sent: removes + ", 10 GETs",
			took: maxWait, errors: []string{isThere + wasLost + "Tried to   at . The API returned HTTP 403 Forbidden with an empty body.\n\n" + mayCome}},
		"reads that are older than that, and responses to PATCHes that are new: these are not believed": {mappings: changed,
			events: events{{with: func(w *toy) bool { return w.lastReads() > 0 }, lag: 40 * time.Second}},
			sent:   removes + ", 10 GETs", took: maxWait, errors: []string{isThere + accepted + mayCome}},
		"a removal that is carried out after 40 s: the update has stopped": {mappings: changed, events: events{lost(1, 40*time.Second)},
			sent: removes + ", 10 GETs", took: maxWait, errors: []string{isThere + wasLost + mayCome}},
		"leaves whose PATCH has failed for good are not read": {events: events{fails(1, 0, platform.Error{Status: 500, Ambiguous: true})},
			sent: "GET, PATCH name", errors: []string{"Cannot update pipe"}},
		"an addition that is not carried out for 30 s is sent once more, and not a third time": {mappings: changed, events: events{lost(2, never), lost(3, never)},
			sent: swaps + ", 10 GETs, PATCH +events, 10 GETs", took: 2 * maxWait, warnings: []string{"An earlier request may still change "},
			errors: []string{isGone}},
		"an addition is not sent again if the provider does not retry": {once: true, mappings: changed, events: events{lost(2, never)}, sent: swaps + ", 10 GETs",
			took: maxWait, errors: []string{isGone}},
		"a column that somebody excludes before a late removal takes the mapping: nothing is added in its place": {mappings: changed,
			events: events{lost(1, 14*time.Second), before(1, 2, "events sorted without n\u00e9 w, items", "mappings"), before(1, 4, "events sorted without n\u00e9 w x, items", "mappings")},
			sent:   removes + ", 8 GETs", took: 17500 * time.Millisecond, errors: []string{"others excluded w, x meanwhile; is missing\n\nOthers have excluded columns since the removal was sent"}},
		"the same, and the mapping gets another target": {mappings: renamed,
			events: events{lost(1, 14*time.Second), before(1, 2, "events sorted without n\u00e9 x, items", "mappings")},
			sent:   removes + ", 8 GETs", took: 17500 * time.Millisecond, errors: []string{"\"events\": was excluded_columns = [\"n\u00e9\"], sorted = true, source_table = \"events\"; should be missing; others excluded x meanwhile; is missing"}},
		"a mapping whose columns reads omit until a late removal takes it: its addition follows": {mappings: changed,
			events: events{lost(1, 2*time.Second), within(1, 1, 4, lacks("excluded_columns", "events"))}, sent: removes + ", 5 GETs, PATCH +events, GET",
			took: 3500 * time.Millisecond},
		"credentials beside an addition that is sent once more are named with it": {config: m{"name": "crm", "credentials": m{"user": "u"}}, mappings: changed,
			events: events{lost(3, never)}, sent: "GET, PATCH credentials.user, GET, PATCH -events, GET, PATCH +events, 10 GETs, PATCH +events, GET", took: maxWait,
			warnings: []string{"may undo that:\n\n  - \"events\"\n  - the credentials"}},
		"an addition that is there otherwise may still come": {mappings: changed,
			events: events{before(2, 0, "events sorted, items", "mappings"), lost(2, never)}, sent: swaps + ", 10 GETs", took: maxWait,
			errors: []string{"may be copied now: n\u00e9, phone\n\nTo prevent"}},
		"another one of the source of an addition": {mappings: renamed,
			events: events{before(2, 0, "items, events", "mappings"), lost(2, never)}, sent: removes + ", GET, PATCH +users, 10 GETs", took: maxWait,
			errors: []string{"may be copied now: n\u00e9\n  - \"users\": was missing; should be excluded_columns = [], sorted = false, source_table = \"events\"; is missing"}},
		"an addition that is there in another Unicode form": {mappings: "events without t\u00e9l, items",
			events: events{before(2, 0, "events without te\u0301l, items", "mappings"), lost(2, never)}, sent: swaps + ", GET"},
		"leaves that are lost are sent again, and then the mappings": {config: m{"threads": 5}, mappings: changed,
			events: events{lost(1, never)}, sent: "GET, PATCH threads, PATCH threads, GET, PATCH -events, GET, PATCH +events, GET"},
		"credentials that have not arrived: nothing of the mappings is sent": {
			config: m{"credentials": m{"version": "1"}}, mappings: changed, events: events{fails(1, 0, unreadable)},
			sent: "GET, PATCH credentials.version, GET", errors: []string{"again:\n\n  - credentials.version"}},
		"an interrupt while leaves are sent: nothing of the mappings is sent": {config: m{"credentials": m{"version": "1"}}, mappings: changed,
			events: events{interrupts(1, 0)}, sent: "GET, PATCH credentials.version, GET", differs: true, errors: []string{"Interrupted before it was sent"}},
		"leaves that had changed since the plan, and that are not there: nothing is set": {events: events{before(0, 1, "moved", "name"), fails(1, never, unreadable)},
			sent: "GET, PATCH name, 10 GETs", took: maxWait, errors: []string{again + "name"}},
		"no read after it has the mappings": {mappings: changed,
			events: events{lost(1, never), within(1, 0, 99, omits("mappings")), within(1, 0, 99, keeps(9, "threads"))}, sent: removes + ", 11 GETs", took: maxWait,
			warnings: []string{"- threads: was 3, is now 9"},
			errors:   []string{notKnown + wasLost + "The API did not return source.postgres.table_mappings, so it is not known which table mappings the pipe has.\n\n" + mayCome}},
		"a removal of all mappings, which are omitted once there are none": {config: m{"mappings": ""}, events: events{to("", omitsEmptyMappings), lost(1, 0)},
			sent: "GET, PATCH name, PATCH name, GET, PATCH -events -items, 2 GETs"},
	})
}

// TestAdditionToAnOmittedSet has platforms that omit the mappings of a pipe that has none. If they return those of others, a
// read without them shows that an addition was not carried out. If they never return any, it shows that, too.
func TestAdditionToAnOmittedSet(t *testing.T) {
	t.Parallel()
	tf := adopts(t, m{"mappings": ""})
	tf.change(firstPipe, "", "mappings")
	tf.events = events{to("", omitsEmptyMappings), lost(1, never)}
	tf.plays(act{}, act{config: m{"mappings": "items"}, sent: "PATCH +items, PATCH +items", warnings: []string{"An earlier request may still change " + pipeCRM}})
	tf = adopts(t, m{"mappings": ""})
	tf.change(firstPipe, "", "mappings")
	tf.events = events{to("", omits("mappings"))}
	tf.plays(
		act{},
		act{config: m{"mappings": "items"}, sent: "PATCH +items", errors: []string{"is missing\n\n" + accepted + mayCome}},
	)
}

// TestRejectedHalfWay has a platform that removes one of two mappings and then rejects the PATCH: one
// read shows what is gone.
func TestRejectedHalfWay(t *testing.T) {
	const sent = "GET, PATCH -events -items, GET, PATCH +events, GET"
	half := func(status int, more ...event) events {
		return append(more, stores(1, keeps("items", "mappings")), fails(1, 0, platform.Error{Status: status, Message: "no items"}))
	}
	rejected := func(patch, status int) events { return events{fails(patch, never, platform.Error{Status: status})} }
	change := m{"name": "crm", "mappings": bothChanged}
	eachRow(t, scene.play, map[string]scene{
		"what the read lacks is in the list": {config: change, events: half(400), sent: sent,
			errors: []string{"no items.\n\nThe request removes every table mapping of the pipe. The platform may require that one stays: " + advice[1]}},
		"later, while the PATCH waits for its turn after a 423": {config: change,
			events: append(half(423, queues(1, 1, 11*time.Second)), event{with: at(1, 0), before: func(w *toy) { w.doneIn = time.Second }}),
			sent:   "GET, PATCH -events -items, 12 GETs, PATCH +events, GET", took: 41 * time.Second, errors: []string{wasItems}},
		"before an attempt after a 423, too, and all reads fail": {mappings: changed,
			events: events{stores(1, keeps("items", "mappings")), fails(1, 0, platform.Error{Status: 423}), forbidsReads(1)},
			sent:   removes + ", 11 GETs", took: maxWait, errors: []string{wasEvents + isEvents + "not known"}},
		"it is there, and excludes less": {mappings: changed,
			events: events{stores(1, keeps("events sorted, items", "mappings")), fails(1, 0, platform.Error{Status: 422})},
			sent:   removes + ", GET", errors: []string{"may be copied now: n\u00e9, phone\n\nTo prevent"}},
		"one of two is never removed: what replaces the other one is added": {mappings: bothChanged, events: events{stores(1, keeps("items", "mappings"))},
			sent: "GET, PATCH -events -items, 10 GETs, PATCH +events, GET", took: maxWait, errors: []string{wasItems}},
		"the second is rejected: the third is not sent, and nothing twice": {config: m{"name": "crm"}, mappings: "events without phone",
			events: rejected(2, 400), sent: removes + ", GET, PATCH +events, GET", errors: []string{isGone + "\n  - \"items\": was "}},
		"the second is rejected because of a new table: what replaces a mapping is added alone": {config: m{"name": "crm"}, mappings: changed + ", users",
			events: rejected(2, 400), sent: removes + ", GET, PATCH +events +users, GET, PATCH +events, GET",
			errors: []string{"  - \"users\": was missing; should be excluded_columns = [], sorted = false, source_table = \"users\"; is missing\n\nTried"}},
		"the second is lost: it is sent once more, which a warning names, and the third follows": {config: m{"name": "crm"}, mappings: "events without phone",
			events: events{lost(2, never)}, sent: swaps + ", 10 GETs, PATCH +events, GET, PATCH -items, GET", took: maxWait,
			warnings: []string{"An earlier request may still change " + pipeCRM}},
		"the third is lost: it is not sent again": {config: m{"name": "crm"}, mappings: "events without phone", events: events{lost(3, never)},
			sent: swaps + ", GET, PATCH -items, 10 GETs", took: maxWait,
			errors: []string{notDone + ": These are not as they should be. A table mapping that was removed replicates nothing until an apply adds it again:\n\n  - \"items\": was "}},
		"the third does not remove what the platform adds itself: all else is done": {config: m{"name": "crm"}, mappings: "events without phone",
			events: events{stores(3, keeps(changed, "mappings"))}, sent: swaps + ", GET, PATCH -items, 10 GETs", took: maxWait, errors: []string{"\"items\": was "}},
		"the read omits what somebody has uncovered meanwhile: another one follows": {mappings: changed,
			events: events{before(1, 0, "events sorted, items", "mappings"), fails(1, never, platform.Error{Status: 400}), within(1, 1, 99, lacks("excluded_columns", "events"))},
			sent:   removes + ", 2 GETs", errors: []string{"is excluded_columns = [], sorted = true, source_table = \"events\"; may be copied now"}},
		"the reads fail: all that the PATCH removes": {config: change, events: half(422, forbidsReads(1)), sent: "GET, PATCH -events -items, GET",
			errors: []string{"not known\n  - " + wasItems + "not known"}},
		"a 429 does nothing, and no read succeeds after it: no list": {mappings: changed,
			events: append(rejected(1, 429), forbidsReads(1)), sent: removes + ", 10 GETs", took: maxWait,
			errors: []string{"so nothing more was sent.\n\nTried to   at . The API returned HTTP 429 Too Many Requests"}},
		"missing permission does nothing: no read": {config: change, events: rejected(1, 403), sent: "GET, PATCH -events -items", errors: []string{"HTTP 403"}},
		"a leaf of a kind without mappings has changed since the plan, and is rejected": {plain: true,
			events: append(rejected(1, 400), before(0, 1, "moved", "name")), sent: "GET, PATCH name", errors: []string{"HTTP 400"}},
		"a 400 to the removal of one, of nothing: no list": {mappings: changed, events: rejected(1, 400), sent: removes + ", GET", errors: []string{"HTTP 400 Bad Request with an empty body.\n\nIf the pipe has to be paused for this, "}},
		"to the leaves: nothing of the mappings is sent":   {config: m{"name": "new"}, mappings: changed, events: rejected(1, 400), sent: "GET, PATCH name", errors: []string{"HTTP 400"}},
		"the second is rejected half way: the rest of what is removed is added": {config: change,
			events: events{stores(2, keeps("items without phone", "mappings")), fails(2, 0, platform.Error{Status: 422})},
			sent:   "GET, PATCH -events -items, GET, PATCH +events +items, GET, PATCH +events, GET"},
	})
}

// TestChangesByOthersStayAndAreNamed has an update that is not alone: a colleague changes the pipe before a request, or
// while one waits. Nothing is put back that a colleague may have changed, and each change is named.
func TestChangesByOthersStayAndAreNamed(t *testing.T) {
	const (
		left     = "They were left as they are, and the next plan shows those that the configuration sets:\n\n  - "
		mappings = "source.postgres.table_mappings, "
	)
	eachRow(t, scene.play, map[string]scene{
		"a leaf that only the response has otherwise has not changed": {config: m{"threads": 3}, events: events{to("PATCH name", keeps(0, "threads"))},
			sent: "GET, PATCH name, GET"},
		"another mapping changes while a PATCH waits: it is left alone": {mappings: changed,
			events: events{before(1, 0, "events sorted without n\u00e9, items without x", "mappings"), busy(1)},
			sent:   removes + ", GET, PATCH -events, GET, PATCH +events, GET", differs: true,
			warnings: []string{left + mappings + `"items", excluded_columns: was [], is now ["x"]`}},
		"the mapping is as it is wanted by then: nothing more is sent": {mappings: "items", events: events{before(1, 0, "items", "mappings"), busy(1)},
			sent: removes + ", GET"},
		"a column is excluded in it by then: nothing was removed, and nothing exposed": {mappings: changed,
			events: events{before(1, 0, "events sorted without n\u00e9 x, items", "mappings"), fails(1, never, platform.Error{Status: 423})},
			sent:   removes + ", 11 GETs", took: maxWait, errors: []string{wasEvents}},
		"the mapping is removed by then, and its addition is rejected: it is in the list": {config: m{"name": "crm"}, mappings: changed,
			events: events{before(1, 0, "items", "mappings"), busy(1), fails(2, never, platform.Error{Status: 422})},
			sent:   "GET, PATCH -events, GET, PATCH +events, GET", errors: []string{isGone}},
		"one to the target of what is added later comes while the removal waits: nothing more is sent": {mappings: renamed,
			events: events{before(1, 0, usual+", users from shop", "mappings"), busy(1)},
			sent:   removes + ", GET", errors: []string{"\"users\": was missing; "}},
		"in another Unicode form, it cannot be sent": {mappings: changed,
			events: events{before(1, 0, "events sorted without ne\u0301, items", "mappings"), busy(1)}, sent: removes + ", GET",
			errors: []string{isGone[:len(isGone)-7] + "excluded_columns = [\"n"}},
		"another one of its table is added between the two PATCHes: nothing is added beside it": {mappings: changed,
			events: events{before(1, 1, "items, clone from events without iban", "mappings")}, sent: removes + ", 10 GETs", took: maxWait,
			errors: []string{"\"clone\": was missing; should be missing; others excluded iban meanwhile; is excluded_columns = [\"iban\"], sorted = false, source_table = \"events\"\n  - " +
				isGone + "\n\nOthers have excluded columns since the removal was sent"}},
		"what the second PATCH adds is there: it is not sent": {mappings: renamed, events: events{stores(1, keeps(renamed, "mappings"))}, sent: removes + ", 2 GETs"},
		"a read that is older than the first PATCH is no conflict": {mappings: changed, events: events{{with: between(2, 1, 99), lag: 3 * time.Second}, busy(2)},
			sent: swaps + ", 4 GETs, PATCH +events, GET", took: 3500 * time.Millisecond},
		"after a long time in the queue, a new read decides, and a leaf that changed stays": {config: m{"threads": 3}, mappings: changed,
			events: events{before(0, 2, 9, "threads"), queues(0, 1, 11*time.Second)}, sent: "2 GETs, PATCH -events, GET, PATCH +events, GET",
			took: 11 * time.Second, differs: true, warnings: []string{left + "threads: was 3, is now 9"}},
		"somebody excludes a column while the PATCH waits for a limit: nothing more is sent": {mappings: changed,
			events: events{before(1, 0, "events sorted without n\u00e9 x, items", "mappings"), limited(1)}, sent: removes + ", GET",
			errors: []string{isGone[:len(isGone)-7] + "excluded_columns = [\"n\u00e9\", \"x\"]"}},
		"a limit of one request a second: the read after the first 429 counts for the next attempts": {mappings: changed,
			events: events{limited(1), limited(2), limited(3)}, sent: removes + ", GET, PATCH -events, PATCH -events, PATCH -events, GET, PATCH +events, GET"},
		"a limit before the addition, too, within 10 s": {mappings: changed, events: events{limited(1), limited(3)},
			sent: removes + ", GET, PATCH -events, GET, PATCH +events, PATCH +events, GET"},
		"a mapping that goes with the PATCH of another is not added again": {mappings: changed, events: events{stores(1, keeps("", "mappings"))},
			sent: swaps + ", GET", differs: true, warnings: []string{left + mappings + `"items": was there, is now missing`}},
		"all elements go with a PATCH of a leaf, which omits them then": {events: events{stores(1, keeps("", "mappings")), to("", omitsEmptyMappings)},
			sent: "GET, PATCH name, GET", differs: true,
			warnings: []string{"\"events\": was there, is now missing\n  - " + mappings + `"items": was there, is now missing`}},
		"one more mapping is no change": {events: events{stores(0, keeps(more, "mappings"))}, sent: "GET, PATCH name", differs: true},
		"a leaf that a PATCH of mappings resets stays": {config: m{"name": "new"}, mappings: changed, events: events{stores(3, keeps("", "name"))},
			sent: "GET, PATCH name, GET, PATCH -events, GET, PATCH +events, GET", differs: true, warnings: []string{`- name: was "new", is now ""`}},
	})
}

// TestResponsesOmitTheSetOrALeaf has responses that omit the set, or a leaf.
func TestResponsesOmitTheSetOrALeaf(t *testing.T) {
	eachRow(t, scene.play, map[string]scene{
		"a leaf that only reads after a PATCH of mappings have is returned": {config: m{"name": "new"}, mappings: changed, events: events{within(1, 0, 99, omits("name"))},
			sent: "GET, PATCH name, GET, PATCH -events, GET, PATCH +events, GET"},
		"some reads do not have the names: others follow": {mappings: changed, events: events{within(1, 0, 2, omitsNames), within(2, 0, 2, omitsNames)},
			sent: removes + ", 2 GETs, PATCH +events, 2 GETs"},
		"no read before the PATCH shows the set: what somebody removes until it is read stays removed": {mappings: more,
			events: events{within(0, 1, 2, lacks("excluded_columns")), within(0, 2, 3, omits("mappings")), before(0, 3, "events sorted without n\u00e9", "mappings")},
			sent:   "3 GETs, PATCH +users, GET", differs: true},
		"reads before the addition say that there is no pipe, and then reject it": {mappings: changed,
			events: events{past, {with: at(1, 1), fails: &platform.Error{Status: http.StatusNotFound, NotFound: true}}, forbidsRead(1, 2)},
			sent:   removes + ", 3 GETs, PATCH +events, GET", took: 3 * firstPause},
		"a leaf that no read before the update had has not changed after it": {mappings: changed, events: events{within(0, 0, 99, omits("certificate"))},
			sent: "2 GETs, PATCH -events, GET, PATCH +events, GET"},
		"a response and a read have another source between removal and addition: the set is not gone": {mappings: changed + ", users",
			events: events{within(1, 0, 2, keeps(m{"kafka": m{"partitions": 1}}, "source"))}, sent: "GET, PATCH -events, 2 GETs, PATCH +events +users, GET"},
		"a set that is not known after a PATCH of leaves: nothing is said of it": {events: events{within(1, 0, 2, omitsNames)}, sent: "GET, PATCH name, GET"},
		"a leaf that only reads after a PATCH of mappings have, and otherwise": {config: m{"name": "new"}, mappings: changed,
			events: events{within(1, 0, 99, omits("name")), stores(2, keeps("other", "name"))}, sent: "GET, PATCH name, GET, PATCH -events, GET, PATCH +events, GET",
			errors: []string{`name was sent and accepted, but the API returned another value, "other"` + ", in reads for 0s. Nothing more was sent. " + advice[0]}},
		"a leaf that no response returns, in three PATCHes: one warning": {config: m{"name": "new"}, mappings: changed,
			events: events{within(1, 0, 99, omits("name")), within(2, 0, 99, omits("name")), within(3, 0, 99, omits("name"))},
			sent:   "GET, PATCH name, GET, PATCH -events, GET, PATCH +events, GET", warnings: []string{":\n\n  - name\n\nThe state"}},
		"a mapping that nobody manages, whose columns one response omits": {config: m{"mappings": nil},
			events: events{within(1, 0, 1, lacks("excluded_columns", "events"))}, sent: "GET, PATCH name, GET"},
		"responses of the past, of a set to nothing, and what none can show": {config: m{"name": "crm", "mappings": "", "credentials": m{"version": "1"}},
			events: events{past}, sent: "GET, PATCH credentials.version, GET, PATCH -events -items, GET"},
		"the response to the leaves omits a mapping: only a read counts": {config: m{"name": "new"}, mappings: changed, events: events{within(1, 0, 1, keeps("items", "mappings"))},
			sent: "GET, PATCH name, GET, PATCH -events, GET, PATCH +events, GET"},
		"the response to the leaves omits the object around the set": {events: events{within(1, 0, 1, omits("source.postgres"))}, sent: "GET, PATCH name, GET"},
		"a leaf that is emptied, and omitted":                        {config: m{"name": ""}, events: events{within(1, 0, 99, omits("name"))}, sent: "GET, PATCH name"},
		"no response has anything, and the reads fail: the state has what was sent": {events: events{none, forbidsReads(1)}, sent: "GET, PATCH name, GET",
			held: m{"name": "new"}, errors: []string{unread}},
		"a leaf that is emptied after the plan, and that only the response to its PATCH has": {config: m{"name": "crm", "threads": 5},
			events: events{to("GET", omits("threads"))}, sent: "2 GETs, PATCH threads",
			warnings: []string{"- threads: the plan had 3, the update found not set, and set 5"}},
		"an unmanaged leaf":                    {config: m{"mappings": nil}, events: events{to("PATCH", omits("memory"))}, sent: "GET, PATCH name, GET"},
		"a leaf, and a read omits another one": {events: events{to("PATCH", omits("certificate")), within(1, 1, 2, omits("name"))}, sent: "GET, PATCH name, GET"},
	})
}
