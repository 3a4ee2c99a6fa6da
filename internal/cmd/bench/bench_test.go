// Package bench measures what users of the provider wait for, with a real
// Terraform. `make bench` runs it.
package bench

import (
	"cmp"
	"encoding/json"
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
	{name: "100pipes", pipes: 100}, {name: "300pipes", pipes: 300}, {name: "1000pipes", pipes: 1000},
	{name: "100pipes50mappings", mapped: 100, tables: 50}, {name: "1pipe", pipes: 1}, {name: "1pipe400mappings", mapped: 1, tables: 400},
}

// BenchmarkPlan plans, and finds no changes.
func BenchmarkPlan(b *testing.B) {
	for _, size := range sizes {
		compare(b, size, "plan", "-detailed-exitcode")
	}
}

// BenchmarkApply changes a setting of each pipe.
func BenchmarkApply(b *testing.B) {
	compare(b, size{name: "300pipes", pipes: 300}, "apply", "-auto-approve", "-var=threads=6")
}

// compare runs a command of Terraform with each build of the provider.
func compare(b *testing.B, size size, command ...string) {
	all := []string{baseline, this}
	for _, path := range others {
		all = append(all, filepath.Base(path))
	}
	for _, with := range all {
		b.Run(fmt.Sprintf("objects=%s/with=%s", size.name, with), func(b *testing.B) {
			w := open(b, size)
			install(b, with)
			w.platform.ResetJournal()
			var cpu time.Duration
			for b.Loop() {
				cpu += w.terraform(b, with, command...)
				b.StopTimer()
				w.restore(b)
				b.StartTimer()
			}
			b.ReportMetric(cpu.Seconds()/float64(b.N), "cpu-sec/op")
			b.ReportMetric(float64(len(w.platform.Requests()))/float64(b.N), "requests/op")
		})
	}
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

// workspace is a directory with a configuration, its state and a platform.
type workspace struct {
	dir      string
	env      []string
	server   *httptest.Server
	platform *mockplatform.Server
	pipes    []mockplatform.Document
	state    []byte
}

// restore undoes an apply.
func (w *workspace) restore(b *testing.B) {
	b.Helper()
	for _, pipe := range w.pipes {
		w.platform.SetPipe(pipe)
	}
	check(b, os.WriteFile(filepath.Join(w.dir, stateFile), w.state, 0o600))
}

const stateFile = "terraform.tfstate"

// These outlive a benchmark: it takes minutes to apply the large ones. Each run leaves
// them as they were, so all builds of the provider share one of each size.
var (
	workspaces = map[string]*workspace{}
	dir        string
)

// open returns a workspace whose configuration is applied.
func open(b *testing.B, size size) *workspace {
	b.Helper()
	if w := workspaces[size.name]; w != nil {
		return w
	}
	seed := mockplatform.DefaultSeed()
	w := &workspace{dir: filepath.Join(dir, size.name), platform: mockplatform.New(seed)}
	w.server = httptest.NewServer(w.platform)
	w.env = append(os.Environ(),
		"DATAPLATFORM_BASE_URL="+w.server.URL, "DATAPLATFORM_ORGANIZATION_ID="+mockplatform.OrganizationID,
		"DATAPLATFORM_KEY_ID="+seed.KeyID, "DATAPLATFORM_KEY_SECRET="+seed.KeySecret,
	)
	added := addObjects(w.platform, size)
	ids, err := json.Marshal(added)
	check(b, err)
	check(b, os.Mkdir(w.dir, 0o750))
	check(b, os.WriteFile(filepath.Join(w.dir, "ids.json"), ids, 0o600))
	check(b, os.WriteFile(filepath.Join(w.dir, "main.tf"), []byte(configuration), 0o600))
	w.terraform(b, this, "apply", "-auto-approve")
	w.state, err = os.ReadFile(filepath.Join(w.dir, stateFile))
	check(b, err)
	for _, id := range added["pipes"] {
		w.pipes = append(w.pipes, w.platform.Pipe(id))
	}
	w.platform.Configure(func(behaviour *mockplatform.Behaviour) { behaviour.Latency = latency })
	w.env = append(w.env, "BENCH_LATENCY="+latency.String()) // of baseline
	workspaces[size.name] = w
	return w
}

const configuration = `variable "threads" {
  default = 5
}
locals {
  ids = jsondecode(file("ids.json"))
  mappings = { for name in local.ids.tables : "public.${name}:${name}" => {
    excluded_columns       = ["secret"]
    use_custom_sorting_key = true
    sorting_keys           = ["id"]
  } }
}
terraform {
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
  settings   = { engine_max_threads = var.threads }
}
resource "dataplatform_pipe" "mapped" {
  count      = length(local.ids.mapped)
  service_id = "` + mockplatform.ServiceID + `"
  pipe_id    = local.ids.mapped[count.index]
  source     = { postgres = { table_mappings = local.mappings } }
}
`

// terraform runs Terraform with a provider, and returns the CPU time of both.
func (w *workspace) terraform(b *testing.B, with string, args ...string) time.Duration {
	b.Helper()
	command := exec.CommandContext(b.Context(), os.Getenv("TF_ACC_TERRAFORM_PATH"), append(args, "-input=false", "-lock=false", "-no-color")...)
	command.Dir = w.dir
	command.Env = append(slices.Clip(w.env), "TF_CLI_CONFIG_FILE="+install(b, with))
	out, err := command.CombinedOutput()
	if err != nil || strings.Contains(string(out), "changed outside of") {
		b.Fatalf("terraform %s: %v\n%s", args[0], err, out)
	}
	return command.ProcessState.UserTime() + command.ProcessState.SystemTime() // with those that it has waited for
}

// install returns a CLI configuration that runs a provider.
func install(b *testing.B, with string) string {
	b.Helper()
	at := filepath.Join(dir, with)
	rc := filepath.Join(at, "cli.tfrc")
	if _, err := os.Stat(rc); err == nil {
		return rc
	}
	program := filepath.Join(at, "terraform-provider-dataplatform")
	switch with {
	case baseline:
		build(b, program, "./baseline")
	case this:
		build(b, program, "../../..")
	default:
		other := slices.IndexFunc(others, func(path string) bool { return filepath.Base(path) == with })
		check(b, os.Mkdir(at, 0o750))
		check(b, os.Symlink(others[other], program))
	}
	content := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"dataplatform/dataplatform\" = %q\n  }\n  direct {}\n}\n", at)
	check(b, os.WriteFile(rc, []byte(content), 0o600))
	return rc
}

func build(b *testing.B, program, directory string) {
	b.Helper()
	command := exec.CommandContext(b.Context(), "go", "build", "-ldflags=-s -w", "-o", program, directory)
	if out, err := command.CombinedOutput(); err != nil {
		b.Fatalf("building %s: %v\n%s", program, err, out)
	}
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
