package rest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// maxAge is how old what a request rests on may be when the request is sent.
const maxAge = 10 * time.Second

// errStale ends the wait of a request that would be sent later than that.
var errStale = errors.New("what the request rests on has to be read again")

// slots are for the requests in flight of a client, to all of its APIs.
type slots struct {
	mu      sync.Mutex // of the gates, too
	free    int
	changed chan struct{} // closed and replaced when those who wait have to decide again
}

func newSlots(n int) *slots { return &slots{free: n, changed: make(chan struct{})} }

// wake lets all who wait decide again. Finding out who is affected would save nothing.
func (s *slots) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// gate lets the attempts of calls through to one API, one after the other, as its health
// allows.
type gate struct {
	*slots
	recovered func() // called when an outage has ended

	health health
	queue  []*caller
	places int // number of calls that have queued
}

// newGate returns the gate of an API.
func newGate(s *slots, about About, config Config) gate {
	return gate{
		slots: s,
		health: health{
			about: about, limit: config.RetryTimeout, once: config.RequestTimeout,
			backoff: newBackoff(config.Random), logins: map[string]*trouble{},
		},
	}
}

// admit waits until an attempt may be sent, and takes a slot for it. A wait that would
// exceed the end of the call is not begun, and neither is one that would make what the
// request rests on stale.
func (g *gate) admit(ctx context.Context, c *caller) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.place == 0 {
		g.places++
		c.place = g.places
	}
	g.queue = append(g.queue, c)
	defer g.leave(c)
	for {
		now := time.Now()
		wait, err := g.health.decide(c, now)
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case c.isStale(now), wait != forever && c.isStale(now.Add(wait)):
			return errStale
		case wait == 0 && g.free > 0 && g.isNext(c):
			g.free--
			g.health.count(c, now)
			return nil
		case wait == 0:
			wait = forever
		}
		if !c.stale.IsZero() {
			wait = min(wait, c.stale.Sub(now))
		}
		if err := g.pause(ctx, wait); err != nil {
			return err
		}
	}
}

// isNext reports whether a call is the next one. A request whose question has just been
// answered goes first, or a slow limit would make it stale again and again. A call keeps
// its place from attempt to attempt.
func (g *gate) isNext(c *caller) bool {
	return !slices.ContainsFunc(g.queue, func(other *caller) bool {
		if other.stale.IsZero() == c.stale.IsZero() {
			return other.place < c.place
		}
		return c.stale.IsZero()
	})
}

// isStale reports whether what a call rests on is too old at a time.
func (c *caller) isStale(at time.Time) bool { return !c.stale.IsZero() && !at.Before(c.stale) }

func (g *gate) leave(c *caller) {
	g.queue = slices.DeleteFunc(g.queue, func(other *caller) bool { return other == c })
	g.wake()
}

// observe records what became of an attempt, gives its slot back, and returns why its call
// must not send another; nil if it may.
func (g *gate) observe(c *caller, a *attempt) (refused error) {
	g.mu.Lock()
	_, recovered := g.health.observe(c, a, time.Now())
	refused = g.health.refusal(c, time.Now())
	g.free++
	g.wake()
	g.mu.Unlock()
	if recovered && g.recovered != nil {
		g.recovered()
	}
	return refused
}

// sleep waits before the next attempt of a call, unless that turns out to be refused.
func (g *gate) sleep(ctx context.Context, c *caller, wait time.Duration) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for end := time.Now().Add(wait); ; {
		err, left := g.health.refusal(c, time.Now()), time.Until(end)
		if err != nil || left <= 0 {
			return err
		}
		if err := g.pause(ctx, left); err != nil {
			return err
		}
	}
}

// state is why requests are held back, "" if they are not, and the last failure of the
// API, for log lines.
func (g *gate) state() (limit, failure string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if now.Before(g.health.notBefore) || g.health.probeDue || now.Before(g.health.pace.next) {
		limit = g.health.reason
	}
	return limit, g.health.lately
}

// pause opens the lock for d, or until something changes. If ctx ends first, it returns
// the cause.
func (g *gate) pause(ctx context.Context, d time.Duration) error {
	changed := g.changed
	g.mu.Unlock()
	defer g.mu.Lock()
	return pause(ctx, d, changed)
}

// pause waits for d, or until something changes. If ctx ends first, it returns the cause.
func pause(ctx context.Context, d time.Duration, changed <-chan struct{}) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-changed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
