package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

// What a call may send during an outage, and when, is a table in package rest. These
// tests are about many calls at a time.

func pipeID(i int) string { return fmt.Sprintf("40000000-0000-4000-8000-%012d", i) }

// flood reads n pipes, and returns their errors by number.
func flood(ctx context.Context, c *client, n, parallelism int) []error {
	errs := make([]error, n)
	crowd(n, parallelism, func(i int) { errs[i] = c.Do(ctx, pipeNumber(c, "pipe", i)) })
	return errs
}

// pipeNumber is an operation on another pipe.
func pipeNumber(c *client, operation string, i int) *Request {
	r := operations[operation](c)
	r.Path[len(r.Path)-1] = pipeID(i)
	r.Subject = strings.Replace(r.Subject, testPipe, pipeID(i), 1)
	return r
}

// havePipes lets every read of a pipe succeed after a short wait, unless its path is dead:
// then it fails with 503, or gets no response.
func havePipes(f *fake, isDead func(path string) bool, hang bool) {
	f.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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

// All objects together wait for an outage once, whatever its kind, and each error can be read
// alone: what was tried, where, since when nothing works and why, and what to check.
func TestOutageCostsOneRetryTimeout(t *testing.T) {
	t.Parallel()
	const (
		silent, erring = "has not responded to any request since ", "has returned only server errors (HTTP 5xx) since "
		check          = "\n\nCheck base_url, and HTTPS_PROXY if it is set."
	)
	tests := map[string]struct {
		fault       fault
		refused     int
		parallelism int
		requests    int
		says        []string
	}{
		"refused":         {good, -1, 10, 0, []string{silent, "connection refused", check}},
		"refused, one":    {good, -1, 1, 0, []string{silent, "connection refused", check}},
		"black hole":      {hang, 0, 10, 13, []string{silent, "no response within request_timeout (2s)", check}},
		"black hole, all": {hang, 0, 300, 13, []string{silent, "no response within request_timeout (2s)", check}},
		"black hole, one": {hang, 0, 1, 3, []string{silent, "no response within request_timeout (2s)", check}},
		"5xx":             {respond(503, `{"message":"a long story"}`), 0, 10, 400, []string{erring, "HTTP 503 Service Unavailable", "\n\nCheck base_url, or run the command again once the platform has recovered."}},
		"5xx, one":        {respond(503, ""), 0, 1, 330, []string{erring, "HTTP 503 Service Unavailable", "\n\nCheck base_url, or run the command again once the platform has recovered."}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, f *fake, c *client) {
				f.Refuse(test.refused)
				f.Always(test.fault)
				begun := time.Now()
				errs := flood(t.Context(), c, 300, test.parallelism)
				took, own := time.Since(begun), 0
				for i, err := range errs {
					var e *Error
					if !errors.As(err, &e) || !strings.HasPrefix(e.Detail(), "Tried to read pipe "+pipeID(i)+" of service "+testService+inOrganization+" at http://127.0.0.1. ") || len(e.Detail()) > 600 || strings.Contains(e.Detail(), " 0 attempts") {
						t.Fatalf("%d: %v", i, err)
					}
					for _, text := range []string{"interrupted", "deadline exceeded", "canceled"} {
						if strings.Contains(e.Detail(), text) {
							t.Fatalf("%d: the cause is not named: %v", i, err)
						}
					}
					for _, text := range test.says {
						if !strings.Contains(e.Detail(), text) {
							own++ // its time ended before an outage was certain
							break
						}
					}
				}
				if n := f.Sent(""); took > 20*time.Second || n > test.requests || own > 10+2*test.parallelism { // how soon a call gives up is random
					t.Errorf("%s, %d requests, %d errors about their own attempts alone", took, n, own)
				}
			}, brief)
		})
	}
}

// In a run without any response, an address that accepts connections has one
// request_timeout: nothing is tried again, and the error names the URL.
func TestNeverAnsweredIsNotRetried(t *testing.T) {
	t.Parallel()
	for name, o := range operations {
		for _, retryTimeout := range []time.Duration{resttest.RequestTimeout, resttest.RetryTimeout} {
			bubble(t, func(t *testing.T, f *fake, c *client) {
				f.Always(hang)
				begun := time.Now()
				err := o.call(t.Context(), c)
				var e *Error
				if !errors.As(err, &e) || time.Since(begun) != resttest.RequestTimeout || f.Sent("") != 1 ||
					!strings.Contains(e.Detail(), "no response within request_timeout (30s)") || !strings.HasSuffix(e.Detail(), "Check "+o(c).API.URLSetting+", and HTTPS_PROXY if it is set.") {
					t.Errorf("%s: %d requests in %s: %v", name, f.Sent(""), time.Since(begun), err)
				}
			}, func(c *Config) { c.RetryTimeout = retryTimeout })
		}
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
					bubble(t, func(t *testing.T, f *fake, c *client) {
						isDead := func(path string) bool {
							return strings.HasSuffix(path, pipeID(dead[0])) || strings.HasSuffix(path, pipeID(dead[len(dead)-1]))
						}
						havePipes(f, isDead, hang)
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
// the other API is not affected. The first response ends the outage.
func TestOutageBeginsAndEnds(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *client) {
		recovered := 0
		c.management.Recovered = func() { recovered++ }
		c.Add(c.management)
		f.Always(hang)
		flood(t.Context(), c, 20, 10)
		ended, n := time.Now(), len(f.Requests())
		for name, o := range operations {
			if name == "alert" {
				continue
			}
			if err := o.call(t.Context(), c); err == nil || isAmbiguous(err) || !strings.Contains(err.Error(), "The request was not sent: the management API has not responded to any request since ") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if f.Sent("") != n {
			t.Errorf("%d requests while the API is down", f.Sent("")-n)
		}
		if err := operations["alert"].call(t.Context(), c); err == nil || f.Sent("") == n {
			t.Error("the alerting API is another one: ", err)
		}
		time.Sleep(time.Until(ended.Add(10*time.Second - 1)))
		if err := readPipe(t.Context(), c); err == nil {
			t.Error("sent within ten seconds")
		}
		time.Sleep(time.Nanosecond)
		f.ClearFaults()
		for range 2 {
			if err := readPipe(t.Context(), c); err != nil || recovered != 1 {
				t.Error(recovered, err)
			}
		}
	}, brief)
}

// If an outage ends the wait of a write, the error reports that it may have been
// applied.
func TestOutageEndsWaits(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *client) {
		contact(t, f, c)
		f.Always(hang)
		var work sync.WaitGroup
		work.Go(func() { flood(t.Context(), c, 100, 10) })
		time.Sleep(5 * time.Second)
		begun := time.Now()
		err := operations["update"].call(t.Context(), c)
		if took := time.Since(begun); took > 6*time.Second || !isAmbiguous(err) || !strings.Contains(err.Error(), "has not responded") || !strings.Contains(err.Error(), "It is not known whether the change was applied.") {
			t.Error(took, err)
		}
		work.Wait()
	}, brief)
}

// The reads that find out what is left of updates fail in an outage: the error says so.
func TestOutageDuringQuestions(t *testing.T) {
	t.Parallel()
	for cause, fault := range map[string]fault{"has not responded to any request": hang, "HTTP 503": respond(503, "")} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			f.Always(fault)
			crowd(10, 10, func(i int) {
				err := c.Do(t.Context(), askedRequest(c, pipeID(i)))
				if err == nil || !strings.Contains(err.Error(), "It is not known whether the change was applied.") || !strings.Contains(err.Error(), cause) {
					t.Errorf("%s: %v", cause, err)
				}
			})
		}, brief)
	}
}

// A 401 before any success is the last request for its organization.
func TestRejectedLoginIsRemembered(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *client) {
		f.Inject(fault{Path: mockplatform.OrganizationID, Status: 401, Delay: time.Second, Times: mockplatform.Always})
		own := 0
		for i, err := range flood(t.Context(), c, 300, 10) {
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(e.Detail(), "HTTP 401 Unauthorized") || !strings.HasSuffix(e.Detail(), "\n\nCheck key_id and key_secret.") {
				t.Fatalf("%d: %v", i, err)
			}
			if !strings.Contains(e.Detail(), "The request was not sent: the management API rejected key_id and key_secret"+inOrganization+" at ") {
				own++
			}
		}
		if n := f.Sent(""); n != 10 || own != n {
			t.Errorf("%d requests, %d errors about their own", n, own)
		}
		// Another organization and the other API are not affected.
		other := pipeNumber(c, "pipe", 0)
		other.Realm, other.Path[2] = " in organization "+mockplatform.OtherOrganizationID, mockplatform.OtherOrganizationID
		if err := c.Do(t.Context(), other); err == nil || strings.Contains(err.Error(), "401") {
			t.Error(err)
		}
		if err := operations["alert"].call(t.Context(), c); err != nil {
			t.Error(err)
		}
	})
}

// What nothing could be connected to in a run is given up after thirty seconds, however
// long retry_timeout is, and the error says where it was.
func TestNeverConnectedGivesUpEarly(t *testing.T) {
	t.Parallel()
	for name, o := range operations {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			f.Refuse(-1)
			begun := time.Now()
			err := o.call(t.Context(), c)
			took := time.Since(begun)
			if e := new(Error); !errors.As(err, &e) || took > 30*time.Second || took < 5*time.Second || isAmbiguous(err) ||
				!strings.Contains(e.Detail(), " at http://127.0.0.1. The API could not be reached: ") {
				t.Errorf("%s: after %s: %v", name, took, err)
			}
		})
	}
	bubble(t, func(t *testing.T, f *fake, c *client) {
		c.Transport().DialContext = blackHole
		begun := time.Now()
		if err := readPipe(t.Context(), c); err == nil || time.Since(begun) != 30*time.Second || !strings.Contains(err.Error(), "The API could not be reached: no connection within 30s.") {
			t.Error(time.Since(begun), err)
		}
	}, func(c *Config) { c.RequestTimeout = time.Minute })
}
