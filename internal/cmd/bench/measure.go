package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// What is measured: the provider, one that does nothing with the same schema,
// and terraform_data, Terraform's built-in resource.
const (
	provider  = "provider"
	reference = "reference"
	builtIn   = "terraform_data"
	profiled  = "profiled"
)

const (
	// latency of the platform, before each response.
	latency = 50 * time.Millisecond
	// concurrency is the provider's default number of concurrent requests.
	concurrency = 10
	// longEnough is when a row gets no further round.
	longEnough = 2 * time.Minute
	// firstValue is what the states are prepared with. The rounds of an apply
	// alternate between the next value and this one.
	firstValue = 5
)

type bench struct {
	terraform, dir string
	rounds         int
	platform       *mockplatform.Server
	env            []string
}

// sample is one run of terraform, or the median of several.
type sample struct {
	wall, terraform, provider time.Duration // the last two are CPU time
	memory                    int64         // peak of the provider, in bytes
	requests                  int
}

// folder is where terraform runs with a provider.
func (b *bench) folder(provider string) string { return filepath.Join(b.dir, "run", provider) }

// measure runs a row with each provider in turn.
func (b *bench) measure(ctx context.Context, r *row) error {
	subjects := []string{reference, provider}
	if r.builtIn {
		subjects = append(subjects, builtIn)
	}
	stop, err := b.prepare(ctx, r, subjects...)
	if err != nil {
		return err
	}
	defer stop()
	samples := map[string][]sample{}
	began := time.Now()
	for round := range b.rounds {
		if time.Since(began) > longEnough {
			break
		}
		value := firstValue
		if r.applies() {
			value += (round + 1) % 2
		}
		for _, subject := range subjects {
			taken, err := b.run(ctx, r, subject, value)
			if err != nil {
				return fmt.Errorf("%s: %w", subject, err)
			}
			samples[subject] = append(samples[subject], taken)
		}
	}
	r.medians = map[string]sample{}
	for subject, taken := range samples {
		r.medians[subject] = sample{
			wall:      median(taken, func(s sample) time.Duration { return s.wall }),
			terraform: median(taken, func(s sample) time.Duration { return s.terraform }),
			provider:  median(taken, func(s sample) time.Duration { return s.provider }),
			memory:    median(taken, func(s sample) int64 { return s.memory }),
			requests:  median(taken, func(s sample) int { return s.requests }),
		}
	}
	return nil
}

func median[T int | int64 | time.Duration](samples []sample, of func(sample) T) T {
	var all []T
	for _, s := range samples {
		all = append(all, of(s))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// prepare starts a platform and gives each subject a folder, with a state that
// is up to date where the row begins with one. The reference gets the
// provider's state, so that Terraform has the same to do with both.
func (b *bench) prepare(ctx context.Context, r *row, subjects ...string) (stop func(), err error) {
	seed := mockplatform.DefaultSeed()
	b.platform = mockplatform.New(seed)
	server := httptest.NewServer(b.platform)
	b.env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "TF_") || strings.HasPrefix(variable, "DATAPLATFORM_") || strings.HasPrefix(variable, "GO")
	})
	b.env = append(b.env,
		"CHECKPOINT_DISABLE=1",
		"DATAPLATFORM_BASE_URL="+server.URL,
		"DATAPLATFORM_ORGANIZATION_ID="+mockplatform.OrganizationID,
		"DATAPLATFORM_KEY_ID="+seed.KeyID,
		"DATAPLATFORM_KEY_SECRET="+seed.KeySecret,
	)
	stop = func() {
		server.Close()
		_ = os.RemoveAll(filepath.Join(b.dir, "run"))
	}
	defer func() {
		if err != nil {
			stop()
		}
	}()
	config, ids := r.config(b.platform, r.size)
	idFile, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	for _, subject := range subjects {
		content := config
		if subject == builtIn {
			content = fmt.Sprintf("variable \"value\" {}\nresource \"terraform_data\" \"this\" {\n  count = %d\n  input = var.value\n}\n", r.size)
		}
		if err := os.MkdirAll(b.folder(subject), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(b.folder(subject), "main.tf"), []byte(content), 0o600); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(b.folder(subject), "ids.json"), idFile, 0o600); err != nil {
			return nil, err
		}
		if subject == builtIn {
			if _, err := b.terraformRun(ctx, subject, firstValue, "init"); err != nil {
				return nil, err
			}
		}
	}
	if r.begins == upToDate {
		for _, subject := range subjects {
			if subject != reference {
				if _, err := b.terraformRun(ctx, subject, firstValue, applyArgs...); err != nil {
					return nil, err
				}
			}
		}
		state, err := os.ReadFile(filepath.Join(b.folder(provider), stateFile))
		if err == nil && slices.Contains(subjects, reference) {
			err = os.WriteFile(filepath.Join(b.folder(reference), stateFile), state, 0o600)
		}
		if err != nil {
			return nil, err
		}
	}
	b.platform.Configure(func(behaviour *mockplatform.Behaviour) { behaviour.Latency = latency })
	return stop, nil
}

const stateFile = "terraform.tfstate"

// run runs the command of a row once.
func (b *bench) run(ctx context.Context, r *row, subject string, value int) (sample, error) {
	if r.begins == empty {
		if err := os.RemoveAll(filepath.Join(b.folder(subject), stateFile)); err != nil {
			return sample{}, err
		}
	}
	b.platform.ResetJournal()
	s, err := b.terraformRun(ctx, subject, value, r.command...)
	s.requests = len(b.platform.Requests())
	return s, err
}

func (b *bench) terraformRun(ctx context.Context, subject string, value int, args ...string) (sample, error) {
	usage := filepath.Join(b.folder(subject), "usage")
	command := exec.CommandContext(ctx, b.terraform, args...)
	command.Dir = b.folder(subject)
	command.Env = append(slices.Clone(b.env), fmt.Sprintf("TF_VAR_value=%d", value), usageFile+"="+usage)
	if subject == builtIn {
		command.Env = append(command.Env, "TF_CLI_CONFIG_FILE="+os.DevNull)
	} else {
		command.Env = append(command.Env, "TF_CLI_CONFIG_FILE="+b.rc(subject))
	}
	if args[0] == "plan" {
		command.Env = append(command.Env, "REFERENCE_KEEPS_STATE=yes")
	}
	var stderr strings.Builder
	command.Stderr = &stderr
	began := time.Now()
	err := command.Run()
	s := sample{wall: time.Since(began)}
	if err != nil {
		return s, fmt.Errorf("terraform %s: %w\n%s", args[0], err, stderr.String())
	}
	// A provider that Terraform started and waited for counts as its own.
	if used, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		s.terraform = time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	content, err := os.ReadFile(usage)
	if err != nil {
		return s, nil // no provider was started
	}
	for line := range strings.Lines(string(content)) {
		var cpu, peak int64
		if _, err := fmt.Sscan(line, &cpu, &peak); err != nil {
			return s, err
		}
		s.provider += time.Duration(cpu)
		s.memory = max(s.memory, peak<<10)
	}
	s.terraform -= s.provider
	return s, os.Remove(usage)
}
