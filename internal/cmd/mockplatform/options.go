package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// options are the flags.
type options struct {
	addr, seedFolder, envFile        string
	managementPrefix, alertingPrefix string
	latency                          time.Duration
	rateLimit                        float64
	retryAfter, errorBody            string
	faults                           []mockplatform.Fault
	sparse                           []mockplatform.Sparse
	sparseEmpty, sparseEmptyObjects  bool
	floats, exponents                bool
	unknownMembers, shuffle          bool
	patchResets                      string
	movesState                       bool
	services, pipes                  int
	quiet, journal                   bool
}

func parse(arguments []string, stderr io.Writer) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("mockplatform", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.addr, "addr", "127.0.0.1:0", "`address` to listen on; port 0 takes a free one")
	flags.StringVar(&o.seedFolder, "seed", "", "`folder` of JSON documents to start with instead of the built-in one")
	flags.StringVar(&o.envFile, "env", "", "write lines \"export DATAPLATFORM_...\" to this `file`")
	flags.StringVar(&o.managementPrefix, "prefix", "", "path `prefix` of the management API, such as /mgmt")
	flags.StringVar(&o.alertingPrefix, "alerts-prefix", "", "path `prefix` of the alerting API, such as /alerting")
	flags.IntVar(&o.services, "services", 0, "add this `number` of services")
	flags.IntVar(&o.pipes, "pipes", 0, "add this `number` of pipes to the first service")

	flags.DurationVar(&o.latency, "latency", 0, "wait before each answer, such as 200ms")
	flags.Float64Var(&o.rateLimit, "rate-limit", 0, "reject what exceeds this number of `requests` per second")
	flags.StringVar(&o.retryAfter, "retry-after", "seconds", "`form` of Retry-After with -rate-limit: seconds, date or none")
	flags.Func("fail", "make requests fail, as [after-]STATUS|reset|hang|cut[:N[:METHOD[:PATH]]]; "+
		"N requests (1 by default, 0 for all); after- makes the change first; repeatable `fault`", func(value string) error {
		fault, err := parseFault(value)
		o.faults = append(o.faults, fault)
		return err
	})
	flags.StringVar(&o.errorBody, "error-body", "json", "`form` of error bodies: json, html, text, empty, message, nested, errors, problem, string, echo or echowhole")

	flags.Func("sparse", "omit this `path` from answers, such as numReplicas or source.kafka.iamRole; repeatable", func(value string) error {
		o.sparse = append(o.sparse, mockplatform.Sparse{Path: value})
		return nil
	})
	flags.BoolVar(&o.sparseEmpty, "sparse-empty", false, "omit null, \"\", [], false and 0 from answers, as Go's omitempty would")
	flags.BoolVar(&o.sparseEmptyObjects, "sparse-empty-objects", false, "omit objects that became empty too; implies -sparse-empty")
	flags.BoolVar(&o.floats, "floats", false, "write whole numbers as 4.0")
	flags.BoolVar(&o.exponents, "exponents", false, "write whole numbers as 4e0")
	flags.BoolVar(&o.unknownMembers, "unknown-members", false, "add members that the API document doesn't have")
	flags.BoolVar(&o.shuffle, "shuffle", false, "reorder what has no order in each answer")
	flags.StringVar(&o.patchResets, "patch-resets", "none", "`what` a PATCH resets of what it omits: none, top, nested or all")
	flags.BoolVar(&o.movesState, "moves-state", false, "put a pipe into another state with each PATCH")

	flags.BoolVar(&o.quiet, "quiet", false, "print the address only")
	flags.BoolVar(&o.journal, "journal", false, "print a line for each request")
	if err := flags.Parse(arguments); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	return o, nil
}

func (o *options) check() error {
	for name, value := range map[string]float64{
		"-services":   float64(o.services),
		"-pipes":      float64(o.pipes),
		"-latency":    float64(o.latency),
		"-rate-limit": o.rateLimit,
	} {
		if value < 0 || math.IsNaN(value) || math.IsInf(value, 0) {
			return fmt.Errorf("%s must be a number of 0 or more", name)
		}
	}
	for _, choice := range []struct {
		name, value string
		allowed     []string
	}{
		{"-retry-after", o.retryAfter, []string{"seconds", "date", "none"}},
		{"-patch-resets", o.patchResets, []string{"none", "top", "nested", "all"}},
		{"-error-body", o.errorBody, []string{
			"json", "html", "text", "empty", "message", "nested", "errors", "problem", "string", "echo", "echowhole",
		}},
	} {
		if !slices.Contains(choice.allowed, choice.value) {
			return fmt.Errorf("%s: %q is none of %s", choice.name, choice.value, strings.Join(choice.allowed, ", "))
		}
	}
	return nil
}

func (o *options) seed() (mockplatform.Seed, error) {
	seed := mockplatform.DefaultSeed()
	if o.seedFolder != "" {
		var err error
		if seed, err = mockplatform.LoadSeed(os.DirFS(o.seedFolder)); err != nil {
			return seed, fmt.Errorf("seed: %w", err)
		}
	}
	seed.ManagementPrefix, seed.AlertingPrefix = o.managementPrefix, o.alertingPrefix
	return seed, nil
}

// journalSize keeps a platform that runs for days from growing.
const journalSize = 1000

// apply hands the flags to the platform.
func (o *options) apply(platform *mockplatform.Server, seed mockplatform.Seed, stdout io.Writer) {
	platform.Configure(func(b *mockplatform.Behaviour) {
		b.JournalSize = journalSize
		b.Latency = o.latency
		b.RateLimit = mockplatform.RateLimit{PerSecond: o.rateLimit, RetryAfter: mockplatform.RetryAfterForm(o.retryAfter)}
		b.ErrorBody = mockplatform.BodyKind(o.errorBody)
		b.Answers.Sparse = o.sparse
		if o.sparseEmpty || o.sparseEmptyObjects {
			b.Answers.Sparse = append(b.Answers.Sparse, mockplatform.Sparse{
				Path: "**", OnlyEmpty: true, Zeros: true, EmptyObjects: o.sparseEmptyObjects,
			})
		}
		switch {
		case o.floats:
			b.Answers.Numbers = mockplatform.NumbersAsFloats
		case o.exponents:
			b.Answers.Numbers = mockplatform.NumbersAsExponents
		}
		b.Answers.UnknownMembers = o.unknownMembers
		b.Answers.ShuffleSets = o.shuffle
		b.Patches.Resets.TopLevel = o.patchResets == "top" || o.patchResets == "all"
		b.Patches.Resets.Nested = o.patchResets == "nested" || o.patchResets == "all"
		b.Patches.MovesState = o.movesState
		if o.journal {
			b.OnRequest = printer(stdout)
		}
	})
	for _, fault := range o.faults {
		fault.Body = mockplatform.BodyKind(o.errorBody)
		platform.Inject(fault)
	}
	if len(seed.Organizations) == 0 {
		return
	}
	first := seed.Organizations[0]
	platform.AddServices(first.ID, o.services)
	if len(first.Services) > 0 {
		platform.AddPipes(fmt.Sprint(first.Services[0]["id"]), o.pipes)
	}
}

// printer writes one line per request; requests end in parallel.
func printer(stdout io.Writer) func(mockplatform.Request) {
	var mu sync.Mutex
	return func(r mockplatform.Request) {
		path := r.Path
		if len(r.Query) > 0 {
			path += "?" + r.Query.Encode()
		}
		mu.Lock()
		defer mu.Unlock()
		_, _ = fmt.Fprintf(stdout, "%s %-5s %s %s\n", r.Time.Format("15:04:05.000"), r.Method, path, statusText(r.Status))
	}
}

func statusText(status int) string {
	if status == 0 {
		return "(no answer)"
	}
	return fmt.Sprint(status)
}
