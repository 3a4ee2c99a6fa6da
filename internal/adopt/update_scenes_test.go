package adopt

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestSentIsAwaited has platforms whose responses are of the past, that reach a value in steps, or
// that accept a change and never show it. Each row is a rule of the wait.
func TestSentIsAwaited(t *testing.T) {
	inSteps := func(w *toy, request string, pipe tfvalue.Value) tfvalue.Value {
		if len(w.patches()) == 0 {
			return pipe
		}
		return keeps(min(3+w.lastReads(), 6), "threads")(pipe)
	}
	playAll(t, map[string]scene{
		"a leaf that is late is read until it is there": {lag: 3 * time.Second, sent: "GET, PATCH name, 4 GETs", took: 3500 * time.Millisecond},
		"a leaf that comes in steps is read until it is there": {config: m{"name": "crm", "threads": 6}, edit: inSteps, sent: "GET, PATCH threads, 3 GETs",
			took: 1500 * time.Millisecond},
		"a mapping whose members come late is read until it has them": {config: m{"name": "crm", "mappings": append([]any{users}, usualMappings...)},
			edit: within(1, 0, 4, lacks("source_table", "users")), sent: "GET, PATCH +users, 4 GETs", took: 3500 * time.Millisecond},
		"an addition waits for its removal, and for no leaf": {config: m{"mappings": changed}, rewrite: keeps("crm", "name"), sent: "GET, PATCH name -events, PATCH +events, 10 GETs",
			took: maxWait, errors: []string{notShown + "name of pipe"}},
		"a leaf that is never there is sent once": {rewrite: keeps("crm", "name"), sent: "GET, PATCH name, 10 GETs", took: maxWait,
			errors: []string{`name was sent and accepted, but the API still returned the value from before, "crm", in reads for 30s. `}},
		"a leaf that becomes another one is an error with advice": {config: m{"name": "crm", "threads": 5}, rewrite: keeps(7, "threads"), sent: "GET, PATCH threads, 10 GETs",
			took: maxWait, advises: true, errors: []string{"threads was sent and accepted, but the API returned another value, 7, in reads for 30s. "}},
		"a removal that is never there has removed nothing": {config: m{"name": "crm", "mappings": changed}, rewrite: keeps([]any{events, items}, mappingsAt...), sent: "GET, PATCH -events, 10 GETs",
			took: maxWait, errors: []string{"\"events\": should be missing, but is there"}},
		"an addition that becomes another one exposes columns": {config: m{"name": "crm", "mappings": changed},
			rewrite: inTurn(keeps([]any{items}, mappingsAt...), keeps([]any{m{"target_table": "events", "excluded_columns": []any{}, "sorted": false}, items}, mappingsAt...)),
			sent:    "GET, PATCH -events, PATCH +events, 10 GETs", took: maxWait,
			errors: []string{`"events", excluded_columns: should be ["phone"], but is []`, exposes + "n\u00e9, phone\n\nThese were sent, and may be added meanwhile:\n\n  - \"events\"\n\nCorrect"}},
		"an addition in another letter case is named": {config: m{"name": "crm", "mappings": append([]any{users}, usualMappings...)},
			rewrite: keeps([]any{events, items, m{"target_table": "Users", "excluded_columns": []any{}, "sorted": false}}, mappingsAt...), sent: "GET, PATCH +users, 10 GETs", took: maxWait,
			errors: []string{"Configure them as the platform spells them:\n\n  - \"Users\"\n\n"}},
		"a removed mapping with another value is waited for": {config: m{"name": "crm", "mappings": changed}, lag: 3 * time.Second,
			edit: within(1, 0, 4, keeps([]any{m{"target_table": "events", "excluded_columns": []any{}, "sorted": false}, items}, mappingsAt...)), sent: "GET, PATCH -events, 4 GETs, PATCH +events, 4 GETs",
			took: 7 * time.Second},
		"an addition to a set that is omitted once it is empty is waited for": {config: m{"name": "crm", "mappings": bothChanged}, lag: 3 * time.Second,
			edit: to("", omitsEmptyMappings), sent: "GET, PATCH -events -items, 4 GETs, PATCH +events +items, 4 GETs", took: 7 * time.Second},
		"an addition to such a set that is never there is an error": {config: m{"name": "crm", "mappings": bothChanged}, rewrite: keeps([]any{}, mappingsAt...),
			edit: to("", omitsEmptyMappings), sent: "GET, PATCH -events -items, PATCH +events +items, 10 GETs", took: maxWait,
			errors: []string{notShown + "source.postgres.table_mappings of pipe", partly}},
		"a read during the wait fails: what was removed is in the list": {config: m{"mappings": changed}, lag: 3 * time.Second, happens: forbidsRead(1, 2),
			sent: "GET, PATCH name -events, 2 GETs", took: 500 * time.Millisecond, errors: []string{"Cannot read pipe after its update", wasThere}},
		"a leaf of the first PATCH that only the response to the second has as it was": {config: m{"mappings": changed}, edit: to("PATCH +events", keeps("crm", "name")),
			sent: "GET, PATCH name -events, PATCH +events, GET"},
		"a leaf that only the response had is asked for once more, after a response that is dropped": {config: m{"name": "crm", "threads": 5}, lag: time.Second,
			edit: within(1, 3, 4, omits("certificate")), sent: "GET, PATCH threads, 4 GETs", took: 1500 * time.Millisecond},
	})
}

// TestUnknownOutcome has PATCHes whose response is lost: carried out, or not, or later. Each row is a
// rule of what follows.
func TestUnknownOutcome(t *testing.T) {
	third := append([]any{m{"target_table": "users"}}, usualMappings...)
	undone := "\n\nNothing more was sent: Reads for 30s show the table mappings as they were, but the platform may still carry out the request. "
	unreadable := &platform.Error{Status: http.StatusOK, Ambiguous: true}
	playAll(t, map[string]scene{
		"leaves are sent again at once":                 {happens: lost(1, false), sent: "GET, PATCH name, PATCH name"},
		"leaves whose response cannot be read are read": {happens: fails(1, true, unreadable), sent: "GET, PATCH name, GET"},
		"leaves whose response cannot be read, and that are not there": {happens: fails(1, false, unreadable), sent: "GET, PATCH name, 10 GETs", took: maxWait,
			errors: []string{"the next apply sends them again:\n\n  - name"}},
		"credentials whose response cannot be read have not arrived": {config: m{"name": "crm", "credentials": m{"version": "1"}}, happens: fails(1, true, unreadable),
			sent: "GET, PATCH credentials.version, GET", errors: []string{"the next apply sends them again:\n\n  - credentials.version"}, differs: true},
		"a removal that a read shows: the read is enough": {config: m{"mappings": changed}, happens: lost(1, true), sent: "GET, PATCH name -events, GET, PATCH +events"},
		"a leaf that has changed meanwhile is not put back": {config: m{"threads": 3, "mappings": changed}, happens: inOrder(before(1, 0, 9, "threads"), lost(1, true)),
			sent: "GET, PATCH name -events, GET, PATCH +events, GET", warnings: []string{"- threads: was 3, is now 9"}, differs: true},
		"a removal that is carried out after 14 s is not sent again": {config: m{"mappings": changed}, happens: doneLater(14*time.Second, 1),
			sent: "GET, PATCH name -events, 7 GETs, PATCH +events", took: 17500 * time.Millisecond},
		"a removal that is carried out after 40 s: the update has stopped": {config: m{"mappings": changed}, happens: doneLater(40*time.Second, 1),
			sent: "GET, PATCH name -events, 10 GETs", took: maxWait, errors: []string{undone}},
		"an addition that is carried out after 12 s is not sent again": {config: m{"name": "crm", "mappings": third}, happens: doneLater(12*time.Second, 1),
			sent: "GET, PATCH +users, 6 GETs", took: 12500 * time.Millisecond},
		"an addition that is not carried out for 30 s is sent once more": {config: m{"mappings": changed}, happens: doneLater(0, 2),
			sent: "GET, PATCH name -events, PATCH +events, 10 GETs, PATCH +events", took: maxWait},
		"an addition is not sent a third time": {config: m{"mappings": changed}, happens: doneLater(0, 2, 3), sent: "GET, PATCH name -events, PATCH +events, 10 GETs, PATCH +events, 10 GETs",
			took:   2 * maxWait,
			errors: []string{undone, "They were:\n\n  - \"events\": excluded_columns = [\"n\u00e9\"], sorted = true, source_table = \"events\"\n\nThese were sent, and may be added meanwhile:\n\n  - \"events\"\n\n"}},
		"an addition is not sent again if the provider does not retry": {config: m{"mappings": changed}, happens: doneLater(0, 2), once: true,
			sent: "GET, PATCH name -events, PATCH +events, 10 GETs", took: maxWait, errors: []string{undone, partly}},
		"a removed mapping that somebody changes stops the update at once": {config: m{"mappings": changed},
			happens: inOrder(before(1, 0, []any{m{"target_table": "events", "excluded_columns": []any{"n\u00e9", "x"}, "sorted": true}, items}, mappingsAt...), lost(1, false)), sent: "GET, PATCH name -events, GET",
			errors: []string{conflicts + ": The plan changes these table mappings", exposes + "phone\n\nCorrect"}},
		"an addition that is there otherwise stops the update at once": {config: m{"mappings": changed},
			happens: inOrder(before(2, 0, []any{m{"target_table": "events", "excluded_columns": []any{}, "sorted": true}, items}, mappingsAt...), lost(2, false)), sent: "GET, PATCH name -events, PATCH +events, GET",
			errors: []string{conflicts, exposes + "n\u00e9, phone\n\nThese"}},
		"a read that is older than the first PATCH is no conflict after the second, either": {config: m{"mappings": changed},
			happens: inOrder(lagsAfter(2, 3*time.Second), lost(2, true)), sent: "GET, PATCH name -events, PATCH +events, 4 GETs", took: 3500 * time.Millisecond},
		"an addition that is there in another Unicode form": {config: m{"mappings": []any{m{"target_table": "events", "excluded_columns": []any{"t\u00e9l"}}, usualMappings[1]}},
			sent:    "GET, PATCH name -events, PATCH +events, GET",
			happens: inOrder(before(2, 0, []any{m{"target_table": "events", "excluded_columns": []any{"te\u0301l"}, "sorted": false}, items}, mappingsAt...), lost(2, false))},
		"a removal that is done, and a leaf that is not: the leaves are sent": {config: m{"threads": 5, "mappings": changed}, rewrite: inTurn(keeps("other", "name")),
			happens: lost(1, true), sent: "GET, PATCH name threads -events, GET, PATCH name threads, PATCH +events"},
		"a removal that is done, and credentials that no read shows: they are sent again": {config: m{"name": "crm", "credentials": m{"version": "1"}, "mappings": changed},
			happens: lost(1, true), sent: "GET, PATCH credentials.version -events, GET, PATCH credentials.version, PATCH +events"},
		"a read after it fails: what it removes is in the list": {config: m{"mappings": changed}, sent: "GET, PATCH name -events, 2 GETs", took: firstPause,
			happens: inOrder(doneLater(0, 1), forbidsRead(1, 2)), errors: []string{"Nothing more was sent: Tried to ", wasThere}},
		"no read after it has the mappings": {config: m{"mappings": changed}, happens: lost(1, false),
			edit: each(within(1, 0, 99, omits(mappingsAt...)), within(1, 0, 99, keeps(9, "threads"))), sent: "GET, PATCH name -events, 20 GETs", took: maxWait,
			warnings: []string{"- threads: was 3, is now 9"}, errors: []string{"The API did not return source.postgres.table_mappings, so it is not known which table mappings the pipe has.", "may have been removed, and it is not known whether they are there. " + wasThere}},
		"a removal of all mappings, which are omitted once there are none": {config: m{"mappings": []any{}}, edit: to("", omitsEmptyMappings), happens: lost(1, true),
			sent: "GET, PATCH name -events -items, 2 GETs"},
	})
}

// TestRejectedHalfWay has a platform that removes one of two mappings and then rejects the PATCH: one
// read shows what is gone.
func TestRejectedHalfWay(t *testing.T) {
	both := "They were:\n\n  - \"events\": excluded_columns = [\"n\u00e9\"], sorted = true, source_table = \"events\"\n  - \"items\": "
	scenes := map[string]scene{
		"what the read lacks is in the list":          {happens: fails(1, true, &platform.Error{Status: 400, Message: "no items"}), sent: "GET, PATCH -events -items, GET", errors: []string{"no items.\n\nThe request removes every table mapping of the pipe. ", wasThere}},
		"after the last 409, too":                     {happens: fails(1, true, &platform.Error{Status: 409}), sent: "GET, PATCH -events -items, GET", errors: []string{"HTTP 409", wasThere}},
		"the read fails: all that the PATCH removes":  {happens: inOrder(fails(1, true, &platform.Error{Status: 400}), forbidsRead(1, 1)), sent: "GET, PATCH -events -items, GET", errors: []string{"HTTP 400", both}},
		"nothing was done: no list":                   {happens: fails(1, false, &platform.Error{Status: 422}), sent: "GET, PATCH -events -items, GET", errors: []string{"HTTP 422"}, unsaid: "two applies"},
		"missing permission does nothing: no read":    {happens: fails(1, false, &platform.Error{Status: 403}), sent: "GET, PATCH -events -items", errors: []string{"HTTP 403"}},
		"a 400 to leaves of a pipe without mappings":  {from: []any{}, config: m{"threads": 4}, happens: fails(1, false, &platform.Error{Status: 400}), sent: "GET, PATCH name threads", errors: []string{"HTTP 400"}, unsaid: "two applies"},
		"a 400 to the removal of one":                 {config: m{"name": "crm", "mappings": changed}, happens: fails(1, false, &platform.Error{Status: 400}), sent: "GET, PATCH -events, GET", errors: []string{"HTTP 400"}, unsaid: "two applies"},
		"the second is rejected: all that is removed": {happens: fails(2, false, &platform.Error{Status: 422}), sent: "GET, PATCH -events -items, PATCH +events +items", errors: []string{"HTTP 422", both}},
	}
	for name, s := range scenes {
		if s.config == nil {
			s.config = m{"name": "crm", "mappings": bothChanged}
		}
		if !strings.HasSuffix(s.sent, "PATCH +events +items") {
			s.rewrite = inTurn(keeps([]any{items}, mappingsAt...))
		}
		scenes[name] = s
	}
	playAll(t, scenes)
}

// TestChangesByOthersStayAndAreNamed has an update that is not alone: a colleague changes the pipe before a request, or
// while one waits. Nothing is put back that a colleague may have changed, and each change is named.
func TestChangesByOthersStayAndAreNamed(t *testing.T) {
	busy := func(patch int) happening { return fails(patch, false, &platform.Error{}) }
	moreExcluded := []any{m{"target_table": "events", "excluded_columns": []any{"iban"}, "sorted": true}, items}
	const left = "They were left as they are, and the next plan shows those that the configuration sets:\n\n"
	playAll(t, map[string]scene{
		"a leaf changes while a PATCH of another waits: it stays": {config: m{"threads": 3}, happens: inOrder(before(1, 0, 9, "threads"), busy(1)),
			sent: "GET, PATCH name, PATCH name, GET", warnings: []string{left + "  - threads: was 3, is now 9"}, differs: true},
		"a leaf changes while a PATCH is in the queue: it stays": {config: m{"threads": 3}, happens: inOrder(before(1, 0, 9, "threads"), queues(0, 1, 11*time.Second)), sent: "GET, PATCH name, GET",
			took: 11 * time.Second, warnings: []string{left + "  - threads: was 3, is now 9"}, differs: true},
		"a leaf that only the response has otherwise has not changed": {config: m{"threads": 3}, sent: "GET, PATCH name, GET", edit: to("PATCH name", keeps(0, "threads"))},
		"a mapping is removed before a PATCH of a leaf: it is not added again": {happens: before(1, 0, []any{items}, mappingsAt...), sent: "GET, PATCH name, GET",
			warnings: []string{left + "  - source.postgres.table_mappings, \"events\": was there, is now missing"}, differs: true},
		"another mapping changes while a PATCH waits: it is left alone": {config: m{"mappings": changed},
			happens: inOrder(before(1, 0, []any{events, m{"target_table": "items", "excluded_columns": []any{"x"}, "sorted": false}}, mappingsAt...), busy(1)),
			sent:    "GET, PATCH name -events, GET, PATCH name -events, PATCH +events, GET", warnings: []string{left + `  - source.postgres.table_mappings, "items", excluded_columns: was [], is now ["x"]`},
			differs: true},
		"the mapping changes while a PATCH waits: nothing more is sent": {config: m{"mappings": changed}, happens: inOrder(before(1, 0, moreExcluded, mappingsAt...), busy(1)),
			sent: "GET, PATCH name -events, GET", errors: []string{conflicts}},
		"the mapping is as it is wanted by then: the leaves are sent": {config: m{"mappings": []any{items}}, happens: inOrder(before(1, 0, []any{items}, mappingsAt...), busy(1)),
			sent: "GET, PATCH name -events, GET, PATCH name"},
		"one of its source table is added while a PATCH waits: nothing more is sent": {config: m{"mappings": changed}, happens: inOrder(before(1, 0, []any{events, items, users}, mappingsAt...), busy(1)),
			sent: "GET, PATCH name -events, GET", errors: []string{conflicts}},
		"in another Unicode form, it cannot be sent": {config: m{"mappings": changed},
			happens: inOrder(before(1, 0, []any{m{"target_table": "events", "excluded_columns": []any{"ne\u0301"}, "sorted": true}, items}, mappingsAt...), busy(1)), sent: "GET, PATCH name -events, GET",
			errors: []string{conflicts}},
		"a related one is added between the two PATCHes: it is read again, and then a conflict": {config: m{"mappings": renamed},
			rewrite: inTurn(keeps([]any{m{"target_table": "users", "source_table": "events", "excluded_columns": []any{"iban"}, "sorted": false}, items}, mappingsAt...)), sent: "GET, PATCH name -events, 10 GETs",
			took: maxWait, errors: []string{conflicts, wasThere}},
		"what the second PATCH adds is there: it is not sent": {config: m{"mappings": renamed}, rewrite: inTurn(keeps([]any{users, items}, mappingsAt...)),
			sent: "GET, PATCH name -events"},
		"a read that is older than the first PATCH is no conflict": {config: m{"mappings": changed}, happens: inOrder(lagsAfter(2, 3*time.Second), busy(2)),
			sent: "GET, PATCH name -events, PATCH +events, 4 GETs, PATCH +events", took: 3500 * time.Millisecond},
		"a PATCH that was in the queue for too long is decided by a new read, and a leaf that changed meanwhile stays": {
			config: m{"name": "crm", "threads": 3, "mappings": changed}, happens: inOrder(before(0, 2, 9, "threads"), queues(0, 1, 11*time.Second)), sent: "2 GETs, PATCH -events, PATCH +events, GET", took: 11 * time.Second,
			warnings: []string{left + "  - threads: was 3, is now 9"}, differs: true},
		"a mapping that goes with the PATCH of another is not added again": {config: m{"mappings": changed}, rewrite: inTurn(keeps([]any{}, mappingsAt...)),
			sent: "GET, PATCH name -events, PATCH +events, GET", warnings: []string{left + "  - source.postgres.table_mappings, \"items\": was there, is now missing"}, differs: true},
		"all elements go with a PATCH of a leaf, which omits them then": {rewrite: inTurn(keeps([]any{}, mappingsAt...)), edit: to("", omitsEmptyMappings),
			sent: "GET, PATCH name, GET", warnings: []string{"\"events\": was there, is now missing\n  - source.postgres.table_mappings, \"items\": was there, is now missing"}, differs: true},
		"one more mapping is no change": {rewrite: keeps([]any{events, items, users}, mappingsAt...), sent: "GET, PATCH name", differs: true},
		"a leaf of the first PATCH that the second resets stays": {config: m{"mappings": changed}, rewrite: inTurn(keeps("new", "name"), keeps("", "name")),
			sent: "GET, PATCH name -events, PATCH +events, GET", warnings: []string{`- name: was "new", is now ""`}, differs: true},
	})
}

// TestResponsesOmitTheSetOrALeaf has responses that omit the set, or a leaf.
func TestResponsesOmitTheSetOrALeaf(t *testing.T) {
	playAll(t, map[string]scene{
		"nothing shows the set after the first PATCH: what it removed is in the list": {config: m{"mappings": changed}, edit: within(1, 0, 9, omitsNames), happens: forbidsRead(1, 2),
			sent: "GET, PATCH name -events, 2 GETs", errors: []string{"Nothing more was sent: Tried to ", wasThere}},
		"a leaf that only the response to the second PATCH has is returned": {config: m{"mappings": changed}, edit: within(1, 0, 99, omits("name")),
			sent: "GET, PATCH name -events, PATCH +events"},
		"nothing shows the set after the last PATCH: what it adds is not known to be there": {config: m{"mappings": changed}, edit: within(2, 0, 1, omitsNames),
			happens: forbidsRead(2, 1), sent: "GET, PATCH name -events, PATCH +events, GET",
			errors: []string{"Cannot read pipe after its update", "\"events\": excluded_columns = [\"n\u00e9\"], sorted = true"}},
		"no response has the names after either PATCH: one line": {config: m{"mappings": changed}, edit: each(within(1, 0, 2, omitsNames), within(2, 0, 2, omitsNames)),
			sent: "GET, PATCH name -events, 2 GETs, PATCH +events, GET", warnings: []string{":\n\n  - source.postgres.table_mappings\n\nThe state"}},
		"no read before the first PATCH shows the set: what somebody removes until it is read stays removed": {config: m{"name": "crm", "mappings": append([]any{m{"target_table": "users"}}, usualMappings...)},
			edit: each(within(0, 1, 2, lacks("excluded_columns", "events", "items")), within(0, 2, 3, omits(mappingsAt...))), happens: before(0, 3, []any{events}, mappingsAt...),
			sent: "3 GETs, PATCH +users", differs: true},
		"no read has the mappings before the PATCH is sent again": {config: m{"mappings": changed}, happens: fails(1, false, &platform.Error{}),
			edit: within(1, 1, 99, omits(mappingsAt...)), sent: "GET, PATCH name -events, 2 GETs",
			errors: []string{"The API did not return source.postgres.table_mappings, so it is not known which table mappings the pipe has."}},
		"a response without a leaf, and a read without the set: the response has shown the set": {config: m{"mappings": changed},
			edit: each(within(1, 0, 1, omits("name")), within(1, 1, 99, omits(mappingsAt...))), sent: "GET, PATCH name -events, PATCH +events"},
		"a response and a read without the object around the set: nothing counts as lost": {config: m{"mappings": changed}, edit: within(1, 0, 2, omits("source", "postgres")),
			sent: "GET, PATCH name -events, 2 GETs, PATCH +events"},
		"a leaf that no read before the update had is no surprise after it": {config: m{"mappings": changed}, edit: within(0, 0, 99, omits("certificate")),
			sent: "2 GETs, PATCH name -events, PATCH +events"},
		"a response and a read have another fixture between removal and addition: the set is not gone": {config: m{"name": "crm", "mappings": append([]any{m{"target_table": "users"}}, changed...)},
			edit: within(1, 0, 2, keeps(m{"kafka": m{"partitions": 1}}, "source")), sent: "GET, PATCH -events +users, 3 GETs, PATCH +events"},
		"no read before the update has the object around the set: it is not cleared": {config: m{"mappings": []any{}}, edit: to("GET", omits("source", "postgres")), sent: "GET",
			errors: []string{"The API did not return source.postgres, so it is not known which table mappings the pipe has."}},
		"a set that no response to an addition has": {config: m{"name": "crm", "mappings": append([]any{m{"target_table": "users"}}, usualMappings...)},
			edit: within(1, 0, 99, omits(mappingsAt...)), sent: "GET, PATCH +users, GET", warnings: []string{"API does not return all values"}},
		"a set that is not known after a PATCH of leaves: nothing is said of it": {edit: within(1, 0, 2, omitsNames), sent: "GET, PATCH name, GET"},
		"a leaf that no response returns, in two PATCHes: one warning": {config: m{"mappings": changed}, edit: each(within(1, 0, 99, omits("name")), within(2, 0, 99, omits("name"))),
			sent: "GET, PATCH name -events, PATCH +events, GET", warnings: []string{":\n\n  - name\n\nThe state"}},
		"a set that nobody manages, and names that no response has: nothing counts as missing": {config: m{"mappings": nil}, edit: within(1, 0, 2, omitsNames),
			sent: "GET, PATCH name"},
		"a set that nobody manages, and an object around it that no response has": {config: m{"mappings": nil}, edit: within(1, 0, 99, omits("source", "postgres")),
			sent: "GET, PATCH name, GET"},
		"an unmanaged leaf that the platform drops":                          {config: m{"mappings": nil}, rewrite: omits("threads"), sent: "GET, PATCH name, GET", warnings: []string{"- threads: was 3, is now not set"}},
		"an unmanaged leaf that only the response of the past has":           {config: m{"mappings": nil}, edit: past, rewrite: omits("threads"), sent: "GET, PATCH name, 2 GETs", warnings: []string{"- threads: was 3, is now not set"}},
		"a response without anything is followed by one read":                {edit: none, sent: "GET, PATCH name, GET"},
		"a response of the past is followed by one read":                     {edit: past, sent: "GET, PATCH name, GET"},
		"a response without anything, of a leaf that is emptied":             {edit: none, config: m{"name": ""}, sent: "GET, PATCH name, GET"},
		"responses without anything, between a removal and its addition":     {edit: none, config: m{"mappings": changed}, sent: "GET, PATCH name -events, GET, PATCH +events, GET"},
		"responses of the past, between a removal and its addition":          {edit: past, config: m{"mappings": changed}, sent: "GET, PATCH name -events, GET, PATCH +events, GET"},
		"responses of the past, of a set to nothing, and what none can show": {edit: past, config: m{"name": "crm", "mappings": []any{}, "credentials": m{"version": "1"}}, sent: "GET, PATCH credentials.version -events -items, GET"},
		"what no response can confirm is read once":                          {config: m{"name": "crm", "credentials": m{"version": "1"}}, sent: "GET, PATCH credentials.version, GET"},
	})
}

// TestStateAfterAFailedRead has updates whose result no read shows: the state has what a response had
// and, where none had anything, what was sent.
func TestStateAfterAFailedRead(t *testing.T) {
	const unread = "Cannot read pipe after its update: The update of pipe \"crm\""
	playAll(t, map[string]scene{
		"no response has anything": {edit: none, happens: forbidsRead(1, 1), sent: "GET, PATCH name, GET", errors: []string{unread}, held: m{"name": "new"}},
		"a response has the past":  {edit: past, happens: forbidsRead(1, 1), sent: "GET, PATCH name, GET", errors: []string{unread}},
		"a response omits the leaf": {config: m{"name": "crm", "threads": 5}, edit: to("", omits("threads")), happens: forbidsRead(1, 1),
			sent: "2 GETs, PATCH threads, GET", errors: []string{unread}, held: m{"threads": 5}, warnings: []string{"- threads: the plan had 3, the update found not set, and set 5"}},
	})
}

// TestWithoutAMappings has a kind that has no keyed map.
func TestWithoutAMappings(t *testing.T) {
	playAll(t, map[string]scene{
		"a PATCH that is sent again": {plain: true, happens: fails(1, false, &platform.Error{}), sent: "GET, PATCH name, PATCH name"},
		"a leaf that has changed since the plan, and is not set": {plain: true, happens: inOrder(before(0, 1, "moved", "name"), fails(1, false, &platform.Error{Status: 422})),
			sent: "GET, PATCH name", errors: []string{"Cannot update pipe"}},
		"a PATCH that is rejected":   {plain: true, happens: fails(1, false, &platform.Error{Status: 422}), sent: "GET, PATCH name", errors: []string{"Cannot update pipe"}},
		"responses that omit a leaf": {plain: true, edit: each(within(0, 1, 2, omits("threads")), within(1, 0, 1, omits("name"))), sent: "2 GETs, PATCH name, GET"},
	})
}
