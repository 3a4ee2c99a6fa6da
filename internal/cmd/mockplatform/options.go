package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// options are the values of the flags.
type options struct {
	addr, seed, env string
	behaviour       mockplatform.Behaviour
}

// faults is the part of the help on what can be changed while the fake runs.
const faults = `
A fault that is posted to /console/faults makes matching requests fail, and DELETE removes all faults:

  503:2:PATCH:/pipes/   the next two PATCH requests whose path contains /pipes/, with status 503; 503:0 all of them
  after-503:1:POST      the next POST, after it was carried out
  later-14s-504:1:PATCH the next PATCH, which is carried out 14 seconds later
  half-400:1:PATCH      the next PATCH, after only the removals of table mappings were carried out
  page-200:1:PATCH      with the HTML page of a gateway
  reset, hang, cut      in place of the status: resets the connection, never responds, or cuts the response off
`

// parse reads the flags. Their help, if it is asked for, and the journal go to stdout.
func parse(arguments []string, stdout io.Writer) (*options, error) {
	o := &options{}
	responses := &o.behaviour.Responses
	flags := flag.NewFlagSet("mockplatform", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // or a mistake is followed by the help, which hides it
	flags.StringVar(&o.addr, "addr", "127.0.0.1:0", "listen on this `address`; port 0 selects a free port")
	flags.StringVar(&o.seed, "seed", "", "start with the JSON documents in this `directory` instead of the built-in ones")
	flags.StringVar(&o.env, "env", "", "write the provider's environment variables and the objects' IDs to this `file`, as shell exports")
	flags.BoolFunc("journal", "print each request and its body, with secrets masked", func(string) error {
		o.behaviour.OnRequest = printer(stdout)
		return nil
	})

	flags.DurationVar(&o.behaviour.Latency, "latency", 0, "delay each response by this `duration`, such as 200ms")
	flags.DurationVar(&responses.Lag, "lag", 0, "return services and pipes as they were this `duration` ago, such as 3s, from a PATCH too")
	flags.Func("rate-limit", "reject requests above this `number` in each second on the clock, or with 10/1m above 10 in each minute (default: no limit)",
		func(value string) error { return parseRateLimit(value, &o.behaviour.RateLimit) })
	flags.Func("sparse", "omit the field at this `path` from responses, such as numReplicas or source.kafka.iamRole; "+
		"* is any field, a final ** is any field at every depth; repeatable", func(value string) error {
		responses.Sparse = append(responses.Sparse, mockplatform.Sparse{Path: value})
		return nil
	})
	flags.BoolFunc("sparse-empty", "omit null, \"\", [], {}, false and 0 from responses, as Go's omitempty does", func(string) error {
		responses.Sparse = append(responses.Sparse, mockplatform.Sparse{Path: "**", OnlyEmpty: true, Zeros: true})
		return nil
	})
	flags.Func("patch-resets", "with `all`, a PATCH sets all fields that it omits to their defaults", func(value string) error {
		o.behaviour.Patches.Resets = mockplatform.Resets{TopLevel: true, Nested: true}
		if value != "all" {
			return errors.New("must be all")
		}
		return nil
	})
	flags.BoolVar(&o.behaviour.Patches.DemandsPause, "demand-pause", false,
		"reject a change to table mappings unless the pipe's state is Paused, and set it to Running afterwards")
	flags.DurationVar(&o.behaviour.KeyValidity, "key-validity", 0, "let new keys expire after this `duration` at the latest, whatever was requested")

	err := flags.Parse(arguments)
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(stdout)
		_, _ = fmt.Fprint(stdout, "Usage: mockplatform [flags]\n\nServes a fake of the platform until it is interrupted.\n\n")
		flags.PrintDefaults()
		_, _ = fmt.Fprint(stdout, faults)
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w (-h lists the flags)", err)
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q: only flags are accepted (-h lists them)", flags.Arg(0))
	case min(o.behaviour.Latency, responses.Lag, o.behaviour.KeyValidity) < 0:
		return nil, errors.New("-latency, -lag and -key-validity must be at least 0")
	}
	return o, nil
}

// parseRateLimit parses NUMBER, in each second, or NUMBER/DURATION.
func parseRateLimit(value string, limit *mockplatform.RateLimit) error {
	count, window, isWindow := strings.Cut(value, "/")
	number, err := strconv.Atoi(count)
	length := time.Second
	if err == nil && isWindow {
		length, err = time.ParseDuration(window)
	}
	if err != nil || number < 1 || length <= 0 {
		return errors.New("must be a whole number such as 5, or one with a duration such as 10/1m")
	}
	*limit = mockplatform.RateLimit{PerSecond: float64(number) / length.Seconds(), Window: length}
	return nil
}

// printer returns a function that prints requests, which may end at the same time.
func printer(stdout io.Writer) func(mockplatform.Request) {
	var mu sync.Mutex
	return func(r mockplatform.Request) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = io.WriteString(stdout, r.String())
	}
}
