package rest

import (
	"context"
	"slices"
	"testing"
	"time"
)

// carryOut sends a request that rests on a read, and reads again before each further attempt.
func carryOut(ctx context.Context, c *client, r *Request, read func(context.Context) error) error {
	ctx, k := c.Begin(ctx, r)
	defer k.End()
	for {
		again, err := k.Try(ctx)
		if !again {
			return err
		}
		if err := read(ctx); err != nil {
			return err
		}
		r.AsOf = time.Now()
	}
}

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
			err := carryOut(t.Context(), c, r, func(ctx context.Context) error {
				reads = append(reads, time.Since(begun))
				return do(ctx, c, "pipe")
			})
			longest := test.wait + time.Duration(len(test.reads))*spread
			if took := time.Since(begun); err != nil || !slices.Equal(reads, test.reads) || took > longest || f.Sent("PATCH") != 1 {
				t.Errorf("%s: read after %s, %d requests in %s: %v", name, reads, f.Sent("PATCH"), took, err)
			}
		}, func(c *Config) { c.MaxConcurrentRequests = 1 })
	}
}
