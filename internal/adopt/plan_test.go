package adopt

import (
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
)

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
	if got := tf.state.At("columns").Elements(); got[0].Text() != "a" || got[1].Text() != "c" {
		t.Errorf("the state has %v", got)
	}
}

// TestReplacement replaces a pipe by one of another destination. What is under ignore_changes is not
// ignored of the new pipe, which is read for the warning and in the plan of its own adoption.
func TestReplacement(t *testing.T) {
	t.Parallel()
	const (
		heading = "These current values will be replaced:\n\n"
		shards  = "  - destination.lake.shards (currently 2)\n"
		unseen  = "The configuration overwrites its values."
		stops   = "pipe_id changed: this resource stops managing " + pipeCRM + ", and adopts the pipe with the new ID, to which ignore_changes does not apply. "
	)
	// Of what is ignored, the configuration of the first plan has the value of the old pipe, whose destination the new one does
	// not accept.
	for ignored, effect := range map[string]string{
		"threads":     heading + shards + "  - threads (currently 0)",
		"name":        heading + shards + "  - name (currently \"shop\")\n  - threads (currently 0)",
		"destination": unseen,
	} {
		tf := adopted(t, m{"name": "crm", "destination": m{"table": m{"rows": 4}}})
		tf.block.IgnoreChanges = []cty.Path{cty.GetAttrPath(ignored)}
		tf.config = m{"pipe_id": another, "name": "shop", "threads": 1, "destination": m{"lake": m{"shards": 5}}}
		o := tf.plan()
		tf.wantErrors(o)
		if o.Action != "replace" || len(tf.requests) != 3 {
			t.Errorf("ignoring %s: %s after %q", ignored, o.Action, tf.requests)
		}
		tf.wantWarnings(o, `Replacement adopts another pipe: "shop" (`+another+"): "+stops+effect,
			"Destroy does not delete services or pipes: This resource stops managing "+pipeCRM+", which keeps its current settings on the platform if it still exists.")
		tf.applyPlan(o)
		tf.wantQuiet(o)
		tf.wantPatches("PATCH destination.lake.shards threads")
	}
	const unmade = "2000000a-0000-4000-8000-00000000000f"
	tf := adopted(t, m{"name": "crm"})
	tf.config["pipe_id"] = unmade
	tf.wantWarnings(tf.plan(), "Replacement adopts another pipe: "+unmade+": "+stops+unseen, "Destroy does not delete services or pipes")
}

// TestAdoptionWarnings has what an adoption overwrites, and what it cannot know.
func TestAdoptionWarnings(t *testing.T) {
	const (
		overwrites = "overwrites current values of"
		replaced   = "These current values will be replaced:\n\n"
		name       = `  - name (currently "crm")`
		added      = "These table mappings will be added:\n\n  - \"users\""
	)
	type row struct {
		plan          m
		summary, list string
	}
	eachRow(t, func(row row, t *testing.T) {
		tf := adopts(t, row.plan)
		tf.change(firstPipe, nil, "certificate")
		o := tf.plan()
		if row.list == "" {
			tf.wantSaid(o, nil, nil)
			return
		}
		tf.wantSaid(o, nil, []string{"Creating this resource " + row.summary + " " + pipeCRM + ": The pipe already exists. " + row.list + "\n\nTo keep"})
		tf.events, tf.requests = events{within(0, 1, 2, omits("mappings"))}, nil
		if again := tf.plan(); !slices.Equal(again.Warnings, o.Warnings) {
			t.Errorf("with mappings omitted once: %q", again.Warnings)
		}
	}, map[string]row{
		"known, and a secret": {m{"columns": []any{"x"}, "name": "new", "mappings": more, "credentials": m{"version": "1"}}, overwrites,
			replaced + `  - columns (currently ["a", "b"])` + "\n" + name + "\n  - credentials\n\n" + added},
		"mappings are added":               {m{"mappings": more}, "adds table mappings to", added},
		"nothing differs":                  {plan: m{"name": "crm"}},
		"nothing is there":                 {plan: m{"certificate": "c"}},
		"an unknown value, an unknown set": {m{"name": unknown, "mappings": unknown}, overwrites, replaced + name},
		"an unknown member":                {plan: m{"mappings": m{"events": m{"target_table": "events", "excluded_columns": unknown}}}},
	})
}

// TestChangeOfAnOptionSendsNothing has an option without a change beside it: an update in place that
// sends nothing, also beside a value that turns out to be no change.
func TestChangeOfAnOptionSendsNothing(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "crm", "destination": m{"table": m{"rows": 4}}})
	for _, name := range []any{"crm", unknown} {
		tf.config["destination"] = m{"table": m{"rows": 4}, "validate": name == "crm"}
		tf.planConfig = m{"pipe_id": firstPipe, "name": name, "destination": tf.config["destination"]}
		o := tf.apply()
		if o.Action != "update" {
			t.Errorf("with the name %v: %s", name, o.Action)
		}
		tf.planConfig = nil
		tf.wantQuiet(o)
		tf.wantPatches("")
	}
}

// TestUnreadableAndDeletedObjects has a pipe that cannot be read, and then one that no longer exists, at first in
// the apply of a plan.
func TestUnreadableAndDeletedObjects(t *testing.T) {
	t.Parallel()
	noResponse := events{{fails: &platform.Error{Message: "no response"}}}
	adoption := adopts(t, m{})
	adoption.events = noResponse
	adoption.wantErrors(adoption.plan(), "Cannot read pipe")
	tf := adopted(t, m{})
	tf.events = noResponse
	tf.wantErrors(tf.plan(), "Cannot read pipe")
	if tf.state.IsNull() {
		t.Error("a failed read removed the pipe from the state")
	}
	tf.events, tf.config["name"] = nil, "new"
	o := tf.plan()
	delete(tf.pipes, firstPipe)
	tf.applyPlan(o)
	tf.wantErrors(o, "No such pipe: There is no pipe "+firstPipe+" in organization "+organization+": the API returned HTTP 404")
	o = tf.plan()
	tf.wantSaid(o, []string{"Check pipe_id and organization_id. If the pipe was deleted, remove its resource or for_each entry from the configuration: "},
		[]string{"The " + pipeCRM + " no longer exists"})
	if !tf.state.IsNull() {
		t.Errorf("the state is %v", tf.state)
	}
	// What is gone keeps no settings.
	tf.block.Config = cty.NullVal(tf.block.Schema.Type)
	if c := tf.block.PlanOnly(tf); c.Action != "delete" || len(c.Warnings) > 0 {
		t.Errorf("%s, warnings %q", c.Action, c.Warnings)
	}
}

// TestEditedState has a state without an ID: the error says what is missing, and no request is made.
func TestEditedState(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "crm"})
	tf.block.State.Value = tf.cty(tf.state.Without("pipe_id"))
	tf.wantErrors(tf.plan(), "Cannot read pipe: The state of this resource has no value for one of organization_id and pipe_id.")
	tf.wantSent("")
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
