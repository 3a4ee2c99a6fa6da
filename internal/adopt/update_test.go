package adopt

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// wantQuiet fails unless a command succeeded, and the next plan is empty.
func (tf *terraform) wantQuiet(o *outcome) {
	tf.t.Helper()
	tf.wantOK(o)
	requests := len(tf.patches())
	next := tf.plan()
	tf.wantOK(next)
	if next.action != "none" || len(next.warnings) > 0 {
		tf.t.Errorf("the next plan is not empty: %s %v, warnings %q", next.action, next.planned, next.warnings)
	}
	if len(tf.patches()) != requests {
		tf.t.Errorf("a plan sends %q", tf.patches()[requests:])
	}
}

func (tf *terraform) wantOK(o *outcome) {
	tf.t.Helper()
	if len(o.errors)+len(o.blames) > 0 {
		tf.t.Fatalf("errors %q, blames %q", o.errors, o.blames)
	}
}

// wantPatches fails unless exactly these were sent since the last call.
func (tf *terraform) wantPatches(want ...string) {
	tf.t.Helper()
	if got := tf.patches(); !slices.Equal(got, want) {
		tf.t.Errorf("sent %q, want %q", got, want)
	}
	tf.requests = nil
}

// wantWarnings fails unless there is one warning for each text, which it contains.
func (tf *terraform) wantWarnings(o *outcome, want ...string) {
	tf.t.Helper()
	if len(o.warnings) != len(want) {
		tf.t.Errorf("%d warnings, want %d: %q", len(o.warnings), len(want), o.warnings)
		return
	}
	for i, text := range want {
		if !strings.Contains(o.warnings[i], text) {
			tf.t.Errorf("the warning %q does not contain %q", o.warnings[i], text)
		}
	}
}

func (tf *terraform) wantError(o *outcome, want string) {
	tf.t.Helper()
	if len(o.blames) > 0 || len(o.errors) != 1 || !strings.Contains(o.errors[0], want) {
		tf.t.Errorf("errors %q, blames %q, want an error with %q", o.errors, o.blames, want)
	}
}

// adopted is a lamp that was adopted with a configuration, without a PATCH.
func adopted(t *testing.T, config m) *terraform {
	t.Helper()
	tf := newTerraform(t, newWorkshop())
	config["lamp_id"] = firstLamp
	tf.config = config
	tf.wantQuiet(tf.apply())
	tf.wantPatches()
	return tf
}

// TestResponsesInDoubt has responses to a PATCH that have nothing, or show the lamp as
// it was: one GET settles what they leave in doubt.
func TestResponsesInDoubt(t *testing.T) {
	t.Parallel()
	for _, result := range []string{"", "none", "past"} {
		for name, test := range map[string]struct {
			from, to m
			patches  []string
		}{
			"a leaf":                   {m{"name": "desk"}, m{"name": "new"}, []string{"PATCH name"}},
			"a leaf that is emptied":   {m{"name": "desk"}, m{"name": ""}, []string{"PATCH name"}},
			"a keyed set":              {m{"bulbs": deskBulbs}, m{"bulbs": []any{m{"socket": "E14", "colors": []any{"blue"}}}}, []string{"PATCH -E14 -E27", "PATCH +E14"}},
			"a keyed set to nothing":   {m{"bulbs": deskBulbs}, m{"bulbs": []any{}}, []string{"PATCH -E14 -E27"}},
			"what no response returns": {m{"secret": nil}, m{"secret": m{"version": "1"}}, []string{"PATCH secret.version"}},
		} {
			t.Run(fmt.Sprintf("%q %s", result, name), func(t *testing.T) {
				t.Parallel()
				tf := adopted(t, test.from)
				tf.result = result
				test.to["lamp_id"] = firstLamp
				tf.config = test.to
				tf.wantQuiet(tf.apply())
				tf.wantPatches(test.patches...)

				if test.to["bulbs"] != nil {
					return // an adoption changes no element
				}
				adopts := newTerraform(t, newWorkshop())
				adopts.result, adopts.config = result, test.to
				adopts.wantQuiet(adopts.apply())
				adopts.wantPatches(test.patches...)
			})
		}
	}
}

// TestFailedReadAfterAnUpdate has an update whose result the response does not show, and no
// read either: one error, and a state with what is known.
func TestFailedReadAfterAnUpdate(t *testing.T) {
	t.Parallel()
	for result, name := range map[string]string{"none": "new", "past": "desk"} {
		tf := adopted(t, m{"name": "desk"})
		tf.result = result
		tf.config["name"] = "new"
		tf.fail = func(request string) error {
			if request == "GET" && len(tf.patches()) > 0 {
				return errors.New("no response")
			}
			return nil
		}
		tf.wantError(tf.apply(), "Cannot read lamp after its update: The API accepted the update of lamp \"desk\"")
		if got, weight := tf.state.At("name").Text(), tf.state.At("weight"); got != name || weight.IsNull() {
			t.Errorf("%s: the state has name %q and weight %v", result, got, weight)
		}
		tf.fail = nil
		tf.wantQuiet(tf.apply())
		tf.wantPatches("PATCH name")
	}
}

// TestStoredOtherwise has a platform that stores another value than it was sent: an
// error, for each PATCH once.
func TestStoredOtherwise(t *testing.T) {
	t.Parallel()
	for _, result := range []string{"", "none", "past"} {
		tf := adopted(t, m{"size": 3, "bulbs": deskBulbs})
		tf.result = result
		tf.rewrite = func(lamp tfvalue.Value) tfvalue.Value { return lamp.With(value(7, lamp.At("size").Type()), "size") }
		tf.config["size"], tf.config["bulbs"] = 5, []any{m{"socket": "E14"}, deskBulbs[1]}
		if o := tf.apply(); len(o.errors) == 0 || !strings.HasPrefix(o.errors[0], `API stored a different value for size of lamp "desk" (`+firstLamp+"): size was sent and accepted, but the API returned another value: 7.") {
			t.Errorf("errors %q", o.errors)
		}
		if got, _ := tf.state.At("size").Number().Int64(); got != 7 {
			t.Errorf("%q: the state has size %d", result, got)
		}
		tf.wantPatches("PATCH size -E14") // and no second stage
		adopts := newTerraform(t, newWorkshop())
		adopts.rewrite, adopts.config = tf.rewrite, m{"lamp_id": firstLamp, "size": 5}
		adopts.wantError(adopts.apply(), "API stored a different value for size")
		if !adopts.state.IsNull() {
			t.Errorf("%q: a failed adoption has the state %v", result, adopts.state)
		}
	}
}

// TestAcceptedAndNotReturned has a value that the platform accepts and never returns
// while another one is off: a warning each time it is sent, and never an error.
func TestAcceptedAndNotReturned(t *testing.T) {
	t.Parallel()
	hidden := func(_ string, lamp tfvalue.Value) tfvalue.Value {
		if lamp.At("name").Text() == "off" {
			return lamp.Without("size")
		}
		return lamp
	}
	const warning = `API does not return all values of lamp "desk" (` + firstLamp + ")"
	t.Run("with the change that hides it", func(t *testing.T) {
		t.Parallel()
		tf := adopted(t, m{"size": 3})
		tf.edits = append(tf.edits, hidden)
		tf.config["name"], tf.config["size"] = "off", 5
		o := tf.apply()
		tf.wantWarnings(o, warning)
		tf.wantQuiet(o)
		tf.wantPatches("PATCH name size")
	})
	t.Run("by a change to another", func(t *testing.T) {
		t.Parallel()
		tf := adopted(t, m{"size": 3, "name": "desk"})
		tf.edits = append(tf.edits, hidden)
		tf.config["name"] = "off"
		o := tf.apply()
		tf.wantWarnings(o, warning)
		tf.wantQuiet(o)
		tf.wantPatches("PATCH name", "PATCH name size")

		// From then on it counts as never returned, until it is returned again.
		tf.config["tags"] = []any{"c"}
		o = tf.apply()
		tf.wantWarnings(o)
		tf.wantQuiet(o)
		tf.wantPatches("PATCH tags")
		tf.config["size"] = 6
		tf.wantWarnings(tf.apply(), `API does not return all values of lamp "off" (`+firstLamp+")")
		tf.wantPatches("PATCH size")
		tf.config["name"] = "on"
		tf.wantQuiet(tf.apply())
		tf.wantPatches("PATCH name")
		tf.change(firstLamp, 1, "size")
		tf.wantQuiet(tf.apply())
		tf.wantPatches("PATCH size")
	})
	t.Run("while the response shows the past", func(t *testing.T) {
		t.Parallel()
		tf := adopted(t, m{"size": 3})
		tf.result = "past"
		tf.config["size"] = 5
		o := tf.plan()
		tf.edits = append(tf.edits, omit("GET", 0, "size"))
		o.change.Prior.Private = []byte(`{"untold":"WyJzaXplIl0="}`) // no read has returned size
		tf.applyPlan(o)
		tf.wantOK(o)
		tf.wantWarnings(o, warning)
	})
	t.Run("in an adoption", func(t *testing.T) {
		t.Parallel()
		tf := newTerraform(t, newWorkshop())
		tf.edits = append(tf.edits, hidden)
		tf.config = m{"lamp_id": firstLamp, "name": "off", "size": 5}
		o := tf.apply()
		const adopts = "Creating this resource overwrites"
		tf.wantWarnings(o, adopts, adopts, warning) // the apply plans again
		tf.wantQuiet(o)
	})
}

// TestResets has a platform that resets what a PATCH omits.
func TestResets(t *testing.T) {
	t.Parallel()
	for _, result := range []string{"", "none", "past"} {
		tf := adopted(t, m{"name": "desk", "size": 3})
		tf.resets, tf.result = true, result
		tf.config["size"] = 4
		o := tf.apply()
		tf.wantPatches("PATCH size", "PATCH name size")
		if len(o.warnings) != 1 {
			t.Fatalf("%q: warnings %q", result, o.warnings)
		}
		for _, moved := range []string{`Updating lamp "desk" (` + firstLamp + ") also changed unmanaged values", `- cert: was "c", is now ""`, `- tags: was ["a", "b"], is now []`, "- bulbs, E14: was there, is now missing", "- bulbs, E27: was there, is now missing", "- shape.round.radius: was 4, is now 0", "To manage one of them"} {
			if !strings.Contains(o.warnings[0], moved) {
				t.Errorf("%q: no %q in %s", result, moved, o.warnings[0])
			}
		}
		if strings.Contains(o.warnings[0], "state") {
			t.Errorf("%q: what the platform moves is in %s", result, o.warnings[0])
		}
		tf.wantQuiet(o)
	}
}

// TestResetsBesideCredentials has a correction, which sends credentials no second time.
func TestResetsBesideCredentials(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "desk"})
	tf.resets = true
	tf.config["secret"] = m{"version": "1"}
	tf.wantOK(tf.apply())
	tf.wantPatches("PATCH secret.version", "PATCH name")
}

// TestResetsByAStage has an update in two PATCHes, each of which resets what it omits: the
// second one has what the first one has reset.
func TestResetsByAStage(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "desk", "bulbs": deskBulbs})
	tf.resets = true
	tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{"blue"}}}
	tf.wantOK(tf.apply())
	tf.wantPatches("PATCH -E14 -E27", "PATCH name +E14")
}

// TestHalfDone has an update that ends in the PATCH that removes an element or in the one
// that adds another value of it: an error has what it was, wherever it may be gone, and the
// next apply adds it.
func TestHalfDone(t *testing.T) {
	t.Parallel()
	const lost = `These bulbs were removed, or may have been, and are not known to be added again. They were:

  - E14: colors = ["red"], on = true

Their colors stay off. Correct what the API rejected`
	for name, test := range map[string]struct {
		patch int // which fails
		err   error
		done  bool // before it fails
		lists bool
	}{
		"the first, not sent":           {1, &platform.Error{}, false, false},
		"the first, rejected":           {1, &platform.Error{Status: 422}, false, false},
		"the first, ambiguous":          {1, &platform.Error{Ambiguous: true}, false, true},
		"the first, ambiguous and done": {1, &platform.Error{Ambiguous: true}, true, true},
		"the second, not sent":          {2, &platform.Error{}, false, true},
		"the second, rejected":          {2, &platform.Error{Status: 422}, false, true},
		"the second, ambiguous":         {2, &platform.Error{Ambiguous: true}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tf := adopted(t, m{"bulbs": deskBulbs})
			tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{"blue"}}, m{"socket": "G9"}} // E27 is gone for good
			fail := func(request string) error {
				if request != "GET" && len(tf.patches()) == test.patch {
					return test.err
				}
				return nil
			}
			if test.done {
				tf.lost = fail
			} else {
				tf.fail = fail
			}
			o := tf.apply()
			if len(o.errors) == 0 || !strings.HasPrefix(o.errors[0], "Cannot update lamp: ") || (len(o.errors) == 2) != test.lists {
				t.Errorf("errors %q", o.errors)
			}
			if want := `bulbs of lamp "desk" (` + firstLamp + ") is only partly updated: " + lost; test.lists && !strings.HasPrefix(o.errors[1], want) {
				t.Errorf("error %q, want %q", o.errors[1], want)
			}
			tf.fail, tf.lost = nil, nil
			tf.wantQuiet(tf.apply())
		})
	}
}

// TestAsk has a PATCH of bulbs whose outcome is not known, or that was not carried out, and
// what the console does before it is sent again: it is sent only if the bulbs that it
// concerns are as they were, and not again if they are as it wants them.
func TestAsk(t *testing.T) {
	t.Parallel()
	red, blue := m{"socket": "E14", "colors": []any{"red"}, "on": true}, m{"socket": "E14", "colors": []any{"blue"}, "on": false}
	off := m{"socket": "E27", "colors": []any{}, "on": false}
	const remove, add = "PATCH name -E14", "PATCH +E14"
	for name, test := range map[string]struct {
		patch   int  // which fails
		done    bool // before it fails
		console []any
		sent    []string
		refused bool
	}{
		"as they were":                         {1, false, nil, []string{remove, remove, add}, false},
		"as they were, and another one is not": {1, false, []any{red, m{"socket": "E27", "colors": []any{"x"}, "on": false}}, []string{remove, remove, add}, false},
		"as they are wanted":                   {1, true, nil, []string{remove, add}, false},
		"changed":                              {1, false, []any{m{"socket": "E14", "colors": []any{}, "on": true}, off}, []string{remove}, true},
		"the second, as they were":             {2, false, nil, []string{remove, add, add}, false},
		"the second, as they are wanted":       {2, true, nil, []string{remove, add}, false},
		"the second, added otherwise":          {2, false, []any{red, off}, []string{remove, add}, true},
		"the second, added as wanted":          {2, false, []any{blue, off}, []string{remove, add}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tf := adopted(t, m{"bulbs": deskBulbs})
			tf.retries = true
			tf.config["name"], tf.config["bulbs"] = "new", []any{m{"socket": "E14", "colors": []any{"blue"}}, deskBulbs[1]}
			fail := func(request string) error {
				if request == "GET" || len(tf.patches()) != test.patch {
					return nil
				}
				if test.console != nil {
					tf.change(firstLamp, test.console, "bulbs")
				}
				return &platform.Error{Ambiguous: true}
			}
			if test.done {
				tf.lost = fail
			} else {
				tf.fail = fail
			}
			o := tf.apply()
			tf.wantPatches(test.sent...)
			if test.refused {
				if len(o.errors) == 0 || !strings.Contains(o.errors[0], `bulbs of lamp "desk" (`+firstLamp+") changed during the apply") || !strings.Contains(o.errors[0], "  - E14\n") {
					t.Errorf("errors %q", o.errors)
				}
			} else {
				tf.wantOK(o)
			}
			tf.fail, tf.lost = nil, nil
			tf.wantQuiet(tf.apply())
		})
	}
}

// TestRestore has a platform that drops bulbs with a PATCH that does not have them: they are
// added again, once. Those that it changes are left, with a warning.
func TestRestore(t *testing.T) {
	t.Parallel()
	e14, e27 := deskBulbs[0], m{"socket": "E27", "colors": []any{}, "on": false}
	for name, test := range map[string]struct {
		becomes []any
		from    int // the PATCH from which on they do
		sent    []string
		warning string
		err     string
	}{
		"one is dropped":          {[]any{e27}, 1, []string{"PATCH name", "PATCH name +E14"}, "", ""},
		"all are dropped":         {[]any{}, 1, []string{"PATCH name", "PATCH name +E14 +E27"}, "", ""},
		"one is changed":          {[]any{m{"socket": "E14", "colors": []any{}, "on": true}, e27}, 1, []string{"PATCH name"}, `bulbs, E14, colors: was ["red"], is now []`, ""},
		"one more is added":       {[]any{e14, e27, m{"socket": "G9", "colors": []any{}, "on": true}}, 1, []string{"PATCH name"}, "", ""},
		"one is dropped for ever": {[]any{e27}, 0, []string{"PATCH name", "PATCH name +E14"}, "", "API stored a different value for bulbs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tf := adopted(t, m{"name": "desk", "bulbs": deskBulbs})
			tf.rewrite = func(lamp tfvalue.Value) tfvalue.Value {
				if test.from == 0 || len(tf.patches()) == test.from {
					return lamp.With(value(test.becomes, lamp.At("bulbs").Type()), "bulbs")
				}
				return lamp
			}
			tf.config["name"] = "new"
			o := tf.apply()
			tf.wantPatches(test.sent...)
			if test.err != "" {
				if len(o.errors) == 0 || !strings.Contains(o.errors[0], test.err) {
					t.Errorf("errors %q", o.errors)
				}
				return
			}
			tf.wantOK(o)
			if test.warning == "" {
				tf.wantWarnings(o)
			} else {
				tf.wantWarnings(o, test.warning)
			}
		})
	}
}

// TestStoredOtherwiseIsThere has elements that the platform adds, but not as they were sent:
// they are not missing. One that is there after its removal may be gone later.
func TestStoredOtherwiseIsThere(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stores []any
		want   []string
	}{
		"added without its colors": {[]any{m{"socket": "E14", "colors": []any{}, "on": false}, m{"socket": "E27", "colors": []any{}, "on": false}}, []string{`E14, colors: sent ["blue"], returned []`}},
		"not removed":              {deskBulbs, []string{"E14: sent missing, returned there"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tf := adopted(t, m{"bulbs": deskBulbs})
			tf.rewrite = func(lamp tfvalue.Value) tfvalue.Value {
				if name == "not removed" || len(tf.patches()) == 2 {
					return lamp.With(wholeBulbs(value(test.stores, lamp.At("bulbs").Type())), "bulbs")
				}
				return lamp
			}
			tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{"blue"}}, deskBulbs[1]}
			o := tf.apply()
			if len(o.errors) != len(test.want) {
				t.Fatalf("errors %q", o.errors)
			}
			for i, want := range test.want {
				if !strings.Contains(o.errors[i], want) {
					t.Errorf("error %q, want %q", o.errors[i], want)
				}
			}
		})
	}
}

// TestNoLongerReturned has a leaf that the platform moves with an update, and returns
// no more: it is empty.
func TestNoLongerReturned(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"size": 3})
	tf.config["size"] = 4
	o := tf.plan()
	tf.edits = append(tf.edits, func(_ string, lamp tfvalue.Value) tfvalue.Value {
		if lamp.At("state").Text() == "s" {
			return lamp // before the update
		}
		return lamp.Without("weight")
	})
	tf.applyPlan(o)
	if weight := tf.state.At("weight"); !weight.IsNull() {
		t.Errorf("weight is %v", weight)
	}
	tf.wantQuiet(o)
}

// TestSpellings has a name that the platform has in another Unicode form. By itself it
// makes no difference; what would send it again is refused; a removal works.
func TestSpellings(t *testing.T) {
	t.Parallel()
	const composed, decomposed = "caf\u00e9", "cafe\u0301"
	bulbs := func(name string) []any { return []any{m{"socket": "E14", "colors": []any{name}}, deskBulbs[1]} }
	w := newWorkshop()
	w.change(firstLamp, append(bulbs(decomposed), m{"socket": decomposed, "colors": []any{}, "on": false}), "bulbs")
	w.change(firstLamp, []any{decomposed}, "tags")
	tf := newTerraform(t, w)
	whole := append(bulbs(composed), m{"socket": composed})
	tf.config = m{"lamp_id": firstLamp, "bulbs": whole, "tags": []any{composed}}
	tf.wantQuiet(tf.apply())
	tf.config["bulbs"] = append(bulbs(composed), m{"socket": composed}, m{"socket": "G9", "colors": []any{composed}})
	tf.wantQuiet(tf.apply()) // an element of its own
	tf.wantPatches("PATCH +G9")
	tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{composed, "x"}}, deskBulbs[1], m{"socket": composed}, m{"socket": "G9", "colors": []any{composed}}}
	tf.wantError(tf.apply(), `A name in bulbs of lamp "desk" (`+firstLamp+`) cannot be sent: The platform has "café" in another Unicode form`)
	tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{}}, deskBulbs[1], m{"socket": composed, "on": true}, m{"socket": "G9", "colors": []any{composed}}}
	tf.wantError(tf.apply(), "cannot be sent")
	tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{"x"}}, deskBulbs[1]}
	tf.wantQuiet(tf.apply())
	tf.config["tags"] = []any{composed, "x"}
	tf.wantError(tf.apply(), "A name in tags of lamp")
	tf.wantPatches("PATCH -E14 -G9 -"+decomposed, "PATCH +E14")
}

// TestIDsInCapitals has responses that spell the ID in another letter case.
func TestIDsInCapitals(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "desk"})
	tf.edits = append(tf.edits, func(_ string, lamp tfvalue.Value) tfvalue.Value {
		return lamp.With(tfvalue.String(strings.ToUpper(firstLamp)), "lamp_id")
	})
	tf.config["name"] = "new"
	o := tf.apply()
	tf.wantOK(o)
	tf.wantWarnings(o)
	tf.wantPatches("PATCH name")
}

// TestAgeOfAStage has an update in two PATCHes: what the second is decided by is the
// response to the first.
func TestAgeOfAStage(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"bulbs": deskBulbs})
	tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{"blue"}}, deskBulbs[1]}
	tf.wantQuiet(tf.apply())
	if len(tf.asOf) != 2 || !tf.asOf[1].After(tf.asOf[0]) {
		t.Errorf("decided at %v", tf.asOf)
	}
}

// TestMovedByTheChange has leaves that the platform derives from another one, in a
// correction too.
func TestMovedByTheChange(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "desk", "size": 3})
	tf.rewrite = func(lamp tfvalue.Value) tfvalue.Value {
		return lamp.With(value(99, lamp.At("weight").Type()), "weight")
	}
	reset := false
	tf.edits = append(tf.edits, func(request string, lamp tfvalue.Value) tfvalue.Value {
		if strings.HasPrefix(request, "PATCH") && !reset { // the first response shows size as reset
			reset = true
			return lamp.With(value(0, lamp.At("size").Type()), "size")
		}
		return lamp
	})
	tf.config["name"] = "new"
	o := tf.apply()
	tf.wantPatches("PATCH name", "PATCH name size")
	tf.wantWarnings(o) // weight moves with size, which the correction sent
	tf.wantQuiet(o)
}

// TestEmptyIsOmitted has a platform that omits what is empty: what is set outside is
// seen, and so is what is emptied.
func TestEmptyIsOmitted(t *testing.T) {
	t.Parallel()
	w := newWorkshop()
	w.omitEmpty = true
	tf := newTerraform(t, w)
	tf.config = m{"lamp_id": firstLamp, "name": "", "tags": []any{}, "size": 0, "bulbs": deskBulbs}
	tf.wantQuiet(tf.apply())
	tf.requests = nil
	tf.change(firstLamp, "moved", "name")
	tf.wantQuiet(tf.apply())
	tf.wantPatches("PATCH name")
	tf.config["tags"] = []any{"x"}
	tf.wantQuiet(tf.apply())
	tf.wantQuiet(tf.apply())
	tf.requests = nil
	tf.config["name"] = "later" // an apply stores what a refresh has seen
	tf.wantQuiet(tf.apply())
	tf.requests = nil
	tf.change(firstLamp, []any{}, "tags")
	tf.wantQuiet(tf.apply())
	tf.wantPatches("PATCH tags")
}

// TestResetBehindThePast has a platform that resets a leaf to nothing, and returns
// the lamp as it was. What the read omits is gone.
func TestResetBehindThePast(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "desk", "size": 3})
	tf.config["name"], tf.result = "new", "past"
	o := tf.plan()
	tf.rewrite = func(lamp tfvalue.Value) tfvalue.Value { return lamp.Without("cert") }
	tf.applyPlan(o)
	tf.wantOK(o)
	tf.wantPatches("PATCH name")
	tf.wantWarnings(o, `- cert: was "c", is now not set`)
}
