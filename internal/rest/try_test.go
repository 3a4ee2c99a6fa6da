package rest

import (
	"context"
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
			return err
		}
		r.AsOf = time.Now()
	}
}

// An attempt is one request, whatever became of the one before, with what the caller made of
// the request since.
func TestEachAttemptIsOneRequest(t *testing.T) {
	t.Parallel()
	for name, failed := range map[string]fault{
		"a 429":       respond(429, ""),
		"no response": reset,
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
func TestOutdatedRequestIsNotSent(t *testing.T) {
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

// What may have been carried out is not sent again if that does harm, and what says that it was not is.
// A creation is not sent again after a status that may come from in front of the API.
func TestUnrepeatableRequestIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first        fault
		update, keys int // how often each is sent
	}{
		"no response":                  {reset, 1, 1},
		"a redirect":                   {respond(307, "", "Location: https://elsewhere.example"), 1, 1},
		"504":                          {respond(504, `{"requestId":"r"}`), 1, 1},
		"503 of a gateway":             {respond(503, `{"message":"no"}`), 1, 1},
		"503 of the API":               {respond(503, `{"requestId":"r"}`), 2, 1},
		"503 with a time to retry at":  {respond(503, "", "Retry-After: 1"), 2, 1},
		"408":                          {respond(408, ""), 2, 1},
		"425":                          {respond(425, ""), 2, 1},
		"429":                          {respond(429, ""), 2, 2},
		"409":                          {respond(409, ""), 2, 1},
		"a success that is unreadable": {respond(200, `{"result":[]`), 1, 1},
	} {
		for method, want := range map[string]int{"update": test.update, "key": test.keys} {
			bubble(t, func(t *testing.T, f *fake, c *client) {
				f.InjectEach(test.first)
				r := c.request(method)
				r.Unrepeatable = true
				_ = c.Do(t.Context(), r)
				if got := len(f.Requests()); got != want {
					t.Errorf("%s: %s was sent %d times, want %d", name, method, got, want)
				}
			})
		}
	}
}

// An update whose object is being changed is tried again for up to a minute from the first such
// response on, and then is the error that it is. Other requests are not.
func TestBusyUpdateIsRetriedForAMinute(t *testing.T) {
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
