package platform

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

// What a call may send during an outage is tested in package rest. These tests are about
// what calls share.

// Whoever waits for a failed list gets the same error.
func TestFailedListIsTheSameToAll(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 503, 200} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.Always(slow(time.Second, respond(status, `{"error":"`+strings.Repeat("a long message ", 40)+`"}`)))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
			defer cancel()
			go func() { _ = c.ListServices(ctx, testOrganization, nil, new(object).read) }()
			synctest.Wait()
			first := ""
			for i := range 300 {
				var e *Error
				if err := c.GetService(t.Context(), testOrganization, serviceID(i), nil); !errors.As(err, &e) || first != "" && e.Detail() != first {
					t.Fatal(err)
				}
				first = e.Detail()
			}
			if !strings.HasPrefix(first, "Tried to list services of organization "+testOrganization+" at "+resttest.Host+". ") {
				t.Error(first)
			}
		}, brief)
	}
}
