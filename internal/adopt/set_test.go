package adopt

import (
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

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
	cannot := []string{`A name in fixture.mount.bulbs of lamp "desk" (` + firstLamp + `) cannot be sent: The platform has "café" in another Unicode form`}
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

// TestElementWithoutAName has responses whose bulbs lack their names: they are asked for once
// more, and then no bulb is changed. After an update of another leaf, none is added again.
func TestElementWithoutAName(t *testing.T) {
	t.Parallel()
	for _, times := range []int{1, 2} {
		tf, left := adopted(t, m{"name": "desk", "bulbs": deskBulbs}), times
		tf.edit = func(w *workshop, _ string, lamp tfvalue.Value) tfvalue.Value {
			if left == 0 && len(w.patches()) == 0 {
				return lamp
			}
			left--
			return omitsNames(lamp)
		}
		warnings := []string{"API does not return all values"}
		if o := tf.plan(); times == 1 {
			tf.wantOK(o)
		} else {
			tf.wantErrors(o, `Unknown bulbs of lamp "desk" (`+firstLamp+")")
			delete(tf.config, "bulbs") // unmanaged, it is no obstacle
			left, warnings = -1, nil
		}
		tf.config["name"] = "new"
		o := tf.apply()
		tf.wantOK(o)
		tf.wantPatches("PATCH name")
		tf.wantWarnings(o, warnings...)
	}
	tf := adopts(t, newWorkshop(), m{"name": "new"})
	tf.edit = within(1, 0, 9, omitsNames)
	tf.wantOK(tf.apply())
	if unnamed := bulbKey.Unnamed(tf.state.At(bulbsAt...)); len(unnamed) > 0 {
		t.Errorf("the state has %v", unnamed)
	}
}
