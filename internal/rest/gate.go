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

// gate is where the calls of a client wait. For each attempt of a call:
//
//	admit    waits until the attempt may be sent, and takes a slot for it
//	observe  records how the attempt ended, and gives the slot back
//	sleep    waits before the next attempt
//
// The state of an API decides who may send, and when. The gate only waits, and keeps the order.
type gate struct {
	mu      sync.Mutex
	free    int           // slots: the number of requests that may be sent beside those in flight
	queue   []*Call       // those in admit
	changed chan struct{} // closed and replaced by wake
}

// wake lets every waiting call decide again. To find out which ones are affected would save nothing.
func (g *gate) wake() {
	close(g.changed)
	g.changed = make(chan struct{})
}

// admit waits until an attempt may be sent, and takes a slot for it. It does not begin a wait that
// would exceed the end of the call, or make the request stale.
func (g *gate) admit(ctx context.Context, k *Call) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.queue = append(g.queue, k)
	defer g.dequeue(k)
	for {
		now, fresh := time.Now(), forever // how long the request is not stale
		if k.isBasedOnRead() {
			fresh = k.AsOf.Add(maxAge).Sub(now)
		}
		wait, err := k.API.state.decide(k, now)
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case fresh <= 0, wait >= fresh && wait != forever:
			return errStale
		case wait == 0 && g.free > 0 && g.isNext(k):
			g.free--
			k.API.state.begin(k, now)
			return nil
		case wait == 0:
			wait = forever // until a slot is free and it is this call's turn
		}
		if err := g.pause(ctx, k, min(wait, fresh)); err != nil {
			return err
		}
	}
}

// isNext reports whether it is a call's turn among those to its API. A request that is based on a
// read goes first, since otherwise a slow rate limit would make it stale again and again. Among
// others, the call that began first goes first, with all of its attempts, unless it yields.
func (g *gate) isNext(k *Call) bool {
	yields := k.API.state.yields
	return !slices.ContainsFunc(g.queue, func(other *Call) bool {
		switch {
		case other.API != k.API:
			return false
		case yields(other) != yields(k):
			return yields(k)
		case other.isBasedOnRead() != k.isBasedOnRead():
			return other.isBasedOnRead()
		default:
			return other.started.Before(k.started)
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
	k.API.state.observe(k, a, time.Now())
	g.free++
	g.wake()
}

// sleep waits before the next attempt of a call. It ends early with an error once that attempt would
// be refused.
func (g *gate) sleep(ctx context.Context, k *Call, wait time.Duration) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for end := time.Now().Add(wait); ; {
		err, left := k.API.state.refusal(k, time.Now()), time.Until(end)
		if err != nil || left <= 0 {
			return err
		}
		if err := g.pause(ctx, k, left); err != nil {
			return err
		}
	}
}

// pause releases the lock for d, or until something changes. That includes the time at which the
// call's API counts as down, since this ends all waits. If ctx ends first, pause returns the cause.
func (g *gate) pause(ctx context.Context, k *Call, d time.Duration) error {
	if left := time.Until(k.API.state.downAt()); left > 0 {
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
