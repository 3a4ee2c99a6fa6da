package platform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// request is one call: what is sent, how its answer is read, and how it may be
// repeated.
type request struct {
	operation string // "update pipe"
	subject   string // "pipe … of service … in organization …", for a 404
	api       *api
	method    string
	path      []string
	query     url.Values
	body      []byte
	// named says that a 404 is about the one object that the path names, and
	// not about what holds it.
	named bool
	// accept reads the body of an answer with a 2xx status.
	accept func(*answer) error
	// inspect sees the body of an error before anything is made of it.
	// Optional.
	inspect func([]byte)
	// salvage sees the error and what was read of its answer, and may turn it
	// into a success. Optional.
	salvage func(*Error, []byte) bool

	// once forbids a repetition after an attempt that may have been carried
	// out.
	once bool
	// rework makes such a repetition possible after all: it gives the body
	// that is still needed, and whether one is. Optional.
	rework func(context.Context) (again bool, err error)
	// detached lets an attempt that was sent run to its end though the caller
	// is gone.
	detached bool
}

// errBudget is why a context ended whose call used up retry_timeout.
var errBudget = errors.New("retry_timeout is used up")

// call is a request under way.
type call struct {
	*Client
	*request
	url     *url.URL
	started time.Time
	tries   int
	last    *Error // how the last attempt ended
	// maybeDone says that one of the attempts may have been carried out,
	// whatever came of those after it.
	maybeDone bool
	backoff   waits
	queued    time.Duration // waited for before this attempt: gate and slot
	ticket    ticket

	status    int // of this attempt's answer, for the log
	requestID string
}

// do carries a request through, attempts and waits included.
func (c *Client) do(ctx context.Context, r *request) error {
	if len(r.api.missing) > 0 {
		return fmt.Errorf("%s: %s not set", r.operation, list(r.api.missing))
	}
	u, err := r.api.url(r.path, r.query)
	if err != nil {
		return fmt.Errorf("%s: %w", r.operation, err)
	}
	k := &call{Client: c, request: r, url: u, started: time.Now(), backoff: newWaits()}
	if c.retryTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, k.started.Add(c.retryTimeout), errBudget)
		defer cancel()
	}
	return k.run(ctx)
}

func (k *call) run(ctx context.Context) error {
	for {
		if err := k.enter(ctx); err != nil {
			return k.giveUp(err)
		}
		k.tries++
		began := time.Now()
		failed := k.attempt(ctx)
		wait, again := k.settle(failed)
		<-k.slots // not before the gate knows: the next one would slip through
		if again {
			again = k.fits(ctx, wait, failed)
		}
		k.logAttempt(ctx, failed, time.Since(began), wait, again)
		if failed == nil {
			return nil
		}
		k.last = failed
		k.maybeDone = k.maybeDone || failed.ambiguous
		if !again {
			return k.conclude(failed)
		}
		if failed.class != classLimited { // a 429 waits at the gate
			if err := sleep(ctx, wait); err != nil {
				return k.giveUp(err)
			}
		}
		if done, err := k.reconsider(ctx, failed); done {
			return err
		}
	}
}

// enter waits until an attempt may be made, and takes a slot for it.
func (k *call) enter(ctx context.Context) (err error) {
	began := time.Now()
	defer func() { k.queued = time.Since(began) }()
	k.status, k.requestID = 0, ""
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	k.ticket, err = k.api.gate.enter(ctx, k.slots)
	return err
}

// settle tells the gate how an attempt ended, and gives the wait before the
// next one, if the request may be repeated at all.
func (k *call) settle(failed *Error) (wait time.Duration, again bool) {
	if k.retryTimeout == 0 {
		// Without retrying there is no waiting either: the gate hears nothing
		// of a 429, and stays open.
		return 0, false
	}
	v := accepted
	switch {
	case failed == nil:
	case failed.Status == http.StatusTooManyRequests:
		v = rejected
	case failed.Status == 0:
		v = noVerdict
	}
	var asked time.Duration
	if failed != nil {
		asked = failed.retryAfter
	}
	limited := k.api.gate.report(k.ticket, v, asked)
	if failed == nil {
		return 0, false
	}
	switch failed.class {
	case classLimited:
		return limited, true
	case classUnsent:
		return k.backoff.next(), true
	case classLost, classTrouble:
		return max(k.backoff.next(), asked), !k.once || k.rework != nil
	default:
		return 0, false
	}
}

// fits says whether a wait ends within the budget. One that doesn't is not
// begun.
func (k *call) fits(ctx context.Context, wait time.Duration, failed *Error) bool {
	end, bounded := ctx.Deadline()
	if !bounded || !time.Now().Add(wait).After(end) {
		return true
	}
	failed.gaveUp = fmt.Sprintf("the next attempt would have to wait %s, more than is left of retry_timeout (%s)", readable(wait), readable(k.retryTimeout))
	if failed.retryAfter > 0 && wait >= failed.retryAfter-time.Second {
		failed.gaveUp = fmt.Sprintf("the platform asked to wait %s, more than is left of retry_timeout (%s)", readable(failed.retryAfter), readable(k.retryTimeout))
	}
	return false
}

// reconsider asks anew what is to be done where an attempt that can't be
// repeated as it was may have been carried out.
func (k *call) reconsider(ctx context.Context, failed *Error) (done bool, err error) {
	if !k.once || !failed.ambiguous {
		return false, nil
	}
	again, err := k.rework(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return true, k.giveUp(context.Cause(ctx))
	case err != nil:
		failed.gaveUp = "reading it afresh, to see what was done, failed: " + err.Error()
		return true, k.conclude(failed)
	default:
		return !again, nil
	}
}

// giveUp is the error of a call whose wait ended before its next attempt.
func (k *call) giveUp(cause error) error {
	e := k.last
	if e == nil {
		e = &Error{class: classUnsent}
	}
	var late *waitTooLong
	switch {
	case k.last == nil && errors.Is(cause, errBudget):
		e.Err = fmt.Errorf("its turn did not come within retry_timeout (%s)", readable(k.retryTimeout))
	case errors.As(cause, &late), errors.Is(cause, errBudget):
		e.gaveUp = cause.Error()
		if k.last == nil {
			e.Err = cause
		}
	default: // the caller is gone
		e.class, e.Err = classInterrupted, cause
	}
	return k.conclude(e)
}

// conclude completes an error with what only the call knows.
func (k *call) conclude(e *Error) error {
	e.Operation, e.subject, e.settings = k.operation, k.subject, k.api.settings
	e.Attempts, e.Elapsed = k.tries, time.Since(k.started)
	e.mask, e.write, e.notFound = k.Mask, k.method != http.MethodGet, e.own && k.named
	e.ambiguous = e.ambiguous || k.maybeDone
	return e
}

// logAttempt writes the one line of an attempt. The query is left out: its
// filters are the user's words.
func (k *call) logAttempt(ctx context.Context, failed *Error, took, wait time.Duration, again bool) {
	if k.log == nil {
		return
	}
	fields := map[string]any{
		"operation":   k.operation,
		"method":      k.method,
		"path":        k.Mask(k.url.EscapedPath()),
		"attempt":     k.tries,
		"duration_ms": took.Milliseconds(),
		"queued_ms":   k.queued.Milliseconds(),
	}
	if k.status != 0 {
		fields["status"] = k.status
	}
	if k.requestID != "" {
		fields["request_id"] = k.Mask(cleanText(k.requestID, 100))
	}
	if failed != nil {
		fields["error"] = k.Mask(failed.cause())
	}
	if again {
		fields["wait_ms"], fields["wait_reason"] = wait.Milliseconds(), failed.waitReason()
	}
	k.log(ctx, "Data Platform request", fields)
}
