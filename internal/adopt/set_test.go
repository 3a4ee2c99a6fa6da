package adopt

import (
	"testing"
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
