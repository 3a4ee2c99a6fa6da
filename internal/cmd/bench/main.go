// Command bench measures what users of the provider wait for, with a real
// terraform, and writes BENCHMARKS.md with a picture. Each operation is measured
// beside its floor, in turn: the ratio counts, since the machine is whatever it
// is.
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
	"runtime"
	"strings"
	"syscall"
)

func main() {
	log.SetFlags(0)
	if file := os.Getenv(usageFile); file != "" {
		os.Exit(runProvider(file))
	}
	terraform := flag.String("terraform", "terraform", "the terraform to measure with")
	rounds := flag.Int("rounds", 5, "how often each operation is measured, in turn")
	out := flag.String("out", "", "folder for BENCHMARKS.md and its picture; this one, unless -quick")
	quick := flag.Bool("quick", false, "measure small sizes in three rounds, and print instead of writing")
	profiled := flag.String("profile", "", "profile the provider under a plan over 1,000 of these, service_scaling or pipe, and measure nothing")
	flag.Parse()
	if *quick {
		*rounds = 3
	} else if *out == "" {
		*out = "."
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	b := &bench{terraform: *terraform, rounds: *rounds}
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

// within does its work in a folder of its own.
func (b *bench) within(ctx context.Context, work func() error) (err error) {
	if b.dir, err = os.MkdirTemp("", "dataplatform-bench-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(b.dir) }()
	if err := b.build(ctx, provider, "."); err != nil {
		return err
	}
	return work()
}

// build puts a provider into a folder of its own, behind a link to this program
// by the name that Terraform looks for.
func (b *bench) build(ctx context.Context, name string, args ...string) error {
	program := filepath.Join(b.dir, name, "program")
	build := exec.CommandContext(ctx, "go", append([]string{"build", "-ldflags=-s -w", "-o", program}, args...)...)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the %s: %w\n%s", name, err, out)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.Symlink(self, filepath.Join(b.dir, name, "terraform-provider-dataplatform")); err != nil {
		return err
	}
	rc := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"dataplatform/dataplatform\" = %q\n  }\n  direct {}\n}\n", filepath.Dir(program))
	return os.WriteFile(b.rc(name), []byte(rc), 0o600)
}

func (b *bench) rc(provider string) string { return filepath.Join(b.dir, provider+".rc") }

// usageFile names the variable with the file that runProvider appends to.
const usageFile = "BENCH_USAGE_FILE"

// runProvider runs the provider beside the link by which this program was
// started, and appends what it used: CPU time in nanoseconds and peak memory in
// kilobytes. What Terraform's process used includes its providers.
func runProvider(file string) int {
	command := exec.CommandContext(context.Background(), filepath.Join(filepath.Dir(os.Args[0]), "program"))
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	if err := command.Run(); command.ProcessState == nil {
		log.Print(err)
		return 1
	}
	if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peak := usage.Maxrss // in kilobytes, but in bytes on macOS
		if runtime.GOOS == "darwin" {
			peak >>= 10
		}
		used := fmt.Sprintln(usage.Utime.Nano()+usage.Stime.Nano(), peak)
		if out, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			_, _ = out.WriteString(used)
			_ = out.Close()
		}
	}
	return command.ProcessState.ExitCode()
}

func (b *bench) report(ctx context.Context, out string, quick bool) error {
	if err := b.build(ctx, reference, "./internal/cmd/referenceprovider"); err != nil {
		return err
	}
	version, err := exec.CommandContext(ctx, b.terraform, "version").Output()
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(version), "\n")
	page := page{terraform: first, rounds: b.rounds, tables: tables(quick)}
	for _, t := range page.tables {
		for _, r := range t.rows {
			if err := b.measure(ctx, r); err != nil {
				return fmt.Errorf("%s, %s: %w", t.title, r.label, err)
			}
			log.Printf("%s: %s", t.title, r)
		}
	}
	fmt.Print(page.text())
	if out == "" {
		return nil
	}
	return page.write(out)
}

// profile leaves the profiles of the provider under one plan in bin.
func (b *bench) profile(ctx context.Context, kind string) error {
	r := plan(1000, services)
	if kind == "pipe" {
		r = plan(1000, pipes)
	}
	if err := b.build(ctx, profiled, "-tags=profile", "."); err != nil {
		return err
	}
	stop, err := b.prepare(ctx, r, provider)
	if err != nil {
		return err
	}
	defer stop()
	b.env = append(b.env, "PROFILE_DIR="+b.dir)
	if err := os.Rename(b.folder(provider), b.folder(profiled)); err != nil {
		return err
	}
	if _, err := b.run(ctx, r, profiled, firstValue); err != nil {
		return err
	}
	for _, kind := range []string{"cpu", "heap"} {
		// Terraform starts a provider several times. The plan has the largest profile.
		if err := largest(filepath.Join(b.dir, kind+"-*.pprof"), "bin/"+kind+".pprof"); err != nil {
			return err
		}
	}
	return nil
}

// largest copies the largest of some files.
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
