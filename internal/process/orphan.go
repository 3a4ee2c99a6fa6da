package process

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

var (
	pollInterval  = time.Second // of the parent
	writes        sync.WaitGroup
	ignoreSignals = sync.OnceFunc(func() { signal.Ignore(syscall.SIGTERM, syscall.SIGPIPE) })
)

// BeginWrite is to be called before each call that may change something on the platform, and the function
// that it returns after it. From the first call on, the process ignores SIGTERM.
//
// timeout, systemd and CI runners send SIGTERM to every process of the group. Terraform
// then waits for the calls in flight and ends its providers. If the provider ended
// first, the secret of a new key would be lost. The plugin library ignores an interrupt
// for the same reason. A SIGPIPE is ignored because a log line that nobody reads any more
// must not end a write.
//
// It is never undone, because Terraform gets a response only some time after the call
// has returned it.
func BeginWrite() (end func()) {
	ignoreSignals()
	writes.Add(1)
	return writes.Done
}

// EndWithParent ends the process once its parent is no longer this one, Terraform, and no write is in flight. A provider
// whose Terraform was killed would otherwise stay, with its credentials in memory. Nothing else shows that: the plugin
// library goes on listening. Windows does not show it either, so a provider stays there.
func EndWithParent(parent int) {
	for os.Getppid() == parent {
		time.Sleep(pollInterval)
	}
	writes.Wait()
	os.Exit(1)
}
