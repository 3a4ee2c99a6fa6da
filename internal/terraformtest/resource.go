package terraformtest

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

// Provider has the calls of the protocol that Terraform makes for a resource.
type Provider interface {
	ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error)
	ReadResource(context.Context, *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error)
	PlanResourceChange(context.Context, *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error)
	ApplyResourceChange(context.Context, *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error)
	ImportResourceState(context.Context, *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error)
}

// Resource is one resource block, and its object in the state. Terraform starts a provider
// for each plan and for each apply; here the test passes one to each.
type Resource struct {
	Type   string
	Schema *Schema
	Lifecycle
	// Config is what the block has, with the schema's type; null if there is no block. A test
	// that has unknown values in a plan changes it before the apply.
	Config cty.Value
	State  Object
}

// Object is what a state has of a resource. Its value is null if there is none.
type Object struct {
	Value    cty.Value
	Private  []byte
	Identity *tfprotov6.ResourceIdentityData
	// Tainted means that the creation failed. Nothing further can be played with the object.
	Tainted bool
}

// New returns a block of a type of resource, which is not created yet.
func New(typeName string, schema *Schema) *Resource {
	r := &Resource{Type: typeName, Schema: schema, Config: cty.NullVal(schema.Type)}
	r.State = r.none()
	return r
}

// stored is an object as the state stores it: a plan keeps the private state of one that is
// gone, and the state does not.
func (r *Resource) stored(object Object) Object {
	if object.Value.IsNull() {
		return r.none()
	}
	return object
}

func (r *Resource) none() Object { return Object{Value: cty.NullVal(r.Schema.Type)} }

// Report is what a command says.
type Report struct {
	// Errors and Warnings are the provider's, each as its summary and its detail.
	Errors, Warnings []string
	Faults           []Fault
	// Attributes are those below which Terraform prints the diagnostics that have one.
	Attributes []*tftypes.AttributePath
}

// Failed reports whether the command ended with an error, the provider's or Terraform's.
func (r *Report) Failed() bool { return len(r.Errors)+len(r.Faults) > 0 }

func (r *Report) String() string {
	return fmt.Sprintf("errors: %q\nwarnings: %q\nfaults: %v", r.Errors, r.Warnings, r.Faults)
}

func (r *Report) take(more Report) {
	r.Errors, r.Warnings, r.Faults = append(r.Errors, more.Errors...), append(r.Warnings, more.Warnings...), append(r.Faults, more.Faults...)
	r.Attributes = append(r.Attributes, more.Attributes...)
}

// add adds diagnostics, and reports whether none of them is an error.
func (r *Report) add(all []*tfprotov6.Diagnostic) (ok bool) {
	before := len(r.Errors)
	for _, d := range all {
		text := d.Summary + ": " + d.Detail
		if d.Attribute != nil {
			r.Attributes = append(r.Attributes, d.Attribute)
		}
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			r.Errors = append(r.Errors, text)
		} else {
			r.Warnings = append(r.Warnings, text)
		}
	}
	return len(r.Errors) == before
}

// check runs a check, and reports whether it found nothing.
func (r *Report) check(summary string, check func(f *faults)) (ok bool) {
	f := &faults{summary: summary}
	check(f)
	r.Faults = append(r.Faults, f.found...)
	return len(f.found) == 0
}

// decode decodes a value that must not have write-only values. If it has to be known, that
// is checked first.
func (r *Report) decode(s *Schema, value *tfprotov6.DynamicValue, summary string, known bool) (decoded cty.Value, ok bool) {
	decoded, err := s.Decode(value)
	return decoded, r.check(summary, func(f *faults) {
		switch {
		case err != nil:
			f.add(nil, "cannot be decoded: %v", err)
		case known && !decoded.IsWhollyKnown():
			f.add(nil, "is partly unknown after a refresh")
		default:
			f.writeOnly(s.attributes, decoded)
		}
	})
}

// Action is what a plan does.
type Action string

// The actions. An apply has the action of its plan.
const (
	Failed  Action = "error"
	None    Action = "none"
	Create  Action = "create"
	Update  Action = "update"
	Replace Action = "replace"
	Delete  Action = "delete"
)

// Change is a plan, and then what its apply came to.
type Change struct {
	Report
	Action Action
	// Prior is the object after a refresh, which a plan does not store.
	Prior Object
	// Planned is the object that is planned.
	Planned cty.Value
	// Replaces are the names of what forces a replacement.
	Replaces []string

	private  []byte
	identity *tfprotov6.ResourceIdentityData
}

// Plan refreshes and plans.
func (r *Resource) Plan(p Provider) *Change {
	c := r.unplanned()
	if prior, ok := r.refreshed(p, r.State, &c.Report); ok {
		r.plan(p, prior, c)
	}
	return c
}

func (r *Resource) unplanned() *Change {
	if r.State.Tainted {
		panic("nothing can be played with a tainted object")
	}
	return &Change{Action: Failed, Prior: r.State, Planned: r.none().Value}
}

// PlanOnly plans without a refresh.
func (r *Resource) PlanOnly(p Provider) *Change {
	c := r.unplanned()
	r.plan(p, r.State, c)
	return c
}

// PlanImport plans what an import block asks for.
func (r *Resource) PlanImport(p Provider, id string) *Change {
	c := r.unplanned()
	if prior, ok := r.imported(p, id, &c.Report); ok {
		r.plan(p, prior, c)
	}
	return c
}

// Refresh reads the object into the state.
func (r *Resource) Refresh(p Provider) *Report {
	report := &Report{}
	object, _ := r.refreshed(p, r.State, report)
	r.State = r.stored(object)
	return report
}

// Import is the command of that name.
func (r *Resource) Import(p Provider, id string) *Report {
	report := &Report{}
	if object, ok := r.imported(p, id, report); ok {
		r.State = object
	}
	return report
}

// Generate writes the block that the provider generates for the object in the state, as
// -generate-config-out does from Terraform 1.14 on.
func (r *Resource) Generate(p interface {
	GenerateResourceConfig(context.Context, *tfprotov6.GenerateResourceConfigRequest) (*tfprotov6.GenerateResourceConfigResponse, error)
},
) *Report {
	report := &Report{}
	resp := must(p.GenerateResourceConfig(context.Background(), &tfprotov6.GenerateResourceConfigRequest{TypeName: r.Type, State: r.Schema.Encode(r.State.Value)}))
	if config, ok := report.decode(r.Schema, resp.Config, invalidObject, false); report.add(resp.Diagnostics) && ok {
		r.Config = config
	}
	return report
}

func (r *Resource) imported(p Provider, id string, report *Report) (Object, bool) {
	resp := must(p.ImportResourceState(context.Background(), &tfprotov6.ImportResourceStateRequest{TypeName: r.Type, ID: id}))
	if !report.add(resp.Diagnostics) {
		return r.none(), false
	}
	found := resp.ImportedResources[0]
	value, ok := report.decode(r.Schema, found.State, invalidObject, false)
	if !ok {
		return r.none(), false
	}
	object, ok := r.refreshed(p, Object{Value: value, Private: found.Private, Identity: found.Identity}, report)
	if ok && object.Value.IsNull() {
		report.Errors, ok = append(report.Errors, "Cannot import non-existent remote object: "+id), false
	}
	return object, ok
}

// refreshed returns an object as the provider reads it.
func (r *Resource) refreshed(p Provider, old Object, report *Report) (Object, bool) {
	if old.Value.IsNull() {
		return old, true
	}
	resp := must(p.ReadResource(context.Background(), &tfprotov6.ReadResourceRequest{
		TypeName: r.Type, CurrentState: r.Schema.Encode(old.Value), Private: old.Private, CurrentIdentity: old.Identity,
	}))
	if !report.add(resp.Diagnostics) {
		return old, false
	}
	value, ok := report.decode(r.Schema, resp.NewState, invalidObject, true)
	if !ok {
		return old, false
	}
	return Object{Value: value, Private: resp.Private, Identity: resp.NewIdentity, Tainted: old.Tainted}, true
}

// plan plans a change of an object. The apply plans once more.
func (r *Resource) plan(p Provider, prior Object, c *Change) {
	c.Prior = prior
	if r.Config.IsNull() {
		r.planDestroy(p, c)
		return
	}
	valid := must(p.ValidateResourceConfig(context.Background(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: r.Type, Config: r.Schema.Encode(r.Config),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	}))
	if !c.add(valid.Diagnostics) {
		return
	}
	config := r.ignore(prior.Value, r.Config)
	resp, planned, ok := r.planChange(p, config, prior, &c.Report)
	ok = ok && c.check(invalidPlan, func(f *faults) {
		if f.presence(config, planned) {
			f.plan(r.Schema.attributes, prior.Value, config, planned, nil)
		}
	})
	if !ok {
		return
	}
	action := Update
	switch equal := planned.Equals(prior.Value); {
	case prior.Value.IsNull():
		action = Create
	case c.replaces(resp.RequiresReplace, prior.Value, planned):
		// The new object is planned from nothing, and ignores nothing. Terraform shows no
		// warnings of this plan, since they are probably those of the first.
		shown := c.Warnings
		resp, planned, ok = r.planChange(p, r.Config, Object{Value: r.none().Value, Private: resp.PlannedPrivate, Identity: resp.PlannedIdentity}, &c.Report)
		if !ok {
			return
		}
		c.Warnings, action = shown, Replace
	case equal.IsKnown() && equal.True():
		action = None
	}
	c.Action, c.Planned, c.private, c.identity = action, planned, resp.PlannedPrivate, resp.PlannedIdentity
}

func (r *Resource) planChange(
	p Provider, config cty.Value, prior Object, report *Report,
) (resp *tfprotov6.PlanResourceChangeResponse, planned cty.Value, ok bool) {
	resp = must(p.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: r.Type, Config: r.Schema.Encode(config), PriorState: r.Schema.Encode(prior.Value), PriorPrivate: prior.Private, PriorIdentity: prior.Identity,
		ProposedNewState: r.Schema.Encode(r.Schema.Propose(prior.Value, config)),
	}))
	if !report.add(resp.Diagnostics) {
		return resp, planned, false
	}
	planned, ok = report.decode(r.Schema, resp.PlannedState, invalidPlan, false)
	return resp, planned, ok
}

// replaces finds what forces a replacement: of the attributes that the provider names, those
// that differ. It names none inside of others.
func (c *Change) replaces(named []*tftypes.AttributePath, prior, planned cty.Value) bool {
	for _, path := range named {
		name := string(path.LastStep().(tftypes.AttributeName))
		if equal := planned.GetAttr(name).Equals(prior.GetAttr(name)); !equal.IsKnown() || equal.False() {
			c.Replaces = append(c.Replaces, name)
		}
	}
	return len(c.Replaces) > 0
}

func (r *Resource) planDestroy(p Provider, c *Change) {
	if c.Prior.Value.IsNull() {
		c.Action = None
		return
	}
	resp, planned, ok := r.planChange(p, r.Config, c.Prior, &c.Report)
	ok = ok && c.check(invalidPlan, func(f *faults) { f.presence(r.Config, planned) })
	if ok {
		c.Action, c.private, c.identity = Delete, resp.PlannedPrivate, resp.PlannedIdentity
	}
}

// Apply carries out a plan, which may be old. What it says is added to what the plan said.
func (r *Resource) Apply(p Provider, c *Change) {
	if c.Action == Failed {
		return
	}
	r.State = r.stored(c.Prior)
	old := r.State
	switch {
	case c.Action == None:
		return
	case c.Action == Delete:
		r.carryOut(p, r.Config, cty.NullVal(r.Schema.Type), c)
		return
	case c.Action == Replace && r.CreateBeforeDestroy:
		r.State = r.none()
	case c.Action == Replace:
		if !r.carryOut(p, cty.NullVal(r.Schema.Type), cty.NullVal(r.Schema.Type), c) {
			return
		}
	}
	planned, created := r.applyPlanned(p, c)
	switch {
	case c.Action != Replace || !r.CreateBeforeDestroy:
	case created:
		r.destroyDeposed(p, old, c)
	case planned && r.State.Value.IsNull():
		r.State = old
	}
}

// applyPlanned plans again, compares both plans, and applies the second.
func (r *Resource) applyPlanned(p Provider, c *Change) (planned, applied bool) {
	again := r.unplanned()
	r.plan(p, r.State, again)
	c.take(again.Report)
	if again.Failed() {
		return false, false
	}
	planned = c.check(inconsistentPlan, func(f *faults) {
		becomes := again.Action
		if c.Action == Replace && becomes == Create {
			becomes = Replace
		}
		if becomes != c.Action && (c.Action != Update || becomes != None) {
			f.add(nil, "the action was %s, and is %s", c.Action, becomes)
		}
		f.outcome(c.Planned, again.Planned)
	})
	if !planned || again.Action == None {
		return planned, planned
	}
	c.Planned, c.private, c.identity = again.Planned, again.private, again.identity
	return true, r.carryOut(p, r.Config, again.Planned, c)
}

// destroyDeposed destroys the object that a new one has replaced, with a plan of its own.
// If that fails, nothing further can be played with the object.
func (r *Resource) destroyDeposed(p Provider, old Object, c *Change) {
	deposed := &Resource{Type: r.Type, Schema: r.Schema, Config: cty.NullVal(r.Schema.Type), State: old}
	last := deposed.unplanned()
	deposed.planDestroy(p, last)
	if last.Action != Failed {
		deposed.carryOut(p, deposed.Config, deposed.Config, last)
	}
	c.take(last.Report)
}

// carryOut applies what is planned to the object in the state.
func (r *Resource) carryOut(p Provider, config, planned cty.Value, c *Change) (ok bool) {
	prior := r.State
	resp := must(p.ApplyResourceChange(context.Background(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: r.Type, Config: r.Schema.Encode(config), PriorState: r.Schema.Encode(prior.Value), PlannedState: r.Schema.Encode(planned),
		PlannedPrivate: c.private, PlannedIdentity: c.identity,
	}))
	c.add(resp.Diagnostics)
	state, ok := c.decode(r.Schema, resp.NewState, invalidObject, false)
	if !ok {
		return false
	}
	c.check(invalidResult, func(f *faults) {
		for path, part := range cty.DeepValues(state) {
			if !part.IsKnown() {
				f.add(path, "is unknown")
			}
		}
	})
	state = cty.UnknownAsNull(state)
	if !c.Failed() && !planned.IsNull() {
		c.check(inconsistentResult, func(f *faults) { f.outcome(planned, state) })
	}
	if !c.Failed() {
		c.check(invalidResult, func(f *faults) { f.presence(planned, state) })
	}
	failed := c.Failed()
	if !failed || !state.IsNull() { // after a failure without a state, Terraform keeps the old one
		r.State = Object{Value: state, Private: resp.Private, Identity: resp.NewIdentity, Tainted: failed && prior.Value.IsNull()}
	}
	r.State = r.stored(r.State)
	return !failed
}
