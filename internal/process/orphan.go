package process

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// Writes counts the calls in flight that change something on the platform. The
// zero value is ready to use.
type Writes struct{ all, keys atomic.Int64 }

// Begin counts a call until end is called. createsKey marks the creation of an API
// key, whose response is the only copy of the secret.
func (w *Writes) Begin(createsKey bool) (end func()) {
	w.all.Add(1)
	if !createsKey {
		return func() { w.all.Add(-1) }
	}
	w.keys.Add(1)
	return func() { w.keys.Add(-1); w.all.Add(-1) }
}

// Guard ends the process if Terraform no longer does. It never returns.
//
// timeout, systemd and CI runners send SIGTERM to every process of the group.
// Terraform then waits for the calls in flight and ends its providers. If the
// provider ended first, the secret of a new key would be lost. So SIGTERM is
// ignored while Terraform runs. The plugin library ignores an interrupt for the
// same reason.
//
// If Terraform was killed, the provider ends by itself once no write is in flight,
// or after SIGTERM once no key is being created.
func (w *Writes) Guard() {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	w.guard(os.Getppid, terminated, time.NewTicker(time.Second).C)
	os.Exit(0)
}

// guard returns when the process may end. Terraform has ended when the process has
// another parent.
func (w *Writes) guard(parentID func() int, terminated <-chan os.Signal, tick <-chan time.Time) {
	parent := parentID()
	signalled := false
	for {
		select {
		case <-terminated:
			signalled = true
		case <-tick:
		}
		if parentID() == parent {
			signalled = false
			continue
		}
		if w.all.Load() == 0 || signalled && w.keys.Load() == 0 {
			return
		}
	}
}
