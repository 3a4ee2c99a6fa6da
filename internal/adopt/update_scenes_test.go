package adopt

import (
	"net/http"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
)

// TestSentIsAwaited has platforms whose responses are of the past, that reach a value in steps, or
// that accept a change and never show it. Each row is a rule of the wait.
func TestSentIsAwaited(t *testing.T) {
	const lag, read = 3 * time.Second, 3500 * time.Millisecond // the read that no longer lags
	eachRow(t, scene.play, map[string]scene{
		"a leaf that is late is read until it is there": {lag: lag, sent: "GET, PATCH name, 4 GETs", took: read},
		"a leaf that comes in steps is read until it is there": {config: m{"name": "crm", "threads": 6},
			events: events{within(1, 0, 2, keeps(4, "threads")), within(1, 2, 4, keeps(5, "threads"))}, sent: "GET, PATCH threads, 4 GETs", took: read},
		"a mapping whose members come late is read until it has them": {config: m{"name": "crm", "mappings": shared},
			events: events{within(1, 0, 4, lacks("source_table", "users"))}, sent: "GET, PATCH +users, 4 GETs", took: read},
		"an addition waits for its removal, and for no leaf": {config: m{"mappings": changed}, events: events{stores(0, keeps("crm", "name"))},
			sent: "GET, PATCH name -events, PATCH +events, 10 GETs", took: maxWait, errors: []string{notShown + "name of pipe"}},
		"a leaf that is never there is sent once": {events: events{stores(0, keeps("crm", "name"))}, sent: "GET, PATCH name, 10 GETs", took: maxWait,
			errors: []string{`name was sent and accepted, but the API still returned the value from before, "crm", in reads for 30s. `}},
		"a leaf that becomes another one is an error with advice": {config: m{"name": "crm", "threads": 5}, events: events{stores(0, keeps(7, "threads"))},
			sent: "GET, PATCH threads, 10 GETs", took: maxWait, errors: []string{
				"threads was sent and accepted, but the API returned another value, 7, in reads for 30s. Nothing more was sent. " + advice[0]}},
		"a removal that is never there has removed nothing": {config: m{"mappings": changed}, events: events{stores(0, keeps(usual, "mappings"))},
			sent: "GET, PATCH name -events, 10 GETs", took: maxWait, errors: []string{`"events": should be missing, but is there`}},
		"an addition that becomes another one exposes columns": {config: m{"mappings": changed}, events: events{stores(2, keeps("events, items", "mappings"))},
			sent: "GET, PATCH name -events, PATCH +events, 10 GETs", took: maxWait, errors: []string{`"events", excluded_columns: should be ["phone"], but is []`,
				exposes + "n\u00e9, phone\n\nThese were sent, and may be added meanwhile:\n\n  - \"events\"\n\nCorrect"}},
		"an addition in another letter case is named": {config: m{"mappings": more}, events: events{stores(0, keeps(usual+", Users", "mappings"))},
			sent: "GET, PATCH name +users, 10 GETs", took: maxWait, errors: []string{"Configure them as the platform spells them:\n\n  - \"Users\"\n\n"}},
		"a removed mapping with another value is waited for": {config: m{"mappings": changed}, events: events{within(1, 0, 4, keeps("events, items", "mappings"))},
			sent: "GET, PATCH name -events, 4 GETs, PATCH +events", took: read},
		"an addition to a set that is omitted once it is empty is waited for": {config: m{"mappings": bothChanged}, lag: lag,
			events: events{to("", omitsEmptyMappings)}, sent: "GET, PATCH name -events -items, 4 GETs, PATCH +events +items, 4 GETs", took: 2 * read},
		"an addition to such a set that is never there is an error": {config: m{"mappings": bothChanged},
			events: events{stores(0, keeps("", "mappings")), to("", omitsEmptyMappings)},
			sent:   "GET, PATCH name -events -items, PATCH +events +items, 10 GETs", took: maxWait,
			errors: []string{notShown + "source.postgres.table_mappings of pipe", partly}},
		"a read during the wait fails: what was removed is in the list": {config: m{"mappings": changed}, lag: lag, events: events{forbidsRead(1, 2)},
			sent: "GET, PATCH name -events, 2 GETs", took: firstPause, errors: []string{unread, wasThere}},
		"a leaf of the first PATCH that only the response to the second has as it was": {config: m{"mappings": changed},
			events: events{to("PATCH +events", keeps("crm", "name"))}, sent: "GET, PATCH name -events, PATCH +events, GET"},
		"a leaf that only the response had is asked for once more, after a response that is dropped": {config: m{"name": "crm", "threads": 5}, lag: time.Second,
			events: events{within(1, 3, 4, omits("certificate"))}, sent: "GET, PATCH threads, 4 GETs", took: 1500 * time.Millisecond},
	})
}

// TestUnknownOutcome has PATCHes whose response is lost: carried out, or not, or later. Each row is a
// rule of what follows.
func TestUnknownOutcome(t *testing.T) {
	const (
		undone = "\n\nNothing more was sent: Reads for 30s show the table mappings as they were, but the platform may still carry out the request. "
		again  = "the next apply sends them again:\n\n  - "
		maybe  = "may have been removed, and it is not known whether they are there. " + wasThere
	)
	unreadable := &platform.Error{Status: http.StatusOK, Ambiguous: true}
	eachRow(t, scene.play, map[string]scene{
		"leaves are sent again at once":                 {events: events{lost(1, false)}, sent: "GET, PATCH name, PATCH name"},
		"leaves whose response cannot be read are read": {events: events{fails(1, true, unreadable)}, sent: "GET, PATCH name, GET"},
		"leaves whose response cannot be read, and that are not there": {events: events{fails(1, false, unreadable)}, sent: "GET, PATCH name, 10 GETs",
			took: maxWait, errors: []string{again + "name"}},
		"credentials whose response cannot be read have not arrived": {config: m{"name": "crm", "credentials": m{"version": "1"}},
			events: events{fails(1, true, unreadable)}, sent: "GET, PATCH credentials.version, GET", errors: []string{again + "credentials.version"}, differs: true},
		"a removal that a read shows: the read is enough": {config: m{"mappings": changed}, events: events{lost(1, true)},
			sent: "GET, PATCH name -events, GET, PATCH +events"},
		"a leaf that has changed meanwhile is not put back": {config: m{"threads": 3, "mappings": changed},
			events: events{before(1, 0, 9, "threads"), lost(1, true)}, sent: "GET, PATCH name -events, GET, PATCH +events, GET",
			warnings: []string{"- threads: was 3, is now 9"}, differs: true},
		"a removal that is carried out after 14 s is not sent again": {config: m{"mappings": changed}, events: events{doneLater(1, 14*time.Second)},
			sent: "GET, PATCH name -events, 7 GETs, PATCH +events", took: 17500 * time.Millisecond},
		"a removal that is carried out after 40 s: the update has stopped": {config: m{"mappings": changed}, events: events{doneLater(1, 40*time.Second)},
			sent: "GET, PATCH name -events, 10 GETs", took: maxWait, errors: []string{undone}},
		"an addition that is carried out after 12 s is not sent again": {config: m{"mappings": more}, events: events{doneLater(1, 12*time.Second)},
			sent: "GET, PATCH name +users, 6 GETs", took: 12500 * time.Millisecond},
		"an addition that is not carried out for 30 s is sent once more": {config: m{"mappings": changed}, events: events{doneLater(2, 0)},
			sent: "GET, PATCH name -events, PATCH +events, 10 GETs, PATCH +events", took: maxWait},
		"an addition is not sent a third time": {config: m{"mappings": changed}, events: events{doneLater(2, 0), doneLater(3, 0)},
			sent: "GET, PATCH name -events, PATCH +events, 10 GETs, PATCH +events, 10 GETs", took: 2 * maxWait,
			errors: []string{undone, wasEvents + "\nThese were sent, and may be added meanwhile:\n\n  - \"events\"\n\n"}},
		"an addition is not sent again if the provider does not retry": {config: m{"mappings": changed}, once: true, events: events{doneLater(2, 0)},
			sent: "GET, PATCH name -events, PATCH +events, 10 GETs", took: maxWait, errors: []string{undone, partly}},
		"a removed mapping that somebody changes stops the update at once": {config: m{"mappings": changed},
			events: events{before(1, 0, "events sorted without n\u00e9 x, items", "mappings"), lost(1, false)}, sent: "GET, PATCH name -events, GET",
			errors: []string{conflicts + ": The plan changes these table mappings", exposes + "phone\n\nCorrect"}},
		"an addition that is there otherwise stops the update at once": {config: m{"mappings": changed},
			events: events{before(2, 0, "events sorted, items", "mappings"), lost(2, false)}, sent: "GET, PATCH name -events, PATCH +events, GET",
			errors: []string{conflicts, exposes + "n\u00e9, phone\n\nThese"}},
		"a read that is older than the first PATCH is no conflict after the second, either": {config: m{"mappings": changed},
			events: events{lags(2, 3*time.Second), lost(2, true)}, sent: "GET, PATCH name -events, PATCH +events, 4 GETs", took: 3500 * time.Millisecond},
		"an addition that is there in another Unicode form": {config: m{"mappings": "events without t\u00e9l, items"},
			events: events{before(2, 0, "events without te\u0301l, items", "mappings"), lost(2, false)}, sent: "GET, PATCH name -events, PATCH +events, GET"},
		"a removal that is done, and a leaf that is not: the leaves are sent": {config: m{"threads": 5, "mappings": changed},
			events: events{stores(1, keeps("other", "name")), lost(1, true)}, sent: "GET, PATCH name threads -events, GET, PATCH name threads, PATCH +events"},
		"a removal that is done, and credentials that no read shows: they are sent again": {
			config: m{"name": "crm", "credentials": m{"version": "1"}, "mappings": changed}, events: events{lost(1, true)},
			sent: "GET, PATCH credentials.version -events, GET, PATCH credentials.version, PATCH +events"},
		"a read after it fails: what it removes is in the list": {config: m{"mappings": changed}, events: events{doneLater(1, 0), forbidsRead(1, 2)},
			sent: "GET, PATCH name -events, 2 GETs", took: firstPause, errors: []string{"Nothing more was sent: Tried to ", wasThere}},
		"no read after it has the mappings": {config: m{"mappings": changed},
			events: events{lost(1, false), within(1, 0, 99, omits("mappings")), within(1, 0, 99, keeps(9, "threads"))},
			sent:   "GET, PATCH name -events, 20 GETs", took: maxWait, warnings: []string{"- threads: was 3, is now 9"},
			errors: []string{unreturned + "source.postgres.table_mappings, so it is not known which table mappings the pipe has.", maybe}},
		"a removal of all mappings, which are omitted once there are none": {config: m{"mappings": ""},
			events: events{to("", omitsEmptyMappings), lost(1, true)}, sent: "GET, PATCH name -events -items, 2 GETs"},
	})
}

// TestRejectedHalfWay has a platform that removes one of two mappings and then rejects the PATCH: one
// read shows what is gone.
func TestRejectedHalfWay(t *testing.T) {
	const both, sent = wasEvents + "  - \"items\": ", "GET, PATCH -events -items, GET"
	half := func(status int, more ...event) events {
		return append(more, stores(1, keeps("items", "mappings")), fails(1, true, &platform.Error{Status: status, Message: "no items"}))
	}
	rejected := func(patch, status int) events { return events{fails(patch, false, &platform.Error{Status: status})} }
	change := m{"name": "crm", "mappings": bothChanged}
	eachRow(t, scene.play, map[string]scene{
		"what the read lacks is in the list": {config: change, events: half(400), sent: sent, errors: []string{
			"no items.\n\nThe request removes every table mapping of the pipe. The platform may require that one stays: " + advice[1], wasThere}},
		"after the last 409, too":                     {config: change, events: half(409), sent: sent, errors: []string{"HTTP 409", wasThere}},
		"before an attempt after a 423, too":          {config: change, events: half(423), sent: sent, errors: []string{conflicts, wasThere}},
		"the read fails: all that the PATCH removes":  {config: change, events: half(422, forbidsRead(1, 1)), sent: sent, errors: []string{"HTTP 422", both}},
		"nothing was done: no list":                   {config: change, events: rejected(1, 422), sent: sent, errors: []string{"HTTP 422"}},
		"missing permission does nothing: no read":    {config: change, events: rejected(1, 403), sent: "GET, PATCH -events -items", errors: []string{"HTTP 403"}},
		"a 400 to leaves, beside no mappings":         {plain: true, events: rejected(1, 400), sent: "GET, PATCH name", errors: []string{"HTTP 400"}},
		"a 400 to the removal of one":                 {config: m{"mappings": changed}, events: rejected(1, 400), sent: "GET, PATCH name -events, GET", errors: []string{"HTTP 400"}},
		"the second is rejected: all that is removed": {config: change, events: rejected(2, 422), sent: "GET, PATCH -events -items, PATCH +events +items", errors: []string{"HTTP 422", both}},
	})
}

// TestChangesByOthersStayAndAreNamed has an update that is not alone: a colleague changes the pipe before a request, or
// while one waits. Nothing is put back that a colleague may have changed, and each change is named.
func TestChangesByOthersStayAndAreNamed(t *testing.T) {
	const (
		left     = "They were left as they are, and the next plan shows those that the configuration sets:\n\n  - "
		threads  = left + "threads: was 3, is now 9"
		inQueue  = 11 * time.Second
		mappings = "source.postgres.table_mappings, "
	)
	eachRow(t, scene.play, map[string]scene{
		"a leaf changes while a PATCH of another waits: it stays": {config: m{"threads": 3}, events: events{before(1, 0, 9, "threads"), busy(1)},
			sent: "GET, PATCH name, PATCH name, GET", warnings: []string{threads}, differs: true},
		"a leaf changes while a PATCH is in the queue: it stays": {config: m{"threads": 3}, events: events{before(1, 0, 9, "threads"), queues(0, 1, inQueue)},
			sent: "GET, PATCH name, GET", took: inQueue, warnings: []string{threads}, differs: true},
		"a leaf that only the response has otherwise has not changed": {config: m{"threads": 3}, events: events{to("PATCH name", keeps(0, "threads"))},
			sent: "GET, PATCH name, GET"},
		"a mapping is removed before a PATCH of a leaf: it is not added again": {events: events{before(1, 0, "items", "mappings")},
			sent: "GET, PATCH name, GET", warnings: []string{left + mappings + `"events": was there, is now missing`}, differs: true},
		"another mapping changes while a PATCH waits: it is left alone": {config: m{"mappings": changed},
			events:   events{before(1, 0, "events sorted without n\u00e9, items without x", "mappings"), busy(1)},
			sent:     "GET, PATCH name -events, GET, PATCH name -events, PATCH +events, GET",
			warnings: []string{left + mappings + `"items", excluded_columns: was [], is now ["x"]`}, differs: true},
		"the mapping changes while a PATCH waits: nothing more is sent": {config: m{"mappings": changed},
			events: events{before(1, 0, "events sorted without iban, items", "mappings"), busy(1)}, sent: "GET, PATCH name -events, GET", errors: []string{conflicts}},
		"the mapping is as it is wanted by then: the leaves are sent": {config: m{"mappings": "items"}, events: events{before(1, 0, "items", "mappings"), busy(1)},
			sent: "GET, PATCH name -events, GET, PATCH name"},
		"one of its source table is added while a PATCH waits: nothing more is sent": {config: m{"mappings": changed},
			events: events{before(1, 0, shared, "mappings"), busy(1)}, sent: "GET, PATCH name -events, GET", errors: []string{conflicts}},
		"in another Unicode form, it cannot be sent": {config: m{"mappings": changed},
			events: events{before(1, 0, "events sorted without ne\u0301, items", "mappings"), busy(1)}, sent: "GET, PATCH name -events, GET", errors: []string{conflicts}},
		"a related one is added between the two PATCHes: it is read again, and then a conflict": {config: m{"mappings": renamed},
			events: events{stores(1, keeps("users from events without iban, items", "mappings"))}, sent: "GET, PATCH name -events, 10 GETs",
			took: maxWait, errors: []string{conflicts, wasThere}},
		"what the second PATCH adds is there: it is not sent": {config: m{"threads": 4, "mappings": renamed},
			events: events{stores(1, keeps(renamed, "mappings")), stores(1, keeps(99, "memory"))}, sent: "GET, PATCH name threads -events"},
		"a read that is older than the first PATCH is no conflict": {config: m{"mappings": changed}, events: events{lags(2, 3*time.Second), busy(2)},
			sent: "GET, PATCH name -events, PATCH +events, 4 GETs, PATCH +events", took: 3500 * time.Millisecond},
		"a PATCH that was in the queue for too long is decided by a new read, and a leaf that changed meanwhile stays": {
			config: m{"name": "crm", "threads": 3, "mappings": changed}, events: events{before(0, 2, 9, "threads"), queues(0, 1, inQueue)},
			sent: "2 GETs, PATCH -events, PATCH +events, GET", took: inQueue, warnings: []string{threads}, differs: true},
		"a mapping that goes with the PATCH of another is not added again": {config: m{"mappings": changed}, events: events{stores(1, keeps("", "mappings"))},
			sent: "GET, PATCH name -events, PATCH +events, GET", warnings: []string{left + mappings + `"items": was there, is now missing`}, differs: true},
		"all elements go with a PATCH of a leaf, which omits them then": {events: events{stores(1, keeps("", "mappings")), to("", omitsEmptyMappings)},
			sent: "GET, PATCH name, GET", differs: true,
			warnings: []string{"\"events\": was there, is now missing\n  - " + mappings + `"items": was there, is now missing`}},
		"one more mapping is no change": {events: events{stores(0, keeps(more, "mappings"))}, sent: "GET, PATCH name", differs: true},
		"a leaf of the first PATCH that the second resets stays": {config: m{"mappings": changed}, events: events{stores(2, keeps("", "name"))},
			sent: "GET, PATCH name -events, PATCH +events, GET", warnings: []string{`- name: was "new", is now ""`}, differs: true},
	})
}

// TestResponsesOmitTheSetOrALeaf has responses that omit the set, or a leaf.
func TestResponsesOmitTheSetOrALeaf(t *testing.T) {
	const (
		dropped = "- threads: was 3, is now not set"
		both    = "GET, PATCH name -events, PATCH +events"
	)
	eachRow(t, scene.play, map[string]scene{
		"nothing shows the set after the first PATCH: what it removed is in the list": {config: m{"mappings": changed},
			events: events{within(1, 0, 9, omitsNames), forbidsRead(1, 2)}, sent: "GET, PATCH name -events, 2 GETs",
			errors: []string{"Nothing more was sent: Tried to ", wasThere}},
		"a leaf that only the response to the second PATCH has is returned": {config: m{"mappings": changed},
			events: events{within(1, 0, 99, omits("name"))}, sent: both},
		"nothing shows the set after the last PATCH: what it adds is not known to be there": {config: m{"mappings": changed},
			events: events{within(2, 0, 1, omitsNames), forbidsRead(2, 1)}, sent: both + ", GET", errors: []string{unread, wasEvents}},
		"no response has the names after either PATCH: one line": {config: m{"mappings": changed},
			events: events{within(1, 0, 2, omitsNames), within(2, 0, 2, omitsNames)}, sent: "GET, PATCH name -events, 2 GETs, PATCH +events, GET",
			warnings: []string{":\n\n  - source.postgres.table_mappings\n\nThe state"}},
		"no read before the first PATCH shows the set: what somebody removes until it is read stays removed": {config: m{"mappings": more},
			events: events{within(0, 1, 2, lacks("excluded_columns")), within(0, 2, 3, omits("mappings")), before(0, 3, "events sorted without n\u00e9", "mappings")},
			sent:   "3 GETs, PATCH name +users", differs: true},
		"no read has the mappings before the PATCH is sent again": {config: m{"mappings": changed}, events: events{busy(1), within(1, 1, 99, omits("mappings"))},
			sent: "GET, PATCH name -events, 2 GETs", errors: []string{unreturned + "source.postgres.table_mappings, so it is not known which"}},
		"a response without a leaf, and a read without the set: the response has shown the set": {config: m{"mappings": changed},
			events: events{within(1, 0, 1, omits("name")), within(1, 1, 99, omits("mappings"))}, sent: both},
		"a response and a read without the object around the set: nothing counts as lost": {config: m{"mappings": changed},
			events: events{within(1, 0, 2, omits("source.postgres"))}, sent: "GET, PATCH name -events, 2 GETs, PATCH +events"},
		"a leaf that no read before the update had has not changed after it": {config: m{"mappings": changed},
			events: events{within(0, 0, 99, omits("certificate"))}, sent: "2 GETs, PATCH name -events, PATCH +events"},
		"a response and a read have another source between removal and addition: the set is not gone": {config: m{"mappings": changed + ", users"},
			events: events{within(1, 0, 2, keeps(m{"kafka": m{"partitions": 1}}, "source"))}, sent: "GET, PATCH name -events +users, 3 GETs, PATCH +events"},
		"no read before the update has the object around the set: it is not cleared": {config: m{"mappings": ""},
			events: events{to("GET", omits("source.postgres"))}, sent: "GET", errors: []string{unreturned + "source.postgres, so it is not known which"}},
		"a set that no response to an addition has": {config: m{"mappings": more}, events: events{within(1, 0, 99, omits("mappings"))},
			sent: "GET, PATCH name +users, GET", warnings: []string{"API does not return all values"}},
		"a set that is not known after a PATCH of leaves: nothing is said of it": {events: events{within(1, 0, 2, omitsNames)}, sent: "GET, PATCH name, GET"},
		"a leaf that no response returns, in two PATCHes: one warning": {config: m{"mappings": changed},
			events: events{within(1, 0, 99, omits("name")), within(2, 0, 99, omits("name"))}, sent: both + ", GET", warnings: []string{":\n\n  - name\n\nThe state"}},
		"a set that nobody manages, and names that no response has: nothing counts as missing": {config: m{"mappings": nil},
			events: events{within(1, 0, 2, omitsNames)}, sent: "GET, PATCH name"},
		"a set that nobody manages, and an object around it that no response has": {config: m{"mappings": nil},
			events: events{within(1, 0, 99, omits("source.postgres"))}, sent: "GET, PATCH name, GET"},
		"an unmanaged leaf that the platform drops": {config: m{"mappings": nil}, events: events{stores(0, omits("threads"))},
			sent: "GET, PATCH name, GET", warnings: []string{dropped}},
		"an unmanaged leaf that only the response of the past has": {config: m{"mappings": nil}, events: events{past, stores(0, omits("threads"))},
			sent: "GET, PATCH name, 2 GETs", warnings: []string{dropped}},
		"a response without anything is followed by one read":    {events: events{none}, sent: "GET, PATCH name, GET"},
		"a response of the past is followed by one read":         {events: events{past}, sent: "GET, PATCH name, GET"},
		"a response without anything, of a leaf that is emptied": {config: m{"name": ""}, events: events{none}, sent: "GET, PATCH name, GET"},
		"responses without anything, between a removal and its addition": {config: m{"mappings": changed}, events: events{none},
			sent: "GET, PATCH name -events, GET, PATCH +events, GET"},
		"responses of the past, between a removal and its addition": {config: m{"mappings": changed}, events: events{past},
			sent: "GET, PATCH name -events, GET, PATCH +events, GET"},
		"responses of the past, of a set to nothing, and what none can show": {config: m{"name": "crm", "mappings": "", "credentials": m{"version": "1"}},
			events: events{past}, sent: "GET, PATCH credentials.version -events -items, GET"},
		"what no response can confirm is read once": {config: m{"name": "crm", "credentials": m{"version": "1"}}, sent: "GET, PATCH credentials.version, GET"},
	})
}

// TestStateAfterAFailedRead has updates whose result no read shows: the state has what a response had
// and, where none had anything, what was sent.
func TestStateAfterAFailedRead(t *testing.T) {
	eachRow(t, scene.play, map[string]scene{
		"no response has anything": {events: events{none, forbidsRead(1, 1)}, sent: "GET, PATCH name, GET", errors: []string{unread}, held: m{"name": "new"}},
		"a response has the past":  {events: events{past, forbidsRead(1, 1)}, sent: "GET, PATCH name, GET", errors: []string{unread}},
		"a response omits the leaf": {config: m{"name": "crm", "threads": 5}, events: events{to("", omits("threads")), forbidsRead(1, 1)},
			sent: "2 GETs, PATCH threads, GET", errors: []string{unread}, held: m{"threads": 5},
			warnings: []string{"- threads: the plan had 3, the update found not set, and set 5"}},
	})
}

// TestUpdateWithoutMappings has a kind that has no table mappings, and updates that cannot begin.
func TestUpdateWithoutMappings(t *testing.T) {
	rejected := fails(1, false, &platform.Error{Status: 422})
	eachRow(t, scene.play, map[string]scene{
		"a PATCH that is sent again": {plain: true, events: events{busy(1)}, sent: "GET, PATCH name, PATCH name"},
		"a leaf that has changed since the plan, and is not set": {plain: true, events: events{before(0, 1, "moved", "name"), rejected},
			sent: "GET, PATCH name", errors: []string{"Cannot update pipe"}},
		"a PATCH that is rejected":   {plain: true, events: events{rejected}, sent: "GET, PATCH name", errors: []string{"Cannot update pipe"}},
		"responses that omit a leaf": {plain: true, events: events{within(0, 1, 2, omits("threads")), within(1, 0, 1, omits("name"))}, sent: "2 GETs, PATCH name, GET"},
		"it cannot begin":            {refuses: "Begin", sent: "GET", errors: []string{"No turn."}},
		"there is no body":           {refuses: "Body", sent: "GET", errors: []string{"no body."}},
	})
}
