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
	inSteps := func(w *workshop, request string, lamp tfvalue.Value) tfvalue.Value {
		if len(w.patches()) == 0 {
			return lamp
		}
		return keeps(min(3+w.lastReads(), 6), "size")(lamp)
	}
	playAll(t, map[string]scene{
		"a leaf that is late is read until it is there": {lag: 3 * time.Second, sent: "GET, PATCH name, 4 GETs", took: 3500 * time.Millisecond},
		"a leaf that comes in steps is read until it is there": {config: m{"name": "desk", "size": 6}, edit: inSteps, sent: "GET, PATCH size, 3 GETs",
			took: 1500 * time.Millisecond},
		"an element whose members come late is read until it has them": {config: m{"name": "desk", "bulbs": append([]any{g9}, deskBulbs...)},
			edit: within(1, 0, 4, lacks("wire", "G9")), sent: "GET, PATCH +G9, 4 GETs", took: 3500 * time.Millisecond},
		"an addition waits for its removal, and for no leaf": {config: m{"bulbs": blue}, rewrite: keeps("desk", "name"), sent: "GET, PATCH name -E14, PATCH +E14, 10 GETs",
			took: maxWait, errors: []string{notShown + "name of lamp"}},
		"a leaf that is never there is sent once": {rewrite: keeps("desk", "name"), sent: "GET, PATCH name, 10 GETs", took: maxWait,
			errors: []string{`name was sent and accepted, but the API still returned the value from before, "desk", in reads for 30s. `}},
		"a leaf that becomes another one is an error with advice": {config: m{"name": "desk", "size": 5}, rewrite: keeps(7, "size"), sent: "GET, PATCH size, 10 GETs",
			took: maxWait, advises: true, errors: []string{"size was sent and accepted, but the API returned another value, 7, in reads for 30s. "}},
		"a removal that is never there is in the list": {config: m{"name": "desk", "bulbs": blue}, rewrite: keeps([]any{e14, e27}, bulbsAt...), sent: "GET, PATCH -E14, 10 GETs",
			took: maxWait, errors: []string{"\"E14\": should be missing, but is there", wasRed}},
		"an addition that becomes another one is in the list": {config: m{"name": "desk", "bulbs": blue},
			rewrite: inTurn(keeps([]any{e27}, bulbsAt...), keeps([]any{m{"socket": "E14", "colors": []any{}, "on": false}, e27}, bulbsAt...)),
			sent:    "GET, PATCH -E14, PATCH +E14, 10 GETs", took: maxWait,
			errors: []string{`"E14", colors: should be ["blue"], but is []`, "added meanwhile:\n\n  - \"E14\"\n\nTheir colors stay off."}},
		"an addition in another letter case is named": {config: m{"name": "desk", "bulbs": append([]any{g9}, deskBulbs...)},
			rewrite: keeps([]any{e14, e27, m{"socket": "g9", "colors": []any{}, "on": false}}, bulbsAt...), sent: "GET, PATCH +G9, 10 GETs", took: maxWait,
			errors: []string{"Configure them as the platform spells them:\n\n  - \"g9\"\n\n"}},
		"after a leaf that is never there, nothing is restored": {rewrite: all(keeps(0, "size"), keeps("desk", "name")),
			config: m{"size": 3}, sent: "GET, PATCH name, 10 GETs", took: maxWait, errors: []string{notShown + "name of lamp"},
			warnings: []string{"the next plan shows them:\n\n  - size: was 3, is now 0"}},
		"after an addition that is never there, nothing is restored": {config: m{"name": "desk", "size": 3, "bulbs": append([]any{g9}, deskBulbs...)},
			rewrite: all(keeps(0, "size"), keeps([]any{e14, e27}, bulbsAt...)),
			sent:    "GET, PATCH +G9, 10 GETs", took: maxWait, errors: []string{notShown + "fixture.mount.bulbs of lamp"}, warnings: []string{"size: was 3, is now 0"}},
		"a removed element with another value is waited for": {config: m{"name": "desk", "bulbs": blue}, lag: 3 * time.Second,
			edit: within(1, 0, 4, keeps([]any{m{"socket": "E14", "colors": []any{}, "on": false}, e27}, bulbsAt...)), sent: "GET, PATCH -E14, 4 GETs, PATCH +E14, 4 GETs",
			took: 7 * time.Second},
		"an addition to a set that is omitted once it is empty is waited for": {config: m{"name": "desk", "bulbs": bothBlue}, lag: 3 * time.Second,
			edit: to("", omitsEmptyBulbs), sent: "GET, PATCH -E14 -E27, 4 GETs, PATCH +E14 +E27, 4 GETs", took: 7 * time.Second},
		"an addition to such a set that is never there is an error": {config: m{"name": "desk", "bulbs": bothBlue}, rewrite: keeps([]any{}, bulbsAt...),
			edit: to("", omitsEmptyBulbs), sent: "GET, PATCH -E14 -E27, PATCH +E14 +E27, 10 GETs", took: maxWait,
			errors: []string{notShown + "fixture.mount.bulbs of lamp", partly}},
		"a read during the wait fails: what was removed is in the list": {config: m{"bulbs": blue}, lag: 3 * time.Second, happens: forbidsRead(1, 2),
			sent: "GET, PATCH name -E14, 2 GETs", took: 500 * time.Millisecond, errors: []string{"Cannot read lamp after its update", wasRed}},
		"what was restored is waited for": {
			config: m{"size": 3}, rewrite: inTurn(keeps(0, "size")),
			happens: func(w *workshop, request string) error {
				if request != "GET" && len(w.patches()) == 2 {
					time.Sleep(2 * time.Second) // so that the past is what the reset left
					w.lag = time.Second
				}
				return nil
			},
			sent: "GET, PATCH name, GET, PATCH name size, 3 GETs", took: 3500 * time.Millisecond,
			warnings: []string{"- size: was 3, was found to be 0"},
		},
		"an element of an earlier PATCH is waited for": {config: m{"size": 3, "bulbs": append([]any{m{"socket": "G9"}}, deskBulbs...)}, rewrite: inTurn(keeps(0, "size")),
			edit: within(2, 0, 3, keeps([]any{e14, e27}, bulbsAt...)), sent: "GET, PATCH name +G9, GET, PATCH name size, 3 GETs", took: 1500 * time.Millisecond,
			warnings: []string{"- size: was 3, was found to be 0"}},
		"a leaf of the first PATCH that only the response to the second has as it was": {config: m{"bulbs": blue}, edit: to("PATCH +E14", keeps("desk", "name")),
			sent: "GET, PATCH name -E14, PATCH +E14, GET"},
		"a leaf that only the response had is asked for once more, after a response that is dropped": {config: m{"name": "desk", "size": 5}, lag: time.Second,
			edit: within(1, 3, 4, omits("cert")), sent: "GET, PATCH size, 4 GETs", took: 1500 * time.Millisecond},
	})
}

// TestUnknownOutcome has PATCHes whose response is lost: carried out, or not, or later. Each row is a
// rule of what follows.
func TestUnknownOutcome(t *testing.T) {
	third := append([]any{m{"socket": "G9"}}, deskBulbs...)
	undone := "\n\nNothing more was sent: Reads for 30s show the bulbs as they were, but the platform may still carry out the request. "
	unreadable := &platform.Error{Status: http.StatusOK, Ambiguous: true}
	playAll(t, map[string]scene{
		"leaves are sent again at once":                 {happens: lost(1, false), sent: "GET, PATCH name, PATCH name"},
		"leaves whose response cannot be read are read": {happens: fails(1, true, unreadable), sent: "GET, PATCH name, GET"},
		"leaves whose response cannot be read, and that are not there": {happens: fails(1, false, unreadable), sent: "GET, PATCH name, 10 GETs", took: maxWait,
			errors: []string{notShown + "name of lamp", "Cannot update lamp"}},
		"credentials whose response cannot be read have not arrived": {config: m{"name": "desk", "secret": m{"version": "1"}}, happens: fails(1, true, unreadable),
			sent: "GET, PATCH secret.version, GET", errors: []string{"the next apply sends them again:\n\n  - secret.version"}, differs: true},
		"a removal that a read shows: the read is enough": {config: m{"bulbs": blue}, happens: lost(1, true), sent: "GET, PATCH name -E14, GET, PATCH +E14"},
		"a leaf that has changed meanwhile is not put back": {config: m{"size": 3, "bulbs": blue}, happens: inOrder(before(1, 0, 9, "size"), lost(1, true)),
			sent: "GET, PATCH name -E14, GET, PATCH +E14, GET", warnings: []string{"- size: was 3, is now 9"}, differs: true},
		"a removal that is carried out after 14 s is not sent again": {config: m{"bulbs": blue}, happens: doneLater(14*time.Second, 1),
			sent: "GET, PATCH name -E14, 7 GETs, PATCH +E14", took: 17500 * time.Millisecond},
		"a removal that is carried out after 40 s: the update has stopped": {config: m{"bulbs": blue}, happens: doneLater(40*time.Second, 1),
			sent: "GET, PATCH name -E14, 10 GETs", took: maxWait, errors: []string{undone, wasRed + "Their colors stay off."}},
		"an addition that is carried out after 12 s is not sent again": {config: m{"name": "desk", "bulbs": third}, happens: doneLater(12*time.Second, 1),
			sent: "GET, PATCH +G9, 6 GETs", took: 12500 * time.Millisecond},
		"an addition that is not carried out for 30 s is sent once more": {config: m{"bulbs": blue}, happens: doneLater(0, 2),
			sent: "GET, PATCH name -E14, PATCH +E14, 10 GETs, PATCH +E14", took: maxWait},
		"an addition is not sent a third time": {config: m{"bulbs": blue}, happens: doneLater(0, 2, 3), sent: "GET, PATCH name -E14, PATCH +E14, 10 GETs, PATCH +E14, 10 GETs",
			took:   2 * maxWait,
			errors: []string{undone, "They were:\n\n  - \"E14\": colors = [\"r\u00e9d\"], on = true, wire = \"E14\"\n\nThese were sent, and may be added meanwhile:\n\n  - \"E14\"\n\n"}},
		"an addition is not sent again if the provider does not retry": {config: m{"bulbs": blue}, happens: doneLater(0, 2), once: true,
			sent: "GET, PATCH name -E14, PATCH +E14, 10 GETs", took: maxWait, errors: []string{undone, partly}},
		"a removed element that somebody changes stops the update at once": {config: m{"bulbs": blue},
			happens: inOrder(before(1, 0, []any{m{"socket": "E14", "colors": []any{"r\u00e9d", "x"}, "on": true}, e27}, bulbsAt...), lost(1, false)), sent: "GET, PATCH name -E14, GET",
			errors: []string{conflicts + ": The plan changes these bulbs", wasRed}},
		"an addition that is there otherwise is read again, and then a conflict": {config: m{"bulbs": blue},
			happens: inOrder(before(2, 0, []any{m{"socket": "E14", "colors": []any{}, "on": true}, e27}, bulbsAt...), lost(2, false)), sent: "GET, PATCH name -E14, PATCH +E14, 10 GETs",
			took: maxWait, errors: []string{conflicts, wasRed}},
		"a read that is older than the first PATCH is no conflict after the second, either": {config: m{"bulbs": blue},
			happens: inOrder(lagsAfter(2, 3*time.Second), lost(2, true)), sent: "GET, PATCH name -E14, PATCH +E14, 4 GETs", took: 3500 * time.Millisecond},
		"what restores, and was not carried out, is read once": {config: m{"size": 3}, rewrite: inTurn(keeps(0, "size")), happens: lost(2, false), differs: true,
			sent: "GET, PATCH name, GET, PATCH name size, GET", warnings: []string{"- size: was 3, was found to be 0"}},
		"what restores, and has dropped an addition, is an error": {config: m{"name": "desk", "size": 3, "bulbs": blue}, happens: lost(3, true),
			rewrite: inTurn(keeps(0, "size"), asItIs, keeps([]any{e27}, bulbsAt...)),
			sent:    "GET, PATCH -E14, PATCH +E14, GET, PATCH name size, 11 GETs", took: maxWait, errors: []string{"\"E14\": should be there, but is missing", wasRed},
			warnings: []string{"- size: was 3, was found to be 0"}},
		"what restores, and is rejected, is an error": {config: m{"size": 3}, rewrite: inTurn(keeps(0, "size")), happens: fails(2, false, &platform.Error{Status: 422}),
			sent: "GET, PATCH name, GET, PATCH name size", errors: []string{"HTTP 422"}, warnings: []string{"left as they are, and the next plan shows them:\n\n  - size: was 3, is now 0"}},
		"what restores, and may have been carried out, is read": {config: m{"size": 3}, rewrite: inTurn(keeps(0, "size")), happens: lost(2, true), unsaid: "left as they are",
			sent: "GET, PATCH name, GET, PATCH name size, GET", warnings: []string{"- size: was 3, was found to be 0"}},
		"an addition that is there in another Unicode form": {config: m{"bulbs": []any{m{"socket": "E14", "colors": []any{"bl\u00e9u"}}, deskBulbs[1]}},
			sent:    "GET, PATCH name -E14, PATCH +E14, GET",
			happens: inOrder(before(2, 0, []any{m{"socket": "E14", "colors": []any{"ble\u0301u"}, "on": false}, e27}, bulbsAt...), lost(2, false))},
		"a removal that is done, and a leaf that is not: the leaves are sent": {config: m{"size": 5, "bulbs": blue}, rewrite: inTurn(keeps("other", "name")),
			happens: lost(1, true), sent: "GET, PATCH name size -E14, GET, PATCH name size, PATCH +E14"},
		"a removal that is done, and credentials that no read shows: they are sent again": {config: m{"name": "desk", "secret": m{"version": "1"}, "bulbs": blue},
			happens: lost(1, true), sent: "GET, PATCH secret.version -E14, GET, PATCH secret.version, PATCH +E14"},
		"a read after it fails: what it removes is in the list": {config: m{"bulbs": blue}, sent: "GET, PATCH name -E14, 2 GETs", took: firstPause,
			happens: inOrder(doneLater(0, 1), forbidsRead(1, 2)), errors: []string{"Nothing more was sent: Tried to ", wasRed}},
		"no read after it has the bulbs": {config: m{"bulbs": blue}, happens: lost(1, false),
			edit: each(within(1, 0, 99, omits(bulbsAt...)), within(1, 0, 99, keeps(9, "size"))), sent: "GET, PATCH name -E14, 20 GETs", took: maxWait,
			warnings: []string{"- size: was 3, is now 9"}, errors: []string{"The API did not return fixture.mount.bulbs, so it is not known which bulbs the lamp has.", wasRed}},
		"a removal of all bulbs, which are omitted once there are none": {config: m{"bulbs": []any{}}, edit: to("", omitsEmptyBulbs), happens: lost(1, true),
			sent: "GET, PATCH name -E14 -E27, 2 GETs"},
	})
}

// TestRejectedHalfWay has a platform that removes one of two bulbs and then rejects the PATCH: one
// read shows what is gone.
func TestRejectedHalfWay(t *testing.T) {
	both := "They were:\n\n  - \"E14\": colors = [\"r\u00e9d\"], on = true, wire = \"E14\"\n  - \"E27\": "
	scenes := map[string]scene{
		"what the read lacks is in the list":          {happens: fails(1, true, &platform.Error{Status: 400, Message: "no E27"}), sent: "GET, PATCH -E14 -E27, GET", errors: []string{"no E27", wasRed}},
		"after the last 409, too":                     {happens: fails(1, true, &platform.Error{Status: 409}), sent: "GET, PATCH -E14 -E27, GET", errors: []string{"HTTP 409", wasRed}},
		"the read fails: all that the PATCH removes":  {happens: inOrder(fails(1, true, &platform.Error{Status: 400}), forbidsRead(1, 1)), sent: "GET, PATCH -E14 -E27, GET", errors: []string{"HTTP 400", both}},
		"nothing was done: no list":                   {happens: fails(1, false, &platform.Error{Status: 422}), sent: "GET, PATCH -E14 -E27, GET", errors: []string{"HTTP 422"}},
		"missing permission does nothing: no read":    {happens: fails(1, false, &platform.Error{Status: 403}), sent: "GET, PATCH -E14 -E27", errors: []string{"HTTP 403"}},
		"the second is rejected: all that is removed": {happens: fails(2, false, &platform.Error{Status: 422}), sent: "GET, PATCH -E14 -E27, PATCH +E14 +E27", errors: []string{"HTTP 422", both}},
	}
	for name, s := range scenes {
		if s.config = (m{"name": "desk", "bulbs": bothBlue}); !strings.HasSuffix(s.sent, "PATCH +E14 +E27") {
			s.rewrite = inTurn(keeps([]any{e27}, bulbsAt...))
		}
		scenes[name] = s
	}
	playAll(t, scenes)
}

// TestChangesByOthersStayAndAreNamed has an update that is not alone: a colleague changes the lamp before a request, or
// while one waits. Nothing is put back that a colleague may have changed, and each change is named.
func TestChangesByOthersStayAndAreNamed(t *testing.T) {
	busy := func(patch int) happening { return fails(patch, false, &platform.Error{}) }
	greenE14 := []any{m{"socket": "E14", "colors": []any{"green"}, "on": true}, e27}
	const left = "They were left as they are, and the next plan shows them:\n\n"
	playAll(t, map[string]scene{
		"a leaf changes while a PATCH of another waits: it stays": {config: m{"size": 3}, happens: inOrder(before(1, 0, 9, "size"), busy(1)),
			sent: "GET, PATCH name, PATCH name, GET", warnings: []string{left + "  - size: was 3, is now 9"}, differs: true},
		"a leaf changes while a PATCH is in the queue: it stays": {config: m{"size": 3}, happens: inOrder(before(1, 0, 9, "size"), queues(0, 1, 11*time.Second)), sent: "GET, PATCH name, GET",
			took: 11 * time.Second, warnings: []string{left + "  - size: was 3, is now 9"}, differs: true},
		"a leaf that only the response has otherwise has not changed": {config: m{"size": 3}, sent: "GET, PATCH name, GET", edit: to("PATCH name", keeps(0, "size"))},
		"a leaf changes while the PATCH that restores waits: it is not sent again": {config: m{"size": 3}, rewrite: inTurn(keeps(0, "size")), happens: busy(2),
			sent: "GET, PATCH name, GET, PATCH name size", warnings: []string{left + "  - size: was 3, is now 0"}, differs: true},
		"the PATCH that restores is in the queue for too long: it is not sent": {config: m{"size": 3}, rewrite: inTurn(keeps(0, "size")), sent: "GET, PATCH name, GET",
			took: 11 * time.Second, happens: queues(1, 1, 11*time.Second), warnings: []string{left + "  - size: was 3, is now 0"}, differs: true},
		"an element is removed before a PATCH of a leaf: it is not added again": {happens: before(1, 0, []any{e27}, bulbsAt...), sent: "GET, PATCH name, GET",
			warnings: []string{left + "  - fixture.mount.bulbs, \"E14\": was there, is now missing"}, differs: true},
		"another element changes while a PATCH waits: it is left alone": {config: m{"bulbs": blue},
			happens: inOrder(before(1, 0, []any{e14, m{"socket": "E27", "colors": []any{"x"}, "on": false}}, bulbsAt...), busy(1)),
			sent:    "GET, PATCH name -E14, GET, PATCH name -E14, PATCH +E14, GET", warnings: []string{left + `  - fixture.mount.bulbs, "E27", colors: was [], is now ["x"]`},
			differs: true},
		"the element changes while a PATCH waits: nothing more is sent": {config: m{"bulbs": blue}, happens: inOrder(before(1, 0, greenE14, bulbsAt...), busy(1)),
			sent: "GET, PATCH name -E14, GET", errors: []string{conflicts}},
		"the element is as it is wanted by then: the leaves are sent": {config: m{"bulbs": []any{e27}}, happens: inOrder(before(1, 0, []any{e27}, bulbsAt...), busy(1)),
			sent: "GET, PATCH name -E14, GET, PATCH name"},
		"one of its wire is added while a PATCH waits: nothing more is sent": {config: m{"bulbs": blue}, happens: inOrder(before(1, 0, []any{e14, e27, g9}, bulbsAt...), busy(1)),
			sent: "GET, PATCH name -E14, GET", errors: []string{conflicts}},
		"in another Unicode form, it cannot be sent": {config: m{"bulbs": blue},
			happens: inOrder(before(1, 0, []any{m{"socket": "E14", "colors": []any{"re\u0301d"}, "on": true}, e27}, bulbsAt...), busy(1)), sent: "GET, PATCH name -E14, GET",
			errors: []string{conflicts}},
		"a related one is added between the two PATCHes: it is read again, and then a conflict": {config: m{"bulbs": elsewhere},
			rewrite: inTurn(keeps([]any{m{"socket": "G9", "wire": "E14", "colors": []any{"green"}, "on": false}, e27}, bulbsAt...)), sent: "GET, PATCH name -E14, 10 GETs",
			took: maxWait, errors: []string{conflicts, wasRed}},
		"what the second PATCH adds is there: it is not sent": {config: m{"bulbs": elsewhere}, rewrite: inTurn(keeps([]any{g9, e27}, bulbsAt...)),
			sent: "GET, PATCH name -E14, GET"},
		"a read that is older than the first PATCH is no conflict": {config: m{"bulbs": blue}, happens: inOrder(lagsAfter(2, 3*time.Second), busy(2)),
			sent: "GET, PATCH name -E14, PATCH +E14, 4 GETs, PATCH +E14", took: 3500 * time.Millisecond},
		"a PATCH that was in the queue for too long is decided by a new read, and a leaf that changed meanwhile stays": {
			config: m{"name": "desk", "size": 3, "bulbs": blue}, happens: inOrder(before(0, 2, 9, "size"), queues(0, 1, 11*time.Second)), sent: "2 GETs, PATCH -E14, PATCH +E14, GET", took: 11 * time.Second,
			warnings: []string{left + "  - size: was 3, is now 9"}, differs: true},
		"an element that goes with the PATCH of another is not added again": {config: m{"bulbs": blue}, rewrite: inTurn(keeps([]any{}, bulbsAt...)),
			sent: "GET, PATCH name -E14, PATCH +E14, GET", warnings: []string{left + "  - fixture.mount.bulbs, \"E27\": was there, is now missing"}, differs: true},
		"all elements go with a PATCH of a leaf, which omits them then": {rewrite: inTurn(keeps([]any{}, bulbsAt...)), edit: to("", omitsEmptyBulbs),
			sent: "GET, PATCH name, GET", warnings: []string{"\"E14\": was there, is now missing\n  - fixture.mount.bulbs, \"E27\": was there, is now missing"}, differs: true},
		"one more element is no change": {rewrite: keeps([]any{e14, e27, g9}, bulbsAt...), sent: "GET, PATCH name", differs: true},
		"a leaf of the first PATCH that the second resets is sent again": {config: m{"bulbs": blue}, rewrite: inTurn(keeps("new", "name"), keeps("", "name")),
			sent: "GET, PATCH name -E14, PATCH +E14, GET, PATCH name", warnings: []string{`- name: was "new", was found to be ""`}},
		"all that it has added goes with the PATCH that restores, which omits an empty set": {from: []any{}, config: m{"name": "desk", "size": 3, "bulbs": deskBulbs},
			edit: to("", omitsEmptyBulbs), rewrite: inTurn(keeps(0, "size"), keeps([]any{}, bulbsAt...)), sent: "2 GETs, PATCH +E14 +E27, GET, PATCH name size, 10 GETs",
			took: maxWait, errors: []string{"\"E14\": should be there, but is missing"}, warnings: []string{"- size: was 3, was found to be 0"}},
		"what an update resets of what it has added is an error": {config: m{"name": "desk", "size": 3, "bulbs": blue},
			rewrite: inTurn(keeps(0, "size"), asItIs, keeps([]any{e27}, bulbsAt...)),
			sent:    "GET, PATCH -E14, PATCH +E14, GET, PATCH name size, 10 GETs", took: maxWait, errors: []string{"\"E14\": should be there, but is missing", wasRed},
			warnings: []string{"- size: was 3, was found to be 0"}},
	})
}

// TestResponsesOmitTheSetOrALeaf has responses that omit the set, or a leaf.
func TestResponsesOmitTheSetOrALeaf(t *testing.T) {
	playAll(t, map[string]scene{
		"nothing shows the set after the first PATCH: what it removed is in the list": {config: m{"bulbs": blue}, edit: within(1, 0, 9, omitsNames), happens: forbidsRead(1, 2),
			sent: "GET, PATCH name -E14, 2 GETs", errors: []string{"Nothing more was sent: Tried to ", wasRed}},
		"a leaf that only the response to the second PATCH has is returned": {config: m{"bulbs": blue}, edit: within(1, 0, 99, omits("name")),
			sent: "GET, PATCH name -E14, PATCH +E14"},
		"nothing shows the set after the last PATCH: what it adds is not known to be there": {config: m{"bulbs": blue}, edit: within(2, 0, 1, omitsNames),
			happens: forbidsRead(2, 1), sent: "GET, PATCH name -E14, PATCH +E14, GET",
			errors: []string{"Cannot read lamp after its update", "\"E14\": colors = [\"r\u00e9d\"], on = true"}},
		"no response has the names after either PATCH: one line": {config: m{"bulbs": blue}, edit: each(within(1, 0, 2, omitsNames), within(2, 0, 2, omitsNames)),
			sent: "GET, PATCH name -E14, 2 GETs, PATCH +E14, GET", warnings: []string{":\n\n  - fixture.mount.bulbs\n\nThe state"}},
		"no read before the first PATCH shows the set: what somebody removes until it is read stays removed": {config: m{"name": "desk", "bulbs": append([]any{m{"socket": "G9"}}, deskBulbs...)},
			edit: each(within(0, 1, 2, lacks("colors", "E14", "E27")), within(0, 2, 3, omits(bulbsAt...))), happens: before(0, 3, []any{e14}, bulbsAt...),
			sent: "3 GETs, PATCH +G9", differs: true},
		"no read has the bulbs before the PATCH is sent again": {config: m{"bulbs": blue}, happens: fails(1, false, &platform.Error{}),
			edit: within(1, 1, 99, omits(bulbsAt...)), sent: "GET, PATCH name -E14, 2 GETs",
			errors: []string{"The API did not return fixture.mount.bulbs, so it is not known which bulbs the lamp has."}},
		"a response without a leaf, and a read without the set: the response has shown the set": {config: m{"bulbs": blue},
			edit: each(within(1, 0, 1, omits("name")), within(1, 1, 99, omits(bulbsAt...))), sent: "GET, PATCH name -E14, PATCH +E14"},
		"a response and a read without the object around the set: nothing counts as lost": {config: m{"bulbs": blue}, edit: within(1, 0, 2, omits("fixture", "mount")),
			sent: "GET, PATCH name -E14, 2 GETs, PATCH +E14"},
		"a leaf that no read before the update had is no surprise after it": {config: m{"bulbs": blue}, edit: within(0, 0, 99, omits("cert")),
			sent: "2 GETs, PATCH name -E14, PATCH +E14"},
		"an addition to a set that only a read before the second attempt has: it is waited for": {from: []any{}, config: m{"name": "desk", "bulbs": blue}, lag: time.Second,
			happens: fails(1, false, &platform.Error{}), edit: each(within(0, 0, 99, omitsEmptyBulbs), within(1, 0, 1, omitsEmptyBulbs), within(2, 0, 99, omitsEmptyBulbs)),
			sent: "2 GETs, PATCH +E14 +E27, GET, PATCH +E14 +E27, 3 GETs", took: 1500 * time.Millisecond},
		"a response and a read have another fixture between removal and addition: the set is not gone": {config: m{"name": "desk", "bulbs": append([]any{m{"socket": "G9"}}, blue...)},
			edit: within(1, 0, 2, keeps(m{"clamp": m{"grip": 1}}, "fixture")), sent: "GET, PATCH -E14 +G9, 3 GETs, PATCH +E14, GET",
			warnings: []string{"fixture.clamp.grip: was 1, is now not set"}},
		"a leaf that only responses to PATCHes have, as it was: it is not known": {config: m{"cert": "new", "name": "desk"},
			edit: each(to("GET", omits("cert")), to("PATCH", keeps("c", "cert"))), sent: "2 GETs, PATCH cert, 2 GETs", warnings: []string{"API does not return all values"}},
		"no read before the update has the object around the set: it is not cleared": {config: m{"bulbs": []any{}}, edit: to("GET", omits("fixture", "mount")), sent: "GET",
			errors: []string{"The API did not return fixture.mount, so it is not known which bulbs the lamp has."}},
		"a set that no response to an addition has": {config: m{"name": "desk", "bulbs": append([]any{m{"socket": "G9"}}, deskBulbs...)},
			edit: within(1, 0, 99, omits(bulbsAt...)), sent: "GET, PATCH +G9, GET", warnings: []string{"API does not return all values"}},
		"a set that is not known before a PATCH of leaves: what is gone after it may have been gone": {config: m{"size": 3},
			rewrite: inTurn(keeps(0, "size"), keeps([]any{e14}, bulbsAt...)), edit: within(1, 0, 2, omitsNames), sent: "GET, PATCH name, GET, PATCH name size, GET",
			differs: true, warnings: []string{"bulbs, \"E27\": was there, is now missing"}},
		"a leaf that no response returns, in two PATCHes: one warning": {config: m{"bulbs": blue}, edit: each(within(1, 0, 99, omits("name")), within(2, 0, 99, omits("name"))),
			sent: "GET, PATCH name -E14, PATCH +E14, GET", warnings: []string{":\n\n  - name\n\nThe state"}},
		"a set that nobody manages, and names that no response has: nothing counts as missing": {config: m{"bulbs": nil}, edit: within(1, 0, 2, omitsNames),
			sent: "GET, PATCH name"},
		"a set that nobody manages, and an object around it that no response has": {config: m{"bulbs": nil}, edit: within(1, 0, 99, omits("fixture", "mount")),
			sent: "GET, PATCH name, GET"},
		"an unmanaged leaf that the platform drops":                          {config: m{"bulbs": nil}, rewrite: omits("size"), sent: "GET, PATCH name, GET", warnings: []string{"- size: was 3, is now not set"}},
		"an unmanaged leaf that only the response of the past has":           {config: m{"bulbs": nil}, edit: past, rewrite: omits("size"), sent: "GET, PATCH name, 2 GETs", warnings: []string{"- size: was 3, is now not set"}},
		"a response without anything is followed by one read":                {edit: none, sent: "GET, PATCH name, GET"},
		"a response of the past is followed by one read":                     {edit: past, sent: "GET, PATCH name, GET"},
		"a response without anything, of a leaf that is emptied":             {edit: none, config: m{"name": ""}, sent: "GET, PATCH name, GET"},
		"responses without anything, between a removal and its addition":     {edit: none, config: m{"bulbs": blue}, sent: "GET, PATCH name -E14, GET, PATCH +E14, GET"},
		"responses of the past, between a removal and its addition":          {edit: past, config: m{"bulbs": blue}, sent: "GET, PATCH name -E14, GET, PATCH +E14, GET"},
		"responses of the past, of a set to nothing, and what none can show": {edit: past, config: m{"name": "desk", "bulbs": []any{}, "secret": m{"version": "1"}}, sent: "GET, PATCH secret.version -E14 -E27, GET"},
		"what no response can confirm is read once":                          {config: m{"name": "desk", "secret": m{"version": "1"}}, sent: "GET, PATCH secret.version, GET"},
	})
}

// TestStateAfterAFailedRead has updates whose result no read shows: the state has what a response had
// and, where none had anything, what was sent.
func TestStateAfterAFailedRead(t *testing.T) {
	const unread = "Cannot read lamp after its update: The update of lamp \"desk\""
	playAll(t, map[string]scene{
		"no response has anything": {edit: none, happens: forbidsRead(1, 1), sent: "GET, PATCH name, GET", errors: []string{unread}, held: m{"name": "new"}},
		"a response has the past":  {edit: past, happens: forbidsRead(1, 1), sent: "GET, PATCH name, GET", errors: []string{unread}},
		"a response omits the leaf": {config: m{"name": "desk", "size": 5}, edit: to("", omits("size")), happens: forbidsRead(1, 1),
			sent: "2 GETs, PATCH size, GET", errors: []string{unread}, held: m{"size": 5}},
	})
}

// TestWithoutAKeyedMap has a kind that has no keyed map.
func TestWithoutAKeyedMap(t *testing.T) {
	playAll(t, map[string]scene{
		"a platform that resets what it omits": {plain: true, config: m{"size": 3}, rewrite: inTurn(keeps(0, "size")), sent: "GET, PATCH name, GET, PATCH name size", warnings: []string{"- size: was 3, was found to be 0"}},
		"a PATCH that is sent again":           {plain: true, happens: fails(1, false, &platform.Error{}), sent: "GET, PATCH name, PATCH name"},
		"a PATCH that is rejected":             {plain: true, happens: fails(1, false, &platform.Error{Status: 422}), sent: "GET, PATCH name", errors: []string{"Cannot update lamp"}},
		"responses that omit a leaf":           {plain: true, edit: each(within(0, 1, 2, omits("size")), within(1, 0, 1, omits("name"))), sent: "2 GETs, PATCH name, GET"},
	})
}
