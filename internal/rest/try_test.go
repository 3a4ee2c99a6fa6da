package rest

import (
	"slices"
	"testing"
	"time"
)

// A request that would be sent when what it rests on is old is not sent: its caller reads first, which
// needs a slot like any other.
func TestOutdatedRequestIsNotSent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first fault // of another request, which takes the only slot
		wait  time.Duration
		reads []time.Duration // after so long
	}{
		"a short queue": {slow(MaxAge-time.Second, good), MaxAge - time.Second, nil},
		"a long queue":  {slow(MaxAge+time.Second, good), MaxAge + time.Second, []time.Duration{MaxAge}},
		"a short limit": {respond(429, "", "Retry-After: 5"), 5 * time.Second, nil},
		"a long limit":  {respond(429, "", "Retry-After: 60"), time.Minute, []time.Duration{MaxAge}},
	} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			f.InjectEach(test.first)
			go func() { _ = do(t.Context(), c, "pipe") }()
			time.Sleep(time.Millisecond)
			begun := time.Now()
			var reads []time.Duration
			r := c.request("update")
			r.AsOf = begun
			ctx, k := c.Begin(t.Context(), r)
			defer k.End()
			again, err := k.Try(ctx)
			for ; again; again, err = k.Try(ctx) { // a call reads before it tries again
				reads = append(reads, time.Since(begun))
				if err := do(ctx, c, "pipe"); err != nil {
					t.Error(err)
				}
				r.AsOf = time.Now()
			}
			longest := test.wait + time.Duration(len(test.reads))*spread
			if took := time.Since(begun); err != nil || !slices.Equal(reads, test.reads) || took > longest || f.Sent("PATCH") != 1 {
				t.Errorf("%s: read after %s, %d requests in %s: %v", name, reads, f.Sent("PATCH"), took, err)
			}
		}, func(c *Config) { c.MaxConcurrentRequests = 1 })
	}
}
