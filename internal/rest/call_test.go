package rest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

// Every wait ends at once when the caller is gone, and leaves no goroutine (the bubble would
// not end) and no request behind. What was sent may have been carried out.
func TestInterruptEndsEveryWait(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		operation string
		always    fault
		isSilent  bool // the address neither accepts nor refuses
		mayBeDone bool
	}{
		"for a connection": {operation: "key", isSilent: true},
		"for a response":   {operation: "update", always: hang, mayBeDone: true},
		"for a body":       {operation: "pipe", always: fault{Hang: true, Cut: mockplatform.CutBody, CutBytes: 14}},
		"for a retry":      {operation: "update", always: respond(503, "", "Retry-After: 100"), mayBeDone: true},
		"for a limit":      {operation: "key", always: respond(429, "", "Retry-After: 100"), mayBeDone: true},
	} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			f.Always(test.always)
			if test.isSilent {
				c.Transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(5*time.Second, cancel)
			begun := time.Now()
			crowd(20, 20, func(i int) { // ten of them wait for a slot
				e := failure(t, do(ctx, c, test.operation))
				if time.Since(begun) > 5*time.Second || !errors.Is(e, context.Canceled) || e.Kind != Interrupted || e.Ambiguous && !test.mayBeDone {
					t.Errorf("%s: after %s: %v", name, time.Since(begun), e)
				}
			})
			c.Transport.CloseIdleConnections()
			synctest.Wait()
			if f.Open() != 0 {
				t.Errorf("%s: %d connections left", name, f.Open())
			}
		})
	}
}

// The creation of a key that was sent has all of request_timeout, whoever has left and
// whatever is left of retry_timeout. A call that meanwhile never got a slot says what it waited
// for, and one that retry_timeout cuts short says that.
func TestKeyOnceSentRunsToItsEnd(t *testing.T) {
	t.Parallel()
	fails := func(t *testing.T, c *client, operation, says string) {
		if e := failure(t, do(t.Context(), c, operation)); !strings.Contains(e.Error(), says) {
			t.Error(e)
		}
	}
	bubble(t, func(t *testing.T, f *fake, c *client) {
		f.Always(slow(20*time.Second, good))
		go func() {
			time.Sleep(time.Second)
			fails(t, c, "pipe", "The request was not sent: retry_timeout leaves no time for the next attempt. Increase retry_timeout, ")
		}()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if err := do(ctx, c, "key"); err != nil || len(f.Keys()) != 1 {
			t.Error(len(f.Keys()), err)
		}
		fails(t, c, "alert", "no complete response arrived: no response within the rest of retry_timeout.")
	}, func(c *Config) { c.RetryTimeout, c.MaxConcurrentRequests = 12*time.Second, 1 })
}

// A write that was sent runs to its end when nobody waits for its response any more, and a read does not.
func TestAbandonedWriteRunsToItsEnd(t *testing.T) {
	t.Parallel()
	for operation, lasts := range map[string]time.Duration{"update": 20 * time.Second, "key": 20 * time.Second, "pipe": time.Second} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			f.Always(slow(20*time.Second, good))
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(ErrAbandoned) })
			begun := time.Now()
			if err := do(ctx, c, operation); time.Since(begun) != lasts || (err == nil) != (lasts > time.Second) {
				t.Errorf("%s: after %s: %v", operation, time.Since(begun), err)
			}
		})
	}
}

// A line before each attempt says what is sent where, and one after it what became of it.
func TestTwoLogLinesPerAttempt(t *testing.T) {
	t.Parallel()
	path := fmt.Sprintf("/v1/organizations/%s/services/%s/pipes/%s", mockplatform.OrganizationID, mockplatform.ServiceID, testPipe)
	begins := " host:" + testHost + " leaves:[name] method:PATCH operation:update pipe path:" + path + " queued_ms:0]"
	ends := " host:" + testHost + " operation:update pipe"
	want := []string{
		"sending map[attempt:1" + begins,
		"ended map[attempt:1 duration_ms:2000 error:HTTP 503 Service Unavailable (request ID first): no" + ends + " request_id:first status:503 wait_ms:3000]",
		"sending map[attempt:2" + begins,
		"ended map[attempt:2 duration_ms:0 error:EOF" + ends + " wait_ms:1000]",
		"sending map[attempt:3" + begins,
		"ended map[attempt:3 duration_ms:0" + ends + " request_id:" + testUUID + " status:200 wait_ms:0]",
	}
	var lines []string
	bubble(t, func(t *testing.T, f *fake, c *client) {
		f.InjectEach(
			slow(2*time.Second, respond(503, `{"message":"no"}`, "Retry-After: 3", "X-Request-Id: first")),
			reset,
			respond(200, `{"requestId":"`+testUUID+`"}`, "X-Request-Id: of-a-header"),
		)
		r := c.request("update")
		r.Leaves = []string{"name"}
		if err := c.Do(t.Context(), r); err != nil || !slices.Equal(lines, want) {
			t.Errorf("%v\n%s", err, strings.Join(lines, "\n"))
		}
	}, func(c *Config) {
		c.Random = func() float64 { return 1 }
		c.Log = func(_ context.Context, message string, fields ...map[string]any) {
			lines = append(lines, strings.TrimPrefix(message, "Data Platform request: ")+" "+fmt.Sprint(fields[0]))
		}
	})
}

// What a request may have left behind is said of changes whose outcome no read has shown, and
// not of creations. It stays unknown after a later failure of another kind. The error says how
// often the request was sent, and why not again.
func TestErrorSaysWhatMayBeLeftBehind(t *testing.T) {
	t.Parallel()
	const unknown = "It is not known whether the change was applied. The next plan shows what is still missing. "
	lost, rejected := Error{Kind: NoResponse, Ambiguous: true}, Error{Kind: Final, Status: 410}
	half := Error{Kind: Unreadable, Status: 200, Ambiguous: true}
	login := Error{Kind: Unreadable, Status: 200, Ambiguous: true, Foreign: htmlPage}
	tooLate := &refusal{reason: "it is late"}
	for name, test := range map[string]struct {
		method  string
		failed  []Error
		because *refusal
		says    string
	}{
		"a change without a response": {"PATCH", []Error{lost}, tooLate, unknown + "Gave up after 1 attempt in 0s: it is late. " + runAgain},
		"a change that failed later":  {"PATCH", []Error{lost, rejected}, nil, unknown + "Gave up after 2 attempts in 0s."},
		"an unreadable response":      {"PATCH", []Error{half}, nil, unknown + support},
		"a change at a login page":    {"PATCH", []Error{login}, nil, unknown + askGateway},
		"a change that was rejected":  {"PATCH", []Error{rejected}, nil, "HTTP 410 Gone with an empty body."},
		"a change that is refused":    {"PATCH", []Error{rejected}, &refusal{"it is down", "Check it."}, "attempt in 0s: it is down. Check it."},
		"a creation":                  {"POST", []Error{lost}, nil, "arrived:  " + runAgain},
		"a removal":                   {"DELETE", []Error{lost}, nil, "arrived: "},
	} {
		r := &Request{Method: test.method, NonIdempotent: test.method != "PATCH", API: &API{}}
		k := &Call{Request: r, attempts: len(test.failed), started: time.Now().Add(time.Millisecond / 3)}
		for _, e := range test.failed {
			k.failures = append(k.failures, &e)
		}
		last := *k.failures[len(k.failures)-1]
		if text := k.complete(&last, test.because).Error(); !strings.HasSuffix(text, test.says) && !strings.Contains(text, test.says+"the") {
			t.Errorf("%s: %s", name, text)
		}
		if last.Ambiguous != test.failed[0].Ambiguous {
			t.Errorf("%s: ambiguous: %t", name, last.Ambiguous)
		}
	}
}

// Requests are as many at a time as configured, to all APIs together. So are connections, which
// serve the next requests.
func TestConcurrencyHolds(t *testing.T) {
	t.Parallel()
	const most = 6
	bubble(t, func(t *testing.T, f *fake, c *client) {
		opened := atomic.Int32{}
		c.Transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			time.Sleep(time.Duration(opened.Add(1)) * time.Second) // so that some get an idle connection before their own
			return f.Dial(ctx, network, address)
		}
		f.Always(slow(time.Second/2, good))
		crowd(120, 40, func(i int) {
			if err := do(t.Context(), c, []string{"update", "alert"}[i%2]); err != nil {
				t.Error(err)
			}
		})
		if opened.Load() != most || f.PeakInFlight() != most {
			t.Errorf("%d requests at a time on %d connections, want %d", f.PeakInFlight(), opened.Load(), most)
		}
	}, func(c *Config) { c.MaxConcurrentRequests = most })
}

// All objects of an API together pay for its outage once. The other API is not held back.
func TestOutageIsPaidForOnce(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *client) {
		_ = do(t.Context(), c, "pipe") // since there was a response, they wait for retry_timeout
		f.Always(fault{Path: "pipes", Hang: true})
		begun := time.Now()
		crowd(20, 10, func(int) { failure(t, do(t.Context(), c, "pipe")) })
		if took := time.Since(begun); took > resttest.RetryTimeout+resttest.RequestTimeout {
			t.Errorf("all failed only after %s", took)
		}
		if err := do(t.Context(), c, "alert"); err != nil {
			t.Error(err)
		}
	})
}
