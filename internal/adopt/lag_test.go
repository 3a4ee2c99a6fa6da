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

// TestLag has platforms whose responses are of the past, or that accept a change and never show
// it. Each row is a rule of the wait.
func TestLag(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]scene{
		"a leaf that is late is read until it is there": {
			lag: 3 * time.Second, sent: []string{"GET", "PATCH name", "4 GETs"}, took: 3500 * time.Millisecond,
		},
		"an addition waits for its removal": {
			config: m{"name": "desk", "bulbs": blue}, lag: 3 * time.Second,
			sent: []string{"GET", "PATCH -E14", "4 GETs", "PATCH +E14", "4 GETs"}, took: 7 * time.Second,
		},
		"an addition waits for its removal alone": {
			config: m{"bulbs": blue}, rewrite: keeps("desk", "name"),
			sent: []string{"GET", "PATCH name -E14", "GET", "PATCH +E14", "10 GETs"}, took: maxLag,
			errors: []string{notShown + "name of lamp"},
		},
		"a leaf that is never there is sent once": {
			rewrite: keeps("desk", "name"), sent: []string{"GET", "PATCH name", "10 GETs"}, took: maxLag,
			errors: []string{`name was sent and accepted, but the API still returned the value from before, "desk", in reads for 30s. `},
		},
		"a removal that is never there is in the list": {
			config: m{"name": "desk", "bulbs": blue}, rewrite: keeps([]any{e14, e27}, bulbsAt...),
			sent: []string{"GET", "PATCH -E14", "10 GETs"}, took: maxLag,
			errors: []string{notShown + "fixture.mount.bulbs of lamp", "only partly updated"},
		},
		"a removed element with another value may be of the past": {
			config: m{"name": "desk", "bulbs": blue}, lag: 3 * time.Second,
			happens: func(w *workshop, request string) error {
				if old := w.versions[firstLamp]; request == "GET" && len(w.patches()) == 1 {
					old[0].lamp = keeps([]any{m{"socket": "E14", "colors": []any{}, "on": false}, e27}, bulbsAt...)(old[0].lamp)
				}
				return nil
			},
			sent: []string{"GET", "PATCH -E14", "4 GETs", "PATCH +E14", "4 GETs"}, took: 7 * time.Second,
		},
		"after a leaf that is never there, nothing is restored": {
			rewrite: func(lamp tfvalue.Value) tfvalue.Value {
				return keeps([]any{e27}, bulbsAt...)(keeps("desk", "name")(lamp))
			},
			sent: []string{"GET", "PATCH name", "10 GETs"}, took: maxLag,
			errors: []string{notShown + "name of lamp", "E14: colors = [\"r\u00e9d\"], on = true"},
		},
		"what looks reset may be as it was at the beginning": {
			config: m{"bulbs": blue}, sent: []string{"GET", "PATCH name -E14", "PATCH +E14", "GET"},
			happens: func(w *workshop, request string) error {
				if w.lag = 0; strings.HasSuffix(request, "+E14") {
					w.lag = time.Hour
				}
				return nil
			},
		},
		"an addition to a set that is omitted once it is empty is waited for": {
			config: m{"name": "desk", "bulbs": bothBlue}, lag: 3 * time.Second,
			edit: always(omitEmptyBulbs),
			sent: []string{"GET", "PATCH -E14 -E27", "4 GETs", "PATCH +E14 +E27", "4 GETs"}, took: 7 * time.Second,
		},
		"an addition to such a set that is never there is an error": {
			config:  m{"name": "desk", "bulbs": bothBlue},
			rewrite: keeps([]any{}, bulbsAt...),
			edit:    always(omitEmptyBulbs),
			sent:    []string{"GET", "PATCH -E14 -E27", "GET", "PATCH +E14 +E27", "10 GETs"}, took: maxLag,
			errors: []string{notShown + "fixture.mount.bulbs of lamp", "only partly updated"},
		},
		"a read during the wait fails: what was removed is in the list": {
			config: m{"bulbs": blue}, lag: 3 * time.Second,
			happens: forbidsRead(1, 2),
			sent:    []string{"GET", "PATCH name -E14", "2 GETs"}, took: 500 * time.Millisecond,
			errors: []string{"Cannot read lamp after its update", "only partly updated"},
		},
		"what was restored may be as it was after the reset": {
			config:  m{"size": 3},
			rewrite: inTurn(keeps(0, "size")),
			happens: func(w *workshop, request string) error {
				if request != "GET" && len(w.patches()) == 2 {
					time.Sleep(2 * time.Second) // so that the past is what the reset left
					w.lag = time.Second
				}
				return nil
			},
			sent: []string{"GET", "PATCH name", "PATCH name size", "3 GETs"}, took: 3500 * time.Millisecond,
		},
		"an element of an earlier PATCH may not be there yet": {
			config:  m{"size": 3, "bulbs": append([]any{m{"socket": "G9"}}, deskBulbs...)},
			rewrite: inTurn(keeps(0, "size")),
			edit: func(w *workshop, _ string, lamp tfvalue.Value) tfvalue.Value {
				if len(w.patches()) == 2 && w.lastReads() < 3 {
					return keeps([]any{e14, e27}, bulbsAt...)(lamp)
				}
				return lamp
			},
			sent: []string{"GET", "PATCH name +G9", "PATCH name size", "3 GETs"}, took: 1500 * time.Millisecond,
		},
		"an unmanaged leaf that is as it was at the beginning is no sign of the past": {
			config:  m{"size": 3},
			rewrite: inTurn(func(lamp tfvalue.Value) tfvalue.Value { return keeps(31, "weight")(keeps(0, "size")(lamp)) }),
			happens: func(w *workshop, request string) error {
				if request != "GET" && len(w.patches()) == 2 {
					w.change(firstLamp, 30, "weight")
				}
				return nil
			},
			sent: []string{"GET", "PATCH name", "PATCH name size"},
		},
		"a leaf of the first PATCH that only the response to the second has as it was is not sent again": {
			config: m{"bulbs": blue}, edit: always(func(request string, lamp tfvalue.Value) tfvalue.Value {
				if request == "PATCH +E14" {
					return keeps("desk", "name")(lamp)
				}
				return lamp
			}),
			sent: []string{"GET", "PATCH name -E14", "PATCH +E14", "GET"},
		},
		"a leaf of the first PATCH that the second has reset is restored after the wait": {
			config: m{"bulbs": blue}, rewrite: inTurn(keeps("new", "name"), keeps("desk", "name")),
			sent: []string{"GET", "PATCH name -E14", "PATCH +E14", "10 GETs", "PATCH name"}, took: maxLag,
		},
	} {
		t.Run(name, test.play)
	}
}

// TestIgnoredOnce has a platform that ignores a leaf: the first object of a run waits for it, and
// no other object does.
func TestIgnoredOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop()
		w.rewrite = func(lamp tfvalue.Value) tfvalue.Value { return lamp.With(tfvalue.String("as it was"), "name") }
		w.change(firstLamp, "as it was", "name")
		w.change(another, "as it was", "name")
		run := newConnection(t)
		for i, id := range []string{firstLamp, another} {
			tf := newTerraform(t, w)
			tf.config = m{"lamp_id": id, "name": "as it was"}
			tf.wantOK(tf.apply())
			tf.config["name"] = "new"
			o := tf.plan()
			tf.start(tf.config)
			tf.run = run
			begun := time.Now()
			tf.block.Apply(tf, o)
			took := time.Since(begun)
			tf.wantErrors(o, "API does not show the change to name")
			if waited := took > 0; waited != (i == 0) || strings.Contains(o.Errors[0], "another object of this run waited 30s") == waited {
				t.Errorf("lamp %d took %s: %q", i, took, o.Errors)
			}
		}
	})
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

// TestUnsaid has responses that have a member for no bulb at all: they say nothing of it. Where
// one bulb has it, the others have the empty value.
func TestUnsaid(t *testing.T) {
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
