package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// options are the values of the flags.
type options struct {
	addr, seed, env string
	services, pipes int
	spread, journal bool
	behaviour       mockplatform.Behaviour
	faults          []mockplatform.Fault
}

const (
	// maxObjects services or pipes take about half a gigabyte of memory.
	maxObjects = 100_000
	// journalSize limits the memory of a platform that runs for days.
	journalSize = 1000
)

// parse reads the flags, and prints their help to stdout if it is asked for.
func parse(arguments []string, stdout io.Writer) (*options, error) {
	o := &options{}
	responses, patches := &o.behaviour.Responses, &o.behaviour.Patches
	flags := flag.NewFlagSet("mockplatform", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // or a mistake is followed by the help, which hides it
	flags.StringVar(&o.addr, "addr", "127.0.0.1:0", "listen on this `address`; port 0 selects a free port")
	flags.StringVar(&o.seed, "seed", "", "start with the JSON documents in this `directory` instead of the built-in ones")
	flags.StringVar(&o.env, "env", "", "write the provider's environment variables and the objects' IDs to this `file`, as shell exports")
	flags.IntVar(&o.services, "services", 0, "add this `number` of services to the first organization")
	flags.IntVar(&o.pipes, "pipes", 0, "add this `number` of pipes to the first service")
	flags.BoolVar(&o.spread, "spread", false, "spread the pipes of -pipes over all services of the first organization, in turn")
	flags.BoolVar(&o.journal, "journal", false, "print each request and its body, with secrets masked")

	flags.DurationVar(&o.behaviour.Latency, "latency", 0, "delay each response by this `duration`, such as 200ms")
	flags.DurationVar(&responses.Lag, "lag", 0, "return services and pipes as they were this `duration` ago, such as 3s, from a PATCH too")
	flags.Func("rate-limit", "reject requests above this `number` per second, or with 10/1m above 10 in each minute on the clock (default: no limit)", func(value string) error {
		return parseRateLimit(value, &o.behaviour.RateLimit)
	})
	choice(flags, &o.behaviour.RateLimit.RetryAfter, "retry-after", "say when to retry, with -rate-limit, in this `form`",
		mockplatform.RetryAfterSeconds, mockplatform.RetryAfterDate, mockplatform.RetryAfterReset, mockplatform.RetryAfterNone)
	flags.Func("fail", "make requests fail with this `fault`: [after-|half-|later-DURATION-][page-]STATUS|reset|hang|cut[:N[:METHOD[:PATH]]]; "+
		"after- carries the request out first, half- only what it removes, and later-14s- 14 s after its arrival; "+
		"page- is an HTML page of a gateway, such as page-403; N is the number of requests, 0 for all (default 1); repeatable", func(value string) error {
		fault, err := parseFault(value)
		o.faults = append(o.faults, fault)
		return err
	})
	flags.Func("sparse", "omit the field at this `path` from responses, such as numReplicas or source.kafka.iamRole; "+
		"* is any field, a final ** is any field at every depth; repeatable", func(value string) error {
		responses.Sparse = append(responses.Sparse, mockplatform.Sparse{Path: value})
		return nil
	})
	flags.BoolFunc("sparse-empty", "omit null, \"\", [], {}, false and 0 from responses, as Go's omitempty does", func(string) error {
		responses.Sparse = append(responses.Sparse, mockplatform.Sparse{Path: "**", OnlyEmpty: true, Zeros: true})
		return nil
	})
	flags.Func("hide", "omit a field while another has a value, by this `rule`: idleTimeoutMinutes:idleScaling=false; repeatable", func(value string) error {
		hide, condition, _ := strings.Cut(value, ":")
		while, is, found := strings.Cut(condition, "=")
		rule := mockplatform.Sparse{Path: hide, While: while, Is: is}
		var decoded any
		if json.Unmarshal([]byte(is), &decoded) == nil { // otherwise a string without quotes
			rule.Is = decoded
		}
		responses.Sparse = append(responses.Sparse, rule)
		if !found {
			return errors.New("must have the form FIELD:FIELD=VALUE")
		}
		return nil
	})
	choice(flags, &responses.PatchResult, "patch-result", "return this `object` from a PATCH: the one after it, the one before it, or none",
		"after", mockplatform.ResultBefore, mockplatform.ResultMissing)
	flags.Func("patch-resets", "reset these `fields` when a PATCH omits them: none, top for fields of the body, nested for fields of its objects, or all (default none)", func(value string) error {
		patches.Resets.TopLevel = value == "top" || value == "all"
		patches.Resets.Nested = value == "nested" || value == "all"
		return oneOf(value, "none", "top", "nested", "all")
	})
	flags.DurationVar(&patches.Step, "step", 0, "change the number of replicas by one in each `duration`, such as 2s, and complete new table mappings after it")
	flags.BoolVar(&patches.MovesState, "moves-state", false, "change the state of a pipe with each PATCH")
	flags.DurationVar(&o.behaviour.KeyValidity, "key-validity", 0, "let new keys expire after this `duration` at the latest, whatever was requested")

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
	case min(o.services, o.pipes) < 0 || max(o.services, o.pipes) > maxObjects:
		return nil, fmt.Errorf("-services and -pipes must be between 0 and %d", maxObjects)
	case min(o.behaviour.Latency, responses.Lag, patches.Step, o.behaviour.KeyValidity) < 0:
		return nil, errors.New("-latency, -lag, -step and -key-validity must be at least 0")
	}
	return o, nil
}

// parseRateLimit parses NUMBER, per second, or NUMBER/DURATION.
func parseRateLimit(value string, limit *mockplatform.RateLimit) error {
	count, window, isWindow := strings.Cut(value, "/")
	number, err := strconv.ParseFloat(count, 64)
	if err != nil || !(number >= 0 && number <= 1e6) { // NaN is neither
		return errors.New("the number must be between 0 and 1000000")
	}
	limit.PerSecond, limit.Window = number, 0
	if !isWindow {
		return nil
	}
	if limit.Window, err = time.ParseDuration(window); err != nil || limit.Window <= 0 || number != math.Trunc(number) || number == 0 {
		return errors.New("must be a number per second such as 5, or a whole number and a duration such as 10/1m")
	}
	limit.PerSecond = number / limit.Window.Seconds()
	return nil
}

// choice defines a flag with a closed list of values. The first is the default.
func choice[T ~string](flags *flag.FlagSet, to *T, name, usage string, allowed ...T) {
	flags.Func(name, fmt.Sprintf("%s: %s (default %s)", usage, list(allowed), allowed[0]), func(value string) error {
		*to = T(value)
		return oneOf(T(value), allowed...)
	})
}

func oneOf[T ~string](value T, allowed ...T) error {
	if !slices.Contains(allowed, value) {
		return errors.New("must be one of " + list(allowed))
	}
	return nil
}

func list[T ~string](values []T) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(values), " ", ", "), "[]")
}

// apply configures the platform, and returns a line for the objects of each kind
// that it added.
func (o *options) apply(platform *mockplatform.Server, seed mockplatform.Seed, stdout io.Writer) (more []string, err error) {
	platform.Configure(func(b *mockplatform.Behaviour) {
		*b = o.behaviour
		b.JournalSize = journalSize
		if o.journal {
			b.OnRequest = printer(stdout)
		}
	})
	for _, fault := range o.faults {
		platform.Inject(fault)
	}
	first := seed.Organizations[0]
	var services []string
	for _, doc := range first.Services {
		services = append(services, fmt.Sprint(doc["id"]))
	}
	if o.pipes > 0 && len(services)+o.services == 0 {
		return nil, errors.New("-pipes requires a service in the first organization of -seed, or -services")
	}
	if o.services > 0 {
		ids := platform.AddServices(first.ID, o.services)
		services = append(services, ids...)
		more = append(more, fmt.Sprintf("%d services  %s to %s", o.services, ids[0], ids[len(ids)-1]))
	}
	if o.pipes > 0 {
		ids := platform.AddPipes(services[0], o.pipes)
		for i := 0; o.spread && i < len(ids); i++ {
			platform.UpdatePipe(ids[i], func(doc mockplatform.Document) { doc["serviceId"] = services[i%len(services)] })
		}
		more = append(more, fmt.Sprintf("%d pipes  %s to %s", o.pipes, ids[0], ids[len(ids)-1]))
	}
	return more, nil
}
