package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// call is one request, with all of its attempts and waits.
type call struct {
	*Request
	ticket
	client   *Client
	started  time.Time
	backoff  backoff
	failures []*Error // of all attempts
}

// Do carries out a request, with all of its attempts and waits.
func (c *Client) Do(ctx context.Context, r *Request) error {
	k := &call{Request: r, client: c, started: time.Now(), backoff: backoff{random: c.config.Random}}
	k.realm = r.Realm
	r.invalidate()
	defer r.invalidate()
	if budget := c.config.RetryTimeout; budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, k.started.Add(budget), errBudget)
		defer cancel()
		k.end, _ = ctx.Deadline() // earlier in a question, which shares the time of its request
	}
	return k.run(ctx)
}

func (k *call) run(ctx context.Context) error {
	gate := &k.API.gate
	for {
		queued := time.Now()
		k.stale = k.staleAt()
		err := gate.admit(ctx, &k.ticket)
		switch {
		case errors.Is(err, errStale):
			if needed, err := k.ask(ctx); !needed {
				return err
			}
			continue
		case err != nil:
			return k.stop(err)
		}
		a := k.try(ctx)
		gate.observe(&k.ticket, a)
		if a.failed == nil {
			k.log(ctx, a, decision{}, queued)
			return nil
		}
		k.failures = append(k.failures, a.failed)
		next := policy(k.Request, k.failures, &k.backoff, time.Until(k.end), k.client.config.RetryTimeout)
		k.log(ctx, a, next, queued)
		if !next.again {
			return k.conclude(a.failed, next.because, nil)
		}
		if err := gate.sleep(ctx, &k.ticket, next.wait); err != nil {
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
	needed, err = k.Ask(ctx, k.isAmbiguous())
	switch {
	case err == nil:
		for _, failed := range k.failures {
			failed.Ambiguous = failed.Ambiguous && k.Unsettled
		}
		return needed, nil
	case ctx.Err() != nil:
		return false, k.stop(context.Cause(ctx))
	default:
		return false, k.conclude(k.last(err), nil, err)
	}
}

// last is the last failure of the request; before the first one, that it was not sent
// because of an error.
func (k *call) last(err error) *Error {
	if len(k.failures) == 0 {
		return k.NewError(NotSent, err)
	}
	return k.failures[len(k.failures)-1]
}

// decision is what follows an attempt.
type decision struct {
	again   bool
	wait    time.Duration // before the next attempt. After a 429, all wait together, and this is 0
	because error         // why there is no next attempt although there could be; nil otherwise
}

// policy decides what follows the last of the failures of a request, of which there is at
// least one. A wait that would exceed what is left of retryTimeout is not begun.
func policy(r *Request, failures []*Error, backoff *backoff, left, retryTimeout time.Duration) decision {
	failed := failures[len(failures)-1]
	var again bool
	wait := max(backoff.next(), failed.requested)
	switch failed.Kind {
	case RateLimited:
		again, wait = true, 0
	case NotSent:
		again = true
	case NoResponse, Temporary:
		again = !r.Unrepeatable
	case Unreadable:
		again = r.Ask != nil
	}
	start := max(wait, failed.requested)
	switch {
	case !again, retryTimeout == 0:
		return decision{}
	case start > left:
		header := when(start == failed.requested, " ("+failed.requestedWith+")")
		return decision{because: tooLate(fmt.Sprintf("the next retry would start in %s%s, after the end of retry_timeout (%s)", readable(start), header, readable(retryTimeout)))}
	}
	return decision{again: true, wait: wait}
}

// stop is the error of a call that ended during a wait.
func (k *call) stop(cause error) error {
	e := k.last(cause)
	switch {
	case errors.As(cause, new(*trouble)), errors.As(cause, new(tooLate)):
	case !errors.Is(cause, errBudget): // the caller has cancelled
		e.Kind, e.Err = Interrupted, cause
		cause = nil
	case len(k.failures) == 0:
		e.Err = fmt.Errorf("it was still waiting for its turn when retry_timeout (%s) ended; increase retry_timeout, or lower Terraform's -parallelism", readable(k.client.config.RetryTimeout))
	}
	return k.conclude(e, cause, nil)
}

// isAmbiguous reports whether an attempt may have been carried out.
func (k *call) isAmbiguous() bool {
	return slices.ContainsFunc(k.failures, func(one *Error) bool { return one.Ambiguous })
}

// conclude completes an error with what only the call knows. because is why there was no
// further attempt, nil if another would have failed in the same way; stopped is the error
// of the request's question, nil if there is none.
func (k *call) conclude(e *Error, because, stopped error) error {
	e.Attempts, e.Elapsed = k.attempts, time.Since(k.started)
	e.Ambiguous = k.isAmbiguous()
	e.stopped = stopped
	shown := stopped != nil && !errors.As(stopped, new(*Error)) // a read has just shown what was applied
	// The caller of a creation knows what the object may be found by.
	unknown := e.Ambiguous && k.Method != http.MethodPost && !shown
	e.more = []string{
		when(stopped != nil && e.Attempts > 0, "Nothing more was sent: "+sentence(fmt.Sprint(stopped))),
		when(unknown && e.Kind == Unreadable, "The change was probably applied."),
		when(unknown && e.Kind != Unreadable, "It is not known whether the change was applied. The next plan shows what is still missing."),
		when(because != nil && e.Attempts > 0, fmt.Sprintf("Gave up after %s: %s", e.spent(), sentence(fmt.Sprint(because)))),
		when(because == nil && e.Attempts > 1, fmt.Sprintf("Failed after %s.", e.spent())),
		when(stopped == nil, k.advise(e, because)),
	}
	return e
}

func (k *call) log(ctx context.Context, a *attempt, next decision, queued time.Time) {
	if k.client.config.Log == nil {
		return
	}
	fields := map[string]any{
		"operation": k.Operation, "host": k.API.Host(), "path": k.escapedPath(k.client.Secrets.Mask),
		"method": k.Method, "attempt": k.attempts,
		"duration_ms": time.Since(k.began).Milliseconds(), "queued_ms": k.began.Sub(queued).Milliseconds(),
	}
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
		fields["wait_ms"] = max(next.wait, a.failed.requested).Milliseconds()
	}
	k.client.config.Log(ctx, "Data Platform request", fields)
}
