package rest

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"
)

// state decides about the next attempt to send a request to an API, from what became of earlier
// ones: it may be sent now, has to wait, or is refused. It reads no clock and has no lock, so that
// a table can test it: TestState has a row for each rule.
type state struct {
	retryTimeout time.Duration

	// The rate limit. After a 429, all calls wait until next. Then one of them sends an attempt, the
	// probe, and the others wait for its response. After that they follow with a gap in between. If the
	// probe is rejected, another call's is next. Once that passes, the limit is one of the rejected
	// call's object, and concerns no other.
	next    time.Time     // when the next attempt may be sent
	gap     time.Duration // between two attempts; 0 before the first 429
	backoff backoff       // for a 429 that requests no wait
	limited time.Time     // the last 429 that made all calls wait
	reason  string        // that 429, for a message
	probing bool          // no probe has succeeded since
	probe   *Call         // the call whose attempt is the probe; nil while none is under way
	passed  time.Time     // the last success of a probe
	failing int           // the number of probes that have been rejected since

	// The outage. The API is down once it has returned nothing but failures for long enough.
	inFlight  int       // number of attempts
	responded bool      // there was a response in this run
	good      time.Time // the last response but a 5xx
	since     time.Time // the first failure after it; zero without one
	cause     string    // of the last failure

	// rejected has, by tenant, the 401 that came before any success, or nil after a success. To send
	// more would achieve nothing, and hundreds of attempts may lock the account.
	rejected map[string]*refusal
}

const (
	// firstPatience is how long an API may fail that has never responded in this run: a wrong
	// address is far likelier than an outage.
	firstPatience = 30 * time.Second
	// A 429 widens the gap by half, and each success narrows it by a sixtieth, so that one request
	// in 25 is rejected. After the first 429, the gap is minGap.
	minGap, maxGap = 50 * time.Millisecond, 20 * time.Second
	// forever is a wait that only a change ends.
	forever = time.Duration(math.MaxInt64)
)

func newState(config Config) state {
	return state{retryTimeout: config.RetryTimeout, backoff: backoff{random: config.Random}, rejected: map[string]*refusal{}}
}

// downAt is when an API that has failed since then counts as down.
func (s *state) downAt() time.Time {
	if s.responded {
		return s.since.Add(s.retryTimeout)
	}
	return s.since.Add(min(s.retryTimeout, firstPatience))
}

// refusal is why a call must not send another attempt, whatever the rate limit; nil if it may. While
// the API is down, only the first attempt of a call is sent, and only one at a time.
func (s *state) refusal(k *Call, now time.Time) error {
	if rejected := s.rejected[k.Tenant]; rejected != nil {
		return rejected
	}
	if isUp := s.since.IsZero() || now.Before(s.downAt()); isUp || len(k.failures) == 0 && s.inFlight == 0 {
		return nil
	}
	advice := "Check " + k.API.URLSetting + andProxy
	if s.responded {
		advice = runAgain
	}
	return &refusal{fmt.Sprintf("every request to the %s has failed since %s: %s", k.API.Name, clock(s.since), s.cause), advice}
}

// decide returns how long a call has to wait before its next attempt, or why it must not send one. A
// 429 makes calls wait for retryTimeout at the most: one header must not stop the rest of a run.
func (s *state) decide(k *Call, now time.Time) (wait time.Duration, err error) {
	wait = s.next.Sub(now)
	if s.probing && !now.Before(s.limited.Add(s.retryTimeout)) {
		wait = 0
	}
	switch err := s.refusal(k, now); {
	case err != nil:
		return 0, err
	case s.probing && s.probe != nil:
		return forever, nil
	case wait > 0 && now.Add(wait).After(k.end) && s.failing == 1 && k.rejectedAt.IsZero():
		return 0, nil // rather than to fail with a limit that may be another object's own
	case wait > 0 && now.Add(wait).After(k.end):
		return 0, &refusal{fmt.Sprintf("%s, and the request would start in %s, after the end of retry_timeout (%s)", s.reason, readable(wait), readable(s.retryTimeout)), slower}
	default:
		return max(0, wait), nil
	}
}

// begin records that a call sends an attempt now.
func (s *state) begin(k *Call, now time.Time) {
	k.began = now
	s.inFlight++
	if s.probing {
		s.probe = k
	}
	s.next = now.Add(s.gap)
}

// observe records how an attempt ended.
func (s *state) observe(k *Call, a *attempt, now time.Time) {
	e, wasProbe := a.failed, s.probe == k
	s.inFlight--
	if wasProbe {
		s.probe = nil
	}
	s.responded = s.responded || a.response != nil
	k.unanswered = !s.responded
	switch _, known := s.rejected[k.Tenant]; {
	case e == nil:
		s.rejected[k.Tenant] = nil
	case e.Status == http.StatusUnauthorized && !known:
		reason := fmt.Sprintf("the %s rejected %s%s at %s: %s", k.API.Name, k.API.Credentials, k.Tenant, clock(now), e.httpStatus())
		s.rejected[k.Tenant] = &refusal{reason, k.API.Unauthorized}
	}
	if s.retryTimeout == 0 || e != nil && e.Kind == Interrupted {
		return
	}
	switch {
	case e != nil && (e.Status == 0 || e.Status >= http.StatusInternalServerError):
		s.fail(k, e)
		return
	case e != nil && e.Kind == RateLimited:
		s.limit(k, e, wasProbe, now)
	case wasProbe && s.probing:
		s.probing, s.failing, s.backoff.interval, s.passed = false, 0, 0, now
		s.next = now.Add(s.gap)
	case e == nil:
		s.gap -= s.gap / 60
	}
	s.good, s.since = now, time.Time{}
}

// yields reports whether a call lets others go first, because it was rejected as the one that did.
func (s *state) yields(k *Call) bool { return s.probing && !k.rejectedAt.IsZero() }

// limit makes all calls wait after a 429. If it is the limit of the call's own object, that call alone
// waits, as after any failure that is temporary. An attempt that began before the last 429 reports
// the same limit again, and can only prolong the wait. If a probe is rejected, the wait was too
// short, whatever the gap.
func (s *state) limit(k *Call, e *Error, wasProbe bool, now time.Time) {
	if !k.rejectedAt.IsZero() && s.passed.After(k.rejectedAt) {
		e.Kind = Temporary
		return
	}
	if wasProbe {
		k.rejectedAt = now
		s.failing++
	}
	wait, isNew := e.requested, k.began.After(s.limited)
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

// fail records a failure. The API has failed since the attempt began, or if that took longer than
// others, since their last response.
func (s *state) fail(k *Call, e *Error) {
	begun := k.began
	if begun.Before(s.good) {
		begun = s.good
	}
	if s.since.IsZero() || begun.Before(s.since) {
		s.since = begun
	}
	if s.cause = e.Cause(); e.Status != 0 {
		s.cause = e.httpStatus()
	}
}

// refusal is why a call must not send another attempt: what fails for every request to an API, or to
// one tenant, or a rate limit. Terraform prints an error for each object, in any order, so each has
// all of it.
type refusal struct {
	reason string // "every request to the management API has failed since …: connection refused"
	advice string // what to do
}

func (r *refusal) Error() string { return r.reason }
