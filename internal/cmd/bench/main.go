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
	profiled := flag.String("profile", "", "profile the provider under a plan over 1,000 of these, service_scaling or pipe, and measure nothing")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	b := &bench{terraform: *terraform, rounds: *rounds, prepared: map[string]string{}}
	err := b.within(ctx, func() error {
		if *profiled != "" {
			return b.profile(ctx, *profiled)
		}
		return b.report(ctx, *out, *quick)
	})
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

// within does its work in a folder of its own, with a platform to ask.
func (b *bench) within(ctx context.Context, work func() error) error {
	dir, err := os.MkdirTemp("", "dataplatform-bench-")
	if err != nil {
		return err
	}
	b.dir = dir
	defer func() { _ = os.RemoveAll(dir) }()
	if err := b.build(ctx); err != nil {
		return err
	}
	stop := b.startPlatform()
	defer stop()
	return work()
}

func (b *bench) report(ctx context.Context, out string, quick bool) error {
	report := report{terraform: b.version(ctx), rounds: b.rounds}
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

// profile leaves the profiles of the provider under one plan in bin.
func (b *bench) profile(ctx context.Context, name string) error {
	of := scaling
	if name == pipe.name {
		of = pipe
	}
	of.provider = "profiled"
	folder, err := b.prepare(ctx, group{size: 1000}, of)
	if err != nil {
		return err
	}
	b.env = append(b.env, "PROFILE_DIR="+folder)
	if _, _, err := b.run(ctx, folder, false, planArgs...); err != nil {
		return err
	}
	for _, kind := range []string{"cpu", "heap"} {
		if err := largest(filepath.Join(folder, kind+"-*.pprof"), "bin/"+kind+".pprof"); err != nil {
			return err
		}
	}
	return nil
}

// largest copies the largest of some files: terraform starts a provider several
// times, for its schema alone and for the plan.
func largest(pattern, to string) error {
	var content []byte
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if read, err := os.ReadFile(path); err == nil && len(read) > len(content) {
			content = read
		}
	}
	return os.WriteFile(to, content, 0o600)
}

// build makes the programs: the provider, plain and for profiles, and the
// reference with the framework's defaults and with the provider's tuning.
func (b *bench) build(ctx context.Context) error {
	for name, args := range map[string][]string{
		"provider": {"-o", "terraform-provider-dataplatform", "."},
		"profiled": {"-tags=profile", "-o", "terraform-provider-dataplatform", "."},
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
		build := exec.CommandContext(ctx, "go", append([]string{"build", "-ldflags=-s -w"}, args...)...)
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("building the %s: %w\n%s", name, err, out)
		}
	}
	return nil
}
