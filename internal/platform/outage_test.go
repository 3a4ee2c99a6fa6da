package platform

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// What a call may send during an outage, and when, is a table in package rest. These
// tests are about many calls at a time.

func pipeID(i int) string { return fmt.Sprintf("40000000-0000-4000-8000-%012d", i) }

// crowd runs n calls, as many at a time as Terraform would.
func crowd(n, parallelism int, call func(i int)) {
	turns := make(chan struct{}, parallelism)
	var work sync.WaitGroup
	for i := range n {
		turns <- struct{}{}
		work.Go(func() {
			defer func() { <-turns }()
			call(i)
		})
	}
	work.Wait()
}

// flood reads n pipes, and returns their errors by number.
func flood(ctx context.Context, c *Client, n, parallelism int) []error {
	errs := make([]error, n)
	crowd(n, parallelism, func(i int) { _, errs[i] = c.GetPipe(ctx, testOrganization, testService, pipeID(i)) })
	return errs
}

// havePipes lets every read of a pipe succeed after a short wait, unless its path is dead:
// then it fails with 503, or gets no response.
func (f *fake) havePipes(isDead func(path string) bool, hang bool) {
	f.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case isDead(r.URL.Path) && hang:
			<-r.Context().Done()
		case isDead(r.URL.Path):
			http.Error(w, `{"error":"x"}`, http.StatusServiceUnavailable)
		default:
			time.Sleep(30 * time.Millisecond)
			_, _ = fmt.Fprintf(w, `{"status":200,"result":{"id":%q}}`, r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
		}
	})
}

// brief is a client that soon gives up.
func brief(c *Config) { c.RetryTimeout, c.RequestTimeout = 8*time.Second, 2*time.Second }

// All objects together wait for an outage once, whatever its kind. One error has the
// details under a summary of its own, and the others say in one line to look for that.
// With one call at a time, the first two may give up before an outage is certain.
func TestOutageCostsOneRetryTimeout(t *testing.T) {
	t.Parallel()
	const silent, erring = "has not responded to any request since ", "has returned only server errors (HTTP 5xx) since "
	tests := map[string]struct {
		fault       fault
		refused     int
		parallelism int
		requests    int
		reason      string
	}{
		"refused":         {good, -1, 10, 0, silent},
		"refused, one":    {good, -1, 1, 0, silent},
		"black hole":      {hang, 0, 10, 80, silent},
		"black hole, one": {hang, 0, 1, 20, silent},
		"5xx":             {respond(503, ""), 0, 10, 400, erring},
		"5xx, one":        {respond(503, ""), 0, 1, 330, erring},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, f *fake, c *Client) {
				f.refused = test.refused
				f.always(test.fault)
				begun := time.Now()
				errs := flood(t.Context(), c, 300, test.parallelism)
				took, stories, full := time.Since(begun), 0, 0
				for i, err := range errs {
					var e *Error
					if !errors.As(err, &e) {
						t.Fatalf("%d: %v", i, err)
					}
					switch detail := e.Detail(); {
					case e.Summary() != "":
						stories++
						if !strings.HasPrefix(detail, "The management API at http://127.0.0.1 "+test.reason) || !strings.Contains(detail, ". Tried to read pipe ") {
							t.Errorf("%s: %s", e.Summary(), detail)
						}
					case strings.HasPrefix(detail, "Tried to "):
						full++
					case !strings.Contains(detail, test.reason) || !strings.HasSuffix(detail, `. The error "The management API is `+map[string]string{silent: "not responding", erring: "failing"}[test.reason]+`" has the details.`) || len(detail) > 300:
						t.Errorf("%d: %s", i, detail)
					}
				}
				if n := f.count(""); took > 20*time.Second || n > test.requests || stories != 1 || full > 2 || full > 0 && test.parallelism > 1 {
					t.Errorf("%s, %d requests, %d errors with a summary, %d others in full", took, n, stories, full)
				}
			}, brief)
		})
	}
}

// Objects whose own endpoint fails do not affect the others.
func TestDeadEndpointsAffectNoOthers(t *testing.T) {
	t.Parallel()
	for _, hang := range []bool{true, false} {
		for _, parallelism := range []int{1, 2, 10} {
			for _, dead := range [][]int{{0}, {20}, {0, 1}, {20, 21}, {38, 39}} {
				t.Run(fmt.Sprint(hang, parallelism, dead), func(t *testing.T) {
					t.Parallel()
					bubble(t, func(t *testing.T, f *fake, c *Client) {
						isDead := func(path string) bool {
							return strings.HasSuffix(path, pipeID(dead[0])) || strings.HasSuffix(path, pipeID(dead[len(dead)-1]))
						}
						f.havePipes(isDead, hang)
						for i, err := range flood(t.Context(), c, 40, parallelism) {
							if (err != nil) != isDead(pipeID(i)) {
								t.Errorf("%d: %v", i, err)
							}
						}
					}, brief)
				})
			}
		}
	}
}

// While an API is down, calls send nothing, so that their errors are not ambiguous, and
// the other API is not affected. The first response ends the outage, and lists that
// failed in it are forgotten.
func TestOutageBeginsAndEnds(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.always(hang)
		flood(t.Context(), c, 20, 10)
		n := len(f.Requests())
		for name, o := range operations() {
			if name == "alert" || name == "service" || name == "list" { // another API, and a list that two share
				continue
			}
			if _, err := o.call(t.Context(), c); err == nil || IsAmbiguous(err) || !strings.Contains(err.Error(), "Nothing was sent: ") {
				t.Errorf("%s: %v", name, err)
			}
		}
		begun := time.Now()
		if _, err := c.ListServices(t.Context(), testOrganization, nil); err == nil || f.count("") != n {
			t.Errorf("%d requests while the API is down", f.count("")-n)
		}
		if _, err := operations()["alert"].call(t.Context(), c); err == nil || f.count("") == n {
			t.Error("the alerting API is another one: ", err)
		}
		time.Sleep(testHoldOff)
		f.ClearFaults()
		if err := readPipe(t.Context(), c); err != nil {
			t.Error(err)
		}
		if _, err := c.ListServices(t.Context(), testOrganization, nil); err != nil || time.Since(begun) > listLifetime {
			t.Error(time.Since(begun), err)
		}
	}, brief)
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
		}, brief)
	}
}

// The reads that find out what is left of updates fail in an outage. An error that is seen
// has the details, and not that of such a read.
func TestOutageDuringReconciliations(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]fault{"down": hang, "failing": respond(503, "")} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.always(fault)
			var full atomic.Int32
			crowd(10, 10, func(i int) {
				_, err := c.UpdatePipe(t.Context(), testOrganization, testService, pipeID(i), mappings, func(ctx context.Context) (*PipeUpdate, error) {
					_, err := c.GetPipe(ctx, testOrganization, testService, pipeID(i))
					return &mappings, err
				})
				if failed := new(Error); !errors.As(err, &failed) || !strings.Contains(err.Error(), "It is not known whether the change was applied.") {
					t.Errorf("%s: %v", name, err)
				} else if failed.Summary() != "" {
					full.Add(1)
				}
			})
			if full.Load() != 1 {
				t.Errorf("%s: %d errors have the details", name, full.Load())
			}
		}, brief)
	}
}

// Every call that waits for a slot when the API turns out to be down, or when its own
// time ends, gets that cause.
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
			}, brief, func(c *Config) { c.MaxConcurrentRequests = 1 })
		}
	}
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
			if strings.HasPrefix(e.Detail(), "Tried to ") {
				full++
			} else if !strings.Contains(e.Detail(), ": the management API at http://127.0.0.1 rejected key_id and key_secret in organization "+testOrganization+" at ") || !strings.Contains(e.Detail(), `. The error that begins with "Tried to read pipe `) {
				t.Errorf("%d: %s", i, e.Detail())
			}
		}
		if n := f.count(""); n != 10 || full != 1 {
			t.Errorf("%d requests, %d errors in full", n, full)
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

// Only the first caller who waits for it gets the error of a failed list in full.
func TestFailedListIsReportedOnce(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 503, 200} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.always(slow(time.Second, respond(status, `{"error":"`+strings.Repeat("a long message ", 40)+`"}`)))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
			defer cancel()
			go func() { _, _ = c.ListServices(ctx, testOrganization, nil) }()
			synctest.Wait()
			full := 0
			for i := range 300 {
				var e *Error
				if _, err := c.GetService(t.Context(), testOrganization, serviceID(i), nil); !errors.As(err, &e) {
					t.Fatal(err)
				}
				if !strings.HasSuffix(e.Detail(), " has the details.") {
					full++
				} else if len(e.Detail()) > 300 {
					t.Error(e.Detail())
				}
			}
			if full != 1 {
				t.Errorf("%d: reported in full %d times", status, full)
			}
		}, brief)
	}
}

// What nothing could be connected to in a run is given up after thirty seconds, however
// long retry_timeout is, and the error says where it was. Once there was a connection,
// retry_timeout counts.
func TestNeverConnectedGivesUpEarly(t *testing.T) {
	t.Parallel()
	for name, o := range operations() {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.refused = -1
			begun := time.Now()
			_, err := o.call(t.Context(), c)
			took := time.Since(begun)
			if e := new(Error); !errors.As(err, &e) || took > 30*time.Second || took < 5*time.Second || IsAmbiguous(err) ||
				strings.Count(e.Detail(), " at http://127.0.0.1") != 1 || !strings.Contains(e.Detail(), ". The API could not be reached: ") {
				t.Errorf("%s: after %s: %v", name, took, err)
			}
		})
	}
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		c.rest.Transport().DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		begun := time.Now()
		if err := readPipe(t.Context(), c); err == nil || time.Since(begun) != 30*time.Second || !strings.Contains(err.Error(), "The API could not be reached: no connection within 30s.") {
			t.Error(time.Since(begun), err)
		}
	}, func(c *Config) { c.RequestTimeout = time.Minute })
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		_ = readPipe(t.Context(), c)
		c.rest.Transport().CloseIdleConnections()
		f.refused = -1
		begun := time.Now()
		if err := readPipe(t.Context(), c); err == nil || time.Since(begun) < 4*time.Minute {
			t.Error(time.Since(begun), err)
		}
	})
}
