package platform

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

// What is left of an update after a fault is what the caller says. What then has no question
// is retried by its own rule.
func TestAskAfterAFault(t *testing.T) {
	t.Parallel()
	const first, rest = `{"name":"first"}`, `{"name":"rest"}`
	left, failure := &PipePatch{Body: jsontext.Value(rest)}, errors.New("the mapping has changed")
	for name, test := range map[string]struct {
		left *PipePatch
		err  error
		sent []string // bodies
	}{
		"nothing left to do": {nil, nil, []string{first}},
		"something left":     {left, nil, []string{first, rest, rest}},
		"failing":            {left, failure, []string{first}},
	} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.InjectEach(resttest.Reset, resttest.Reset)
			patch := PipePatch{Body: jsontext.Value(first), AsOf: time.Now(), Ask: func(context.Context, bool) (*PipePatch, error) {
				return test.left, test.err
			}}
			got, err := reading(func(read Read) error {
				return c.UpdatePipe(t.Context(), testOrganization, testService, testPipe, patch, read)
			})
			var sent []string
			for _, r := range f.Requests() {
				sent = append(sent, r.Body)
			}
			if !slices.Equal(sent, test.sent) || !errors.Is(err, test.err) || (got != nil) != (len(sent) > 1) {
				t.Errorf("%s: %v, %v, sent %q", name, got, err, sent)
			}
		})
	}
}
