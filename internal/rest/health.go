package rest

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// health is what the attempts to one API have shown: whether it is down, which credentials it rejects,
// and until when all calls have to wait. It has no clock and does not wait: TestHealth is a table of its
// rules. Rejected: a queue with a probe after each 429, which took three times the code and longer.
type health struct {
	patience time.Duration // retry_timeout; 0 turns all but the rejected credentials off

	mu       sync.Mutex
	inFlight int       // number of attempts
	answered bool      // the API itself has responded in this run
	good     time.Time // the last response but a 5xx
	since    time.Time // the first failure after it; zero without one
	cause    string    // of the last failure
	resume   time.Time // when calls go on after a 429
	limit    string    // that 429, for a message
	// rejected has, by tenant, the 401 that came before any success, or nil after a success. To send
	// more would achieve nothing, and hundreds of attempts may lock the account.
	rejected map[string]*refusal
}

// firstPatience is that with an API that has never responded in this run: a wrong address is likelier than an outage.
const firstPatience = 30 * time.Second

// begin admits an attempt, or returns how long all calls have to wait, or why it must not be sent.
func (h *health) begin(k *Call, now time.Time) (wait time.Duration, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.refuses(k, now); err != nil {
		return 0, err
	}
	if wait = h.resume.Sub(now); wait <= 0 {
		h.inFlight++
		k.attempts++
		k.began = now
		return 0, nil
	}
	if h.resume.After(k.end) {
		return 0, late(h.limit, h.resume, h.patience)
	}
	return wait, nil
}

// check returns why a call must not go on waiting, nil if it may.
func (h *health) check(k *Call, now time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.refuses(k, now)
}

// refuses returns why a call must not send another attempt, nil if it may. While the API is down, only the
// first attempt of a call is sent, and only one at a time.
func (h *health) refuses(k *Call, now time.Time) error {
	if rejected := h.rejected[k.Tenant]; rejected != nil {
		return rejected
	}
	patience, advice := h.patience, runAgain
	if !h.answered {
		patience, advice = min(h.patience, firstPatience), "Check "+k.API.address()+orRunAgain
	}
	if isUp := h.since.IsZero() || now.Before(h.since.Add(patience)); isUp || len(k.failures) == 0 && h.inFlight == 0 {
		return nil
	}
	return &refusal{fmt.Sprintf("every request to the %s has failed since %s: %s", k.API.Name, words.Clock(h.since), h.cause), advice}
}

// record records how an attempt ended.
func (h *health) record(k *Call, a *attempt, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.inFlight--
	h.answered = h.answered || a.response != nil && a.response.IsOwn
	k.unanswered = !h.answered
	h.recordLogin(k, a.failed, now)
	switch e := a.failed; {
	case h.patience == 0 || e != nil && e.Kind == Interrupted:
	case e == nil || e.Status != 0 && e.Status < http.StatusInternalServerError:
		h.good, h.since = now, time.Time{}
	default:
		h.recordFailure(k.began, e.short())
	}
}

func (h *health) recordLogin(k *Call, e *Error, now time.Time) {
	switch _, known := h.rejected[k.Tenant]; {
	case e == nil:
		h.rejected[k.Tenant] = nil
	case e.Status == http.StatusUnauthorized && !e.isForeign() && !known:
		reason := fmt.Sprintf("the %s rejected %s%s at %s: %s", k.API.Name, k.API.Credentials, k.Tenant, words.Clock(now), e.short())
		h.rejected[k.Tenant] = &refusal{reason, k.API.Unauthorized}
	}
}

// recordFailure records a failure. It counts from the beginning of its attempt, or if that took longer than
// others, from their last response.
func (h *health) recordFailure(began time.Time, cause string) {
	if began.Before(h.good) {
		began = h.good
	}
	if h.since.IsZero() || began.Before(h.since) {
		h.since = began
	}
	h.cause = cause
}

// hold makes all calls wait, because of a 429.
func (h *health) hold(until time.Time, e *Error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if until.After(h.resume) {
		h.resume, h.limit = until, "the API is rate limiting requests ("+e.short()+"), and "
	}
}

// refusal is why a call must not send another attempt, all of it: Terraform prints an error for each object.
type refusal struct {
	reason string // "every request to the management API has failed since …: connection refused"
	advice string // what to do; "" if that follows from the error of the last attempt
}

func (r *refusal) Error() string { return r.reason }

// late is the refusal of an attempt that could start only after retry_timeout. why begins the sentence.
func late(why string, at time.Time, retryTimeout time.Duration) *refusal {
	return &refusal{
		fmt.Sprintf("%sthe next attempt could start at %s, after the end of retry_timeout (%s)", why, words.Clock(at), words.Duration(retryTimeout)),
		"Run the command again after " + words.Clock(at) + ".",
	}
}
