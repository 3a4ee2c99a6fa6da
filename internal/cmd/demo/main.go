// Command demo tells the provider's story in a terminal: it serves the fake
// platform, installs the provider that was just built into a folder of its own
// and runs a real Terraform over examples/demo, chapter by chapter. It fails as
// soon as a step does not turn out as expected, and leaves nothing behind.
//
// With -picture it writes one plan as an SVG instead, for the README.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

func main() {
	o := options{out: os.Stdout}
	flag.StringVar(&o.terraform, "terraform", "terraform", "the terraform or tofu to run")
	flag.StringVar(&o.provider, "provider", "bin/terraform-provider-dataplatform", "the built provider")
	flag.StringVar(&o.config, "config", "examples/demo", "the folder with the configuration")
	flag.StringVar(&o.picture, "picture", "", "write one plan to this `file` as an SVG, and nothing else")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case interrupted:
		fmt.Fprintln(os.Stderr, "\nInterrupted. Nothing is left behind.")
		os.Exit(130)
	case err != nil:
		fmt.Fprintf(os.Stderr, "\nThe demo failed: %v\n", err)
		os.Exit(1)
	}
}

type options struct {
	terraform, provider, config, picture string
	out                                  io.Writer
}

func run(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "dataplatform-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	seed := mockplatform.DefaultSeed()
	platform := mockplatform.New(seed)
	url, closePlatform, err := serve(ctx, platform)
	if err != nil {
		return err
	}
	defer closePlatform()
	s, err := newStage(ctx, platform, o, dir,
		"DATAPLATFORM_BASE_URL="+url,
		"DATAPLATFORM_KEY_ID="+seed.KeyID,
		"DATAPLATFORM_KEY_SECRET="+seed.KeySecret,
		"DATAPLATFORM_ALERTS_BASE_URL="+url,
		"DATAPLATFORM_ALERTS_ACCESS_TOKEN="+seed.AccessToken,
	)
	if err != nil {
		return err
	}
	if o.picture != "" {
		return s.paint(ctx, o.picture)
	}
	return s.play(ctx, chapters(s, url))
}
