package rest

import (
	"fmt"
	"strings"
	"testing"
	"time"

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
				r := c.request("pipe")
				r.Subject = fmt.Sprint("pipe ", i)
				says := failure(t, c.Do(t.Context(), r)).Detail()
				isWhole := strings.HasPrefix(says, "Tried to read "+r.Subject+" at "+testHost+". ") && strings.HasSuffix(says, "\n\n"+test.advice)
				if !isWhole || !strings.Contains(says, test.cause) || strings.Contains(says, "could not be reached") {
					t.Errorf("%s: %s", name, says)
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
