package platform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// errBudget is the cause of a context that ended with the budget, retry_timeout.
var errBudget = errors.New("retry_timeout is used up")

// call is one request, with all of its attempts and waits.
type call struct {
	*Client
	*request
	url      *url.URL
	encoded  []byte // the body
	started  time.Time
	attempts int
	last     *Error // of the last attempt
	// ambiguous reports that one of the attempts may have been carried out,
	// whatever became of those after it.
	ambiguous bool
	backoff   backoff
	queued    time.Duration // wait for gate and slot before this attempt
	ticket    ticket
	probe     bool // this attempt tests an API that is down
	connected bool // this attempt had a connection
	waiting   waiting

	// status and requestID are of this attempt's response, for the log.
	status    int
	requestID string
}

// do carries out a request, with all of its attempts and waits.
func (c *Client) do(ctx context.Context, r *request) error {
	if err := checkIDs(r.operation, r.ids...); err != nil {
		return err
	}
	k := &call{Client: c, request: r, started: time.Now(), backoff: newBackoff()}
	if err := k.prepare(); err != nil {
		return fmt.Errorf("%s: %w", r.operation, err)
	}
	k.invalidateReads()
	defer k.invalidateReads()
	if c.retryTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, k.started.Add(c.retryTimeout), errBudget)
		defer cancel()
	}
	defer k.warn(ctx)()
	return k.run(ctx)
}

// prepare encodes the body and builds the URL.
func (k *call) prepare() (err error) {
	if k.body != nil {
		if k.encoded, err = encode(k.body); err != nil {
			return err
		}
	}
	if len(k.api.missing) > 0 {
		return fmt.Errorf("%s not set", SettingsAre(k.api.missing))
	}
	k.url, err = k.api.url(k.path, k.query)
	return err
}

func (k *call) isWrite() bool { return k.method != http.MethodGet }

func (k *call) invalidateReads() {
	if k.invalidate != nil {
		k.invalidate()
	}
}

func (k *call) run(ctx context.Context) error {
	for {
		if err := k.enter(ctx); err != nil {
			return k.giveUp(err)
		}
		k.attempts++
		k.waiting.set(fmt.Sprintf("for the response to attempt %d", k.attempts))
		began := time.Now()
		failed := k.attempt(ctx)
		limited := k.report(failed)
		wait, again := k.retry(ctx, failed, limited)
		// Before learn: the failure may worsen the outage, which cancels the contexts
		// that exist by then.
		waitCtx, stop := k.api.outage.waitContext(ctx)
		again = k.learn(failed, began, wait, again)
		<-k.slots // after report and learn, so that the next request obeys them
		k.logAttempt(ctx, failed, time.Since(began), wait, again)
		err := k.pause(waitCtx, failed, wait, again)
		stop()
		if failed == nil {
			return nil
		}
		k.last = failed
		k.ambiguous = k.ambiguous || failed.ambiguous
		switch {
		case !again:
			return k.conclude(failed)
		case err != nil:
			return k.giveUp(err)
		}
		if k.nonIdempotent && failed.ambiguous {
			if needed, err := k.reconciled(ctx, failed); err != nil || !needed {
				return err
			}
		}
	}
}

// pause waits before the next attempt. After a 429 the gate does that.
func (k *call) pause(ctx context.Context, failed *Error, wait time.Duration, again bool) error {
	if !again || failed.class == classRateLimited {
		return nil
	}
	k.waiting.set("to retry after " + failed.waitReason())
	return sleep(ctx, wait)
}

// enter waits until an attempt may be sent, and takes a slot for it. It checks for
// a refusal before the wait and after it.
func (k *call) enter(ctx context.Context) (err error) {
	began := time.Now()
	defer func() { k.queued = time.Since(began) }()
	k.status, k.requestID = 0, ""
	k.waiting.set(forItsTurn)
	for {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := k.refuse(false); err != nil {
			return err
		}
		waitCtx, stop := k.api.outage.waitContext(ctx)
		k.ticket, err = k.api.gate.enter(waitCtx, k.slots)
		stop()
		if refused := new(refusal); errors.As(err, &refused) && k.attempts == 0 {
			continue // each call may send one attempt to an API that is failing
		}
		if err != nil {
			return err
		}
		if err := k.refuse(true); err != nil {
			k.api.gate.report(k.ticket, noVerdict, 0)
			<-k.slots
			return err
		}
		return nil
	}
}

// refuse returns a refusal if no attempt may be sent.
func (k *call) refuse(send bool) (err error) {
	if err := k.api.logins.refuse(k.organization()); err != nil {
		return err
	}
	k.probe, err = k.api.outage.refuse(k.attempts, send)
	return err
}

// learn records what an attempt reveals about the API as a whole, and reports
// whether the retry that was planned still takes place.
func (k *call) learn(failed *Error, began time.Time, wait time.Duration, again bool) bool {
	o := k.api.outage
	if k.probe {
		defer o.endProbe()
	}
	switch {
	case failed == nil:
		k.api.logins.succeed(k.organization())
		k.endOutage()
	case failed.local, failed.class == classInterrupted:
	case failed.endless, failed.Status != 0 && failed.Status < http.StatusInternalServerError:
		if failed.Status == http.StatusUnauthorized {
			failed.refusal = k.api.logins.reject(k.organization(), k.api.settings)
		}
		k.endOutage()
	default:
		if !again {
			wait = 0
		}
		o.fail(failure{address: objectKey(k.path), began: began, connected: k.connected, status: failed.Status, wait: wait})
		_, err := o.refuse(k.attempts, false)
		if errors.As(err, &failed.refusal) && again {
			failed.gaveUp, again = err.Error(), false
		}
	}
	return again
}

// endOutage records a response. If it ends an outage, the lists that failed
// during the outage are no longer reused.
func (k *call) endOutage() {
	if k.api.outage.succeed() && k.api == k.management {
		k.lists.forgetFailed()
	}
}

// report reports the outcome of an attempt to the gate, and returns how long a 429
// closes it. Without retries the gate stays open, since nothing waits.
func (k *call) report(failed *Error) time.Duration {
	switch {
	case k.retryTimeout == 0:
		return 0
	case failed == nil:
		return k.api.gate.report(k.ticket, accepted, 0)
	case failed.Status == http.StatusTooManyRequests:
		return k.api.gate.report(k.ticket, rejected, failed.retryAfter)
	case failed.Status == 0:
		return k.api.gate.report(k.ticket, noVerdict, 0)
	default:
		return k.api.gate.report(k.ticket, accepted, 0)
	}
}

// retry reports whether to send another attempt, and after which wait. A wait that
// would exceed retry_timeout is not begun.
func (k *call) retry(ctx context.Context, failed *Error, limited time.Duration) (wait time.Duration, again bool) {
	if failed == nil || failed.endless || k.retryTimeout == 0 {
		return 0, false
	}
	switch failed.class {
	case classRateLimited:
		wait, again = limited, true
	case classNotSent:
		wait, again = k.backoff.next(), true
	case classNoResponse, classServerError:
		wait, again = max(k.backoff.next(), failed.retryAfter), !k.nonIdempotent || k.reconcile != nil
	}
	end, bounded := ctx.Deadline()
	if !again || !bounded || !time.Now().Add(wait).After(end) {
		return wait, again
	}
	failed.gaveUp = fmt.Sprintf("the next retry would start in %s, after the end of retry_timeout (%s)", readable(wait), readable(k.retryTimeout))
	if failed.retryAfter > 0 && wait >= failed.retryAfter-time.Second {
		failed.gaveUp = fmt.Sprintf("the API requested a wait of %s (Retry-After), which ends after retry_timeout (%s)", readable(failed.retryAfter), readable(k.retryTimeout))
	}
	return wait, false
}

// reconciled finds out what is still needed after an attempt that may have been
// carried out and must not be repeated as it is.
func (k *call) reconciled(ctx context.Context, failed *Error) (needed bool, err error) {
	k.invalidateReads()
	needed, err = k.reconcile(ctx)
	if err == nil && needed {
		k.encoded, err = encode(k.body)
	}
	switch {
	case err == nil:
		return needed, nil
	case ctx.Err() != nil:
		return false, k.giveUp(context.Cause(ctx))
	default:
		failed.unfinished = err
		return false, k.conclude(failed)
	}
}

// giveUp is the error of a call that ended during a wait.
func (k *call) giveUp(cause error) error {
	e := k.last
	if e == nil {
		e = &Error{class: classNotSent}
	}
	var late *waitTooLong
	if errors.As(cause, &late) {
		late.limit = k.retryTimeout
	}
	switch {
	case errors.As(cause, &e.refusal):
		e.gaveUp = cause.Error()
		if k.last == nil {
			e.Err = cause
		}
	case k.last == nil && errors.Is(cause, errBudget):
		e.Err = fmt.Errorf("it was still waiting for its turn when retry_timeout (%s) ended; increase retry_timeout, or lower Terraform's -parallelism", readable(k.retryTimeout))
	case late != nil, errors.Is(cause, errBudget):
		e.gaveUp = cause.Error()
		if k.last == nil {
			e.Err = cause
		}
	default: // the caller has cancelled
		e.class, e.Err = classInterrupted, cause
	}
	return k.conclude(e)
}

// conclude completes an error with what only the call knows.
func (k *call) conclude(e *Error) error {
	e.Operation, e.subject, e.settings = k.operation, k.subject, k.api.settings
	e.Attempts, e.Elapsed = k.attempts, time.Since(k.started)
	e.write, e.notFound = k.isWrite(), e.apiNotFound && !k.collection
	e.ambiguous = e.ambiguous || k.ambiguous
	e.creation, e.collection, e.noRetries = k.method == http.MethodPost, k.collection, k.retryTimeout == 0
	reported := e.refusal != nil && (k.attempts == 0 || e.Status == http.StatusUnauthorized)
	if k.attempts > 0 && (e.class == classNotSent || e.class == classNoResponse || e.class == classServerError) {
		reported = k.api.outage.markReported() && e.refusal != nil
	}
	if reported {
		e.brief = e.briefly()
	}
	return e
}

// maskedPath is the path of the request for a log line. The query is omitted, since
// its filters come from the configuration.
func (k *call) maskedPath() string {
	segments := strings.Split(k.url.EscapedPath(), "/")
	for i, segment := range segments {
		segments[i] = k.maskOutside(segment)
	}
	return strings.Join(segments, "/")
}

// logAttempt logs one attempt.
func (k *call) logAttempt(ctx context.Context, failed *Error, took, wait time.Duration, again bool) {
	if k.log == nil {
		return
	}
	fields := map[string]any{
		"operation":   k.operation,
		"method":      k.method,
		"path":        k.maskedPath(),
		"attempt":     k.attempts,
		"duration_ms": took.Milliseconds(),
		"queued_ms":   k.queued.Milliseconds(),
	}
	if k.status != 0 {
		fields["status"] = k.status
	}
	if k.requestID != "" {
		fields["request_id"] = k.requestID
	}
	if failed != nil {
		fields["error"] = failed.cause()
	}
	if again {
		fields["wait_ms"], fields["wait_reason"] = wait.Milliseconds(), failed.waitReason()
	}
	k.log(ctx, "Data Platform request", fields)
}
