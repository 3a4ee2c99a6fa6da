package process

import (
	"os/signal"
	"sync"
	"syscall"
)

// IgnoreTermination makes the process ignore SIGTERM from the first call on.
//
// timeout, systemd and CI runners send SIGTERM to every process of the group. Terraform
// then waits for the calls in flight and ends its providers. If the provider ended
// first, the secret of a new key would be lost. The plugin library ignores an interrupt
// for the same reason.
//
// It is never undone, because Terraform gets a response only some time after the call
// has returned it. Rejected: ignoring SIGTERM from the start. A provider that only reads
// and whose Terraform was killed would then keep its credentials in memory until it is
// killed, too.
var IgnoreTermination = sync.OnceFunc(func() { signal.Ignore(syscall.SIGTERM) })
