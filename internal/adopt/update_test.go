package adopt

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestOneReadSettlesAResponseInDoubt has responses to a PATCH that have nothing, or show the lamp as
// it was: one GET settles what they leave in doubt.
func TestOneReadSettlesAResponseInDoubt(t *testing.T) {
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
		tf.wantErrors(tf.apply(), "Cannot read lamp after its update: The API accepted the update of lamp \"desk\"")
		if got, weight := tf.state.At("name").Text(), tf.state.At("weight"); got != name || weight.IsNull() {
			t.Errorf("%s: the state has name %q and weight %v", result, got, weight)
		}
		tf.fail = nil
		tf.wantQuiet(tf.apply())
		tf.wantPatches("PATCH name")
	}
}

// TestUpdateThatCannotBegin has an update that cannot begin, and one whose body cannot be made.
func TestUpdateThatCannotBegin(t *testing.T) {
	t.Parallel()
	for _, breaks := range []func(*workshop){
		func(w *workshop) { w.refuses = errors.New("no turn") },
		func(w *workshop) { w.cannot = errors.New("no turn") },
	} {
		tf := adopted(t, m{"name": "desk"})
		tf.config["name"] = "new"
		breaks(tf.workshop)
		o := tf.apply()
		if len(o.Errors) != 1 || !strings.HasPrefix(o.Errors[0], "Cannot update lamp: ") || !strings.HasSuffix(strings.ToLower(o.Errors[0]), "no turn.") {
			t.Errorf("errors %q", o.Errors)
		}
		tf.wantPatches()
		if got := tf.state.At("name").Text(); got != "desk" || tf.open != 0 {
			t.Errorf("the state has name %q; %d calls are open", got, tf.open)
		}
	}
}

// TestWithoutAKeyedSet has a kind that has no keyed set: an adoption, an update that resets what it
// omits, one that is sent again, one that fails, responses that omit a leaf, and one that has what
// the platform makes of another.
func TestWithoutAKeyedSet(t *testing.T) {
	t.Parallel()
	w := newWorkshop()
	w.plain, w.retries = true, true
	tf := newTerraform(t, w)
	tf.config = m{"lamp_id": firstLamp, "name": "desk", "size": 3}
	tf.wantQuiet(tf.apply())
	tf.wantPatches()
	tf.resets, tf.config["name"] = true, "new"
	tf.wantQuiet(tf.apply())
	tf.wantPatches("PATCH name", "PATCH name size")
	tf.resets, tf.config["name"] = false, "newer"
	tf.fail = func(request string) error {
		if request == "GET" || len(tf.patches()) > 1 {
			return nil
		}
		return &platform.Error{}
	}
	tf.wantOK(tf.apply())
	tf.wantRequests("2 GETs", "PATCH name", "PATCH name")
	tf.fail, tf.config["name"] = func(request string) error {
		if request == "GET" {
			return nil
		}
		return &platform.Error{Status: http.StatusUnprocessableEntity}
	}, "newest"
	tf.wantErrors(tf.apply(), "Cannot update lamp")
	tf.fail, tf.requests = nil, nil
	tf.edits = append(tf.edits, omit("PATCH", 1, "name"), omit("GET", 1, "size"))
	tf.wantQuiet(tf.apply())
	tf.wantPatches("PATCH name")
	tf.rewrite, tf.config["size"] = keeps(31, "weight"), 4
	tf.wantOK(tf.apply())
	tf.wantPatches("PATCH size")
	if got, _ := tf.state.At("weight").Number().Int64(); got != 31 {
		t.Errorf("the state has the weight %d, want that of the response", got)
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
	tf := adopted(t, m{"size": 3, "name": "desk"})
	tf.edits = append(tf.edits, hidden)
	tf.config["name"] = "off"
	o := tf.apply()
	tf.wantWarnings(o, "- size: was 3, was found to be not set", warning)
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

	// While the response shows the past.
	tf = adopted(t, m{"size": 3})
	tf.result = "past"
	tf.config["size"] = 5
	o = tf.plan()
	tf.edits = append(tf.edits, omit("GET", 0, "size"))
	o.Prior.Private = []byte(`{"unreturned":"WyJzaXplIl0="}`) // no read has returned size
	tf.applyPlan(o)
	tf.wantOK(o)
	tf.wantWarnings(o, warning)

	// Where the read after the PATCH fails, and the plan had read the value.
	tf = adopted(t, m{"size": 3})
	tf.config["size"] = 5
	o = tf.plan()
	tf.edits = append(tf.edits, omit("", 0, "size"))
	tf.fail = func(request string) error {
		if request == "GET" && len(tf.patches()) > 0 {
			return errors.New("no response")
		}
		return nil
	}
	tf.applyPlan(o)
	tf.wantErrors(o, "Cannot read lamp after its update")
	tf.fail = nil
	tf.wantQuiet(tf.apply())
	tf.wantPatches("PATCH size")

	// In an adoption, whose apply plans again.
	tf = newTerraform(t, newWorkshop())
	tf.edits = append(tf.edits, hidden)
	tf.config = m{"lamp_id": firstLamp, "name": "off", "size": 5}
	o = tf.apply()
	const adopts = "Creating this resource overwrites"
	tf.wantWarnings(o, adopts, adopts, warning)
	tf.wantQuiet(o)
}

// TestResetLeavesAreRestoredOnce has a platform that resets what a PATCH omits. The correction sends credentials no
// second time.
func TestResetLeavesAreRestoredOnce(t *testing.T) {
	t.Parallel()
	for _, result := range []string{"", "none", "past"} {
		tf := adopted(t, m{"name": "desk", "size": 3})
		tf.resets, tf.result = true, result
		tf.config["size"] = 4
		o := tf.apply()
		tf.wantPatches("PATCH size", "PATCH name size")
		if len(o.Warnings) != 1 {
			t.Fatalf("%q: warnings %q", result, o.Warnings)
		}
		for _, moved := range []string{`Other values of lamp "desk" (` + firstLamp + ") changed during its update: The update found these managed values changed. It sent them again", `- cert: was "c", is now ""`, `- tags: was ["a", "b"], is now []`, "- fixture.mount.bulbs, E14: was there, is now missing", "- fixture.mount.bulbs, E27: was there, is now missing", "- shape.round.radius: was 4, is now 0", "To manage one of them"} {
			if !strings.Contains(o.Warnings[0], moved) {
				t.Errorf("%q: no %q in %s", result, moved, o.Warnings[0])
			}
		}
		if strings.Count(o.Warnings[0], "E14") != 1 || strings.Contains(o.Warnings[0], "state") {
			t.Errorf("%q: what the platform moves is in %s", result, o.Warnings[0])
		}
		tf.wantQuiet(o)
	}
	tf := adopted(t, m{"name": "desk"})
	tf.resets = true
	tf.config["secret"] = m{"version": "1"}
	tf.wantOK(tf.apply())
	tf.wantPatches("PATCH secret.version", "PATCH name")
}

// TestMovedByTheChange has leaves that the platform derives from another one, in a
// correction too.
func TestMovedByTheChange(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "desk", "size": 3})
	tf.rewrite = func(lamp tfvalue.Value) tfvalue.Value {
		return lamp.With(value(99, lamp.At("weight").Type()), "weight")
	}
	tf.config["size"] = 4
	o := tf.apply()
	tf.wantWarnings(o) // weight changes with size
	tf.wantQuiet(o)
	tf.change(firstLamp, 9, "weight")
	tf.config["name"] = "newer"
	o = tf.apply()
	tf.wantWarnings(o, "- weight: was 9, is now 99")
	if strings.Contains(o.Warnings[0], "To manage one of them") {
		t.Errorf("weight cannot be set: %s", o.Warnings[0])
	}
	// One of an object that can be set.
	tf.rewrite = keeps(1, "shape", "round", "volume")
	tf.config["name"] = "brighter"
	o = tf.apply()
	tf.wantWarnings(o, "- shape.round.volume: was 9, is now 1")
	if strings.Contains(o.Warnings[0], "To manage one of them") {
		t.Errorf("the volume cannot be set: %s", o.Warnings[0])
	}
	// Beside one that can be set.
	tf.rewrite = func(lamp tfvalue.Value) tfvalue.Value { return keeps(1, "weight")(keeps([]any{}, "tags")(lamp)) }
	tf.config["name"] = "newest"
	o = tf.apply()
	tf.wantWarnings(o, "- tags: was [\"a\", \"b\"], is now []\n  - weight: was 99, is now 1\n\nTo manage one of them")
	// One that is in the configuration, and ignored.
	tf.block.IgnoreChanges = []cty.Path{cty.GetAttrPath("tags")}
	tf.change(firstLamp, []any{"d"}, "tags")
	tf.config["name"], tf.config["tags"] = "again", []any{"c"}
	o = tf.apply()
	tf.wantWarnings(o, "- tags: was [\"d\"], is now []")
	if strings.Contains(o.Warnings[0], "To manage one of them") {
		t.Errorf("tags are in the configuration: %s", o.Warnings[0])
	}
}
