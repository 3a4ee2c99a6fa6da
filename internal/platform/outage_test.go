package platform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

func pipeID(i int) string { return fmt.Sprintf("40000000-0000-4000-8000-%012d", i) }

// flood reads n pipes, as many at a time as Terraform would, and returns their
// errors by number.
func flood(ctx context.Context, c *Client, n, parallelism int) []error {
	errs := make([]error, n)
	turns := make(chan struct{}, parallelism)
	var work sync.WaitGroup
	for i := range n {
		turns <- struct{}{}
		work.Go(func() {
			defer func() { <-turns }()
			_, errs[i] = c.GetPipe(ctx, testOrganization, testService, pipeID(i))
		})
	}
	work.Wait()
	return errs
}

// havePipes lets every read of a pipe succeed after a short wait.
func (f *fake) havePipes() {
	f.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/pipes/") {
			f.ServeHTTP(w, r)
			return
		}
		fault := f.fault(r.URL.Path)
		switch {
		case fault == "hang":
			<-r.Context().Done()
		case fault != "":
			http.Error(w, `{"error":"x"}`, http.StatusServiceUnavailable)
		default:
			time.Sleep(30 * time.Millisecond)
			_, _ = fmt.Fprintf(w, `{"status":200,"result":{"id":%q}}`, r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
		}
	})
}

// All objects together wait for an outage once, whatever its kind, and only the
// first errors are long. Waits are random: a call may give up before the limit,
// and the one after it has a limit of its own.
func TestOutageCostsOneRetryTimeout(t *testing.T) {
	t.Parallel()
	const limit, attempt = 8 * time.Second, 2 * time.Second
	tests := map[string]struct {
		fault       string
		refused     int
		parallelism int
		budget      time.Duration
		requests    int
		reason      string
	}{
		"refused":         {"", -1, 10, limit * 3 / 2, 0, "has not responded to any request since"},
		"refused, one":    {"", -1, 1, 2 * limit, 0, "has not responded to any request since"},
		"black hole":      {"hang", 0, 10, limit*3/2 + 2*attempt, 80, "has not responded to any request since"},
		"black hole, one": {"hang", 0, 1, 2*limit + 2*attempt, 20, "has not responded to any request since"},
		"black hole, two": {"hang", 0, 2, limit*3/2 + 2*attempt, 30, "has not responded to any request since"},
		"5xx":             {"503", 0, 10, limit * 3 / 2, 400, "has returned only server errors (HTTP 5xx) since"},
		"5xx, one":        {"503", 0, 1, 2 * limit, 330, "has returned only server errors (HTTP 5xx) since"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, f *fake, c *Client) {
				f.refused = test.refused
				var count atomic.Int32
				f.fault = func(string) string { count.Add(1); return test.fault }
				f.havePipes()
				begun := time.Now()
				errs := flood(t.Context(), c, 300, test.parallelism)
				took, n := time.Since(begun), int(count.Load())
				full := 0
				for i, err := range errs {
					var e *Error
					if !errors.As(err, &e) {
						t.Fatalf("%d: %v", i, err)
					}
					if isFull(e) {
						full++
					} else if !strings.Contains(e.Detail(), test.reason) || !strings.HasSuffix(e.Detail(), " has the details.") || strings.Contains(e.Detail(), "Tried to ") || len(e.Detail()) > 300 {
						t.Errorf("%d: %s", i, e.Detail())
					}
				}
				t.Logf("%s, %d requests, %d errors in full", took, n, full)
				if took > test.budget || n > test.requests || full < 1 || full > 2*test.parallelism+3 {
					t.Errorf("%s, %d requests, %d errors in full", took, n, full)
				}
			}, func(c *Config) { c.RetryTimeout, c.RequestTimeout = limit, attempt })
		})
	}
}

// Objects whose own endpoint fails do not affect the others, and have their own
// budget.
func TestDeadEndpointsAffectNoOthers(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"hang", "503"} {
		for _, parallelism := range []int{1, 2, 10} {
			for _, requestTimeout := range []time.Duration{time.Second, time.Minute} {
				for _, dead := range [][]int{{0}, {20}, {39}, {20, 21}, {0, 1}, {38, 39}} {
					t.Run(fmt.Sprint(kind, parallelism, requestTimeout, dead), func(t *testing.T) {
						t.Parallel()
						bubble(t, func(t *testing.T, f *fake, c *Client) {
							isDead := func(path string) bool {
								return strings.HasSuffix(path, pipeID(dead[0])) || strings.HasSuffix(path, pipeID(dead[len(dead)-1]))
							}
							f.fault = func(path string) string {
								if isDead(path) {
									return kind
								}
								return ""
							}
							f.havePipes()
							for i, err := range flood(t.Context(), c, 40, parallelism) {
								if wrong := isDead(pipeID(i)); (err != nil) != wrong {
									t.Errorf("%d: %v", i, err)
								}
							}
						}, func(c *Config) { c.RetryTimeout, c.RequestTimeout = 8*time.Second, requestTimeout })
					})
				}
			}
		}
	}
}

// While an API is down, one request at a time is sent as a probe, and the first
// response ends the outage.
func TestDownIsProbed(t *testing.T) {
	t.Parallel()
	for _, ending := range []string{"", "503", "429", "404"} {
		t.Run("ended by "+ending, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, f *fake, c *Client) {
				f.refused = -1
				_, listed := c.ListServices(t.Context(), testOrganization, nil)
				flood(t.Context(), c, 20, 10)
				begun := time.Now()
				for range 100 { // within ten seconds after the last failure
					if err := readPipe(t.Context(), c); err == nil || !strings.HasPrefix(err.Error(), "read pipe at http://127.0.0.1: Nothing was sent: the management API at http://127.0.0.1 has not responded") {
						t.Fatal(err)
					}
				}
				if time.Since(begun) > 0 {
					t.Errorf("failed after %s", time.Since(begun))
				}
				time.Sleep(testHoldOff)
				f.mu.Lock()
				f.refused = 0
				f.mu.Unlock()
				f.always(fault{Hang: true})
				var work sync.WaitGroup
				for range 10 {
					work.Go(func() { _ = readPipe(t.Context(), c) })
				}
				work.Go(func() { flood(t.Context(), c, 10, 10) })
				work.Wait()
				if n := f.count("GET"); n != 1 {
					t.Errorf("%d requests at a time", n)
				}
				f.ClearFaults()
				time.Sleep(testHoldOff)
				if ending != "" {
					f.Inject(map[string]fault{"503": respond(503, ""), "429": respond(429, ""), "404": respond(404, ownError)}[ending])
				}
				err := readPipe(t.Context(), c)
				if (err == nil) != (ending == "" || ending == "429") {
					t.Error(err)
				}
				if ending == "503" { // the API is failing then, and each call has one attempt
					err = readPipe(t.Context(), c)
				}
				if err != nil && outcome(err) != "not found" {
					t.Error(err)
				}
				if _, err := c.ListServices(t.Context(), testOrganization, nil); err != nil {
					t.Errorf("%v after %v", err, listed)
				}
				for i, err := range flood(t.Context(), c, 20, 10) {
					if outcome(err) != "not found" && outcome(err) != "ok" { // the fake has four of them
						t.Error(i, err)
					}
				}
			}, func(c *Config) { c.RetryTimeout, c.RequestTimeout = 8*time.Second, 2*time.Second })
		})
	}
}

// A refused call has sent nothing, so that its error is not ambiguous.
func TestRefusalAndWrites(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.always(hang)
		flood(t.Context(), c, 20, 10)
		n := len(f.Requests())
		for name, o := range operations() {
			if name == "alert" {
				continue
			}
			if _, err := o.call(t.Context(), c); err == nil || IsAmbiguous(err) || !strings.Contains(err.Error(), "Nothing was sent: ") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if len(f.Requests()) != n {
			t.Error("something was sent")
		}
		if _, err := operations()["alert"].call(t.Context(), c); strings.Contains(err.Error(), "Nothing was sent") {
			t.Errorf("the alerting API is another one: %v", err)
		}
	}, func(c *Config) { c.RetryTimeout, c.RequestTimeout = 8*time.Second, 2*time.Second })
}

// If an outage ends the wait of a write, the error reports that it may have been
// applied.
func TestOutageEndsWaits(t *testing.T) {
	t.Parallel()
	for _, o := range []string{"update", "reconcile"} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.always(hang)
			var work sync.WaitGroup
			work.Go(func() { flood(t.Context(), c, 100, 10) })
			time.Sleep(5 * time.Second)
			work.Go(func() {
				begun := time.Now()
				_, err := operations()[o].call(t.Context(), c)
				if took := time.Since(begun); took > 6*time.Second || !IsAmbiguous(err) {
					t.Error(took, err)
				}
				if o == "update" && (!strings.Contains(err.Error(), "has not responded") || !strings.HasSuffix(err.Error(), "It is not known whether the change was applied.")) {
					t.Error(err)
				}
			})
			work.Wait()
		}, func(c *Config) { c.RetryTimeout, c.RequestTimeout = 8*time.Second, 2*time.Second })
	}
}

// Every call that waits for a slot when the API turns out to be down, or when its own
// time ends, is told that cause.
func TestQueuedCallsAreToldTheCause(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]fault{"down": hang, "failing": respond(503, "")} {
		for range 10 { // who waits for what is left to chance
			bubble(t, func(t *testing.T, f *fake, c *Client) {
				f.always(fault)
				for i, err := range flood(t.Context(), c, 40, 40) {
					if err == nil || strings.Contains(err.Error(), "interrupted") || strings.Contains(err.Error(), "deadline exceeded") || strings.Contains(err.Error(), "canceled") {
						t.Errorf("%s, %d: %v", name, i, err)
					}
				}
			}, func(c *Config) {
				c.RetryTimeout, c.RequestTimeout, c.MaxConcurrentRequests = 8*time.Second, 2*time.Second, 1
			})
		}
	}
}

// Two failures with idle time between them are no outage, an interrupt is no
// failure, and without retries there is no detection.
func TestNoOutage(t *testing.T) {
	t.Parallel()
	t.Run("idle time", func(t *testing.T) {
		t.Parallel()
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.inject(reset)
			_, _ = operations()["key"].call(t.Context(), c)
			_, _ = operations()["mappings"].call(t.Context(), c)
			time.Sleep(time.Hour)
			f.refused = 2
			if err := readPipe(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("interrupt", func(t *testing.T) {
		t.Parallel()
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.always(hang)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			flood(ctx, c, 10, 10)
			f.ClearFaults()
			if err := readPipe(t.Context(), c); err != nil {
				t.Error("an interrupt counts: ", err)
			}
		}, func(c *Config) { c.RetryTimeout, c.RequestTimeout = 21*time.Second, time.Minute })
	})
	t.Run("no retries", func(t *testing.T) {
		t.Parallel()
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.always(respond(503, ""))
			flood(t.Context(), c, 20, 1)
			time.Sleep(time.Minute)
			errs := flood(t.Context(), c, 20, 1)
			if f.count("GET") != 40 || strings.Contains(errs[19].Error(), "has the details") {
				t.Error(f.count("GET"), errs[19])
			}
		}, func(c *Config) { c.RetryTimeout = 0 })
	})
}

// A 401 before any success is the last request for its organization.
func TestRejectedLoginIsRemembered(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.Inject(fault{Path: testOrganization, Status: 401, Delay: time.Second, Times: mockplatform.Always})
		full := 0
		for i, err := range flood(t.Context(), c, 300, 10) {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
			if isFull(e) {
				full++
			} else if !strings.Contains(e.Detail(), "the management API at http://127.0.0.1 rejected key_id and key_secret in organization "+testOrganization+" at ") {
				t.Errorf("%d: %s", i, e.Detail())
			}
		}
		if n := f.count(""); n != 10 || full != 1 {
			t.Errorf("%d requests, %d errors in full", n, full)
		}
		for range 3 {
			_, _ = operations()["key"].call(t.Context(), c)
			_, _ = operations()["service"].call(t.Context(), c)
			time.Sleep(time.Hour) // the run is long
		}
		if n := f.count(""); n != 10 {
			t.Errorf("%d requests", n)
		}
		// Another organization and the other API are not affected.
		if _, err := c.ListServices(t.Context(), mockplatform.OtherOrganizationID, nil); err != nil {
			t.Error(err)
		}
		if _, err := operations()["alert"].call(t.Context(), c); err != nil {
			t.Error(err)
		}
	})
}

func TestRejectionAfterASuccessIsAnErrorLikeAnother(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		_ = readPipe(t.Context(), c)
		f.inject(respond(401, ""), respond(401, ""))
		for range 2 {
			if err := readPipe(t.Context(), c); err == nil || !strings.Contains(err.Error(), "Check key_id and key_secret. The key may be wrong") {
				t.Error(err)
			}
		}
		if err := readPipe(t.Context(), c); err != nil {
			t.Error(err)
		}
	})
}

// Only the first caller gets the error of a failed list in full.
func TestFailedListIsReportedOnce(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 503, 200} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.always(respond(status, `{"error":"`+strings.Repeat("a long message ", 40)+`"}`))
			full := 0
			for i := range 300 {
				var e *Error
				if _, err := c.GetService(t.Context(), testOrganization, serviceID(i), nil); !errors.As(err, &e) {
					t.Fatal(err)
				}
				if strings.Contains(e.Detail(), "a long message") {
					full++
				} else if len(e.Detail()) > 300 {
					t.Error(e.Detail())
				}
			}
			if full != 1 {
				t.Errorf("%d: reported in full %d times", status, full)
			}
		}, func(c *Config) { c.RetryTimeout = 8 * time.Second })
	}
}

// A long wait is logged with its reason.
func TestLongWaitsAreLogged(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault fault
		want  string
	}{
		"backoff":  {respond(503, "", "Retry-After: 100"), "to retry; the last failure was: HTTP 503, Retry-After 1m40s"},
		"gate":     {respond(429, "", "Retry-After: 100"), "for its turn: the API is rate limiting requests (HTTP 429, Retry-After); the last failure was: HTTP 429, Retry-After 1m40s"},
		"response": {slow(20*time.Second, good), "for the response to attempt 1"},
		"nothing":  {slow(9*time.Second, good), ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var lines []string
			bubble(t, func(t *testing.T, f *fake, c *Client) {
				f.inject(test.fault)
				if err := readPipe(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if test.want == "" && len(lines) > 0 || test.want != "" && (len(lines) == 0 || !strings.HasSuffix(lines[0], " is waiting "+test.want)) {
					t.Errorf("%q", lines)
				}
				if name == "gate" && len(lines) != 2 { // after 10 s and 70 s
					t.Errorf("%q", lines)
				}
			}, func(c *Config) {
				c.Warn = func(_ context.Context, line string, _ ...map[string]any) {
					mu.Lock()
					defer mu.Unlock()
					lines = append(lines, line)
				}
			})
		})
	}
}
