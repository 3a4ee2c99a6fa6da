package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// call is one request, with all of its attempts and waits.
type call struct {
	sender
	started  time.Time
	backoff  backoff
	failures []*Error // of all attempts

	waiting atomic.Value // what for, as the end of "Data Platform request is waiting …"
}

// Do carries out a request, with all of its attempts and waits.
func (c *Client) Do(ctx context.Context, r *Request) error {
	k := &call{sender: sender{Request: r, client: c}, started: time.Now(), backoff: newBackoff(c.config.Random)}
	k.address, k.realm = r.Key(), r.Realm
	r.invalidate()
	defer r.invalidate()
	if limit := c.config.RetryTimeout; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, k.started.Add(limit), errBudget)
		defer cancel()
		k.end, _ = ctx.Deadline() // earlier in a question, which shares the time of its request
	}
	defer k.warn(ctx)()
	return k.run(ctx)
}

func (k *call) run(ctx context.Context) error {
	gate := &k.API.gate
	for {
		queued := time.Now()
		k.waiting.Store(forItsTurn)
		k.stale = k.staleAt()
		err := gate.admit(ctx, &k.caller)
		if errors.Is(err, errStale) {
			if needed, err := k.ask(ctx); !needed {
				return err
			}
			continue
		}
		if err != nil {
			return k.stop(err)
		}
		k.waiting.Store(fmt.Sprintf("for the response to attempt %d", k.attempts))
		a := k.try(ctx)
		refused := gate.observe(&k.caller, a)
		failed := a.failed
		if failed == nil {
			k.log(ctx, a, decision{}, queued)
			return nil
		}
		k.failures = append(k.failures, failed)
		left, limit := k.left(failed)
		next := policy(k.Request, k.failures, &k.backoff, left, limit, refused)
		k.log(ctx, a, next, queued)
		if !next.again {
			return k.conclude(failed, next.because, nil)
		}
		k.waiting.Store("to retry")
		if err := gate.sleep(ctx, &k.caller, next.wait); err != nil {
			return k.stop(err)
		}
		if needed, err := k.ask(ctx); !needed {
			return err
		}
	}
}

// ask asks whether the request is still needed, which it is without a question. The call
// has no slot meanwhile: the question is a request of its own, which waits like any other.
func (k *call) ask(ctx context.Context) (needed bool, err error) {
	if k.Ask == nil {
		return true, nil
	}
	k.invalidate()
	needed, err = k.Ask(ctx)
	switch {
	case err == nil:
		return needed, nil
	case ctx.Err() != nil:
		return false, k.stop(context.Cause(ctx))
	case len(k.failures) == 0:
		return false, k.conclude(k.NewError(NotSent, err), nil, err)
	default:
		return false, k.conclude(k.failures[len(k.failures)-1], nil, err)
	}
}

// decision is what follows an attempt.
type decision struct {
	again   bool
	wait    time.Duration // before the next attempt. After a 429, all wait together, and this is 0
	because error         // why there is no next attempt although there could be; nil otherwise
}

// policy decides what follows the last of the failures of a request, of which there is at
// least one. A wait that would exceed what is left is not begun; limit is what ends then,
// for a message.
func policy(r *Request, failures []*Error, backoff *backoff, left time.Duration, limit string, refused error) decision {
	if left < 0 {
		return decision{}
	}
	failed := failures[len(failures)-1]
	var wait time.Duration
	switch failed.Kind {
	case RateLimited:
	case NotSent:
		wait = backoff.next()
	case NoResponse, Temporary:
		if r.NonIdempotent {
			return decision{}
		}
		wait = max(backoff.next(), failed.requested)
	case Unreadable:
		if r.Ask == nil {
			return decision{}
		}
		wait = backoff.next()
	default:
		return decision{}
	}
	switch {
	case refused != nil:
		return decision{because: refused}
	case failed.requested > left:
		return decision{because: &tooLate{fmt.Sprintf("the API requested a wait of %s (%s), which ends after %s", readable(failed.requested), failed.requestedWith, limit)}}
	case wait > left:
		return decision{because: &tooLate{fmt.Sprintf("the next retry would start in %s, after the end of %s", readable(wait), limit)}}
	}
	return decision{again: true, wait: wait}
}

// left is for how long attempts may begin, and what ends then. It is negative without
// retries.
func (k *call) left(failed *Error) (left time.Duration, limit string) {
	switch {
	case k.client.config.RetryTimeout == 0:
		return -1, ""
	case failed.Kind == NotSent && !k.contact.IsZero():
		return max(0, time.Until(k.contact)), fmt.Sprintf("the %s allowed for the first connection of a run", readable(firstContact))
	default:
		return max(0, time.Until(k.end)), fmt.Sprintf("retry_timeout (%s)", readable(k.client.config.RetryTimeout))
	}
}

// stop is the error of a call that ended during a wait.
func (k *call) stop(cause error) error {
	first := len(k.failures) == 0
	e := k.NewError(NotSent, cause)
	if !first {
		e = k.failures[len(k.failures)-1]
	}
	refused := new(trouble)
	switch {
	case errors.As(cause, &refused) && first:
		e.Err = fmt.Errorf("%s: %s", refused.reason, refused.cause)
	case errors.As(cause, &refused), errors.As(cause, new(*tooLate)):
	case !errors.Is(cause, errBudget): // the caller has cancelled
		e.Kind, e.Err = Interrupted, cause
		cause = nil
	case first:
		e.Err = fmt.Errorf("it was still waiting for its turn when retry_timeout (%s) ended; increase retry_timeout, or lower Terraform's -parallelism", readable(k.client.config.RetryTimeout))
	}
	return k.conclude(e, cause, nil)
}

// conclude completes an error with what only the call knows. because is why there was no
// further attempt, nil if another would have failed in the same way; stopped is the error
// of the request's question, nil if there is none.
func (k *call) conclude(e *Error, because, stopped error) error {
	e.Attempts, e.Elapsed = k.attempts, time.Since(k.started)
	e.Ambiguous = slices.ContainsFunc(k.failures, func(one *Error) bool { return one.Ambiguous })
	effect := ""                                               // of a creation: its caller knows what the object may be found by
	told := stopped != nil && !errors.As(stopped, new(*Error)) // a read has just shown it
	switch {
	case !e.Ambiguous, k.Method == http.MethodPost, told:
	case e.Kind == Unreadable:
		effect = "The change was probably applied."
	default:
		effect = "It is not known whether the change was applied. The next plan shows what is still missing."
	}
	advice := ""
	if stopped == nil { // which has its own
		advice = advise(k.Request, e, because, k.client.config.RetryTimeout > 0, k.unanswered)
	}
	e.follow(because, stopped, effect, advice)
	return e
}

func (k *call) log(ctx context.Context, a *attempt, next decision, queued time.Time) {
	if k.client.config.Log == nil {
		return
	}
	fields := k.fields()
	fields["method"] = k.Method
	fields["attempt"] = k.attempts
	fields["duration_ms"] = time.Since(k.began).Milliseconds()
	fields["queued_ms"] = k.began.Sub(queued).Milliseconds()
	if len(k.Leaves) > 0 {
		fields["leaves"] = k.Leaves
	}
	if a.response != nil {
		fields["status"] = a.response.Status
		if id := a.response.RequestID; id != "" {
			fields["request_id"] = id
		}
	}
	if a.failed != nil {
		fields["error"] = a.failed.Cause()
	}
	if next.again {
		fields["wait_ms"], fields["wait_reason"] = max(next.wait, a.failed.requested).Milliseconds(), a.failed.inBrief()
	}
	k.client.config.Log(ctx, "Data Platform request", fields)
}

func (k *call) fields() map[string]any {
	return map[string]any{"operation": k.Operation, "host": k.API.Host(), "path": k.escapedPath(k.client.Secrets.Mask)}
}

const (
	// A call that waits is logged after unusual, and again after each reminder.
	unusual  = 10 * time.Second
	reminder = time.Minute

	forItsTurn = "for its turn"
)

// warn logs what a call waits for, and the last failure of the API, once it takes long,
// until stop is called.
func (k *call) warn(ctx context.Context) (stop func()) {
	if k.client.config.Warn == nil {
		return func() {}
	}
	ctx, stop = context.WithCancel(ctx)
	go func() {
		for wait := unusual; pause(ctx, wait, nil) == nil; wait = reminder {
			line := "Data Platform request is waiting " + k.waiting.Load().(string)
			limit, failure := k.API.gate.state()
			if strings.HasSuffix(line, forItsTurn) && limit != "" {
				line += ": " + limit
			}
			if failure != "" {
				line += "; the last failure was: " + failure
			}
			fields := k.fields()
			fields["waited_ms"] = time.Since(k.started).Milliseconds()
			k.client.config.Warn(ctx, line, fields)
		}
	}()
	return stop
}
