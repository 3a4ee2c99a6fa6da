package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// options are the values of the flags.
type options struct {
	addr, seedFolder, envFile        string
	managementPrefix, alertingPrefix string
	latency                          time.Duration
	rateLimit                        float64
	retryAfter                       mockplatform.RetryAfterForm
	errorBody                        mockplatform.BodyKind
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

// maxObjects services or pipes take about half a gigabyte of memory.
const maxObjects = 100_000

// parse reads the flags, and prints their help to stdout if it is asked for.
func parse(arguments []string, stdout io.Writer) (*options, error) {
	o := &options{addr: "127.0.0.1:0"}
	flags := flag.NewFlagSet("mockplatform", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // or a mistake is followed by the help, which hides it
	flags.Func("addr", "listen on this `address`; port 0 selects a free port (default 127.0.0.1:0)", hostPort(&o.addr))
	flags.Func("seed", "start with the JSON documents in this `folder` instead of the built-in ones", notEmpty(&o.seedFolder))
	flags.Func("env", "write the provider's environment variables and the objects' IDs to this `file`, as shell exports", notEmpty(&o.envFile))
	flags.Func("prefix", "serve the management API under this path `prefix`, such as /mgmt", prefix(&o.managementPrefix))
	flags.Func("alerts-prefix", "serve the alerting API under this path `prefix`, such as /alerting", prefix(&o.alertingPrefix))
	flags.Func("services", "add this `number` of services to the first organization", count(&o.services))
	flags.Func("pipes", "add this `number` of pipes to the first service", count(&o.pipes))

	flags.Func("latency", "delay each response by this `duration`, such as 200ms", value(&o.latency, time.ParseDuration,
		func(d time.Duration) bool { return d >= 0 }, "must be a duration of at least 0, such as 200ms"))
	flags.Func("rate-limit", "reject requests above this `number` per second (default: no limit)", value(&o.rateLimit,
		func(text string) (float64, error) { return strconv.ParseFloat(text, 64) },
		func(n float64) bool { return n == 0 || n >= 0.001 && n <= 1e6 }, "must be a number between 0.001 and 1000000, or 0 for no limit"))
	choice(flags, &o.retryAfter, "retry-after", "send Retry-After with -rate-limit in this `form`",
		mockplatform.RetryAfterSeconds, mockplatform.RetryAfterDate, mockplatform.RetryAfterNone)
	flags.Func("fail", "make requests fail with this `fault`: [after-]STATUS|reset|hang|cut[:N[:METHOD[:PATH]]]; "+
		"after- carries the request out first; N is the number of requests, 0 for all (default 1); repeatable", func(value string) error {
		fault, err := parseFault(value)
		o.faults = append(o.faults, fault)
		return err
	})
	choice(flags, &o.errorBody, "error-body", "send errors in this `form`",
		mockplatform.BodyJSON, mockplatform.BodyHTML, mockplatform.BodyText, mockplatform.BodyEmpty, mockplatform.BodyMessage, mockplatform.BodyNested,
		mockplatform.BodyErrors, mockplatform.BodyProblem, mockplatform.BodyString, mockplatform.BodyEcho, mockplatform.BodyEchoWhole)

	flags.Func("sparse", "omit the field at this `path` from responses, such as numReplicas or source.kafka.iamRole; "+
		"* is any field, a final ** is any field at every depth; repeatable", func(value string) error {
		o.sparse = append(o.sparse, mockplatform.Sparse{Path: value})
		return nil
	})
	flags.BoolVar(&o.sparseEmpty, "sparse-empty", false, "omit null, \"\", [], {}, false and 0 from responses, as Go's omitempty does")
	flags.BoolVar(&o.sparseEmptyObjects, "sparse-empty-objects", false, "omit objects that became empty as well; implies -sparse-empty")
	flags.BoolVar(&o.floats, "floats", false, "write whole numbers as 4.0")
	flags.BoolVar(&o.exponents, "exponents", false, "write whole numbers as 4e0")
	flags.BoolVar(&o.unknownMembers, "unknown-members", false, "add fields to responses that the API document does not have")
	flags.BoolVar(&o.shuffle, "shuffle", false, "return unordered lists in another order each time")
	choice(flags, &o.patchResets, "patch-resets", "reset these `fields` when a PATCH omits them, top for fields of the body and nested for fields of its objects", "none", "top", "nested", "all")
	flags.BoolVar(&o.movesState, "moves-state", false, "change the state of a pipe with each PATCH")

	flags.BoolVar(&o.quiet, "quiet", false, "omit the provider block and the IDs from the output")
	flags.BoolVar(&o.journal, "journal", false, "print a line for each request")
	err := flags.Parse(arguments)
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(stdout)
		_, _ = fmt.Fprint(stdout, "Usage: mockplatform [flags]\n\nServes a fake of the platform until it is interrupted.\n\n")
		flags.PrintDefaults()
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w (-h lists the flags)", err)
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q: only flags are accepted (-h lists them)", flags.Arg(0))
	case o.floats && o.exponents:
		return nil, errors.New("-floats and -exponents cannot be combined")
	case o.retryAfter != "" && o.rateLimit == 0:
		return nil, errors.New("-retry-after requires -rate-limit")
	}
	return o, nil
}

// seed returns the documents to start with, and rejects flags that have nothing
// to act on there.
func (o *options) seed() (mockplatform.Seed, error) {
	seed := mockplatform.DefaultSeed()
	if o.seedFolder != "" {
		var err error
		if seed, err = mockplatform.LoadSeed(os.DirFS(o.seedFolder)); err != nil {
			return seed, fmt.Errorf("cannot read -seed %s: %w", o.seedFolder, err)
		}
	}
	for _, rule := range o.sparse {
		if !seed.HasField(rule.Path) {
			return seed, fmt.Errorf("-sparse must be the path of a field in a response, such as numReplicas or source.kafka.iamRole; no response has %q", rule.Path)
		}
	}
	if o.pipes > 0 && len(seed.Organizations[0].Services) == 0 {
		return seed, errors.New("-pipes requires a service in the first organization of -seed")
	}
	seed.ManagementPrefix, seed.AlertingPrefix = o.managementPrefix, o.alertingPrefix
	return seed, nil
}

// journalSize limits the memory of a platform that runs for days.
const journalSize = 1000

// apply configures the platform, and returns the objects that it added.
func (o *options) apply(platform *mockplatform.Server, seed mockplatform.Seed, stdout io.Writer) []added {
	platform.Configure(func(b *mockplatform.Behaviour) {
		b.JournalSize = journalSize
		b.Latency = o.latency
		b.RateLimit = mockplatform.RateLimit{PerSecond: o.rateLimit, RetryAfter: o.retryAfter}
		b.ErrorBody = o.errorBody
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
		fault.Body = o.errorBody
		platform.Inject(fault)
	}
	first := seed.Organizations[0]
	all := []added{{"service", platform.AddServices(first.ID, o.services), platform.Service}}
	if o.pipes > 0 {
		all = append(all, added{"pipe", platform.AddPipes(fmt.Sprint(first.Services[0]["id"]), o.pipes), platform.Pipe})
	}
	return all
}

// printer returns a function that prints one line per request. Requests may end
// at the same time.
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
		return "(no response)"
	}
	return fmt.Sprint(status)
}
