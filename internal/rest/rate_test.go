package rest

import (
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// A limit of 20 requests a second is used and seldom exceeded, whatever a 429 says about it
// and however the platform counts. The bounds are a little below what was measured: where it
// counts exactly, a wait of hundredths of a second is a whole one in Retry-After.
func TestRateFollowsALimit(t *testing.T) {
	t.Parallel()
	const perSecond, reads = 20, 300
	for name, test := range map[string]struct {
		limit          mockplatform.RateLimit
		used, rejected float64 // at least and at most, in percent
	}{
		"bucket of a second": {mockplatform.RateLimit{Burst: perSecond}, 87, 8},
		"bucket of one":      {mockplatform.RateLimit{Burst: 1}, 40, 8},
		"fixed ten seconds":  {mockplatform.RateLimit{Window: 10 * time.Second}, 50, 10},
		"sliding second":     {mockplatform.RateLimit{Window: time.Second, Sliding: true}, 40, 10},
	} {
		for _, test.limit.RetryAfter = range []mockplatform.RetryAfterForm{mockplatform.RetryAfterNone, mockplatform.RetryAfterSeconds} {
			bubble(t, func(t *testing.T, f *fake, c *client) {
				test.limit.PerSecond = perSecond
				f.Configure(func(b *mockplatform.Behaviour) { b.Latency, b.RateLimit = 30*time.Millisecond, test.limit })
				begun := time.Now()
				crowd(reads, 10, func(int) {
					if err := readPipe(t.Context(), c); err != nil {
						t.Error(err)
					}
				})
				used := 100 * reads / perSecond / time.Since(begun).Seconds()
				rejected := 100 * float64(f.Sent("")-reads) / float64(f.Sent(""))
				if used < test.used || rejected > test.rejected {
					t.Errorf("%s, %s: %.0f %% of the limit, %.1f %% rejected", name, test.limit.RetryAfter, used, rejected)
				}
			})
		}
	}
}
