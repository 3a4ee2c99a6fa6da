package provider

import (
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// What tests see of rows, warnings and requests.

// played is rows, each in a bubble with a platform of its own.
func played[Row any](t *testing.T, all map[string]Row, play func(t *testing.T, f *fixture, row Row)) {
	t.Helper()
	t.Parallel()
	terraformtest.Rows(t, all, func(t *testing.T, row Row) {
		inBubble(func(t *testing.T, f *fixture) { play(t, f, row) })(t)
	})
}

// wantWarning fails unless there is one warning, and it has this text. Where
// there is no text there must be no warning.
func wantWarning(t *testing.T, warnings []string, text string) {
	t.Helper()
	switch {
	case text == "" && len(warnings) > 0:
		t.Errorf("%d warnings, want none:\n%s", len(warnings), strings.Join(warnings, "\n"))
	case text != "" && len(warnings) != 1:
		t.Errorf("%d warnings, want one with %q:\n%s", len(warnings), text, strings.Join(warnings, "\n"))
	case text != "":
		wantText(t, folded(warnings[0]), text)
	}
}

// wantRequests counts the requests since the journal was reset, and resets it.
func (f *fixture) wantRequests(want int) {
	f.t.Helper()
	if all := f.Requests(); len(all) != want {
		f.t.Errorf("%d requests, want %d: %v", len(all), want, all)
	}
	f.ResetJournal()
}
