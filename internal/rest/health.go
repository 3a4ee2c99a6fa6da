package rest

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"
)

// health is what an API's responses, and its silence, say about the next request: may
// it be sent now, must it wait, or does it fail? It has no lock, no timer and no
// channel, so that a table can test it; gate.go asks it.
//
//   - After a 429, nothing is sent for the time that the response requests, or for a
//     backoff. Then one request goes first, since a burst would only be rejected
//     again, and the others follow at a rate (pace.go).
//   - An API that has not responded to any request for limit is down: waits end, and
//     calls are refused until holdOff after the last failure. Then one attempt at a
//     time is sent.
//   - An API that has returned only 5xx for that long is failing: each call sends one
//     attempt.
//   - An API that has not responded to anything yet in this run has one request_timeout
//     to do so. Then each call sends one attempt: a wrong URL is far likelier than an
//     outage.
//   - A 401 before any success is the last request of its realm, since hundreds of
//     them may lock the account.
//
// Any response but a 5xx ends an outage. With a limit of 0, only logins are remembered.
type health struct {
	about About
	limit time.Duration // retry_timeout
	once  time.Duration // request_timeout

	notBefore time.Time // after a 429
	asked     time.Time // the same as the API asked for it, however long
	reason    string    // why
	probeDue  bool      // the next request goes first, and the others wait for its response
	probe     *caller   // the request that others wait for, or are refused for
	epoch     int       // number of times that a 429 has held back all requests
	backoff   backoff
	pace      pace

	condition condition
	answered  bool      // there was a response in this run
	failures  window    // without a response but 5xx between them
	silence   window    // without any response between them
	responded time.Time // last response, whatever its status
	succeeded time.Time // last response but a 5xx
	expected  time.Time // when the next attempt of the failed calls is due at the latest
	cause     string    // of the last failure, in a trouble
	lately    string    // last failure that may be one of all requests, for a log line

	// logins are the rejected credentials by realm, nil for accepted ones: a key may be
	// valid for one organization and rejected by another.
	logins map[string]*trouble
}

type condition int

const (
	healthy condition = iota
	mute              // connected to, and no response in this run
	failing
	down
)

const (
	// holdOff is how long an API that is down gets no request.
	holdOff = 10 * time.Second
	// firstContact bounds the attempts of a call to connect to an API that has not
	// responded in this run: a wrong address is far likelier than an outage.
	firstContact = 30 * time.Second
	// manyAddresses is the number of addresses that must not respond before an API
	// that accepts connections counts as down. With two, two broken objects in a
	// row at -parallelism=1 would fail the working ones after them.
	manyAddresses = 3
)

// caller is a call, as health sees it.
type caller struct {
	address  string    // what it reads or writes
	realm    string    // who it does so for, as in " in organization …"
	end      time.Time // of retry_timeout; zero for none
	attempts int
	began    time.Time // the attempt
	first    time.Time // the first attempt
	contact  time.Time // until when it may try to connect; zero if only its end counts
	stale    time.Time // when what it rests on has to be read again; zero for never
	place    int       // in the queue; 0 before the first attempt
	// unanswered reports that no request of this run had a response.
	unanswered bool
	epoch      int // of health when the attempt was sent
}

// window is a time of failures.
type window struct {
	begin, last time.Time // zero without a failure
	addresses   map[string]struct{}
	connected   bool // one of them had a connection
}

func (w *window) add(c *caller, a *attempt, begin, now time.Time) {
	if w.begin.IsZero() {
		*w = window{begin: begin, addresses: map[string]struct{}{}}
	}
	if begin.Before(w.begin) { // of an attempt that took longer
		w.begin = begin
	}
	w.last, w.connected = now, w.connected || a.connected.Load()
	if len(w.addresses) < manyAddresses {
		w.addresses[c.address] = struct{}{}
	}
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// forever is a wait that only a change ends.
const forever = time.Duration(math.MaxInt64)

// refusal is why a call must not send another attempt, whatever the rate limit; nil if
// it may.
func (h *health) refusal(c *caller, now time.Time) error {
	if rejected := h.logins[c.realm]; rejected != nil {
		return rejected
	}
	switch {
	case (h.condition == mute || h.condition == failing) && c.attempts > 0,
		h.condition == down && (c.attempts > 0 || h.probe != nil || now.Sub(h.failures.last) < holdOff):
		if h.condition == failing {
			return h.about.erring(h.failures.begin, h.cause)
		}
		return h.about.silent(h.silence.begin, h.cause)
	default:
		return nil
	}
}

// decide returns how long a call has to wait before its next attempt, or why it must not
// send one.
func (h *health) decide(c *caller, now time.Time) (wait time.Duration, err error) {
	if err := h.refusal(c, now); err != nil {
		return 0, err
	}
	switch {
	case now.Before(h.notBefore):
		wait = h.notBefore.Sub(now)
		if h.asked.After(c.end) && !c.end.IsZero() {
			wait = h.asked.Sub(now) // more than the call has: it is not begun
		}
	case h.probeDue && h.probe != nil:
		return forever, nil
	case !h.probeDue:
		wait = h.pace.next.Sub(now)
	}
	if wait > 0 && !c.end.IsZero() && now.Add(wait).After(c.end) {
		return 0, &tooLate{fmt.Sprintf("%s, and the request would start in %s, after the end of retry_timeout (%s)", h.reason, readable(wait), readable(h.limit))}
	}
	return max(0, wait), nil
}

// count counts an attempt that decide has let pass.
func (h *health) count(c *caller, now time.Time) {
	c.attempts++
	c.began, c.epoch = now, h.epoch
	if c.attempts == 1 {
		c.first = now
	}
	h.limitContact(c)
	if h.probeDue || h.condition == down {
		h.probe = c
	}
	h.pace.send(now)
}

// observe records what became of an attempt. It reports whether the state has changed for
// those who wait, and whether an outage has ended.
func (h *health) observe(c *caller, a *attempt, now time.Time) (changed, recovered bool) {
	e := a.failed
	wasProbe := h.probe == c
	if wasProbe {
		h.probe = nil
	}
	status := http.StatusOK
	if e != nil {
		status = e.Status
	}
	if e != nil && e.Kind == Interrupted {
		return wasProbe, false
	}
	h.answered = h.answered || a.response != nil
	c.unanswered = !h.answered
	h.limitContact(c)
	before, heldBack := h.condition, h.notBefore
	if e != nil && e.Kind != Final {
		h.lately = e.inBrief()
	}
	h.observeLimit(c, e, status, wasProbe, now)
	h.observeLogin(c, e, now)
	if status == 0 || status >= http.StatusInternalServerError {
		h.fail(c, a, now)
	} else {
		h.responded, h.succeeded, h.condition = now, now, healthy
		h.failures, h.silence = window{}, window{}
	}
	changed = wasProbe || before != h.condition || heldBack != h.notBefore
	return changed, before != healthy && h.condition == healthy
}

// observeLimit records whether the rate limit let an attempt pass.
func (h *health) observeLimit(c *caller, e *Error, status int, wasProbe bool, now time.Time) {
	switch {
	case h.limit == 0 || status == 0: // without a response, the next request is the probe
	case status == http.StatusTooManyRequests:
		h.holdBack(c, e, wasProbe, now)
	case wasProbe && h.probeDue:
		h.probeDue = false
		h.backoff.Reset()
		h.pace.start(now)
	}
}

// holdBack holds back all requests after a 429, for limit at most: no call could wait
// longer, and one header must not stop the rest of a run. A request that was sent before
// they were last held back reports the same limit again: it can only prolong the wait.
func (h *health) holdBack(c *caller, e *Error, wasProbe bool, now time.Time) {
	first := c.epoch == h.epoch
	wait := e.requested
	if wait <= 0 && first {
		wait = h.backoff.next()
	}
	if until := now.Add(wait); until.After(h.asked) || !now.Before(h.notBefore) {
		h.asked, h.notBefore = until, now.Add(min(wait, h.limit))
		h.reason = fmt.Sprintf("the API is rate limiting requests (%s)", strings.TrimSuffix("HTTP 429, "+e.requestedWith, ", "))
	}
	if first {
		h.epoch++
		h.probeDue = true
		if !wasProbe { // a rejected probe came too early, whatever the rate
			h.pace.slowDown()
		}
	}
}

// observeLogin records whether the API accepts the credentials. A 401 after a success is
// an error like any other.
func (h *health) observeLogin(c *caller, e *Error, now time.Time) {
	_, seen := h.logins[c.realm]
	switch {
	case e == nil:
		h.logins[c.realm] = nil
	case e.Status == http.StatusUnauthorized && !seen:
		h.logins[c.realm] = h.about.badLogin(c.realm, now, e.httpStatus())
	}
}

// fail records a failure, and changes the condition once they have lasted for the limit.
func (h *health) fail(c *caller, a *attempt, now time.Time) {
	e := a.failed
	if h.limit == 0 {
		return
	}
	if h.condition == healthy && c.began.After(h.expected) {
		h.failures, h.silence = window{}, window{} // with idle time between them they are no outage
	}
	if due := now.Add(max(e.requested, maxWait) + holdOff); due.After(h.expected) {
		h.expected = due
	}
	h.failures.add(c, a, latest(c.began, h.succeeded), now)
	h.cause = e.Cause()
	if e.Status != 0 {
		h.cause = e.httpStatus()
		h.silence, h.responded = window{}, now
		switch {
		case h.condition == down, now.Sub(h.failures.begin) >= h.limit:
			h.condition = failing
		case h.condition == mute:
			h.condition = healthy
		}
		return
	}
	h.silence.add(c, a, latest(c.began, h.responded), now)
	switch lasted := now.Sub(h.silence.begin); {
	case h.isSilent() && lasted >= h.patience():
		h.condition = down
	case h.condition == healthy && !h.answered && h.silence.connected && lasted >= h.once:
		h.condition = mute
	}
}

// isSilent reports whether the silence is that of the API, and not of a few objects.
func (h *health) isSilent() bool {
	return !h.silence.begin.IsZero() && (!h.silence.connected || len(h.silence.addresses) >= manyAddresses)
}

// patience is how long failures have to last to be an outage.
func (h *health) patience() time.Duration {
	switch {
	case h.answered:
		return h.limit
	case h.silence.connected:
		return min(h.limit, h.once)
	default:
		return min(h.limit, firstContact)
	}
}

// limitContact sets until when a call may try to connect, if the API has not responded to
// any request of this run.
func (h *health) limitContact(c *caller) {
	c.contact = time.Time{}
	if !h.answered && h.limit > firstContact {
		c.contact = c.first.Add(firstContact)
	}
}
