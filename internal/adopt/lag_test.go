package adopt

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// keeps has a platform that accepts a leaf and ignores it.
func keeps(is any, path ...string) func(tfvalue.Value) tfvalue.Value {
	return func(lamp tfvalue.Value) tfvalue.Value {
		return lamp.With(value(is, lamp.At(path...).Type()), path...)
	}
}

// inTurn changes the lamp with each PATCH in another way, and with later ones in none.
func inTurn(changes ...func(tfvalue.Value) tfvalue.Value) func(tfvalue.Value) tfvalue.Value {
	return func(lamp tfvalue.Value) tfvalue.Value {
		if len(changes) == 0 {
			return lamp
		}
		change := changes[0]
		changes = changes[1:]
		return change(lamp)
	}
}

func omitEmptyBulbs(_ string, lamp tfvalue.Value) tfvalue.Value {
	if lamp.At(bulbsAt...).IsEmpty() {
		return lamp.Without(bulbsAt...)
	}
	return lamp
}

// nameless has a number of responses, from that to a PATCH on, omit the names of the bulbs.
func nameless(patch, times int) func(*workshop) func(string, tfvalue.Value) tfvalue.Value {
	return func(w *workshop) func(string, tfvalue.Value) tfvalue.Value {
		return func(_ string, lamp tfvalue.Value) tfvalue.Value {
			if len(w.patches()) != patch || times == 0 {
				return lamp
			}
			times--
			return eachBulb(lamp, func(bulb tfvalue.Value) tfvalue.Value { return bulb.Without("socket") })
		}
	}
}

// TestLag has platforms whose responses are of the past, or that accept a change and never show
// it. Each row is a rule of the wait.
func TestLag(t *testing.T) {
	t.Parallel()
	e14, e27 := deskBulbs[0], m{"socket": "E27", "colors": []any{}, "on": false}
	blue := []any{m{"socket": "E14", "colors": []any{"blue"}}, deskBulbs[1]}
	oneByOne := []func(tfvalue.Value) tfvalue.Value{keeps([]any{e27}, bulbsAt...), keeps([]any{e14}, bulbsAt...)}
	const notShown = "API does not show the change to "
	for name, test := range map[string]struct {
		config   m // beside the name, which becomes new if it is not here
		lag      time.Duration
		rewrite  func(tfvalue.Value) tfvalue.Value
		happens  func(w *workshop, request string) error // before a request of the apply
		edit     func(w *workshop) func(string, tfvalue.Value) tfvalue.Value
		sent     []string
		reads    int // after the last PATCH
		took     time.Duration
		errors   []string
		warnings []string
		differs  bool // the next plan has something to do
	}{
		"a leaf that is late is read until it is there": {
			lag: 3 * time.Second, sent: []string{"PATCH name"}, reads: 4, took: 3500 * time.Millisecond,
		},
		"an addition waits for its removal": {
			config: m{"name": "desk", "bulbs": blue}, lag: 3 * time.Second,
			sent: []string{"PATCH -E14", "PATCH +E14"}, reads: 4, took: 7 * time.Second,
		},
		"an addition waits for its removal alone": {
			config: m{"bulbs": blue}, rewrite: keeps("desk", "name"),
			sent: []string{"PATCH name -E14", "PATCH +E14"}, reads: 10, took: maxLag,
			errors: []string{notShown + "name of lamp"},
		},
		"a leaf that is never there is sent once": {
			rewrite: keeps("desk", "name"), sent: []string{"PATCH name"}, reads: 10, took: maxLag,
			errors: []string{`name was sent and accepted, but the API still returned the value from before, "desk", in reads for 30s. `},
		},
		"a removal that is never there is in the list": {
			config: m{"name": "desk", "bulbs": blue}, rewrite: keeps([]any{e14, e27}, bulbsAt...),
			sent: []string{"PATCH -E14"}, reads: 10, took: maxLag,
			errors: []string{notShown + "mount.bulbs of lamp", "only partly updated"},
		},
		"a removed element with another value may be of the past": {
			config: m{"name": "desk", "bulbs": blue}, lag: 3 * time.Second,
			happens: func(w *workshop, request string) error {
				if old := w.versions[firstLamp]; request == "GET" && len(w.patches()) == 1 {
					old[0].lamp = keeps([]any{m{"socket": "E14", "colors": []any{}, "on": false}, e27}, bulbsAt...)(old[0].lamp)
				}
				return nil
			},
			sent: []string{"PATCH -E14", "PATCH +E14"}, reads: 4, took: 7 * time.Second,
		},
		"after a leaf that is never there, nothing is restored": {
			rewrite: func(lamp tfvalue.Value) tfvalue.Value {
				return keeps([]any{e27}, bulbsAt...)(keeps("desk", "name")(lamp))
			},
			sent: []string{"PATCH name"}, reads: 10, took: maxLag,
			errors: []string{notShown + "name of lamp", "E14: colors = [\"r\u00e9d\"], on = true"},
		},
		"what looks reset may be as it was at the beginning": {
			config: m{"bulbs": blue}, sent: []string{"PATCH name -E14", "PATCH +E14"}, reads: 1,
			happens: func(w *workshop, request string) error {
				if w.lag = 0; strings.HasSuffix(request, "+E14") {
					w.lag = time.Hour
				}
				return nil
			},
		},
		"a lost response, and reads that are late: it is not sent again": {
			config: m{"bulbs": blue}, lag: 3 * time.Second,
			happens: func(w *workshop, request string) error {
				if w.done = strings.HasPrefix(request, "PATCH name"); w.done {
					return &platform.Error{Ambiguous: true}
				}
				return nil
			},
			sent: []string{"PATCH name -E14", "PATCH +E14"}, reads: 4, took: 7 * time.Second,
		},
		"a lost response, and nothing that it did for 10 s: it is sent again": {
			config: m{"bulbs": blue},
			happens: func(w *workshop, request string) error {
				if strings.HasPrefix(request, "PATCH") && len(w.patches()) == 1 {
					return &platform.Error{Ambiguous: true}
				}
				return nil
			},
			sent: []string{"PATCH name -E14", "PATCH name -E14", "PATCH +E14"}, took: undoneFor,
		},
		"a lost response to what dropped another element: it is added again": {
			config: m{"bulbs": blue}, rewrite: inTurn(func(lamp tfvalue.Value) tfvalue.Value { return keeps([]any{}, bulbsAt...)(lamp) }),
			happens: func(w *workshop, request string) error {
				if w.done = strings.HasPrefix(request, "PATCH name"); w.done {
					return &platform.Error{Ambiguous: true}
				}
				return nil
			},
			sent: []string{"PATCH name -E14", "PATCH +E14 +E27"},
		},
		"what only the question of the last PATCH finds lost is an error": {
			config:  m{"size": 3},
			rewrite: inTurn(slices.Repeat(oneByOne, 2)...),
			happens: func(w *workshop, request string) error {
				if w.done = strings.HasPrefix(request, "PATCH") && len(w.patches()) == 3; w.done {
					return &platform.Error{Ambiguous: true}
				}
				return nil
			},
			sent: []string{"PATCH name", "PATCH name size +E14", "PATCH name size +E27"}, reads: 1,
			errors: []string{"bulbs, E14: should be there, but is missing", "only partly updated"},
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
			sent: []string{"PATCH name -E14", "PATCH +E14", "PATCH +E14"}, took: 3500 * time.Millisecond,
		},
		"a leaf of the first PATCH is waited for after a lost response to the second": {
			config: m{"bulbs": blue}, rewrite: keeps("desk", "name"),
			happens: func(w *workshop, request string) error {
				if w.done = strings.HasPrefix(request, "PATCH +"); w.done {
					return &platform.Error{Ambiguous: true}
				}
				return nil
			},
			sent: []string{"PATCH name -E14", "PATCH +E14"}, reads: 11, took: maxLag,
			errors: []string{notShown + "name of lamp"},
		},
		"an addition to a set that is omitted once it is empty is waited for": {
			config: m{"name": "desk", "bulbs": []any{m{"socket": "E14", "colors": []any{"blue"}}, m{"socket": "E27", "colors": []any{"blue"}}}}, lag: 3 * time.Second,
			edit: func(*workshop) func(string, tfvalue.Value) tfvalue.Value { return omitEmptyBulbs },
			sent: []string{"PATCH -E14 -E27", "PATCH +E14 +E27"}, reads: 4, took: 7 * time.Second,
		},
		"an addition to such a set that is never there is an error": {
			config:  m{"name": "desk", "bulbs": []any{m{"socket": "E14", "colors": []any{"blue"}}, m{"socket": "E27", "colors": []any{"blue"}}}},
			rewrite: keeps([]any{}, bulbsAt...),
			edit:    func(*workshop) func(string, tfvalue.Value) tfvalue.Value { return omitEmptyBulbs },
			sent:    []string{"PATCH -E14 -E27", "PATCH +E14 +E27"}, reads: 10, took: maxLag,
			errors: []string{notShown + "mount.bulbs of lamp", "only partly updated"},
		},
		"nothing shows the set after the first PATCH: what it removed is in the list": {
			config: m{"bulbs": blue},
			edit:   nameless(1, 9), reads: 2,
			happens: func(w *workshop, request string) error {
				if request == "GET" && len(w.patches()) == 1 && w.lastReads() == 2 {
					return &platform.Error{Status: 403}
				}
				return nil
			},
			sent: []string{"PATCH name -E14"}, errors: []string{"", "E14: colors = [\"r\u00e9d\"], on = true"},
			warnings: []string{"API does not return all values"},
		},
		"a lost response, and a leaf that differs: the leaves are sent, and no element": {
			config: m{"bulbs": blue}, rewrite: inTurn(keeps("other", "name")),
			happens: func(w *workshop, request string) error {
				if w.done = strings.HasPrefix(request, "PATCH") && len(w.patches()) == 1; w.done {
					return &platform.Error{Ambiguous: true}
				}
				return nil
			},
			sent: []string{"PATCH name -E14", "PATCH name", "PATCH +E14"},
		},
		"a leaf that only the response to the second PATCH has is returned": {
			config: m{"bulbs": blue},
			edit: func(*workshop) func(string, tfvalue.Value) tfvalue.Value {
				left := 2
				return func(_ string, lamp tfvalue.Value) tfvalue.Value {
					if lamp.At("name").Text() == "new" && left > 0 {
						left--
						return lamp.Without("name")
					}
					return lamp
				}
			},
			sent: []string{"PATCH name -E14", "PATCH +E14"},
		},
		"a lost response, and a later rejection: it was undone": {
			config: m{"bulbs": blue},
			happens: func(w *workshop, request string) error {
				if strings.HasPrefix(request, "PATCH") {
					return map[bool]error{true: &platform.Error{Ambiguous: true}, false: &platform.Error{Status: 400}}[len(w.patches()) == 1]
				}
				return nil
			},
			sent: []string{"PATCH name -E14", "PATCH name -E14"}, took: undoneFor,
			errors: []string{"Cannot update lamp"},
		},
		"nothing shows the set after the last PATCH: what it adds is not known to be there": {
			config: m{"bulbs": blue},
			edit:   nameless(2, 1), reads: 1,
			happens: func(w *workshop, request string) error {
				if request == "GET" && len(w.patches()) == 2 {
					return &platform.Error{Status: 403}
				}
				return nil
			},
			sent: []string{"PATCH name -E14", "PATCH +E14"}, errors: []string{"Cannot read lamp after its update", "E14: colors = [\"r\u00e9d\"], on = true"},
		},
		"a lost response of elements alone: they are not sent again before 10 s, either": {
			config: m{"name": "desk", "bulbs": blue},
			happens: func(w *workshop, request string) error {
				if strings.HasPrefix(request, "PATCH") && len(w.patches()) == 1 {
					return &platform.Error{Ambiguous: true}
				}
				return nil
			},
			sent: []string{"PATCH -E14", "PATCH -E14", "PATCH +E14"}, took: undoneFor,
		},
		"a lost response of leaves alone that a read shows: they are not sent again": {
			happens: func(w *workshop, request string) error {
				if w.done = strings.HasPrefix(request, "PATCH"); w.done {
					return &platform.Error{Ambiguous: true}
				}
				return nil
			},
			sent: []string{"PATCH name"}, reads: 1,
		},
		"a lost response of leaves alone: they are sent again at once": {
			happens: func(w *workshop, request string) error {
				if strings.HasPrefix(request, "PATCH") && len(w.patches()) == 1 {
					return &platform.Error{Ambiguous: true}
				}
				return nil
			},
			sent: []string{"PATCH name", "PATCH name"},
		},
		"a read during the wait fails: what was removed is in the list": {
			config: m{"bulbs": blue}, lag: 3 * time.Second,
			happens: func(w *workshop, request string) error {
				if request == "GET" && len(w.patches()) == 1 && w.lastReads() == 2 {
					return &platform.Error{Status: 403}
				}
				return nil
			},
			sent: []string{"PATCH name -E14"}, reads: 2, took: 500 * time.Millisecond,
			errors: []string{"Cannot read lamp after its update", "only partly updated"},
		},
		"what was restored may be as it was after the reset": {
			config:  m{"size": 3},
			rewrite: inTurn(keeps(0, "size")),
			happens: func(w *workshop, request string) error {
				if len(w.patches()) == 2 {
					w.lag = time.Second
				}
				return nil
			},
			sent: []string{"PATCH name", "PATCH name size"}, reads: 3, took: 1500 * time.Millisecond,
		},
		"an element of an earlier PATCH may not be there yet": {
			config:  m{"size": 3, "bulbs": append([]any{m{"socket": "G9"}}, deskBulbs...)},
			rewrite: inTurn(keeps(0, "size")),
			happens: func(w *workshop, request string) error {
				if w.lag = 0; request != "GET" && len(w.patches()) == 2 {
					w.lag = time.Hour
				}
				return nil
			},
			sent: []string{"PATCH name +G9", "PATCH name size"}, reads: 1,
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
			sent: []string{"PATCH name", "PATCH name size"},
		},
		"no response has the names after the first PATCH: the second one waits for a read": {
			config: m{"bulbs": blue},
			edit:   nameless(1, 2),
			sent:   []string{"PATCH name -E14", "PATCH +E14"},
		},
		"what the read before the second PATCH lacks is lost": {
			config: m{"bulbs": blue}, rewrite: inTurn(keeps([]any{m{"socket": "G9", "colors": []any{}, "on": false}}, bulbsAt...)),
			edit: nameless(1, 2),
			sent: []string{"PATCH name -E14", "PATCH +E14", "PATCH name +E27"}, differs: true,
		},
		"no response has the names after the last PATCH: a warning": {
			config: m{"bulbs": blue},
			edit:   nameless(2, 2), reads: 1,
			sent: []string{"PATCH name -E14", "PATCH +E14"}, warnings: []string{"API does not return all values"},
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
			sent: []string{"PATCH name -E14"}, reads: 2,
			errors: []string{"The API did not return mount.bulbs, so it is not known which bulbs the lamp has."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tf := adopted(t, m{"name": "desk", "bulbs": deskBulbs})
				tf.config["name"] = "new"
				for path, is := range test.config {
					tf.config[path] = is
				}
				o := tf.plan()
				tf.lag, tf.rewrite, tf.retries, tf.requests = test.lag, test.rewrite, true, nil
				if test.happens != nil {
					tf.fail = func(request string) error { return test.happens(tf.workshop, request) }
				}
				if test.edit != nil {
					tf.edits = append(tf.edits, test.edit(tf.workshop))
				}
				begun := time.Now()
				tf.applyPlan(o)
				if took := time.Since(begun); took != test.took || tf.lastReads() != test.reads {
					t.Errorf("%d reads after the last PATCH, in all of %s", tf.lastReads(), took)
				}
				if tf.open != 0 {
					t.Errorf("%d calls have not ended", tf.open)
				}
				tf.wantPatches(test.sent...)
				tf.wantErrors(o, test.errors...)
				tf.wantWarnings(o, test.warnings...)
				if strings.Contains(strings.Join(o.Errors, ""), "Set the argument to the value on the platform") {
					t.Error("an error advises to configure the old value")
				}
				if len(test.errors) == 0 && !test.differs {
					tf.fail = nil
					tf.wantQuiet(tf.plan())
				}
			})
		})
	}
}

// lastReads is the number of GETs after the last PATCH.
func (w *workshop) lastReads() int {
	reads := slices.Clone(w.requests)
	slices.Reverse(reads)
	return max(0, slices.IndexFunc(append(reads, "PATCH"), func(request string) bool { return request != "GET" }))
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
		tf.wantQuiet(tf.apply())
		tf.wantPatches("PATCH -E14", "PATCH +E14")
	}
	tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{"blue"}, "on": true}, deskBulbs[1]}
	tf.wantQuiet(tf.apply())
	tf.requests = nil
	tf.edits[0] = without("E14")
	if o := tf.plan(); o.Action != terraformtest.Update {
		t.Errorf("the plan is to %s", o.Action)
	}
}
