package adopt

import (
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestIgnoredOnce has a platform that never shows a leaf: the first object of a run waits for it, and
// no other object does, unless the leaf moves meanwhile.
func TestIgnoredOnce(t *testing.T) {
	t.Parallel()
	for _, moves := range []bool{false, true} {
		inBubble(t, func(t *testing.T) {
			w := newWorkshop()
			w.change(firstLamp, "as it was", "name")
			w.change(another, "as it was", "name")
			w.edit = func(_ *workshop, _ string, lamp tfvalue.Value) tfvalue.Value {
				if moves && len(w.patches()) > 0 {
					return keeps("as it was, "+strings.Repeat("x", len(w.requests)), "name")(lamp)
				}
				return keeps("as it was", "name")(lamp)
			}
			run := newConnection()
			for i, id := range []string{firstLamp, another} {
				tf := adopts(t, w, m{"lamp_id": id, "name": "as it was"})
				tf.inBubble, tf.requests = true, nil
				tf.wantOK(tf.apply())
				tf.config["name"] = "new"
				o := tf.plan()
				tf.start(tf.config)
				tf.run = run
				begun := time.Now()
				tf.block.Apply(tf, o)
				took := time.Since(begun)
				tf.wantErrors(o, "name was sent and accepted, but the API ")
				if strings.Contains(o.Errors[0], "It was still changing. ") != moves {
					t.Errorf("%t: %s", moves, o.Errors[0])
				}
				if waited := took > 0; waited != (i == 0 || moves) || strings.Contains(o.Errors[0], "another object of this run waited 30s") == waited {
					t.Errorf("lamp %d, %t, took %s: %q", i, moves, took, o.Errors)
				}
			}
		})
	}
}

// TestMemberThatNoElementHas has responses that have a member for no bulb at all: they say nothing of it. Where
// one bulb has it, the others have the empty value.
func TestMemberThatNoElementHas(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"bulbs": deskBulbs})
	tf.edit = to("", lacks("on", "E14", "E27"))
	for _, on := range []bool{true, false, true} { // also of one that is added
		tf.config["bulbs"], tf.requests = []any{m{"socket": "E14", "colors": []any{"blue"}, "on": on}, deskBulbs[1]}, nil
		o := tf.apply()
		tf.wantRequests("2 GETs, PATCH -E14, PATCH +E14") // no response leaves a doubt
		tf.wantQuiet(o)
	}
	tf.edit = to("", lacks("on", "E14"))
	if o := tf.plan(); o.Action != terraformtest.Update {
		t.Errorf("the plan is to %s", o.Action)
	}
}

// TestAcceptedAndNotReturned has a value that the platform accepts and does not return while another
// one is off: a warning each time it is sent, and never an error. Otherwise it counts as never
// returned, until it is returned again.
func TestAcceptedAndNotReturned(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"size": 3, "name": "desk"})
	tf.edit = to("", func(lamp tfvalue.Value) tfvalue.Value {
		if lamp.At("name").Text() == "off" {
			return lamp.Without("size")
		}
		return lamp
	})
	const is = "API does not return all values of lamp "
	tf.plays(
		act{config: m{"name": "off"}, sent: "PATCH name, PATCH name size", warnings: []string{"- size: was 3, was found to be not set", is + `"desk" (` + firstLamp + ")"}},
		act{config: m{"tags": []any{"c"}}, sent: "PATCH tags"},
		act{config: m{"size": 6}, sent: "PATCH size", warnings: []string{is + `"off"`}},
		act{config: m{"name": "on"}, sent: "PATCH name"},
		act{console: m{"size": 1}, sent: "PATCH size"},
	)
}

// TestResetLeavesAreRestoredOnce has a platform that resets what a PATCH omits. What restores sends credentials
// no second time.
func TestResetLeavesAreRestoredOnce(t *testing.T) {
	t.Parallel()
	resets := all(keeps("", "name"), keeps("", "cert"), keeps([]any{}, "tags"), keeps([]any{}, bulbsAt...), keeps(0, "shape", "round", "radius"))
	for result, edit := range map[string]editing{"of a response": nil, "of no response": none, "of a response of the past": past} {
		tf := adopted(t, m{"name": "desk", "size": 3})
		tf.rewrite, tf.edit = inTurn(resets), edit
		tf.config["size"] = 4
		o := tf.apply()
		tf.wantPatches("PATCH size, PATCH name size")
		tf.wantWarnings(o, `Other values of lamp "desk" (`+firstLamp+") changed during its update: The update found these managed values changed. It sent them again")
		for _, moved := range []string{`- cert: was "c", is now ""`, `- tags: was ["a", "b"], is now []`, "- fixture.mount.bulbs, \"E14\": was there, is now missing\n  - fixture.mount.bulbs, \"E27\": was there, is now missing", "- shape.round.radius: was 4, is now 0", "To manage one of them"} {
			if strings.Count(o.Warnings[0], moved) != 1 || strings.Contains(o.Warnings[0], "state") {
				t.Errorf("%q: not once %q, or what the platform moves, in %s", result, moved, o.Warnings[0])
			}
		}
		tf.wantQuiet(o)
	}
	tf := adopted(t, m{"name": "desk"})
	tf.rewrite = inTurn(resets)
	tf.config["secret"] = m{"version": "1"}
	tf.wantOK(tf.apply())
	tf.wantPatches("PATCH secret.version, PATCH name")
}

// TestMovedByTheChange has leaves that the platform derives from another one, and leaves that it changes beside:
// a warning advises to manage those that can be set, and are not.
func TestMovedByTheChange(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "desk", "size": 3})
	const advice = "To manage one of them"
	tf.block.IgnoreChanges = []cty.Path{cty.GetAttrPath("tags")}
	tf.plays(
		act{config: m{"size": 4}, rewrite: keeps(99, "weight"), sent: "PATCH size"}, // with which the weight changes
		act{config: m{"name": "newer"}, rewrite: keeps(9, "weight"), sent: "PATCH name", warnings: []string{"- weight: was 99, is now 9"}, unsaid: advice},
		act{config: m{"name": "brighter"}, rewrite: keeps(1, "shape", "round", "volume"), sent: "PATCH name", warnings: []string{"- shape.round.volume: was 9, is now 1"}, unsaid: advice},
		act{config: m{"name": "newest"}, rewrite: all(keeps(1, "weight"), keeps([]any{"d"}, "tags")), sent: "PATCH name",
			warnings: []string{"- tags: was [\"a\", \"b\"], is now [\"d\"]\n  - weight: was 9, is now 1\n\n" + advice}},
		act{config: m{"name": "again", "tags": []any{"c"}}, rewrite: keeps([]any{}, "tags"), sent: "PATCH name", warnings: []string{"- tags: was [\"d\"], is now []"}, unsaid: advice},
	)
}
