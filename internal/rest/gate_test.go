package rest

import (
	"context"
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
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // more than anybody waits
		defer cancel()
		g := newGate(newSlots(1), About{}, Config{})
		var order []string
		send := func(name string, ticket *ticket) {
			if err := g.admit(ctx, ticket); err != nil {
				t.Error(err)
				return
			}
			order = append(order, name)
			time.Sleep(time.Second)
			g.observe(ticket, &attempt{response: &Response{}})
		}
		leaver := &ticket{place: -1, stale: time.Now().Add(time.Hour)}
		g.queue = []*ticket{leaver}
		time.AfterFunc(time.Second, func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			order = append(order, "leaver")
			g.leave(leaver)
		})
		calls := []string{"a", "b", "c", "asked", "d"}
		crowd(len(calls), len(calls), func(i int) {
			time.Sleep(time.Duration(i) * time.Millisecond)
			ticket := &ticket{}
			if calls[i] == "asked" {
				ticket.stale = time.Now().Add(time.Hour)
			}
			send(calls[i], ticket)
			if calls[i] == "a" {
				time.Sleep(time.Second / 2)
				send("a again", ticket)
			}
		})
		if want := []string{"leaver", "asked", "a", "b", "a again", "c", "d"}; !slices.Equal(order, want) {
			t.Errorf("%q, want %q", order, want)
		}
	})
}
