package adopt

import (
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestResponsesOmitTheSetOrALeaf has responses that omit the set, or a leaf.
func TestResponsesOmitTheSetOrALeaf(t *testing.T) {
	t.Parallel()
	first, second := nameless(1, 2), nameless(2, 2)
	for name, test := range map[string]scene{
		"nothing shows the set after the first PATCH: what it removed is in the list": {
			config:  m{"bulbs": blue},
			edit:    nameless(1, 9),
			happens: forbidsRead(1, 2),
			sent:    []string{"GET", "PATCH name -E14", "2 GETs"}, errors: []string{"Nothing more was sent: Tried to ", wasRed},
		},
		"a leaf that only the response to the second PATCH has is returned": {
			config: m{"bulbs": blue},
			edit: func(w *workshop, _ string, lamp tfvalue.Value) tfvalue.Value {
				if len(w.patches()) == 1 {
					return lamp.Without("name")
				}
				return lamp
			},
			sent: []string{"GET", "PATCH name -E14", "PATCH +E14"},
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
			sent: []string{"GET", "PATCH name -E14", "PATCH +E14"},
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
			sent: []string{"GET", "PATCH -E14 +G9", "3 GETs", "PATCH +E14", "GET"}, warnings: []string{"fixture.clamp.grip: was 1, is now not set"},
		},
		"a leaf that only responses to PATCHes have, as it was: it is not known": {
			config: m{"cert": "new", "name": "desk"},
			edit: func(_ *workshop, request string, lamp tfvalue.Value) tfvalue.Value {
				if request == "GET" {
					return lamp.Without("cert")
				}
				return keeps("c", "cert")(lamp)
			},
			sent: []string{"2 GETs", "PATCH cert", "2 GETs"}, warnings: []string{"API does not return all values"},
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
			sent: []string{"GET", "PATCH name -E14", "PATCH +E14", "GET"}, warnings: []string{":\n\n  - name\n\nThe state"},
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
