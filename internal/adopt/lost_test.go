package adopt

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestLostResponse has PATCHes that fail, or whose response is lost. Each row is a rule of what is
// read before another attempt.
func TestLostResponse(t *testing.T) {
	t.Parallel()
	oneByOne := []func(tfvalue.Value) tfvalue.Value{keeps([]any{e27}, bulbsAt...), keeps([]any{e14}, bulbsAt...)}
	for name, test := range map[string]scene{
		"a lost response, and reads that are late: it is not sent again": {
			config: m{"bulbs": blue}, lag: 3 * time.Second,
			happens: lost(1, true),
			sent:    []string{"GET", "PATCH name -E14", "4 GETs", "PATCH +E14", "4 GETs"}, took: 7 * time.Second,
		},
		"a lost response, and nothing that it did for 10 s: it is sent again": {
			config:  m{"bulbs": blue},
			happens: lost(1, false),
			sent:    []string{"GET", "PATCH name -E14", "6 GETs", "PATCH name -E14", "PATCH +E14"}, took: undoneFor,
		},
		"a lost response to what dropped another element: it is added again": {
			config: m{"bulbs": blue}, rewrite: inTurn(keeps([]any{}, bulbsAt...)),
			happens: lost(1, true),
			sent:    []string{"GET", "PATCH name -E14", "GET", "PATCH +E14 +E27"},
		},
		"what only the read after the last PATCH finds lost is an error": {
			config:  m{"size": 3},
			rewrite: inTurn(slices.Repeat(oneByOne, 2)...),
			happens: lost(3, true),
			sent:    []string{"GET", "PATCH name", "GET", "PATCH name size +E14", "GET", "PATCH name size +E27", "GET"},
			errors:  []string{"bulbs, E14: should be there, but is missing", "only partly updated"},
		},
		"a read that is older than the last PATCH is no conflict": {
			config: m{"bulbs": blue},
			happens: func(w *workshop, request string) error {
				if w.lag = 0; request == "GET" && len(w.patches()) == 2 {
					w.lag = 3 * time.Second
				}
				if request != "GET" && len(w.patches()) == 2 {
					return &platform.Error{}
				}
				return nil
			},
			sent: []string{"GET", "PATCH name -E14", "PATCH +E14", "4 GETs", "PATCH +E14"}, took: 3500 * time.Millisecond,
		},
		"a leaf of the first PATCH is waited for after a lost response to the second": {
			config: m{"bulbs": blue}, rewrite: keeps("desk", "name"),
			happens: lost(2, true),
			sent:    []string{"GET", "PATCH name -E14", "GET", "PATCH +E14", "11 GETs"}, took: maxLag,
			errors: []string{notShown + "name of lamp"},
		},
		"a lost response, and a leaf that differs: the leaves are sent, and no element": {
			config: m{"bulbs": blue}, rewrite: inTurn(keeps("other", "name")),
			happens: lost(1, true),
			sent:    []string{"GET", "PATCH name -E14", "GET", "PATCH name", "PATCH +E14"},
		},
		"a lost response, and a later rejection: it was undone": {
			config: m{"bulbs": blue},
			happens: func(w *workshop, request string) error {
				if strings.HasPrefix(request, "PATCH") {
					return map[bool]error{true: &platform.Error{Ambiguous: true}, false: &platform.Error{Status: 400}}[len(w.patches()) == 1]
				}
				return nil
			},
			sent: []string{"GET", "PATCH name -E14", "6 GETs", "PATCH name -E14"}, took: undoneFor,
			errors: []string{"Cannot update lamp"},
		},
		"a lost response of elements alone: they are not sent again before 10 s, either": {
			config:  m{"name": "desk", "bulbs": blue},
			happens: lost(1, false),
			sent:    []string{"GET", "PATCH -E14", "6 GETs", "PATCH -E14", "PATCH +E14"}, took: undoneFor,
		},
		"a lost response of leaves alone that a read shows: they are not sent again": {
			happens: lost(1, true),
			sent:    []string{"GET", "PATCH name", "GET"},
		},
		"a lost response of leaves alone: they are sent again at once": {
			happens: lost(1, false),
			sent:    []string{"GET", "PATCH name", "GET", "PATCH name"},
		},
		"a lost response, and a leaf of two that differs: both are sent": {
			config: m{"size": 5, "bulbs": blue}, rewrite: inTurn(keeps("other", "name")),
			happens: lost(1, true),
			sent:    []string{"GET", "PATCH name size -E14", "GET", "PATCH name size", "PATCH +E14"},
		},
		"a lost response of elements alone that a read shows: the read is enough": {
			config: m{"name": "desk", "bulbs": blue}, happens: lost(1, true),
			sent: []string{"GET", "PATCH -E14", "GET", "PATCH +E14"},
		},
		"a lost response to what cleared a set that is omitted once it is empty": {
			config: m{"bulbs": []any{}}, edit: always(omitEmptyBulbs), happens: lost(1, true),
			sent: []string{"GET", "PATCH name -E14 -E27", "2 GETs"},
		},
		"a set that is empty by now: leaves are sent again without a read": {
			config: m{"size": 3, "bulbs": []any{}}, rewrite: inTurn(keeps(0, "size")), happens: fails(2, false, &platform.Error{}),
			sent: []string{"GET", "PATCH name -E14 -E27", "PATCH name size", "PATCH name size"},
		},
		"a lost response to what emptied a set that is omitted once it is empty": {
			rewrite: inTurn(keeps([]any{}, bulbsAt...)), edit: always(omitEmptyBulbs), happens: lost(1, true),
			sent: []string{"GET", "PATCH name", "2 GETs", "PATCH name +E14 +E27"},
		},
		"a lost response of a leaf that no read shows, and an element that is gone: the PATCH dropped it": {
			config: m{"name": "desk", "secret": m{"version": "1"}}, rewrite: inTurn(keeps([]any{e14}, bulbsAt...)), happens: lost(1, true),
			sent: []string{"GET", "PATCH secret.version", "GET", "PATCH secret.version", "GET", "PATCH name +E27"},
		},
		"a leaf that no read shows was not sent, and an element is gone: somebody removed it": {
			config: m{"name": "desk", "secret": m{"version": "1"}}, happens: meanwhile([]any{e14}, fails(1, false, &platform.Error{})),
			sent: []string{"GET", "PATCH secret.version", "GET", "PATCH secret.version", "GET"}, differs: true,
		},
		"a lost response of a leaf that is as it was, and an element that is gone: somebody removed it": {
			happens: meanwhile([]any{e14}, lost(1, false)),
			sent:    []string{"GET", "PATCH name", "GET", "PATCH name"}, differs: true,
		},
		"an element that somebody removes before the second PATCH is sent again": {
			config: m{"bulbs": blue}, happens: meanwhile([]any{}, fails(2, false, &platform.Error{})),
			sent: []string{"GET", "PATCH name -E14", "PATCH +E14", "GET", "PATCH +E14"}, differs: true,
		},
		"a leaf that is late stays wanted before the second PATCH is sent again": {
			config: m{"bulbs": blue}, rewrite: keeps("desk", "name"), happens: fails(2, false, &platform.Error{}),
			sent: []string{"GET", "PATCH name -E14", "GET", "PATCH +E14", "GET", "PATCH +E14", "10 GETs"}, took: maxLag,
			errors: []string{notShown + "name of lamp"},
		},
	} {
		t.Run(name, test.play)
	}
}

// TestNotShown has responses that do not show the set, or a leaf.
func TestNotShown(t *testing.T) {
	t.Parallel()
	first, second := nameless(1, 2), nameless(2, 2)
	for name, test := range map[string]scene{
		"nothing shows the set after the first PATCH: what it removed is in the list": {
			config:  m{"bulbs": blue},
			edit:    nameless(1, 9),
			happens: forbidsRead(1, 2),
			sent:    []string{"GET", "PATCH name -E14", "2 GETs"}, errors: []string{"", "E14: colors = [\"r\u00e9d\"], on = true"},
			warnings: []string{"API does not return all values"},
		},
		"a leaf that only the response to the second PATCH has is returned": {
			config: m{"bulbs": blue},
			edit: func(w *workshop, _ string, lamp tfvalue.Value) tfvalue.Value {
				if len(w.patches()) == 1 {
					return lamp.Without("name")
				}
				return lamp
			},
			sent: []string{"GET", "PATCH name -E14", "GET", "PATCH +E14"},
		},
		"nothing shows the set after the last PATCH: what it adds is not known to be there": {
			config:  m{"bulbs": blue},
			edit:    nameless(2, 1),
			happens: forbidsRead(2, 1),
			sent:    []string{"GET", "PATCH name -E14", "PATCH +E14", "GET"}, errors: []string{"Cannot read lamp after its update", "E14: colors = [\"r\u00e9d\"], on = true"},
		},
		"no response has the names after the first PATCH: the second one waits for a read": {
			config: m{"bulbs": blue},
			edit:   nameless(1, 2),
			sent:   []string{"GET", "PATCH name -E14", "2 GETs", "PATCH +E14"},
		},
		"what the read before the second PATCH lacks is lost": {
			config: m{"bulbs": blue}, rewrite: inTurn(keeps([]any{m{"socket": "G9", "colors": []any{}, "on": false}}, bulbsAt...)),
			edit: nameless(1, 2),
			sent: []string{"GET", "PATCH name -E14", "2 GETs", "PATCH +E14", "PATCH name +E27"}, differs: true,
		},
		"no response has the names after the last PATCH: a warning": {
			config: m{"bulbs": blue},
			edit:   nameless(2, 2),
			sent:   []string{"GET", "PATCH name -E14", "PATCH +E14", "GET"}, warnings: []string{"API does not return all values"},
		},
		"no response has the names after either PATCH: one line": {
			config: m{"bulbs": blue},
			edit: func(w *workshop, request string, lamp tfvalue.Value) tfvalue.Value {
				return first(w, request, second(w, request, lamp))
			},
			sent: []string{"GET", "PATCH name -E14", "2 GETs", "PATCH +E14", "GET"}, warnings: []string{":\n\n  - fixture.mount.bulbs\n\nThe state"},
		},
		"no read before the first PATCH shows the set: what somebody removes until it is read stays removed": {
			config: m{"name": "desk", "bulbs": append([]any{m{"socket": "G9"}}, deskBulbs...)},
			edit: func(w *workshop, _ string, lamp tfvalue.Value) tfvalue.Value {
				switch w.reads() {
				case 1:
					return eachBulb(lamp, func(bulb tfvalue.Value) tfvalue.Value { return bulb.Without("colors") })
				case 2:
					return lamp.Without(bulbsAt...)
				default:
					return lamp
				}
			},
			happens: func(w *workshop, _ string) error {
				if w.reads() == 3 {
					w.change(firstLamp, []any{e14}, bulbsAt...)
				}
				return nil
			},
			sent: []string{"3 GETs", "PATCH +G9"}, differs: true,
		},
		"no read has the bulbs before the PATCH is sent again": {
			config: m{"bulbs": blue},
			happens: func(w *workshop, request string) error {
				if len(w.patches()) == 1 && request != "GET" {
					w.edits = append(w.edits, omit("GET", 0, bulbsAt...))
					return &platform.Error{}
				}
				return nil
			},
			sent:   []string{"GET", "PATCH name -E14", "2 GETs"},
			errors: []string{"The API did not return fixture.mount.bulbs, so it is not known which bulbs the lamp has."},
		},
		"a response without a leaf, and a read without the set: the response has shown the set": {
			config: m{"bulbs": blue},
			edit: func(w *workshop, request string, lamp tfvalue.Value) tfvalue.Value {
				switch {
				case len(w.patches()) != 1:
					return lamp
				case request == "GET":
					return lamp.Without(bulbsAt...)
				default:
					return lamp.Without("name")
				}
			},
			sent: []string{"GET", "PATCH name -E14", "GET", "PATCH +E14"},
		},
		"a response and a read without the object around the set: nothing counts as lost": {
			config: m{"bulbs": blue},
			edit: func(w *workshop, _ string, lamp tfvalue.Value) tfvalue.Value {
				if len(w.patches()) == 1 && w.lastReads() < 2 {
					return lamp.Without("fixture", "mount")
				}
				return lamp
			},
			sent: []string{"GET", "PATCH name -E14", "2 GETs", "PATCH +E14"},
		},
		"a leaf that no read before the update had is no surprise after it": {
			config: m{"bulbs": blue},
			edit: func(w *workshop, _ string, lamp tfvalue.Value) tfvalue.Value {
				if len(w.patches()) == 0 {
					return lamp.Without("cert")
				}
				return lamp
			},
			sent: []string{"2 GETs", "PATCH name -E14", "PATCH +E14"},
		},
		"a leaf that was missing in the beginning, and after the second PATCH: it was reset": {
			config: m{"bulbs": blue},
			edit: func(w *workshop, _ string, lamp tfvalue.Value) tfvalue.Value {
				if len(w.patches())%2 == 0 {
					return lamp.Without("name")
				}
				return lamp
			},
			sent: []string{"2 GETs", "PATCH name -E14", "PATCH +E14", "GET", "PATCH name"},
		},
		"an addition to a set that only the recheck has: it is waited for": {
			from: []any{}, config: m{"name": "desk", "bulbs": blue}, lag: time.Second, happens: fails(1, false, &platform.Error{}),
			edit: func(w *workshop, request string, lamp tfvalue.Value) tfvalue.Value {
				if request == "GET" && len(w.patches()) == 1 {
					return lamp
				}
				return omitEmptyBulbs(request, lamp)
			},
			sent: []string{"2 GETs", "PATCH +E14 +E27", "GET", "PATCH +E14 +E27", "3 GETs"}, took: 1500 * time.Millisecond,
		},
		"a response and a read have another fixture between removal and addition: the set is not gone": {
			config: m{"name": "desk", "bulbs": append([]any{m{"socket": "G9"}}, blue...)},
			edit: func(w *workshop, _ string, lamp tfvalue.Value) tfvalue.Value {
				if len(w.patches()) == 1 && w.lastReads() < 2 {
					return lamp.With(value(m{"clamp": m{"grip": 1}}, lamp.At("fixture").Type()), "fixture")
				}
				return lamp
			},
			sent: []string{"GET", "PATCH -E14 +G9", "3 GETs", "PATCH +E14", "GET"},
		},
		"a leaf that only responses to PATCHes have, as it was: it is not known": {
			config: m{"cert": "new", "name": "desk"},
			edit: func(_ *workshop, request string, lamp tfvalue.Value) tfvalue.Value {
				if request == "GET" {
					return lamp.Without("cert")
				}
				return keeps("c", "cert")(lamp)
			},
			sent: []string{"2 GETs", "PATCH cert", "GET"}, warnings: []string{"API does not return all values"},
		},
		"a response is of the past, and the read after it omits the leaf: it was reset": {
			config: m{"bulbs": blue},
			edit: func(w *workshop, request string, lamp tfvalue.Value) tfvalue.Value {
				switch {
				case len(w.patches()) != 2:
					return lamp
				case request == "GET":
					return lamp.Without("name")
				default:
					return keeps("desk", "name")(lamp)
				}
			},
			sent: []string{"GET", "PATCH name -E14", "PATCH +E14", "GET", "PATCH name"},
		},
		"no read before the update has the object around the set: it is not cleared": {
			config: m{"bulbs": []any{}}, edit: always(omit("GET", 0, "fixture", "mount")), sent: []string{"GET"},
			errors: []string{"The API did not return fixture.mount, so it is not known which bulbs the lamp has."},
		},
		"a set that no response to an addition has": {
			config: m{"name": "desk", "bulbs": append([]any{m{"socket": "G9"}}, deskBulbs...)},
			edit: func(w *workshop, _ string, lamp tfvalue.Value) tfvalue.Value {
				if len(w.patches()) == 0 {
					return lamp
				}
				return lamp.Without(bulbsAt...)
			},
			sent: []string{"GET", "PATCH +G9", "GET"}, warnings: []string{"API does not return all values"}, differs: true,
		},
		"a set that is not known before a PATCH of leaves: what is gone after it may have been gone": {
			config: m{"size": 3}, rewrite: inTurn(keeps(0, "size"), keeps([]any{e14}, bulbsAt...)),
			edit: nameless(1, 2),
			sent: []string{"GET", "PATCH name", "GET", "PATCH name size", "GET"}, differs: true,
			warnings: []string{"bulbs, E27: was there, is now missing"},
		},
		"a leaf that no response returns, in two PATCHes: one warning": {
			config: m{"bulbs": blue}, edit: always(func(_ string, lamp tfvalue.Value) tfvalue.Value {
				if lamp.At("name").Text() == "new" {
					return lamp.Without("name")
				}
				return lamp
			}),
			sent: []string{"GET", "PATCH name -E14", "GET", "PATCH +E14"}, warnings: []string{":\n\n  - name\n\nThe state"},
		},
		"a set that nobody manages, and names that no response has: nothing counts as missing": {
			config: m{"bulbs": nil}, edit: nameless(1, 2), sent: []string{"GET", "PATCH name"},
		},
		"a set that nobody manages, and an object around it that no response has": {
			config: m{"bulbs": nil},
			edit: func(w *workshop, _ string, lamp tfvalue.Value) tfvalue.Value {
				if len(w.patches()) == 1 {
					return lamp.Without("fixture", "mount")
				}
				return lamp
			},
			sent: []string{"GET", "PATCH name", "GET"},
		},
		"what no response can confirm is read once": {
			config: m{"name": "desk", "secret": m{"version": "1"}},
			sent:   []string{"GET", "PATCH secret.version", "GET"},
		},
	} {
		t.Run(name, test.play)
	}
}
