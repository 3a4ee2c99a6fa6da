package platform

import (
	"context"
	"sync"
)

// flight is a read under way that several callers wait for. It ends early only
// when all of them are gone.
//
// golang.org/x/sync/singleflight was considered: there the first caller's
// context is everybody's, or nobody's cancellation ends the read.
type flight[T any] struct {
	done   chan struct{} // closed once value and err are set
	value  T
	err    error
	cancel context.CancelFunc

	mu      sync.Mutex
	waiting int
	left    bool // all callers are gone: nobody may join any more
}

// launch starts a read for a first caller. The read keeps what ctx carries
// (the logger), not its end.
func launch[T any](ctx context.Context, read func(context.Context) (T, error)) *flight[T] {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight[T]{done: make(chan struct{}), cancel: cancel, waiting: 1}
	go func() {
		defer cancel()
		defer close(f.done)
		f.value, f.err = read(ctx)
	}()
	return f
}

// join adds a caller, unless the read was given up.
func (f *flight[T]) join() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left {
		return false
	}
	f.waiting++
	return true
}

// wait returns the outcome, or why the caller's own context ended. Call it
// once for launch and for every join.
func (f *flight[T]) wait(ctx context.Context) (value T, err error, interrupted error) {
	select {
	case <-f.done:
		return f.value, f.err, nil
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting--
	if f.waiting == 0 {
		f.left = true
		f.cancel()
	}
	return value, nil, context.Cause(ctx)
}

// ended says that the outcome is there.
func (f *flight[T]) ended() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// flights are the reads of single objects under way. What callers share is the
// object's JSON: each decodes its own, so that nothing one does to it reaches
// another.
type flights struct {
	mu    sync.Mutex
	under map[string]*flight[[]byte]
}

// read joins the read of that key, or starts it.
func (f *flights) read(ctx context.Context, key string, fetch func(context.Context) ([]byte, error)) (value []byte, err error, interrupted error) {
	f.mu.Lock()
	shared := f.under[key]
	if shared == nil || !shared.join() {
		shared = f.start(ctx, key, fetch)
	}
	f.mu.Unlock()
	return shared.wait(ctx)
}

// start launches a read that takes itself off the list. Call with mu held.
func (f *flights) start(ctx context.Context, key string, fetch func(context.Context) ([]byte, error)) *flight[[]byte] {
	if f.under == nil {
		f.under = map[string]*flight[[]byte]{}
	}
	listed := make(chan *flight[[]byte], 1)
	shared := launch(ctx, func(ctx context.Context) ([]byte, error) {
		defer func() { f.remove(key, <-listed) }()
		return fetch(ctx)
	})
	f.under[key] = shared
	listed <- shared
	return shared
}

func (f *flights) remove(key string, shared *flight[[]byte]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.under[key] == shared {
		delete(f.under, key)
	}
}

// forget keeps reads that begin from now on from joining one under way: a
// write begins or has ended. Those who wait already get what they asked for.
func (f *flights) forget(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.under, key)
}
