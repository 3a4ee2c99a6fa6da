package adopt

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/zclconf/go-cty/cty"
)

// TestIgnoreChanges has leaves that are ignored, members of credentials, and a part of a list,
// which is sent as the plan has it, since the plan shows a change.
func TestIgnoreChanges(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "desk", "size": 3})
	tf.block.IgnoreChanges = []cty.Path{cty.GetAttrPath("name")}
	tf.plays(act{config: m{"name": "ignored", "size": 4}, sent: "PATCH size"}, act{console: m{"name": "outside"}})
	for ignored, patch := range map[string]string{"user": "PATCH secret.version", "version": "PATCH secret.user"} {
		tf := adopts(t, newWorkshop(), m{"secret": m{"user": "a", "version": "1"}})
		tf.wantQuiet(tf.apply())
		tf.requests = nil
		tf.block.IgnoreChanges = []cty.Path{cty.GetAttrPath("secret").GetAttr(ignored)}
		tf.plays(act{config: m{"secret": m{"user": "b", "version": "2"}}, sent: patch})
	}
	tf = adopted(t, m{"tags": []any{"a", "b"}})
	tf.block.IgnoreChanges = []cty.Path{cty.GetAttrPath("tags").IndexInt(0)}
	tf.plays(act{config: m{"tags": []any{"ignored", "c"}}, sent: "PATCH tags"})
	if got := tf.state.At("tags").Elements(); got[0].Text() != "a" || got[1].Text() != "c" {
		t.Errorf("the state has %v", got)
	}
}

// TestReplacement replaces a lamp by one of another shape. What is under ignore_changes is not
// ignored of the new lamp, which is read for the warning and in the plan of its own adoption.
func TestReplacement(t *testing.T) {
	t.Parallel()
	const (
		heading    = "These current values will be replaced:\n\n"
		overwrites = "  - shape.square.side (currently 2)\n  - size (currently 0)"
	)
	for _, test := range []struct {
		ignore []cty.Path
		effect string
	}{
		{nil, heading + overwrites},
		// Of what is ignored, the configuration of the first plan has the value of the old lamp, whose shape
		// the new one does not accept.
		{[]cty.Path{cty.GetAttrPath("name")}, heading + "  - name (currently \"floor\")\n" + overwrites},
		{[]cty.Path{cty.GetAttrPath("shape")}, "The configuration overwrites its values."},
	} {
		tf := adopted(t, m{"name": "desk", "shape": m{"round": m{"radius": 4}}})
		tf.block.IgnoreChanges = test.ignore
		tf.config = m{"lamp_id": another, "name": "floor", "size": 1, "shape": m{"square": m{"side": 5}}}
		o := tf.plan()
		tf.wantOK(o)
		if o.Action != "replace" || len(tf.requests) != 3 {
			t.Errorf("ignoring %v: %s after %q", test.ignore, o.Action, tf.requests)
		}
		tf.wantWarnings(o,
			`Replacement adopts another lamp: "floor" (`+another+`): lamp_id changed: this resource stops managing lamp "desk" (`+firstLamp+"), and adopts the lamp with the new ID, to which ignore_changes does not apply. "+test.effect,
			`Destroy does not delete services or pipes: This resource stops managing lamp "desk" (`+firstLamp+"), which keeps its current settings on the platform if it still exists.")
		tf.applyPlan(o)
		tf.wantQuiet(o)
		tf.wantPatches("PATCH shape.square.side size")
	}
	// A lamp that does not exist, and one whose ID is known only after apply.
	const stops = `lamp_id changed: this resource stops managing lamp "desk" (` + firstLamp + "), and adopts the lamp with the new ID, to which ignore_changes does not apply. The configuration overwrites its values."
	for id, summary := range map[any]string{"2000000a-0000-4000-8000-00000000000f": "lamp: 2000000a-0000-4000-8000-00000000000f: ", unknown: "lamp: "} {
		tf := adopted(t, m{"name": "desk"})
		tf.config["lamp_id"] = id
		tf.wantWarnings(tf.plan(), "Replacement adopts another "+summary+stops, "Destroy does not delete services or pipes")
	}
}

// TestAdoptionWarnings has what an adoption overwrites, and what it cannot know.
func TestAdoptionWarnings(t *testing.T) {
	t.Parallel()
	const (
		overwrites = "overwrites current values of"
		replaced   = "These current values will be replaced:\n\n"
		name       = `  - name (currently "desk")`
		added      = "These bulbs will be added:\n\n  - \"G9\""
	)
	more := append(slices.Clone(deskBulbs), m{"socket": "G9"})
	for what, test := range map[string]struct {
		plan          m
		summary, list string
	}{
		"known":             {m{"name": "new", "tags": []any{"x"}, "bulbs": more}, overwrites, replaced + name + "\n" + `  - tags (currently ["a", "b"])` + "\n\n" + added},
		"bulbs are added":   {m{"bulbs": more}, "adds bulbs to", added},
		"nothing differs":   {plan: m{"name": "desk"}},
		"nothing is there":  {plan: m{"cert": "c"}},
		"a secret":          {m{"secret": m{"version": "1"}}, overwrites, replaced + "  - secret"},
		"an unknown value":  {m{"name": unknown}, overwrites, replaced + name},
		"an unknown set":    {m{"name": "new", "bulbs": unknown}, overwrites, replaced + name},
		"an unknown member": {plan: m{"bulbs": []any{m{"socket": "E14", "colors": unknown}}}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			tf := adopts(t, newWorkshop(), test.plan)
			tf.change(firstLamp, nil, "cert")
			o := tf.plan()
			tf.wantOK(o)
			if test.list == "" {
				tf.wantWarnings(o)
				return
			}
			tf.wantWarnings(o, "Creating this resource "+test.summary+` lamp "desk" (`+firstLamp+"): The lamp already exists. "+test.list+"\n\nTo keep")
			tf.edit, tf.requests = within(0, 1, 2, omits(bulbsAt...)), nil
			if again := tf.plan(); !slices.Equal(again.Warnings, o.Warnings) {
				t.Errorf("with bulbs omitted once: %q", again.Warnings)
			}
		})
	}
}

// TestChangeOfAnOptionSendsNothing has an option without a change beside it: an update in place that
// sends nothing, also beside a value that turns out to be no change.
func TestChangeOfAnOptionSendsNothing(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "desk", "shape": m{"round": m{"radius": 4}, "dry": true}})
	for _, dry := range []any{nil, false, true} {
		tf.config["shape"] = m{"round": m{"radius": 4}, "dry": dry}
		tf.planConfig = nil
		if dry == true { // beside a name that is unknown in the plan
			tf.planConfig = m{"lamp_id": firstLamp, "name": unknown, "shape": tf.config["shape"]}
		}
		o := tf.apply()
		if o.Action != "update" {
			t.Errorf("%v: %s", dry, o.Action)
		}
		tf.planConfig = nil
		tf.wantQuiet(o)
		tf.wantPatches("")
	}
}

// TestEmptyObjects has objects that set nothing: a warning for the innermost, from the
// configuration alone.
func TestEmptyObjects(t *testing.T) {
	t.Parallel()
	w := newWorkshop()
	for _, test := range []struct {
		config m
		warns  string
	}{
		{m{"shape": m{"round": m{}}}, "shape.round"},
		{m{"shape": m{}}, "shape"},
		{m{"secret": m{}}, "secret"},
		{m{"shape": m{"round": m{"radius": unknown}}}, ""},
		{m{"shape": unknown}, ""},
		{m{}, ""},
	} {
		var diags diag.Diagnostics
		WarnEmptyObjects(nil, w.value(test.config), &diags)
		if test.warns == "" && len(diags) > 0 || test.warns != "" && (len(diags) != 1 || !strings.HasPrefix(diags[0].Detail(), test.warns+" has no attributes set. Check the spelling, because Terraform silently ignores misspelled names, or set it to null.")) {
			t.Errorf("%v: %v", test.config, diags)
		}
	}
}

// TestUnreadableAndDeletedObjects has a lamp that cannot be read, and then one that no longer exists, at first in
// the apply of a plan.
func TestUnreadableAndDeletedObjects(t *testing.T) {
	t.Parallel()
	noResponse := func(string) error { return errors.New("no response") }
	adoption := adopts(t, newWorkshop(), m{})
	adoption.fail = noResponse
	adoption.wantErrors(adoption.plan(), "Cannot read lamp")
	tf := adopted(t, m{})
	tf.fail = noResponse
	tf.wantErrors(tf.plan(), "Cannot read lamp")
	if tf.state.IsNull() {
		t.Error("a failed read removed the lamp from the state")
	}
	tf.fail, tf.config["name"] = nil, "new"
	o := tf.plan()
	delete(tf.lamps, firstLamp)
	tf.applyPlan(o)
	tf.wantErrors(o, "No such lamp: There is no lamp "+firstLamp+" in organization "+organization+": the API returned HTTP 404")
	o = tf.plan()
	tf.wantErrors(o, "Check lamp_id and organization_id. If the lamp was deleted, remove its resource or for_each entry from the configuration: that unblocks the plan, and touches nothing else.")
	tf.wantWarnings(o, `The lamp "desk" (`+firstLamp+") is gone")
	if !tf.state.IsNull() {
		t.Errorf("the state is %v", tf.state)
	}
	// What is gone keeps no settings.
	tf.block.Config = cty.NullVal(tf.block.Schema.Type)
	if c := tf.block.PlanOnly(tf); c.Action != "delete" || len(c.Warnings) > 0 {
		t.Errorf("%s, warnings %q", c.Action, c.Warnings)
	}
}

// TestEditedState has states without an ID: the error says what is missing, and no request is made. If
// the refresh is skipped, what is known only after apply stays so.
func TestEditedState(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "desk"})
	whole := tf.state
	tf.block.State.Value = tf.cty(whole.Without("lamp_id"))
	tf.wantErrors(tf.plan(), "Cannot read lamp: The state of this resource has no value for one of organization_id and lamp_id.")
	tf.wantRequests("")
	tf.block.State.Value = tf.cty(whole.Without("organization_id"))
	tf.lacks = []string{"key_secret", "organization_id"}
	if planned := tf.tfvalue(tf.plan().Planned).At("organization_id"); planned.IsKnown() {
		t.Errorf("planned %v", planned)
	}
}

// TestSpellingOfIDs has IDs in another letter case than the platform's, than the state's, and
// than in the response to a PATCH.
func TestSpellingOfIDs(t *testing.T) {
	t.Parallel()
	capitals := strings.ToUpper(firstLamp)
	for first, then := range map[string]string{firstLamp: capitals, capitals: firstLamp} {
		tf := adopts(t, newWorkshop(), m{"lamp_id": first, "name": "desk"})
		tf.edit = to("PATCH", keeps(then, "lamp_id"))
		tf.wantQuiet(tf.apply())
		tf.config = m{"lamp_id": then, "name": "new"}
		o := tf.apply()
		tf.wantQuiet(o)
		tf.wantWarnings(o)
		if got := tf.state.At("lamp_id").Text(); got != first {
			t.Errorf("the state has the ID %s, want %s", got, first)
		}
		tf.wantPatches("PATCH name")
	}
}

// TestDestroyLeavesObjectsAndWarnsOnce leaves two lamps as they are. The apply warns once.
func TestDestroyLeavesObjectsAndWarnsOnce(t *testing.T) {
	t.Parallel()
	run := newConnection()
	const warning = "Destroy does not delete services or pipes: This resource stops managing lamp \"desk\""
	for _, want := range [][]string{{warning, warning}, {warning}} {
		tf := adopted(t, m{"name": "desk"})
		tf.block.Config, tf.run = cty.NullVal(tf.block.Schema.Type), run
		o := tf.block.Plan(tf)
		tf.block.Apply(tf, o)
		tf.wantOK(o)
		tf.wantWarnings(o, want...)
		tf.wantPatches("")
	}
}
