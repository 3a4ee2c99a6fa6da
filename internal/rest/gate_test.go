package rest

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A call is sent when its turn comes, and keeps its place for its next attempt. One whose
// question has been answered goes first: otherwise a slow limit would make it stale again and
// again. Whoever leaves the queue lets the next one through, also without an attempt.
func TestQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(newSlots(1), About{}, Config{})
		var order []int
		send := func(i int, ticket *ticket) {
			if err := g.admit(t.Context(), ticket); err != nil {
				t.Error(err)
			}
			order = append(order, i)
			time.Sleep(time.Second)
			g.observe(ticket, &attempt{response: &Response{}})
		}
		leaver := &ticket{place: -1, stale: time.Now().Add(time.Hour)}
		g.queue = []*ticket{leaver}
		time.AfterFunc(time.Second, func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			if len(order) > 0 {
				t.Error("admitted before the one ahead")
			}
			g.leave(leaver)
		})
		crowd(5, 5, func(i int) {
			time.Sleep(time.Duration(i) * time.Millisecond)
			ticket := &ticket{}
			if i == 3 {
				ticket.stale = time.Now().Add(time.Hour)
			}
			send(i, ticket)
			if i == 0 {
				time.Sleep(time.Second / 2)
				send(i, ticket)
			}
		})
		if want := []int{3, 0, 1, 0, 2, 4}; !slices.Equal(order, want) {
			t.Errorf("%v, want %v", order, want)
		}
	})
}
