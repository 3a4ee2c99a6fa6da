package rest

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A call is sent when its turn comes, and keeps its place for its next attempt. One that
// is based on a read goes first: otherwise a slow limit would make it stale again and again. Whoever leaves the queue lets the next one through, also without an attempt.
func TestCallsAreSentInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // more than anybody waits
		defer cancel()
		g := newGate(newSlots(1), About{}, Config{})
		var order []string
		send := func(name string, k *Call) {
			if err := g.admit(ctx, k); err != nil {
				t.Error(err)
				return
			}
			order = append(order, name)
			time.Sleep(time.Second)
			g.observe(k, &attempt{response: &Response{}})
		}
		leaver := &Call{Request: &Request{AsOf: time.Now().Add(time.Hour)}, number: -1}
		g.queue = []*Call{leaver}
		time.AfterFunc(time.Second, func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			order = append(order, "leaver")
			g.dequeue(leaver)
		})
		calls := []string{"a", "b", "c", "read", "d"}
		crowd(len(calls), len(calls), func(i int) {
			time.Sleep(time.Duration(i) * time.Millisecond)
			k := &Call{Request: &Request{}}
			if calls[i] == "read" {
				k.AsOf = time.Now().Add(time.Hour)
			}
			send(calls[i], k)
			if calls[i] == "a" {
				time.Sleep(time.Second / 2)
				send("a again", k)
			}
		})
		if want := []string{"leaver", "read", "a", "b", "a again", "c", "d"}; !slices.Equal(order, want) {
			t.Errorf("%q, want %q", order, want)
		}
	})
}
