package adopt

import (
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestChangesByOthersStayAndAreNamed has an update that is not alone: a colleague changes the lamp before a request, or
// while one waits. Nothing is put back that a colleague may have changed, and each change is named.
func TestChangesByOthersStayAndAreNamed(t *testing.T) {
	t.Parallel()
	busy := func(patches ...int) func(*workshop, string) error {
		return func(w *workshop, request string) error {
			for _, patch := range patches {
				if request != "GET" && len(w.patches()) == patch {
					return &platform.Error{Status: 0}
				}
			}
			return nil
		}
	}
	greenE14 := []any{m{"socket": "E14", "colors": []any{"green"}, "on": true}, e27}
	const left = "They were left as they are, and the next plan shows them:\n\n"
	for name, test := range map[string]scene{
		"a leaf changes while a PATCH of another waits: it stays": {
			config: m{"size": 3}, happens: meanwhile(9, tfvalue.Path{"size"}, busy(1)), sent: []string{"GET", "PATCH name", "PATCH name", "GET"},
			warnings: []string{left + "  - size: was 3, is now 9"}, differs: true,
		},
		"a leaf changes while a PATCH is in the queue: it stays": {
			config: m{"size": 3}, queue: 11 * time.Second, happens: before(1, 0, 9, "size"), sent: []string{"GET", "PATCH name", "GET"}, took: 11 * time.Second,
			warnings: []string{left + "  - size: was 3, is now 9"}, differs: true,
		},
		"a leaf that only the response has otherwise has not changed": {
			config: m{"size": 3}, sent: []string{"GET", "PATCH name", "GET"},
			edit: always(func(request string, lamp tfvalue.Value) tfvalue.Value {
				if request == "PATCH name" {
					return keeps(0, "size")(lamp)
				}
				return lamp
			}),
		},
		"a leaf changes while the PATCH that restores waits: it is not sent again": {
			config: m{"size": 3}, rewrite: inTurn(keeps(0, "size")), happens: busy(2), sent: []string{"GET", "PATCH name", "GET", "PATCH name size"},
			warnings: []string{left + "  - size: was 3, is now 0"}, differs: true,
		},
		"the PATCH that restores is in the queue for too long: it is not sent": {
			config: m{"size": 3}, rewrite: inTurn(keeps(0, "size")), sent: []string{"GET", "PATCH name", "GET"}, took: 11 * time.Second,
			happens: func(w *workshop, _ string) error {
				if len(w.patches()) == 1 {
					w.queue = 11 * time.Second
				}
				return nil
			},
			warnings: []string{left + "  - size: was 3, is now 0"}, differs: true,
		},
		"an element is removed before a PATCH of a leaf: it is not added again": {
			happens: before(1, 0, []any{e27}, bulbsAt...), sent: []string{"GET", "PATCH name", "GET"},
			warnings: []string{left + "  - fixture.mount.bulbs, E14: was there, is now missing"}, differs: true,
		},
		"another element changes while a PATCH waits: it is left alone": {
			config: m{"bulbs": blue}, happens: meanwhile([]any{e14, m{"socket": "E27", "colors": []any{"x"}, "on": false}}, bulbsAt, busy(1)),
			sent:     []string{"GET", "PATCH name -E14", "GET", "PATCH name -E14", "PATCH +E14", "GET"},
			warnings: []string{left + `  - fixture.mount.bulbs, E27, colors: was [], is now ["x"]`}, differs: true,
		},
		"the element changes while a PATCH waits: nothing more is sent": {
			config: m{"bulbs": blue}, happens: meanwhile(greenE14, bulbsAt, busy(1)), sent: []string{"GET", "PATCH name -E14", "GET"},
			errors: []string{conflicts},
		},
		"the element is as it is wanted by then: the leaves are sent": {
			config: m{"bulbs": []any{e27}}, happens: meanwhile([]any{e27}, bulbsAt, busy(1)), sent: []string{"GET", "PATCH name -E14", "GET", "PATCH name"},
		},
		"one of its wire is added while a PATCH waits: nothing more is sent": {
			config: m{"bulbs": blue}, happens: meanwhile([]any{e14, e27, g9}, bulbsAt, busy(1)), sent: []string{"GET", "PATCH name -E14", "GET"},
			errors: []string{conflicts},
		},
		"in another Unicode form, it cannot be sent": {
			config: m{"bulbs": blue}, happens: meanwhile([]any{m{"socket": "E14", "colors": []any{"re\u0301d"}, "on": true}, e27}, bulbsAt, busy(1)),
			sent: []string{"GET", "PATCH name -E14", "GET"}, errors: []string{conflicts},
		},
		"a related one is added between the two PATCHes: it is read again, and then a conflict": {
			config: m{"bulbs": elsewhere}, rewrite: inTurn(keeps([]any{m{"socket": "G9", "wire": "E14", "colors": []any{"green"}, "on": false}, e27}, bulbsAt...)),
			sent: []string{"GET", "PATCH name -E14", "10 GETs"}, took: maxWait, errors: []string{conflicts, wasRed},
		},
		"what the second PATCH adds is there: it is not sent": {
			config: m{"bulbs": elsewhere}, rewrite: inTurn(keeps([]any{g9, e27}, bulbsAt...)), sent: []string{"GET", "PATCH name -E14", "GET"},
		},
		"a read that is older than the first PATCH is no conflict": {
			config: m{"bulbs": blue},
			happens: func(w *workshop, request string) error {
				if w.lag = 0; request == "GET" && len(w.patches()) == 2 {
					w.lag = 3 * time.Second
				}
				return busy(2)(w, request)
			},
			sent: []string{"GET", "PATCH name -E14", "PATCH +E14", "4 GETs", "PATCH +E14"}, took: 3500 * time.Millisecond,
		},
		"a PATCH that was in the queue for too long is decided by a new read": {
			config: m{"name": "desk", "bulbs": blue}, queue: 6 * time.Second,
			edit: func(w *workshop, request string, lamp tfvalue.Value) tfvalue.Value {
				if request == "GET" {
					w.queue = 11*time.Second - w.queue // in turn too long and not
				}
				return lamp
			},
			sent: []string{"GET", "PATCH -E14", "PATCH +E14"}, took: 10 * time.Second,
		},
		"an element that goes with the PATCH of another is not added again": {
			config: m{"bulbs": blue}, rewrite: inTurn(keeps([]any{}, bulbsAt...)), sent: []string{"GET", "PATCH name -E14", "PATCH +E14", "GET"},
			warnings: []string{left + "  - fixture.mount.bulbs, E27: was there, is now missing"}, differs: true,
		},
		"all elements go with a PATCH of a leaf, which omits them then": {
			rewrite: inTurn(keeps([]any{}, bulbsAt...)), edit: always(omitEmptyBulbs), sent: []string{"GET", "PATCH name", "GET"},
			warnings: []string{"E14: was there, is now missing\n  - fixture.mount.bulbs, E27: was there, is now missing"}, differs: true,
		},
		"one more element is no change": {
			rewrite: keeps([]any{e14, e27, g9}, bulbsAt...), sent: []string{"GET", "PATCH name"}, differs: true,
		},
		"a leaf of the first PATCH that the second resets is sent again": {
			config: m{"bulbs": blue}, rewrite: inTurn(keeps("new", "name"), keeps("", "name")),
			sent: []string{"GET", "PATCH name -E14", "PATCH +E14", "GET", "PATCH name"}, warnings: []string{`- name: was "new", was found to be ""`},
		},
		"all that it has added goes with the PATCH that restores, which omits an empty set": {
			from: []any{}, config: m{"name": "desk", "size": 3, "bulbs": deskBulbs}, edit: always(omitEmptyBulbs),
			rewrite: inTurn(keeps(0, "size"), keeps([]any{}, bulbsAt...)),
			sent:    []string{"2 GETs", "PATCH +E14 +E27", "GET", "PATCH name size", "10 GETs"}, took: maxWait,
			errors: []string{"E14: should be there, but is missing"}, warnings: []string{"- size: was 3, was found to be 0"},
		},
		"what an update resets of what it has added is an error": {
			config:  m{"name": "desk", "size": 3, "bulbs": blue},
			rewrite: inTurn(keeps(0, "size"), func(lamp tfvalue.Value) tfvalue.Value { return lamp }, keeps([]any{e27}, bulbsAt...)),
			sent:    []string{"GET", "PATCH -E14", "PATCH +E14", "GET", "PATCH name size", "10 GETs"}, took: maxWait,
			errors: []string{"E14: should be there, but is missing", wasRed}, warnings: []string{"- size: was 3, was found to be 0"},
		},
	} {
		t.Run(name, test.play)
	}
}
