package rest

import (
	"context"
	"errors"
	"slices"
	"strings"
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
			return k.Stop(ctx, err)
		}
		r.AsOf = time.Now()
	}
}

// An attempt is one request, whatever became of the one before, with what the caller made of
// the request since.
func TestTryAgain(t *testing.T) {
	t.Parallel()
	for name, failed := range map[string]fault{
		"a 429":           respond(429, ""),
		"no response":     reset,
		"an unreadable 2": respond(200, `{"result":[]`),
	} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			f.InjectEach(failed, failed)
			reads, invalidated := 0, 0
			r := c.request("update")
			r.AsOf, r.Body = time.Now(), []byte(`{"name":"first"}`)
			r.Invalidate = func() { invalidated++ }
			err := carryOut(t.Context(), c, r, func(context.Context) error {
				reads++
				if invalidated != 2*reads {
					t.Errorf("%s: a read may share one from before the attempt", name)
				}
				r.Body = []byte(`{"name":"then"}`)
				return nil
			})
			var bodies []string
			for _, sent := range f.Requests() {
				bodies = append(bodies, sent.Body)
			}
			if want := []string{`{"name":"first"}`, `{"name":"then"}`, `{"name":"then"}`}; err != nil || reads != 2 || !slices.Equal(bodies, want) {
				t.Errorf("%s: sent %q after %d reads: %v", name, bodies, reads, err)
			}
		})
	}
}

// A request that would be sent when what it rests on is old is not sent: its caller reads
// first. That is at once if it is known how long it would wait, else as soon as it is old. The
// read needs a slot like any other.
func TestTryLate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first fault // of another request, which takes the only slot
		wait  time.Duration
		reads []time.Duration // after so long
	}{
		"a short queue": {slow(maxAge-time.Second, good), maxAge - time.Second, nil},
		"a long queue":  {slow(maxAge+time.Second, good), maxAge + time.Second, []time.Duration{maxAge}},
		"a short limit": {respond(429, "", "Retry-After: 5"), 5 * time.Second, nil},
		"a long limit":  {respond(429, "", "Retry-After: 60"), time.Minute, []time.Duration{0}},
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
			if took := time.Since(begun); err != nil || !slices.Equal(reads, test.reads) || took > test.wait+time.Second || f.Sent("PATCH") != 1 {
				t.Errorf("%s: read after %s, %d requests in %s: %v", name, reads, f.Sent("PATCH"), took, err)
			}
		}, func(c *Config) { c.MaxConcurrentRequests = 1 })
	}
}

// If a read between two attempts fails, the error of the call has that of the read once.
func TestStop(t *testing.T) {
	t.Parallel()
	const forbidden = "read pipe at " + testHost + ": The API returned HTTP 403 Forbidden: no."
	for name, test := range map[string]struct {
		age    time.Duration // of what the request rests on
		before []fault
		says   string
	}{
		"sent":     {0, []fault{reset}, "Nothing more was sent: " + forbidden},
		"not sent": {maxAge, nil, "The request was not sent: " + forbidden},
	} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			f.InjectEach(append(test.before, respond(403, `{"message":"no"}`))...)
			r := c.request("update")
			r.AsOf = time.Now().Add(-test.age)
			err := carryOut(t.Context(), c, r, func(ctx context.Context) error { return do(ctx, c, "pipe") })
			if err == nil || f.Sent("PATCH") != len(test.before) || strings.Count(err.Error(), forbidden) != 1 || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s: %d requests: %v", name, f.Sent("PATCH"), err)
			}
		})
	}
}

// A read between two attempts may show what became of the first one. Then the error no longer
// says that this is not known.
func TestSettle(t *testing.T) {
	t.Parallel()
	for _, settles := range []bool{true, false} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			f.InjectEach(reset)
			r := c.request("update")
			r.AsOf = time.Now()
			ctx, k := c.Begin(t.Context(), r)
			defer k.End()
			if again, _ := k.Try(ctx); !again || !k.IsAmbiguous() {
				t.Fatal("no response leaves nothing open")
			}
			if settles {
				k.Settle()
			}
			var e *Error
			if err := k.Stop(ctx, errors.New("no")); !errors.As(err, &e) || e.Ambiguous == settles {
				t.Errorf("settled %t: %v", settles, err)
			}
		})
	}
}

// An update whose object is being changed is tried again for up to a minute from the first such
// response on, and then is the error that it is. Other requests are not.
func TestBusy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		operation string
		times     int // that the object is busy
		fails     bool
		atLeast   time.Duration
	}{
		"an update":               {"update", 3, false, 0},
		"an update, for too long": {"update", 1000, true, 35 * time.Second},
		"a read":                  {"pipe", 1, true, 0},
	} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			f.InjectEach(slices.Repeat([]fault{respond(423, `{"message":"in progress"}`)}, test.times)...)
			begun := time.Now()
			err := do(t.Context(), c, test.operation)
			took := time.Since(begun)
			if (err != nil) != test.fails || took > busyFor || took < test.atLeast {
				t.Errorf("%s: %v after %s", name, err, took)
			}
			if err != nil && (!strings.Contains(err.Error(), "HTTP 423 Locked: in progress.") || strings.Contains(err.Error(), "not known whether")) {
				t.Errorf("%s: %v", name, err)
			}
		}, func(c *Config) { c.RetryTimeout = 5 * time.Minute })
	}
}
