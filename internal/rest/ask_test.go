package rest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
)

// A question is asked once after each attempt, whatever became of it, and its answer
// decides: the request is done, or sent with what the question made of it.
func TestAskBeforeSendingAgain(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		failed          fault
		needed, changes bool // into a request without a question
		requests, asked int
	}{
		"not needed after a 429":      {failed: respond(429, ""), requests: 1, asked: 1},
		"needed after no response":    {failed: reset, needed: true, requests: 3, asked: 2},
		"not needed, is not readable": {failed: respond(200, `{"result":[]`), requests: 1, asked: 1},
		"another one after a 429":     {failed: respond(429, ""), needed: true, changes: true, requests: 3, asked: 1},
	} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			f.InjectEach(test.failed, test.failed)
			asked, invalidated := 0, 0
			r := askedRequest(c)
			r.Invalidate = func() { invalidated++ }
			r.Ask = func(context.Context, bool) (bool, error) {
				asked++
				if invalidated != asked+1 {
					t.Errorf("%s: a read may share one from before the request", name)
				}
				if r.AsOf = time.Now(); test.changes {
					r.Body, r.Ask = []byte(`{"name":"n"}`), nil
				}
				return test.needed, nil
			}
			err := c.Do(t.Context(), r)
			if err != nil || f.Sent("PATCH") != test.requests || asked != test.asked || invalidated != asked+2 {
				t.Errorf("%s: %d requests, asked %d times: %v", name, f.Sent("PATCH"), asked, err)
			}
		})
	}
}

// A request that would be sent when what it rests on is old asks before it is sent at all:
// at once if it is known how long it would wait, else as soon as it is old. The question
// needs a slot like any other.
func TestAskBeforeSendingLate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first fault // of another request, which takes the only slot
		wait  time.Duration
		asked []time.Duration // after so long
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
			var asked []time.Duration
			r := askedRequest(c)
			ask := r.Ask
			r.Ask = func(ctx context.Context, perhaps bool) (bool, error) {
				asked = append(asked, time.Since(begun))
				return ask(ctx, perhaps)
			}
			err := c.Do(t.Context(), r)
			if took := time.Since(begun); err != nil || !slices.Equal(asked, test.asked) || took > test.wait+time.Second || f.Sent("PATCH") != 1 {
				t.Errorf("%s: asked after %s, %d requests in %s: %v", name, asked, f.Sent("PATCH"), took, err)
			}
		}, func(c *Config) { c.MaxConcurrentRequests = 1 })
	}
}

// If the question fails, nothing more is sent and the error says so once.
func TestQuestionFails(t *testing.T) {
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
			r := askedRequest(c)
			r.AsOf = time.Now().Add(-test.age)
			err := c.Do(t.Context(), r)
			if err == nil || f.Sent("PATCH") != len(test.before) || strings.Count(err.Error(), forbidden) != 1 || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s: %d requests: %v", name, f.Sent("PATCH"), err)
			}
		})
	}
}

// A question knows whether the request may have been carried out. Afterwards, that is not
// known only if the read in the question leaves it open.
func TestAskLeavesOpen(t *testing.T) {
	t.Parallel()
	for _, unsettled := range []bool{false, true} {
		k := &call{Request: &Request{Unsettled: unsettled}, failures: []*Error{{Ambiguous: true}, {}}}
		k.Ask = func(_ context.Context, perhaps bool) (bool, error) { return perhaps, nil }
		if needed, err := k.ask(t.Context()); !needed || err != nil || k.isAmbiguous() != unsettled {
			t.Errorf("needed: %t, %v, unsettled %t", needed, err, unsettled)
		}
	}
}
