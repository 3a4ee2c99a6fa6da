package adopt

import (
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// reads is the number of GETs since the last wantPatches.
func (w *workshop) reads() int { return len(w.requests) - len(w.patches()) }

// TestMissing has leaves that reads have returned and that go missing: once, for good, with
// their object, owned or not. A plan reads at most once more.
func TestMissing(t *testing.T) {
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
	tf.wantWarnings(o, "API does not return all values")
	tf.wantPatches("PATCH +E14 +E27")
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

// TestDropped has a platform that drops an unmanaged leaf with an update, also where the
// response shows the lamp as it was. Managed with the value that it had before, it is sent.
func TestDropped(t *testing.T) {
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
	for omitted, byRead := range map[string]string{"name": "", "weight": "", "mount.bulbs": "", "mount": "", "cert": "name"} {
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
