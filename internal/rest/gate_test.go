package rest

import (
	"testing"
	"testing/synctest"
)

// Whoever leaves the queue lets the next one through, also without an attempt.
func TestQueueMovesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(newSlots(1), About{}, Config{})
		ahead, admitted := &ticket{place: -1}, false
		g.queue = []*ticket{ahead}
		go func() {
			if err := g.admit(t.Context(), &ticket{}); err != nil {
				t.Error(err)
			}
			admitted = true
		}()
		synctest.Wait()
		if admitted {
			t.Error("admitted before the one ahead")
		}
		g.mu.Lock()
		g.leave(ahead)
		g.mu.Unlock()
		synctest.Wait()
		if !admitted {
			t.Error("not admitted")
		}
	})
}
