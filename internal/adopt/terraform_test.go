package adopt

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// terraform is one resource block for a pipe, which package terraformtest plays.
type terraform struct {
	*toy
	engine *Engine
	t      *testing.T
	block  *terraformtest.Resource

	// config is what the user wrote, and inPlan what the next plan has instead, for values that are known only after apply.
	config, inPlan m
	lacks          []string // settings of the provider that are known only after apply
	once           bool     // the provider does not retry

	// state is what the last apply stored, and took is how long it took.
	state tfvalue.Value
	took  time.Duration
	run   *conn.Connection
}

// adopts is a block for a pipe, the first one unless the configuration names another.
func adopts(t *testing.T, config m) *terraform {
	t.Helper()
	w := newToy()
	if config["pipe_id"] == nil {
		config["pipe_id"] = firstPipe
	}
	block := &tfprotov6.SchemaBlock{Attributes: protocolAttributes(toySchema.Attributes)}
	played := terraformtest.New("test_pipe", terraformtest.NewSchema(&tfprotov6.Schema{Block: block}))
	return &terraform{toy: w, engine: w.engine(), t: t, config: config, block: played, state: tfvalue.Null(pipeType)}
}

// adopted is a block whose pipe was adopted, without a PATCH.
func adopted(t *testing.T, config m) *terraform {
	t.Helper()
	tf := adopts(t, config)
	tf.plays(act{})
	return tf
}

// protocolAttributes are attributes as the protocol has them.
func protocolAttributes[A schema.Attribute](attributes map[string]A) (all []*tfprotov6.SchemaAttribute) {
	for name, attribute := range attributes {
		a := &tfprotov6.SchemaAttribute{
			Name: name, Type: attribute.GetType().TerraformType(context.Background()),
			Required: attribute.IsRequired(), Optional: attribute.IsOptional(), Computed: attribute.IsComputed(), WriteOnly: attribute.IsWriteOnly(),
		}
		switch nested := any(attribute).(type) {
		case schema.SingleNestedAttribute:
			a.NestedType = &tfprotov6.SchemaObject{Nesting: tfprotov6.SchemaObjectNestingModeSingle, Attributes: protocolAttributes(nested.Attributes)}
		case schema.MapNestedAttribute:
			a.NestedType = &tfprotov6.SchemaObject{Nesting: tfprotov6.SchemaObjectNestingModeMap, Attributes: protocolAttributes(nested.NestedObject.Attributes)}
		}
		all = append(all, a)
	}
	return all
}

func (tf *terraform) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (tf *terraform) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return tf.engine.ReadResource(ctx, tf.run, req)
}

func (tf *terraform) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return tf.engine.PlanResourceChange(ctx, tf.run, req)
}

func (tf *terraform) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	ctx, tf.interrupt = context.WithCancel(ctx)
	defer tf.interrupt()
	return tf.engine.ApplyResourceChange(ctx, tf.run, req)
}

func (tf *terraform) ImportResourceState(_ context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return tf.engine.ImportResourceState(tf.run, req)
}

// start starts a provider, as Terraform does for each plan and for each apply, and writes the
// block as it is known by then.
func (tf *terraform) start(config m) {
	tf.run = newConnection()
	tf.run.Unknown = tf.lacks
	if tf.once {
		tf.run.Client = must(platform.New(platform.Config{}))
	}
	tf.block.Config = tf.cty(value(config, pipeType))
}

func (tf *terraform) cty(value tfvalue.Value) cty.Value {
	return must(tf.block.Schema.Decode(must(conn.Encode(value))))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// imports puts what an import reads into the state.
func (tf *terraform) imports(id string) *terraformtest.Change {
	tf.start(tf.config)
	return &terraformtest.Change{Report: *tf.block.Import(tf, id)}
}

// plan refreshes and plans.
func (tf *terraform) plan() *terraformtest.Change {
	config := maps.Clone(tf.config)
	maps.Copy(config, tf.inPlan)
	tf.inPlan = nil
	tf.start(config)
	return tf.block.Plan(tf)
}

// apply plans, and applies the plan.
func (tf *terraform) apply() *terraformtest.Change {
	c := tf.plan()
	tf.applyPlan(c)
	return c
}

// applyPlan applies a plan that may be old, in a bubble: no test waits, whatever the engine does. A panic in it would not
// name the test.
func (tf *terraform) applyPlan(c *terraformtest.Change) {
	tf.start(tf.config)
	tf.versions = nil
	synctest.Test(tf.t, func(t *testing.T) {
		defer func() {
			if cause := recover(); cause != nil {
				t.Fatalf("the engine panicked: %v\n%s", cause, debug.Stack())
			}
		}()
		begun := time.Now()
		tf.block.Apply(tf, c)
		tf.took = time.Since(begun)
	})
	tf.state = must(conn.Decode(tf.block.Schema.Encode(tf.block.State.Value), pipeType))
}

// act is a change to the configuration or in the console, what the apply sends because of it, and what
// it says. Without an error, the next plan is empty.
type act struct {
	config, console  m // by path
	events           events
	sent             string // with the reads if it names any
	errors, warnings []string
	drifts           bool // the next plan is not empty, without a change
}

// takes changes what an act changes. The apply is still to come.
func (tf *terraform) takes(a act) {
	maps.Copy(tf.config, a.config)
	for path, is := range a.console {
		tf.change(firstPipe, is, path)
	}
	if a.events != nil {
		tf.events = a.events
	}
}

func (tf *terraform) plays(acts ...act) {
	tf.t.Helper()
	for _, a := range acts {
		tf.takes(a)
		o := tf.apply()
		tf.wantSaid(o, a.errors, a.warnings)
		if !strings.Contains(a.sent, "GET") {
			tf.requests = tf.patches()
		}
		tf.wantSent(a.sent)
		if len(a.errors) == 0 && !a.drifts {
			tf.wantQuiet(o)
		}
		tf.requests = nil
	}
}

// wantQuiet fails unless a command succeeded, and the next plan is empty.
func (tf *terraform) wantQuiet(o *terraformtest.Change) {
	tf.t.Helper()
	tf.wantErrors(o)
	next := tf.plan()
	tf.wantSaid(next, nil, nil)
	if next.Action != "none" {
		tf.t.Errorf("the next plan is not empty: %s %v", next.Action, next.Planned.GoString())
	}
}

// wantPatches fails unless exactly these were sent since the last call, and wantSent if there are other GETs before, between
// or after them, of which successive ones are one: "3 GETs".
func (tf *terraform) wantPatches(want string) {
	tf.t.Helper()
	tf.requests = tf.patches()
	tf.wantSent(want)
}

func (tf *terraform) wantSent(want string) {
	tf.t.Helper()
	got := regexp.MustCompile("GET(, GET)+").ReplaceAllStringFunc(strings.Join(tf.requests, ", "), func(run string) string {
		return fmt.Sprintf("%d GETs", strings.Count(run, "GET"))
	})
	if got != want {
		tf.t.Errorf("sent %q, want %q", got, want)
	}
	tf.requests = nil
}

// wantSaid fails unless there is one error, and one warning, for each text, which it contains. No error gives advice
// that is in none of them.
func (tf *terraform) wantSaid(o *terraformtest.Change, errors, warnings []string) {
	tf.t.Helper()
	tf.wantErrors(o, errors...)
	if !slices.EqualFunc(o.Warnings, warnings, strings.Contains) {
		tf.t.Fatalf("warnings %q, want %q", o.Warnings, warnings)
	}
}

func (tf *terraform) wantErrors(o *terraformtest.Change, want ...string) {
	tf.t.Helper()
	said, wanted := strings.Join(o.Errors, ""), strings.Join(want, "")
	isExtra := func(text string) bool { return strings.Contains(said, text) && !strings.Contains(wanted, text) }
	if len(o.Faults) > 0 || !slices.EqualFunc(o.Errors, want, strings.Contains) || slices.ContainsFunc(advice, isExtra) {
		tf.t.Fatalf("errors %q, faults %v, want %q", o.Errors, o.Faults, want)
	}
}
