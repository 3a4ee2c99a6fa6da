package adopt

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// terraform plays Terraform's part for one resource: it plans, plans again in the
// apply, and blames the provider for what Terraform blames it for.
type terraform struct {
	*workshop
	t      testing.TB
	engine *Engine

	// config is what the user wrote, and planConfig, if it is set, what is known of it
	// in the plan. ignore is under ignore_changes.
	config, planConfig m
	ignore             []tfvalue.Path

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
}

func newTerraform(t testing.TB, w *workshop) *terraform {
	t.Helper()
	return &terraform{workshop: w, t: t, engine: w.engine(), state: tfvalue.Null(w.typ())}
}

func (o *outcome) add(found []*tfprotov6.Diagnostic) (ok bool) {
	ok = true
	for _, d := range found {
		text := d.Summary + ": " + d.Detail
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			o.errors, ok = append(o.errors, text), false
		} else {
			o.warnings = append(o.warnings, text)
		}
	}
	return ok
}

func (o *outcome) blame(format string, args ...any) {
	o.blames = append(o.blames, fmt.Sprintf(format, args...))
}

// written is the configuration, as it is in the plan or in the apply.
func (tf *terraform) written(inPlan bool) tfvalue.Value {
	if inPlan && tf.planConfig != nil {
		return tf.value(tf.planConfig)
	}
	return tf.value(tf.config)
}

// ignoring is the configuration with the prior values of what is ignored, which is
// how Terraform applies ignore_changes.
func (tf *terraform) ignoring(config, prior tfvalue.Value) tfvalue.Value {
	if prior.IsNull() {
		return config
	}
	for _, path := range tf.ignore {
		config = config.With(prior.At(path...), path...)
	}
	return config
}

// refresh reads the object into the state.
func (tf *terraform) refresh(o *outcome) bool {
	if tf.state.IsNull() {
		return true
	}
	resp, err := tf.engine.ReadResource(context.Background(), tf.connection(), &tfprotov6.ReadResourceRequest{CurrentState: dynamic(tf.state), Private: tf.private})
	if err != nil {
		panic(err)
	}
	if !o.add(resp.Diagnostics) {
		return false
	}
	tf.state, tf.private = tf.read(resp.NewState), resp.Private
	if !tf.state.IsFullyKnown() {
		o.blame("unknown after a refresh: %v", tf.state)
	}
	return true
}

// imports puts what an import reads into the state.
func (tf *terraform) imports(id string) *outcome {
	o := &outcome{}
	tf.state = tf.value(m{"organization_id": organization, "lamp_id": id})
	tf.private = []byte(`{".import_before_read":"dHJ1ZQ=="}`)
	tf.refresh(o)
	return o
}

// plan refreshes and plans.
func (tf *terraform) plan() *outcome {
	tf.newRun()
	o := &outcome{action: "error"}
	if tf.refresh(o) {
		tf.decide(o, true)
	}
	return o
}

// decide plans a change to the state.
func (tf *terraform) decide(o *outcome, inPlan bool) (private []byte) {
	o.action = "error"
	written := tf.written(inPlan)
	config := tf.ignoring(written, tf.state)
	planned, private, replaces, ok := tf.planChange(o, config, tf.state, tf.private)
	switch {
	case !ok:
		return nil
	case len(replaces) > 0:
		// The new object is planned from the configuration as it is written. Terraform
		// drops the warnings of that plan.
		shown := o.warnings
		if planned, private, _, ok = tf.planChange(o, written, tfvalue.Null(tf.typ()), tf.private); !ok {
			return nil
		}
		o.warnings, o.action = shown, "replace"
	case tf.state.IsNull():
		o.action = "create"
	case planned.Equal(tf.state):
		o.action = "none"
	default:
		o.action = "update"
	}
	o.planned = planned
	return private
}

func (tf *terraform) planChange(o *outcome, config, prior tfvalue.Value, private []byte) (planned tfvalue.Value, next []byte, replaces []*tftypes.AttributePath, ok bool) {
	resp, err := tf.engine.PlanResourceChange(context.Background(), tf.connection(), &tfprotov6.PlanResourceChangeRequest{
		Config: dynamic(config), PriorState: dynamic(prior), ProposedNewState: dynamic(config), PriorPrivate: private,
	})
	if err != nil {
		panic(err)
	}
	if !o.add(resp.Diagnostics) {
		return planned, nil, nil, false
	}
	planned = tf.read(resp.PlannedState)
	for _, fault := range planFaults(lampSchema.Attributes, config, prior, planned, "") {
		o.blame("invalid plan: %s", fault)
	}
	return planned, resp.PlannedPrivate, resp.RequiresReplace, true
}

// apply plans, and applies the plan.
func (tf *terraform) apply() *outcome {
	o := tf.plan()
	if len(o.errors) == 0 {
		tf.applyPlan(o)
	}
	return o
}

// applyPlan applies a plan that may be old.
func (tf *terraform) applyPlan(o *outcome) {
	tf.newRun()
	if o.action == "none" {
		return
	}
	if o.action == "replace" { // the old object goes first
		tf.state, tf.private = tfvalue.Null(tf.typ()), nil
	}
	again := &outcome{}
	private := tf.decide(again, false)
	o.errors, o.blames = append(o.errors, again.errors...), append(o.blames, again.blames...)
	if again.action == "error" {
		return
	}
	if again.action != o.action && (o.action != "update" || again.action != "none") && (o.action != "replace" || again.action != "create") {
		o.blame("inconsistent final plan: %s, then %s", o.action, again.action)
	}
	for _, fault := range differences(o.planned, again.planned, "") {
		o.blame("inconsistent final plan: %s", fault)
	}
	if again.action == "none" || len(o.blames) > 0 {
		return
	}
	o.planned = again.planned
	tf.applied(o, tf.written(false), private)
}

// applied applies what is planned with a configuration, and returns the state.
func (tf *terraform) applied(o *outcome, config tfvalue.Value, private []byte) tfvalue.Value {
	resp, err := tf.engine.ApplyResourceChange(context.Background(), tf.connection(), &tfprotov6.ApplyResourceChangeRequest{
		Config: dynamic(config), PriorState: dynamic(tf.state), PlannedState: dynamic(o.planned), PlannedPrivate: private,
	})
	if err != nil {
		panic(err)
	}
	succeeded := o.add(resp.Diagnostics)
	state := tf.read(resp.NewState)
	switch {
	case !state.IsFullyKnown():
		o.blame("unknown after an apply: %v", state)
	case succeeded && state.IsNull():
		o.blame("no state after an apply")
	case succeeded:
		for _, fault := range differences(o.planned, state, "") {
			o.blame("inconsistent result after apply: %s", fault)
		}
	}
	if !state.IsNull() {
		tf.state, tf.private = state, resp.Private
	}
	return state
}

// destroy plans and applies the removal of the resource.
func (tf *terraform) destroy() *outcome {
	o := &outcome{action: "error"}
	if !tf.refresh(o) || tf.state.IsNull() {
		return o
	}
	none := dynamic(tfvalue.Null(tf.typ()))
	plan, err := tf.engine.PlanResourceChange(context.Background(), tf.connection(), &tfprotov6.PlanResourceChangeRequest{Config: none, PriorState: dynamic(tf.state), ProposedNewState: none, PriorPrivate: tf.private})
	if err != nil {
		panic(err)
	}
	if !o.add(plan.Diagnostics) {
		return o
	}
	o.action = "delete"
	resp, err := tf.engine.ApplyResourceChange(context.Background(), tf.connection(), &tfprotov6.ApplyResourceChangeRequest{Config: none, PriorState: dynamic(tf.state), PlannedState: none, PlannedPrivate: plan.PlannedPrivate})
	if err != nil {
		panic(err)
	}
	if o.add(resp.Diagnostics) {
		tf.state, tf.private = tf.read(resp.NewState), nil
	}
	return o
}

func dynamic(value tfvalue.Value) *tfprotov6.DynamicValue {
	encoded, err := encode(value)
	if err != nil {
		panic(err)
	}
	return encoded
}

func (tf *terraform) read(dynamic *tfprotov6.DynamicValue) tfvalue.Value {
	read, err := decode(dynamic, tf.typ())
	if err != nil {
		panic(err)
	}
	return read
}

// planFaults are the reasons for which Terraform rejects a plan as invalid.
func planFaults(attributes map[string]schema.Attribute, config, prior, planned tfvalue.Value, at string) []string {
	var faults []string
	if config.IsNull() || !config.IsKnown() {
		return nil
	}
	for name, attribute := range attributes {
		wrote, was, will := config.At(name), prior.At(name), planned.At(name)
		here := strings.TrimPrefix(at+"."+name, ".")
		nested, isObject := attribute.(schema.SingleNestedAttribute)
		switch {
		case isObject && wrote.IsObject() && will.IsObject():
			members := map[string]schema.Attribute{}
			for member, a := range nested.Attributes {
				members[member] = a
			}
			faults = append(faults, planFaults(members, wrote, was, will, here)...)
		case wrote.IsNull() && !attribute.IsComputed() && !will.IsNull():
			faults = append(faults, here+" is planned, and cannot be computed")
		case wrote.IsNull(), strings.HasSuffix(here, "bulbs"): // elements of a set have no counterpart
		case !will.Equal(wrote) && !will.Equal(was):
			faults = append(faults, fmt.Sprintf("%s is set to %v, and planned as %v", here, wrote, will))
		}
	}
	slices.Sort(faults)
	return faults
}

// differences are the values that a plan showed, and that are others now.
func differences(planned, now tfvalue.Value, at string) []string {
	switch {
	case !planned.IsKnown():
		return nil
	case planned.IsObject() && now.IsObject():
		var all []string
		for name, member := range planned.Members() {
			all = append(all, differences(member, now.At(name), strings.TrimPrefix(at+"."+name, "."))...)
		}
		return all
	case !planned.IsFullyKnown() && now.IsKnown() && len(planned.Elements()) == len(now.Elements()), planned.Equal(now):
		return nil
	default:
		return []string{fmt.Sprintf("%s was %v, and is %v", at, planned, now)}
	}
}
