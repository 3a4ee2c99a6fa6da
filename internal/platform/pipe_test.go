package platform

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

// What is left of an update after a fault is what the caller says. What then has no question
// is retried by its own rule.
func TestAskAfterAFault(t *testing.T) {
	t.Parallel()
	const first, rest = `{"name":"first"}`, `{"name":"rest"}`
	for _, test := range []struct {
		left *PipePatch
		sent []string // bodies
	}{
		{nil, []string{first}},
		{&PipePatch{Body: json.RawMessage(rest)}, []string{first, rest, rest}},
	} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.InjectEach(resttest.Reset, resttest.Reset)
			patch := PipePatch{Body: json.RawMessage(first), AsOf: time.Now(), Ask: func(context.Context, bool) (*PipePatch, error) {
				return test.left, nil
			}}
			err := c.UpdatePipe(t.Context(), testOrganization, testService, testPipe, patch, new(object).read)
			var sent []string
			for _, r := range f.Requests() {
				sent = append(sent, r.Body)
			}
			if !slices.Equal(sent, test.sent) || err != nil {
				t.Errorf("sent %q, want %q: %v", sent, test.sent, err)
			}
		})
	}
}
