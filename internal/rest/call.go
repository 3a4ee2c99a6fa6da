package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// call is one request, with all of its attempts and waits.
type call struct {
	sender
	started time.Time
	backoff backoff
	last    *Error // of the last attempt
	// ambiguous reports that one of the attempts may have been carried out,
	// whatever became of those after it.
	ambiguous bool

	waiting atomic.Pointer[waiting]
}

// Do carries out a request, with all of its attempts and waits.
func (c *Client) Do(ctx context.Context, r *Request) error {
	k := &call{sender: sender{Request: r, client: c}, started: time.Now(), backoff: newBackoff()}
	k.address, k.realm, k.label = r.Key(), r.Realm, k.NewError(Final, nil).begins()
	var err error
	if k.target, err = r.fullURL(); err != nil {
		return fmt.Errorf("%s: %w", r.Operation, err)
	}
	r.invalidate()
	defer r.invalidate()
	if limit := c.config.RetryTimeout; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, k.started.Add(limit), errBudget)
		defer cancel()
		k.end, _ = ctx.Deadline() // earlier in a reconciliation, which shares the time of its request
	}
	defer k.warn(ctx)()
	return k.run(ctx)
}

func (k *call) run(ctx context.Context) error {
	door := &k.API.door
	for {
		queued := time.Now()
		k.waits(forItsTurn)
		if err := door.admit(ctx, &k.caller, k.client.slots); err != nil {
			return k.stop(err)
		}
		k.waits(fmt.Sprintf("for the response to attempt %d", k.attempts))
		a, failed := k.try(ctx)
		k.connected = a.connected.Load()
		door.observe(&k.caller, failed)
		<-k.client.slots // after observe, so that the next request obeys it
		_, refused := door.refusal(&k.caller)
		next := policy(k.Request, failed, &k.backoff, k.allowed(failed), refused)
		k.log(ctx, a, failed, next, queued)
		if failed == nil {
			return nil
		}
		k.last, k.ambiguous = failed, k.ambiguous || failed.Ambiguous
		if !next.again {
			return k.conclude(failed, next.because)
		}
		k.waits("to retry")
		if err := door.sleep(ctx, &k.caller, next.wait); err != nil {
			return k.stop(err)
		}
		if k.NonIdempotent && failed.Ambiguous {
			if needed, err := k.reconcile(ctx, failed); err != nil || !needed {
				return err
			}
		}
	}
}

// decision is what follows an attempt.
type decision struct {
	again   bool
	wait    time.Duration // before the next attempt. After a 429, all wait together, and this is 0
	because error         // why there is no next attempt although there could be; nil otherwise
}

// allowance is the time until the end of a call; negative without retries.
type allowance struct {
	time.Duration
	limit string // what ends then, for a message
}

// policy decides what follows an attempt. A wait that would exceed what is left is not
// begun.
func policy(r *Request, failed *Error, backoff *backoff, left allowance, refused error) decision {
	if failed == nil || left.Duration < 0 {
		return decision{}
	}
	var wait time.Duration
	switch failed.Kind {
	case RateLimited:
	case NotSent:
		wait = backoff.next()
	case NoResponse, ServerError:
		if r.NonIdempotent && r.Reconcile == nil {
			return decision{}
		}
		wait = max(backoff.next(), failed.requested)
	default:
		return decision{}
	}
	switch {
	case refused != nil:
		return decision{because: refused}
	case failed.Kind == RateLimited && failed.requested > left.Duration, wait > left.Duration && wait == failed.requested:
		return decision{because: &tooLate{fmt.Sprintf("the API requested a wait of %s (%s), which ends after %s", readable(failed.requested), failed.requestedWith, left.limit)}}
	case wait > left.Duration:
		return decision{because: &tooLate{fmt.Sprintf("the next retry would start in %s, after the end of %s", readable(wait), left.limit)}}
	}
	return decision{again: true, wait: wait}
}

// allowed is how long attempts may begin.
func (k *call) allowed(failed *Error) allowance {
	limit := k.client.config.RetryTimeout
	if limit == 0 {
		return allowance{-1, ""}
	}
	if contact := k.API.door.contact(&k.caller); failed != nil && failed.Kind == NotSent && !contact.IsZero() {
		return allowance{max(0, time.Until(contact)), fmt.Sprintf("the %s in which a host must be reached for the first time", readable(firstContact))}
	}
	return allowance{max(0, time.Until(k.end)), fmt.Sprintf("retry_timeout (%s)", readable(limit))}
}

// reconcile finds out what is still needed after an attempt that may have been
// carried out and must not be repeated as it is.
func (k *call) reconcile(ctx context.Context, failed *Error) (needed bool, err error) {
	k.invalidate()
	needed, err = k.Reconcile(ctx)
	switch {
	case err == nil:
		return needed, nil
	case ctx.Err() != nil:
		return false, k.stop(context.Cause(ctx))
	default:
		failed.unfinished = err
		return false, k.conclude(failed, nil)
	}
}

// stop is the error of a call that ended during a wait.
func (k *call) stop(cause error) error {
	e := k.last
	if e == nil {
		e = k.NewError(NotSent, cause)
	}
	switch {
	case errors.As(cause, new(*trouble)), errors.As(cause, new(*tooLate)):
	case !errors.Is(cause, errBudget): // the caller has cancelled
		e.Kind, e.Err = Interrupted, cause
		cause = nil
	case k.last == nil:
		e.Err = fmt.Errorf("it was still waiting for its turn when retry_timeout (%s) ended; increase retry_timeout, or lower Terraform's -parallelism", readable(k.client.config.RetryTimeout))
	}
	return k.conclude(e, cause)
}

// conclude completes an error with what only the call knows. because is why there was no
// further attempt, nil if another would have failed in the same way.
func (k *call) conclude(e *Error, because error) error {
	e.Attempts, e.Elapsed = k.attempts, time.Since(k.started)
	e.Ambiguous = e.Ambiguous || k.ambiguous
	e.NotFound = k.own404 && e.Status == http.StatusNotFound && !k.Collection
	if because != nil {
		e.stopped = because.Error()
	}
	switch {
	case !e.Ambiguous || k.Method == http.MethodPost:
	case e.Kind == Unreadable:
		e.effect = effectProbable
	default:
		e.effect = effectUnknown
	}
	e.advice = advise(k.Request, e, k.own404, k.client.config.RetryTimeout > 0)
	k.API.door.report(&k.caller, e, because)
	return e
}

// log logs one attempt.
func (k *call) log(ctx context.Context, a *attempt, failed *Error, next decision, queued time.Time) {
	if k.client.config.Log == nil {
		return
	}
	fields := map[string]any{
		"operation":   k.Operation,
		"host":        k.API.Host(),
		"method":      k.Method,
		"path":        k.escapedPath(k.client.Secrets.Mask),
		"attempt":     k.attempts,
		"duration_ms": time.Since(k.began).Milliseconds(),
		"queued_ms":   k.began.Sub(queued).Milliseconds(),
	}
	if a.status != 0 {
		fields["status"] = a.status
	}
	if a.requestID != "" {
		fields["request_id"] = a.requestID
	}
	if failed != nil {
		fields["error"] = failed.Cause()
	}
	if next.again {
		fields["wait_ms"], fields["wait_reason"] = max(next.wait, failed.requested).Milliseconds(), failed.last()
	}
	k.client.config.Log(ctx, "Data Platform request", fields)
}

const (
	// A call that waits is logged after unusual, and again after each reminder.
	unusual  = 10 * time.Second
	reminder = time.Minute

	forItsTurn = "for its turn"
)

// waiting is what a call waits for, as the end of "Data Platform request is waiting …",
// and its last failure; "" for none.
type waiting struct{ reason, failure string }

func (k *call) waits(reason string) {
	w := &waiting{reason: reason}
	if k.last != nil {
		w.failure = k.last.last()
	}
	k.waiting.Store(w)
}

// warn logs what a call waits for, and its last failure or that of another call, once it
// takes long, until stop is called.
func (k *call) warn(ctx context.Context) (stop func()) {
	if k.client.config.Warn == nil {
		return func() {}
	}
	ended, stop := context.WithCancel(ctx)
	go func() {
		for wait := unusual; pause(ended, wait, nil) == nil; wait = reminder {
			w := *k.waiting.Load()
			limit, failure := k.API.door.state()
			if w.reason == forItsTurn && limit != "" {
				w.reason += ": " + limit
			}
			if failure = cmp.Or(w.failure, failure); failure != "" {
				w.reason += "; the last failure was: " + failure
			}
			k.client.config.Warn(ctx, "Data Platform request is waiting "+w.reason, map[string]any{
				"operation": k.Operation,
				"host":      k.API.Host(),
				"path":      k.escapedPath(k.client.Secrets.Mask),
				"waited_ms": time.Since(k.started).Milliseconds(),
			})
		}
	}()
	return stop
}
