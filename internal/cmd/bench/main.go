// Command bench measures the provider with real terraform, against Terraform's
// built-in resource and a reference provider that does nothing, in turn, and
// writes BENCHMARKS.md with a plot. The ratios are what counts: the machine is
// whatever it is.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	log.SetFlags(0)
	terraform := flag.String("terraform", "terraform", "the terraform to measure with")
	rounds := flag.Int("rounds", 5, "how often each is measured, in turn")
	out := flag.String("out", ".", "folder that BENCHMARKS.md and its plot are written to")
	quick := flag.Bool("quick", false, "leave out the largest sizes")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *terraform, *rounds, *out, *quick)
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, terraform string, rounds int, out string, quick bool) error {
	dir, err := os.MkdirTemp("", "dataplatform-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b := &bench{terraform: terraform, dir: dir, rounds: rounds}
	if err := b.build(ctx); err != nil {
		return err
	}
	stop := b.startPlatform()
	defer stop()
	report := report{terraform: b.version(ctx), rounds: rounds}
	for _, group := range groups(quick) {
		log.Printf("%s", group.title)
		measured, err := b.measure(ctx, group)
		if err != nil {
			return fmt.Errorf("%s: %w", group.title, err)
		}
		report.groups = append(report.groups, measured)
	}
	return report.write(out)
}

// build makes the three programs: the provider, and the reference with the
// framework's defaults and with the provider's tuning.
func (b *bench) build(ctx context.Context) error {
	for name, args := range map[string][]string{
		"provider": {"-o", "terraform-provider-dataplatform", "."},
		"untuned":  {"-o", "terraform-provider-reference", "./internal/cmd/referenceprovider"},
		"tuned":    {"-ldflags=-s -w -X main.tuned=yes", "-o", "terraform-provider-reference", "./internal/cmd/referenceprovider"},
	} {
		folder := filepath.Join(b.dir, name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		for i, arg := range args {
			if arg == "-o" {
				args[i+1] = filepath.Join(folder, args[i+1])
			}
		}
		build := exec.CommandContext(ctx, "go", append([]string{"build", "-trimpath", "-ldflags=-s -w"}, args...)...)
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("building the %s: %w\n%s", name, err, out)
		}
	}
	return nil
}
