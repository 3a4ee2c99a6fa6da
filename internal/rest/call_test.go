package rest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

func TestGiveUpReportsAttemptsTimeAndLastResponse(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *client) {
		f.Always(respond(503, `{"message":"under repair"}`))
		err := readPipe(t.Context(), c)
		var e *Error
		if !errors.As(err, &e) || e.Attempts != f.Sent("GET") || e.Attempts < 10 || e.Elapsed > 5*time.Minute || e.Elapsed < 4*time.Minute {
			t.Fatal(f.Sent("GET"), err)
		}
		for _, want := range []string{"HTTP 503 Service Unavailable", "under repair", fmt.Sprintf("Gave up after %d attempts in ", f.Sent("GET")), ", after the end of retry_timeout (5m0s)."} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q is missing in %v", want, err)
			}
		}
	})
}

// Every wait ends at once when the caller is gone, and leaves no goroutine (the
// bubble would not end) and no request behind.
func TestInterruptEndsEveryWait(t *testing.T) {
	t.Parallel()
	tests := map[string]fault{
		"response": hang,
		"backoff":  respond(503, "", "Retry-After: 100"),
		"limit":    respond(429, "", "Retry-After: 100"),
		"body":     {Hang: true, Cut: mockplatform.CutBody, CutBytes: 14},
	}
	for kind, always := range tests {
		for name, o := range operations {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				bubble(t, func(t *testing.T, f *fake, c *client) {
					f.Always(always)
					ctx, cancel := context.WithCancel(t.Context())
					var work sync.WaitGroup
					var begun time.Time
					const callers = 20 // ten of them wait for a slot
					for range callers {
						work.Go(func() {
							err := o.call(ctx, c)
							if name == "key" && kind != "limit" || name == "mappings" && kind == "backoff" {
								return // does not wait, or runs to its end once sent: see other tests
							}
							if late := time.Since(begun); late > 0 {
								t.Errorf("ended %s after the interrupt", late)
							}
							if !errors.Is(err, context.Canceled) && !isAmbiguous(err) {
								t.Errorf("not reported as an interrupt: %v", err)
							}
						})
					}
					time.Sleep(5 * time.Second)
					begun = time.Now()
					cancel()
					work.Wait()
					c.Transport().CloseIdleConnections()
					synctest.Wait()
					if n := f.Open(); n != 0 {
						t.Errorf("%d connections left", n)
					}
				})
			})
		}
	}
}

// An interrupt is reported with what was tried, and with what a write may have left behind.
func TestInterruptIsReported(t *testing.T) {
	t.Parallel()
	const pipe = "pipe " + testPipe + " of service " + testService + inOrganization
	bubble(t, func(t *testing.T, f *fake, c *client) {
		f.Always(hang)
		for o, tried := range map[string]string{
			"pipe": "read " + pipe, "update": "update " + pipe, "asked": "update " + pipe,
		} {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			err := operations[o].call(ctx, c)
			var e *Error
			if !errors.As(err, &e) || !strings.HasPrefix(e.Detail(), "Tried to "+tried+" at "+testHost+". The operation was interrupted.") || !errors.Is(err, context.Canceled) ||
				isAmbiguous(err) != (operations[o](c).Method == http.MethodPatch) {
				t.Error(o, err)
			}
		}
		// Another cause than an interrupt is named.
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errors.New("the caller is out of time")) })
		if err := operations["pipe"].call(ctx, c); err == nil || !strings.HasSuffix(err.Error(), "The operation was stopped: the caller is out of time.") {
			t.Error(err)
		}
	})
}

// One 429 holds back the requests of all callers, those that wait for a slot included.
// The other API has a limit of its own.
func TestLimitHoldsEverybodyBack(t *testing.T) {
	t.Parallel()
	for _, slots := range []int{1, 10} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			f.InjectEach(slow(time.Second, respond(429, "", "Retry-After: 10")))
			begun := time.Now()
			var work sync.WaitGroup
			update := func() {
				if err := operations["update"].call(t.Context(), c); err != nil || time.Since(begun) < 10*time.Second {
					t.Error(err, time.Since(begun))
				}
			}
			work.Go(update)
			time.Sleep(time.Second * time.Duration(slots) / 5) // before the response with one slot, after it with ten
			work.Go(func() { crowd(19, 19, func(int) { update() }) })
			if err := operations["alert"].call(t.Context(), c); err != nil || time.Since(begun) > 5*time.Second {
				t.Error(err, time.Since(begun))
			}
			work.Wait()
			if n := f.Sent("PATCH"); n != 21 {
				t.Errorf("%d requests for 20 calls, want 21", n)
			}
		}, func(c *Config) { c.MaxConcurrentRequests = slots })
	}
}

func TestConcurrencyHolds(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *client) {
		f.Always(slow(time.Second, good))
		var work sync.WaitGroup
		for range 30 {
			work.Go(func() { _ = operations["update"].call(t.Context(), c) })
			work.Go(func() { _ = operations["scaling"].call(t.Context(), c) })
		}
		work.Wait()
		if f.PeakInFlight() != 4 {
			t.Errorf("%d requests at a time, want 4", f.PeakInFlight())
		}
	}, func(c *Config) { c.MaxConcurrentRequests = 4 })
}

// A call that never got a slot says what it waited for.
func TestWaitForATurnIsNamed(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *client) {
		f.Always(hang)
		var work sync.WaitGroup
		work.Go(func() { _ = operations["key"].call(t.Context(), c) })
		time.Sleep(time.Second)
		if err := operations["alert"].call(t.Context(), c); err == nil || !strings.Contains(err.Error(), "The request was not sent: it was still waiting for its turn when retry_timeout (12s) ended; increase retry_timeout") {
			t.Error(err)
		}
		work.Wait()
	}, func(c *Config) {
		c.RetryTimeout, c.MaxConcurrentRequests = 12*time.Second, 1
	})
}

// A failure after an attempt that may have been carried out stays ambiguous,
// whatever it is.
func TestAmbiguityIsNotForgotten(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *client) {
		f.InjectEach(reset, respond(410, ""))
		if err := operations["update"].call(t.Context(), c); !isAmbiguous(err) {
			t.Error(err)
		}
	})
}

// The creation of a key that was sent has all of request_timeout, whoever has left and
// whatever is left of retry_timeout.
func TestKeyOnceSentRunsToItsEnd(t *testing.T) {
	t.Parallel()
	for _, retryTimeout := range []time.Duration{time.Minute, time.Second} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			f.Always(slow(20*time.Second, good))
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(2*time.Second, cancel)
			if err := operations["key"].call(ctx, c); err != nil || len(f.Keys()) != 1 {
				t.Error(len(f.Keys()), err)
			}
		}, func(c *Config) { c.RetryTimeout = retryTimeout })
	}
}

// blackHole is an address that accepts no connection and refuses none.
func blackHole(ctx context.Context, _, _ string) (net.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestKeyNotYetSentEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *client) {
		c.Transport().DialContext = blackHole
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		begun := time.Now()
		if err := operations["key"].call(ctx, c); !errors.Is(err, context.Canceled) || isAmbiguous(err) || time.Since(begun) > time.Second {
			t.Error(err, time.Since(begun))
		}
	})
}

func TestOneLogLinePerAttempt(t *testing.T) {
	t.Parallel()
	var lines []map[string]any
	bubble(t, func(t *testing.T, f *fake, c *client) {
		f.InjectEach(respond(503, "", "Retry-After: 3", "X-Request-Id: first"), reset, fault{Edit: func(body mockplatform.Document) {
			body["requestId"] = "3c5cbd4d-0000-4000-8000-000000000000"
		}})
		if err := operations["update"].call(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		want := []map[string]any{
			{"operation": "update pipe", "host": testHost, "method": "PATCH", "attempt": 1, "status": 503, "request_id": "first", "duration_ms": int64(0), "queued_ms": int64(0), "wait_ms": int64(3000), "leaves": nil,
				"path": "/v1/organizations/" + mockplatform.OrganizationID + "/services/" + testService + "/pipes/" + testPipe},
			{"attempt": 2, "error": "EOF"},
			{"attempt": 3, "status": 200, "request_id": "3c5cbd4d-0000-4000-8000-000000000000", "wait_ms": nil, "error": nil},
		}
		if len(lines) != len(want) {
			t.Fatal(lines)
		}
		for i, fields := range want {
			for name, value := range fields {
				if lines[i][name] != value {
					t.Errorf("line %d: %s is %v, want %v", i, name, lines[i][name], value)
				}
			}
		}
	}, func(c *Config) {
		c.Log = func(_ context.Context, _ string, fields ...map[string]any) { lines = append(lines, fields[0]) }
	})
}
