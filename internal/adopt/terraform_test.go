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

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// terraform is one resource block for a pipe, which package terraformtest plays. Unless the test is in
// a bubble, each apply has one of its own: no test waits, whatever the engine does.
type terraform struct {
	*toy
	t        *testing.T
	inBubble bool
	block    *terraformtest.Resource

	// config is what the user wrote, and planConfig, if it is set, what is known of it
	// in the plan.
	config, planConfig m

	// state is what the last command saw or stored.
	state tfvalue.Value
	run   *conn.Connection
}

// adopts is a block for a pipe of a toy, the first one unless the configuration names another.
func adopts(t *testing.T, w *toy, config m) *terraform {
	t.Helper()
	if config["pipe_id"] == nil {
		config["pipe_id"] = firstPipe
	}
	block := &tfprotov6.SchemaBlock{Attributes: protocolAttributes(toySchema.Attributes)}
	played := terraformtest.New("test_pipe", terraformtest.NewSchema(&tfprotov6.Schema{Block: block}))
	return &terraform{toy: w, t: t, config: config, block: played, state: tfvalue.Null(w.typ())}
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
			a.Type, a.NestedType = nil, &tfprotov6.SchemaObject{Nesting: tfprotov6.SchemaObjectNestingModeSingle, Attributes: protocolAttributes(nested.Attributes)}
		case schema.MapNestedAttribute:
			a.Type, a.NestedType = nil, &tfprotov6.SchemaObject{Nesting: tfprotov6.SchemaObjectNestingModeMap, Attributes: protocolAttributes(nested.NestedObject.Attributes)}
		}
		all = append(all, a)
	}
	return all
}

func (tf *terraform) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (tf *terraform) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return tf.engine().ReadResource(ctx, tf.run, req)
}

func (tf *terraform) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return tf.engine().PlanResourceChange(ctx, tf.run, req)
}

func (tf *terraform) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	ctx, tf.interrupt = context.WithCancel(ctx)
	defer tf.interrupt()
	return tf.engine().ApplyResourceChange(ctx, tf.run, req)
}

func (tf *terraform) ImportResourceState(_ context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return tf.engine().ImportResourceState(tf.run, req)
}

// start starts a provider, as Terraform does for each plan and for each apply, and writes the
// block as it is known by then.
func (tf *terraform) start(config m) {
	tf.run = newConnection()
	tf.run.Unknown = tf.lacks
	tf.block.Config = tf.cty(tf.value(config))
}

func (tf *terraform) cty(value tfvalue.Value) cty.Value {
	return must(tf.block.Schema.Decode(must(encode(value))))
}

func (tf *terraform) tfvalue(value cty.Value) tfvalue.Value {
	return must(decode(tf.block.Schema.Encode(value), tf.typ()))
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
	report := tf.block.Import(tf, id)
	tf.state = tf.tfvalue(tf.block.State.Value)
	return &terraformtest.Change{Report: *report}
}

// plan refreshes and plans.
func (tf *terraform) plan() *terraformtest.Change {
	inPlan := tf.config
	if tf.planConfig != nil {
		inPlan = tf.planConfig
	}
	tf.start(inPlan)
	c := tf.block.Plan(tf)
	tf.state = tf.tfvalue(c.Prior.Value)
	return c
}

// apply plans, and applies the plan.
func (tf *terraform) apply() *terraformtest.Change {
	c := tf.plan()
	tf.applyPlan(c)
	return c
}

// inBubble runs a part of a test in a bubble, in which a panic would not name the test.
func inBubble(t *testing.T, run func(t *testing.T)) {
	synctest.Test(t, func(t *testing.T) {
		defer func() {
			if cause := recover(); cause != nil {
				t.Fatalf("the engine panicked: %v\n%s", cause, debug.Stack())
			}
		}()
		run(t)
	})
}

// applyPlan applies a plan that may be old.
func (tf *terraform) applyPlan(c *terraformtest.Change) {
	tf.start(tf.config)
	tf.applyStarted(c)
}

func (tf *terraform) applyStarted(c *terraformtest.Change) {
	if tf.inBubble {
		tf.block.Apply(tf, c)
	} else {
		inBubble(tf.t, func(*testing.T) { tf.block.Apply(tf, c) })
	}
	tf.state = tf.tfvalue(tf.block.State.Value)
}

// wantQuiet fails unless a command succeeded, and the next plan is empty.
func (tf *terraform) wantQuiet(o *terraformtest.Change) {
	tf.t.Helper()
	tf.wantOK(o)
	next := tf.plan()
	tf.wantOK(next)
	if next.Action != "none" || len(next.Warnings) > 0 {
		tf.t.Errorf("the next plan is not empty: %s %v, warnings %q", next.Action, next.Planned.GoString(), next.Warnings)
	}
}

func (tf *terraform) wantOK(o *terraformtest.Change) {
	tf.t.Helper()
	if len(o.Errors)+len(o.Faults) > 0 {
		tf.t.Fatalf("errors %q, faults %v", o.Errors, o.Faults)
	}
}

// wantPatches fails unless exactly these were sent since the last call.
func (tf *terraform) wantPatches(want string) {
	tf.t.Helper()
	if got := strings.Join(tf.patches(), ", "); got != want {
		tf.t.Errorf("sent %q, want %q", got, want)
	}
	tf.requests = nil
}

// act is a change to the configuration or in the console, what the apply sends because of it, and what
// it says. Without an error, the next plan is empty.
type act struct {
	config, console  m // by path
	rewrite          func(tfvalue.Value) tfvalue.Value
	sent             string
	errors, warnings []string
	unsaid           string // by any warning
	drifts           bool   // the next plan is not empty, without a change
}

func (tf *terraform) plays(acts ...act) {
	tf.t.Helper()
	for _, a := range acts {
		maps.Copy(tf.config, a.config)
		tf.rewrite = a.rewrite
		for path, is := range a.console {
			tf.change(firstPipe, is, strings.Split(path, ".")...)
		}
		o := tf.apply()
		tf.wantErrors(o, a.errors...)
		tf.wantWarnings(o, a.warnings...)
		tf.wantUnsaid(o, a.unsaid)
		tf.wantPatches(a.sent)
		if len(a.errors) == 0 && !a.drifts {
			tf.wantQuiet(o)
		}
		tf.requests = nil
	}
}

// wantRequests fails unless exactly these were sent since the last call, of which successive GETs
// are one: "3 GETs".
func (tf *terraform) wantRequests(want string) {
	tf.t.Helper()
	got := regexp.MustCompile("GET(, GET)+").ReplaceAllStringFunc(strings.Join(tf.requests, ", "), func(run string) string {
		return fmt.Sprintf("%d GETs", strings.Count(run, "GET"))
	})
	if got != want {
		tf.t.Errorf("sent %q, want %q", got, want)
	}
	tf.requests = nil
}

// wantWarnings fails unless there is one warning for each text, which it contains.
func (tf *terraform) wantWarnings(o *terraformtest.Change, want ...string) {
	tf.t.Helper()
	if !slices.EqualFunc(o.Warnings, want, strings.Contains) {
		tf.t.Fatalf("warnings %q, want %q", o.Warnings, want)
	}
}

// wantUnsaid fails if a warning or an error contains a text.
func (tf *terraform) wantUnsaid(o *terraformtest.Change, text string) {
	tf.t.Helper()
	if all := strings.Join(append(o.Errors, o.Warnings...), "\n"); text != "" && strings.Contains(all, text) {
		tf.t.Errorf("%q in %q", text, all)
	}
}

// wantErrors fails unless there is one error for each text, which it contains.
func (tf *terraform) wantErrors(o *terraformtest.Change, want ...string) {
	tf.t.Helper()
	if len(o.Faults) > 0 || !slices.EqualFunc(o.Errors, want, strings.Contains) {
		tf.t.Fatalf("errors %q, faults %v, want %q", o.Errors, o.Faults, want)
	}
}

// adopted is a block whose pipe was adopted, without a PATCH.
func adopted(t *testing.T, config m) *terraform {
	t.Helper()
	tf := adopts(t, newToy(), config)
	tf.plays(act{})
	return tf
}
