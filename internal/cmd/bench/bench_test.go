// Package bench measures what users of the provider wait for, with a real
// Terraform. `make bench` runs it.
package bench

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// latency of the platform, before each response.
const latency = 50 * time.Millisecond

// What a benchmark runs with. BENCH_OTHER lists other builds of the provider, for a
// comparison before and after a change: they go by the names of their files.
const (
	builtIn  = "terraform_data"
	baseline = "baseline"
	this     = "this"
)

var others = filepath.SplitList(os.Getenv("BENCH_OTHER"))

// size is the number of objects, by the name that benchmarks have.
type size struct {
	name            string
	services, pipes int
	mapped, tables  int // pipes that have table mappings, and how many each has
}

var sizes = []size{
	{name: "100services", services: 100}, {name: "300services", services: 300}, {name: "1000services", services: 1000}, {name: "3000services", services: 3000},
	{name: "100pipes", pipes: 100}, {name: "300pipes", pipes: 300}, {name: "1000pipes", pipes: 1000}, {name: "3000pipes", pipes: 3000},
	{name: "100mapped", mapped: 100, tables: 50}, {name: "1pipe", pipes: 1}, {name: "1mapped", mapped: 1, tables: 400},
}

// BenchmarkPlan plans, and finds no changes.
func BenchmarkPlan(b *testing.B) {
	all := []string{builtIn, baseline, this}
	for _, path := range others {
		all = append(all, filepath.Base(path))
	}
	for _, size := range sizes {
		for _, with := range all {
			measure(b, size, with, (*workspace).plan)
		}
	}
}

// BenchmarkRateLimit plans while the platform accepts ten requests in each minute. The
// run also needs least-sec/op with a provider that knows the limit.
func BenchmarkRateLimit(b *testing.B) {
	measure(b, size{name: "20pipes", pipes: 20}, this, func(w *workspace, b *testing.B) usage {
		w.platform.Configure(func(behaviour *mockplatform.Behaviour) {
			behaviour.RateLimit = mockplatform.RateLimit{PerSecond: 10 / time.Minute.Seconds(), Window: time.Minute}
		})
		start := time.Now()
		b.ReportMetric(start.Truncate(time.Minute).Add(time.Minute).Sub(start).Seconds(), "least-sec/op")
		used := w.plan(b)
		w.platform.Configure(func(behaviour *mockplatform.Behaviour) { behaviour.RateLimit = mockplatform.RateLimit{} })
		return used
	})
}

// outage is how long the platform fails in BenchmarkOutage.
const outage = 20 * time.Second

// BenchmarkOutage plans while the platform responds with 503, until the outage ends.
func BenchmarkOutage(b *testing.B) {
	measure(b, size{name: "300pipes", pipes: 300}, this, func(w *workspace, b *testing.B) usage {
		w.platform.Inject(mockplatform.Fault{Status: http.StatusServiceUnavailable, Times: mockplatform.Always})
		time.AfterFunc(outage, w.platform.ClearFaults)
		b.ReportMetric(outage.Seconds(), "least-sec/op")
		return w.plan(b)
	})
}

// BenchmarkUnreachable plans while nothing listens at the platform's URL: the plan fails.
func BenchmarkUnreachable(b *testing.B) {
	measure(b, size{name: "1000services", services: 1000}, this, func(w *workspace, b *testing.B) usage {
		unused := httptest.NewServer(nil)
		unused.Close()
		used, out, err := w.terraform(b, planArgs, "DATAPLATFORM_BASE_URL="+unused.URL)
		if err == nil || !strings.Contains(out, "connection refused") {
			b.Fatalf("got %v and\n%s", err, out)
		}
		return used
	})
}

// TestMain repeats all benchmarks BENCH_ROUNDS times, so that what is compared
// runs in turn: -count would repeat each benchmark before it begins the next, and
// compare a quiet minute of the machine with a busy one.
func TestMain(m *testing.M) {
	terraformtest.Isolate("TF_", "DATAPLATFORM_")
	rounds, errRounds := strconv.Atoi(cmp.Or(os.Getenv("BENCH_ROUNDS"), "1"))
	var errDir error
	dir, errDir = os.MkdirTemp("", "dataplatform-bench-") // b.TempDir would end with one benchmark
	if err := errors.Join(errRounds, errDir); err != nil {
		log.Fatal(err)
	}
	code := 0
	for range rounds {
		code = max(code, m.Run())
	}
	for _, w := range workspaces {
		w.server.Close()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// measure runs one benchmark. The function that it times returns what Terraform used,
// with its providers.
func measure(b *testing.B, size size, with string, run func(*workspace, *testing.B) usage) {
	b.Run(fmt.Sprintf("objects=%s/with=%s", size.name, with), func(b *testing.B) {
		w := open(b, size, with)
		var terraform, provider usage
		w.platform.ResetJournal()
		for b.Loop() {
			terraform.add(run(w, b))
			provider.add(w.used(b, ""))
		}
		requests := w.platform.Requests()
		rejected := slices.DeleteFunc(slices.Clone(requests), func(r mockplatform.Request) bool { return r.Status == http.StatusOK })
		b.ReportMetric(float64(len(requests))/float64(b.N), "requests/op")
		b.ReportMetric(float64(len(rejected))/float64(b.N), "rejected/op")
		b.ReportMetric(terraform.cpu.Seconds()/float64(b.N), "cpu-sec/op")
		b.ReportMetric(provider.cpu.Seconds()/float64(b.N), "provider-cpu-sec/op")
		b.ReportMetric(float64(terraform.memory), "terraform-peak-bytes")
		b.ReportMetric(float64(provider.memory), "provider-peak-bytes")
	})
}

// workspace is a directory with a configuration, its state and a platform.
type workspace struct {
	dir      string
	env      []string
	server   *httptest.Server
	platform *mockplatform.Server
}

// These outlive a benchmark: it takes minutes to apply the large ones. No plan changes
// them, so all builds of the provider share one of each size.
var (
	workspaces = map[string]*workspace{}
	dir        string
)

// open returns a workspace whose state is up to date.
func open(b *testing.B, size size, with string) *workspace {
	b.Helper()
	name, first := size.name, this
	if with == builtIn {
		name, first = size.name+"-"+builtIn, builtIn
	}
	if workspaces[name] == nil {
		workspaces[name] = prepare(b, name, first, size)
	}
	return workspaces[name].with(b, with)
}

// prepare returns a workspace whose configuration is applied.
func prepare(b *testing.B, name, first string, size size) *workspace {
	b.Helper()
	seed := mockplatform.DefaultSeed()
	w := &workspace{dir: filepath.Join(dir, name), platform: mockplatform.New(seed)}
	w.server = httptest.NewServer(w.platform)
	w.env = append(os.Environ(),
		"DATAPLATFORM_BASE_URL="+w.server.URL, "DATAPLATFORM_ORGANIZATION_ID="+mockplatform.OrganizationID,
		"DATAPLATFORM_KEY_ID="+seed.KeyID, "DATAPLATFORM_KEY_SECRET="+seed.KeySecret,
	)
	ids := addObjects(w.platform, size)
	check(b, os.Mkdir(w.dir, 0o750))
	check(b, os.WriteFile(filepath.Join(w.dir, "main.tf"), []byte(configurations[first]), 0o600))
	w.writeIDs(b, ids, copied)
	applied := w.with(b, first)
	if first == builtIn {
		applied.run(b, "init")
	}
	applied.run(b, "apply", "-input=false", "-auto-approve", "-lock=false", "-no-color")
	applied.used(b, "")
	w.copyObjects(b, size)
	w.writeIDs(b, ids, math.MaxInt)
	w.platform.Configure(func(behaviour *mockplatform.Behaviour) { behaviour.Latency = latency })
	w.env = append(w.env, "BENCH_LATENCY="+latency.String()) // of baseline
	if profiles := os.Getenv("BENCH_PROFILES"); profiles != "" {
		w.env = append(w.env, "PROFILE_DIR="+profiles)
	}
	return w
}

// with is the workspace with one of what the benchmarks compare.
func (w *workspace) with(b *testing.B, with string) *workspace {
	b.Helper()
	one := *w
	one.env = append(slices.Clip(w.env), "TF_CLI_CONFIG_FILE="+install(b, with))
	return &one
}

const ids = `locals {
  ids = jsondecode(file("ids.json"))
  mappings = { for name in local.ids.tables : "public.${name}:${name}" => {
    excluded_columns       = ["secret"]
    use_custom_sorting_key = true
    sorting_keys           = ["id"]
  } }
}
`

// configurations are those of this provider, of which all builds have the same, and of the
// resource that is built in.
var configurations = map[string]string{
	this: ids + `terraform {
  required_providers {
    dataplatform = { source = "dataplatform/dataplatform" }
  }
}
resource "dataplatform_service_scaling" "this" {
  count                = length(local.ids.services)
  service_id           = local.ids.services[count.index]
  num_replicas         = 5
  idle_scaling         = true
  idle_timeout_minutes = 15
}
resource "dataplatform_pipe" "this" {
  count      = length(local.ids.pipes)
  service_id = "` + mockplatform.ServiceID + `"
  pipe_id    = local.ids.pipes[count.index]
  settings   = { engine_max_threads = 5 }
}
resource "dataplatform_pipe" "mapped" {
  count      = length(local.ids.mapped)
  service_id = "` + mockplatform.ServiceID + `"
  pipe_id    = local.ids.mapped[count.index]
  source     = { postgres = { table_mappings = local.mappings } }
}
`,
	builtIn: ids + `resource "terraform_data" "services" {
  count = length(local.ids.services)
  input = { service_id = local.ids.services[count.index], num_replicas = 5, idle_scaling = true, idle_timeout_minutes = 15 }
}
resource "terraform_data" "pipes" {
  count = length(local.ids.pipes)
  input = { pipe_id = local.ids.pipes[count.index], settings = { engine_max_threads = 5 } }
}
resource "terraform_data" "mapped" {
  count = length(local.ids.mapped)
  input = { pipe_id = local.ids.mapped[count.index], mappings = local.mappings }
}
`,
}

// run runs Terraform in the workspace, and returns what it used, with its providers.
func (w *workspace) run(b *testing.B, args ...string) usage {
	b.Helper()
	used, out, err := w.terraform(b, args)
	if err != nil || strings.Contains(out, "changed outside of") {
		b.Fatalf("terraform %s: %v\n%s", args[0], err, out)
	}
	return used
}

var planArgs = []string{"plan", "-input=false", "-detailed-exitcode", "-lock=false", "-no-color"}

// plan finds no changes.
func (w *workspace) plan(b *testing.B) usage {
	b.Helper()
	return w.run(b, planArgs...)
}

func (w *workspace) terraform(b *testing.B, args []string, env ...string) (usage, string, error) {
	b.Helper()
	command := exec.CommandContext(b.Context(), measured(b), args...)
	command.Dir = w.dir
	command.Env = slices.Concat(w.env, env, []string{"BENCH_PROGRAM=" + os.Getenv("TF_ACC_TERRAFORM_PATH"), "BENCH_USAGE_FILE=" + w.usageFile()})
	out, err := command.CombinedOutput()
	return w.used(b, ofTerraform), string(out), err
}

// install returns a CLI configuration that runs a provider. What Terraform starts
// by the provider's name is measured, which starts the provider.
func install(b *testing.B, with string) string {
	b.Helper()
	if with == builtIn {
		return os.DevNull
	}
	at := filepath.Join(dir, with)
	rc := filepath.Join(at, "cli.tfrc")
	if _, err := os.Stat(rc); err == nil {
		return rc
	}
	program := filepath.Join(at, "program")
	switch with {
	case baseline:
		build(b, program, "./baseline")
	case this:
		build(b, program, "-tags="+os.Getenv("BENCH_TAGS"), "../../..")
	default:
		other := slices.IndexFunc(others, func(path string) bool { return filepath.Base(path) == with })
		check(b, os.Mkdir(at, 0o750))
		check(b, os.Symlink(others[other], program))
	}
	check(b, os.Symlink(measured(b), filepath.Join(at, "terraform-provider-dataplatform")))
	content := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"dataplatform/dataplatform\" = %q\n  }\n  direct {}\n}\n", at)
	check(b, os.WriteFile(rc, []byte(content), 0o600))
	return rc
}

// measured returns the program that runs Terraform and the providers.
func measured(b *testing.B) string {
	b.Helper()
	program := filepath.Join(dir, "measured-program")
	if _, err := os.Stat(program); err != nil {
		build(b, program, "./measured")
	}
	return program
}

func build(b *testing.B, program string, args ...string) {
	b.Helper()
	command := exec.CommandContext(b.Context(), "go", append([]string{"build", "-ldflags=-s -w", "-o", program}, args...)...)
	if out, err := command.CombinedOutput(); err != nil {
		b.Fatalf("building %s: %v\n%s", program, err, out)
	}
}

// usage is what a process used: CPU time, and peak memory in bytes.
type usage struct {
	cpu    time.Duration
	memory int64
}

func (u *usage) add(v usage) { u.cpu, u.memory = u.cpu+v.cpu, max(u.memory, v.memory) }

// ofTerraform is what the name of Terraform's file of usages ends in. That of the providers
// has no end.
const ofTerraform = ".terraform"

func (w *workspace) usageFile() string { return filepath.Join(w.dir, "usage") }

// used returns what the providers, or Terraform, used since the last call.
func (w *workspace) used(b *testing.B, of string) (all usage) {
	b.Helper()
	content, err := os.ReadFile(w.usageFile() + of)
	if err != nil {
		return usage{} // none was started
	}
	for line := range bytes.Lines(content) {
		var one usage
		_, err := fmt.Sscan(string(line), &one.cpu, &one.memory)
		check(b, err)
		all.add(one)
	}
	check(b, os.Remove(w.usageFile()+of))
	return all
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
