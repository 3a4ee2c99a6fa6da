package adopt

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// terraform is one resource block for a lamp, which package terraformtest plays.
type terraform struct {
	*workshop
	t     testing.TB
	block *terraformtest.Resource

	// config is what the user wrote, and planConfig, if it is set, what is known of it
	// in the plan. ignore is under ignore_changes.
	config, planConfig m
	ignore             []tfvalue.Path

	// state and private are those that the last command saw or stored.
	state   tfvalue.Value
	private []byte
	run     *conn.Connection
}

// outcome is what a command came to.
type outcome struct {
	errors, warnings []string
	// blames are what Terraform reports as bugs of the provider.
	blames []string
	// action is "none", "create", "update", "replace", "delete", or "error".
	action  string
	planned tfvalue.Value
	change  *terraformtest.Change
}

func newTerraform(t testing.TB, w *workshop) *terraform {
	t.Helper()
	block := &tfprotov6.SchemaBlock{Attributes: protocolAttributes(lampSchema.Attributes)}
	return &terraform{workshop: w, t: t, block: terraformtest.New("test_lamp", terraformtest.NewSchema(&tfprotov6.Schema{Block: block})), state: tfvalue.Null(w.typ())}
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
		case schema.SetNestedAttribute:
			a.Type, a.NestedType = nil, &tfprotov6.SchemaObject{Nesting: tfprotov6.SchemaObjectNestingModeSet, Attributes: protocolAttributes(nested.NestedObject.Attributes)}
		}
		all = append(all, a)
	}
	return all
}

// lampProvider is an engine with the connection of a run.
type lampProvider struct {
	terraform *terraform
	engine    *Engine
	run       *conn.Connection
}

func (p lampProvider) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (p lampProvider) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return p.engine.ReadResource(ctx, p.run, req)
}

func (p lampProvider) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return p.engine.PlanResourceChange(ctx, p.run, req)
}

func (p lampProvider) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return p.engine.ApplyResourceChange(ctx, p.run, req)
}

func (p lampProvider) ImportResourceState(_ context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	state, err := encode(p.terraform.value(m{"organization_id": organization, "lamp_id": req.ID}))
	return &tfprotov6.ImportResourceStateResponse{ImportedResources: []*tfprotov6.ImportedResource{
		{TypeName: req.TypeName, State: state, Private: []byte(`{".import_before_read":"dHJ1ZQ=="}`)},
	}}, err
}

// provider is that of this run. Terraform starts one for each plan and for each apply.
func (tf *terraform) provider() lampProvider {
	if tf.run == nil {
		tf.run = newConnection(tf.t)
		tf.run.Unknown = tf.lacks
	}
	return lampProvider{tf, tf.engine(), tf.run}
}

// write writes the block, as it is known in the plan or in the apply.
func (tf *terraform) write(inPlan bool) {
	written := tf.config
	if inPlan && tf.planConfig != nil {
		written = tf.planConfig
	}
	tf.block.Config, tf.block.IgnoreChanges = tf.cty(tf.value(written)), nil
	for _, names := range tf.ignore {
		var path cty.Path
		for _, name := range names {
			if i, err := strconv.Atoi(name); err == nil {
				path = path.IndexInt(i)
			} else {
				path = path.GetAttr(name)
			}
		}
		tf.block.IgnoreChanges = append(tf.block.IgnoreChanges, path)
	}
}

func (tf *terraform) cty(value tfvalue.Value) cty.Value {
	encoded, err := encode(value)
	if err != nil {
		panic(err)
	}
	converted, err := tf.block.Schema.Decode(encoded)
	if err != nil {
		panic(err)
	}
	return converted
}

func (tf *terraform) tfvalue(value cty.Value) tfvalue.Value {
	converted, err := decode(tf.block.Schema.Encode(value), tf.typ())
	if err != nil {
		panic(err)
	}
	return converted
}

// told is what a change has come to so far, and the object that it leads to.
func (tf *terraform) told(o *outcome, object terraformtest.Object) *outcome {
	*o = outcome{errors: o.change.Errors, warnings: o.change.Warnings, action: string(o.change.Action), planned: tf.tfvalue(o.change.Planned), change: o.change}
	for _, fault := range o.change.Faults {
		o.blames = append(o.blames, fault.String())
	}
	tf.state, tf.private = tf.tfvalue(object.Value), object.Private
	return o
}

// imports puts what an import reads into the state.
func (tf *terraform) imports(id string) *outcome {
	report := tf.block.Import(tf.provider(), id)
	return tf.told(&outcome{change: &terraformtest.Change{Report: *report, Planned: tf.block.State.Value}}, tf.block.State)
}

// plan refreshes and plans.
func (tf *terraform) plan() *outcome {
	tf.run = nil
	tf.write(true)
	c := tf.block.Plan(tf.provider())
	return tf.told(&outcome{change: c}, c.Prior)
}

// planOnly plans in this run, without a refresh.
func (tf *terraform) planOnly() *outcome {
	tf.write(true)
	c := tf.block.PlanOnly(tf.provider())
	return tf.told(&outcome{change: c}, c.Prior)
}

// apply plans, and applies the plan.
func (tf *terraform) apply() *outcome {
	o := tf.plan()
	tf.applyPlan(o)
	return o
}

// applyPlan applies a plan that may be old.
func (tf *terraform) applyPlan(o *outcome) {
	tf.run = nil
	tf.write(false)
	tf.block.Apply(tf.provider(), o.change)
	tf.told(o, tf.block.State)
}

// destroy plans and applies the removal of the resource.
func (tf *terraform) destroy() *outcome {
	tf.block.Config = cty.NullVal(tf.block.Schema.Type)
	c := tf.block.Plan(tf.provider())
	tf.block.Apply(tf.provider(), c)
	return tf.told(&outcome{change: c}, tf.block.State)
}

// wantQuiet fails unless a command succeeded, and the next plan is empty.
func (tf *terraform) wantQuiet(o *outcome) {
	tf.t.Helper()
	tf.wantOK(o)
	requests := len(tf.patches())
	next := tf.plan()
	tf.wantOK(next)
	if next.action != "none" || len(next.warnings) > 0 {
		tf.t.Errorf("the next plan is not empty: %s %v, warnings %q", next.action, next.planned, next.warnings)
	}
	if len(tf.patches()) != requests {
		tf.t.Errorf("a plan sends %q", tf.patches()[requests:])
	}
}

func (tf *terraform) wantOK(o *outcome) {
	tf.t.Helper()
	if len(o.errors)+len(o.blames) > 0 {
		tf.t.Fatalf("errors %q, blames %q", o.errors, o.blames)
	}
}

// wantPatches fails unless exactly these were sent since the last call.
func (tf *terraform) wantPatches(want ...string) {
	tf.t.Helper()
	if got := tf.patches(); !slices.Equal(got, want) {
		tf.t.Errorf("sent %q, want %q", got, want)
	}
	tf.requests = nil
}

// wantWarnings fails unless there is one warning for each text, which it contains.
func (tf *terraform) wantWarnings(o *outcome, want ...string) {
	tf.t.Helper()
	if len(o.warnings) != len(want) {
		tf.t.Errorf("%d warnings, want %d: %q", len(o.warnings), len(want), o.warnings)
		return
	}
	for i, text := range want {
		if !strings.Contains(o.warnings[i], text) {
			tf.t.Errorf("the warning %q does not contain %q", o.warnings[i], text)
		}
	}
}

func (tf *terraform) wantError(o *outcome, want string) {
	tf.t.Helper()
	if len(o.blames) > 0 || len(o.errors) != 1 || !strings.Contains(o.errors[0], want) {
		tf.t.Errorf("errors %q, blames %q, want an error with %q", o.errors, o.blames, want)
	}
}

// adopted is a lamp that was adopted with a configuration, without a PATCH.
func adopted(t *testing.T, config m) *terraform {
	t.Helper()
	tf := newTerraform(t, newWorkshop())
	config["lamp_id"] = firstLamp
	tf.config = config
	tf.wantQuiet(tf.apply())
	tf.wantPatches()
	return tf
}
