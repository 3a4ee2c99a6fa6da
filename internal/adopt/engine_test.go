package adopt

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

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
		tf.t.Errorf("the next plan is not empty: %s %v, warnings %q", next.action, differences(next.planned, tf.state, ""), next.warnings)
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
			patch    string
		}{
			"a leaf":                   {m{"name": "desk"}, m{"name": "new"}, "PATCH name"},
			"a leaf that is emptied":   {m{"name": "desk"}, m{"name": ""}, "PATCH name"},
			"a keyed set":              {m{}, m{"bulbs": []any{m{"socket": "E14", "colors": []any{"blue"}}}}, "PATCH bulbs"},
			"a keyed set to nothing":   {m{}, m{"bulbs": []any{}}, "PATCH bulbs"},
			"what no response returns": {m{"secret": nil}, m{"secret": m{"version": "1"}}, "PATCH secret.version"},
		} {
			t.Run(fmt.Sprintf("%q %s", result, name), func(t *testing.T) {
				t.Parallel()
				tf := adopted(t, test.from)
				tf.result = result
				test.to["lamp_id"] = firstLamp
				tf.config = test.to
				tf.wantQuiet(tf.apply())
				tf.wantPatches(test.patch)

				adopts := newTerraform(t, newWorkshop())
				adopts.result, adopts.config = result, test.to
				adopts.wantQuiet(adopts.apply())
				adopts.wantPatches(test.patch)
			})
		}
	}
}

// TestResponseWithoutResultAndFailedRead has an update whose outcome nothing shows: an
// error, and a state with what was sent.
func TestResponseWithoutResultAndFailedRead(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "desk"})
	tf.result = "none"
	tf.config["name"] = "new"
	patched := false
	tf.fail = func(request string) error {
		if request == "GET" && patched {
			return errors.New("no answer")
		}
		patched = patched || request != "GET"
		return nil
	}
	tf.wantError(tf.apply(), "Cannot read lamp after its update: The API accepted the update of lamp \"desk\"")
	if name, weight := tf.state.At("name").Text(), tf.state.At("weight"); name != "new" || weight.IsNull() {
		t.Errorf("the state has name %q and weight %v", name, weight)
	}
	tf.fail = nil
	tf.wantQuiet(tf.apply())
	tf.wantPatches("PATCH name")
}

// TestStoredOtherwise has a platform that stores another value than it was sent: an
// error, for each PATCH once.
func TestStoredOtherwise(t *testing.T) {
	t.Parallel()
	for _, result := range []string{"", "none", "past"} {
		tf := adopted(t, m{"size": 3})
		tf.result = result
		tf.rewrite = func(lamp tfvalue.Value) tfvalue.Value { return lamp.With(value(7, lamp.At("size").Type()), "size") }
		tf.config["size"] = 5
		tf.wantError(tf.apply(), `API stored a different value for size of lamp "desk" (`+firstLamp+"): size was sent and accepted, but the API returned another value: 7.")
		if got, _ := tf.state.At("size").Number().Int64(); got != 7 {
			t.Errorf("%q: the state has size %d", result, got)
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
		tf.private = []byte(`{"untold":"WyJzaXplIl0="}`) // no read has returned size
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
		tf.wantWarnings(o, "Creating this resource overwrites", warning)
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
		for _, moved := range []string{`Updating lamp "desk" (` + firstLamp + ") also changed unmanaged values", `- cert: was "c", is now ""`, `- tags: was ["a", "b"], is now []`, "- bulbs: was [E14, E27], is now []", "- shape.round.radius: was 4, is now 0", "To manage one of them"} {
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

// TestResetsByAStage has an update in two PATCHes, each of which resets what it omits:
// a correction cannot help.
func TestResetsByAStage(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "desk", "bulbs": []any{m{"socket": "E14"}, m{"socket": "E27"}}})
	tf.resets, tf.stages = true, "always"
	tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{"blue"}}}
	tf.wantError(tf.apply(), `API stored a different value for name of lamp "desk"`)
	tf.wantPatches("PATCH ", "PATCH bulbs", "PATCH name", "PATCH bulbs")
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

// TestSpellings has a name that the platform has in another Unicode normal form: it is
// sent as the platform spells it.
func TestSpellings(t *testing.T) {
	t.Parallel()
	const composed, decomposed = "caf\u00e9", "cafe\u0301"
	w := newWorkshop()
	w.change(firstLamp, []any{m{"socket": "E14", "colors": []any{decomposed}, "on": true}}, "bulbs")
	tf := newTerraform(t, w)
	tf.config = m{"lamp_id": firstLamp, "bulbs": []any{m{"socket": "E14", "colors": []any{composed, "x"}}}}
	tf.wantOK(tf.apply())
	colors := tf.lamps[firstLamp].At("bulbs").Elements()[0].At("colors").Elements()
	if len(colors) != 2 || colors[0].Text() != decomposed {
		t.Errorf("the platform has %v", colors)
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

// TestAbsence has reads that omit a field, once and for good.
func TestAbsence(t *testing.T) {
	t.Parallel()
	t.Run("once", func(t *testing.T) {
		t.Parallel()
		tf := adopted(t, m{"size": 3, "bulbs": []any{m{"socket": "E14"}, m{"socket": "E27"}}})
		for _, path := range [][]string{{"size"}, {"name"}, {"bulbs"}, {"shape"}} {
			tf.edits = append(tf.edits, omit("GET", 1, path...))
			tf.wantQuiet(tf.apply())
		}
		tf.wantPatches()
	})
	t.Run("for good, it is empty", func(t *testing.T) {
		t.Parallel()
		tf := adopted(t, m{"size": 3})
		tf.edits = append(tf.edits, omit("GET", 0, "size"))
		tf.wantQuiet(tf.apply())
		tf.wantPatches("PATCH size")
	})
	t.Run("never returned", func(t *testing.T) {
		t.Parallel()
		tf := newTerraform(t, newWorkshop())
		tf.edits = append(tf.edits, omit("", 0, "size"))
		tf.config = m{"lamp_id": firstLamp, "size": 5}
		o := tf.apply()
		tf.wantWarnings(o, "API does not return all values")
		tf.wantQuiet(o)
		tf.wantPatches("PATCH size")
	})
	t.Run("empty values are omitted", func(t *testing.T) {
		t.Parallel()
		w := newWorkshop()
		w.omitEmpty = true
		tf := newTerraform(t, w)
		tf.config = m{"lamp_id": firstLamp, "name": "", "tags": []any{}, "size": 0, "bulbs": []any{m{"socket": "E14", "colors": []any{}}}}
		tf.wantQuiet(tf.apply())
		tf.requests = nil
		// What is set outside is seen, and so is what is emptied.
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
	})
}

// TestIgnoreChanges has leaves that are ignored, in whole and in part.
func TestIgnoreChanges(t *testing.T) {
	t.Parallel()
	t.Run("a leaf", func(t *testing.T) {
		t.Parallel()
		tf := adopted(t, m{"name": "desk", "size": 3})
		tf.ignore = []tfvalue.Path{{"name"}}
		tf.config["name"], tf.config["size"] = "ignored", 4
		tf.wantQuiet(tf.apply())
		tf.wantPatches("PATCH size")
		tf.change(firstLamp, "outside", "name")
		tf.wantQuiet(tf.apply())
		tf.wantPatches()
	})
	t.Run("of credentials", func(t *testing.T) {
		t.Parallel()
		for ignored, patch := range map[string]string{"user": "PATCH secret.version", "version": "PATCH secret.user"} {
			tf := newTerraform(t, newWorkshop())
			tf.config = m{"lamp_id": firstLamp, "secret": m{"user": "a", "version": "1"}}
			tf.wantQuiet(tf.apply())
			tf.requests = nil
			tf.ignore = []tfvalue.Path{{"secret", ignored}}
			tf.config["secret"] = m{"user": "b", "version": "2"}
			tf.wantQuiet(tf.apply())
			tf.wantPatches(patch)
		}
	})
}

// TestPartOfAListIsIgnored has a plan with an ignored member of an element: the plan's
// list is sent, since it shows a change.
func TestPartOfAListIsIgnored(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"tags": []any{"a", "b"}})
	tf.config["tags"] = []any{"ignored", "c"}
	tf.planConfig = m{"lamp_id": firstLamp, "tags": []any{"a", "c"}} // as Terraform passes it with ignore_changes = [tags[0]]
	o := tf.plan()
	private := tf.private
	config := tf.config
	tf.config = tf.planConfig
	tf.wantOK(o)
	resp := &outcome{}
	tf.decide(resp, true)
	state := tf.applied(resp, tf.value(config), private)
	if got := state.At("tags").Elements(); got[0].Text() != "a" || got[1].Text() != "c" {
		t.Errorf("the state has %v", got)
	}
	tf.wantPatches("PATCH tags")
}

// TestReplacementUnderIgnoreChanges replaces a lamp by one of another shape, with the
// shape of the old one under ignore_changes.
func TestReplacementUnderIgnoreChanges(t *testing.T) {
	t.Parallel()
	for _, ignore := range [][]tfvalue.Path{nil, {{"shape"}}, {{"name"}}, {{"name"}, {"shape"}, {"bulbs"}}} {
		tf := adopted(t, m{"name": "desk", "shape": m{"round": m{"radius": 4}}})
		tf.ignore = ignore
		tf.config = m{"lamp_id": another, "name": "floor", "size": 1, "shape": m{"square": m{"side": 5}}}
		o := tf.plan()
		tf.wantOK(o)
		if o.action != "replace" {
			t.Errorf("ignoring %v: %s", ignore, o.action)
		}
		tf.wantWarnings(o, "Destroy does not delete services or pipes", `This replacement overwrites current values of lamp "floor"`)
		for _, unsettable := range []string{"volume", "weight", "state"} {
			if strings.Contains(o.warnings[1], unsettable) {
				t.Errorf("ignoring %v: %s is in %s", ignore, unsettable, o.warnings[1])
			}
		}
		if reads := len(tf.requests); reads != 2 {
			t.Errorf("a plan reads %d times, want each lamp once", reads)
		}
		tf.applyPlan(o)
		tf.wantQuiet(o)
		tf.wantPatches("PATCH shape.square.side size")
	}
	// A bulb that the configuration of the first plan lacks may be in that of the second.
	tf := adopted(t, m{"bulbs": []any{m{"socket": "E14"}, m{"socket": "E27"}}})
	tf.change(another, []any{m{"socket": "G9", "colors": []any{}, "on": true}}, "bulbs")
	tf.ignore = []tfvalue.Path{{"bulbs"}}
	tf.config = m{"lamp_id": another, "bulbs": []any{m{"socket": "G9"}}}
	tf.wantWarnings(tf.plan(), "Destroy does not delete", "- bulb G9 will be removed, unless the configuration has it\n")
	// The configuration of the first plan has what is only computed, if it is ignored.
	tf = adopted(t, m{"shape": m{"round": m{"radius": 4}}})
	tf.change(another, m{"round": m{"radius": 4, "volume": 11}}, "shape")
	tf.ignore = []tfvalue.Path{{"shape"}}
	tf.config = m{"lamp_id": another, "shape": m{"round": m{"radius": 4}}}
	tf.wantWarnings(tf.plan(), "Destroy does not delete")
	// What the new lamp does not accept is an error of its own plan.
	tf = adopted(t, m{})
	tf.config = m{"lamp_id": another, "shape": m{"round": m{"radius": 4}}}
	tf.wantError(tf.plan(), "Lamp has another shape")
}

// TestAdoptionWarnings has what an adoption overwrites, and what it cannot know.
func TestAdoptionWarnings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		plan m
		want []string
	}{
		"known": {m{"name": "new", "tags": []any{"x"}, "bulbs": []any{m{"socket": "E14", "colors": []any{}}}},
			[]string{`- name (currently "desk")`, `- tags (currently ["a", "b"])`, "- bulb E27 will be removed", `- colors of bulb E14 (currently ["red"])`, "To keep a bulb, add it to bulbs."}},
		"nothing differs":        {m{"name": "desk"}, nil},
		"an unknown value":       {m{"name": unknown}, []string{`- name (currently "desk")`}},
		"an unknown set":         {m{"name": "new", "bulbs": unknown}, []string{`- name (currently "desk")`}},
		"an unknown element":     {m{"name": "new", "bulbs": []any{unknown}}, []string{`- name (currently "desk")`}},
		"an unknown key":         {m{"name": "new", "bulbs": []any{m{"socket": unknown, "colors": []any{}}}}, []string{`- name (currently "desk")`}},
		"an unknown member":      {m{"bulbs": []any{m{"socket": "E14", "colors": unknown}}}, []string{"- bulb E27 will be removed", `- colors of bulb E14 (currently ["red"])`}},
		"one key of two unknown": {m{"bulbs": []any{m{"socket": unknown}, m{"socket": "E14", "colors": []any{}}}}, []string{`- colors of bulb E14 (currently ["red"])`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tf := newTerraform(t, newWorkshop())
			test.plan["lamp_id"] = firstLamp
			tf.config = test.plan
			o := tf.plan()
			tf.wantOK(o)
			if test.want == nil {
				tf.wantWarnings(o)
				return
			}
			tf.wantWarnings(o, `Creating this resource overwrites current values of lamp "desk" (`+firstLamp+")")
			again := newTerraform(t, newWorkshop())
			again.edits, again.config = append(again.edits, omit("GET", 1, "bulbs")), test.plan
			if o := again.plan(); test.plan["bulbs"] != nil && test.plan["bulbs"] != unknown && !slices.Equal(o.warnings, tf.plan().warnings) {
				t.Errorf("with bulbs omitted once: %q", o.warnings)
			}
			_, list, _ := strings.Cut(o.warnings[0], "will be replaced:\n\n")
			list, _, _ = strings.Cut(list, "\n\n")
			lines := 0
			for _, text := range test.want {
				if strings.HasPrefix(text, "- ") {
					lines++
				}
				if !strings.Contains(o.warnings[0], text) {
					t.Errorf("no %q in %s", text, o.warnings[0])
				}
			}
			if got := strings.Count(list, "  - "); got != lines {
				t.Errorf("%d lines, want %d: %s", got, lines, list)
			}
		})
	}
}

// TestAddedAfterThePlan has an element that is added on the platform between plan and
// apply: it is left, and the next plan shows its removal.
func TestAddedAfterThePlan(t *testing.T) {
	t.Parallel()
	for _, config := range []m{{"name": "new"}, {"bulbs": []any{m{"socket": "E14", "colors": []any{"blue"}}}}} {
		tf := adopted(t, m{"name": "desk", "bulbs": []any{m{"socket": "E14"}, m{"socket": "E27"}}})
		for name, v := range config {
			tf.config[name] = v
		}
		o := tf.plan()
		tf.wantOK(o)
		stranger := m{"socket": "G9", "colors": []any{"secret"}, "on": true}
		was := tf.lamps[firstLamp].At("bulbs").Elements()
		tf.lamps[firstLamp] = tf.lamps[firstLamp].With(tfvalue.Collection(tf.lamps[firstLamp].At("bulbs").Type(), append(was, value(stranger, was[0].Type()))), "bulbs")
		tf.applyPlan(o)
		tf.wantOK(o)
		if _, left := bulbKey.Index(tf.lamps[firstLamp].At("bulbs"))[bulbKey.Of(value(stranger, was[0].Type()))]; !left {
			t.Errorf("the bulb is gone")
		}
		next := tf.plan()
		if next.action != "update" {
			t.Errorf("the next plan: %s", next.action)
		}
	}
}

// TestOptionAlone has an option without a change beside it: an update in place that
// sends nothing, also beside a value that turns out to be no change.
func TestOptionAlone(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "desk", "shape": m{"round": m{"radius": 4}, "dry": true}})
	for _, dry := range []any{nil, false, true} {
		tf.config["shape"] = m{"round": m{"radius": 4}, "dry": dry}
		tf.planConfig = nil
		if dry == true { // beside a name that is unknown in the plan
			tf.planConfig = m{"lamp_id": firstLamp, "name": unknown, "shape": tf.config["shape"]}
		}
		o := tf.apply()
		if o.action != "update" {
			t.Errorf("%v: %s", dry, o.action)
		}
		tf.planConfig = nil
		tf.wantQuiet(o)
		tf.wantPatches()
	}
}

// TestEmptyObjects has objects that set nothing: a warning where the platform has a
// value for one of their attributes, and for what it never returns.
func TestEmptyObjects(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		config m
		warns  []string
	}{
		{m{"shape": m{"round": m{}}}, []string{"shape.round has no attributes set"}},
		{m{"shape": m{}}, []string{"shape has no attributes set"}},
		{m{"secret": m{}}, []string{"secret has no attributes set"}},
		{m{"shape": m{"round": m{"radius": 4}}}, nil},
	} {
		tf := newTerraform(t, newWorkshop())
		test.config["lamp_id"] = firstLamp
		tf.config = test.config
		tf.wantWarnings(tf.plan(), test.warns...)
		tf.wantOK(tf.apply())
		tf.wantWarnings(tf.plan(), test.warns...)
		if test.config["secret"] == nil { // the platform has no value: generated configuration is full of these
			quiet := newTerraform(t, newWorkshop())
			quiet.change(firstLamp, nil, "shape", "round", "radius")
			quiet.config = test.config
			if test.warns != nil {
				quiet.wantWarnings(quiet.plan())
			}
		}
	}
}

// TestOtherImported imports a lamp that the configuration does not name.
func TestOtherImported(t *testing.T) {
	t.Parallel()
	tf := newTerraform(t, newWorkshop())
	tf.config = m{"lamp_id": another}
	tf.wantOK(tf.imports(firstLamp))
	tf.run = nil
	o := &outcome{}
	tf.decide(o, true)
	tf.wantOK(o)
	tf.wantWarnings(o, `Imported lamp "desk" (`+firstLamp+`) is not the configured one: The IDs of the import and of the configuration differ`)
	if !strings.Contains(o.warnings[0], "lamp_id: imported "+firstLamp+", configured "+another) {
		t.Error(o.warnings[0])
	}
}

// TestGone has a lamp that no longer exists.
func TestGone(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{})
	delete(tf.lamps, firstLamp)
	o := tf.plan()
	tf.wantError(o, "No such lamp")
	tf.wantWarnings(o, `The lamp "desk" (`+firstLamp+") is gone")
	if !tf.state.IsNull() {
		t.Errorf("the state is %v", tf.state)
	}
}

// TestTwoResources has two resources over one lamp that want different values.
func TestTwoResources(t *testing.T) {
	t.Parallel()
	w := newWorkshop()
	first, second := newTerraform(t, w), newTerraform(t, w)
	first.config, second.config = m{"lamp_id": firstLamp, "name": "a"}, m{"lamp_id": strings.ToUpper(firstLamp), "name": "b", "size": 3}
	first.wantOK(first.plan())
	second.run = first.run
	o := &outcome{}
	second.decide(o, true)
	second.wantWarnings(o, "Creating this resource overwrites", `Two resources configure lamp "desk"`)
	if !strings.Contains(o.warnings[1], "  - name\n") || strings.Contains(o.warnings[1], "size") {
		t.Error(o.warnings[1])
	}
}

// TestDestroy leaves a lamp as it is.
func TestDestroy(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "desk"})
	o := tf.destroy()
	tf.wantOK(o)
	tf.wantWarnings(o, "Destroy does not delete services or pipes: This resource stops managing lamp \"desk\"", "Destroy does not delete services or pipes")
	tf.wantPatches()
}
