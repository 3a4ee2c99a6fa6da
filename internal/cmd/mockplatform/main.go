// Command mockplatform serves the fake platform, so that modules can be tried
// without an account:
//
//	go run ./internal/cmd/mockplatform -journal -fail 503:2:PATCH
//
// It prints its URL and a provider block that is ready to paste.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	code := exitCode(err)
	if code != 0 {
		fmt.Fprintln(os.Stderr, "mockplatform:", err)
	}
	os.Exit(code)
}

// usageError is a mistake in the flags or in a file that they name.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func exitCode(err error) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &usageError{}):
		return 2
	default:
		return 1
	}
}

// run serves until the context ends.
func run(ctx context.Context, arguments []string, stdout, stderr io.Writer) error {
	o, err := parse(arguments, stdout)
	if err != nil {
		return usageError{err}
	}
	seed, err := o.seed()
	if err != nil {
		return usageError{err}
	}
	platform := mockplatform.New(seed)
	more := o.apply(platform, seed, stdout)

	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", o.addr)
	if err != nil {
		return fmt.Errorf("cannot listen on -addr: %w", err)
	}
	if tcp, ok := listener.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		_, _ = fmt.Fprintf(stderr, "mockplatform: warning: other machines can reach -addr %s, and the credentials are public. "+
			"The provider accepts http only for loopback addresses.\n", o.addr)
	}
	found := summarize(listener.Addr(), seed)
	found.added = more
	if o.envFile != "" {
		// 0600 although these credentials are public, as for every file with credentials.
		if err := os.WriteFile(o.envFile, []byte(found.environment()), 0o600); err != nil {
			return errors.Join(usageError{fmt.Errorf("cannot write -env: %w", err)}, listener.Close())
		}
	}
	if _, err := io.WriteString(stdout, found.welcome(o.quiet)); err != nil {
		return errors.Join(err, listener.Close())
	}
	return serve(ctx, listener, platform)
}

// shutdownTime is how long open requests may take to end by themselves.
const shutdownTime = 2 * time.Second

func serve(ctx context.Context, listener net.Listener, platform *mockplatform.Server) error {
	server := &http.Server{Handler: platform, ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	platform.ClearFaults() // ends the requests that hang
	deadline, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	if err := server.Shutdown(deadline); err != nil {
		return server.Close()
	}
	return nil
}
