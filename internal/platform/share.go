package platform

import (
	"context"
	"sync"
)

// flight is a read that several callers share. It is cancelled when all of them
// have cancelled.
//
// golang.org/x/sync/singleflight was rejected: either the context of the first
// caller ends the read for all, or no context ends it.
type flight[T any] struct {
	done   chan struct{} // closed once value and err are set
	value  T
	err    error
	cancel context.CancelFunc

	mu      sync.Mutex
	waiting int
	left    bool // all callers have cancelled: no other may join
}

// launch starts a read for a first caller, and calls ended after it. The read gets the
// values of ctx, such as the logger, but not its cancellation.
func launch[T any](ctx context.Context, read func(context.Context) (T, error), ended func()) *flight[T] {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight[T]{done: make(chan struct{}), cancel: cancel, waiting: 1}
	go func() {
		defer cancel()
		defer close(f.done)
		defer ended()
		f.value, f.err = read(ctx)
	}()
	return f
}

// join adds a caller, unless the read was cancelled.
func (f *flight[T]) join() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left {
		return false
	}
	f.waiting++
	return true
}

// wait returns the outcome, or the cause if the caller's own context ends first.
// Call it once for launch and once for each join.
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

// ended reports whether there is an outcome.
func (f *flight[T]) ended() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// flights are the reads in flight of single objects of one API. Callers share the
// JSON of the object, and each decodes a copy of its own.
type flights struct {
	mu    sync.Mutex
	byKey map[string]*flight[[]byte]
}

// read joins the read of a key, or starts one, which removes itself at its end.
func (f *flights) read(ctx context.Context, key string, fetch func(context.Context) ([]byte, error)) (value []byte, err error, interrupted error) {
	f.mu.Lock()
	shared := f.byKey[key]
	if shared == nil || !shared.join() {
		shared = launch(ctx, fetch, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.byKey[key] == shared {
				delete(f.byKey, key)
			}
		})
		if f.byKey == nil {
			f.byKey = map[string]*flight[[]byte]{}
		}
		f.byKey[key] = shared
	}
	f.mu.Unlock()
	return shared.wait(ctx)
}

// forget prevents later reads from joining the one in flight. Callers that have
// joined it still get its outcome.
func (f *flights) forget(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.byKey, key)
}
