package process

import (
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestGuard(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name                 string
		orphan, signalled    bool
		update, key, outlive bool // outlive: the process goes on
	}{
		{name: "Terraform lives", outlive: true},
		{name: "Terraform lives, and SIGTERM", signalled: true, outlive: true},
		{name: "Terraform lives, an update and SIGTERM", signalled: true, update: true, outlive: true},
		{name: "an orphan", orphan: true},
		{name: "an orphan and SIGTERM", orphan: true, signalled: true},
		{name: "an orphan that updates", orphan: true, update: true, outlive: true},
		{name: "an orphan that updates, and SIGTERM", orphan: true, signalled: true, update: true},
		{name: "an orphan that creates a key", orphan: true, key: true, outlive: true},
		{name: "an orphan that creates a key, and SIGTERM", orphan: true, signalled: true, key: true, outlive: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var w Writes
				var parent atomic.Int64
				parent.Store(100)
				terminated, ended := make(chan os.Signal, 1), make(chan struct{})
				ticker := time.NewTicker(time.Second)
				defer ticker.Stop()
				go func() {
					defer close(ended)
					w.guard(func() int { return int(parent.Load()) }, terminated, ticker.C)
				}()
				synctest.Wait()
				var ends []func()
				if test.update {
					ends = append(ends, w.Begin(false))
				}
				if test.key {
					ends = append(ends, w.Begin(true))
				}
				if test.orphan {
					parent.Store(1)
				}
				if test.signalled {
					terminated <- syscall.SIGTERM
				}
				time.Sleep(5 * time.Second)
				select {
				case <-ended:
					if test.outlive {
						t.Error("the process ends")
					}
				default:
					if !test.outlive {
						t.Error("the process goes on")
					}
				}
				// Every orphan ends once its writes have ended.
				parent.Store(1)
				for _, end := range ends {
					end()
				}
				<-ended
			})
		})
	}
}
