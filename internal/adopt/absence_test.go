package adopt

import (
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// reads is the number of GETs since the last wantPatches.
func (w *workshop) reads() int { return len(w.requests) - len(w.patches()) }

// TestReturnedLeavesGoMissing has leaves that reads have returned and that go missing: once, for good, with
// their object, owned or not. A plan reads at most once more.
func TestReturnedLeavesGoMissing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		edit  editing
		reads int
		sent  string
		name  string // in the state, which nobody manages; "" for null
	}{
		"once":                   {within(0, 1, 2, omits("size")), 2, "", "desk"},
		"once, a keyed map":      {within(0, 1, 2, omits(bulbsAt...)), 2, "", "desk"},
		"one leaf after another": {each(within(0, 1, 2, omits("name")), within(0, 2, 3, omits("size"))), 2, "", "desk"},
		"with its object":        {to("", omits("shape")), 1, "", "desk"},
		"for good, and nobody's": {to("", omits("name")), 2, "", ""},
		"for good":               {to("", omits("size")), 2, "PATCH size", "desk"},
		"for good, from reads":   {to("GET", omits("size")), 2, "PATCH size", "desk"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tf := adopted(t, m{"size": 3, "shape": m{"round": m{"radius": 4}}, "bulbs": deskBulbs})
			tf.edit = test.edit
			o := tf.plan()
			if got := tf.reads(); got != test.reads {
				t.Errorf("the plan reads %d times, want %d", got, test.reads)
			}
			tf.applyPlan(o)
			tf.wantOK(o)
			tf.wantPatches(test.sent)
			tf.plays(act{}, act{}) // what was sent because of it, and is still not returned, counts as never returned
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
		tf := adopts(t, newWorkshop(), m{"name": "n", "size": 5, "tags": []any{"x"}, "shape": m{"round": m{"radius": 1}}})
		tf.edit = each(to(method, omits("name")), to(method, omits("size")), to(method, omits("tags")), to(method, omits("shape", "round", "radius")), to(method, omits("weight")))
		tf.wantOK(tf.apply())
		tf.wantPatches("PATCH name shape.round.radius size tags")
		for range 2 {
			tf.wantOK(tf.plan())
			tf.wantRequests("GET")
			tf.plays(act{})
		}
		tf.config["size"] = 6
		tf.wantOK(tf.apply())
		tf.wantPatches("PATCH size")
		if has := !tf.state.At("weight").IsNull(); has != (method == "GET") { // which nobody manages
			t.Errorf("%q: the state has the weight: %t", method, has)
		}
	}
}

// TestAdoptionReads has an adoption, which reads once in the plan and twice in the apply, and
// responses that omit a part of the set, once or always: another read follows where that can matter,
// and nothing is added that is there.
func TestAdoptionReads(t *testing.T) {
	t.Parallel()
	nameless := func(times int) editing { return within(0, 1, times+1, omitsNames) }
	for name, test := range map[string]struct {
		bulbs any // in the configuration
		edit  editing
		sent  string
		error string
	}{
		"nothing is omitted":                    {deskBulbs, to("GET", omits("cert")), "3 GETs", ""},
		"the set, once":                         {deskBulbs, within(0, 1, 2, omits(bulbsAt...)), "4 GETs", ""},
		"the set, always: it counts as empty":   {deskBulbs, to("GET", omits(bulbsAt...)), "6 GETs, PATCH +E14 +E27", ""},
		"the set, which nobody manages":         {nil, to("GET", omits(bulbsAt...)), "3 GETs", ""},
		"the object around it, once":            {deskBulbs, within(0, 1, 2, omits("fixture", "mount")), "4 GETs", ""},
		"the object around it, always":          {deskBulbs, to("GET", omits("fixture", "mount")), "2 GETs", "The API did not return fixture.mount, so it is not known which bulbs the lamp has."},
		"the names, once":                       {deskBulbs, nameless(1), "4 GETs", ""},
		"the names, once, which nobody manages": {nil, nameless(1), "4 GETs", ""},
		"the names, twice":                      {deskBulbs, nameless(2), "2 GETs", "The API returned a bulb that does not have all of socket"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tf := adopts(t, newWorkshop(), m{"bulbs": test.bulbs})
			tf.edit = test.edit
			o := tf.apply()
			tf.wantRequests(test.sent)
			if test.error != "" {
				tf.wantErrors(o, test.error)
				return
			}
			tf.wantQuiet(o)
			if unnamed := bulbKey.Unnamed(tf.state.At(bulbsAt...)); len(unnamed) > 0 {
				t.Errorf("the state has the bulbs %v", unnamed)
			}
		})
	}
	tf := adopted(t, m{"size": 3})
	tf.edit = to("GET", omits("size"))
	tf.fail = func(string) error {
		if tf.reads() == 2 {
			return &platform.Error{Status: 403}
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
	tf.plays(act{config: m{"secret": m{"version": "1"}}, sent: "PATCH secret.version"})
	if got := string(tf.block.State.Private); got != nothing {
		t.Errorf("private state %s", got)
	}
	wantPlan := func(private string, want terraformtest.Action) {
		tf.block.State.Private = []byte(private)
		if o := tf.plan(); o.Action != want {
			t.Errorf("with private state %q, the plan is to %s", private, o.Action)
		}
	}
	wantPlan(nothing, terraformtest.None)                               // what no response has is not missing
	for _, unread := range []string{"", "{", `{"unreturned":"e30="}`} { // which is ignored
		wantPlan(unread, terraformtest.None)
	}
	tf.edit = within(0, 1, 2, omits("size"))
	wantPlan("", terraformtest.None) // without a memory, no leaf counts as emptied

	// What goes missing with its object stays a leaf that reads have returned.
	tf = adopted(t, m{"shape": m{"round": m{"radius": 4}}})
	tf.edit = to("", omits("shape"))
	tf.plays(act{})
	tf.edit = to("", omits("shape", "round", "radius"))
	wantPlan(nothing, terraformtest.Update)
}

// TestSetAndEmptied sets a leaf that the platform does not have yet, and the console
// empties it. That is drift once Terraform has stored a read that returned it; until then
// the state keeps what was planned, since a platform that returns a leaf only in responses
// to writes would otherwise cause an endless difference.
func TestSetAndEmptied(t *testing.T) {
	t.Parallel()
	w := newWorkshop()
	w.change(firstLamp, nil, "size")
	tf := adopts(t, w, m{"size": 2})
	tf.wantOK(tf.apply())
	tf.wantPatches("PATCH size")
	tf.plays(
		act{console: m{"size": nil}},
		act{console: m{"size": 2}}, // which stores what its refresh has read
		act{console: m{"size": nil}, sent: "PATCH size"},
	)
}

// TestResponseOmitsALeaf has a response to a PATCH that omits one leaf, managed or not: one
// more read has it, even if it omits what the response has.
func TestResponseOmitsALeaf(t *testing.T) {
	t.Parallel()
	for omitted, byRead := range map[string]string{"name": "", "weight": "", "fixture.mount.bulbs": "", "fixture.mount": "", "fixture": "", "cert": "name"} {
		test := scene{config: m{"bulbs": nil}, edit: to("PATCH", omits(strings.Split(omitted, ".")...)), sent: "GET, PATCH name, GET"}
		if byRead != "" {
			test.edit = each(test.edit, within(1, 1, 2, omits(byRead)))
		}
		t.Run(omitted, test.play)
	}
}
