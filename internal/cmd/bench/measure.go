package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// What the platform holds: a plan over few services lists them all, as it would
// at a customer of that size.
const (
	mostServices = 3000
	mostPipes    = 1000
	// manyServices are held in the last group, for the memory it takes.
	manyServices = 10000
)

type bench struct {
	terraform, dir string
	rounds         int

	platform        *mockplatform.Server
	env             []string
	services, pipes []string
	pipeService     string
	// prepared are the folders with a state, by subject and size.
	prepared map[string]string
}

// sample is one run.
type sample struct {
	wall, cpu time.Duration
}

// result is what the runs of one subject came to.
type result struct {
	name        string
	samples     []sample
	peakMemory  int64 // of the provider's process, in bytes
	lists, gets int
}

type measured struct {
	group
	results []result
}

func (b *bench) startPlatform() (stop func()) {
	seed := mockplatform.DefaultSeed()
	b.platform = mockplatform.New(seed)
	server := httptest.NewServer(b.platform)
	b.services = b.platform.AddServices(mockplatform.OrganizationID, mostServices)
	b.pipeService = mockplatform.ServiceID
	b.pipes = b.platform.AddPipes(b.pipeService, mostPipes)
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TF_") && !strings.HasPrefix(variable, "DATAPLATFORM_") && !strings.HasPrefix(variable, "GO") {
			b.env = append(b.env, variable)
		}
	}
	b.env = append(b.env,
		"CHECKPOINT_DISABLE=1",
		"PROFILE_DIR="+b.dir, // what a build for profiles writes while a state is prepared
		"DATAPLATFORM_BASE_URL="+server.URL,
		"DATAPLATFORM_ORGANIZATION_ID="+mockplatform.OrganizationID,
		"DATAPLATFORM_KEY_ID="+seed.KeyID,
		"DATAPLATFORM_KEY_SECRET="+seed.KeySecret,
	)
	return server.Close
}

// measure prepares a state for each subject and then runs them in turn.
func (b *bench) measure(ctx context.Context, g group) (measured, error) {
	m := measured{group: g, results: make([]result, len(g.subjects))}
	folders := make([]string, len(g.subjects))
	for i, s := range g.subjects {
		m.results[i].name = s.name
		key := fmt.Sprintf("%s %d", s.name, g.size)
		if b.prepared[key] == "" {
			folder, err := b.prepare(ctx, g, s)
			if err != nil {
				return m, fmt.Errorf("preparing %s: %w", s.name, err)
			}
			b.prepared[key] = folder
		}
		folders[i] = b.prepared[key]
	}
	if more := g.services - len(b.services); more > 0 {
		b.services = append(b.services, b.platform.AddServices(mockplatform.OrganizationID, more)...)
	}
	b.platform.Configure(func(behaviour *mockplatform.Behaviour) { behaviour.Latency = g.latency })
	defer b.platform.Configure(func(behaviour *mockplatform.Behaviour) { behaviour.Latency = 0 })
	for round := range b.rounds {
		for i, s := range g.subjects {
			b.platform.ResetJournal()
			taken, _, err := b.run(ctx, folders[i], false, g.command...)
			if err != nil {
				return m, fmt.Errorf("%s: %w", s.name, err)
			}
			r := &m.results[i]
			r.samples = append(r.samples, taken)
			r.lists = len(b.platform.RequestsOf(mockplatform.ListServices))
			r.gets = len(b.platform.RequestsOf(mockplatform.GetPipe))
			log.Printf("  %d %-20s %s", round+1, s.name, taken.wall.Round(time.Millisecond))
		}
	}
	// Watching a process costs time, so that its memory is taken in a run of
	// its own.
	for i, s := range g.subjects {
		if s.provider == "" {
			continue
		}
		_, peak, err := b.run(ctx, folders[i], true, g.command...)
		if err != nil {
			return m, fmt.Errorf("%s: %w", s.name, err)
		}
		m.results[i].peakMemory = peak
	}
	return m, nil
}

// prepare makes a folder with the configuration of a subject, and a state that
// the configuration has nothing to add to.
func (b *bench) prepare(ctx context.Context, g group, s subject) (string, error) {
	folder, err := os.MkdirTemp(b.dir, "run-")
	if err != nil {
		return "", err
	}
	rc := "provider_installation {\n  dev_overrides {\n"
	if s.provider != "" {
		name := "reference"
		if s.provider == "provider" || s.provider == "profiled" {
			name = "dataplatform"
		}
		rc += fmt.Sprintf("    \"dataplatform/%s\" = %q\n", name, filepath.Join(b.dir, s.provider))
	}
	rc += "  }\n  direct {}\n}\n"
	size := max(g.size, 1)
	for name, content := range map[string]string{"terraform.rc": rc, "main.tf": s.config(b, size)} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			return "", err
		}
	}
	if s.provider == "" {
		if _, _, err := b.run(ctx, folder, false, "init", "-input=false"); err != nil {
			return "", err
		}
	}
	if g.size == 0 {
		return folder, nil
	}
	_, _, err = b.run(ctx, folder, false, "apply", "-auto-approve", "-input=false", "-lock=false")
	return folder, err
}

// run runs terraform once. With watch, it returns the peak memory of the
// provider's process.
func (b *bench) run(ctx context.Context, folder string, watch bool, args ...string) (sample, int64, error) {
	command := exec.CommandContext(ctx, b.terraform, append(args, "-no-color")...)
	if args[0] == "providers" {
		command = exec.CommandContext(ctx, b.terraform, args...)
	}
	command.Dir = folder
	command.Env = append(slices.Clone(b.env), "TF_CLI_CONFIG_FILE="+filepath.Join(folder, "terraform.rc"))
	var out strings.Builder
	command.Stderr = &out
	began := time.Now()
	if err := command.Start(); err != nil {
		return sample{}, 0, err
	}
	peak := make(chan int64, 1)
	done := make(chan struct{})
	if watch {
		go func() { peak <- watchMemory(b.dir, done) }()
	}
	err := command.Wait()
	taken := sample{wall: time.Since(began)}
	close(done)
	if err != nil {
		return taken, 0, fmt.Errorf("terraform %s: %w\n%s", strings.Join(args, " "), err, out.String())
	}
	if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		taken.cpu = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	if watch {
		return taken, <-peak, nil
	}
	return taken, 0, nil
}

// watchMemory follows the process whose program lies below dir, and returns
// the largest memory that it had. It reads what Linux tells of processes, and
// returns 0 elsewhere.
func watchMemory(dir string, done <-chan struct{}) int64 {
	var peak int64
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return peak
		case <-tick.C:
		}
		programs, _ := filepath.Glob("/proc/[0-9]*/exe")
		for _, link := range programs {
			if program, err := os.Readlink(link); err == nil && strings.HasPrefix(program, dir) {
				peak = max(peak, residentPeak(filepath.Dir(link)))
			}
		}
	}
}

func residentPeak(process string) int64 {
	status, err := os.ReadFile(filepath.Join(process, "status"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kilobytes, _ := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}

func (b *bench) version(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, b.terraform, "version").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return string(exit.Stderr)
		}
		return err.Error()
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return first
}

// median of the wall times, or of the CPU times.
func (r result) median(of func(sample) time.Duration) time.Duration {
	times := make([]time.Duration, 0, len(r.samples))
	for _, s := range r.samples {
		times = append(times, of(s))
	}
	slices.Sort(times)
	return times[len(times)/2]
}

func wall(s sample) time.Duration { return s.wall }

func cpu(s sample) time.Duration { return s.cpu }
