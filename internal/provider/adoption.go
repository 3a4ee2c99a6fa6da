package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
)

// adoptable is a kind of object that is on the platform before and after
// Terraform knows of it: it can be read and patched, but neither made nor
// deleted.
type adoptable interface {
	// noun is the kind in sentences, "pipe".
	noun() string
	// idNames are the attributes that name the object within its
	// organization, from the outside in.
	idNames() []string
	// read returns what the platform tells of the object.
	read(ctx context.Context, client *platform.Client, id identity) (any, error)
	// patcher returns what sends leaves to an object, and whether there is
	// something to send beside leaves that differ.
	patcher(client *platform.Client, id identity, config, plan, state tftypes.Value) (patch patchFunc, forced bool)
	// notLeaves are the attributes that a user sets and the platform doesn't
	// hold, beside those that name the object.
	notLeaves() [][]string
	// moves names the attributes that the platform moves by itself with a
	// PATCH of these leaves.
	moves(send tftypes.Value) []string
	// complete fills in what a plan takes from the platform.
	complete(config, plan, held tftypes.Value) tftypes.Value
	// hush keeps the state's values where a plan in which these leaves are
	// sent differs from it in nothing that matters.
	hush(plan, state, send tftypes.Value) tftypes.Value
	// check reports what is wrong with a plan, given what the platform holds.
	check(config, plan, state, held tftypes.Value, diags *diag.Diagnostics)
	// advise warns, in the plan, of what a user may not expect of it.
	advise(label string, plan, send, held tftypes.Value, diags *diag.Diagnostics)
}

// staged is an adoptable of which not every change can be made in one PATCH.
type staged interface {
	// stages are the leaves of each PATCH on the way from what is held to
	// these leaves.
	stages(send, held tftypes.Value) []tftypes.Value
}

// patchFunc sends exactly the leaves of send that are not null, and returns
// what the platform answers. held is what it holds at that time.
type patchFunc func(ctx context.Context, send, held tftypes.Value) (any, error)

// adoption is the resource for an adoptable: all of its life but the schema.
//
// Two resources live it, and every rule of it is about leaves and not about
// what they are; written twice, the two would drift apart.
type adoption struct {
	resourceBase
	adoptable
}

// itself is what a resource that lives this life has of it.
func (a *adoption) itself() *adoption { return a }

// identity names an object on the platform.
type identity struct {
	organization string
	// ids are in the order of idNames.
	ids []string
}

func (a *adoption) identity(value tftypes.Value) identity {
	id := identity{organization: text(at(value, "organization_id"))}
	for _, name := range a.idNames() {
		id.ids = append(id.ids, text(at(value, name)))
	}
	return id
}

// known tells whether every part of the identity is known.
func (id identity) known() bool {
	return id.organization != "" && !slices.Contains(id.ids, "")
}

// label names an object in the summary of a warning: Terraform folds those
// that are the same.
func (a *adoption) label(value tftypes.Value) string {
	id := a.identity(value)
	return a.noun() + " " + id.ids[len(id.ids)-1]
}

// place says where an object is looked for.
func (a *adoption) place(id identity) string {
	parts := []string{}
	for i := len(id.ids) - 1; i >= 0; i-- {
		parts = append(parts, strings.TrimSuffix(a.idNames()[i], "_id")+" "+id.ids[i])
	}
	return strings.Join(append(parts, "organization "+id.organization), " in ")
}

// ModifyPlan implements resource.ResourceWithModifyPlan.
func (a *adoption) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	config, plan, state := req.Config.Raw, req.Plan.Raw, req.State.Raw
	if plan.IsNull() {
		a.warnLeaving(state, &resp.Diagnostics)
		return
	}
	plan = a.planOrganization(config, plan, state, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !state.IsNull() {
		plan = a.keepIDs(plan, state)
		resp.RequiresReplace = a.replaced(plan, state)
		if len(resp.RequiresReplace) > 0 {
			// The state is another object's: what follows would compare with
			// it. Terraform plans once more, for the new one.
			resp.Plan.Raw = plan
			a.warnReplacement(ctx, req, &resp.Diagnostics)
			return
		}
	}
	held := state
	if state.IsNull() {
		var ok bool
		if held, ok = a.readForPlan(ctx, plan, &resp.Diagnostics); !ok {
			return
		}
	}
	// What an adoption takes from the platform stays unknown in the plan: it
	// may have moved by the time of the apply, and Terraform holds a provider
	// to all that a plan tells.
	completed := a.complete(config, plan, held)
	if !state.IsNull() {
		completed = quiet(config, completed, state)
		plan = completed
	}
	a.check(config, completed, state, held, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	send := changes(a.declared(config, completed), held)
	if state.IsNull() {
		a.warnOverwritten(plan, send, held, &resp.Diagnostics)
	} else {
		plan = a.planMoves(config, a.hush(plan, state, send), state, send)
	}
	a.advise(a.label(plan), completed, send, held, &resp.Diagnostics)
	resp.Plan.Raw = plan
}

// warnReplacement says what a plan of another object has to say: that the one
// in the state keeps its settings, and all of the new one's adoption. Terraform
// drops the warnings of the plan that it makes for the new one.
func (a *adoption) warnReplacement(ctx context.Context, req resource.ModifyPlanRequest, diags *diag.Diagnostics) {
	a.warnLeaving(req.State.Raw, diags)
	req.Plan.Raw = req.Config.Raw
	req.State.Raw = tftypes.NewValue(req.State.Raw.Type(), nil)
	var adopted resource.ModifyPlanResponse
	a.ModifyPlan(ctx, req, &adopted)
	diags.Append(adopted.Diagnostics...)
}

func (a *adoption) planOrganization(config, plan, state tftypes.Value, diags *diag.Diagnostics) tftypes.Value {
	if !at(config, "organization_id").IsNull() {
		return plan
	}
	if kept := at(state, "organization_id"); !kept.IsNull() {
		// An object stays where it was made, whatever becomes of the
		// provider's default.
		return with(plan, kept, "organization_id")
	}
	return with(plan, a.organization(at(config, "organization_id"), diags), "organization_id")
}

// keepIDs keeps the spelling of an id that differs in letter case alone.
func (a *adoption) keepIDs(plan, state tftypes.Value) tftypes.Value {
	for _, name := range append([]string{"organization_id"}, a.idNames()...) {
		if kept := at(state, name); !kept.IsNull() && strings.EqualFold(text(kept), text(at(plan, name))) {
			plan = with(plan, kept, name)
		}
	}
	return plan
}

func (a *adoption) replaced(plan, state tftypes.Value) path.Paths {
	var changed path.Paths
	for _, name := range append([]string{"organization_id"}, a.idNames()...) {
		if !at(plan, name).Equal(at(state, name)) {
			changed = append(changed, path.Root(name))
		}
	}
	return changed
}

// declared is what the user owns of what the platform holds.
func (a *adoption) declared(config, plan tftypes.Value) tftypes.Value {
	declared := owned(config, plan)
	for _, names := range append(a.notLeaves(), a.identityPaths()...) {
		declared = with(declared, tftypes.NewValue(at(declared, names...).Type(), nil), names...)
	}
	return declared
}

func (a *adoption) identityPaths() [][]string {
	paths := [][]string{{"organization_id"}}
	for _, name := range a.idNames() {
		paths = append(paths, []string{name})
	}
	return paths
}

// readForPlan reads what is to be adopted. Where an id or a setting of the
// provider is not known yet, that waits for the apply.
func (a *adoption) readForPlan(ctx context.Context, plan tftypes.Value, diags *diag.Diagnostics) (tftypes.Value, bool) {
	nothing := tftypes.NewValue(plan.Type(), nil)
	id := a.identity(plan)
	if !id.known() || a.waits(managementSettings) {
		return nothing, true
	}
	client, ok := a.ready(managementSettings, diags)
	if !ok {
		return nothing, false
	}
	answer, err := a.read(ctx, client, id)
	if err != nil {
		a.addAdoptError(diags, id, err)
		return nothing, false
	}
	return encode(answer, plan.Type()), true
}

func (a *adoption) addAdoptError(diags *diag.Diagnostics, id identity, err error) {
	if platform.IsNotFound(err) {
		last := len(id.ids) - 1
		diags.AddAttributeError(
			path.Root(a.idNames()[last]),
			fmt.Sprintf("No such %s", a.noun()),
			fmt.Sprintf("There is no %s. This resource adopts a %s that exists and does not make one.\n\n%s", a.place(id), a.noun(), detail(err)),
		)
		return
	}
	addError(diags, "Unable to read "+a.noun(), err)
}

// warnOverwritten says what adoption overwrites, with the values now. The
// values to be are in the plan, masked where they are sensitive.
func (a *adoption) warnOverwritten(plan, send, held tftypes.Value, diags *diag.Diagnostics) {
	var lines []string
	for _, l := range leaves(send) {
		if now := at(held, l.path...); !now.IsNull() {
			lines = append(lines, fmt.Sprintf("  - %s: %s now", dotted(l.path), describe(now)))
		}
	}
	if len(lines) == 0 {
		return
	}
	diags.AddWarning(
		fmt.Sprintf("Adoption of %s overwrites its values", a.label(plan)),
		"The "+a.noun()+" exists, and was set otherwise:\n\n"+strings.Join(lines, "\n")+
			"\n\nTo keep a value, leave its attribute out of the configuration.",
	)
}

// planMoves marks what the platform moves by itself as unknown, if something
// will be sent.
func (a *adoption) planMoves(config, plan, state, send tftypes.Value) tftypes.Value {
	if _, forced := a.patcher(nil, identity{}, config, plan, state); !forced && !anyLeaf(send) {
		return plan
	}
	for _, name := range a.moves(send) {
		typ := at(plan, name).Type()
		plan = with(plan, tftypes.NewValue(typ, tftypes.UnknownValue), name)
	}
	return plan
}

// Create implements resource.Resource: it adopts. Where that fails nothing is
// left in state, so that the next apply adopts anew.
func (a *adoption) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan := a.withOrganization(req.Plan.Raw, &resp.Diagnostics)
	state := tftypes.NewValue(plan.Type(), nil)
	held := a.write(ctx, req.Config.Raw, plan, state, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.State.Raw = a.reached(req.Config.Raw, plan, held)
	resp.Identity.Raw = a.identityValue(plan, resp.Identity.Raw.Type())
}

// Update implements resource.Resource. After an error the state says what the
// platform told last.
func (a *adoption) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan := a.withOrganization(req.Plan.Raw, &resp.Diagnostics)
	resp.Identity.Raw = a.identityValue(plan, resp.Identity.Raw.Type())
	held := a.write(ctx, req.Config.Raw, plan, req.State.Raw, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		resp.State.Raw = a.withIDs(held, req.State.Raw)
		return
	}
	resp.State.Raw = a.reached(req.Config.Raw, plan, held)
	resp.Diagnostics.Append(a.rememberDropped(ctx, resp.Private, req.State.Raw, resp.State.Raw, held)...)
}

// reached is the state after a write that went well.
func (a *adoption) reached(config, plan, held tftypes.Value) tftypes.Value {
	return settle(decided(plan, a.complete(config, plan, held)), held)
}

// decided is a plan in which every list and set that is unknown in part is
// what it was completed to.
func decided(plan, completed tftypes.Value) tftypes.Value {
	switch {
	case !plan.IsKnown() || plan.IsFullyKnown():
		return plan
	case plan.Type().Is(tftypes.Object{}):
		return eachMember(plan, func(name string, member tftypes.Value) tftypes.Value {
			return decided(member, at(completed, name))
		})
	default:
		return completed
	}
}

// withOrganization fills in the provider's organization where it was not known
// at plan.
func (a *adoption) withOrganization(plan tftypes.Value, diags *diag.Diagnostics) tftypes.Value {
	if at(plan, "organization_id").IsKnown() {
		return plan
	}
	return with(plan, a.organization(at(plan, "organization_id"), diags), "organization_id")
}

// write reads the object, makes every check that the plan had to skip, and
// sends what differs. It returns what is known of the object at the end.
func (a *adoption) write(ctx context.Context, config, plan, state tftypes.Value, diags *diag.Diagnostics) tftypes.Value {
	nothing := tftypes.NewValue(plan.Type(), nil)
	if diags.HasError() {
		return state
	}
	client, ok := a.ready(managementSettings, diags)
	if !ok {
		return state
	}
	id := a.identity(plan)
	told, err := a.read(ctx, client, id)
	if err != nil {
		a.addAdoptError(diags, id, err)
		return state
	}
	before := encode(told, plan.Type())
	known := remember(state, before)
	a.check(config, plan, state, known, diags)
	if diags.HasError() {
		return known
	}
	wanted := a.declared(config, a.complete(config, plan, known))
	patch, forced := a.patcher(client, id, config, plan, state)
	x := exchange{
		noun:   a.noun(),
		label:  a.label(plan),
		stages: a.stages,
		moves:  append(a.moves(changes(wanted, known)), a.idNames()...),
		read: func(ctx context.Context) (tftypes.Value, error) {
			told, err := a.read(ctx, client, id)
			if err != nil {
				return nothing, err
			}
			return encode(told, plan.Type()), nil
		},
		patch: func(ctx context.Context, send, held tftypes.Value) (tftypes.Value, error) {
			told, err := patch(ctx, send, held)
			if err != nil {
				return nothing, err
			}
			return encode(told, plan.Type()), nil
		},
	}
	return x.write(ctx, wanted, known, before, forced, diags)
}

func (a *adoption) stages(send, held tftypes.Value) []tftypes.Value {
	if staged, ok := a.adoptable.(staged); ok {
		return staged.stages(send, held)
	}
	return []tftypes.Value{send}
}

// Read implements resource.Resource.
func (a *adoption) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := req.State.Raw
	// Before the object can turn out to be gone: Terraform wants an identity
	// in either case.
	resp.Identity.Raw = a.identityValue(state, resp.Identity.Raw.Type())
	client, ok := a.ready(managementSettings, &resp.Diagnostics)
	if !ok {
		return
	}
	answer, err := a.read(ctx, client, a.identity(state))
	switch {
	case platform.IsNotFound(err):
		resp.Diagnostics.AddWarning(
			fmt.Sprintf("The %s is gone", a.label(state)),
			fmt.Sprintf("There is no %s any more, and it was removed from the state.\n\n%s", a.place(a.identity(state)), detail(err)),
		)
		resp.State.RemoveResource(ctx)
	case err != nil:
		addError(&resp.Diagnostics, "Unable to read "+a.noun(), err)
	default:
		last, diags := forgetDropped(ctx, req.Private, resp.Private, state)
		resp.Diagnostics.Append(diags...)
		resp.State.Raw = a.refreshed(last, encode(answer, state.Type()))
	}
}

// refreshed is a state after an answer. The ids stay as the user spelled them.
func (a *adoption) refreshed(state, answer tftypes.Value) tftypes.Value {
	return a.withIDs(remember(state, answer), state)
}

func (a *adoption) withIDs(value, state tftypes.Value) tftypes.Value {
	for _, name := range a.idNames() {
		value = with(value, at(state, name), name)
	}
	return value
}

// Delete implements resource.Resource: the object stays as it is.
func (a *adoption) Delete(_ context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	a.warnLeaving(req.State.Raw, &resp.Diagnostics)
}

func (a *adoption) warnLeaving(state tftypes.Value, diags *diag.Diagnostics) {
	diags.AddWarning(
		fmt.Sprintf("The %s keeps its settings", a.label(state)),
		fmt.Sprintf("Destroying this resource sends nothing: %s stays on the platform with the settings it has, and Terraform no longer manages it.", a.place(a.identity(state))),
	)
}
