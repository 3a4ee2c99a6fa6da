package rest

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// What a call may send during an outage, and when, is a table: TestState. These tests are
// about many calls at a time.

func pipeID(i int) string { return fmt.Sprintf("40000000-0000-4000-8000-%012d", i) }

// pipeNumber reads another pipe.
func pipeNumber(c *client, i int) *Request {
	r := readPipeRequest(c)
	r.Path[len(r.Path)-1] = pipeID(i)
	r.Subject = strings.Replace(r.Subject, testPipe, pipeID(i), 1)
	return r
}

// flood reads n pipes, and returns their errors by number.
func flood(t *testing.T, c *client, n, parallelism int) []*Error {
	errs := make([]*Error, n)
	crowd(n, parallelism, func(i int) { _ = errors.As(c.Do(t.Context(), pipeNumber(c, i)), &errs[i]) })
	return errs
}

// brief is a client that soon gives up.
func brief(c *Config) { c.RetryTimeout, c.RequestTimeout = 8*time.Second, 2*time.Second }

// All objects together pay for an outage once, and each error can be read alone: what was
// tried, where, what happened and what to do.
func TestOutageIsPaidForOnce(t *testing.T) {
	t.Parallel()
	const check = "Check base_url, and HTTPS_PROXY if it is set."
	for name, test := range map[string]struct {
		fault       fault
		refused     int
		contact     bool
		parallelism int
		change      func(*Config)
		longest     time.Duration
		cause       string
		advice      string
	}{
		"refused":                   {good, -1, true, 10, brief, 15 * time.Second, "connection refused", runAgain},
		"refused, one at a time":    {good, -1, true, 1, brief, 15 * time.Second, "connection refused", runAgain},
		"5xx":                       {respond(503, `{"message":"a story"}`), 0, false, 10, brief, 15 * time.Second, "HTTP 503 Service Unavailable", runAgain},
		"5xx, one at a time":        {respond(503, ""), 0, false, 1, brief, 15 * time.Second, "HTTP 503 Service Unavailable", runAgain},
		"silent":                    {hang, 0, true, 10, brief, 15 * time.Second, "no response within ", runAgain},
		"a wrong address":           {good, -1, false, 10, nil, 35 * time.Second, "connection refused", check},
		"a wrong address, one":      {good, -1, false, 1, nil, 35 * time.Second, "connection refused", check},
		"an address that is silent": {hang, 0, false, 10, nil, 60 * time.Second, "no response within ", check},
	} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			if test.contact {
				contact(t, f, c)
			}
			f.Refuse(test.refused)
			f.Always(test.fault)
			begun := time.Now()
			errs := flood(t, c, 60, test.parallelism)
			if took := time.Since(begun); took > test.longest {
				t.Errorf("%s: %s", name, took)
			}
			for i, e := range errs {
				if e == nil {
					t.Fatalf("%s: %d: no error", name, i)
				}
				text, tried := e.Detail(), "Tried to read pipe "+pipeID(i)+" of service "+testService+inOrganization+" at "+testHost+". "
				if !strings.HasPrefix(text, tried) || !strings.Contains(text, test.cause) || !strings.HasSuffix(text, "\n\n"+test.advice) || strings.Contains(text, "interrupted") {
					t.Fatalf("%s: %d: %s", name, i, text)
				}
			}
			t.Logf("%s: %s, %d requests", name, time.Since(begun), f.Sent(""))
		}, func(c *Config) {
			if test.change != nil {
				test.change(c)
			}
		})
	}
}

// While an API is down and an attempt is under way, calls send nothing, so that their errors
// are not ambiguous. The other API is not affected, and the first response ends the outage.
func TestOutageBeginsAndEnds(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *client) {
		f.Refuse(-1)
		flood(t, c, 1, 1)
		time.Sleep(8 * time.Second)
		f.Refuse(0)
		f.InjectEach(slow(time.Second, good))
		go func() { _ = readPipe(t.Context(), c) }()
		time.Sleep(time.Second / 2)
		for name, o := range operations {
			if name == "alert" {
				continue
			}
			if err := o.call(t.Context(), c); err == nil || isAmbiguous(err) || !strings.Contains(err.Error(), "The request was not sent: every request to the management API has failed since ") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := operations["alert"].call(t.Context(), c); err != nil || f.Sent("") != 2 {
			t.Errorf("%d requests: %v", f.Sent(""), err)
		}
		time.Sleep(time.Second)
		for _, err := range flood(t, c, 20, 10) {
			if err != nil && err.Status != http.StatusNotFound {
				t.Error(err)
			}
		}
	}, brief)
}

// If an outage ends the wait of a write, the error says that it may have been applied; for
// one that asks, beside the read that fails.
func TestOutageEndsWaits(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]operation{"update": operations["update"], "asked": operations["asked"]} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			contact(t, f, c)
			f.Always(hang)
			go flood(t, c, 1, 1)
			time.Sleep(5 * time.Second)
			begun := time.Now()
			err := o.call(t.Context(), c)
			if took := time.Since(begun); took > 6*time.Second || !isAmbiguous(err) || !strings.Contains(err.Error(), "has failed since") || !strings.Contains(err.Error(), "It is not known whether the change was applied.") {
				t.Error(name, took, err)
			}
		}, brief)
	}
}

// A 401 before any success is the last request for its organization.
func TestRejectedLoginIsRemembered(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *client) {
		f.Inject(fault{Path: mockplatform.OrganizationID, Status: 401, Delay: time.Second, Times: mockplatform.Always})
		own := 0
		for i, e := range flood(t, c, 300, 10) {
			if e == nil || !strings.Contains(e.Detail(), "HTTP 401 Unauthorized") || !strings.HasSuffix(e.Detail(), "\n\nCheck key_id and key_secret.") {
				t.Fatalf("%d: %v", i, e)
			}
			if !strings.Contains(e.Detail(), "The request was not sent: the management API rejected key_id and key_secret"+inOrganization+" at ") {
				own++
			}
		}
		if n := f.Sent(""); n != 10 || own != n {
			t.Errorf("%d requests, %d errors about their own", n, own)
		}
	})
}
