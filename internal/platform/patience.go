package platform

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	// patience is how long a call waits before it is logged, and reminder the
	// time between further log lines.
	patience = 10 * time.Second
	reminder = time.Minute
)

const forItsTurn = "for its turn"

// waiting is what a call waits for, as the end of "Data Platform request is
// waiting …".
type waiting struct{ reason atomic.Value }

func (w *waiting) set(reason string) { w.reason.Store(reason) }

// warn logs what a call waits for once it takes longer than patience, until stop
// is called.
func (k *call) warn(ctx context.Context) (stop func()) {
	if k.warnings == nil {
		return func() {}
	}
	ended, stop := context.WithCancel(ctx)
	go func() {
		for wait := patience; sleep(ended, wait) == nil; wait = reminder {
			reason, _ := k.waiting.reason.Load().(string)
			if limited := k.api.gate.holding(); limited != "" && reason == forItsTurn {
				reason += ": " + limited
			}
			k.warnings(ctx, "Data Platform request is waiting "+reason, map[string]any{
				"operation": k.operation,
				"path":      k.maskedPath(),
				"waited_ms": time.Since(k.started).Milliseconds(),
			})
		}
	}()
	return stop
}
