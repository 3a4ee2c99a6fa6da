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
	const retryTimeout, address = 2 * time.Minute, "Check base_url, and HTTPS_PROXY if it is set." + orRunAgain
	for name, test := range map[string]struct {
		fault   fault // of all requests for pipes
		contact bool  // there was a response before
		longest time.Duration
		cause   string
		advice  string
	}{
		"5xx":              {respond(503, `{"requestId":"`+testUUID+`","message":"a story"}`), false, retryTimeout + time.Second, ": a story.", runAgain},
		"a gateway":        {respond(502, "<h1>Bad Gateway"), false, firstPatience + time.Second, "HTTP 502 Bad Gateway, an HTML page: Bad Gateway", address},
		"silent":           {hang, true, retryTimeout + resttest.RequestTimeout, "no response within ", runAgain},
		"a silent address": {hang, false, 2 * resttest.RequestTimeout, "no response within ", address},
	} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			if test.contact {
				_ = do(t.Context(), c, "pipe")
			}
			test.fault.Path = "pipes"
			f.Always(test.fault)
			begun := time.Now()
			crowd(20, 10, func(i int) {
				r, e := c.request("pipe"), new(Error)
				r.Subject = fmt.Sprint("pipe ", i)
				tried := "Tried to read " + r.Subject + " at " + testHost + ". "
				if !errors.As(c.Do(t.Context(), r), &e) || !strings.HasPrefix(e.Detail(), tried) || !strings.Contains(e.Detail(), test.cause) || !strings.HasSuffix(e.Detail(), "\n\n"+test.advice) || strings.Contains(e.Detail(), "could not be reached") {
					t.Errorf("%s: %s", name, e.Detail())
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

// A limit of one object fails that object alone, and costs the others the time that it asks for, twice
// at the most.
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
				isLate := err != nil && strings.Contains(err.Error(), "Gave up after ")
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
