package rest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// A question is asked once after each attempt, whatever became of it, and its answer
// decides: the request is done, or sent with what the question made of it.
func TestAskBeforeSendingAgain(t *testing.T) {
	t.Parallel()
	for name, failed := range map[string]fault{
		"429": respond(429, ""), "503": respond(503, ""), "no response": reset, "unreadable": respond(200, `{"result":[]`),
	} {
		for answer, want := range map[string]struct {
			needed             bool
			requests, attempts int
		}{
			"not needed": {false, 1, 1}, "another body": {true, 3, 1}, "the same": {true, 3, 2},
		} {
			bubble(t, func(t *testing.T, f *fake, c *client) {
				contact(t, f, c)
				f.InjectEach(failed, failed)
				asked, invalidated := 0, 0
				r := askedRequest(c, testPipe)
				r.Invalidate = func() { invalidated++ }
				r.Ask = func(context.Context) (bool, error) {
					asked++
					if invalidated != asked+1 {
						t.Errorf("%s: a read may share one from before the request", name)
					}
					if r.AsOf = time.Now(); answer == "another body" {
						r.Body, r.Ask = []byte(`{"name":"n"}`), nil
					}
					return want.needed, nil
				}
				err := c.Do(t.Context(), r)
				if err != nil || f.Sent("PATCH") != want.requests || asked != want.attempts {
					t.Errorf("%s, %s: %d requests, asked %d times: %v", name, answer, f.Sent("PATCH"), asked, err)
				}
			})
		}
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
		asks  int
	}{
		"a short queue": {slow(maxAge-2*time.Second, good), maxAge - time.Second, 0},
		"a long queue":  {slow(maxAge+time.Second, good), maxAge + time.Second, 1},
		"a short limit": {respond(429, "", "Retry-After: 5"), 5 * time.Second, 0},
		"a long limit":  {respond(429, "", "Retry-After: 60"), time.Minute, 1},
	} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			f.InjectEach(test.first)
			var work sync.WaitGroup
			work.Go(func() { _ = readPipe(t.Context(), c) })
			time.Sleep(time.Second)
			r, begun, asks := askedRequest(c, testPipe), time.Now(), 0
			ask := r.Ask
			r.Ask = func(ctx context.Context) (bool, error) {
				asks++
				return ask(ctx)
			}
			err := c.Do(t.Context(), r)
			if took := time.Since(begun); err != nil || asks != test.asks || took > test.wait || f.Sent("PATCH") != 1 {
				t.Errorf("%s: asked %d times, %d requests in %s: %v", name, asks, f.Sent("PATCH"), took, err)
			}
			work.Wait()
		}, func(c *Config) { c.MaxConcurrentRequests = 1 })
	}
}

// If the question fails, nothing more is sent and the error says so once. What a read has
// just shown is not called unknown.
func TestQuestionFails(t *testing.T) {
	t.Parallel()
	changed := errors.New("the mapping has changed")
	const unknown = "It is not known whether the change was applied."
	for name, test := range map[string]struct {
		asOf    time.Duration // ago
		faults  []fault
		stop    error
		patches int
		says    []string
		never   string
	}{
		"stopped":               {0, []fault{reset}, changed, 1, []string{"Nothing more was sent: the mapping has changed."}, unknown},
		"stopped after a 429":   {0, []fault{respond(429, "")}, changed, 1, []string{"Nothing more was sent: the mapping has changed."}, "Increase"},
		"stopped at the start":  {maxAge, nil, changed, 0, []string{"The request was not sent: the mapping has changed."}, "more"},
		"its read fails":        {0, []fault{reset, respond(403, `{"message":"no"}`)}, nil, 1, []string{"Nothing more was sent: read pipe at " + testHost + ": The API returned HTTP 403 Forbidden: no.", unknown}, "interrupted"},
		"its read fails, early": {maxAge, []fault{respond(403, `{"message":"no"}`)}, nil, 0, []string{"The request was not sent: read pipe at " + testHost + ": The API returned HTTP 403 Forbidden: no."}, "more"},
	} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			contact(t, f, c)
			f.InjectEach(test.faults...)
			r := askedRequest(c, testPipe)
			r.AsOf = time.Now().Add(-test.asOf)
			if test.stop != nil {
				r.Ask = func(context.Context) (bool, error) { return true, test.stop }
			}
			err := c.Do(t.Context(), r)
			if err == nil || f.Sent("PATCH") != test.patches || strings.Contains(err.Error(), test.never) || test.stop != nil && !errors.Is(err, test.stop) {
				t.Fatalf("%s: %d requests: %v", name, f.Sent("PATCH"), err)
			}
			for _, text := range test.says {
				if strings.Count(err.Error(), text) != 1 {
					t.Errorf("%s: %q is not once in %v", name, text, err)
				}
			}
		})
	}
}

// With one request a second for 25 pipes, each request whose question was answered goes
// next: otherwise it would be old again whenever its turn came.
func TestQuestionsUnderASlowLimit(t *testing.T) {
	t.Parallel()
	const pipes = 25
	for burst, form := range map[int]mockplatform.RetryAfterForm{1: mockplatform.RetryAfterSeconds, 10: mockplatform.RetryAfterNone} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			f.Configure(func(b *mockplatform.Behaviour) {
				b.Latency = 30 * time.Millisecond
				b.RateLimit = mockplatform.RateLimit{PerSecond: 1, Burst: burst, RetryAfter: form}
			})
			begun := time.Now()
			crowd(pipes, pipes, func(i int) {
				if err := readPipe(t.Context(), c); err != nil {
					t.Error(i, err)
				}
				asOf := time.Now()
				for range 2 {
					r := askedRequest(c, testPipe)
					r.AsOf = asOf
					if err := c.Do(t.Context(), r); err != nil {
						t.Error(i, err)
					}
					asOf = time.Now()
				}
			})
			if n := f.Sent("GET"); n > 3*pipes { // one, and a question before each change
				t.Errorf("%d reads", n)
			}
			t.Logf("%s, %d reads, %d writes", time.Since(begun), f.Sent("GET"), f.Sent("PATCH"))
		}, func(c *Config) { c.RetryTimeout = 150 * time.Second })
	}
}
