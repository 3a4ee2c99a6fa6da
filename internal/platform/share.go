package platform

import (
	"context"
	"sync"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
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
	callers int // that have not cancelled; with 0, no other may join
}

// launch starts a read for a first caller. The read gets the values of ctx, such as the
// logger, but not its cancellation.
func launch[T any](ctx context.Context, read func(context.Context) (T, error)) *flight[T] {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight[T]{done: make(chan struct{}), cancel: cancel, callers: 1}
	go func() {
		defer cancel()
		defer close(f.done)
		f.value, f.err = read(ctx)
	}()
	return f
}

// join adds a caller, unless the read was cancelled.
func (f *flight[T]) join() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.callers == 0 {
		return false
	}
	f.callers++
	return true
}

// wait returns the outcome. If the caller's own context ends first, the error is one of
// its own request. Call it once for launch and once for each join.
func (f *flight[T]) wait(ctx context.Context, r *rest.Request) (value T, err error) {
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.callers--
	if f.callers == 0 {
		f.cancel()
	}
	return value, r.NewError(rest.Interrupted, context.Cause(ctx))
}

// isDone reports whether there is an outcome.
func (f *flight[T]) isDone() bool {
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

// read joins the read of the same object, or starts one.
func (f *flights) read(ctx context.Context, r *rest.Request, fetch func(context.Context) ([]byte, error)) ([]byte, error) {
	key := r.Key()
	f.mu.Lock()
	shared := f.byKey[key]
	if shared == nil || !shared.join() {
		shared = launch(ctx, func(ctx context.Context) ([]byte, error) {
			defer f.forget(key) // or the one after it, which is then shared by fewer
			return fetch(ctx)
		})
		if f.byKey == nil {
			f.byKey = map[string]*flight[[]byte]{}
		}
		f.byKey[key] = shared
	}
	f.mu.Unlock()
	return shared.wait(ctx, r)
}

// forget prevents later reads from joining the one in flight. Callers that have
// joined it still get its outcome.
func (f *flights) forget(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.byKey, key)
}
