package platform

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"
)

// gate holds back the requests of one API once the API has turned one away
// with 429. Until then it costs two channel operations.
//
// After a 429 it closes for everybody, for as long as Retry-After says or else
// for a backoff. It reopens for a single request, a probe, since a burst would
// only be turned away again; once that is let in, requests follow one by one
// at a rate that is learnt: what the platform was seen to let in, growing
// slowly until the next 429 corrects it.
//
// golang.org/x/time/rate was considered for the pace. It hands out turns ahead
// of time, which a gate that closes would have to take back.
type gate struct {
	// turn is held by the one call that waits for the gate to let it pass; the
	// others queue for it in order. Nobody holds a slot while waiting.
	turn chan struct{}

	mu          sync.Mutex
	changed     chan struct{} // closed, and made anew, when the gate closes or a probe ends
	epoch       int           // counts the closings
	closedUntil time.Time
	reason      string
	probe       probeState
	backoff     waits
	pace        pace
}

type probeState int

const (
	noProbe  probeState = iota
	probeDue            // the next request is one
	probing             // one is in flight
)

// ticket says under which state of the gate a request was sent.
type ticket struct {
	epoch int
	probe bool
}

// verdict is what an attempt's outcome says about the rate limit.
type verdict int

const (
	unknown verdict = iota // no answer
	letIn
	turnedAway
)

// tooLong is the error of a wait that would pass the end of the budget.
type tooLong struct {
	wait   time.Duration
	reason string
}

func (e *tooLong) Error() string {
	return fmt.Sprintf("%s: the next attempt would have to wait %s, more than is left of retry_timeout", e.reason, readable(e.wait))
}

func newGate() *gate {
	return &gate{turn: make(chan struct{}, 1), changed: make(chan struct{}), backoff: newWaits()}
}

// enter waits for the gate, then for a slot, and takes it. The deadline of ctx
// is the end of the budget: a wait known to pass it is not begun.
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
		if t, ok := g.take(time.Now()); ok {
			return t, nil
		}
		<-slots // the gate closed while this call waited for the slot
	}
}

// queue waits for the turn, and leaves the queue when the gate closes for
// longer than the call has left.
func (g *gate) queue(ctx context.Context) error {
	for {
		g.mu.Lock()
		wait, changed := time.Until(g.closedUntil), g.changed
		err := g.refuse(ctx, wait)
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
		now := time.Now()
		wait, changed := g.delay(now), g.changed
		err := g.refuse(ctx, wait)
		g.mu.Unlock()
		if err != nil {
			return err
		}
		if wait <= 0 {
			return ctx.Err()
		}
		if wait == untilChanged {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// untilChanged is the wait for a probe, which ends when the probe does.
const untilChanged = time.Duration(math.MaxInt64)

// delay is how long the next request has to wait. Call with mu held.
func (g *gate) delay(now time.Time) time.Duration {
	if wait := g.closedUntil.Sub(now); wait > 0 {
		return wait
	}
	switch g.probe {
	case probing:
		return untilChanged
	case probeDue:
		return 0
	default:
		return g.pace.next.Sub(now)
	}
}

// refuse fails where a wait would pass the end of the budget. Call with mu held.
func (g *gate) refuse(ctx context.Context, wait time.Duration) error {
	end, bounded := ctx.Deadline()
	if !bounded || wait <= 0 || wait == untilChanged || !time.Now().Add(wait).After(end) {
		return nil
	}
	return &tooLong{wait: wait, reason: g.reason}
}

// take counts a request as sent, unless it may not be sent after all.
func (g *gate) take(now time.Time) (ticket, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.delay(now) > 0 {
		return ticket{}, false
	}
	t := ticket{epoch: g.epoch}
	if g.probe == probeDue {
		g.probe, t.probe = probing, true
	}
	g.pace.take(now)
	return t, true
}

// report tells the gate how an attempt ended, and gives the wait that a 429
// brought about. asked is what Retry-After says, zero where it says nothing.
func (g *gate) report(t ticket, v verdict, asked time.Duration) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if v == letIn {
		g.pace.count(now)
	}
	if t.probe && t.epoch == g.epoch {
		g.endProbe(now, v)
	}
	if v != turnedAway {
		return 0
	}
	return g.close(t, now, asked)
}

func (g *gate) endProbe(now time.Time, v verdict) {
	g.probe = probeDue // lost: the next request is a probe again
	if v == letIn {
		g.probe = noProbe
		g.backoff.Reset()
		g.pace.reopen(now)
	}
	g.announce()
}

// close closes the gate. Requests that were under way when it closed tell
// nothing new, but may have been asked to wait for longer.
func (g *gate) close(t ticket, now time.Time, asked time.Duration) time.Duration {
	news := t.epoch == g.epoch
	wait := asked
	if wait <= 0 && news {
		wait = g.backoff.next()
	}
	if until := now.Add(wait); until.After(g.closedUntil) {
		g.closedUntil, g.reason = until, "the platform is limiting requests (HTTP 429)"
		if asked > 0 {
			g.reason = "the platform asked to be left alone (HTTP 429 with Retry-After)"
		}
		g.announce()
	}
	if news {
		g.epoch++
		g.probe = probeDue
		g.pace.slow(now, t.probe)
	}
	return max(0, g.closedUntil.Sub(now))
}

func (g *gate) announce() {
	close(g.changed)
	g.changed = make(chan struct{})
}
