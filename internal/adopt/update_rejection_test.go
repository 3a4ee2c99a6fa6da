package adopt

import (
	"fmt"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
)

// TestRejections has the statuses after which the error of a half-done update tells the user to
// correct something: those that say that the request itself is wrong, and not that it came too
// early, too often or too slowly, which are retried.
func TestRejections(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]bool{0: false, 200: false, 302: false, 400: true, 404: true, 408: false, 409: true, 422: true, 425: false, 429: false, 500: false, 503: false} {
		if got := isRejection(fmt.Errorf("update: %w", &platform.Error{Status: status})); got != want {
			t.Errorf("HTTP %d: %t, want %t", status, got, want)
		}
	}
	if isRejection(fmt.Errorf("another error")) {
		t.Error("an error without a status is a rejection")
	}
}
