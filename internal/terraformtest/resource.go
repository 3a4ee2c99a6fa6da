package terraformtest

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
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
	// Tainted is an object whose creation failed, which is to be replaced.
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
}

// Failed reports whether the command ended with an error, the provider's or Terraform's.
func (r *Report) Failed() bool { return len(r.Errors)+len(r.Faults) > 0 }

func (r *Report) take(more Report) {
	r.Errors, r.Warnings, r.Faults = append(r.Errors, more.Errors...), append(r.Warnings, more.Warnings...), append(r.Faults, more.Faults...)
}

// add adds diagnostics, and reports whether none of them is an error.
func (r *Report) add(all []*tfprotov6.Diagnostic, err error) (ok bool) {
	if err != nil {
		r.Errors = append(r.Errors, "The call failed: "+err.Error())
	}
	failed := err != nil
	for _, d := range all {
		text := d.Summary + ": " + d.Detail
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			r.Errors, failed = append(r.Errors, text), true
		} else {
			r.Warnings = append(r.Warnings, text)
		}
	}
	return !failed
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
	// Replaces are the paths of what forces a replacement.
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

func (r *Resource) imported(p Provider, id string, report *Report) (Object, bool) {
	resp, err := p.ImportResourceState(context.Background(), &tfprotov6.ImportResourceStateRequest{TypeName: r.Type, ID: id})
	if err != nil || !report.add(resp.Diagnostics, nil) {
		return r.none(), report.add(nil, err) && false
	}
	found := resp.ImportedResources[0]
	value, ok := report.decode(r.Schema, found.State, InvalidObject, false)
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
	resp, err := p.ReadResource(context.Background(), &tfprotov6.ReadResourceRequest{TypeName: r.Type, CurrentState: r.Schema.Encode(old.Value), Private: old.Private, CurrentIdentity: old.Identity})
	if err != nil {
		return old, report.add(nil, err)
	}
	if !report.add(resp.Diagnostics, nil) {
		return old, false
	}
	value, ok := report.decode(r.Schema, resp.NewState, InvalidObject, true)
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
	valid, err := p.ValidateResourceConfig(context.Background(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: r.Type, Config: r.Schema.Encode(r.Config),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil || !c.add(valid.Diagnostics, nil) {
		c.add(nil, err)
		return
	}
	from := prior
	if prior.Tainted {
		from = r.none()
	}
	config := r.ignore(from.Value, r.Config)
	resp, planned, ok := r.planChange(p, config, from, &c.Report)
	ok = ok && c.check(InvalidPlan, func(f *faults) {
		if f.presence(config, planned) {
			f.plan(r.Schema.attributes, from.Value, config, planned, nil)
		}
	})
	if !ok || !r.findReplaces(c, from.Value, planned, resp) {
		return
	}
	action := Update
	switch equal := planned.Equals(from.Value); {
	case from.Value.IsNull() && !prior.Value.IsNull(): // tainted
		action = Replace
	case from.Value.IsNull():
		action = Create
	case len(c.Replaces) > 0:
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

// planChange calls the provider.
func (r *Resource) planChange(p Provider, config cty.Value, prior Object, report *Report) (resp *tfprotov6.PlanResourceChangeResponse, planned cty.Value, ok bool) {
	resp, err := p.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: r.Type, Config: r.Schema.Encode(config), PriorState: r.Schema.Encode(prior.Value), PriorPrivate: prior.Private, PriorIdentity: prior.Identity,
		ProposedNewState: r.Schema.Encode(r.Schema.Propose(prior.Value, config)),
	})
	if err != nil {
		return nil, planned, report.add(nil, err)
	}
	if !report.add(resp.Diagnostics, nil) {
		return resp, planned, false
	}
	planned, ok = report.decode(r.Schema, resp.PlannedState, InvalidPlan, false)
	return resp, planned, ok
}

// findReplaces finds what forces a replacement: of what the provider names, what differs.
func (r *Resource) findReplaces(c *Change, prior, planned cty.Value, resp *tfprotov6.PlanResourceChangeResponse) (ok bool) {
	return c.check(InvalidPlan, func(f *faults) {
		for _, named := range resp.RequiresReplace {
			if prior.IsNull() {
				return
			}
			path := pathOf(named)
			was, errWas := path.Apply(prior)
			will, errWill := path.Apply(planned)
			if errWas != nil && errWill != nil {
				f.add(nil, "%s forces replacement, and does not exist", FormatPath(path))
				continue
			}
			// What exists on one side alone differs, even if it is null there.
			differs := errWas != nil || errWill != nil
			if !differs {
				equal := will.Equals(was)
				differs = !equal.IsKnown() || equal.False()
			}
			if a := r.Schema.attributes.at(path); differs || a != nil && a.WriteOnly {
				c.Replaces = append(c.Replaces, FormatPath(path)[1:])
			}
		}
	})
}

func (r *Resource) planDestroy(p Provider, c *Change) {
	if c.Prior.Value.IsNull() {
		c.Action = None
		return
	}
	resp, planned, ok := r.planChange(p, r.Config, c.Prior, &c.Report)
	ok = ok && c.check(InvalidPlan, func(f *faults) { f.presence(r.Config, planned) })
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
	planned = c.check(InconsistentPlan, func(f *faults) {
		becomes := again.Action
		if c.Action == Replace && becomes == Create {
			becomes = Replace
		}
		if becomes != c.Action && (c.Action != Update || becomes != None) {
			f.add(nil, "the action was %s, and is %s", c.Action, becomes)
		}
		f.outcome(r.Schema.attributes, c.Planned, again.Planned)
	})
	if !planned || again.Action == None {
		return planned, planned
	}
	c.Planned, c.private, c.identity = again.Planned, again.private, again.identity
	return true, r.carryOut(p, r.Config, again.Planned, c)
}

// destroyDeposed destroys the object that a new one has replaced, with a plan of its own.
// Where that fails, the object is not played on.
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
	prior, own := r.State, Report{}
	defer func() { c.take(own) }()
	resp, err := p.ApplyResourceChange(context.Background(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: r.Type, Config: r.Schema.Encode(config), PriorState: r.Schema.Encode(prior.Value), PlannedState: r.Schema.Encode(planned),
		PlannedPrivate: c.private, PlannedIdentity: c.identity,
	})
	if err != nil {
		return own.add(nil, err)
	}
	own.add(resp.Diagnostics, nil)
	state, ok := own.decode(r.Schema, resp.NewState, InvalidObject, false)
	if !ok {
		return false
	}
	own.check(InvalidResult, func(f *faults) {
		_ = cty.Walk(state, func(path cty.Path, part cty.Value) (bool, error) {
			if !part.IsKnown() {
				f.add(path, "is unknown")
			}
			return true, nil
		})
	})
	state = cty.UnknownAsNull(state)
	if !own.Failed() && !planned.IsNull() {
		own.check(InconsistentResult, func(f *faults) { f.outcome(r.Schema.attributes, planned, state) })
	}
	if !own.Failed() {
		own.check(InvalidResult, func(f *faults) { f.presence(planned, state) })
	}
	failed := own.Failed()
	if !failed || !state.IsNull() { // after a failure without a state, Terraform keeps the old one
		r.State = Object{Value: state, Private: resp.Private, Identity: resp.NewIdentity, Tainted: failed && (prior.Tainted || prior.Value.IsNull())}
	}
	r.State = r.stored(r.State)
	return !failed
}

// String is a report as a test prints it.
func (r *Report) String() string {
	return fmt.Sprintf("errors: %q\nwarnings: %q\nfaults: %v", r.Errors, r.Warnings, r.Faults)
}
