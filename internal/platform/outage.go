package platform

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// outage detects that an API fails for all calls, so that they do not each spend
// their retry_timeout on it.
//
//   - An API that has not responded to any request for retry_timeout is down:
//     waits end, and calls fail without a request until holdOff after the last
//     failure. Then one attempt at a time is sent.
//   - An API that has returned only 5xx for that long is failing: each call sends
//     one attempt.
//
// Any other response ends the outage. With a limit of 0, nothing is detected.
type outage struct {
	api   string        // its name in messages
	limit time.Duration // retry_timeout

	mu        sync.Mutex
	condition condition
	since     time.Time           // beginning of the failures without a success between them
	silent    time.Time           // beginning of those without a response between them
	addresses map[string]struct{} // that did not respond since then
	connected bool                // one of them accepted a connection
	responded time.Time           // last response, whatever its status
	last      time.Time           // last failure
	expected  time.Time           // when the next attempt of the failed calls is due at the latest
	probing   bool                // while down: an attempt is in flight
	reported  bool                // an error has reported the outage in full

	steady       context.Context         // cancelled when the condition worsens, with a refusal as its cause
	cancelSteady context.CancelCauseFunc // cancels steady
}

type condition int

const (
	up condition = iota
	failing
	down
)

const (
	// holdOff is how long an API that is down gets no request.
	holdOff = 10 * time.Second
	// manyAddresses is the number of addresses that must not respond before an API
	// that accepts connections counts as down. With two, two broken objects in a
	// row at -parallelism=1 would fail the working ones after them.
	manyAddresses = 3
)

// refusal is why a call sends no attempt, or no further one. An earlier error has
// reported the reason in full.
type refusal struct{ reason string }

func (r *refusal) Error() string { return r.reason }

func newOutage(api string, limit time.Duration) *outage {
	o := &outage{api: api, limit: limit}
	o.steady, o.cancelSteady = context.WithCancelCause(context.Background())
	return o
}

// refuse returns a refusal if a call that has sent this number of attempts must
// not send another one. With send set, the attempt is about to be sent; probe
// reports that it is the one that tests an API that is down.
func (o *outage) refuse(attempts int, send bool) (probe bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.condition == failing && attempts > 0,
		o.condition == down && (attempts > 0 || o.probing || time.Since(o.last) < holdOff):
		return false, o.refusal()
	case o.condition == down && send:
		o.probing = true
		return true, nil
	default:
		return false, nil
	}
}

func (o *outage) refusal() *refusal {
	what := "has not responded to any request"
	if o.condition == failing {
		what = "has returned only server errors (HTTP 5xx)"
	}
	return &refusal{fmt.Sprintf("the %s %s since %s", o.api, what, clock(o.since))}
}

// waitContext returns a context for the waits of a call. It is cancelled, with a
// refusal as its cause, when the API turns out to be down or failing.
func (o *outage) waitContext(ctx context.Context) (context.Context, func()) {
	o.mu.Lock()
	steady := o.steady
	o.mu.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(steady, func() { cancel(context.Cause(steady)) })
	return ctx, func() { stop(); cancel(nil) }
}

// failure is an attempt that got no response, or a 5xx.
type failure struct {
	address   string
	began     time.Time
	connected bool
	status    int           // 0 without a response
	wait      time.Duration // until the call's next attempt
}

// fail records a failure, and worsens the condition once they have lasted for
// limit.
func (o *outage) fail(f failure) {
	if o.limit == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	if o.condition == up && f.began.After(o.expected) {
		o.recover() // failures with idle time between them are no outage
	}
	begun := f.began
	if begun.Before(o.responded) {
		begun = o.responded
	}
	if o.since.IsZero() {
		o.since = begun
	}
	o.last = now
	if due := now.Add(f.wait + holdOff); due.After(o.expected) {
		o.expected = due
	}
	if f.status != 0 {
		o.respond(now)
		if now.Sub(o.since) >= o.limit {
			o.worsen(failing)
		}
		return
	}
	if o.silent.IsZero() {
		o.silent, o.addresses, o.connected = begun, map[string]struct{}{}, false
	}
	o.connected = o.connected || f.connected
	if len(o.addresses) < manyAddresses {
		o.addresses[f.address] = struct{}{}
	}
	if now.Sub(o.silent) >= o.limit && (!o.connected || len(o.addresses) >= manyAddresses) {
		o.worsen(down)
	}
}

// respond records a response. The caller holds mu.
func (o *outage) respond(now time.Time) {
	o.silent, o.responded = time.Time{}, now
}

// worsen changes the condition to failing or down, and ends the waits. The caller
// holds mu.
func (o *outage) worsen(to condition) {
	if o.condition == to {
		return
	}
	o.condition = to
	o.cancelSteady(o.refusal())
	o.steady, o.cancelSteady = context.WithCancelCause(context.Background())
}

// succeed records a response that is not a 5xx, and reports whether it ended an
// outage.
func (o *outage) succeed() (ended bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	ended = o.condition != up
	o.respond(time.Now())
	o.recover()
	return ended
}

// recover discards all failures. The caller holds mu.
func (o *outage) recover() {
	o.condition, o.since, o.silent, o.reported = up, time.Time{}, time.Time{}, false
}

// endProbe allows the next probe.
func (o *outage) endProbe() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.probing = false
}

// markReported marks the outage as reported in full, and reports whether it was
// before.
func (o *outage) markReported() (before bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before, o.reported = o.reported, true
	return before
}

// clock is a time of day for a message, with its time zone.
func clock(t time.Time) string { return t.Format("15:04:05 MST") }
