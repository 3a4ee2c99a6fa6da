package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Call is one request, with all of its attempts and waits.
type Call struct {
	*Request
	client   *Client
	cancel   context.CancelFunc
	started  time.Time
	end      time.Time // of retry_timeout
	backoff  backoff
	failures []*Error // of all attempts

	// What the gate of the API records, under its lock:

	number     int       // by which the queue is ordered, the same for all attempts; 0 before the first one
	attempts   int       // number of attempts
	began      time.Time // the last attempt
	whileDown  bool      // the last attempt began in an outage: see downTimeout
	unanswered bool      // no request of this run has had a response

	rejectedAt time.Time     // with a 429, as the one that went first; zero if it never was
	until      time.Time     // the end of a wait for a limit of its own
	interval   time.Duration // of the backoff for that
}

// Do carries out a request, with all of its attempts and waits.
func (c *Client) Do(ctx context.Context, r *Request) error {
	ctx, k := c.Begin(ctx, r)
	defer k.End()
	for {
		if again, err := k.Try(ctx); !again {
			return err
		}
	}
}

// Begin begins a call, which the caller has to End, and sends no request. The context that it returns
// ends with the call's retry_timeout. It is for Try, and for what the caller reads between two
// attempts.
func (c *Client) Begin(ctx context.Context, r *Request) (context.Context, *Call) {
	k := &Call{Request: r, client: c, cancel: func() {}, started: time.Now(), backoff: backoff{random: c.config.Random}}
	if budget := c.config.RetryTimeout; budget > 0 {
		ctx, k.cancel = context.WithDeadlineCause(ctx, k.started.Add(budget), errBudget)
		k.end, _ = ctx.Deadline() // earlier in a read between two attempts of another call
	}
	return ctx, k
}

// End ends a call.
func (k *Call) End() { k.cancel() }

// Began is when the last attempt was sent, after the wait for its turn.
func (k *Call) Began() time.Time { return k.began }

// Try sends the request once, when its turn comes. It reports whether the caller may try again: the
// attempt failed with an error, and the wait after it is over; or, without an error, nothing was
// sent, because the read that the request is based on would have been too old. Before the next
// attempt, the caller may change Body, Leaves and AsOf.
func (k *Call) Try(ctx context.Context) (again bool, err error) {
	gate, queued := &k.API.gate, time.Now()
	if k.Invalidate != nil {
		k.Invalidate()
		defer k.Invalidate()
	}
	switch err := gate.admit(ctx, k); {
	case errors.Is(err, errStale):
		return true, nil
	case err != nil:
		return false, k.stop(err)
	}
	a := k.try(ctx)
	gate.observe(k, a)
	if a.failed == nil {
		k.log(ctx, a, decision{}, queued)
		return false, nil
	}
	a.failed.Elapsed = time.Since(k.started)
	k.failures = append(k.failures, a.failed)
	next := policy(k.Request, k.failures, &k.backoff, time.Until(k.end), k.client.config.RetryTimeout)
	k.log(ctx, a, next, queued)
	if !next.again {
		return false, k.conclude(a.failed, next.because)
	}
	if err := gate.sleep(ctx, k, next.wait); err != nil {
		return false, k.stop(err)
	}
	return true, a.failed
}

// last is the last failure of the request. If none was sent, it is a new error that says why.
func (k *Call) last(err error) *Error {
	if len(k.failures) == 0 {
		return k.NewError(NotSent, err)
	}
	return k.failures[len(k.failures)-1]
}

// decision is what follows an attempt.
type decision struct {
	again   bool
	wait    time.Duration // before the next attempt; 0 after a 429, when the gate makes all calls wait
	because error         // why there is no next attempt although another could succeed; nil otherwise
}

// busyFor is how long to retry an update whose object is being changed.
const busyFor = time.Minute

// policy decides what follows the last of a request's failures. A wait that would exceed what is
// left of retryTimeout does not begin.
func policy(r *Request, failures []*Error, backoff *backoff, left, retryTimeout time.Duration) decision {
	failed := failures[len(failures)-1]
	var again bool
	start := max(backoff.next(), failed.requested) // when the next attempt could be sent
	wait := start
	switch failed.Kind {
	case RateLimited:
		again, start, wait = true, failed.requested, 0
	case NotSent:
		again = true
	case NoResponse, Temporary:
		again = !r.Unrepeatable || !failed.Ambiguous
	case Busy:
		first := slices.IndexFunc(failures, func(e *Error) bool { return e.Kind == Busy })
		again = r.Method == http.MethodPatch && failed.Elapsed-failures[first].Elapsed+start <= busyFor
	}
	switch {
	case !again, retryTimeout == 0:
		return decision{}
	case start > left:
		header := when(start == failed.requested, " ("+failed.requestedWith+")")
		return decision{because: tooLate(fmt.Sprintf("the next retry would start in %s%s, after the end of retry_timeout (%s)", readable(start), header, readable(retryTimeout)))}
	}
	return decision{again: true, wait: wait}
}

// stop is the error of a call that ended during a wait, with the cause of that.
func (k *Call) stop(cause error) error {
	e := k.last(cause)
	switch {
	case errors.As(cause, new(*commonFailure)), errors.As(cause, new(tooLate)):
	case !errors.Is(cause, errBudget): // the caller has cancelled
		e.Kind, e.Err = Interrupted, cause
		cause = nil
	case len(k.failures) == 0:
		e.Err = fmt.Errorf("it was still waiting for its turn when retry_timeout (%s) ended; increase retry_timeout, or lower Terraform's -parallelism", readable(k.client.config.RetryTimeout))
	}
	return k.conclude(e, cause)
}

// conclude completes an error with what only the call knows. because is why there was no further
// attempt, nil if another would have failed in the same way.
func (k *Call) conclude(e *Error, because error) error {
	e.Attempts, e.Elapsed = k.attempts, time.Since(k.started)
	e.Ambiguous = slices.ContainsFunc(k.failures, func(one *Error) bool { return one.Ambiguous })
	// What to do about a request that may still do harm is said by its caller, who knows the object.
	unknown := e.Ambiguous && !k.Unrepeatable
	e.more = []string{
		when(unknown && e.Kind == Unreadable, "The change was probably applied."),
		when(unknown && e.Kind != Unreadable, "It is not known whether the change was applied. The next plan shows what is still missing."),
		when(because != nil && e.Attempts > 0, fmt.Sprintf("Gave up after %s: %s", e.spent(), sentence(fmt.Sprint(because)))),
		when(because == nil && e.Attempts > 1, fmt.Sprintf("Failed after %s.", e.spent())),
		when(!e.Ambiguous || !k.Unrepeatable || k.Method == http.MethodPost, k.advise(e, because)),
	}
	return e
}

func (k *Call) log(ctx context.Context, a *attempt, next decision, queued time.Time) {
	if k.client.config.Log == nil {
		return
	}
	// The base URL's own path stays out, and so does the query, whose filters are free text.
	path := k.client.Secrets.Clean("/"+strings.Join(k.Path, "/"), maxMessage)
	fields := map[string]any{
		"operation": k.Operation, "host": k.API.Host(), "path": path,
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
