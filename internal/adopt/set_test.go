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
	bulbs := func(name string) []any { return []any{m{"socket": "E14", "colors": []any{name}}, deskBulbs[1]} }
	w := newWorkshop()
	w.change(firstLamp, append(bulbs(decomposed), m{"socket": decomposed, "colors": []any{}, "on": false}), bulbsAt...)
	w.change(firstLamp, []any{decomposed}, "tags")
	tf := newTerraform(t, w)
	whole := append(bulbs(composed), m{"socket": composed})
	tf.config = m{"lamp_id": firstLamp, "bulbs": whole, "tags": []any{composed}}
	tf.wantQuiet(tf.apply())
	tf.config["bulbs"] = append(bulbs(composed), m{"socket": composed}, m{"socket": "G9", "colors": []any{composed}})
	tf.wantQuiet(tf.apply()) // an element of its own
	tf.wantPatches("PATCH +G9")
	tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{composed, "x"}}, deskBulbs[1], m{"socket": composed}, m{"socket": "G9", "colors": []any{composed}}}
	tf.wantErrors(tf.apply(), `A name in fixture.mount.bulbs of lamp "desk" (`+firstLamp+`) cannot be sent: The platform has "café" in another Unicode form`)
	tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{}}, deskBulbs[1], m{"socket": composed, "on": true}, m{"socket": "G9", "colors": []any{composed}}}
	tf.wantErrors(tf.apply(), "cannot be sent")
	tf.config["bulbs"] = []any{m{"socket": "E14", "colors": []any{"x"}}, deskBulbs[1], m{"socket": composed}, m{"socket": "G9", "colors": []any{composed}}}
	tf.wantErrors(tf.apply(), "cannot be sent") // which removes the other form, too
	tf.config["bulbs"] = append(bulbs(composed), m{"socket": composed})
	tf.wantQuiet(tf.apply())
	tf.wantPatches("PATCH -G9")
	tf.change(firstLamp, decomposed, "name")
	tf.config["name"] = "new" // one name alone is replaced
	tf.wantQuiet(tf.apply())
	tf.wantPatches("PATCH name")
	for _, tags := range [][]any{{composed, "x"}, {"x"}} {
		tf.config["tags"] = tags
		tf.wantErrors(tf.apply(), "A name in tags of lamp")
	}
	tf.wantPatches()
}

// TestElementWithoutAName has responses whose bulbs lack their names: they are asked for once
// more, and then no bulb is changed. After an update of another leaf, none is added again.
func TestElementWithoutAName(t *testing.T) {
	t.Parallel()
	for _, times := range []int{1, 2} {
		tf, left := adopted(t, m{"name": "desk", "bulbs": deskBulbs}), times
		tf.edits = append(tf.edits, func(_ string, lamp tfvalue.Value) tfvalue.Value {
			if left == 0 && len(tf.patches()) == 0 {
				return lamp
			}
			left--
			return withoutNames(lamp)
		})
		o := tf.plan()
		if times == 1 {
			tf.wantOK(o)
		} else {
			tf.wantErrors(o, `Unknown bulbs of lamp "desk" (`+firstLamp+")")
			delete(tf.config, "bulbs") // unmanaged, it is no obstacle
			left = -1
		}
		tf.config["name"] = "new"
		o = tf.apply()
		tf.wantOK(o)
		tf.wantPatches("PATCH name")
		if times == 1 {
			tf.wantWarnings(o, "API does not return all values")
		}
	}
	adopts := newTerraform(t, newWorkshop())
	adopts.edits = append(adopts.edits, func(_ string, lamp tfvalue.Value) tfvalue.Value {
		if len(adopts.patches()) == 0 {
			return lamp
		}
		return withoutNames(lamp)
	})
	adopts.config = m{"lamp_id": firstLamp, "name": "new"}
	adopts.wantOK(adopts.apply())
	if unnamed := bulbKey.Unnamed(adopts.state.At(bulbsAt...)); len(unnamed) > 0 {
		t.Errorf("the state has %v", unnamed)
	}
}
