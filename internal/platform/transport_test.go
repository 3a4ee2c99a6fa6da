package platform

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

// readPipe is the operation that most tests use.
func readPipe(ctx context.Context, c *Client) error {
	_, err := c.GetPipe(ctx, testOrganization, testService, testPipe)
	return err
}

func TestRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	// The Date of the response is a minute slow, and the date counts from there. It
	// is computed in the time of the bubble.
	skewed := func() fault {
		now := time.Now().Add(-time.Minute).UTC()
		return respond(429, "", "Date: "+now.Format(http.TimeFormat), "Retry-After: "+now.Add(9*time.Second).Format(http.TimeFormat))
	}
	tests := map[string]struct {
		fault func() fault
		want  time.Duration
	}{
		"429 seconds":           {func() fault { return respond(429, "", "Retry-After: 7") }, 7 * time.Second},
		"429 date, other clock": {skewed, 9 * time.Second},
		"503 seconds":           {func() fault { return respond(503, "", "Retry-After: 7") }, 7 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, f *fake, c *Client) {
				f.inject(test.fault())
				begun := time.Now()
				if err := readPipe(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begun); took < test.want || took > test.want+time.Second {
					t.Errorf("took %s, want %s", took, test.want)
				}
			})
		})
	}
}

func TestWaitBeyondTheBudgetIsNotBegun(t *testing.T) {
	t.Parallel()
	for _, status := range []int{429, 503} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.always(respond(status, "", "Retry-After: 301"))
			begun := time.Now()
			err := readPipe(t.Context(), c)
			if took := time.Since(begun); took > time.Second {
				t.Errorf("%d: gave up after %s", status, took)
			}
			if err == nil || !strings.Contains(err.Error(), "Gave up after 1 attempt in 0s: the API requested a wait of 5m1s (Retry-After), which ends after retry_timeout (5m0s).") {
				t.Errorf("%d: %v", status, err)
			}
		})
	}
}

func TestGiveUpReportsAttemptsTimeAndLastResponse(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.always(respond(503, `{"message":"under repair"}`))
		err := readPipe(t.Context(), c)
		var e *Error
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		for _, want := range []string{"HTTP 503 Service Unavailable", "under repair", fmt.Sprintf("Gave up after %d attempts in ", f.count("GET"))} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q is missing in %v", want, err)
			}
		}
		if e.Attempts != f.count("GET") || e.Attempts < 10 || e.Elapsed > 5*time.Minute || e.Elapsed < 4*time.Minute {
			t.Errorf("%d attempts in %s, %d seen", e.Attempts, e.Elapsed, f.count("GET"))
		}
	})
}

func TestAttemptIsCutAtTheBudgetsEnd(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.always(hang)
		begun := time.Now()
		err := readPipe(t.Context(), c)
		if took := time.Since(begun); took > 5*time.Minute || f.count("GET") < 9 {
			t.Errorf("took %s for %d attempts: %v", took, f.count("GET"), err)
		}
	})
}

func TestNoRetryingWithoutBudget(t *testing.T) {
	t.Parallel()
	for _, fault := range []fault{respond(429, "", "Retry-After: 1"), respond(503, ""), reset} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.always(fault)
			for range 2 { // a gate would hold the second back
				begun := time.Now()
				if err := readPipe(t.Context(), c); err == nil || strings.Contains(err.Error(), "Gave up") {
					t.Error(err)
				}
				if time.Since(begun) > 0 {
					t.Error("waited")
				}
			}
			if f.count("GET") != 2 {
				t.Errorf("%d requests", f.count("GET"))
			}
		}, func(c *Config) { c.RetryTimeout = 0 })
	}
}

// Every wait ends at once when the caller is gone, and leaves no goroutine (the
// bubble would not end) and no request behind.
func TestInterruptEndsEveryWait(t *testing.T) {
	t.Parallel()
	tests := map[string]fault{
		"response": hang,
		"backoff":  respond(503, "", "Retry-After: 100"),
		"gate":     respond(429, "", "Retry-After: 100"),
		"body":     {Hang: true, Cut: mockplatform.CutBody, CutBytes: 14},
	}
	for name, always := range tests {
		for _, o := range operations() {
			t.Run(name+"/"+o.name, func(t *testing.T) {
				t.Parallel()
				bubble(t, func(t *testing.T, f *fake, c *Client) {
					f.always(always)
					ctx, cancel := context.WithCancel(t.Context())
					var work sync.WaitGroup
					var begun time.Time
					const callers = 20 // ten of them wait for a slot
					for range callers {
						work.Go(func() {
							_, err := o.call(ctx, c)
							if o.name == "key" && name != "gate" || o.name == "mappings" && name == "backoff" {
								return // does not wait, or runs to its end once sent: see other tests
							}
							if late := time.Since(begun); late > 0 {
								t.Errorf("ended %s after the interrupt", late)
							}
							if !errors.Is(err, context.Canceled) && !IsAmbiguous(err) {
								t.Errorf("not reported as an interrupt: %v", err)
							}
						})
					}
					time.Sleep(5 * time.Second)
					begun = time.Now()
					cancel()
					work.Wait()
					c.rest.Transport().CloseIdleConnections()
					synctest.Wait()
					if f.open != 0 {
						t.Errorf("%d connections left", f.open)
					}
				})
			})
		}
	}
}

func TestInterruptIsReported(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.always(hang)
		for _, o := range []string{"update", "mappings", "reconcile"} {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			_, err := operations()[o].call(ctx, c)
			if err == nil || !strings.HasPrefix(err.Error(), "update pipe at http://127.0.0.1: The operation was interrupted.") || !errors.Is(err, context.Canceled) || !IsAmbiguous(err) {
				t.Error(o, err)
			}
		}
	})
}

// Reads share their requests, and each names its object all the same.
func TestInterruptedReadNamesItsObject(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.always(hang)
		for o, want := range map[string]string{
			"pipe":    "Tried to read pipe " + testPipe + " of service " + testService + " in organization " + testOrganization + " at http://127.0.0.1. The operation was interrupted.",
			"service": "Tried to list services of organization " + testOrganization + " at http://127.0.0.1. The operation was interrupted.",
			"scaling": "Tried to update the scaling of service " + testService + " in organization " + testOrganization + " at http://127.0.0.1. The operation was interrupted.",
		} {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			_, err := operations()[o].call(ctx, c)
			var e *Error
			if !errors.As(err, &e) || !strings.HasPrefix(e.Detail(), want) {
				t.Error(o, err)
			}
		}
	})
}

// A call that waits for a slot when the gate closes stays behind it.
func TestGateClosesOnThoseWaitingForASlot(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.inject(slow(time.Second, respond(http.StatusTooManyRequests, "", "Retry-After: 10")))
		var work sync.WaitGroup
		for range 5 {
			work.Go(func() { _, _ = operations()["update"].call(t.Context(), c) })
		}
		time.Sleep(10 * time.Second)
		if n := f.count("PATCH"); n != 1 {
			t.Errorf("%d requests before the gate opened", n)
		}
		work.Wait()
	}, func(c *Config) { c.MaxConcurrentRequests = 1 })
}

// The body that reconcile returns is retried by its own rule: here it no longer
// adds a table mapping.
func TestReconciledBodyIsRetriedByItsOwnRule(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.inject(reset, reset, reset)
		name, reconciliations := "n", 0
		_, err := c.UpdatePipe(t.Context(), testOrganization, testService, testPipe, mappings, func(context.Context) (*PipeUpdate, error) {
			reconciliations++
			return &PipeUpdate{Name: &name}, nil
		})
		if err != nil || reconciliations != 1 || f.count("PATCH") != 4 {
			t.Error(err, reconciliations, f.count("PATCH"))
		}
	})
}

// reconcile reads again: it does not join a read from before the fault.
func TestReconcileReadsAgain(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.inject(slow(2*time.Second, reset), slow(20*time.Second, good))
		var work sync.WaitGroup
		work.Go(func() { _, _ = operations()["reconcile"].call(t.Context(), c) })
		time.Sleep(time.Second)
		_ = readPipe(t.Context(), c) // under way when the PATCH fails
		work.Wait()
		if n := f.count("GET"); n != 2 {
			t.Errorf("%d reads, want 2", n)
		}
	})
}

func TestKeyOnceSentOutlivesItsCaller(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.always(slow(20*time.Second, good))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		key, err := c.CreateAPIKey(ctx, testOrganization, APIKeyCreate{Name: "n", Roles: []string{"admin"}})
		if err != nil || *key.KeySecret != f.Keys()[0]["result"].(mockplatform.Document)["keySecret"] {
			t.Error(key, err)
		}
	})
}

func TestKeyNotYetSentEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		c.rest.Transport().DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		begun := time.Now()
		_, err := operations()["key"].call(ctx, c)
		if !errors.Is(err, context.Canceled) || IsAmbiguous(err) || time.Since(begun) > time.Second {
			t.Error(err, time.Since(begun))
		}
		synctest.Wait()
		time.Sleep(time.Minute)
	})
}

func TestKeyHasItsWholeTimeWhateverTheBudget(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.always(slow(20*time.Second, good))
		if _, err := operations()["key"].call(t.Context(), c); err != nil {
			t.Error(err)
		}
	}, func(c *Config) { c.RetryTimeout = time.Second })
}

func TestConcurrencyHolds(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.always(slow(time.Second, good))
		var work sync.WaitGroup
		for range 30 {
			work.Go(func() { _, _ = operations()["update"].call(t.Context(), c) })
			work.Go(func() { _, _ = operations()["scaling"].call(t.Context(), c) })
		}
		work.Wait()
		if f.PeakInFlight() != 4 {
			t.Errorf("%d requests at a time, want 4", f.PeakInFlight())
		}
	}, func(c *Config) { c.MaxConcurrentRequests = 4 })
}

// One 429 holds back the requests of all callers.
func TestGateHoldsEverybodyBack(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.inject(respond(429, "", "Retry-After: 10"))
		begun := time.Now()
		var work sync.WaitGroup
		work.Go(func() { _, _ = operations()["update"].call(t.Context(), c) })
		time.Sleep(time.Second)
		for range 50 {
			work.Go(func() {
				_, err := operations()["update"].call(t.Context(), c)
				if err != nil || time.Since(begun) < 10*time.Second {
					t.Error(err, time.Since(begun))
				}
			})
		}
		work.Wait()
		if n := f.count("PATCH"); n != 52 {
			t.Errorf("%d requests for 51 calls, want 52", n)
		}
	})
}

// The alerting API's limit is not the management API's.
func TestGatesAreApart(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.inject(respond(429, "", "Retry-After: 100"))
		var work sync.WaitGroup
		work.Go(func() { _, _ = c.GetAlert(t.Context(), testAlert) })
		time.Sleep(time.Second)
		begun := time.Now()
		if err := readPipe(t.Context(), c); err != nil || time.Since(begun) > 0 {
			t.Error(err, time.Since(begun))
		}
		work.Wait()
	})
}

func TestClosedGateFailsAtOnceWhereTheBudgetIsTooSmall(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.inject(respond(429, "", "Retry-After: 3600"))
		_ = readPipe(t.Context(), c)
		begun := time.Now()
		err := readPipe(t.Context(), c)
		if err == nil || time.Since(begun) > 0 || f.count("GET") != 1 || !strings.Contains(err.Error(), "The request was not sent: the API is rate limiting requests (HTTP 429, Retry-After)") {
			t.Error(err, time.Since(begun), f.count("GET"))
		}
	})
}

// After the gate reopens one request goes first, and the others follow one by
// one.
func TestRestartIsNoBurst(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.inject(respond(429, "", "Retry-After: 10"))
		var work sync.WaitGroup
		for range 20 {
			work.Go(func() { _, _ = operations()["update"].call(t.Context(), c) })
		}
		time.Sleep(9 * time.Second)
		before := f.count("PATCH")
		time.Sleep(time.Second + time.Millisecond)
		if n := f.count("PATCH") - before; n != 1 {
			t.Errorf("%d requests right after the gate opened", n)
		}
		work.Wait()
	})
}

func TestReconcileAfterAnAmbiguousFault(t *testing.T) {
	t.Parallel()
	name := "n"
	failing := errors.New("no such luck")
	tests := map[string]struct {
		reconcile func() (*PipeUpdate, error)
		want      string
		bodies    string
	}{
		"nothing left to do": {func() (*PipeUpdate, error) { return nil, nil }, "ok", "1"},
		"something left":     {func() (*PipeUpdate, error) { return &PipeUpdate{Name: &name}, nil }, "ok", "2"},
		"failing":            {func() (*PipeUpdate, error) { return nil, failing }, "gave up, ambiguous", "1"},
	}
	for testName, test := range tests {
		t.Run(testName, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, f *fake, c *Client) {
				f.inject(reset)
				got, err := c.UpdatePipe(t.Context(), testOrganization, testService, testPipe, mappings, func(context.Context) (*PipeUpdate, error) { return test.reconcile() })
				if outcome(err) != test.want || fmt.Sprint(len(f.bodies())) != test.bodies {
					t.Errorf("%s, %v: %v", outcome(err), f.bodies(), err)
				}
				if err == nil && (got == nil) != (test.bodies == "1") {
					t.Error(got)
				}
				if len(f.bodies()) == 2 && f.bodies()[1] != `{"name":"n"}` {
					t.Errorf("repeated with %s", f.bodies()[1])
				}
			})
		})
	}
}

// The text names what failed, once.
func TestFailedReconciliationIsNamed(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.inject(reset)
		_, err := c.UpdatePipe(t.Context(), testOrganization, testService, testPipe, mappings, func(context.Context) (*PipeUpdate, error) {
			return nil, errors.New("the mapping must set excluded_columns")
		})
		const want = ": EOF.\n\nNothing more was sent: the mapping must set excluded_columns.\n\nIt is not known whether the change was applied. The next apply sends only what is still missing."
		if e := new(Error); !errors.As(err, &e) || !strings.HasSuffix(e.Detail(), want) {
			t.Error(err)
		}
	})
}

func TestReconcileSharesTheBudget(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.Inject(fault{Method: http.MethodGet, Status: 503, Body: mockplatform.BodyEmpty, Times: mockplatform.Always})
		f.Inject(fault{Method: http.MethodPatch, Delay: 29 * time.Second, Reset: true, Times: mockplatform.Always})
		begun := time.Now()
		_, err := operations()["reconcile"].call(t.Context(), c)
		if took := time.Since(begun); took > 5*time.Minute || !IsAmbiguous(err) {
			t.Error(took, err)
		}
		time.Sleep(10 * time.Minute)
	})
}

// A failure after an attempt that may have been carried out stays ambiguous,
// whatever it is.
func TestAmbiguityIsNotForgotten(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.inject(reset, respond(409, ""))
		if _, err := operations()["update"].call(t.Context(), c); !IsAmbiguous(err) {
			t.Error(err)
		}
	})
}

func TestOneLogLinePerAttempt(t *testing.T) {
	t.Parallel()
	var lines []map[string]any
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.inject(respond(503, "", "Retry-After: 3", "X-Request-Id: first"), reset, fault{Edit: func(body mockplatform.Document) {
			body["requestId"] = "3c5cbd4d-0000-4000-8000-000000000000"
		}})
		if _, err := operations()["update"].call(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if len(lines) != 3 {
			t.Fatal(lines)
		}
		want := []map[string]any{
			{"operation": "update pipe", "method": "PATCH", "attempt": 1, "status": 503, "request_id": "first", "wait_ms": int64(3000), "wait_reason": "HTTP 503, Retry-After 3s"},
			{"attempt": 2, "wait_reason": "no response", "error": "EOF"},
			{"attempt": 3, "status": 200, "request_id": "3c5cbd4d-0000-4000-8000-000000000000", "wait_ms": nil, "error": nil},
		}
		for i, fields := range want {
			for name, value := range fields {
				if lines[i][name] != value {
					t.Errorf("line %d: %s is %v, want %v", i, name, lines[i][name], value)
				}
			}
		}
		if path := lines[0]["path"]; path != "/v1/organizations/"+testOrganization+"/services/"+testService+"/pipes/"+testPipe {
			t.Error(path)
		}
	}, func(c *Config) {
		c.Log = func(_ context.Context, _ string, fields ...map[string]any) { lines = append(lines, fields[0]) }
	})
}

// A single 429 without a limit behind it, as a platform under repair may send,
// costs seconds and not minutes.
func TestSingle429CostsLittle(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.inject(respond(http.StatusTooManyRequests, ""))
		begun := time.Now()
		_ = readPipe(t.Context(), c) // alone: nothing was let in before that could be measured
		var work sync.WaitGroup
		for range 200 {
			work.Go(func() { _, _ = operations()["update"].call(t.Context(), c) })
		}
		work.Wait()
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("200 calls took %s", took)
		}
	})
}
