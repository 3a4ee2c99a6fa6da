package rest

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"
)

// state is what an API's responses, and its silence, say about the next attempt: may it be
// sent now, must it wait, or does it fail? It reads no clock and has no lock, so that a
// table can test it (TestState, which is the list of the rules).
type state struct {
	about        About
	retryTimeout time.Duration
	backoff      backoff // after a 429 that requests no wait

	next    time.Time     // when the next attempt may be sent
	gap     time.Duration // between two attempts; 0 before the first 429
	limited time.Time     // when a 429 last held everything back
	reason  string        // the 429, for a message
	probing bool          // one goes first, and the others wait for its response
	probe   *ticket       // the attempt that others wait for

	inFlight  int       // attempts
	responded bool      // there was a response in this run
	good      time.Time // the last response but a 5xx
	since     time.Time // the first failure after it; zero without one
	failed    time.Time // the last failure
	cause     string    // of the last failure

	// logins are the credentials rejected before any success, by realm; nil for accepted
	// ones. Nothing more is sent, since hundreds of attempts may lock the account.
	logins map[string]*trouble
}

const (
	// firstPatience is the patience until the first response of a run: a wrong address is
	// far likelier than an outage.
	firstPatience = 30 * time.Second

	// A 429 widens the gap by half, and each success narrows it by a sixtieth: one request
	// in 25 is rejected. minGap is that after the first 429.
	minGap, maxGap = 50 * time.Millisecond, 20 * time.Second

	// downTimeout bounds an attempt that begins while an API is down and has failed a moment
	// ago. At -parallelism=1, each object has one, and a silent address uses it up.
	downTimeout = 2 * time.Second

	// forever is a wait that only a change ends.
	forever = time.Duration(math.MaxInt64)
)

// ticket is a call, as the gate of its API sees it.
type ticket struct {
	realm string    // who it is sent for, as in " in organization …"
	end   time.Time // of retry_timeout
	stale time.Time // when what it rests on has to be read again; zero for never
	place int       // in the queue; 0 before the first attempt

	attempts   int
	began      time.Time // the attempt
	whileDown  bool      // it began in an outage: see downTimeout
	unanswered bool      // no request of this run had a response
}

// isStale reports whether what a call rests on is too old at a time.
func (t *ticket) isStale(at time.Time) bool { return !t.stale.IsZero() && !at.Before(t.stale) }

// downAt is when an API counts as down that has only failed since.
func (s *state) downAt() time.Time {
	if s.responded {
		return s.since.Add(s.retryTimeout)
	}
	return s.since.Add(min(s.retryTimeout, firstPatience))
}

func (s *state) isDown(now time.Time) bool {
	return !s.since.IsZero() && !now.Before(s.downAt())
}

// refusal is why a call must not send another attempt, whatever the rate limit; nil if it
// may.
func (s *state) refusal(t *ticket, now time.Time) error {
	if rejected := s.logins[t.realm]; rejected != nil {
		return rejected
	}
	if s.isDown(now) && (t.attempts > 0 || s.inFlight > 0) {
		return s.about.outage(s.since, s.cause, s.responded)
	}
	return nil
}

// decide returns how long a call has to wait before its next attempt, or why it must not
// send one. No 429 holds calls back for longer than retryTimeout: one header must not stop
// the rest of a run.
func (s *state) decide(t *ticket, now time.Time) (wait time.Duration, err error) {
	wait = s.next.Sub(now)
	if s.probing && !now.Before(s.limited.Add(s.retryTimeout)) {
		wait = 0
	}
	switch err := s.refusal(t, now); {
	case err != nil:
		return 0, err
	case s.probing && s.probe != nil:
		return forever, nil
	case wait > 0 && now.Add(wait).After(t.end):
		return 0, tooLate(fmt.Sprintf("%s, and the request would start in %s, after the end of retry_timeout (%s)", s.reason, readable(wait), readable(s.retryTimeout)))
	default:
		return max(0, wait), nil
	}
}

// begin counts an attempt that decide has let pass.
func (s *state) begin(t *ticket, now time.Time) {
	t.attempts++
	t.began, t.whileDown = now, s.isDown(now) && now.Sub(s.failed) < maxWait
	s.inFlight++
	if s.probing {
		s.probe = t
	}
	s.next = now.Add(s.gap)
}

// observe records what became of an attempt.
func (s *state) observe(t *ticket, a *attempt, now time.Time) {
	e, wasProbe := a.failed, s.probe == t
	s.inFlight--
	if wasProbe {
		s.probe = nil
	}
	s.responded = s.responded || a.response != nil
	t.unanswered = !s.responded
	switch _, seen := s.logins[t.realm]; {
	case e == nil:
		s.logins[t.realm] = nil
	case e.Status == http.StatusUnauthorized && !seen:
		s.logins[t.realm] = s.about.badLogin(t.realm, now, e.httpStatus())
	}
	if s.retryTimeout == 0 || e != nil && e.Kind == Interrupted {
		return
	}
	switch {
	case e != nil && (e.Status == 0 || e.Status >= http.StatusInternalServerError):
		s.fail(t, e, now)
		return
	case e != nil && e.Kind == RateLimited:
		s.holdBack(t, e, wasProbe, now)
	case wasProbe && s.probing:
		s.probing = false
		s.backoff.reset()
		s.next = now.Add(s.gap)
	case e == nil:
		s.gap -= s.gap / 60
	}
	s.good, s.since = now, time.Time{}
}

// holdBack holds back all requests after a 429. A request that was sent before they were
// last held back reports the same limit again: it can only prolong the wait. A probe that
// is rejected came too early, whatever the gap.
func (s *state) holdBack(t *ticket, e *Error, wasProbe bool, now time.Time) {
	wait, isNew := e.requested, t.began.After(s.limited)
	if wait <= 0 && isNew {
		wait = s.backoff.next()
	}
	if isNew && !wasProbe {
		s.gap = min(max(s.gap*3/2, minGap), maxGap)
	}
	if until := now.Add(wait); isNew || until.After(s.next) {
		s.next, s.limited, s.probing = until, now, true
		s.reason = fmt.Sprintf("the API is rate limiting requests (%s)", strings.TrimSuffix("HTTP 429, "+e.requestedWith, ", "))
	}
}

func (s *state) fail(t *ticket, e *Error, now time.Time) {
	s.failed = now
	begun := t.began
	if begun.Before(s.good) { // an attempt that took longer than others
		begun = s.good
	}
	if s.since.IsZero() || begun.Before(s.since) {
		s.since = begun
	}
	if s.cause = e.Cause(); e.Status != 0 {
		s.cause = e.httpStatus()
	}
}

// trouble is what fails for all requests of an API, or for all of an organization. Terraform
// prints an error for each object, in any order, so each has all of it.
type trouble struct {
	reason string // "every request to the management API has failed since …: connection refused"
	advice string // what to check
}

func (t *trouble) Error() string { return t.reason }

// outage is that of an API that has returned nothing but failures for a while.
func (a *About) outage(since time.Time, cause string, responded bool) *trouble {
	advice := a.checkAddress()
	if responded {
		advice = runAgain
	}
	return &trouble{fmt.Sprintf("every request to the %s has failed since %s: %s", a.Name, clock(since), cause), advice}
}

// badLogin is a 401. realm is whom it is about, as in " in organization …".
func (a *About) badLogin(realm string, at time.Time, cause string) *trouble {
	return &trouble{fmt.Sprintf("the %s rejected %s%s at %s: %s", a.Name, a.Credentials, realm, clock(at), cause), a.Unauthorized}
}
