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
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
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
			if !errors.As(err, &e) || !strings.HasPrefix(e.Detail(), "Tried to "+tried+" at http://127.0.0.1. The operation was interrupted.") || !errors.Is(err, context.Canceled) ||
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

// A call that never got a slot says what it waited for, in the log and in its error.
func TestWaitForATurnIsNamed(t *testing.T) {
	t.Parallel()
	var turns atomic.Int32 // from the goroutine that warns
	bubble(t, func(t *testing.T, f *fake, c *client) {
		f.Always(hang)
		var work sync.WaitGroup
		work.Go(func() { _ = operations["key"].call(t.Context(), c) })
		time.Sleep(time.Second)
		if err := operations["alert"].call(t.Context(), c); err == nil || !strings.Contains(err.Error(), "The request was not sent: it was still waiting for its turn when retry_timeout (12s) ended; increase retry_timeout") {
			t.Error(err)
		}
		work.Wait()
		if n := turns.Load(); n != 1 {
			t.Errorf("%d lines", n)
		}
	}, func(c *Config) {
		c.RetryTimeout, c.MaxConcurrentRequests = 12*time.Second, 1
		c.Warn = func(_ context.Context, line string, _ ...map[string]any) {
			if line == "Data Platform request is waiting for its turn" {
				turns.Add(1)
			}
		}
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
			{"operation": "update pipe", "host": "http://127.0.0.1", "method": "PATCH", "attempt": 1, "status": 503, "request_id": "first", "duration_ms": int64(0), "queued_ms": int64(0), "wait_ms": int64(3000), "wait_reason": "HTTP 503, Retry-After 3s",
				"path": "/v1/organizations/" + mockplatform.OrganizationID + "/services/" + testService + "/pipes/" + testPipe},
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
				f.InjectEach(test.fault)
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

// An endless response ends at the maximum size.
func TestEndlessResponses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault fault
		want  string
	}{
		"object":     {fault{Status: 200, Text: `{"result":{"id":"`, Endless: "x"}, "it is larger than the provider accepts (16 MiB).\n\nThe change was probably applied.\n\nCheck base_url. If it is right, ask the platform's support."},
		"whitespace": {fault{Status: 200, Body: mockplatform.BodyEmpty, Endless: " "}, "it is larger than the provider accepts (16 MiB).\n\nThe change was probably applied.\n\nCheck base_url. If it is right, ask the platform's support."},
		"error":      {fault{Status: 500, Text: `{"error":"`, Endless: "x"}, "It is not known whether the change was applied. The next plan shows what is still missing."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, f *fake, c *client) {
				f.Inject(test.fault)
				err := operations["update"].call(t.Context(), c)
				if e := new(Error); !errors.As(err, &e) || !strings.HasSuffix(e.Detail(), test.want) {
					t.Error(err)
				}
			}, func(c *Config) { c.RetryTimeout = 0 })
		})
	}
}

// A response that arrives slowly and without end costs the time of one attempt.
func TestEndlessSlowResponseIsNotRetried(t *testing.T) {
	t.Parallel()
	for _, o := range []string{"pipe", "update", "key"} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			requests := 0
			f.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests++
				_, _ = io.Copy(io.Discard, r.Body) // or the server does not see that the client has left
				for r.Context().Err() == nil {
					_, _ = w.Write([]byte(" "))
					_ = http.NewResponseController(w).Flush()
					select {
					case <-time.After(time.Second):
					case <-r.Context().Done(): // who sleeps on outlives the bubble
					}
				}
			})
			begun := time.Now()
			err := operations[o].call(t.Context(), c)
			if took := time.Since(begun); err == nil || requests != 1 || took > resttest.RequestTimeout || !strings.Contains(err.Error(), "still arriving when request_timeout (30s) ended") {
				t.Errorf("%s: %d requests in %s: %v", o, requests, took, err)
			}
		})
	}
}

// Connections are as many as requests at a time, and serve the next ones.
func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *client) {
		f.Configure(func(b *mockplatform.Behaviour) { b.Latency = 2 * time.Millisecond })
		transport, opened := c.Transport(), atomic.Int32{}
		transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			opened.Add(1)
			time.Sleep(20 * time.Millisecond) // so that some get an idle connection before their own
			return f.Dial(ctx, network, address)
		}
		for range 3 { // between which all connections lie idle
			crowd(40, 40, func(int) {
				if err := operations["update"].call(t.Context(), c); err != nil {
					t.Error(err)
				}
			})
		}
		time.Sleep(time.Second) // for connections that nobody waits for any more
		if n := opened.Load(); n > 6 {
			t.Errorf("%d connections for 6 requests at a time", n)
		}
	}, func(c *Config) { c.RetryTimeout, c.MaxConcurrentRequests = 0, 6 })
}
