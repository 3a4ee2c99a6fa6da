package platform

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// What is left of an update after a fault is what the caller says. A body that no
// longer adds a table mapping is retried by its own rule.
func TestAskAfterAFault(t *testing.T) {
	t.Parallel()
	const patch = `{"name":"n"}`
	failure := errors.New("the mapping must set excluded_columns")
	for name, test := range map[string]struct {
		more    *PipePatch
		err     error
		retries []string // their bodies
	}{
		"nothing left to do": {nil, nil, nil},
		"something left":     {&PipePatch{Body: renamed}, nil, []string{patch, patch, patch}},
		"failing":            {&PipePatch{Body: renamed}, failure, nil},
	} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.InjectEach(reset, reset, reset)
			asked := 0
			got, err := updatePipe(t.Context(), c, PipePatch{Body: mappings, AsOf: time.Now(), Ask: func(context.Context, bool) (*PipePatch, error) {
				asked++
				return test.more, test.err
			}})
			var retries []string
			for _, r := range f.Requests()[1:] {
				retries = append(retries, r.Body)
			}
			if (got != nil) != (test.retries != nil) || asked != 1 || !slices.Equal(retries, test.retries) || (err != nil) != (test.err != nil) || err != nil && !strings.Contains(err.Error(), failure.Error()) {
				t.Errorf("%s: %v, %v, asked %d times, retried with %q", name, got, err, asked, retries)
			}
		})
	}
}
