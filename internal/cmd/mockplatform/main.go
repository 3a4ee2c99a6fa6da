// Command mockplatform serves the fake platform, so that modules can be tried
// without an account:
//
//	go run ./internal/cmd/mockplatform -journal -latency 200ms
//
// It prints environment variables for the provider, ready to paste. Beside the two
// APIs it serves /console/, which changes objects and injects faults while it runs.
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
	"path/filepath"
	"strings"
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
	platform.Configure(func(b *mockplatform.Behaviour) { *b = o.behaviour })

	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", o.addr)
	if err != nil {
		return fmt.Errorf("cannot listen on -addr: %w", err)
	}
	if !isLoopback(listener.Addr()) {
		_, _ = fmt.Fprintf(stderr, "mockplatform: warning: other machines can reach -addr %s, and its console without credentials. "+
			"There, the provider needs allow_http.\n", o.addr)
	}
	settings := summarize(listener.Addr(), seed)
	if o.env != "" {
		if err := writePrivate(o.env, environment(settings)); err != nil {
			return errors.Join(fmt.Errorf("cannot write -env: %w", err), listener.Close())
		}
	}
	if _, err := io.WriteString(stdout, welcome(settings, o.seed)); err != nil {
		return errors.Join(err, listener.Close())
	}
	return serve(ctx, listener, platform)
}

// writePrivate writes a file that nobody else can read: a new one, which replaces any that exists. That may be somebody
// else's, or open. The built-in credentials are public, but those of -seed may not be.
func writePrivate(name, content string) error {
	file, err := os.CreateTemp(filepath.Dir(name), ".mockplatform-*") // of mode 0600
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

// shutdownTime is how long open requests may take to end by themselves.
const shutdownTime = 2 * time.Second

func serve(ctx context.Context, listener net.Listener, platform *mockplatform.Server) error {
	// http.ServeMux would redirect an unclean path, which the platform rejects.
	console := platform.Console()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/console/") {
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
