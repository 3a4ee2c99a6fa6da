package rest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// maxAge is how old the read that a request is based on may be when the request is sent.
const maxAge = 10 * time.Second

// errStale ends the wait of a request whose read would be older than that.
var errStale = errors.New("the read that the request is based on is too old")

// slots limit the requests in flight of a client, to all of its APIs together. Their lock is also
// that of each gate.
type slots struct {
	mu      sync.Mutex
	free    int
	changed chan struct{} // closed and replaced by wake
}

func newSlots(n int) *slots { return &slots{free: n, changed: make(chan struct{})} }

// wake lets every waiting call decide again. To find out which calls are affected would save
// nothing.
func (s *slots) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// gate is where the calls to one API wait. For each attempt of a call:
//
//	admit    waits until the attempt may be sent, and takes a slot for it
//	observe  records how the attempt ended, and gives the slot back
//	sleep    waits before the next attempt
//
// state decides who may send, and when. The gate only waits, and keeps the order.
type gate struct {
	*slots
	state  state
	queue  []*Call // those in admit
	queued int     // the number of calls that have ever been in the queue
}

func newGate(s *slots, about About, config Config) gate {
	return gate{slots: s, state: state{
		about: about, retryTimeout: config.RetryTimeout,
		backoff: backoff{random: config.Random}, rejected: map[string]*commonFailure{},
	}}
}

// admit waits until an attempt may be sent, and takes a slot for it. It does not begin a wait that
// would exceed the end of the call, or make the request stale.
func (g *gate) admit(ctx context.Context, k *Call) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if k.number == 0 {
		g.queued++
		k.number = g.queued
	}
	g.queue = append(g.queue, k)
	defer g.dequeue(k)
	for {
		now := time.Now()
		wait, err := g.state.decide(k, now)
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case k.isStale(now), wait != forever && k.isStale(now.Add(wait)):
			return errStale
		case wait == 0 && g.free > 0 && g.isNext(k):
			g.free--
			g.state.begin(k, now)
			return nil
		case wait == 0:
			wait = forever // until a slot is free and it is this call's turn
		}
		if k.isBasedOnRead() {
			wait = min(wait, k.AsOf.Add(maxAge).Sub(now))
		}
		if err := g.pause(ctx, wait); err != nil {
			return err
		}
	}
}

// isNext reports whether it is a call's turn. A request that is based on a read goes first, since
// otherwise a slow rate limit would make it stale again and again. Among others, the call that was
// in the queue first goes first, with all of its attempts, unless it yields.
func (g *gate) isNext(k *Call) bool {
	return !slices.ContainsFunc(g.queue, func(other *Call) bool {
		switch {
		case g.state.yields(other) != g.state.yields(k):
			return g.state.yields(k)
		case other.isBasedOnRead() != k.isBasedOnRead():
			return other.isBasedOnRead()
		default:
			return other.number < k.number
		}
	})
}

// dequeue removes a call from the queue, whether or not it was admitted.
func (g *gate) dequeue(k *Call) {
	g.queue = slices.DeleteFunc(g.queue, func(other *Call) bool { return other == k })
	g.wake()
}

// observe records how an attempt ended, and gives its slot back.
func (g *gate) observe(k *Call, a *attempt) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.state.observe(k, a, time.Now())
	g.free++
	g.wake()
}

// sleep waits before the next attempt of a call, at least for a limit of its own. It ends early with an
// error once that attempt would be refused.
func (g *gate) sleep(ctx context.Context, k *Call, wait time.Duration) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for end := time.Now().Add(max(wait, time.Until(k.until))); ; {
		err, left := g.state.refusal(k, time.Now()), time.Until(end)
		if err != nil || left <= 0 {
			return err
		}
		if err := g.pause(ctx, left); err != nil {
			return err
		}
	}
}

// pause releases the lock for d, or until something changes. That includes the time at which the API
// counts as down, since this ends all waits. If ctx ends first, pause returns the cause.
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
