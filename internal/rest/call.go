package rest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// Call is one request, with all of its attempts and waits.
type Call struct {
	*Request
	client   *Client
	cancel   context.CancelFunc
	started  time.Time
	end      time.Time // of retry_timeout
	failures []*Error  // of all attempts

	began      time.Time // the last attempt
	attempts   int
	unanswered bool // the API itself had not responded in this run when the last attempt ended
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

// Begin begins a call, which the caller has to End, and sends no request. The context that it returns ends with the
// call's retry_timeout. It is for Try, and for what the caller reads between two attempts.
func (c *Client) Begin(ctx context.Context, r *Request) (context.Context, *Call) {
	k := &Call{Request: r, client: c, cancel: func() {}, started: time.Now()}
	if budget := c.config.RetryTimeout; budget > 0 {
		cause := &Reworded{"no response within the rest of retry_timeout", errTime}
		ctx, k.cancel = context.WithDeadlineCause(ctx, k.started.Add(budget), cause)
		k.end, _ = ctx.Deadline() // earlier in a read between two attempts of another call
	}
	return ctx, k
}

// End ends a call.
func (k *Call) End() { k.cancel() }

// MaxAge is how old the read that a request is based on may be when the request is sent.
const MaxAge = 10 * time.Second

// Try sends the request once, as soon as it may be sent. It reports whether the caller may try again: the attempt failed with
// an error, and the wait after it is over; or, without an error, nothing was sent, because the read that the request is based
// on would have been older than MaxAge. Before the next attempt, the caller may change Body, Leaves and AsOf.
func (k *Call) Try(ctx context.Context) (again bool, err error) {
	if k.Invalid != nil {
		return false, k.NewError(Final, nil)
	}
	if k.Invalidate != nil {
		k.Invalidate()
		defer k.Invalidate()
	}
	if err := k.admit(ctx); errors.Is(err, errStale) {
		return true, nil
	} else if err != nil {
		return false, k.stop(err)
	}
	a := k.try(ctx)
	<-k.client.slots
	next := k.decide(a, time.Now())
	k.logEnd(ctx, a, next.wait)
	switch {
	case a.failed == nil:
		return false, nil
	case !next.again:
		return false, k.complete(a.failed, next.because)
	case next.isShared:
		return true, a.failed // admit waits
	}
	if err := k.sleep(ctx, next.wait); err != nil {
		return false, k.stop(err)
	}
	return true, a.failed
}

var (
	// errStale ends the wait of a request whose read would be too old.
	errStale = errors.New("the read that the request is based on is too old")
	// errTime is why an attempt or a wait ended early, if not because the caller cancelled.
	errTime = &refusal{reason: "retry_timeout leaves no time for the next attempt"}
)

// spread is how far apart calls go on after they have waited for the same 429.
const spread = time.Second

// admit waits until an attempt may be sent, and takes a slot for it.
func (k *Call) admit(ctx context.Context) error {
	queued, jitter, cancel := time.Now(), spread, func() {}
	if !k.AsOf.IsZero() { // the read would only become older
		jitter = 0
		ctx, cancel = context.WithDeadlineCause(ctx, k.AsOf.Add(MaxAge), errStale)
	}
	defer cancel()
	for ctx.Err() == nil { // select would choose at random
		select {
		case k.client.slots <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		wait, err := k.API.health.begin(k, time.Now())
		if err == nil && wait == 0 {
			path := k.client.Clean("/"+strings.Join(k.Path, "/"), maxMessage)
			queuedFor := k.began.Sub(queued).Milliseconds()
			k.log(ctx, "sending", map[string]any{"method": k.Method, "path": path, "leaves": k.Leaves, "queued_ms": queuedFor})
			return nil
		}
		<-k.client.slots
		if err != nil {
			return err
		}
		jitter = min(jitter, (time.Until(k.end)-wait)/2)
		if err := k.sleep(ctx, wait+time.Duration(k.client.config.Random()*float64(jitter))); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// sleep waits, and ends early with an error once an attempt would be refused.
func (k *Call) sleep(ctx context.Context, wait time.Duration) error {
	for end := time.Now().Add(wait); ; {
		left := time.Until(end)
		if err := k.API.health.check(k, time.Now()); err != nil || left <= 0 {
			return err
		}
		select {
		case <-time.After(min(left, time.Second)): // meanwhile, an outage may have begun
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// decide records how an attempt ended, and decides what follows. The wait after a call's first 429 is for
// all calls to the API: its later ones may be those of one object.
func (k *Call) decide(a *attempt, now time.Time) (next decision) {
	k.API.health.record(k, a, now)
	if a.failed == nil {
		return next
	}
	isFirst := !slices.ContainsFunc(k.failures, func(e *Error) bool { return e.Kind == RateLimited })
	a.failed.Elapsed = now.Sub(k.started)
	k.failures = append(k.failures, a.failed)
	next = k.next(now)
	if next.isShared = next.again && isFirst && a.failed.Kind == RateLimited; next.isShared {
		k.API.health.hold(now.Add(next.wait), a.failed)
	}
	return next
}

// stop is the error of a call that ended during a wait, with the cause of that.
func (k *Call) stop(cause error) error {
	e := k.NewError(NotSent, cause)
	if len(k.failures) > 0 {
		e = k.failures[len(k.failures)-1]
	}
	var because *refusal
	switch {
	case !errors.As(cause, &because): // the caller has cancelled
		e.Kind, e.Err = Interrupted, cause
	case len(k.failures) == 0:
		e.Err = because
	}
	return k.complete(e, because)
}

// complete completes an error with what only the call knows. because is why there was no further
// attempt, nil if another would have failed in the same way. What to do about a non-idempotent request
// that may still do harm is said by its caller, who knows the object.
func (k *Call) complete(e *Error, because *refusal) error {
	e.Attempts, e.Elapsed = k.attempts, time.Since(k.started)
	e.MayExistTwice = k.mayExistTwice(k.failures[:max(0, len(k.failures)-1)])
	e.Ambiguous = e.MayExistTwice || slices.ContainsFunc(k.failures, func(one *Error) bool { return one.Ambiguous })
	if e.Ambiguous && !k.NonIdempotent {
		e.more = append(e.more, "It is not known whether the change was applied. The next plan shows what is still missing.")
	}
	if e.Attempts > 1 || e.Attempts > 0 && because != nil {
		text := "Gave up after " + words.Count(e.Attempts, "attempt") + " in " + words.Duration(e.Elapsed)
		if because != nil {
			text += ": " + because.reason
		}
		e.more = append(e.more, words.Sentence(text))
	}
	hasBegun := e.Foreign == "" && (e.line/100 == 2 || e.Kind == NoResponse && e.line != 0)
	if e.Ambiguous && k.NonIdempotent && (k.Method != http.MethodPost || hasBegun) {
		return e
	}
	if advice := k.advise(e, because); advice != "" {
		e.more = append(e.more, advice)
	}
	return e
}

// log writes a line before an attempt, since a request that hangs, or whose process is killed, leaves no other, and one
// after it. No line has a body, a header, the path of the base URL, or a query, whose filters are free text.
func (k *Call) log(ctx context.Context, what string, fields map[string]any) {
	if k.client.config.Log != nil {
		fields["operation"], fields["host"], fields["attempt"] = k.Operation, k.API.Host(), k.attempts
		k.client.config.Log(ctx, "Data Platform request: "+what, fields)
	}
}

func (k *Call) logEnd(ctx context.Context, a *attempt, wait time.Duration) {
	fields := map[string]any{"duration_ms": time.Since(k.began).Milliseconds(), "wait_ms": wait.Milliseconds()}
	if a.response != nil {
		fields["status"], fields["request_id"] = a.response.Status, a.response.RequestID
	}
	if a.failed != nil {
		fields["error"] = a.failed.short()
	}
	k.log(ctx, "ended", fields)
}
