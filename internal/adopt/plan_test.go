package adopt

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

const replaced = "These current values will be replaced:\n\n"

// TestIgnoreChanges ignores members of credentials, and a part of a list, which is sent as the plan has it, since the plan
// shows a change.
func TestIgnoreChanges(t *testing.T) {
	t.Parallel()
	for ignored, patch := range map[string]string{"user": "PATCH credentials.version", "version": "PATCH credentials.user"} {
		tf := adopts(t, m{"name": "new", "credentials": m{"user": "a", "version": "1"}})
		tf.plays(act{sent: "PATCH credentials.user credentials.version name", warnings: []string{"overwrites", "overwrites"}})
		tf.block.IgnoreChanges = []cty.Path{cty.GetAttrPath("credentials").GetAttr(ignored)}
		tf.plays(act{config: m{"credentials": m{"user": "b", "version": "2"}}, sent: patch})
	}
	tf := adopted(t, m{"columns": []any{"a", "b"}})
	tf.block.IgnoreChanges = []cty.Path{cty.GetAttrPath("columns").IndexInt(0)}
	tf.plays(act{config: m{"columns": []any{"ignored", "c"}}, sent: "PATCH columns"})
}

// TestReplacement replaces a pipe by one of another destination. What is under ignore_changes is not
// ignored of the new pipe, which is read for the warning and in the plan of its own adoption.
func TestReplacement(t *testing.T) {
	t.Parallel()
	const (
		shards = "  - destination.lake.shards (currently 2)\n"
		unseen = "The configuration may overwrite its values."
		stops  = "pipe_id changed: this resource stops managing " + pipeCRM + ", and adopts the pipe with the new ID. "
		may    = "\n\nignore_changes does not apply to the new object: of what it lists, credentials included, the plan shows what the object gets. " +
			"Above, it may be missing, or listed although it does not change."
	)
	// Of what is ignored, the configuration of the first plan has the value of the old pipe, whose destination the new one does
	// not accept.
	for ignored, effect := range map[string]string{
		"threads":     replaced + shards + "  - threads (currently 0)",
		"name":        replaced + shards + "  - name (currently \"shop\")\n  - threads (currently 0)",
		"destination": unseen,
	} {
		tf := adopted(t, m{"name": "crm", "destination": m{"table": m{"rows": 4}}})
		tf.block.IgnoreChanges = []cty.Path{cty.GetAttrPath(ignored)}
		tf.config = m{"pipe_id": another, "name": "shop", "threads": 1, "destination": m{"lake": m{"shards": 5}}}
		o := tf.plan()
		tf.wantSent("3 GETs")
		tf.wantSaid(o, nil, []string{`Replacement adopts another pipe: "shop" (` + another + "): " + stops + effect, "Destroy does not delete services or pipes: " +
			"This resource stops managing " + pipeCRM + ", which keeps its current settings on the platform if it still exists."})
		tf.applyPlan(o)
		tf.wantQuiet(o)
		tf.wantPatches("PATCH destination.lake.shards threads")
	}
	// The old pipe has what the new one has, and the configuration something else, which is sent.
	same := adopted(t, m{"name": "crm", "threads": 3})
	same.change(another, 3, "threads")
	same.change(another, "crm", "name")
	same.block.IgnoreChanges = []cty.Path{cty.GetAttrPath("threads")}
	same.config = m{"pipe_id": another, "name": "crm", "threads": 7}
	o := same.plan()
	same.wantSaid(o, nil, []string{"Replacement adopts another pipe: \"crm\" (" + another + "): " + stops +
		"The configuration changes none of its values, except perhaps those in ignore_changes." + may, "Destroy"})
	same.applyPlan(o)
	same.wantPatches("PATCH threads")
	const unmade = "2000000a-0000-4000-8000-00000000000f"
	tf := adopted(t, m{"name": "crm"})
	tf.config["pipe_id"] = unmade
	tf.wantSaid(tf.plan(), []string{"No such pipe"},
		[]string{"Replacement adopts another pipe: " + unmade + ": " + stops + unseen + may, "Destroy does not delete services or pipes"})
}

// TestPlanOfAnAdoption has what the plan of an adoption says: what is overwritten, as far as it can know, or why it is
// rejected. TestAdoptionReads has one that only adds table mappings, and TestSetAndEmptied one that sets what was not there.
func TestPlanOfAnAdoption(t *testing.T) {
	const (
		overwrites = "Creating this resource overwrites current values of " + pipeCRM + ": The pipe already exists. " + replaced
		name, end  = `  - name (currently "crm")`, "\n\nTo keep"
		later      = "Which table mappings will be added is known only after apply."
	)
	eachRow(t, func(adoption act, t *testing.T) {
		tf := adopts(t, m{})
		tf.takes(adoption)
		tf.wantSaid(tf.plan(), adoption.errors, adoption.warnings)
	}, map[string]act{
		"known, and a secret": {config: m{"columns": []any{"x"}, "name": "new", "mappings": more, "credentials": m{"version": "1"}}, warnings: []string{
			overwrites + `  - columns (currently ["a", "b"])` + "\n" + name + "\n  - credentials\n\nThese table mappings will be added:\n\n  - \"users\"" + end}},
		"an unknown value, an unknown set": {config: m{"name": unknown, "mappings": unknown}, warnings: []string{overwrites +
			`  - name (currently "crm", and the new value is known only after apply)` + "\n\n" + later + end}},
		"an unknown member": {config: m{"mappings": m{"events": m{"target_table": "events", "excluded_columns": unknown}}}, warnings: []string{
			"Creating this resource may add table mappings to " + pipeCRM + ": The pipe already exists. " + later + end}},
		"a long name": {config: m{"name": "new"}, console: m{"name": strings.Repeat("n", 70_000)}, warnings: []string{
			`  - name (currently "` + strings.Repeat("n", 199) + "…)" + end}},
		"no response": {events: events{{fails: &platform.Error{Message: "no response"}}}, errors: []string{"Cannot read pipe"}},
		"two errors: that of the kind is alone, and without the warnings": {config: m{"name": "new", "mappings": "", "destination": m{"table": m{"rows": 1}}},
			console: m{"destination": m{"lake": m{"shards": 2}}}, errors: []string{"Pipe has another destination"}},
	})
}

// TestChangeOfAnOptionSendsNothing has an option without a change beside it, and beside a value that turns out to be no
// change.
func TestChangeOfAnOptionSendsNothing(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "crm", "destination": m{"table": m{"rows": 4}}})
	for i, inPlan := range []m{nil, {"name": unknown}} {
		tf.inPlan = inPlan
		tf.plays(act{config: m{"destination": m{"table": m{"rows": 4}, "validate": i == 0}}, sent: ""})
	}
}

// TestUnreadableAndDeletedObjects has a pipe that cannot be read, also because somebody has edited the state, and then one
// that no longer exists, at first in the apply of a plan.
func TestUnreadableAndDeletedObjects(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{})
	tf.plays(act{events: events{{fails: &platform.Error{Message: "no response"}}}, errors: []string{"Cannot read pipe"}})
	for _, id := range []string{"", "..", "x/../../keys", firstPipe + "\n::error::"} {
		edited := adopted(t, m{})
		edited.block.State.Value = edited.cty(edited.state.With(tfvalue.Optional(id), "pipe_id"))
		const says = "Cannot read pipe: pipe_id is no UUID in the state of this resource, which was probably edited."
		edited.wantErrors(edited.plan(), says)
		edited.wantErrors(edited.block.PlanOnly(edited), says)
		edited.wantSent("")
	}

	tf.events, tf.config["name"] = nil, "new"
	o := tf.plan()
	delete(tf.pipes, firstPipe)
	tf.applyPlan(o)
	tf.wantErrors(o, "No such pipe: There is no pipe "+firstPipe+" in organization "+organization+": the API returned HTTP 404")
	// The refresh removes it from the state, so that the plan is to adopt it again.
	tf.wantSaid(tf.plan(), []string{"Check pipe_id and organization_id. If the pipe was deleted, remove its resource or for_each entry from the configuration: "},
		[]string{"The " + pipeCRM + " no longer exists"})
	// What is gone keeps no settings.
	tf.block.Config = cty.NullVal(tf.block.Schema.Type)
	tf.wantSaid(tf.block.PlanOnly(tf), nil, nil)
}

// TestSpellingOfIDs has IDs in another letter case than the platform's, than the state's, and
// than in the response to a PATCH.
func TestSpellingOfIDs(t *testing.T) {
	t.Parallel()
	capitals := strings.ToUpper(firstPipe)
	for first, then := range map[string]string{firstPipe: capitals, capitals: firstPipe} {
		tf := adopts(t, m{"pipe_id": first, "name": "crm"})
		tf.events = events{to("PATCH", keeps(then, "pipe_id"))}
		tf.plays(act{}, act{config: m{"pipe_id": then, "name": "new"}, sent: "PATCH name"})
		if got := tf.state.At("pipe_id").Text(); got != first {
			t.Errorf("the state has the ID %s, want %s", got, first)
		}
	}
}

// TestDestroyLeavesObjectsAndWarnsOnce leaves two pipes as they are. The apply warns once.
func TestDestroyLeavesObjectsAndWarnsOnce(t *testing.T) {
	t.Parallel()
	run := newConnection()
	const warning = "Destroy does not delete services or pipes: This resource stops managing pipe \"crm\""
	for _, want := range [][]string{{warning, warning}, {warning}} {
		tf := adopted(t, m{"name": "crm"})
		tf.block.Config, tf.run = cty.NullVal(tf.block.Schema.Type), run
		o := tf.block.Plan(tf)
		tf.block.Apply(tf, o)
		tf.wantSaid(o, nil, want)
		tf.wantPatches("")
	}
}
