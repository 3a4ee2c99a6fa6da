package rest

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// ends are the ways in which an attempt may end.
var ends = map[string]*Error{
	"ok":         nil,
	"unsent":     {Kind: NotSent},
	"lost":       {Kind: NoResponse},
	"interrupt":  {Kind: Interrupted},
	"unreadable": {Kind: Unreadable, Status: 200},
	"401":        {Kind: Final, Status: 401},
	"401p":       {Kind: Final, Status: 401, Foreign: htmlPage},
	"404":        {Kind: Final, Status: 404},
	"429":        {Kind: RateLimited, Status: 429, Message: "slow down"},
	"409":        {Kind: Busy, Status: 409},
	"502":        {Kind: Temporary, Status: 502, Foreign: htmlPage},
	"503":        {Kind: Temporary, Status: 503},
}

// A script is what happens to an API, step by step:
//
//	+7s          time passes
//	ok, 429/7s   a new call sends an attempt, which ends like that a second later
//	30s*lost     one attempt after the other ends like that, for so long
//	a:>          call a sends an attempt
//	a:ok         it ends like that
//	a?7s         call a would have to wait so long, or is refused: down, late, rejected
//	?7s          a new call would; other?7s: one of another organization
type script struct {
	*testing.T
	client *Client
	api    *API
	now    time.Time
	calls  map[string]*Call
}

const testRetry = time.Minute // retry_timeout

// testNow is three o'clock, in a bubble.
func testNow() time.Time { return time.Now().UTC().Add(3 * time.Hour) }

// refusals are the words of the errors of those who are refused.
var refusals = map[string]string{
	"down":     "every request to the management API has failed since 03:0",
	"rejected": "the management API rejected key_id and key_secret in organization a at 03:0",
	"late":     "the API is rate limiting requests (HTTP 429 Too Many Requests: slow down), and the next attempt could start at 03:0",
}

func play(t *testing.T, retryTimeout time.Duration, steps string) {
	api := &API{About: About{Name: "management API", Credentials: "key_id and key_secret"}}
	s := &script{T: t, api: api, now: testNow(), calls: map[string]*Call{}}
	s.client = New(Config{RetryTimeout: retryTimeout, Random: func() float64 { return 1 }}, api)
	for step := range strings.FieldsSeq(steps) {
		name, what, named := strings.Cut(step, ":")
		asks, want, isQuestion := strings.Cut(step, "?")
		switch {
		case isQuestion:
			s.wants(asks, want)
		case step[0] == '+':
			s.now = s.now.Add(s.duration(step))
		case what == ">":
			s.begin(name)
		case named:
			s.end(name, what)
		default:
			span, how, repeats := strings.Cut(step, "*")
			if !repeats {
				span, how = "1s", step
			}
			for last := s.now.Add(s.duration(span)); s.now.Before(last); s.end("", how) {
				s.begin("")
				s.now = s.now.Add(time.Second)
			}
		}
	}
}

func (s *script) duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		s.Fatal(err)
	}
	return d
}

// call returns a call, a new one if it has no name.
func (s *script) call(name string) *Call {
	if name == "" || s.calls[name] == nil {
		tenant := map[bool]string{true: " in organization b", false: " in organization a"}[name == "other"]
		s.calls[name] = &Call{
			Request: &Request{API: s.api, Tenant: tenant}, client: s.client, started: s.now, end: s.now.Add(testRetry),
		}
	}
	return s.calls[name]
}

// wants checks what would become of an attempt now.
func (s *script) wants(name, want string) {
	wait, err := s.api.health.begin(s.call(name), s.now)
	if err == nil && wait == 0 {
		s.api.health.inFlight--
	}
	words, refused := refusals[want]
	if (err != nil) != refused || refused && !strings.Contains(err.Error(), words) || !refused && wait != s.duration(want) {
		s.Errorf("%s?%s: waits %s, %v", name, want, wait, err)
	}
}

func (s *script) begin(name string) {
	if wait, err := s.api.health.begin(s.call(name), s.now); wait != 0 || err != nil {
		s.Errorf("%s: waits %s, %v", name, wait, err)
	}
}

func (s *script) end(name, how string) {
	a := &attempt{failed: ended(s.T, how)}
	if a.failed == nil || a.failed.Status != 0 {
		a.response = &Response{IsOwn: a.failed == nil || a.failed.Foreign == ""}
	}
	s.calls[name].decide(a, s.now)
}

// ended returns what is known of an attempt that ends like "503", or like "503/2s", which
// requests a wait.
func ended(t *testing.T, how string) *Error {
	how, wait, requests := strings.Cut(how, "/")
	failed, known := ends[how]
	if !known {
		t.Fatalf("%s: no such end", how)
	}
	if failed == nil {
		return nil
	}
	e := *failed
	if requests {
		e.requested, _ = time.ParseDuration(wait)
	}
	return &e
}

// TestHealth is what an API's responses mean for the next attempt, row by row.
func TestHealth(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]string{
		"nothing is held back before the first 429":                        "a:> ok ?0s",
		"a call's first 429: all wait for it, and then go on":              "429/7s +6s ?1s +1s a:> b:>",
		"a call's first 429 that names no time: a backoff":                 "429 ?500ms +500ms ?0s",
		"a call's second 429 holds back no other":                          "a:> a:429/1s +1s a:> a:429/9s ?0s",
		"another call's 429 prolongs the wait, and does not shorten it":    "a:> b:> c:> a:429/2s ?2s b:429/1s ?2s c:429/3s ?3s",
		"a wait beyond the end of the call that asked holds back no other": "a:> a:429/2m ?0s",
		"a wait beyond the end of another call is not begun":               "a?0s +1s 429/59s +1s a?late ?58s",
		"down: one attempt at a time, and whoever has failed is over":      "ok a:> +1s a:lost 58s*lost a:> +1s ?down a:unsent a?down b:> ?down b:503 b?down c:>",
		"down: until any response":                                         "60s*503 a:> a:503 a?down b:> b:ok a?0s",
		"down: until a 429, which holds back":                              "60s*503 a:> a:503 a?down b:> b:429 a?500ms",
		"down: after 30 s if nothing was ever returned":                    "29s*unsent a:> +1s a:lost a?down",
		"down: after retry_timeout if the API itself has responded":        "59s*503 a:> +1s a:502 a?down",
		"down: not before, however little is missing":                      "a:> +1s a:503 +58.999999999s a?0s +1ns a?down",
		"one object that fails is no outage among others":                  strings.Repeat("a:> +500ms ok a:lost ", 100) + "other?0s",
		"an attempt that took longer began before others":                  "ok a:> +30s 29s*lost b:> +1s b:lost b?0s a:lost b?down",
		"an attempt that began before a success fails after it":            "a:> +50s ok a:lost +9s a?0s",
		"an interrupt is no failure":                                       "120s*interrupt a:> +1s a:interrupt a?0s",
		"401 before a success: nothing more for that organization":         "401 +1h ?rejected other?0s",
		"401 of a page: an error like any other":                           "401p a?0s",
		"401 after a success: an error like any other":                     "ok a:> +1s a:401 a?0s",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { play(t, testRetry, steps) })
		})
	}
}

// With a retry_timeout of 0, a rejected login counts and nothing else.
func TestHealthWithoutRetries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { play(t, 0, "10s*429/1h 10s*503 10s*lost 10s*unsent a:> lost b?0s 401 ?rejected") })
}

// What follows an attempt: a wait, nothing, or too late, with a time of day.
func TestWhatFollowsAnAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const second, never = time.Second, -time.Second
		read, update := &Request{}, &Request{Method: http.MethodPatch}
		tooLate := func(at string) string {
			return "the next attempt could start at " + at + ", after the end of retry_timeout (1m0s): Run the command again after " + at + "."
		}
		once, undone := &Request{NonIdempotent: true}, &Request{NonIdempotent: true} // of which the latter was not carried out
		for _, test := range []struct {
			request    *Request
			ends       string
			left, wait time.Duration
			because    string
		}{
			{read, "404", testRetry, never, ""},
			{read, "503", testRetry, firstBackoff, ""},
			{read, "503/2s", testRetry, 2 * second, ""},
			{update, "409", testRetry, firstBackoff, ""},
			{update, "409/61s", 2 * time.Minute, never, ""},
			{update, "503/50s 409/15s", 2 * time.Minute, 15 * second, ""}, // a minute from the first 409 on
			{read, "409", testRetry, never, ""},
			{once, "503", testRetry, never, ""},
			{undone, "503", testRetry, firstBackoff, ""},
			{once, "lost", testRetry, never, ""},
			{undone, "429/200ms", testRetry, second / 5, ""}, // not the backoff
			{once, "429/200ms", testRetry, never, ""},        // said within a success
			{read, "503", firstBackoff, firstBackoff, ""},
			{read, "503", firstBackoff - 1, never, "retry_timeout leaves no time for the next attempt: "},
			{read, "503/2m", testRetry, never, tooLate("03:02:00 UTC")},
			{read, "429/24h", testRetry, never, tooLate("2000-01-02 03:00:00 UTC")},
		} {
			now, because := testNow(), ""
			client := New(Config{RetryTimeout: testRetry, Random: func() float64 { return 1 }})
			k := &Call{Request: test.request, client: client, end: now.Add(test.left)}
			for how := range strings.FieldsSeq(test.ends) {
				failed := ended(t, how)
				failed.Ambiguous, failed.Elapsed = test.request != undone, time.Duration(len(k.failures))*50*second
				k.failures = append(k.failures, failed)
			}
			got := k.next(now)
			if got.because != nil {
				because = got.because.reason + ": " + got.because.advice
			}
			if got.again != (test.wait >= 0) || got.wait != max(test.wait, 0) || because != test.because {
				t.Errorf("%s of %+v: %+v, %s", test.ends, *test.request, got, because)
			}
		}
	})
}
