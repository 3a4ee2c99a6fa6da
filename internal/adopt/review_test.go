package adopt

import (
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// TestAdoptionKeepsElements has adoptions whose configuration lacks an element of the
// platform's, or has another one under its name: nothing is sent, in the plan or, where the
// configuration is known only then, in the apply. Elements that are only added are added.
func TestAdoptionKeepsElements(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		bulbs []any
		lines []string
	}{
		"all are missing": {[]any{}, []string{"  - E14: not in the configuration\n  - E27: not in the configuration\n"}},
		"one is missing":  {[]any{deskBulbs[0]}, []string{"  - E27: not in the configuration\n"}},
		"one is another":  {[]any{m{"socket": "E14", "colors": []any{}}, deskBulbs[1]}, []string{"  - E14: another colors and on\n"}},
		"one is added":    {[]any{deskBulbs[0], deskBulbs[1], m{"socket": "G9"}}, nil},
	} {
		for when, inPlan := range map[string]m{"in the plan": nil, "in the apply": {"lamp_id": firstLamp, "bulbs": unknown}} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				tf := newTerraform(t, newWorkshop())
				tf.config, tf.planConfig = m{"lamp_id": firstLamp, "bulbs": test.bulbs}, inPlan
				o := tf.apply()
				tf.planConfig = nil
				if test.lines == nil {
					tf.wantQuiet(o)
					return
				}
				tf.wantErrors(o, `Lamp "desk" (`+firstLamp+") has other bulbs")
				for _, line := range append(test.lines, "import {\n  to = dataplatform_lamp.NAME\n  id = \""+organization+"/"+firstLamp+"\"\n}") {
					if !strings.Contains(o.Errors[0], line) {
						t.Errorf("no %q in %s", line, o.Errors[0])
					}
				}
				tf.wantPatches("")
				// An import shows the difference, and its apply makes it.
				tf.wantOK(tf.imports(firstLamp))
				tf.wantQuiet(tf.apply())
			})
		}
	}
}

// TestRejectedAdoption has two reasons to reject an adoption: that of the kind is reported alone, and
// without the warnings.
func TestRejectedAdoption(t *testing.T) {
	t.Parallel()
	tf := newTerraform(t, newWorkshop())
	tf.config = m{"lamp_id": firstLamp, "name": "new", "bulbs": []any{}, "shape": m{"square": m{"side": 1}}}
	o := tf.plan()
	tf.wantErrors(o, "Lamp has another shape")
	tf.wantWarnings(o)
}

// TestRestoredAsItWas has a platform that resets leaves that an adoption or an update does not
// change: they are restored as the platform had them right before, in its own Unicode form.
func TestRestoredAsItWas(t *testing.T) {
	t.Parallel()
	const decomposed = "cafe\u0301"
	w := newWorkshop()
	w.resets = true
	w.change(firstLamp, []any{decomposed}, "tags")
	tf := newTerraform(t, w)
	tf.config = m{"lamp_id": firstLamp, "name": "new", "size": 3, "tags": []any{"caf\u00e9"}}
	tf.wantOK(tf.apply())
	tf.wantPatches("PATCH name, PATCH name size tags")
	tf.config["name"] = "newer"
	o := tf.plan()
	tf.change(firstLamp, 9, "size")
	tf.applyPlan(o)
	tf.wantOK(o)
	tf.wantPatches("PATCH name, PATCH name size tags")
	lamp := tf.lamps[firstLamp]
	if size, _ := lamp.At("size").Number().Int64(); size != 9 || lamp.At("tags").Elements()[0].Text() != decomposed {
		t.Errorf("the lamp has size %d and tags %v", size, lamp.At("tags"))
	}
}

// TestApplyKeepsToItsPlan has a lamp that changes in the console between a plan and its
// apply: the apply sends only what the plan showed, and the next plan shows the rest.
func TestApplyKeepsToItsPlan(t *testing.T) {
	t.Parallel()
	blue := m{"socket": "E14", "colors": []any{"blue"}, "on": true}
	green := m{"socket": "E14", "colors": []any{"green"}, "on": true}
	for name, test := range map[string]struct {
		from, to m // of the configuration
		at       string
		moves    any
		sent     string
		refused  string
		next     terraformtest.Action
	}{
		"a leaf that the plan leaves alone":    {m{"name": "desk", "size": 3}, m{"name": "new"}, "size", 9, "PATCH name", "", "update"},
		"a leaf that is emptied":               {m{"name": "desk", "size": 3}, m{"name": "new"}, "size", nil, "PATCH name", "", "update"},
		"the leaf that the plan changes":       {m{"name": "desk"}, m{"name": "new"}, "name", "moved", "PATCH name", "", "none"},
		"the leaf, as the plan changes it":     {m{"name": "desk"}, m{"name": "new"}, "name", "new", "", "", "none"},
		"an element of a set that it leaves":   {m{"name": "desk", "bulbs": deskBulbs}, m{"name": "new"}, "fixture.mount.bulbs", []any{blue, deskBulbs[1]}, "PATCH name", "", "update"},
		"an element that it leaves":            {m{"bulbs": deskBulbs}, m{"bulbs": []any{deskBulbs[0], m{"socket": "E27", "on": true}}}, "fixture.mount.bulbs", []any{blue, m{"socket": "E27", "colors": []any{}, "on": false}}, "PATCH -E27, PATCH +E27", "", "update"},
		"the element that it changes":          {m{"bulbs": deskBulbs}, m{"bulbs": []any{blue, deskBulbs[1]}}, "fixture.mount.bulbs", []any{green, deskBulbs[1]}, "", "  - E14\n", "update"},
		"the element that it removes":          {m{"bulbs": deskBulbs}, m{"bulbs": []any{deskBulbs[1]}}, "fixture.mount.bulbs", []any{blue, deskBulbs[1]}, "", "  - E14\n", "update"},
		"the element that it removes, is gone": {m{"bulbs": deskBulbs}, m{"bulbs": []any{deskBulbs[1]}}, "fixture.mount.bulbs", []any{deskBulbs[1]}, "", "", "none"},
		"an element, as it adds it but for the form": {m{"bulbs": deskBulbs}, m{"bulbs": append([]any{m{"socket": "G9", "colors": []any{"caf\u00e9"}}}, deskBulbs...)}, "fixture.mount.bulbs",
			[]any{deskBulbs[0], m{"socket": "E27", "colors": []any{}, "on": true}, m{"socket": "G9", "colors": []any{"cafe\u0301"}}}, "", "", "update"},
		"another element, which somebody added": {m{"bulbs": deskBulbs}, m{"bulbs": []any{blue, deskBulbs[1]}}, "fixture.mount.bulbs", []any{deskBulbs[0], deskBulbs[1], m{"socket": "G9", "colors": []any{}, "on": true}}, "PATCH -E14, PATCH +E14", "", "update"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tf := adopted(t, test.from)
			for name, value := range test.to {
				tf.config[name] = value
			}
			o := tf.plan()
			tf.wantOK(o)
			tf.change(firstLamp, test.moves, strings.Split(test.at, ".")...)
			if bulbs, moved := test.moves.([]any); moved {
				tf.lamps[firstLamp] = tf.lamps[firstLamp].With(wholeBulbs(value(bulbs, tf.lamps[firstLamp].At(bulbsAt...).Type())), bulbsAt...)
			}
			tf.applyPlan(o)
			if test.refused == "" {
				tf.wantOK(o)
			} else {
				tf.wantErrors(o, "bulbs of lamp \"desk\" ("+firstLamp+") changed since the plan")
				if !strings.Contains(strings.Join(o.Errors, ""), test.refused) {
					t.Errorf("no %q in %q", test.refused, o.Errors)
				}
			}
			tf.wantPatches(test.sent)
			next := tf.plan()
			tf.wantOK(next)
			if next.Action != test.next {
				t.Errorf("the next plan: %s, want %s", next.Action, test.next)
			}
			tf.wantQuiet(tf.apply())
		})
	}
}
