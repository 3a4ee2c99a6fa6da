package platform

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	// patience is how long a call stands in silence, and reminder the time
	// between its further log lines.
	patience = 10 * time.Second
	reminder = time.Minute
)

const waitsForTurn = "for its turn"

// standing is what a call is waiting for.
type standing struct{ reason atomic.Value }

func (s *standing) on(reason string) { s.reason.Store(reason) }

// warn logs why a call takes longer than its patience, until stop is called.
func (k *call) warn(ctx context.Context) (stop func()) {
	if k.warnings == nil {
		return func() {}
	}
	ended, stop := context.WithCancel(ctx)
	go func() {
		for wait := patience; sleep(ended, wait) == nil; wait = reminder {
			reason, _ := k.standing.reason.Load().(string)
			if limited := k.api.gate.holding(); limited != "" && reason == waitsForTurn {
				reason += ": " + limited
			}
			k.warnings(ctx, "Data Platform request is waiting "+k.Mask(reason), map[string]any{
				"operation": k.operation,
				"path":      k.Mask(k.url.EscapedPath()),
				"waited_ms": time.Since(k.started).Milliseconds(),
			})
		}
	}()
	return stop
}
