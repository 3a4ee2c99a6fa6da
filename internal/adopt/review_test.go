package adopt

import (
	"errors"
	"strings"
	"testing"
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
		"all are missing": {[]any{}, []string{"  - \"E14\": not in the configuration\n  - \"E27\": not in the configuration\n"}},
		"one is missing":  {[]any{deskBulbs[0]}, []string{"  - \"E27\": not in the configuration\n"}},
		"one is another":  {[]any{m{"socket": "E14", "colors": []any{}}, deskBulbs[1]}, []string{"  - \"E14\": another colors and on\n"}},
		"one is added":    {[]any{deskBulbs[0], deskBulbs[1], m{"socket": "G9"}}, nil},
	} {
		for when, inPlan := range map[string]m{"in the plan": nil, "in the apply": {"lamp_id": firstLamp, "bulbs": unknown}} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				tf := adopts(t, newWorkshop(), m{"bulbs": test.bulbs})
				tf.planConfig = inPlan
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
	tf := adopts(t, newWorkshop(), m{"name": "new", "bulbs": []any{}, "shape": m{"square": m{"side": 1}}})
	o := tf.plan()
	tf.wantErrors(o, "Lamp has another shape")
	tf.wantWarnings(o)
}

// TestRestoredAsItWas has a platform that resets leaves that an adoption or an update does not
// change: they are restored as the platform had them right before, in its own Unicode form.
func TestRestoredAsItWas(t *testing.T) {
	t.Parallel()
	const decomposed = "cafe\u0301"
	w, resets := newWorkshop(), all(keeps(0, "size"), keeps([]any{}, "tags"))
	w.rewrite = inTurn(resets)
	w.change(firstLamp, []any{decomposed}, "tags")
	tf := adopts(t, w, m{"name": "new", "size": 3, "tags": []any{"caf\u00e9"}})
	tf.wantOK(tf.apply())
	tf.wantPatches("PATCH name, PATCH name size tags")
	tf.config["name"] = "newer"
	o := tf.plan()
	tf.change(firstLamp, 9, "size")
	tf.rewrite = inTurn(resets)
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
	const changed = "bulbs of lamp \"desk\" (" + firstLamp + ") changed since the plan: " +
		"The plan changes these bulbs, or others of the same source or target, and they are no longer what it was made from:\n\n  - \"E14\"\n\nNothing was sent."
	moves := func(is any, at ...string) happening { return before(0, 1, is, at...) }
	green := m{"socket": "E14", "colors": []any{"green"}, "on": true}
	e27On := m{"socket": "E27", "colors": []any{}, "on": true}
	third := func(form string) []any {
		return append([]any{m{"socket": "G9", "colors": []any{form}, "on": false}}, deskBulbs...)
	}
	playAll(t, map[string]scene{
		"a leaf that the plan leaves alone":  {config: m{"size": 3}, happens: moves(9, "size"), sent: "GET, PATCH name", differs: true},
		"a leaf that is emptied":             {config: m{"size": 3}, happens: moves(nil, "size"), sent: "2 GETs, PATCH name", differs: true},
		"the leaf that the plan changes":     {happens: moves("moved", "name"), sent: "GET, PATCH name"},
		"the leaf, as the plan changes it":   {happens: moves("new", "name"), sent: "GET"},
		"an element of a set that it leaves": {happens: moves([]any{green, e27}, bulbsAt...), sent: "GET, PATCH name", differs: true},
		"an element that it leaves": {config: m{"name": "desk", "bulbs": []any{e14, e27On}}, happens: moves([]any{green, e27}, bulbsAt...),
			sent: "GET, PATCH -E27, PATCH +E27", differs: true},
		"the element that it changes":          {config: m{"bulbs": blue}, happens: moves([]any{green, e27}, bulbsAt...), sent: "GET", errors: []string{changed}, differs: true},
		"the element that it removes":          {config: m{"bulbs": []any{e27}}, happens: moves([]any{green, e27}, bulbsAt...), sent: "GET", errors: []string{changed}, differs: true},
		"the element that it removes, is gone": {config: m{"name": "desk", "bulbs": []any{e27}}, happens: moves([]any{e27}, bulbsAt...), sent: "GET"},
		"an element, as it adds it but for the form": {config: m{"name": "desk", "bulbs": third("caf\u00e9")}, happens: moves(third("cafe\u0301"), bulbsAt...),
			sent: "GET"},
		"another element, which somebody added": {config: m{"name": "desk", "bulbs": blue}, happens: moves([]any{e14, e27, m{"socket": "G9", "colors": []any{}, "on": true}}, bulbsAt...),
			sent: "GET, PATCH -E14, PATCH +E14", differs: true},
	})
}

// TestUpdateThatCannotBegin has an update that cannot begin, and one whose body cannot be made.
func TestUpdateThatCannotBegin(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func(*workshop, error){
		"it cannot begin":  func(w *workshop, err error) { w.refuses = err },
		"there is no body": func(w *workshop, err error) { w.cannot = err },
	} {
		happens := func(w *workshop, _ string) error {
			breaks(w, errors.New("no turn"))
			return nil
		}
		t.Run(name, scene{happens: happens, sent: "GET", errors: []string{"o turn."}}.play)
	}
}

// TestNamesInAnotherUnicodeForm has names that the platform has in another Unicode form. By themselves they make
// no difference, and nothing that contains one is changed.
func TestNamesInAnotherUnicodeForm(t *testing.T) {
	t.Parallel()
	const composed, decomposed = "caf\u00e9", "cafe\u0301"
	bulbs := func(colors []any, more ...any) m {
		return m{"bulbs": append([]any{m{"socket": "E14", "colors": colors}, deskBulbs[1]}, more...)}
	}
	w := newWorkshop()
	w.change(firstLamp, bulbs([]any{decomposed}, m{"socket": decomposed, "colors": []any{}, "on": false})["bulbs"], bulbsAt...)
	w.change(firstLamp, []any{decomposed}, "tags")
	named, g9 := m{"socket": composed}, m{"socket": "G9", "colors": []any{composed}}
	whole := bulbs([]any{composed}, named)
	whole["tags"] = []any{composed}
	cannot := []string{`A name in fixture.mount.bulbs of lamp "desk" (` + firstLamp + `) cannot be sent: The platform has "café" (of "E14") in another Unicode form`}
	adopts(t, w, whole).plays(
		act{},
		act{config: bulbs([]any{composed}, named, g9), sent: "PATCH +G9"}, // an element of its own
		act{config: bulbs([]any{composed, "x"}, named, g9), errors: cannot},
		act{config: bulbs([]any{}, m{"socket": composed, "on": true}, g9), errors: []string{"cannot be sent"}},
		act{config: bulbs([]any{"x"}, named, g9), errors: cannot}, // which removes the other form, too
		act{config: bulbs([]any{composed}, named), sent: "PATCH -G9"},
		act{console: m{"name": decomposed}, config: m{"name": "new"}, sent: "PATCH name"}, // one name alone is replaced
		act{config: m{"tags": []any{composed, "x"}}, errors: []string{"A name in tags of lamp"}},
		act{config: m{"tags": []any{"x"}}, errors: []string{"A name in tags of lamp"}},
	)
}
