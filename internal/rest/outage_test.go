package rest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

// All objects of an API together pay for its outage once, and each error can be read alone:
// what was tried, where, what happened and what to do. The other API is not held back.
func TestOutageIsPaidForOnce(t *testing.T) {
	t.Parallel()
	const objects, retryTimeout = 20, 2 * time.Minute
	for name, test := range map[string]struct {
		fault       fault // of all requests for pipes
		contact     bool  // there was a response before
		parallelism int
		longest     time.Duration
		cause       string
		advice      string
	}{
		"5xx":                        {respond(503, `{"message":"a story"}`), false, 10, retryTimeout + time.Second, "HTTP 503 Service Unavailable", runAgain},
		"silent":                     {hang, true, 10, retryTimeout + downTimeout, "no response within ", runAgain},
		"a silent address, one each": {hang, false, 1, resttest.RequestTimeout + objects*downTimeout, "no response within ", "Check base_url, and HTTPS_PROXY if it is set."},
	} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			if test.contact {
				_ = do(t.Context(), c, "pipe")
			}
			test.fault.Path = "pipes"
			f.Always(test.fault)
			begun := time.Now()
			crowd(objects, test.parallelism, func(i int) {
				r := c.request("pipe")
				r.Subject = fmt.Sprint("pipe ", i)
				e := new(Error)
				if !errors.As(c.Do(t.Context(), r), &e) {
					t.Errorf("%s: no error", name)
					return
				}
				text, tried := e.Detail(), "Tried to read "+r.Subject+" at "+testHost+". "
				if !strings.HasPrefix(text, tried) || !strings.Contains(text, test.cause) || !strings.HasSuffix(text, "\n\n"+test.advice) {
					t.Errorf("%s: %s", name, text)
				}
			})
			if took := time.Since(begun); took > test.longest {
				t.Errorf("%s: %s", name, took)
			}
			go func() { _ = do(t.Context(), c, "pipe") }() // the one attempt at a time
			time.Sleep(time.Millisecond)
			if err := do(t.Context(), c, "alert"); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}, func(c *Config) { c.RetryTimeout = retryTimeout })
	}
}

// A limit of one object fails that object alone, and costs the others the time that it asks for, twice at the most.
func TestLimitOfOneObject(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]fault{"no wait": respond(429, ""), "a wait": respond(429, "", "Retry-After: 2"), "a long wait": respond(429, "", "Retry-After: 20")} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			limit.Path = mockplatform.KafkaPipeID
			f.Always(limit)
			f.Always(slow(time.Second, good))
			crowd(20, 10, func(i int) {
				r, begun := c.request("pipe"), time.Now()
				if i == 4 {
					r.Path = append(slices.Clone(pipePath[:6]), mockplatform.KafkaPipeID)
				}
				err, took := c.Do(t.Context(), r), time.Since(begun)
				isLate := err != nil && strings.Contains(err.Error(), "the next retry would start in ")
				if isLate != (i == 4) || (err != nil) != isLate || i != 4 && took > 25*time.Second {
					t.Errorf("%s, %d: %s, %v", name, i, took, err)
				}
			})
			if n := f.Count("", mockplatform.KafkaPipeID); n > 15 {
				t.Errorf("%s: %d requests", name, n)
			}
		}, func(c *Config) { c.RetryTimeout = 30 * time.Second })
	}
}

// A 401 before any success is the last request for its organization.
func TestRejectedLoginIsRemembered(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *client) {
		f.Always(respond(401, ""))
		for _, tenant := range []string{" in organization a", " in organization b", " in organization a"} {
			r := c.request("pipe")
			r.Tenant = tenant
			if err := c.Do(t.Context(), r); err == nil || !strings.Contains(err.Error(), "HTTP 401 Unauthorized") || !strings.HasSuffix(err.Error(), " Check key_id and key_secret.") {
				t.Errorf("%s: %v", tenant, err)
			}
		}
		if n := f.Sent(""); n != 2 {
			t.Errorf("%d requests", n)
		}
	})
}
