// Command mockplatform serves the fake platform, so that modules can be tried
// without an account:
//
//	go run ./internal/cmd/mockplatform -journal -fail 503:2:PATCH
//
// It prints its URL and a provider block that is ready to paste. Beside the two
// APIs it serves /console/, which changes objects and injects faults while it runs.
//
//	main.go     starts and ends
//	options.go  the flags
//	guard.go    rejects what a web page sends
//	fault.go    the faults of -fail and of the console
//	console.go  /console/: objects, keys and faults
//	objects.go  the objects of the console
//	summary.go  the settings and IDs that are printed
//	journal.go  a line for each request
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
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "mockplatform:", err)
		os.Exit(1)
	}
}

// run serves until the context ends.
func run(ctx context.Context, arguments []string, stdout, stderr io.Writer) error {
	o, err := parse(arguments, stdout)
	if err != nil {
		return err
	}
	seed := mockplatform.DefaultSeed()
	if o.seed != "" {
		if seed, err = mockplatform.LoadSeed(os.DirFS(o.seed)); err != nil {
			return fmt.Errorf("cannot read -seed %s: %w", o.seed, err)
		}
	}
	platform := mockplatform.New(seed)
	more, err := o.apply(platform, seed, stdout)
	if err != nil {
		return err
	}

	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", o.addr)
	if err != nil {
		return fmt.Errorf("cannot listen on -addr: %w", err)
	}
	if !isLoopback(listener.Addr()) {
		_, _ = fmt.Fprintf(stderr, "mockplatform: warning: other machines can reach -addr %s, and the credentials are public. "+
			"There, the provider needs allow_http.\n", o.addr)
	}
	found := summarize(listener.Addr(), seed)
	if o.env != "" {
		if err := writePrivate(o.env, found.environment()); err != nil {
			return errors.Join(fmt.Errorf("cannot write -env: %w", err), listener.Close())
		}
	}
	if _, err := io.WriteString(stdout, found.welcome(more)); err != nil {
		return errors.Join(err, listener.Close())
	}
	return serve(ctx, listener, platform)
}

// writePrivate lets nobody else read a file, not one that exists either, whose mode
// os.WriteFile would keep. These credentials are public, but those of -seed may not be.
func writePrivate(name, content string) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() { // and not /dev/stdout
		err = file.Chmod(0o600)
	}
	if err == nil {
		_, err = file.WriteString(content)
	}
	return errors.Join(err, file.Close())
}

// shutdownTime is how long open requests may take to end by themselves.
const shutdownTime = 2 * time.Second

func serve(ctx context.Context, listener net.Listener, platform *mockplatform.Server) error {
	// http.ServeMux would redirect an unclean path, which the platform rejects.
	console := console(platform)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isConsole(r) {
			console.ServeHTTP(w, r)
			return
		}
		platform.ServeHTTP(w, r)
	})
	server := &http.Server{Handler: guard(handler, listener.Addr()), ReadHeaderTimeout: time.Minute}
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
