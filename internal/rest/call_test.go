package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// A wait that would exceed retry_timeout is not begun, neither by the call that was
// asked to wait nor by the next one, and the error says how long it would be.
func TestWaitBeyondTheBudgetIsNotBegun(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"301":         "5m1s",
		"700000":      "8 days",
		"99999999999": "365 days",
	} {
		for _, status := range []int{429, 503} {
			bubble(t, func(t *testing.T, f *fake, c *client) {
				f.inject(respond(status, "", "Retry-After: "+value))
				begun := time.Now()
				err := readPipe(t.Context(), c)
				if err == nil || !strings.Contains(err.Error(), "Gave up after 1 attempt in 0s: the API requested a wait of "+want+" (Retry-After), which ends after retry_timeout (5m0s).") {
					t.Errorf("%d: %v", status, err)
				}
				err = readPipe(t.Context(), c)
				if held := status == 429; held != (err != nil) || held && !strings.Contains(err.Error(), "The request was not sent: the API is rate limiting requests (HTTP 429, Retry-After), and the request would start in ") {
					t.Errorf("%d: %v", status, err)
				}
				if time.Since(begun) > 0 {
					t.Errorf("%d: waited %s", status, time.Since(begun))
				}
			})
		}
	}
}

func TestGiveUpReportsAttemptsTimeAndLastResponse(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *client) {
		f.always(respond(503, `{"message":"under repair"}`))
		err := readPipe(t.Context(), c)
		var e *Error
		if !errors.As(err, &e) || e.Attempts != f.count("GET") || e.Attempts < 10 || e.Elapsed > 5*time.Minute || e.Elapsed < 4*time.Minute {
			t.Fatal(f.count("GET"), err)
		}
		for _, want := range []string{"HTTP 503 Service Unavailable", "under repair", fmt.Sprintf("Gave up after %d attempts in ", f.count("GET"))} {
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
					f.always(always)
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
	const pipe = "pipe " + testPipe + " of service " + testService + " in organization " + testOrganization
	bubble(t, func(t *testing.T, f *fake, c *client) {
		f.always(hang)
		for o, tried := range map[string]string{
			"pipe": "read " + pipe, "update": "update " + pipe, "reconcile": "update " + pipe,
		} {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			err := operations[o].call(ctx, c)
			var e *Error
			if !errors.As(err, &e) || !strings.HasPrefix(e.Detail(), "Tried to "+tried+" at http://127.0.0.1. The operation was interrupted.") || !errors.Is(err, context.Canceled) ||
				isAmbiguous(err) != (operations[o].method == http.MethodPatch) {
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
	for slots, others := range map[int]time.Duration{1: time.Second / 2, 10: 2 * time.Second} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			f.inject(slow(time.Second, respond(429, "", "Retry-After: 10")))
			begun := time.Now()
			var work sync.WaitGroup
			for i := range 20 {
				work.Go(func() {
					if i > 0 {
						time.Sleep(others)
					}
					if err := operations["update"].call(t.Context(), c); err != nil || time.Since(begun) < 10*time.Second {
						t.Error(err, time.Since(begun))
					}
				})
			}
			time.Sleep(5 * time.Second)
			if err := operations["alert"].call(t.Context(), c); err != nil || time.Since(begun) > 5*time.Second {
				t.Error(err, time.Since(begun))
			}
			work.Wait()
			if n := f.count("PATCH"); n != 21 {
				t.Errorf("%d requests for 20 calls, want 21", n)
			}
		}, func(c *Config) { c.MaxConcurrentRequests = slots })
	}
}

func TestConcurrencyHolds(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *client) {
		f.always(slow(time.Second, good))
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
		f.always(hang)
		var work sync.WaitGroup
		work.Go(func() { _ = operations["key"].call(t.Context(), c) })
		time.Sleep(time.Second)
		if err := operations["alert"].call(t.Context(), c); err == nil || !strings.Contains(err.Error(), "The request was not sent: it was still waiting for its turn when retry_timeout (8s) ended; increase retry_timeout") {
			t.Error(err)
		}
		work.Wait()
	}, func(c *Config) { c.RetryTimeout, c.MaxConcurrentRequests = 8*time.Second, 1 })
}

// What may have been carried out and must not be twice is reconciled first: nothing may be
// left of it, or a body that is retried by its own rule.
func TestReconcileAfterAnAmbiguousFault(t *testing.T) {
	t.Parallel()
	const more = `{"name":"n"}`
	for name, test := range map[string]struct {
		faults   []fault
		more     string
		err      error
		requests int
		want     string
	}{
		"nothing left":   {[]fault{reset}, "", nil, 1, ""},
		"something left": {[]fault{reset, reset, reset}, more, nil, 4, ""},
		"not ambiguous":  {[]fault{respond(429, "")}, more, nil, 2, ""},
		"failing": {[]fault{reset}, "", errors.New("it is gone"), 1,
			"Nothing more was sent: it is gone.\n\nIt is not known whether the change was applied. The next apply sends only what is still missing."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, f *fake, c *client) {
				f.contact(t, c)
				f.inject(test.faults...)
				invalidated, reconciled := 0, 0
				r := operations["mappings"].request(c)
				r.Invalidate = func() { invalidated++ }
				r.Reconcile = func(context.Context) (bool, error) {
					reconciled++
					if reconciled > 1 || invalidated != 2 {
						t.Errorf("reconciled %d times, invalidated %d times", reconciled, invalidated)
					}
					r.Body, r.NonIdempotent = []byte(test.more), false
					return test.more != "", test.err
				}
				err := c.Do(t.Context(), r)
				if f.count("PATCH") != test.requests || (reconciled == 1) == (name == "not ambiguous") {
					t.Errorf("%d requests, reconciled %d times", f.count("PATCH"), reconciled)
				}
				e := new(Error)
				if test.want == "" && err != nil || test.want != "" && (!errors.As(err, &e) || !strings.HasSuffix(e.Detail(), test.want)) {
					t.Error(err)
				}
			})
		})
	}
}

func TestReconcileSharesTheBudget(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *client) {
		f.Inject(fault{Method: http.MethodGet, Status: 503, Body: mockplatform.BodyEmpty, Times: mockplatform.Always})
		f.Inject(fault{Method: http.MethodPatch, Delay: 29 * time.Second, Reset: true, Times: mockplatform.Always})
		begun := time.Now()
		err := operations["reconcile"].call(t.Context(), c)
		if took := time.Since(begun); took > 5*time.Minute || !isAmbiguous(err) {
			t.Error(took, err)
		}
	})
}

// A failure after an attempt that may have been carried out stays ambiguous,
// whatever it is.
func TestAmbiguityIsNotForgotten(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *client) {
		f.inject(reset, respond(410, ""))
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
			f.always(slow(20*time.Second, good))
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(2*time.Second, cancel)
			if err := operations["key"].call(ctx, c); err != nil || len(f.Keys()) != 1 {
				t.Error(len(f.Keys()), err)
			}
		}, func(c *Config) { c.RetryTimeout = retryTimeout })
	}
}

func TestKeyNotYetSentEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *client) {
		c.Transport().DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
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
		f.inject(respond(503, "", "Retry-After: 3", "X-Request-Id: first"), reset, fault{Edit: func(body mockplatform.Document) {
			body["requestId"] = "3c5cbd4d-0000-4000-8000-000000000000"
		}})
		if err := operations["update"].call(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		want := []map[string]any{
			{"operation": "update pipe", "method": "PATCH", "attempt": 1, "status": 503, "request_id": "first", "wait_ms": int64(3000), "wait_reason": "HTTP 503, Retry-After 3s",
				"path": "/v1/organizations/" + testOrganization + "/services/" + testService + "/pipes/" + testPipe},
			{"attempt": 2, "wait_reason": "no response", "error": "EOF"},
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

// A long wait is logged with its reason and the last failure, after 10 s and then every
// minute.
func TestLongWaitsAreLogged(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault fault
		lines int
		want  string
	}{
		"backoff":  {respond(503, "", "Retry-After: 100"), 2, "to retry; the last failure was: HTTP 503, Retry-After 1m40s"},
		"limit":    {respond(429, "", "Retry-After: 100"), 2, "for its turn: the API is rate limiting requests (HTTP 429, Retry-After); the last failure was: HTTP 429, Retry-After 1m40s"},
		"response": {slow(20*time.Second, good), 1, "for the response to attempt 1"},
		"nothing":  {slow(9*time.Second, good), 0, ""},
		"just":     {slow(10*time.Second+time.Millisecond, good), 1, "for the response to attempt 1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var lines []string
			bubble(t, func(t *testing.T, f *fake, c *client) {
				f.inject(test.fault)
				if err := readPipe(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if len(lines) != test.lines || test.lines > 0 && !strings.HasSuffix(lines[0], " is waiting "+test.want) {
					t.Errorf("%q", lines)
				}
			}, func(c *Config) {
				c.Warn = func(_ context.Context, line string, _ ...map[string]any) { lines = append(lines, line) }
			})
		})
	}
}

// Every error of a request and every line of an attempt names the host, and nothing else
// of the base URL.
func TestHostIsNamed(t *testing.T) {
	t.Parallel()
	for name, o := range operations {
		for _, fault := range []fault{respond(400, ""), respond(401, ""), respond(200, page), reset, hang, respond(429, "", "Retry-After: 400")} {
			bubble(t, func(t *testing.T, f *fake, c *client) {
				f.always(fault)
				for range 2 { // in full, and in short
					err := o.call(t.Context(), c)
					var e *Error
					if !errors.As(err, &e) || !strings.Contains(e.Detail(), "http://127.0.0.1") || strings.Contains(e.Detail(), "prefix") {
						t.Errorf("%s: %v", name, err)
					}
				}
			}, func(c *Config) {
				c.RetryTimeout = 40 * time.Second
				c.Log = func(_ context.Context, _ string, fields ...map[string]any) {
					if line := fmt.Sprint(fields); !strings.Contains(line, "host:http://127.0.0.1 ") || strings.Contains(line, "prefix") {
						t.Error(line)
					}
				}
			})
		}
	}
}

// drip is a handler whose response never ends: it sends a piece of the body at
// each interval.
func drip(begin, piece string, every time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or the server does not see that the client has left
		_, _ = w.Write([]byte(begin))
		for {
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(every):
			case <-r.Context().Done():
				return
			}
			if _, err := w.Write([]byte(piece)); err != nil {
				return
			}
		}
	})
}

// A response that arrives slowly and without end costs the time of one attempt.
func TestEndlessSlowResponseIsNotRetried(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ begin, piece string }{
		"in its JSON":     {`{"status":200,"result":[{"id":"`, "x"},
		"before its JSON": {"", " "},
		"after its JSON":  {`{"status":200,"result":[]}`, " "},
	} {
		for _, o := range []string{"pipe", "update", "reconcile", "key"} {
			bubble(t, func(t *testing.T, f *fake, c *client) {
				requests := 0
				endless := drip(test.begin, test.piece, time.Second)
				f.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					requests++
					endless.ServeHTTP(w, r)
				})
				begun := time.Now()
				err := operations[o].call(t.Context(), c)
				if took := time.Since(begun); err == nil || requests != 1 || took > testRequestTimeout || !strings.Contains(err.Error(), "still arriving when request_timeout (30s) ended") {
					t.Errorf("%s, %s: %d requests in %s: %v", name, o, requests, took, err)
				}
			})
		}
	}
}
