package platform

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"
)

// gate holds back the requests of all callers to one API after a 429.
//
// A 429 closes it for Retry-After, or for a backoff if the response has none.
// The gate then lets one request pass, the probe, since a burst would only be
// rejected again. Once the probe is accepted, requests follow at a rate (pace).
//
// golang.org/x/time/rate was rejected for the pace: it grants reservations ahead
// of time, and a gate that closes would have to revoke them.
type gate struct {
	// turn admits one request at a time to wait for the gate; the others queue
	// for it in order. None of them occupies a slot while it waits.
	turn chan struct{}

	mu          sync.Mutex
	changed     chan struct{} // closed and replaced when the gate closes or a probe ends
	epoch       int           // number of times that the gate closed
	closedUntil time.Time
	reason      string
	probe       probeState
	backoff     backoff
	pace        pace
}

type probeState int

const (
	noProbe       probeState = iota
	probeDue                 // the next request is the probe
	probeInFlight            // all others wait for its response
)

// ticket is the state of the gate that a request was sent under.
type ticket struct {
	epoch int
	probe bool
}

// verdict is whether the API's rate limit accepted a request.
type verdict int

const (
	noVerdict verdict = iota // there was no response
	accepted
	rejected // with a 429
)

// waitTooLong is the error of a wait that would exceed retry_timeout.
type waitTooLong struct {
	wait   time.Duration
	limit  time.Duration // retry_timeout
	reason string
}

func (e *waitTooLong) Error() string {
	return fmt.Sprintf("%s, and the request would start in %s, after the end of retry_timeout (%s)", e.reason, readable(e.wait), readable(e.limit))
}

func newGate() *gate {
	return &gate{turn: make(chan struct{}, 1), changed: make(chan struct{}), backoff: newBackoff()}
}

// enter waits until the gate lets a request pass, then takes a slot for it. A
// wait that would exceed the deadline of ctx is not begun.
func (g *gate) enter(ctx context.Context, slots chan struct{}) (ticket, error) {
	if err := g.queue(ctx); err != nil {
		return ticket{}, err
	}
	defer func() { <-g.turn }()
	for {
		if err := g.wait(ctx); err != nil {
			return ticket{}, err
		}
		if err := acquire(ctx, slots); err != nil {
			return ticket{}, err
		}
		if t, ok := g.pass(time.Now()); ok {
			return t, nil
		}
		<-slots // the gate closed while this request waited for the slot
	}
}

// queue waits for the turn. It fails as soon as the gate closes for longer than
// the deadline of ctx.
func (g *gate) queue(ctx context.Context) error {
	for {
		g.mu.Lock()
		changed := g.changed
		err := g.checkBudget(ctx, time.Until(g.closedUntil))
		g.mu.Unlock()
		if err != nil {
			return err
		}
		select {
		case g.turn <- struct{}{}:
			return nil
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// wait returns when the gate is open and the pace allows a request.
func (g *gate) wait(ctx context.Context) error {
	for {
		g.mu.Lock()
		wait, changed := g.delay(time.Now()), g.changed
		err := g.checkBudget(ctx, wait)
		g.mu.Unlock()
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case wait <= 0:
			return nil
		case wait == untilChanged:
			select {
			case <-changed:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		default:
			if err := sleep(ctx, wait); err != nil {
				return err
			}
		}
	}
}

// untilChanged is the delay while a probe is in flight.
const untilChanged = time.Duration(math.MaxInt64)

// delay is how long the next request has to wait. The caller holds mu.
func (g *gate) delay(now time.Time) time.Duration {
	if closed := g.closedUntil.Sub(now); closed > 0 {
		return closed
	}
	switch g.probe {
	case probeInFlight:
		return untilChanged
	case probeDue:
		return 0
	default:
		return g.pace.next.Sub(now)
	}
}

// checkBudget fails if a wait would exceed the deadline of ctx. The caller holds
// mu.
func (g *gate) checkBudget(ctx context.Context, wait time.Duration) error {
	end, bounded := ctx.Deadline()
	if !bounded || wait <= 0 || wait == untilChanged || !time.Now().Add(wait).After(end) {
		return nil
	}
	return &waitTooLong{wait: wait, reason: g.reason}
}

// pass counts a request as sent. It fails if the gate has closed in the meantime.
func (g *gate) pass(now time.Time) (ticket, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.delay(now) > 0 {
		return ticket{}, false
	}
	t := ticket{epoch: g.epoch, probe: g.probe == probeDue}
	if t.probe {
		g.probe = probeInFlight
	}
	g.pace.send(now)
	return t, true
}

// report records the verdict on a request. After a 429 it returns how long the
// gate stays closed. retryAfter is 0 if the response had none.
func (g *gate) report(t ticket, v verdict, retryAfter time.Duration) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if t.probe && t.epoch == g.epoch {
		g.endProbe(now, v)
	}
	if v != rejected {
		return 0
	}
	return g.close(t, now, retryAfter)
}

// endProbe reopens the gate if the probe was accepted. The caller holds mu.
func (g *gate) endProbe(now time.Time, v verdict) {
	g.probe = probeDue // without a response, the next request is the probe
	if v == accepted {
		g.probe = noProbe
		g.backoff.Reset()
		g.pace.start(now)
	}
	g.notify()
}

// close closes the gate. A request that was sent before the gate last closed
// reports the same limit again: it can only prolong the wait. The caller holds
// mu.
func (g *gate) close(t ticket, now time.Time, retryAfter time.Duration) time.Duration {
	first := t.epoch == g.epoch
	wait := retryAfter
	if wait <= 0 && first {
		wait = g.backoff.next()
	}
	if until := now.Add(wait); until.After(g.closedUntil) {
		g.closedUntil, g.reason = until, "the API is rate limiting requests (HTTP 429)"
		if retryAfter > 0 {
			g.reason = "the API is rate limiting requests (HTTP 429, Retry-After)"
		}
		g.notify()
	}
	if first {
		g.epoch++
		g.probe = probeDue
		if !t.probe { // a rejected probe came too early, whatever the rate
			g.pace.slowDown()
		}
	}
	return max(0, g.closedUntil.Sub(now))
}

// holding is why the gate holds requests back; "" if it does not.
func (g *gate) holding() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.delay(time.Now()) <= 0 {
		return ""
	}
	return g.reason
}

// notify wakes the requests that wait for a change of the gate.
func (g *gate) notify() {
	close(g.changed)
	g.changed = make(chan struct{})
}
