package adopt

import (
	"net/http"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestUnknownOutcome has PATCHes whose response is lost: carried out, or not, or later. Each row is a
// rule of what follows.
func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	third := append([]any{m{"socket": "G9"}}, deskBulbs...)
	undone := "Reads for 30s show the bulbs as they were, but the platform may still carry out the request. "
	unreadable := &platform.Error{Status: http.StatusOK, Ambiguous: true}
	for name, test := range map[string]scene{
		"leaves are sent again at once": {
			happens: lost(1, false), sent: []string{"GET", "PATCH name", "PATCH name"},
		},
		"leaves whose response cannot be read are read": {
			happens: fails(1, true, unreadable), sent: []string{"GET", "PATCH name", "GET"},
		},
		"leaves whose response cannot be read, and that are not there": {
			happens: fails(1, false, unreadable), sent: []string{"GET", "PATCH name", "10 GETs"}, took: maxWait,
			errors: []string{notShown + "name of lamp", "Cannot update lamp"},
		},
		"credentials whose response cannot be read are not known to be there": {
			config: m{"name": "desk", "secret": m{"version": "1"}}, happens: fails(1, true, unreadable),
			sent: []string{"GET", "PATCH secret.version", "GET"}, warnings: []string{"not known whether they are in effect:\n\n  - secret.version\n"},
		},
		"a removal that a read shows: the read is enough": {
			config: m{"bulbs": blue}, happens: lost(1, true), sent: []string{"GET", "PATCH name -E14", "GET", "PATCH +E14"},
		},
		"a leaf that has changed meanwhile is not put back": {
			config: m{"size": 3, "bulbs": blue}, happens: meanwhile(9, tfvalue.Path{"size"}, lost(1, true)),
			sent: []string{"GET", "PATCH name -E14", "GET", "PATCH +E14", "GET"}, warnings: []string{"- size: was 3, is now 9"}, differs: true,
		},
		"a removal that reads show late is not sent again": {
			config: m{"bulbs": blue}, lag: 3 * time.Second, happens: lost(1, true),
			sent: []string{"GET", "PATCH name -E14", "4 GETs", "PATCH +E14", "4 GETs"}, took: 7 * time.Second,
		},
		"a removal that is carried out after 14 s is not sent again": {
			config: m{"bulbs": blue}, happens: doneLater(14*time.Second, 1),
			sent: []string{"GET", "PATCH name -E14", "7 GETs", "PATCH +E14"}, took: 17500 * time.Millisecond,
		},
		"a removal that is carried out after 40 s: the update has stopped": {
			config: m{"bulbs": blue}, happens: doneLater(40*time.Second, 1),
			sent: []string{"GET", "PATCH name -E14", "10 GETs"}, took: maxWait, errors: []string{undone, wasRed},
		},
		"an addition that is carried out after 12 s is not sent again": {
			config: m{"name": "desk", "bulbs": third}, happens: doneLater(12*time.Second, 1),
			sent: []string{"GET", "PATCH +G9", "6 GETs"}, took: 12500 * time.Millisecond,
		},
		"an addition that is not carried out for 30 s is sent once more": {
			config: m{"bulbs": blue}, happens: doneLater(0, 2),
			sent: []string{"GET", "PATCH name -E14", "PATCH +E14", "10 GETs", "PATCH +E14"}, took: maxWait,
		},
		"an addition is not sent a third time": {
			config: m{"bulbs": blue}, happens: doneLater(0, 2, 3),
			sent: []string{"GET", "PATCH name -E14", "PATCH +E14", "10 GETs", "PATCH +E14", "10 GETs"}, took: 2 * maxWait,
			errors: []string{undone, "They were:\n\n  - E14: colors = [\"r\u00e9d\"], on = true, wire = \"E14\"\n\nThese were sent, and may be added meanwhile:\n\n  - E14\n\n"},
		},
		"an addition is not sent again if the provider does not retry": {
			config: m{"bulbs": blue}, happens: doneLater(0, 2), once: true,
			sent: []string{"GET", "PATCH name -E14", "PATCH +E14", "10 GETs"}, took: maxWait, errors: []string{undone, partly},
		},
		"a removed element that somebody changes stops the update at once": {
			config: m{"bulbs": blue}, happens: meanwhile([]any{m{"socket": "E14", "colors": []any{"r\u00e9d", "x"}, "on": true}, e27}, bulbsAt, lost(1, false)),
			sent: []string{"GET", "PATCH name -E14", "GET"}, errors: []string{conflicts + ": The plan changes these bulbs", wasRed},
		},
		"an addition that is there otherwise is read again, and then a conflict": {
			config: m{"bulbs": blue}, happens: meanwhile([]any{m{"socket": "E14", "colors": []any{}, "on": true}, e27}, bulbsAt, lost(2, false)),
			sent: []string{"GET", "PATCH name -E14", "PATCH +E14", "10 GETs"}, took: maxWait, errors: []string{conflicts, wasRed},
		},
		"a read that is older than the first PATCH is no conflict after the second, either": {
			config: m{"bulbs": blue},
			happens: func(w *workshop, request string) error {
				if w.lag = 0; request == "GET" && len(w.patches()) == 2 {
					w.lag = 3 * time.Second
				}
				return lost(2, true)(w, request)
			},
			sent: []string{"GET", "PATCH name -E14", "PATCH +E14", "4 GETs"}, took: 3500 * time.Millisecond,
		},
		"what restores, and was not carried out, is read once": {
			config: m{"size": 3}, rewrite: inTurn(keeps(0, "size")), happens: lost(2, false), differs: true,
			sent: []string{"GET", "PATCH name", "GET", "PATCH name size", "GET"}, warnings: []string{"- size: was 3, was found to be 0"},
		},
		"what restores, and has dropped an addition, is an error": {
			config: m{"name": "desk", "size": 3, "bulbs": blue}, happens: lost(3, true),
			rewrite: inTurn(keeps(0, "size"), func(lamp tfvalue.Value) tfvalue.Value { return lamp }, keeps([]any{e27}, bulbsAt...)),
			sent:    []string{"GET", "PATCH -E14", "PATCH +E14", "GET", "PATCH name size", "11 GETs"}, took: maxWait,
			errors: []string{"E14: should be there, but is missing", wasRed}, warnings: []string{"- size: was 3, was found to be 0"},
		},
		"what restores, and may have been carried out, is read": {
			config: m{"size": 3}, rewrite: inTurn(keeps(0, "size")), happens: lost(2, true), unsaid: "left as they are",
			sent: []string{"GET", "PATCH name", "GET", "PATCH name size", "GET"}, warnings: []string{"- size: was 3, was found to be 0"},
		},
		"an addition that is there in another Unicode form": {
			config: m{"bulbs": []any{m{"socket": "E14", "colors": []any{"bl\u00e9u"}}, deskBulbs[1]}}, sent: []string{"GET", "PATCH name -E14", "PATCH +E14", "GET"},
			happens: meanwhile([]any{m{"socket": "E14", "colors": []any{"ble\u0301u"}, "on": false}, e27}, bulbsAt, lost(2, false)),
		},
		"a removal that is done, and a leaf that is not: the leaves are sent": {
			config: m{"size": 5, "bulbs": blue}, rewrite: inTurn(keeps("other", "name")), happens: lost(1, true),
			sent: []string{"GET", "PATCH name size -E14", "GET", "PATCH name size", "PATCH +E14"},
		},
		"a removal that is done, and credentials that no read shows: they are sent again": {
			config: m{"name": "desk", "secret": m{"version": "1"}, "bulbs": blue}, happens: lost(1, true),
			sent: []string{"GET", "PATCH secret.version -E14", "GET", "PATCH secret.version", "PATCH +E14"},
		},
		"a read after it fails: what it removes is in the list": {
			config: m{"bulbs": blue}, sent: []string{"GET", "PATCH name -E14", "2 GETs"}, took: firstPause,
			happens: func(w *workshop, request string) error {
				return map[bool]func(*workshop, string) error{true: forbidsRead(1, 2), false: doneLater(0, 1)}[request == "GET"](w, request)
			},
			errors: []string{"Nothing more was sent: Tried to ", wasRed},
		},
		"no read after it has the bulbs": {
			config: m{"bulbs": blue}, happens: lost(1, false),
			edit: func(w *workshop, request string, lamp tfvalue.Value) tfvalue.Value {
				if len(w.patches()) == 1 {
					return keeps(9, "size")(lamp.Without(bulbsAt...))
				}
				return lamp
			},
			sent: []string{"GET", "PATCH name -E14", "20 GETs"}, took: maxWait, warnings: []string{"- size: was 3, is now 9"},
			errors: []string{"The API did not return fixture.mount.bulbs, so it is not known which bulbs the lamp has.", wasRed},
		},
		"a removal of all bulbs, which are omitted once there are none": {
			config: m{"bulbs": []any{}}, edit: always(omitEmptyBulbs), happens: lost(1, true),
			sent: []string{"GET", "PATCH name -E14 -E27", "2 GETs"},
		},
	} {
		t.Run(name, test.play)
	}
}

// TestRejectedHalfWay has a platform that removes one of two bulbs and then rejects the PATCH: one
// read shows what is gone.
func TestRejectedHalfWay(t *testing.T) {
	t.Parallel()
	both := "They were:\n\n  - E14: colors = [\"r\u00e9d\"], on = true, wire = \"E14\"\n  - E27: "
	for name, test := range map[string]scene{
		"what the read lacks is in the list":          {happens: fails(1, true, &platform.Error{Status: 400, Message: "no E27"}), sent: []string{"GET", "PATCH -E14 -E27", "GET"}, errors: []string{"no E27", wasRed}},
		"after the last 409, too":                     {happens: fails(1, true, &platform.Error{Status: 409}), sent: []string{"GET", "PATCH -E14 -E27", "GET"}, errors: []string{"HTTP 409", wasRed}},
		"the read fails: all that the PATCH removes":  {happens: inOrder(fails(1, true, &platform.Error{Status: 400}), forbidsRead(1, 1)), sent: []string{"GET", "PATCH -E14 -E27", "GET"}, errors: []string{"HTTP 400", both}},
		"nothing was done: no list":                   {happens: fails(1, false, &platform.Error{Status: 422}), sent: []string{"GET", "PATCH -E14 -E27", "GET"}, errors: []string{"HTTP 422"}},
		"missing permission does nothing: no read":    {happens: fails(1, false, &platform.Error{Status: 403}), sent: []string{"GET", "PATCH -E14 -E27"}, errors: []string{"HTTP 403"}},
		"the second is rejected: all that is removed": {happens: fails(2, false, &platform.Error{Status: 422}), sent: []string{"GET", "PATCH -E14 -E27", "PATCH +E14 +E27"}, errors: []string{"HTTP 422", both}},
	} {
		t.Run(name, func(t *testing.T) {
			if test.config = (m{"name": "desk", "bulbs": bothBlue}); test.sent[len(test.sent)-1] != "PATCH +E14 +E27" {
				test.rewrite = inTurn(keeps([]any{e27}, bulbsAt...))
			}
			test.play(t)
		})
	}
}
