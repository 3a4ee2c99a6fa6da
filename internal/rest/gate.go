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

// gate lets the attempts of calls through to one API, one after the other, as its state
// allows.
type gate struct {
	*slots
	state  state
	queue  []*ticket
	places int // number of calls that have queued
}

func newGate(s *slots, about About, config Config) gate {
	return gate{slots: s, state: state{
		about: about, retryTimeout: config.RetryTimeout,
		backoff: backoff{random: config.Random}, logins: map[string]*trouble{},
	}}
}

// admit waits until an attempt may be sent, and takes a slot for it. No wait begins that
// would exceed the end of the call, or make what its request rests on stale.
func (g *gate) admit(ctx context.Context, t *ticket) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.place == 0 {
		g.places++
		t.place = g.places
	}
	g.queue = append(g.queue, t)
	defer g.leave(t)
	for {
		now := time.Now()
		wait, err := g.state.decide(t, now)
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case t.isStale(now), wait != forever && t.isStale(now.Add(wait)):
			return errStale
		case wait == 0 && g.free > 0 && g.isNext(t):
			g.free--
			g.state.begin(t, now)
			return nil
		case wait == 0:
			wait = forever
		}
		if !t.stale.IsZero() {
			wait = min(wait, t.stale.Sub(now))
		}
		if err := g.pause(ctx, wait); err != nil {
			return err
		}
	}
}

// isNext reports whether a call is the next one. A request that rests on a
// read goes first, or a slow limit would make it stale again and again. A call keeps
// its place from attempt to attempt.
func (g *gate) isNext(t *ticket) bool {
	return !slices.ContainsFunc(g.queue, func(other *ticket) bool {
		if other.stale.IsZero() == t.stale.IsZero() {
			return other.place < t.place
		}
		return t.stale.IsZero()
	})
}

func (g *gate) leave(t *ticket) {
	g.queue = slices.DeleteFunc(g.queue, func(other *ticket) bool { return other == t })
	g.wake()
}

// observe records what became of an attempt, and gives its slot back.
func (g *gate) observe(t *ticket, a *attempt) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.state.observe(t, a, time.Now())
	g.free++
	g.wake()
}

// sleep waits before the next attempt of a call, unless that turns out to be refused.
func (g *gate) sleep(ctx context.Context, t *ticket, wait time.Duration) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for end := time.Now().Add(wait); ; {
		err, left := g.state.refusal(t, time.Now()), time.Until(end)
		if err != nil || left <= 0 {
			return err
		}
		if err := g.pause(ctx, left); err != nil {
			return err
		}
	}
}

// pause opens the lock for d, or until something changes: at the latest when the API counts
// as down, since then waits end. If ctx ends first, it returns the cause.
func (g *gate) pause(ctx context.Context, d time.Duration) error {
	if left := time.Until(g.state.downAt()); left > 0 {
		d = min(d, left)
	}
	changed, timer := g.changed, time.NewTimer(d)
	defer timer.Stop()
	g.mu.Unlock()
	defer g.mu.Lock()
	select {
	case <-timer.C:
		return nil
	case <-changed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
