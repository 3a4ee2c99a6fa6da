package rest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// What may become of an attempt.
var (
	refusedDial = &Error{Kind: NotSent}
	noResponse  = &Error{Kind: NoResponse}
	status503   = &Error{Kind: Temporary, Status: 503}
	status404   = &Error{Kind: Final, Status: 404}
	status401   = &Error{Kind: Final, Status: 401}
	status429   = &Error{Kind: RateLimited, Status: 429}
	success     *Error
)

// after429 is a 429 that requests a wait with a header.
func after429(wait time.Duration, header string) *Error {
	return &Error{Kind: RateLimited, Status: 429, requested: wait, requestedWith: header}
}

// ended is an attempt that has ended with an error, nil for none.
func ended(became *Error) *attempt {
	a := &attempt{failed: became}
	if became == nil || became.Status != 0 {
		a.response = &Response{}
	}
	a.connected.Store(became == nil || became.Kind != NotSent)
	return a
}

// patient is an API at one moment of a test.
type patient struct {
	t *testing.T
	*health
	now time.Time
}

func newPatient(t *testing.T, limit time.Duration) *patient {
	return &patient{t, &testGate(limit).health, time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)}
}

func (p *patient) pass(d time.Duration) { p.now = p.now.Add(d) }

// attempt sends the next attempt of a call, and reports what became of it after a second.
func (p *patient) attempt(c *caller, became *Error) {
	p.t.Helper()
	p.begin(c)
	p.pass(time.Second)
	p.end(c, became)
}

func (p *patient) begin(c *caller) {
	p.t.Helper()
	if wait, err := p.decide(c, p.now); wait != 0 || err != nil {
		p.t.Errorf("an attempt has to wait %s: %v", wait, err)
	}
	p.count(c, p.now)
}

func (p *patient) end(c *caller, became *Error) (recovered bool) {
	_, recovered = p.observe(c, ended(became), p.now)
	return recovered
}

// wants checks what the next attempt of a call has to wait for, or is refused with.
func (p *patient) wants(c *caller, wait time.Duration, refusal string) {
	p.t.Helper()
	got, err := p.decide(c, p.now)
	if got != wait || (err == nil) != (refusal == "") || err != nil && !strings.Contains(err.Error(), refusal) {
		p.t.Errorf("waits %s, refused with %v; want %s, %q", got, err, wait, refusal)
	}
}

// call is a call to an address that has sent no attempt yet.
func callTo(address string) *caller { return &caller{address: address, realm: " in organization a"} }

// contactOf is until when a call may try to connect.
func (p *patient) contactOf(c *caller) time.Time {
	p.limitContact(c)
	return c.contact
}

// fail lets calls to n addresses fail one after the other for a time.
func (p *patient) fail(n int, became *Error, d time.Duration) {
	p.t.Helper()
	for end, i := p.now.Add(d), 0; p.now.Before(end); i++ {
		p.attempt(callTo(string(rune('a'+i%n))), became)
	}
}

const (
	silent  = "the management API has not responded to any request since 03:0"
	erring  = "the management API has returned only server errors (HTTP 5xx) since 03:0"
	badUser = "the management API rejected key_id and key_secret in organization a at 03:0"
)

// TestHealth is what a call may send, and when, row by row.
func TestHealth(t *testing.T) {
	t.Parallel()
	const limit, once = time.Minute, 20 * time.Second
	second := func(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
	rows := map[string]func(p *patient){
		"429 with Retry-After: all wait, one goes first, the others follow at a rate": func(p *patient) {
			p.attempt(callTo("a"), after429(second(7), "Retry-After"))
			p.pass(second(6))
			p.wants(callTo("b"), second(1), "")
			p.pass(second(1))
			first := callTo("b")
			p.begin(first)
			p.wants(callTo("c"), forever, "")
			p.end(first, success)
			p.wants(callTo("c"), second(1/initialRate), "")
			p.pass(second(1 / initialRate))
			p.attempt(callTo("c"), success)
		},
		"429 without Retry-After: a short backoff": func(p *patient) {
			p.attempt(callTo("a"), status429)
			if wait, err := p.decide(callTo("b"), p.now); wait <= 0 || wait > maxFirstWait || err != nil {
				p.t.Error(wait, err)
			}
		},
		"429 with RateLimit-Reset: named as the reason": func(p *patient) {
			p.attempt(callTo("a"), after429(second(7), "RateLimit-Reset"))
			late := callTo("b")
			late.end = p.now.Add(second(5))
			p.wants(late, 0, "the API is rate limiting requests (HTTP 429, RateLimit-Reset), and the request would start in 7s, after the end of retry_timeout (1m0s)")
		},
		"429 that requests more than retry_timeout: no call waits for it, and none is refused for longer": func(p *patient) {
			bounded := func() *caller {
				c := callTo("b")
				c.end = p.now.Add(limit)
				return c
			}
			p.attempt(callTo("a"), after429(1000*time.Hour, "Retry-After"))
			p.wants(callTo("c"), limit, "") // without an end
			p.wants(bounded(), 0, "the request would start in 41 days, after the end of retry_timeout (1m0s)")
			p.pass(limit - 1)
			p.wants(bounded(), 0, "the request would start in 41 days")
			p.pass(1)
			probe := bounded()
			p.begin(probe)
			p.end(probe, after429(second(7), "Retry-After"))
			p.wants(bounded(), second(7), "")
			p.pass(second(7))
			p.attempt(bounded(), success)
		},
		"429 that requests a longer wait than the one before it": func(p *patient) {
			p.attempt(callTo("a"), after429(second(1), "Retry-After"))
			p.pass(second(1))
			p.attempt(callTo("b"), after429(second(9), "Retry-After"))
			p.wants(callTo("c"), second(9), "")
		},
		"429: a probe without a response is followed by another": func(p *patient) {
			p.attempt(callTo("a"), after429(second(1), "Retry-After"))
			p.pass(second(1))
			p.attempt(callTo("b"), noResponse)
			p.begin(callTo("c"))
			p.wants(callTo("d"), forever, "")
		},
		"429: one that was sent before only prolongs the wait, and the rate is lowered once": func(p *patient) {
			p.attempt(callTo("a"), after429(second(1), "Retry-After"))
			p.pass(second(1))
			p.attempt(callTo("a"), success)
			p.pass(second(1))
			first, straggler := callTo("a"), callTo("b")
			p.begin(first)
			p.pass(second(1))
			p.begin(straggler)
			before := p.pace.rate
			p.end(first, after429(second(1), "Retry-After"))
			lowered := p.pace.rate
			p.end(straggler, after429(second(3), "Retry-After"))
			p.wants(callTo("c"), second(3), "")
			if lowered >= before || p.pace.rate != lowered {
				p.t.Errorf("%v requests per second, then %v, then %v", before, lowered, p.pace.rate)
			}
			p.pass(second(3))
			p.attempt(callTo("c"), after429(second(1), "Retry-After")) // the probe came too early
			if p.pace.rate != lowered {
				p.t.Errorf("a rejected probe lowered the rate to %v", p.pace.rate)
			}
		},
		"down: refused for ten seconds, then one attempt at a time": func(p *patient) {
			p.attempt(callTo("x"), success)
			p.fail(3, noResponse, limit)
			p.wants(callTo("a"), 0, silent)
			p.pass(holdOff - 1)
			p.wants(callTo("a"), 0, silent)
			p.pass(1)
			again := callTo("a")
			again.attempts = 1
			p.wants(again, 0, silent)
			probe := callTo("a")
			p.begin(probe)
			p.wants(callTo("b"), 0, silent)
			p.pass(second(1))
			p.end(probe, noResponse)
			p.wants(callTo("b"), 0, silent)
		},
		"down: not with fewer than three addresses that accept connections": func(p *patient) {
			p.attempt(callTo("x"), success)
			p.fail(2, noResponse, 2*limit)
			p.wants(callTo("a"), 0, "")
		},
		"down: with one address that cannot be connected to": func(p *patient) {
			p.attempt(callTo("x"), success)
			p.fail(1, refusedDial, limit-second(1))
			p.wants(callTo("a"), 0, "")
			p.fail(1, refusedDial, second(1))
			p.wants(callTo("a"), 0, silent)
		},
		"never connected: down after thirty seconds": func(p *patient) {
			p.fail(1, refusedDial, firstContact-second(1))
			p.wants(callTo("a"), 0, "")
			p.fail(1, refusedDial, second(1))
			p.wants(callTo("a"), 0, silent)
			if c := (&caller{first: p.now}); p.contactOf(c) != p.now.Add(firstContact) {
				p.t.Error(p.contactOf(c))
			}
		},
		"never responded, but connected: nothing is tried again after one request_timeout": func(p *patient) {
			again := callTo("a")
			p.fail(1, noResponse, once-second(1))
			p.attempt(again, noResponse)
			p.wants(again, 0, silent)
			p.wants(callTo("a"), 0, "")
			p.attempt(callTo("b"), noResponse)
			p.attempt(callTo("c"), refusedDial)
			p.wants(callTo("d"), 0, silent) // three addresses: down
		},
		"never responded: the first response ends it": func(p *patient) {
			p.fail(1, noResponse, once)
			again := callTo("a")
			p.attempt(again, status503)
			p.wants(again, 0, "")
			p.fail(2, noResponse, limit-second(2))
			p.wants(again, 0, "")
		},
		"responded to before: no other limit": func(p *patient) {
			p.attempt(callTo("a"), status503)
			if !p.contactOf(&caller{first: p.now}).IsZero() {
				p.t.Error("thirty seconds")
			}
		},
		"failing: each call has one attempt": func(p *patient) {
			p.fail(1, status503, limit)
			again := callTo("a")
			p.attempt(again, status503)
			p.wants(again, 0, erring)
			p.wants(callTo("a"), 0, "")
		},
		"a 404 ends an outage": func(p *patient) {
			p.fail(1, status503, limit)
			probe := callTo("a")
			p.begin(probe)
			if !p.end(probe, status404) || p.end(probe, status404) {
				p.t.Error("not recovered once")
			}
			probe.attempts = 7
			p.wants(probe, 0, "")
		},
		"a 429 ends an outage": func(p *patient) {
			p.attempt(callTo("x"), success)
			p.fail(3, noResponse, limit)
			p.pass(holdOff)
			p.attempt(callTo("a"), after429(second(7), "Retry-After"))
			p.wants(callTo("b"), second(7), "")
		},
		"never connected, then a 5xx: failing": func(p *patient) {
			p.fail(1, refusedDial, firstContact)
			p.pass(holdOff)
			p.attempt(callTo("a"), status503)
			p.wants(callTo("a"), 0, "")
		},
		"a 5xx makes an API that was down one that is failing": func(p *patient) {
			p.attempt(callTo("x"), success)
			p.fail(3, noResponse, limit)
			p.pass(holdOff)
			p.attempt(callTo("a"), status503)
			again := callTo("a")
			again.attempts = 1
			p.wants(again, 0, erring)
			p.wants(callTo("b"), 0, "")
		},
		"failures with idle time between them are no outage": func(p *patient) {
			p.attempt(callTo("a"), refusedDial)
			p.pass(time.Hour)
			p.attempt(callTo("a"), refusedDial)
			p.wants(callTo("a"), 0, "")
		},
		"an interrupt is no failure": func(p *patient) {
			p.fail(3, &Error{Kind: Interrupted}, 2*limit)
			p.wants(callTo("a"), 0, "")
		},
		"401 before a success: nothing more for that organization": func(p *patient) {
			p.attempt(callTo("a"), status401)
			p.pass(time.Hour)
			p.wants(callTo("a"), 0, badUser)
			p.wants(&caller{realm: " in organization b"}, 0, "")
		},
		"401 after a success: an error like any other": func(p *patient) {
			p.attempt(callTo("a"), success)
			p.attempt(callTo("a"), status401)
			p.wants(callTo("a"), 0, "")
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row(newPatient(t, limit))
		})
	}
}

// With a retry_timeout of 0 nothing is held back or refused, but for a rejected login.
func TestHealthWithoutRetries(t *testing.T) {
	t.Parallel()
	p := newPatient(t, 0)
	for _, became := range []*Error{after429(time.Hour, "Retry-After"), status503, noResponse, refusedDial} {
		p.fail(3, became, time.Hour)
	}
	p.wants(callTo("a"), 0, "")
	p.attempt(callTo("a"), status401)
	p.wants(callTo("a"), 0, "rejected key_id and key_secret in organization a at ")
}

// What follows an attempt.
func TestPolicy(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	refused := errors.New("refused")
	late := &Error{Kind: Temporary, Status: 503, requested: 2 * minute, requestedWith: "Retry-After"}
	unreadable := &Error{Kind: Unreadable, Status: 200}
	tests := map[string]struct {
		failed               *Error
		nonIdempotent, asked bool
		left                 time.Duration
		refused              error
		again                bool
		because              string
	}{
		"a final status":                  {status404, false, false, minute, nil, false, ""},
		"a 5xx":                           {status503, false, false, minute, nil, true, ""},
		"a 5xx, not idempotent":           {status503, true, false, minute, nil, false, ""},
		"a 5xx, asked":                    {status503, false, true, minute, nil, true, ""},
		"a 2xx that cannot be read":       {unreadable, false, false, minute, nil, false, ""},
		"the same, asked":                 {unreadable, false, true, minute, nil, true, ""},
		"a lost response, not idempotent": {noResponse, true, false, minute, nil, false, ""},
		"not sent, not idempotent":        {refusedDial, true, false, minute, nil, true, ""},
		"a 429, not idempotent":           {status429, true, false, minute, nil, true, ""},
		"no retries":                      {status503, false, false, -1, nil, false, ""},
		"no time left":                    {status503, false, false, 0, nil, false, "the next retry would start in "},
		"a wait beyond the end":           {late, false, false, minute, nil, false, "the API requested a wait of 2m0s (Retry-After), which ends after the end"},
		"a 429 beyond the end":            {after429(2*minute, "RateLimit-Reset"), false, false, minute, nil, false, "the API requested a wait of 2m0s (RateLimit-Reset)"},
		"refused":                         {status503, false, false, minute, refused, false, "refused"},
		"refused, but final anyway":       {status404, false, false, minute, refused, false, ""},
	}
	for name, test := range tests {
		r := &Request{NonIdempotent: test.nonIdempotent}
		if test.asked {
			r.Ask = func(ctx context.Context) (bool, error) { return true, nil }
		}
		b := newBackoff(nil)
		got := policy(r, []*Error{test.failed}, &b, test.left, "the end", test.refused)
		because := ""
		if got.because != nil {
			because = got.because.Error()
		}
		if got.again != test.again || (because == "") != (test.because == "") || !strings.Contains(because, test.because) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
