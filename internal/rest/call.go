package rest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
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

	// What the state of the API records, under the lock of the gate:

	began      time.Time // the last attempt
	unanswered bool      // no request of this run has had a response
	rejectedAt time.Time // with a 429, as the one that went first; zero if it never was
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
		ctx, k.cancel = context.WithDeadlineCause(ctx, k.started.Add(budget), errTime)
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
	gate, queued := &k.client.gate, time.Now()
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
		k.log(ctx, a, len(k.failures)+1, decision{}, queued)
		return false, nil
	}
	a.failed.Elapsed = time.Since(k.started)
	k.failures = append(k.failures, a.failed)
	next := policy(k.Request, k.failures, &k.backoff, time.Until(k.end), k.client.config.RetryTimeout)
	k.log(ctx, a, len(k.failures), next, queued)
	if !next.again {
		return false, k.conclude(a.failed, next.because)
	}
	if err := gate.sleep(ctx, k, next.wait); err != nil {
		return false, k.stop(err)
	}
	return true, a.failed
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
		return decision{because: fmt.Errorf("the next retry would start in %s%s, after the end of retry_timeout (%s)", readable(start), header, readable(retryTimeout))}
	}
	return decision{again: true, wait: wait}
}

// stop is the error of a call that ended during a wait, with the cause of that.
func (k *Call) stop(cause error) error {
	e := k.NewError(NotSent, cause)
	isFirst := len(k.failures) == 0
	if !isFirst {
		e = k.failures[len(k.failures)-1]
	}
	switch {
	case errors.As(cause, new(*refusal)):
	case !errors.Is(cause, errTime): // the caller has cancelled
		e.Kind, e.Err = Interrupted, cause
		cause = nil
	case isFirst:
		e.Err = fmt.Errorf("it was still waiting for its turn when retry_timeout (%s) ended; increase retry_timeout, or lower Terraform's -parallelism", readable(k.client.config.RetryTimeout))
	}
	return k.conclude(e, cause)
}

// conclude completes an error with what only the call knows. because is why there was no further
// attempt, nil if another would have failed in the same way.
func (k *Call) conclude(e *Error, because error) error {
	e.Attempts, e.Elapsed = len(k.failures), time.Since(k.started)
	e.Ambiguous = slices.ContainsFunc(k.failures, func(one *Error) bool { return one.Ambiguous })
	// What to do about a request that may still do harm is said by its caller, who knows the object.
	unknown := e.Ambiguous && !k.Unrepeatable
	spent := fmt.Sprintf(" after %d attempt%s in %s", e.Attempts, when(e.Attempts > 1, "s"), readable(e.Elapsed))
	e.more = []string{
		when(unknown && e.Kind == Unreadable, "The change was probably applied."),
		when(unknown && e.Kind != Unreadable, "It is not known whether the change was applied. The next plan shows what is still missing."),
		when(because != nil && e.Attempts > 0, "Gave up"+spent+": "+sentence(fmt.Sprint(because))),
		when(because == nil && e.Attempts > 1, "Failed"+spent+"."),
		when(!e.Ambiguous || !k.Unrepeatable || k.Method == http.MethodPost, k.advise(e, because)),
	}
	return e
}

func (k *Call) log(ctx context.Context, a *attempt, number int, next decision, queued time.Time) {
	if k.client.config.Log == nil {
		return
	}
	fields := map[string]any{
		"operation": k.Operation, "host": k.API.Host(), "method": k.Method, "attempt": number,
		// The base URL's own path stays out, and so does the query, whose filters are free text.
		"path":        k.client.Secrets.Clean("/"+strings.Join(k.Path, "/"), maxMessage),
		"duration_ms": time.Since(k.began).Milliseconds(), "queued_ms": k.began.Sub(queued).Milliseconds(),
	}
	if len(k.Leaves) > 0 {
		fields["leaves"] = k.Leaves
	}
	if a.response != nil {
		fields["status"], fields["request_id"] = a.response.Status, a.response.RequestID
	}
	if a.failed != nil {
		fields["error"] = a.failed.Cause()
	}
	if next.again {
		fields["wait_ms"] = max(next.wait, a.failed.requested).Milliseconds()
	}
	k.client.config.Log(ctx, "Data Platform request", fields)
}

// backoff is exponential backoff with full jitter, starting at 0.5 s and capped at 20 s.
// A library was rejected: the intervals are all that one would provide.
type backoff struct {
	random   func() float64 // between 0 and 1
	interval time.Duration
}

const (
	maxFirstWait = 500 * time.Millisecond // before the second attempt
	maxWait      = 20 * time.Second       // before any attempt
	// maxRequestedWait caps the wait that a response requests, so that no sum of times overflows.
	maxRequestedWait = 365 * 24 * time.Hour
	// sinceEpoch is the number from which a rate limit's reset is a time, in seconds since 1970. As a
	// wait, it would be 31 years.
	sinceEpoch = 1e9
)

// next is the wait before the next attempt, at least 1 ms.
func (b *backoff) next() time.Duration {
	b.interval = min(max(2*b.interval, maxFirstWait), maxWait)
	return max(time.Duration(b.random()*float64(b.interval)), time.Millisecond)
}

// requestedWait is the wait that a response requests, and the header that does so; 0 if no header is
// usable. After a 429 without Retry-After, it reads the usual headers of rate limits.
func requestedWait(status int, header http.Header, now time.Time) (wait time.Duration, name string) {
	wait, exists := waitOf(header.Get("Retry-After"), now, math.Inf(1))
	if wait > 0 {
		return wait, "Retry-After"
	}
	if exists || status != http.StatusTooManyRequests {
		return 0, ""
	}
	for _, name := range []string{"RateLimit-Reset", "X-RateLimit-Reset"} {
		if wait, _ := waitOf(header.Get(name), now, sinceEpoch); wait > 0 {
			return wait, name
		}
	}
	return 0, ""
}

// waitOf reads a wait: a date, or a number of seconds, which count from 1970 if there are at least
// epoch. It reports whether the value is a date or a number, even one that has passed.
func waitOf(value string, now time.Time, epoch float64) (wait time.Duration, exists bool) {
	value = strings.TrimSpace(value)
	seconds, err := strconv.ParseFloat(value, 64) // +Inf with an error if it is too large
	switch when, notDate := http.ParseTime(value); {
	case notDate == nil:
		seconds = when.Sub(now).Seconds()
	case strings.Trim(value, "0123456789.") != "", err != nil && !math.IsInf(seconds, 1):
		return 0, false
	case seconds >= epoch:
		seconds -= float64(now.UnixNano()) / float64(time.Second)
	}
	return time.Duration(min(max(seconds, 0), maxRequestedWait.Seconds()) * float64(time.Second)), true
}
