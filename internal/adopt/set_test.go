package adopt

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestResetsByAStage has an update in two PATCHes, each of which resets what it omits: the
// second one has what the first one has reset, and is decided by the response to it.
func TestResetsByAStage(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "desk", "bulbs": deskBulbs})
	tf.resets = true
	tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{"blue"}}}
	tf.wantOK(tf.apply())
	tf.wantRequests("2 GETs", "PATCH -E14 -E27", "PATCH name +E14")
	if len(tf.asOf) != 2 || !tf.asOf[1].After(tf.asOf[0]) {
		t.Errorf("decided at %v", tf.asOf)
	}
	unmanaged := adopted(t, m{"name": "desk"})
	unmanaged.config["name"] = "new"
	unmanaged.wantOK(unmanaged.apply())
	unmanaged.wantPatches("PATCH name")
	if len(unmanaged.asOf) > 0 {
		t.Errorf("a leaf alone rests on bulbs that nobody manages: %v", unmanaged.asOf)
	}
}

// TestHalfDone has an update that ends in the PATCH that removes an element or in the one
// that adds another value of it: an error has what it was, wherever it may be gone, and the
// next apply adds it.
func TestHalfDone(t *testing.T) {
	t.Parallel()
	const lost = "They were:\n\n  - E14: colors = [\"réd\"], on = true, wire = \"E14\"\n\nTheir colors stay off. " +
		"Correct what the API rejected, if it did, compare these values with the configuration, then run"
	for name, test := range map[string]struct {
		patch int // which fails, and is carried out if the error is ambiguous
		err   *platform.Error
		lists bool
	}{
		"the first, rejected":   {1, &platform.Error{Status: 422}, false},
		"the first, ambiguous":  {1, &platform.Error{Ambiguous: true}, true},
		"the second, rejected":  {2, &platform.Error{Status: 422}, true},
		"the second, ambiguous": {2, &platform.Error{Ambiguous: true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tf := adopted(t, m{"bulbs": deskBulbs})
			tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{"blue"}}, m{"socket": "G9"}} // E27 is gone for good
			tf.done = test.err.Ambiguous
			tf.fail = func(request string) error {
				if request != "GET" && len(tf.patches()) == test.patch {
					return test.err
				}
				return nil
			}
			want := []string{"Cannot update lamp: "}
			if test.lists {
				want = append(want, lost)
			}
			tf.wantErrors(tf.apply(), want...)
			tf.fail = nil
			tf.wantQuiet(tf.apply())
		})
	}
}

// TestGuard has a PATCH of bulbs whose outcome is not known, or that was not carried out, and
// what the console does before it is sent again: it is sent only if the bulbs that it
// concerns are as they were, and not again if they are as it wants them.
func TestGuard(t *testing.T) {
	t.Parallel()
	red := m{"socket": "E14", "colors": []any{"r\u00e9d"}, "on": true}
	off := m{"socket": "E27", "colors": []any{}, "on": false}
	const remove, add = "PATCH name -E14", "PATCH +E14"
	for name, test := range map[string]struct {
		patch   int  // which fails
		done    bool // before it fails
		console []any
		sent    []string
		refused bool
		took    time.Duration
	}{
		"as they were":                         {1, false, nil, []string{"GET", remove, "6 GETs", remove, add}, false, undoneFor},
		"as they were, and another one is not": {1, false, []any{red, m{"socket": "E27", "colors": []any{"x"}, "on": false}}, []string{"GET", remove, "6 GETs", remove, add}, false, undoneFor},
		"as they are wanted":                   {1, true, nil, []string{"GET", remove, "GET", add}, false, 0},
		"changed":                              {1, false, []any{m{"socket": "E14", "colors": []any{}, "on": true}, off}, []string{"GET", remove, "GET"}, true, 0},
		"the second, as they were":             {2, false, nil, []string{"GET", remove, add, "6 GETs", add}, false, undoneFor},
		"the second, as they are wanted":       {2, true, nil, []string{"GET", remove, add, "GET"}, false, 0},
		"the second, wanted in another form":   {2, false, []any{m{"socket": "E14", "colors": []any{"ble\u0301u"}, "on": false}, off}, []string{"GET", remove, add, "GET"}, false, 0},
		"the second, added otherwise":          {2, false, []any{m{"socket": "E14", "colors": []any{}, "on": true}, off}, []string{"GET", remove, add, "GET"}, true, 0},
		"the second, as in the beginning":      {2, false, []any{red, off}, []string{"GET", remove, add, "10 GETs"}, true, maxLag},
		"another form, which nobody could add": {1, false, []any{m{"socket": "E14", "colors": []any{"re\u0301d"}, "on": true}, off}, []string{"GET", remove, "10 GETs"}, true, maxLag},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tf := adopted(t, m{"bulbs": deskBulbs})
				tf.retries = true
				tf.config["name"], tf.config["bulbs"] = "new", []any{m{"socket": "E14", "colors": []any{"bl\u00e9u"}}, deskBulbs[1]}
				tf.done = test.done
				tf.fail = func(request string) error {
					if request == "GET" || len(tf.patches()) != test.patch {
						return nil
					}
					if test.console != nil {
						tf.change(firstLamp, test.console, bulbsAt...)
					}
					return &platform.Error{Ambiguous: true}
				}
				o := tf.plan()
				tf.requests = nil
				begun := time.Now()
				tf.applyPlan(o)
				if took := time.Since(begun); took != test.took {
					t.Errorf("the apply took %s", took)
				}
				tf.wantRequests(test.sent...)
				if test.refused {
					if len(o.Errors) == 0 || !strings.Contains(o.Errors[0], `bulbs of lamp "desk" (`+firstLamp+") changed during the apply") || !strings.Contains(o.Errors[0], "  - E14\n\nPlan again.") {
						t.Errorf("errors %q", o.Errors)
					}
				} else {
					tf.wantOK(o)
				}
				tf.fail = nil
				if next := tf.apply(); strings.HasPrefix(name, "another form") {
					tf.wantErrors(next, "cannot be sent")
				} else {
					tf.wantQuiet(next)
				}
			})
		})
	}
}

// TestFirstElements adds a bulb to a lamp that has none, on a platform that omits an empty set: no
// read has the set, also before another attempt, and the response is compared with what was sent.
func TestFirstElements(t *testing.T) {
	t.Parallel()
	w := newWorkshop()
	w.retries, w.edits = true, append(w.edits, omitEmptyBulbs)
	tf := newTerraform(t, w)
	tf.config = m{"lamp_id": another}
	tf.wantQuiet(tf.apply())
	tf.fail = func(request string) error {
		if request == "GET" || len(tf.patches()) > 1 {
			return nil
		}
		return &platform.Error{}
	}
	tf.rewrite = keeps([]any{m{"socket": "E14", "colors": []any{}, "on": false}}, bulbsAt...)
	tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{"blue"}}}
	tf.wantErrors(tf.apply(), "E14, colors: should be [\"blue\"], but is []")
	tf.wantPatches("PATCH +E14", "PATCH +E14")
}

// TestFollow has a leaf that is managed, and that somebody changes while a PATCH of
// another waits for a limit: the read before the next attempt shows it, so it is no reset.
func TestFollow(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"size": 3, "bulbs": deskBulbs})
	tf.retries, tf.config["name"] = true, "new"
	tf.fail = func(request string) error {
		if request == "GET" || len(tf.patches()) > 1 {
			return nil
		}
		tf.change(firstLamp, 9, "size")
		return &platform.Error{}
	}
	tf.wantOK(tf.apply())
	tf.wantPatches("PATCH name", "PATCH name")
	if next := tf.plan(); next.Action != "update" {
		t.Errorf("the next plan: %s", next.Action)
	}
}

// TestDoubtfulResponse has a response that omits a member of an element and shows a reset, a
// read that omits the set, and an error after them: the state has the set as it was.
func TestDoubtfulResponse(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"size": 3, "bulbs": deskBulbs})
	tf.rewrite = func(lamp tfvalue.Value) tfvalue.Value { return lamp.With(value(7, lamp.At("size").Type()), "size") }
	tf.edits = append(tf.edits, func(request string, lamp tfvalue.Value) tfvalue.Value {
		switch {
		case len(tf.patches()) == 0:
			return lamp
		case request == "GET":
			return lamp.Without(bulbsAt...)
		default:
			return eachBulb(lamp, func(bulb tfvalue.Value) tfvalue.Value { return bulb.Without("colors") })
		}
	})
	tf.fail = func(string) error {
		if len(tf.patches()) == 2 {
			return &platform.Error{Status: http.StatusUnprocessableEntity}
		}
		return nil
	}
	tf.config["name"] = "new"
	tf.apply()
	tf.wantPatches("PATCH name", "PATCH name size")
	if got := tf.state.At(bulbsAt...); !got.Equal(wholeBulbs(value(deskBulbs, got.Type()))) {
		t.Errorf("the state has %v", got)
	}
}

// TestRestore has a platform that changes bulbs with a PATCH. Those that it drops without being
// asked to are added again, once. Others that it changes are left, with a warning. What it
// does not carry out is an error, and no reason to add anything again.
func TestRestore(t *testing.T) {
	t.Parallel()
	e14, e27 := deskBulbs[0], m{"socket": "E27", "colors": []any{}, "on": false}
	blue := []any{m{"socket": "E14", "colors": []any{"blue"}}, deskBulbs[1]}
	for name, test := range map[string]struct {
		bulbs    []any // in the configuration
		becomes  any
		at       int // the PATCH with which they do, 0 for each
		sent     []string
		warnings []string
		errors   []string
	}{
		"all are dropped":         {deskBulbs, []any{}, 1, []string{"PATCH name", "PATCH name +E14 +E27"}, nil, nil},
		"none is returned":        {[]any{e27}, nil, 1, []string{"PATCH name -E14", "PATCH name +E27"}, nil, nil},
		"one is changed":          {deskBulbs, []any{m{"socket": "E14", "colors": []any{}, "on": true}, e27}, 1, []string{"PATCH name"}, []string{`bulbs, E14, colors: was ["réd"], is now []`}, nil},
		"one more is added":       {deskBulbs, []any{e14, e27, m{"socket": "G9", "colors": []any{}, "on": true}}, 1, []string{"PATCH name"}, nil, nil},
		"one is dropped for ever": {deskBulbs, []any{e27}, 0, []string{"PATCH name", "PATCH name +E14"}, nil, []string{"E14: should be there, but is missing", "is only partly updated"}},
		"added without its color": {blue, []any{m{"socket": "E14", "colors": []any{}, "on": false}, e27}, 2, []string{"PATCH name -E14", "PATCH +E14"}, nil, []string{`E14, colors: should be ["blue"], but is []`, "is only partly updated"}},
		"not removed":             {blue, []any{e14, e27}, 0, []string{"PATCH name -E14"}, nil, []string{"E14: should be missing, but is there", "E14: colors = [\"réd\"], on = true"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tf := adopted(t, m{"name": "desk", "bulbs": deskBulbs})
				tf.rewrite = func(lamp tfvalue.Value) tfvalue.Value {
					if test.at == 0 || len(tf.patches()) == test.at {
						return lamp.With(value(test.becomes, lamp.At(bulbsAt...).Type()), bulbsAt...)
					}
					return lamp
				}
				tf.config["name"], tf.config["bulbs"] = "new", test.bulbs
				o := tf.apply()
				tf.wantPatches(test.sent...)
				tf.wantErrors(o, test.errors...)
				tf.wantWarnings(o, test.warnings...)
			})
		})
	}
	// One bulb after the other: the second correction is the last one.
	tf := adopted(t, m{"name": "desk", "bulbs": deskBulbs})
	tf.rewrite = func(lamp tfvalue.Value) tfvalue.Value {
		left := []any{e27}
		if len(tf.patches()) == 2 {
			left = []any{e14}
		}
		return lamp.With(value(left, lamp.At(bulbsAt...).Type()), bulbsAt...)
	}
	tf.config["name"] = "new"
	tf.wantErrors(tf.apply(), "API stored a different value for fixture.mount.bulbs", "is only partly updated")
	tf.wantPatches("PATCH name", "PATCH name +E14", "PATCH name +E27")
}

// TestSpellings has names that the platform has in another Unicode form. By themselves they make
// no difference, and nothing that contains one is changed.
func TestSpellings(t *testing.T) {
	t.Parallel()
	const composed, decomposed = "caf\u00e9", "cafe\u0301"
	bulbs := func(name string) []any { return []any{m{"socket": "E14", "colors": []any{name}}, deskBulbs[1]} }
	w := newWorkshop()
	w.change(firstLamp, append(bulbs(decomposed), m{"socket": decomposed, "colors": []any{}, "on": false}), bulbsAt...)
	w.change(firstLamp, []any{decomposed}, "tags")
	tf := newTerraform(t, w)
	whole := append(bulbs(composed), m{"socket": composed})
	tf.config = m{"lamp_id": firstLamp, "bulbs": whole, "tags": []any{composed}}
	tf.wantQuiet(tf.apply())
	tf.config["bulbs"] = append(bulbs(composed), m{"socket": composed}, m{"socket": "G9", "colors": []any{composed}})
	tf.wantQuiet(tf.apply()) // an element of its own
	tf.wantPatches("PATCH +G9")
	tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{composed, "x"}}, deskBulbs[1], m{"socket": composed}, m{"socket": "G9", "colors": []any{composed}}}
	tf.wantErrors(tf.apply(), `A name in fixture.mount.bulbs of lamp "desk" (`+firstLamp+`) cannot be sent: The platform has "café" in another Unicode form`)
	tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{}}, deskBulbs[1], m{"socket": composed, "on": true}, m{"socket": "G9", "colors": []any{composed}}}
	tf.wantErrors(tf.apply(), "cannot be sent")
	tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{"x"}}, deskBulbs[1], m{"socket": composed}, m{"socket": "G9", "colors": []any{composed}}}
	tf.wantErrors(tf.apply(), "cannot be sent") // which removes the other form, too
	tf.config["bulbs"] = append(bulbs(composed), m{"socket": composed})
	tf.wantQuiet(tf.apply())
	tf.wantPatches("PATCH -G9")
	tf.change(firstLamp, decomposed, "name")
	tf.config["name"] = "new" // one name alone is replaced
	tf.wantQuiet(tf.apply())
	tf.wantPatches("PATCH name")
	for _, tags := range [][]any{{composed, "x"}, {"x"}} {
		tf.config["tags"] = tags
		tf.wantErrors(tf.apply(), "A name in tags of lamp")
	}
	tf.wantPatches()
}

// TestElementWithoutAName has responses whose bulbs lack their names: they are asked for once
// more, and then no bulb is changed. After an update of another leaf, none is added again.
func TestElementWithoutAName(t *testing.T) {
	t.Parallel()
	for _, times := range []int{1, 2} {
		tf, left := adopted(t, m{"name": "desk", "bulbs": deskBulbs}), times
		tf.edits = append(tf.edits, func(_ string, lamp tfvalue.Value) tfvalue.Value {
			if left == 0 && len(tf.patches()) == 0 {
				return lamp
			}
			left--
			return withoutNames(lamp)
		})
		o := tf.plan()
		if times == 1 {
			tf.wantOK(o)
		} else {
			tf.wantErrors(o, `Unknown bulbs of lamp "desk" (`+firstLamp+")")
			delete(tf.config, "bulbs") // unmanaged, it is no obstacle
			left = -1
		}
		tf.config["name"] = "new"
		o = tf.apply()
		tf.wantOK(o)
		tf.wantPatches("PATCH name")
		if times == 1 {
			tf.wantWarnings(o, "API does not return all values")
		}
	}
	adopts := newTerraform(t, newWorkshop())
	adopts.edits = append(adopts.edits, func(_ string, lamp tfvalue.Value) tfvalue.Value {
		if len(adopts.patches()) == 0 {
			return lamp
		}
		return withoutNames(lamp)
	})
	adopts.config = m{"lamp_id": firstLamp, "name": "new"}
	adopts.wantOK(adopts.apply())
	if unnamed := bulbKey.Unnamed(adopts.state.At(bulbsAt...)); len(unnamed) > 0 {
		t.Errorf("the state has %v", unnamed)
	}
}
