package adopt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// plan returns the planned state, and the attributes that force replacement. Of the
// proposed state it uses only whether it is null, as in a destroy: the rest follows
// from configuration and prior state.
func (e *Engine) plan(ctx context.Context, c *conn.Connection, change Change, diags *diag.Diagnostics) (tfvalue.Value, []string) {
	config, prior := change.Config, change.Prior
	if change.Plan.IsNull() {
		e.warnDestroy(prior, diags)
		return change.Plan, nil
	}
	plan := e.Rules.Suppress(e.traits.propose(config, prior, prior.IsNull()), prior)
	plan = e.planOrganization(c, config, plan, prior, diags)
	if diags.HasError() {
		return plan, nil
	}
	if prior.IsNull() {
		return e.planAdoption(ctx, c, config, plan, diags), nil
	}
	plan = e.keepIDs(plan, prior)
	if replaces := e.replaced(plan, prior); len(replaces) > 0 {
		// Plan the new object here too, for its warnings: Terraform discards those of
		// the separate plan for the new object.
		e.warnDestroy(prior, diags)
		change.Prior = tfvalue.Null(e.objectType)
		plan, _ = e.plan(ctx, c, change, diags)
		return plan, replaces
	}
	return e.planUpdate(c, config, plan, prior, diags), nil
}

// planAdoption reads the object, for checks and warnings. Values from the platform
// stay unknown in the plan, since they may change before the apply: Terraform plans
// a creation again there, and rejects a plan that differs from the first one.
func (e *Engine) planAdoption(ctx context.Context, c *conn.Connection, config, plan tfvalue.Value, diags *diag.Diagnostics) tfvalue.Value {
	remote, ok := e.readForPlan(ctx, c, plan, diags)
	if !ok {
		return plan
	}
	change := Change{config, e.Complete(config, plan, remote), tfvalue.Null(e.objectType)}
	label := e.label(plan, remote)
	e.Check(label, change, remote, diags)
	if diags.HasError() {
		return plan
	}
	owned := e.owned(config, change.Plan)
	send := e.Rules.Changes(owned, remote)
	if !remote.IsNull() {
		e.warnOverwritten(label, change, send, remote, c.Client.Mask, diags)
	}
	e.advise(c, label, change, owned, send, remote, diags)
	return plan
}

// planUpdate compares with the prior state, which a refresh has made equal to the
// remote object.
func (e *Engine) planUpdate(c *conn.Connection, config, plan, prior tfvalue.Value, diags *diag.Diagnostics) tfvalue.Value {
	plan = e.Rules.Suppress(e.Complete(config, plan, prior), prior)
	change := Change{config, plan, prior}
	label := e.label(prior, prior)
	e.Check(label, change, prior, diags)
	if diags.HasError() {
		return plan
	}
	owned := e.owned(config, plan)
	send := e.Rules.Changes(owned, prior)
	sends := e.Forces(change) || send.AnyLeaf()
	// Terraform plans an update again in the apply. Values that were unknown may turn
	// out to be no change there, but the first plan must be kept. Rejected: to tell the
	// two plans apart by whether this run has refreshed anything. A plan with
	// -refresh=false would then show a difference that has no effect.
	plan = e.Suppress(plan, prior, !sends && !c.Applying())
	if sends {
		for _, name := range e.Moves(send) {
			plan = plan.With(tfvalue.Unknown(plan.At(name).Type()), name)
		}
	}
	e.advise(c, label, change, owned, send, prior, diags)
	return plan
}

func (e *Engine) advise(c *conn.Connection, label string, change Change, owned, send, remote tfvalue.Value, diags *diag.Diagnostics) {
	e.Advise(label, change, send, remote, diags)
	if id := e.identity(change.Plan); id.known() {
		e.warnConflicts(label, owned, c.Claim(e.key(id), owned), diags)
	}
}

// warnConflicts warns about leaves that another resource over the same object sets
// to another value.
func (e *Engine) warnConflicts(label string, owned tfvalue.Value, others []tfvalue.Value, diags *diag.Diagnostics) {
	var lines []string
	for _, leaf := range owned.Leaves() {
		if leaf.Value.IsFullyKnown() && slices.ContainsFunc(others, func(other tfvalue.Value) bool { return e.conflicts(leaf, other) }) {
			lines = append(lines, "  - "+leaf.Path.String())
		}
	}
	if len(lines) == 0 {
		return
	}
	diags.AddWarning(
		"Two resources configure "+label,
		"They set different values for the arguments below. Each apply of one overwrites the value of the other:\n\n"+strings.Join(lines, "\n")+
			"\n\nRemove these arguments from one of the resources, or remove one of the resources.",
	)
}

func (e *Engine) conflicts(leaf tfvalue.Leaf, other tfvalue.Value) bool {
	theirs := other.At(leaf.Path...)
	return !theirs.IsNull() && theirs.IsFullyKnown() && !e.Rules.Answers(leaf.Name(), leaf.Value, theirs)
}

func (e *Engine) planOrganization(c *conn.Connection, config, plan, prior tfvalue.Value, diags *diag.Diagnostics) tfvalue.Value {
	own := config.At("organization_id")
	if !own.IsNull() {
		return plan
	}
	if kept := prior.At("organization_id"); !kept.IsNull() {
		// An object keeps its organization when the provider's default changes.
		return plan.With(kept, "organization_id")
	}
	return plan.With(c.Organization(own, diags), "organization_id")
}

// keepIDs returns the plan with the prior spelling of IDs that differ only in letter
// case.
func (e *Engine) keepIDs(plan, prior tfvalue.Value) tfvalue.Value {
	for _, name := range e.identifiers() {
		if kept := prior.At(name); !kept.IsNull() && strings.EqualFold(kept.Text(), plan.At(name).Text()) {
			plan = plan.With(kept, name)
		}
	}
	return plan
}

func (e *Engine) replaced(plan, prior tfvalue.Value) []string {
	var changed []string
	for _, name := range e.identifiers() {
		if !plan.At(name).Equal(prior.At(name)) {
			changed = append(changed, name)
		}
	}
	return changed
}

// readForPlan reads the object to be adopted. It returns null and true if an ID or a
// setting of the provider is known only after apply.
func (e *Engine) readForPlan(ctx context.Context, c *conn.Connection, plan tfvalue.Value, diags *diag.Diagnostics) (tfvalue.Value, bool) {
	none := tfvalue.Null(e.objectType)
	id := e.identity(plan)
	if !id.known() || c.Waits(conn.ManagementSettings...) {
		return none, true
	}
	client, ok := c.Ready(conn.ManagementSettings, diags)
	if !ok {
		return none, false
	}
	keep := c.Reads(e.key(id))
	response, err := e.Read(ctx, client, id)
	if err != nil {
		e.addAdoptError(diags, id, err)
		return none, false
	}
	keep(response)
	return tfvalue.Encode(response, e.objectType), true
}

func (e *Engine) addAdoptError(diags *diag.Diagnostics, id Identity, err error) {
	if !platform.IsNotFound(err) {
		conn.AddError(diags, "Cannot read "+e.Noun, err)
		return
	}
	_, full := platform.Absence(err)
	diags.AddAttributeError(
		path.Root(e.IDs[len(e.IDs)-1]),
		fmt.Sprintf("No such %s", e.Noun),
		fmt.Sprintf("There is no %s: %s This resource adopts an existing %s and cannot create one. Check %s. "+
			"If the %s was deleted, remove this resource from the configuration, or create the %s in the platform's console and set its ID here.",
			e.place(id), full, e.Noun, e.idNames(), e.Noun, e.Noun),
	)
}

// idNames are the attributes to check if there is no such object, its own ID first.
func (e *Engine) idNames() string {
	names := slices.Clone(e.IDs)
	slices.Reverse(names)
	return strings.Join(names, ", ") + " and organization_id"
}

// warnOverwritten warns about the values that an adoption overwrites. It shows only
// the current values: the plan shows the new ones, and masks sensitive ones.
func (e *Engine) warnOverwritten(label string, change Change, send, remote tfvalue.Value, mask func(string) string, diags *diag.Diagnostics) {
	var lines []string
	keep := "To keep a value, remove its argument from the configuration."
	for _, leaf := range send.Leaves() {
		now := remote.At(leaf.Path...)
		if key, keyed := e.Rules.Keys[leaf.Name()]; keyed {
			overwritten, removes := e.overwrittenElements(key, leaf, now, mask)
			lines = append(lines, overwritten...)
			if removes {
				keep += fmt.Sprintf(" To keep a %s, add it to %s.", key.Noun, leaf.Name())
			}
		} else if !now.IsNull() {
			lines = append(lines, fmt.Sprintf("%s: %s now", leaf.Path, e.describe(mask, leaf.Name(), now)))
		}
	}
	lines = append(lines, e.Overwrites(change, send)...)
	if len(lines) == 0 {
		return
	}
	diags.AddWarning(
		fmt.Sprintf("Adoption of %s overwrites its values", label),
		"The "+e.Noun+" exists. The apply overwrites:\n\n  - "+strings.Join(lines, "\n  - ")+
			"\n\n"+keep+" With an import block, the plan and its JSON show old and new values instead.",
	)
}

// overwrittenElements describes the elements of a keyed set that an adoption
// removes, and the members that it changes. It reports whether it removes one.
func (e *Engine) overwrittenElements(key tfvalue.Key, leaf tfvalue.Leaf, now tfvalue.Value, mask func(string) string) (lines []string, removes bool) {
	wanted := key.Index(leaf.Value)
	for _, element := range key.Sort(now.Elements()) {
		want, ok := wanted[key.Of(element)]
		if !ok {
			lines = append(lines, fmt.Sprintf("%s %s will be removed", key.Noun, key.Spell(element)))
			removes = true
			continue
		}
		for name, member := range want.Members() {
			if was := element.At(name); !member.IsNull() && !tfvalue.Alike(member, was) {
				lines = append(lines, fmt.Sprintf("%s %s: %s is %s now", key.Noun, key.Spell(element), name, e.describe(mask, name, was)))
			}
		}
	}
	return lines, removes
}

// warnDestroy warns that a destroy sends nothing. All objects share one summary, so
// that Terraform folds the warnings.
func (e *Engine) warnDestroy(state tfvalue.Value, diags *diag.Diagnostics) {
	diags.AddWarning(
		"Destroying an adopted object leaves it as it is",
		fmt.Sprintf("Nothing is sent: %s keeps its settings on the platform, and Terraform no longer manages it.", e.label(state, state)),
	)
}
