package rest

import (
	"context"
	"strings"
	"testing"
	"time"
)

// What may become of an attempt.
var (
	notSent     = &Error{Kind: NotSent}
	noResponse  = &Error{Kind: NoResponse}
	interrupted = &Error{Kind: Interrupted}
	unreadable  = &Error{Kind: Unreadable, Status: 200}
	status503   = &Error{Kind: Temporary, Status: 503}
	status404   = &Error{Kind: Final, Status: 404}
	status401   = &Error{Kind: Final, Status: 401}
	status429   = &Error{Kind: RateLimited, Status: 429}
	success     *Error
)

// requesting is a failure that requests a wait with a header.
func requesting(failed *Error, wait time.Duration, header string) *Error {
	e := *failed
	e.requested, e.requestedWith = wait, header
	return &e
}

// api is the state of an API at one moment of a test.
type api struct {
	*testing.T
	state
	now time.Time
}

const (
	second          = time.Second
	testRetry       = time.Minute // retry_timeout
	silent, badUser = "every request to the management API has failed since 03:0", "the management API rejected key_id and key_secret in organization a at 03:0"
)

func newAPI(t *testing.T, retryTimeout time.Duration) *api {
	about := About{Name: "management API", URLSetting: "base_url", Credentials: "key_id and key_secret", Unauthorized: "Check key_id and key_secret."}
	gate := newGate(nil, about, Config{RetryTimeout: retryTimeout, Random: func() float64 { return 1 }})
	return &api{t, gate.state, time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)}
}

func (a *api) pass(d time.Duration) { a.now = a.now.Add(d) }

// call is one that has sent no attempt yet.
func (a *api) call() *ticket {
	return &ticket{realm: " in organization a", end: a.now.Add(testRetry)}
}

// sent is a call with an attempt under way.
func (a *api) sent(again ...*ticket) *ticket {
	a.Helper()
	t := a.call()
	if len(again) > 0 {
		t = again[0]
	}
	a.wants(t, 0, "")
	a.begin(t, a.now)
	return t
}

func (a *api) ends(t *ticket, failed *Error) {
	ended := &attempt{failed: failed}
	if failed == nil || failed.Status != 0 {
		ended.response = &Response{}
	}
	a.observe(t, ended, a.now)
}

// gets sends an attempt that ends after a second.
func (a *api) gets(failed *Error) *ticket {
	a.Helper()
	t := a.sent()
	a.pass(second)
	a.ends(t, failed)
	return t
}

// only lets all requests of a time end in the same way.
func (a *api) only(failed *Error, d time.Duration) {
	a.Helper()
	for end := a.now.Add(d); a.now.Before(end); {
		a.gets(failed)
	}
}

// wants checks what the next attempt of a call has to wait for, or is refused with.
func (a *api) wants(t *ticket, wait time.Duration, refusal string) {
	a.Helper()
	got, err := a.decide(t, a.now)
	if got != wait || (err == nil) != (refusal == "") || err != nil && !strings.Contains(err.Error(), refusal) {
		a.Errorf("waits %s, refused with %v; want %s, %q", got, err, wait, refusal)
	}
}

// TestState is what an API's responses mean for the next attempt, row by row.
func TestState(t *testing.T) {
	t.Parallel()
	limited := func(wait time.Duration) *Error { return requesting(status429, wait, "Retry-After") }
	for name, row := range map[string]func(a *api){
		"nothing is held back before the first 429": func(a *api) {
			a.sent()
			a.gets(success)
			a.wants(a.call(), 0, "")
		},
		"429: all wait, one goes first, and the others follow with a gap": func(a *api) {
			a.gets(limited(7 * second))
			a.pass(6 * second)
			a.wants(a.call(), second, "")
			a.pass(second)
			probe := a.sent()
			a.pass(second)
			a.wants(a.call(), forever, "")
			a.ends(probe, success)
			a.wants(a.call(), minGap, "")
			a.pass(minGap)
			a.sent()
			a.wants(a.call(), minGap, "")
		},
		"429 that requests no wait: a backoff, which starts again once one has passed": func(a *api) {
			for _, wait := range []time.Duration{maxFirstWait, 2 * maxFirstWait} {
				a.gets(status429)
				a.wants(a.call(), wait, "")
				a.pass(wait)
			}
			a.gets(success)
			a.pass(second)
			a.gets(status429)
			a.wants(a.call(), maxFirstWait, "")
		},
		"429: another one widens the gap by half, and a success narrows it by a sixtieth": func(a *api) {
			for _, gap := range []time.Duration{minGap, minGap * 3 / 2} {
				a.gets(limited(second))
				a.pass(second)
				a.ends(a.sent(), success)
				a.wants(a.call(), gap, "")
				a.pass(second)
			}
			a.gets(success)
			a.sent()
			a.wants(a.call(), minGap*3/2*59/60, "")
		},
		"429: the gap has an upper and a lower bound": func(a *api) {
			for range 30 {
				a.gets(limited(second))
				a.pass(second)
				a.ends(a.sent(), success)
				a.pass(maxGap)
			}
			a.sent()
			a.wants(a.call(), maxGap, "")
			for range 1000 {
				a.pass(maxGap)
				a.ends(a.sent(), success)
			}
			a.pass(maxGap)
			a.gets(limited(second))
			a.pass(second)
			a.ends(a.sent(), success)
			a.wants(a.call(), minGap, "")
		},
		"429 of a request that was sent before the last one: only prolongs the wait": func(a *api) {
			first, other, last := a.sent(), a.sent(), a.sent()
			a.pass(second)
			a.ends(first, limited(2*second))
			a.ends(other, limited(second))
			a.wants(a.call(), 2*second, "")
			a.ends(last, limited(3*second))
			a.wants(a.call(), 3*second, "")
			a.pass(3 * second)
			a.ends(a.sent(), success)
			a.wants(a.call(), minGap, "")
		},
		"429 of the request that went first: it came too early, whatever the gap": func(a *api) {
			a.gets(limited(second))
			a.pass(second)
			a.gets(limited(9 * second))
			a.wants(a.call(), 9*second, "")
			a.pass(9 * second)
			a.ends(a.sent(), success)
			a.wants(a.call(), minGap, "")
		},
		"429: one that goes first without a response is followed by another": func(a *api) {
			a.gets(limited(second))
			a.pass(second)
			a.gets(noResponse)
			a.sent()
			a.wants(a.call(), forever, "")
		},
		"429: a response to an earlier request lets nobody through": func(a *api) {
			earlier := a.sent()
			a.gets(limited(second))
			a.pass(second)
			a.sent()
			a.ends(earlier, success)
			a.wants(a.call(), forever, "")
		},
		"429: a wait beyond the end of a call is not begun, and has its reason": func(a *api) {
			late := a.call()
			a.gets(requesting(status429, testRetry, "RateLimit-Reset"))
			a.wants(late, 0, "the API is rate limiting requests (HTTP 429, RateLimit-Reset), and the request would start in 1m0s, after the end of retry_timeout (1m0s)")
			a.wants(a.call(), testRetry, "")
		},
		"429 that requests more than retry_timeout: none waits for it, and it holds for retry_timeout": func(a *api) {
			a.gets(limited(1000 * time.Hour))
			a.pass(testRetry - 1)
			a.wants(a.call(), 0, "the request would start in 999h59m0s")
			a.pass(1)
			a.gets(success)
			a.pass(second)
			a.sent()
		},
		"down: one attempt at a time, and whoever has failed is over": func(a *api) {
			a.gets(success)
			failed := a.gets(noResponse)
			a.only(noResponse, testRetry-2*second)
			again := a.sent(failed)
			a.pass(second)
			a.wants(a.call(), 0, silent)
			a.ends(again, notSent)
			a.wants(again, 0, silent)
			probe := a.sent()
			a.wants(a.call(), 0, silent)
			a.ends(probe, status503)
			a.wants(probe, 0, silent)
			a.sent()
		},
		"down: until any response but a 5xx": func(a *api) {
			for _, other := range []*Error{success, status404, status401, unreadable, status429} {
				a.logins[" in organization a"] = nil
				a.only(status503, testRetry)
				probe := a.gets(status503)
				a.wants(probe, 0, silent)
				a.ends(a.sent(), other)
				if err := a.refusal(probe, a.now); err != nil {
					a.Error(other, err)
				}
			}
		},
		"down: after thirty seconds if nothing was ever returned": func(a *api) {
			a.only(notSent, firstPatience-second)
			failed := a.gets(noResponse)
			a.wants(failed, 0, silent)
		},
		"down: after retry_timeout if anything was ever returned": func(a *api) {
			a.only(status503, testRetry-second)
			failed := a.gets(noResponse)
			a.wants(failed, 0, silent)
		},
		"down: not before, however little is missing": func(a *api) {
			failed := a.gets(status503)
			a.pass(testRetry - second - 1)
			a.wants(failed, 0, "")
			a.pass(1)
			a.wants(failed, 0, silent)
		},
		"one object that fails is no outage while others are answered": func(a *api) {
			failed := a.call()
			for range 100 {
				a.sent(failed)
				a.pass(second)
				a.gets(success)
				a.ends(failed, noResponse)
			}
			a.wants(failed, 0, "")
		},
		"an attempt that took longer than others began before them": func(a *api) {
			a.gets(success)
			long := a.sent()
			a.pass(30 * second)
			a.only(noResponse, 29*second)
			failed := a.gets(noResponse)
			a.wants(failed, 0, "")
			a.ends(long, noResponse)
			a.wants(failed, 0, silent)
		},
		"down: an attempt that begins meanwhile is short": func(a *api) {
			a.only(notSent, firstPatience-second)
			if before := a.gets(notSent); before.whileDown {
				a.Error("short before the outage")
			}
			if meanwhile := a.gets(notSent); !meanwhile.whileDown {
				a.Error("not short")
			}
			a.pass(maxWait)
			if later := a.gets(success); later.whileDown {
				a.Error("short after idle time")
			}
			if after := a.gets(success); after.whileDown {
				a.Error("short after the outage")
			}
		},
		"an interrupt is no failure": func(a *api) {
			a.only(interrupted, 2*testRetry)
			a.wants(a.gets(interrupted), 0, "")
		},
		"401 before a success: nothing more for that organization": func(a *api) {
			a.gets(status401)
			a.pass(time.Hour)
			a.wants(a.call(), 0, badUser)
			a.wants(&ticket{realm: " in organization b"}, 0, "")
		},
		"401 after a success: an error like any other": func(a *api) {
			a.gets(success)
			a.wants(a.gets(status401), 0, "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row(newAPI(t, testRetry))
		})
	}
}

// With a retry_timeout of 0, a rejected login counts and nothing else.
func TestStateWithoutRetries(t *testing.T) {
	t.Parallel()
	a := newAPI(t, 0)
	for _, failed := range []*Error{requesting(status429, time.Hour, "Retry-After"), status503, noResponse, notSent} {
		a.only(failed, 10*second)
	}
	a.gets(status401)
	a.wants(a.call(), 0, badUser)
}

// What follows an attempt.
func TestPolicy(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	var (
		once  = Request{Unrepeatable: true}
		asked = Request{Ask: func(context.Context) (bool, error) { return true, nil }}
	)
	for name, test := range map[string]struct {
		r            Request
		failed       *Error
		left, budget time.Duration
		want         decision
		because      string
	}{
		"a final status":                {Request{}, status404, minute, minute, decision{}, ""},
		"a 5xx":                         {Request{}, status503, minute, minute, decision{again: true, wait: maxFirstWait}, ""},
		"a 5xx that requests a wait":    {Request{}, requesting(status503, 2*second, "Retry-After"), minute, minute, decision{again: true, wait: 2 * second}, ""},
		"a 5xx, unrepeatable":           {once, status503, minute, minute, decision{}, ""},
		"a 5xx, asked":                  {asked, status503, minute, minute, decision{again: true, wait: maxFirstWait}, ""},
		"a lost response":               {Request{}, noResponse, minute, minute, decision{again: true, wait: maxFirstWait}, ""},
		"a lost response, unrepeatable": {once, noResponse, minute, minute, decision{}, ""},
		"not sent, unrepeatable":        {once, notSent, minute, minute, decision{again: true, wait: maxFirstWait}, ""},
		"a 429, unrepeatable":           {once, status429, minute, minute, decision{again: true}, ""},
		"an unreadable 2xx":             {Request{}, unreadable, minute, minute, decision{}, ""},
		"an unreadable 2xx, asked":      {asked, unreadable, minute, minute, decision{again: true, wait: maxFirstWait}, ""},
		"an interrupt":                  {asked, interrupted, minute, minute, decision{}, ""},
		"no retries":                    {Request{}, status503, minute, 0, decision{}, ""},
		"just enough time left":         {Request{}, status503, maxFirstWait, minute, decision{again: true, wait: maxFirstWait}, ""},
		"too little time left":          {Request{}, status503, maxFirstWait - 1, minute, decision{}, "the next retry would start in 500ms, after the end of retry_timeout (1m0s)"},
		"a requested wait that is too long": {Request{}, requesting(status503, 2*minute, "Retry-After"), minute, minute, decision{},
			"the next retry would start in 2m0s (Retry-After), after the end of retry_timeout (1m0s)"},
		"a 429 that requests too much": {Request{}, requesting(status429, 2*minute, "RateLimit-Reset"), minute, minute, decision{}, "the next retry would start in 2m0s (RateLimit-Reset)"},
	} {
		b := &backoff{random: func() float64 { return 1 }}
		got := policy(&test.r, []*Error{test.failed}, b, test.left, test.budget)
		because := ""
		if got.because != nil {
			because = got.because.Error()
		}
		if got.again != test.want.again || got.wait != test.want.wait || (because == "") != (test.because == "") || !strings.Contains(because, test.because) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
