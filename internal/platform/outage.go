package platform

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// outage finds out that an API fails for everybody, so that not every call pays
// for it with its own retries.
//
//   - An API that gave no response to anything for the length of retry_timeout
//     is down: waits end, and calls are refused for holdOff after the last
//     failure. Then one attempt at a time goes out.
//   - An API that returned nothing but 5xx for that long is failing: each call
//     makes one attempt.
//
// Any other response ends it. The zero outage, without a limit, finds nothing.
type outage struct {
	api   string        // in sentences
	limit time.Duration // retry_timeout

	mu        sync.Mutex
	condition condition
	since     time.Time           // of the failures: since the last response that was not a 5xx
	silent    time.Time           // of the failures without a response
	addresses map[string]struct{} // that gave none
	connected bool                // one of these failures had a connection
	responded time.Time           // last, with whatever status
	last      time.Time           // failure
	expected  time.Time           // until when an attempt of the failed calls is due
	probing   bool                // while down: an attempt is under way
	told      bool                // an error has told the story

	ups  context.Context // ends when the condition gets worse, with a refusal as its cause
	fall context.CancelCauseFunc
}

type condition int

const (
	up condition = iota
	failing
	down
)

const (
	// holdOff is how long an API that is down is left alone.
	holdOff = 10 * time.Second
	// manyAddresses is how many must be silent before an API that accepts
	// connections counts as down. With two, two broken objects in a row would
	// silence the healthy ones after them, where Terraform works on one at a time.
	manyAddresses = 3
)

// refusal is why a call makes no attempt, or no other one: what an earlier error
// told in full.
type refusal struct{ reason string }

func (r *refusal) Error() string { return r.reason }

func newOutage(api string, limit time.Duration) *outage {
	o := &outage{api: api, limit: limit}
	o.ups, o.fall = context.WithCancelCause(context.Background())
	return o
}

// refuse returns why a call that made these attempts may make no other one, or
// nil. With send set the attempt is about to be made.
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

// waits returns a context for the waits of a call. It ends with a refusal as its
// cause when the API is found to be down or failing.
func (o *outage) waits(ctx context.Context) (context.Context, func()) {
	o.mu.Lock()
	ups := o.ups
	o.mu.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(ups, func() { cancel(context.Cause(ups)) })
	return ctx, func() { stop(); cancel(nil) }
}

// failure is an attempt without a response, or with a 5xx.
type failure struct {
	address   string
	began     time.Time
	connected bool
	status    int           // 0 without a response
	wait      time.Duration // until the call's next attempt
}

func (o *outage) fail(f failure) {
	if o.limit == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	if o.condition == up && f.began.After(o.expected) {
		o.recover() // two failures with nothing asked in between are no outage
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
			o.turn(failing)
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
		o.turn(down)
	}
}

// respond notes a response. Call with mu held.
func (o *outage) respond(now time.Time) {
	o.silent, o.responded = time.Time{}, now
}

// turn changes the condition to failing or down, and ends the waits. Call with mu
// held.
func (o *outage) turn(to condition) {
	if o.condition == to {
		return
	}
	o.condition = to
	o.fall(o.refusal())
	o.ups, o.fall = context.WithCancelCause(context.Background())
}

// succeed notes a response that is not a 5xx, and reports whether it ended an
// outage.
func (o *outage) succeed() (ended bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	ended = o.condition != up
	o.respond(time.Now())
	o.recover()
	return ended
}

// recover forgets all failures. Call with mu held.
func (o *outage) recover() {
	o.condition, o.since, o.silent, o.told = up, time.Time{}, time.Time{}, false
}

// endProbe lets the next attempt out.
func (o *outage) endProbe() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.probing = false
}

// tell reports whether an error of this outage has told the story before.
func (o *outage) tell() (told bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	told, o.told = o.told, true
	return told
}

// clock is a time of day in a sentence.
func clock(t time.Time) string { return t.Format("15:04:05 MST") }
