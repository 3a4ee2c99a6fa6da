package platform

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"
)

// gate holds back the requests of one API after a 429, for all callers alike.
// Until then it costs two channel operations.
//
// A 429 closes it for the time of Retry-After, or else for a backoff. It
// reopens for a single request, the probe, since a burst would only be rejected
// again. Once the probe is accepted, requests follow at a rate (pace).
//
// golang.org/x/time/rate was rejected for the pace: it hands out its turns
// ahead of time, and a gate that closes would have to take them back.
type gate struct {
	// turn is held by the one request that waits for the gate; the others queue
	// for it in order. None of them holds a slot while it waits.
	turn chan struct{}

	mu          sync.Mutex
	changed     chan struct{} // closed and replaced when the gate closes or a probe ends
	epoch       int           // number of times that the gate closed
	closedUntil time.Time
	reason      string
	probe       probeState
	backoff     waits
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

// verdict is what the response to a request says about the rate limit.
type verdict int

const (
	noVerdict verdict = iota // there was no response
	accepted
	rejected // with a 429
)

// waitTooLong is the error of a wait that would pass the end of the budget.
type waitTooLong struct {
	wait   time.Duration
	reason string
}

func (e *waitTooLong) Error() string {
	return fmt.Sprintf("%s: the request would wait %s, longer than what is left of retry_timeout", e.reason, readable(e.wait))
}

func newGate() *gate {
	return &gate{turn: make(chan struct{}, 1), changed: make(chan struct{}), backoff: newWaits()}
}

// enter waits until the gate lets a request pass, then takes a slot for it. The
// deadline of ctx is the end of the budget: a wait that is known to pass it is
// not begun.
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

// queue waits for the turn. It ends early when the gate closes for longer than
// the budget lasts.
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
		case wait <= 0:
			return ctx.Err()
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

// delay is how long the next request has to wait. Call with mu held.
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

// checkBudget fails if a wait would pass the end of the budget. Call with mu
// held.
func (g *gate) checkBudget(ctx context.Context, wait time.Duration) error {
	end, bounded := ctx.Deadline()
	if !bounded || wait <= 0 || wait == untilChanged || !time.Now().Add(wait).After(end) {
		return nil
	}
	return &waitTooLong{wait: wait, reason: g.reason}
}

// pass counts a request as sent, unless the gate has closed meanwhile.
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

// report takes the verdict on a request. After a 429 it returns how long the
// gate stays closed. A retryAfter of zero means that the API asked for none.
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

func (g *gate) endProbe(now time.Time, v verdict) {
	g.probe = probeDue // without a response, the next request is the probe
	if v == accepted {
		g.probe = noProbe
		g.backoff.Reset()
		g.pace.start(now)
	}
	g.notify()
}

// close closes the gate. A 429 to a request from before the last closing is the
// same news twice: it can only prolong the wait.
func (g *gate) close(t ticket, now time.Time, retryAfter time.Duration) time.Duration {
	news := t.epoch == g.epoch
	wait := retryAfter
	if wait <= 0 && news {
		wait = g.backoff.next()
	}
	if until := now.Add(wait); until.After(g.closedUntil) {
		g.closedUntil, g.reason = until, "the API is rate limiting requests (HTTP 429)"
		if retryAfter > 0 {
			g.reason = "the API is rate limiting requests (HTTP 429, Retry-After)"
		}
		g.notify()
	}
	if news {
		g.epoch++
		g.probe = probeDue
		if !t.probe { // a rejected probe came too early, which says nothing about the rate
			g.pace.slowDown()
		}
	}
	return max(0, g.closedUntil.Sub(now))
}

// holding is why requests are held back, or "".
func (g *gate) holding() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.delay(time.Now()) <= 0 {
		return ""
	}
	return g.reason
}

// notify wakes those who wait for a change of the gate.
func (g *gate) notify() {
	close(g.changed)
	g.changed = make(chan struct{})
}
