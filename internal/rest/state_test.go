package rest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
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
	"404":        {Kind: Final, Status: 404},
	"429":        {Kind: RateLimited, Status: 429},
	"409":        {Kind: Busy, Status: 409},
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
	state
	now   time.Time
	calls map[string]*Call
}

const testRetry = time.Minute // retry_timeout

// refusals are the words of the errors of those who are refused.
var refusals = map[string]string{
	"down":     "every request to the management API has failed since 03:0",
	"rejected": "the management API rejected key_id and key_secret in organization a at 03:0",
	"late":     "the API is rate limiting requests (HTTP 429, Retry-After), and the request would start in 1m0s, after the end of retry_timeout (1m0s)",
}

func play(t *testing.T, retryTimeout time.Duration, steps string) {
	state := newState(Config{RetryTimeout: retryTimeout, Random: func() float64 { return 1 }})
	s := &script{T: t, state: state, now: time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC), calls: map[string]*Call{}}
	for step := range strings.FieldsSeq(steps) {
		name, what, named := strings.Cut(step, ":")
		asks, want, isQuestion := strings.Cut(step, "?")
		switch {
		case isQuestion:
			s.wants(asks, want)
		case step[0] == '+':
			s.now = s.now.Add(s.duration(step))
		case what == ">":
			s.begin(s.wants(name, "0s"), s.now)
		case named:
			s.end(name, what)
		default:
			span, how, repeats := strings.Cut(step, "*")
			if !repeats {
				span, how = "1s", step
			}
			for last := s.now.Add(s.duration(span)); s.now.Before(last); s.end("", how) {
				s.begin(s.wants("", "0s"), s.now)
				s.now = s.now.Add(time.Second)
			}
		}
	}
}

func (s *script) duration(text string) time.Duration {
	if text == "forever" {
		return forever
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		s.Fatal(err)
	}
	return d
}

// wants checks the decision about a call, and returns the call.
func (s *script) wants(name, want string) *Call {
	if name == "" || s.calls[name] == nil {
		tenant := map[bool]string{true: " in organization b", false: " in organization a"}[name == "other"]
		about := About{Name: "management API", Credentials: "key_id and key_secret"}
		s.calls[name] = &Call{Request: &Request{API: &API{About: about}, Tenant: tenant}, end: s.now.Add(testRetry)}
	}
	wait, err := s.decide(s.calls[name], s.now)
	words, refused := refusals[want]
	if (err != nil) != refused || refused && !strings.Contains(err.Error(), words) || !refused && wait != s.duration(want) {
		s.Errorf("%s?%s: waits %s, %v", name, want, wait, err)
	}
	return s.calls[name]
}

func (s *script) end(name, how string) {
	a, k := &attempt{failed: ended(s.T, how)}, s.calls[name]
	if a.failed == nil || a.failed.Status != 0 {
		a.response = &Response{}
	}
	s.observe(k, a, s.now)
	if a.failed != nil {
		k.failures = append(k.failures, a.failed)
	}
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
		e.requestedWith = "Retry-After"
	}
	return &e
}

// TestState is what an API's responses mean for the next attempt, row by row.
func TestState(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]string{
		"nothing is held back before the first 429":                                                    "a:> ok ?0s",
		"429: all wait, one goes first, and the others follow with a gap":                              "429/7s +6s ?1s +1s a:> +1s ?forever a:ok ?50ms +50ms b:> ?50ms",
		"429 that requests no wait: a backoff, which starts again once one has passed":                 "429 ?500ms +500ms 429 ?1s +1s ok +1s 429 ?500ms",
		"429: another one widens the gap by half, and a success narrows it by a sixtieth":              "429/1s +1s a:> a:ok ?50ms +1s 429/1s +1s b:> b:ok ?75ms +1s ok c:> ?73.75ms",
		"429: the gap has an upper bound":                                                              strings.Repeat("429/1s +1s a:> a:ok +20s ", 30) + "b:> ?20s",
		"429: the gap has a lower bound":                                                               "429/1s +1s a:> a:ok " + strings.Repeat("+1s b:> b:ok ", 1000) + "+1s 429/1s +1s a:> a:ok ?50ms",
		"429 of a request that was sent before the last one: only prolongs the wait":                   "a:> b:> c:> +1s a:429/2s b:429/1s ?2s c:429/3s ?3s +3s d:> d:ok ?50ms",
		"429: of one that went first, once another has passed, holds back no other":                    "a:> a:429/1s +1s a:> a:429/1s ?1s +1s b:> b:ok +1s a:> a:429/9s ?50ms",
		"429: of one that went first, and nobody fails with it before another has tried":               "b?0s c?0s a:> a:429/20s +20s a:> a:429/60s a?late b?0s d?60s b:> b:429/60s c?late",
		"429: of one that went first, unless another has passed":                                       "a:> a:429/1s +1s a:> a:429/1s +1s b:> b:429/1s +1s a:> a:429/9s ?9s",
		"429: one that goes first without a response is followed by another":                           "429/1s +1s lost a:> ?forever",
		"429: a response to an earlier request lets nobody through":                                    "a:> 429/1s +1s b:> a:ok ?forever",
		"429: a wait beyond the end of a call is not begun, and has its reason":                        "a?0s 429/1s +1s ok +1s 429/60s a?late ?60s",
		"429 that requests more than retry_timeout: none waits for it, and it holds for retry_timeout": "429/120s +59.999999999s ?late +1ns ok +1s a:>",
		"down: one attempt at a time, and whoever has failed is over":                                  "ok a:> +1s a:lost 58s*lost a:> +1s ?down a:unsent a?down b:> ?down b:503 b?down c:>",
		"down: until any response":                                                                     "60s*503 a:> a:503 a?down b:> b:ok a?0s",
		"down: until a response that cannot be read":                                                   "60s*503 a:> a:503 a?down b:> b:unreadable a?0s",
		"down: until a 429, which holds back":                                                          "60s*503 a:> a:503 a?down b:> b:429 a?500ms",
		"down: after 30 s if nothing was ever returned":                                                "29s*unsent a:> +1s a:lost a?down",
		"down: after retry_timeout otherwise, also of 5xx":                                             "59s*503 a:> +1s a:lost a?down",
		"down: not before, however little is missing":                                                  "a:> +1s a:503 +58.999999999s a?0s +1ns a?down",
		"one object that fails is no outage among others":                                              strings.Repeat("a:> +1s ok a:lost ", 100) + "a?0s",
		"an attempt that took longer began before others":                                              "ok a:> +30s 29s*lost b:> +1s b:lost b?0s a:lost b?down",
		"an attempt that began before a success fails after it":                                        "a:> +50s ok a:lost +59s a?0s",
		"an interrupt is no failure":                                                                   "120s*interrupt a:> +1s a:interrupt a?0s",
		"401 before a success: nothing more for that organization":                                     "401 +1h ?rejected other?0s",
		"401 after a success: an error like any other":                                                 "ok a:> +1s a:401 a?0s",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(t, testRetry, steps)
		})
	}
}

// With a retry_timeout of 0, a rejected login counts and nothing else.
func TestStateWithoutRetries(t *testing.T) {
	t.Parallel()
	play(t, 0, "10s*429/1h 10s*503 10s*lost 10s*unsent a:> lost b?0s 401 ?rejected")
}

// What follows an attempt: a wait, nothing, or too late, with durations rounded for reading.
func TestWhatFollowsAnAttempt(t *testing.T) {
	t.Parallel()
	const second, never = time.Second, -time.Second
	read, update := &Request{}, &Request{Method: http.MethodPatch}
	once, undone := &Request{Unrepeatable: true}, &Request{Unrepeatable: true} // of which the latter was not carried out
	for _, test := range []struct {
		request      *Request
		ends         string
		left, budget time.Duration
		wait         time.Duration
		because      string
	}{
		{read, "404", testRetry, testRetry, never, ""},
		{read, "503", testRetry, testRetry, maxFirstWait, ""},
		{read, "503/2s", testRetry, testRetry, 2 * second, ""},
		{read, "lost", testRetry, testRetry, maxFirstWait, ""},
		{read, "unreadable", testRetry, testRetry, never, ""},
		{update, "409", testRetry, testRetry, maxFirstWait, ""},
		{update, "409/61s", 2 * time.Minute, 2 * time.Minute, never, ""},
		{read, "409", testRetry, testRetry, never, ""},
		{once, "503", testRetry, testRetry, never, ""},
		{undone, "503", testRetry, testRetry, maxFirstWait, ""},
		{once, "lost", testRetry, testRetry, never, ""},
		{once, "unsent", testRetry, testRetry, maxFirstWait, ""},
		{once, "429", testRetry, testRetry, 0, ""},
		{read, "503", testRetry, 0, never, ""},
		{read, "503", maxFirstWait, testRetry, maxFirstWait, ""},
		{read, "503", maxFirstWait - 1, testRetry, never, "the next retry would start in 500ms, after the end of retry_timeout (1m0s)"},
		{read, "503/2m", testRetry, testRetry, never, "the next retry would start in 2m0s (Retry-After), after the end of retry_timeout (1m0s)"},
		{read, "503/1261100us", 0, testRetry, never, "the next retry would start in 1.261s (Retry-After), after the end of retry_timeout (1m0s)"},
		{read, "503/10.4s", 0, testRetry, never, "the next retry would start in 10s (Retry-After), after the end of retry_timeout (1m0s)"},
		{read, "429/2m", testRetry, testRetry, never, "the next retry would start in 2m0s (Retry-After), after the end of retry_timeout (1m0s)"},
	} {
		b := &backoff{random: func() float64 { return 1 }}
		failed := ended(t, test.ends)
		failed.Ambiguous = test.request != undone
		got := policy(test.request, []*Error{failed}, b, test.left, test.budget)
		if got.again != (test.wait >= 0) || got.wait != max(test.wait, 0) || strings.TrimSuffix(fmt.Sprint(got.because), "<nil>") != test.because {
			t.Errorf("%s of %+v: %+v", test.ends, *test.request, got)
		}
	}
}
