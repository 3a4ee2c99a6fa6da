package process

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// Writes counts the calls under way that change something on the platform. The
// zero Writes counts from nothing.
type Writes struct{ all, keys atomic.Int64 }

// Begin counts a call until end is called. The creation of a key is one of its
// own: the response is the only copy of the key's secret.
func (w *Writes) Begin(createsKey bool) (end func()) {
	w.all.Add(1)
	if !createsKey {
		return func() { w.all.Add(-1) }
	}
	w.keys.Add(1)
	return func() { w.keys.Add(-1); w.all.Add(-1) }
}

// Guard decides about the end of the process, until it ends.
//
// What ends Terraform in good order (timeout, systemd, a CI runner) often sends
// SIGTERM to every process of the group. Terraform waits for what is under way
// and then ends its providers; a provider that ended at once would take a new
// key's secret with it. So SIGTERM is ignored while Terraform lives, and while a
// key is being created. An interrupt is ignored by the plugin library, for the
// same reason.
//
// A provider whose Terraform was killed has nobody who ends it. It ends by
// itself as soon as nothing is being written.
func (w *Writes) Guard() {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	w.guard(os.Getppid, terminated, time.NewTicker(time.Second).C)
	os.Exit(0)
}

// guard returns when the process may end. A process whose parent has died gets
// another parent.
func (w *Writes) guard(parentID func() int, terminated <-chan os.Signal, tick <-chan time.Time) {
	parent := parentID()
	asked := false
	for {
		select {
		case <-terminated:
			asked = true
		case <-tick:
		}
		if parentID() == parent {
			asked = false
			continue
		}
		if w.all.Load() == 0 || asked && w.keys.Load() == 0 {
			return
		}
	}
}
