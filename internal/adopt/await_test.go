package adopt

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestSentIsAwaited has platforms whose responses are of the past, that reach a value in steps, or
// that accept a change and never show it. Each row is a rule of the wait.
func TestSentIsAwaited(t *testing.T) {
	t.Parallel()
	inSteps := func(w *workshop, request string, lamp tfvalue.Value) tfvalue.Value {
		if len(w.patches()) == 0 {
			return lamp
		}
		return keeps(min(3+w.lastReads(), 6), "size")(lamp)
	}
	for name, test := range map[string]scene{
		"a leaf that is late is read until it is there": {
			lag: 3 * time.Second, sent: []string{"GET", "PATCH name", "4 GETs"}, took: 3500 * time.Millisecond,
		},
		"a leaf that comes in steps is read until it is there": {
			config: m{"name": "desk", "size": 6}, edit: inSteps,
			sent: []string{"GET", "PATCH size", "3 GETs"}, took: 1500 * time.Millisecond,
		},
		"an element whose members come late is read until it has them": {
			config: m{"name": "desk", "bulbs": append([]any{g9}, deskBulbs...)},
			edit: func(w *workshop, _ string, lamp tfvalue.Value) tfvalue.Value {
				if len(w.patches()) == 1 && w.lastReads() < 4 {
					return eachBulb(lamp, func(bulb tfvalue.Value) tfvalue.Value {
						if bulb.At("socket").Text() == "G9" {
							return bulb.Without("wire")
						}
						return bulb
					})
				}
				return lamp
			},
			sent: []string{"GET", "PATCH +G9", "4 GETs"}, took: 3500 * time.Millisecond,
		},
		"an addition waits for its removal": {
			config: m{"name": "desk", "bulbs": blue}, lag: 3 * time.Second,
			sent: []string{"GET", "PATCH -E14", "4 GETs", "PATCH +E14", "4 GETs"}, took: 7 * time.Second,
		},
		"an addition waits for its removal, and for no leaf": {
			config: m{"bulbs": blue}, rewrite: keeps("desk", "name"),
			sent: []string{"GET", "PATCH name -E14", "PATCH +E14", "10 GETs"}, took: maxWait,
			errors: []string{notShown + "name of lamp"},
		},
		"a leaf that is never there is sent once": {
			rewrite: keeps("desk", "name"), sent: []string{"GET", "PATCH name", "10 GETs"}, took: maxWait,
			errors: []string{`name was sent and accepted, but the API still returned the value from before, "desk", in reads for 30s. `},
		},
		"a leaf that becomes another one is an error with advice": {
			config: m{"name": "desk", "size": 5}, rewrite: keeps(7, "size"),
			sent: []string{"GET", "PATCH size", "10 GETs"}, took: maxWait, advises: true,
			errors: []string{"size was sent and accepted, but the API returned another value, 7, in reads for 30s. "},
		},
		"a removal that is never there is in the list": {
			config: m{"name": "desk", "bulbs": blue}, rewrite: keeps([]any{e14, e27}, bulbsAt...),
			sent: []string{"GET", "PATCH -E14", "10 GETs"}, took: maxWait,
			errors: []string{"E14: should be missing, but is there", wasRed},
		},
		"an addition that becomes another one is in the list": {
			config: m{"name": "desk", "bulbs": blue}, rewrite: inTurn(keeps([]any{e27}, bulbsAt...), keeps([]any{m{"socket": "E14", "colors": []any{}, "on": false}, e27}, bulbsAt...)),
			sent: []string{"GET", "PATCH -E14", "PATCH +E14", "10 GETs"}, took: maxWait,
			errors: []string{`E14, colors: should be ["blue"], but is []`, "added meanwhile:\n\n  - E14\n\nTheir colors stay off."},
		},
		"an addition in another letter case is named": {
			config: m{"name": "desk", "bulbs": append([]any{g9}, deskBulbs...)}, rewrite: keeps([]any{e14, e27, m{"socket": "g9", "colors": []any{}, "on": false}}, bulbsAt...),
			sent: []string{"GET", "PATCH +G9", "10 GETs"}, took: maxWait,
			errors: []string{"Configure them as the platform spells them:\n\n  - g9\n\n"},
		},
		"after a leaf that is never there, nothing is restored": {
			rewrite: func(lamp tfvalue.Value) tfvalue.Value { return keeps(0, "size")(keeps("desk", "name")(lamp)) },
			config:  m{"size": 3}, sent: []string{"GET", "PATCH name", "10 GETs"}, took: maxWait,
			errors: []string{notShown + "name of lamp"}, warnings: []string{"the next plan shows them:\n\n  - size: was 3, is now 0"},
		},
		"a removed element with another value is waited for": {
			config: m{"name": "desk", "bulbs": blue}, lag: 3 * time.Second,
			happens: func(w *workshop, request string) error {
				if old := w.versions[firstLamp]; request == "GET" && len(w.patches()) == 1 {
					old[0].lamp = keeps([]any{m{"socket": "E14", "colors": []any{}, "on": false}, e27}, bulbsAt...)(old[0].lamp)
				}
				return nil
			},
			sent: []string{"GET", "PATCH -E14", "4 GETs", "PATCH +E14", "4 GETs"}, took: 7 * time.Second,
		},
		"an addition to a set that is omitted once it is empty is waited for": {
			config: m{"name": "desk", "bulbs": bothBlue}, lag: 3 * time.Second, edit: always(omitEmptyBulbs),
			sent: []string{"GET", "PATCH -E14 -E27", "4 GETs", "PATCH +E14 +E27", "4 GETs"}, took: 7 * time.Second,
		},
		"an addition to such a set that is never there is an error": {
			config: m{"name": "desk", "bulbs": bothBlue}, rewrite: keeps([]any{}, bulbsAt...), edit: always(omitEmptyBulbs),
			sent: []string{"GET", "PATCH -E14 -E27", "PATCH +E14 +E27", "10 GETs"}, took: maxWait,
			errors: []string{notShown + "fixture.mount.bulbs of lamp", partly},
		},
		"a read during the wait fails: what was removed is in the list": {
			config: m{"bulbs": blue}, lag: 3 * time.Second, happens: forbidsRead(1, 2),
			sent: []string{"GET", "PATCH name -E14", "2 GETs"}, took: 500 * time.Millisecond,
			errors: []string{"Cannot read lamp after its update", wasRed},
		},
		"what was restored is waited for": {
			config: m{"size": 3}, rewrite: inTurn(keeps(0, "size")),
			happens: func(w *workshop, request string) error {
				if request != "GET" && len(w.patches()) == 2 {
					time.Sleep(2 * time.Second) // so that the past is what the reset left
					w.lag = time.Second
				}
				return nil
			},
			sent: []string{"GET", "PATCH name", "GET", "PATCH name size", "3 GETs"}, took: 3500 * time.Millisecond,
			warnings: []string{"- size: was 3, was found to be 0"},
		},
		"an element of an earlier PATCH is waited for": {
			config: m{"size": 3, "bulbs": append([]any{m{"socket": "G9"}}, deskBulbs...)}, rewrite: inTurn(keeps(0, "size")),
			edit: func(w *workshop, _ string, lamp tfvalue.Value) tfvalue.Value {
				if len(w.patches()) == 2 && w.lastReads() < 3 {
					return keeps([]any{e14, e27}, bulbsAt...)(lamp)
				}
				return lamp
			},
			sent: []string{"GET", "PATCH name +G9", "GET", "PATCH name size", "3 GETs"}, took: 1500 * time.Millisecond,
			warnings: []string{"- size: was 3, was found to be 0"},
		},
		"a leaf of the first PATCH that only the response to the second has as it was": {
			config: m{"bulbs": blue}, edit: always(func(request string, lamp tfvalue.Value) tfvalue.Value {
				if request == "PATCH +E14" {
					return keeps("desk", "name")(lamp)
				}
				return lamp
			}),
			sent: []string{"GET", "PATCH name -E14", "PATCH +E14", "GET"},
		},
		"a leaf that only the response had is asked for once more, after a response that is dropped": {
			config: m{"name": "desk", "size": 5}, lag: time.Second,
			edit: func(w *workshop, request string, lamp tfvalue.Value) tfvalue.Value {
				if len(w.patches()) == 1 && w.lastReads() == 3 {
					return lamp.Without("cert")
				}
				return lamp
			},
			sent: []string{"GET", "PATCH size", "4 GETs"}, took: 1500 * time.Millisecond,
		},
	} {
		t.Run(name, test.play)
	}
}

// TestIgnoredOnce has a platform that never shows a leaf: the first object of a run waits for it, and
// no other object does, unless the leaf moves meanwhile.
func TestIgnoredOnce(t *testing.T) {
	t.Parallel()
	for _, moves := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorkshop()
			w.change(firstLamp, "as it was", "name")
			w.change(another, "as it was", "name")
			w.edits = append(w.edits, func(_ string, lamp tfvalue.Value) tfvalue.Value {
				if moves && len(w.patches()) > 0 {
					return keeps("as it was, "+strings.Repeat("x", len(w.requests)), "name")(lamp)
				}
				return keeps("as it was", "name")(lamp)
			})
			run := newConnection(t)
			for i, id := range []string{firstLamp, another} {
				tf := newTerraform(t, w)
				tf.config, tf.requests = m{"lamp_id": id, "name": "as it was"}, nil
				tf.wantOK(tf.apply())
				tf.config["name"] = "new"
				o := tf.plan()
				tf.start(tf.config)
				tf.run = run
				begun := time.Now()
				tf.block.Apply(tf, o)
				took := time.Since(begun)
				tf.wantErrors(o, "name was sent and accepted, but the API ")
				if waited := took > 0; waited != (i == 0 || moves) || strings.Contains(o.Errors[0], "another object of this run waited 30s") == waited {
					t.Errorf("lamp %d, %t, took %s: %q", i, moves, took, o.Errors)
				}
			}
		})
	}
}

// TestIgnoredOfTwoPATCHes has a leaf that the run does not wait for, and that the response to the
// second PATCH has as it was: one read decides, and it is not sent again.
func TestIgnoredOfTwoPATCHes(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "desk", "bulbs": deskBulbs})
	tf.config["name"], tf.config["bulbs"] = "new", blue
	o := tf.plan()
	tf.start(tf.config)
	tf.run.Ignored.Add("lamp/name")
	tf.requests, tf.edits = nil, append(tf.edits, func(request string, lamp tfvalue.Value) tfvalue.Value {
		if request == "PATCH +E14" {
			return keeps("desk", "name")(lamp)
		}
		return lamp
	})
	tf.block.Apply(tf, o)
	tf.wantOK(o)
	tf.wantRequests("GET", "PATCH name -E14", "PATCH +E14", "GET")
}

// TestMemberThatNoElementHas has responses that have a member for no bulb at all: they say nothing of it. Where
// one bulb has it, the others have the empty value.
func TestMemberThatNoElementHas(t *testing.T) {
	t.Parallel()
	without := func(sockets ...string) func(string, tfvalue.Value) tfvalue.Value {
		return func(_ string, lamp tfvalue.Value) tfvalue.Value {
			return eachBulb(lamp, func(bulb tfvalue.Value) tfvalue.Value {
				if slices.Contains(sockets, bulb.At("socket").Text()) {
					return bulb.Without("on")
				}
				return bulb
			})
		}
	}
	tf := adopted(t, m{"bulbs": deskBulbs})
	tf.edits = append(tf.edits, without("E14", "E27"))
	for _, on := range []bool{true, false} { // also of one that is added
		tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{"blue"}, "on": on}, deskBulbs[1]}
		o := tf.apply()
		tf.wantRequests("2 GETs", "PATCH -E14", "PATCH +E14") // no response leaves a doubt
		tf.wantQuiet(o)
		tf.requests = nil
	}
	tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{"blue"}, "on": true}, deskBulbs[1]}
	tf.wantQuiet(tf.apply())
	tf.requests = nil
	tf.edits[0] = without("E14")
	if o := tf.plan(); o.Action != terraformtest.Update {
		t.Errorf("the plan is to %s", o.Action)
	}
}
