package adopt

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// reads is the number of GETs since the last wantPatches.
func (w *workshop) reads() int { return len(w.requests) - len(w.patches()) }

// TestReturnedLeavesGoMissing has leaves that reads have returned and that go missing: once, for good, with
// their object, owned or not. A plan reads at most once more.
func TestReturnedLeavesGoMissing(t *testing.T) {
	t.Parallel()
	name, size := omit("GET", 1, "name"), omit("GET", 1, "size")
	oneAfterAnother := func(request string, lamp tfvalue.Value) tfvalue.Value {
		if lamp = name(request, lamp); !lamp.At("name").IsNull() {
			lamp = size(request, lamp)
		}
		return lamp
	}
	for name, test := range map[string]struct {
		edits   func(string, tfvalue.Value) tfvalue.Value
		reads   int
		patches []string
		name    string // in the state, which nobody manages; "" for null
	}{
		"once":                   {omit("GET", 1, "size"), 2, nil, "desk"},
		"once, a keyed set":      {omit("GET", 1, bulbsAt...), 2, nil, "desk"},
		"one leaf after another": {oneAfterAnother, 2, nil, "desk"},
		"with its object":        {omit("", 0, "shape"), 1, nil, "desk"},
		"for good, and nobody's": {omit("", 0, "name"), 2, nil, ""},
		"for good":               {omit("", 0, "size"), 2, []string{"PATCH size"}, "desk"},
		"for good, from reads":   {omit("GET", 0, "size"), 2, []string{"PATCH size"}, "desk"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tf := adopted(t, m{"size": 3, "shape": m{"round": m{"radius": 4}}, "bulbs": deskBulbs})
			tf.edits = append(tf.edits, test.edits)
			o := tf.plan()
			tf.wantOK(o)
			if got := tf.reads(); got != test.reads || (o.Action == "none") != (test.patches == nil) {
				t.Errorf("the plan reads %d times, want %d, and comes to %s", got, test.reads, o.Action)
			}
			tf.applyPlan(o)
			tf.wantOK(o)
			tf.wantPatches(test.patches...)
			// What was sent because of it, and is still not returned, counts as never returned.
			for range 2 {
				tf.wantQuiet(tf.apply())
				tf.wantPatches()
			}
			if got := tf.state.At("name"); got.Text() != test.name || got.IsNull() != (test.name == "") {
				t.Errorf("the state has the name %v", got)
			}
		})
	}
}

// TestNeverReturned has platforms that never return a leaf, or only in responses to
// writes: it is sent once, makes no noise, and a plan reads no more than otherwise.
func TestNeverReturned(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"", "GET"} {
		tf := newTerraform(t, newWorkshop())
		for _, path := range [][]string{{"name"}, {"size"}, {"tags"}, {"shape", "round", "radius"}} {
			tf.edits = append(tf.edits, omit(method, 0, path...))
		}
		tf.config = m{"lamp_id": firstLamp, "name": "n", "size": 5, "tags": []any{"x"}, "shape": m{"round": m{"radius": 1}}}
		tf.wantOK(tf.apply())
		tf.wantPatches("PATCH name shape.round.radius size tags")
		for range 2 {
			tf.wantOK(tf.plan())
			if got := tf.reads(); got != 1 {
				t.Errorf("%q: the plan reads %d times", method, got)
			}
			tf.wantQuiet(tf.apply())
			tf.wantPatches()
		}
		tf.config["size"] = 6
		tf.wantOK(tf.apply())
		tf.wantPatches("PATCH size")
	}
}

// TestKeyedSetIsNeverReturned has a platform that never returns the bulbs: one that is added is not
// waited for, and a warning says so.
func TestKeyedSetIsNeverReturned(t *testing.T) {
	t.Parallel()
	tf := newTerraform(t, newWorkshop())
	tf.edits = append(tf.edits, omit("", 0, bulbsAt...))
	tf.config = m{"lamp_id": another, "bulbs": deskBulbs}
	o := tf.apply()
	tf.wantOK(o)
	const adds = "These bulbs will be added:\n\n  - E14\n  - E27\n\n"
	tf.wantWarnings(o, adds, adds, "API does not return all values")
	tf.wantPatches("PATCH +E14 +E27")
}

// TestReturnedByWritesAlone has a leaf that nobody manages, and that only responses to writes have:
// the state takes it, and no plan reads more because of it.
func TestReturnedByWritesAlone(t *testing.T) {
	t.Parallel()
	w := newWorkshop()
	w.edits = append(w.edits, omit("GET", 0, "weight"))
	tf := newTerraform(t, w)
	tf.config = m{"lamp_id": firstLamp, "size": 3}
	tf.wantQuiet(tf.apply())
	tf.config["size"], tf.requests = 4, nil
	tf.wantOK(tf.apply())
	tf.wantRequests("2 GETs", "PATCH size")
	for range 2 {
		tf.wantOK(tf.plan())
		tf.wantRequests("GET")
		if tf.state.At("weight").IsNull() {
			t.Error("the state has lost the weight")
		}
	}
}

// TestAdoptionReads has an adoption, which reads once in the plan and twice in the apply, and
// responses that omit a part of the set, once or always: another read follows where that can matter,
// and nothing is added that is there.
func TestAdoptionReads(t *testing.T) {
	t.Parallel()
	nameless := func(times int) func(string, tfvalue.Value) tfvalue.Value {
		return func(_ string, lamp tfvalue.Value) tfvalue.Value {
			times--
			if times < 0 {
				return lamp
			}
			return withoutNames(lamp)
		}
	}
	for name, test := range map[string]struct {
		bulbs any // in the configuration
		edit  func(string, tfvalue.Value) tfvalue.Value
		sent  []string
		error string
	}{
		"nothing is omitted":                    {deskBulbs, omit("GET", 0, "cert"), []string{"3 GETs"}, ""},
		"the set, once":                         {deskBulbs, omit("GET", 1, bulbsAt...), []string{"4 GETs"}, ""},
		"the set, always: it counts as empty":   {deskBulbs, omit("GET", 0, bulbsAt...), []string{"6 GETs", "PATCH +E14 +E27"}, ""},
		"the set, which nobody manages":         {nil, omit("GET", 0, bulbsAt...), []string{"3 GETs"}, ""},
		"the object around it, once":            {deskBulbs, omit("GET", 1, "fixture", "mount"), []string{"4 GETs"}, ""},
		"the object around it, always":          {deskBulbs, omit("GET", 0, "fixture", "mount"), []string{"2 GETs"}, "The API did not return fixture.mount, so it is not known which bulbs the lamp has."},
		"the names, once":                       {deskBulbs, nameless(1), []string{"4 GETs"}, ""},
		"the names, once, which nobody manages": {nil, nameless(1), []string{"4 GETs"}, ""},
		"the names, twice":                      {deskBulbs, nameless(2), []string{"2 GETs"}, "The API returned a bulb that does not have all of socket"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tf := newTerraform(t, newWorkshop())
			tf.config = m{"lamp_id": firstLamp, "bulbs": test.bulbs}
			tf.edits = append(tf.edits, test.edit)
			o := tf.apply()
			tf.wantRequests(test.sent...)
			if test.error != "" {
				if len(o.Errors) != 1 || !strings.Contains(o.Errors[0], test.error) {
					t.Errorf("errors %q", o.Errors)
				}
				return
			}
			tf.wantQuiet(o)
			if unnamed := bulbKey.Unnamed(tf.state.At(bulbsAt...)); len(unnamed) > 0 {
				t.Errorf("the state has the bulbs %v", unnamed)
			}
		})
	}
	tf := adopted(t, m{"size": 3})
	tf.edits = append(tf.edits, omit("GET", 0, "size"))
	tf.fail = func(string) error {
		if tf.reads() == 2 {
			return &platform.Error{Status: http.StatusForbidden}
		}
		return nil
	}
	tf.wantErrors(tf.plan(), "Cannot read lamp")
}

// TestPrivateStateHasWhatNoReadReturned has what private state remembers of a lamp, and states without it.
func TestPrivateStateHasWhatNoReadReturned(t *testing.T) {
	t.Parallel()
	const nothing = `{"unreturned":"W10="}`
	tf := adopted(t, m{"size": 3})
	tf.config["secret"] = m{"version": "1"}
	tf.wantQuiet(tf.apply())
	if got := string(tf.block.State.Private); got != nothing {
		t.Errorf("private state %s", got)
	}

	// What no response has is not missing, whatever is remembered.
	for _, private := range []string{nothing, ""} {
		tf.block.State.Private = []byte(private)
		if o := tf.plan(); o.Action != terraformtest.None {
			t.Errorf("with private state %q, the plan is to %s", private, o.Action)
		}
	}

	// Without a memory, no leaf counts as emptied.
	tf.block.State.Private = nil
	tf.edits = append(tf.edits, omit("GET", 1, "size"))
	if o := tf.plan(); o.Action != terraformtest.None {
		t.Errorf("without private state, the plan is to %s", o.Action)
	}

	// What goes missing with its object stays a leaf that reads have returned.
	tf = adopted(t, m{"shape": m{"round": m{"radius": 4}}})
	tf.edits = append(tf.edits, omit("", 0, "shape"))
	tf.wantQuiet(tf.apply())
	tf.edits[0] = omit("", 0, "shape", "round", "radius")
	if o := tf.plan(); o.Action != terraformtest.Update {
		t.Errorf("the plan is to %s", o.Action)
	}
}

// TestSetAndEmptied sets a leaf that the platform does not have yet, and the console
// empties it. That is drift once Terraform has stored a read that returned it; until then
// the state keeps what was planned, since a platform that returns a leaf only in responses
// to writes would otherwise cause an endless difference.
func TestSetAndEmptied(t *testing.T) {
	t.Parallel()
	w := newWorkshop()
	w.change(firstLamp, nil, "size")
	tf := newTerraform(t, w)
	tf.config = m{"lamp_id": firstLamp, "size": 2}
	tf.wantOK(tf.apply())
	tf.wantPatches("PATCH size")
	tf.change(firstLamp, nil, "size")
	tf.wantQuiet(tf.apply())
	tf.wantPatches()
	tf.change(firstLamp, 2, "size")
	tf.wantQuiet(tf.apply()) // which stores what its refresh has read
	tf.change(firstLamp, nil, "size")
	tf.wantQuiet(tf.apply())
	tf.wantPatches("PATCH size")
}

// TestUpdateDropsAnUnmanagedLeaf has a platform that drops an unmanaged leaf with an update, also where the
// response shows the lamp as it was. Managed with the value that it had before, it is sent.
func TestUpdateDropsAnUnmanagedLeaf(t *testing.T) {
	t.Parallel()
	for _, result := range []string{"", "past"} {
		tf := adopted(t, m{"name": "desk"})
		tf.result = result
		tf.rewrite = func(lamp tfvalue.Value) tfvalue.Value { return lamp.Without("size") }
		tf.config["name"] = "new"
		o := tf.apply()
		tf.wantOK(o)
		tf.wantWarnings(o, "- size: was 3, is now not set")
		tf.wantPatches("PATCH name")
		tf.rewrite = nil
		tf.config["size"] = 3
		tf.wantQuiet(tf.apply())
		tf.wantPatches("PATCH size")
	}
}

// TestResponseOmitsALeaf has a response to a PATCH that omits one leaf, managed or not: one
// more read has it, even if it omits what the response has.
func TestResponseOmitsALeaf(t *testing.T) {
	t.Parallel()
	for omitted, byRead := range map[string]string{"name": "", "weight": "", "fixture.mount.bulbs": "", "fixture.mount": "", "fixture": "", "cert": "name"} {
		tf := adopted(t, m{"name": "desk"})
		tf.config["name"] = "new"
		o := tf.plan()
		tf.requests = nil
		tf.edits = append(tf.edits, omit("PATCH", 0, strings.Split(omitted, ".")...), func(request string, lamp tfvalue.Value) tfvalue.Value {
			if byRead == "" || len(tf.patches()) == 0 || request != "GET" {
				return lamp
			}
			return lamp.Without(byRead)
		})
		tf.applyPlan(o)
		tf.wantWarnings(o)
		if got := tf.reads(); got != 2 {
			t.Errorf("%s: the apply reads %d times, want before and after the PATCH", omitted, got)
		}
		tf.wantPatches("PATCH name")
		tf.wantQuiet(o)
	}
}
