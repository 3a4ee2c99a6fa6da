package adopt

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// plan returns what Terraform shows, and the attributes that force replacement.
// The plan in change is null in a destroy; what Terraform proposes otherwise is
// not used, as it follows from configuration and state.
func (e *Engine) plan(ctx context.Context, c *conn.Connection, change Change, diags *diag.Diagnostics) (tfvalue.Value, []string) {
	config, prior := change.Config, change.Prior
	if change.Plan.IsNull() {
		e.warnLeaving(prior, diags)
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
		// What the plan of the new object has to say is said here too: Terraform
		// drops the warnings of the plan that it makes for the new one.
		e.warnLeaving(prior, diags)
		change.Prior = tfvalue.Null(e.objectType)
		plan, _ = e.plan(ctx, c, change, diags)
		return plan, replaces
	}
	return e.planUpdate(change.Config, plan, prior, diags), nil
}

// planAdoption reads what is to be adopted, for checks and warnings. What it
// takes from the platform stays unknown in the plan: it may change until the
// apply, and Terraform holds a provider to all that a plan shows.
func (e *Engine) planAdoption(ctx context.Context, c *conn.Connection, config, plan tfvalue.Value, diags *diag.Diagnostics) tfvalue.Value {
	remote, ok := e.readForPlan(ctx, c, plan, diags)
	if !ok {
		return plan
	}
	completed := e.complete(config, plan, remote)
	e.check(Change{config, completed, tfvalue.Null(e.objectType)}, remote, diags)
	if diags.HasError() {
		return plan
	}
	send := e.Rules.Changes(e.owned(config, completed), remote)
	e.warnOverwritten(plan, send, remote, diags)
	e.advise(plan, send, remote, diags)
	return plan
}

// planUpdate goes by the state, which a refresh made what the platform holds.
func (e *Engine) planUpdate(config, plan, prior tfvalue.Value, diags *diag.Diagnostics) tfvalue.Value {
	plan = e.Rules.Suppress(e.complete(config, plan, prior), prior)
	change := Change{config, plan, prior}
	e.check(change, prior, diags)
	if diags.HasError() {
		return plan
	}
	send := e.Rules.Changes(e.owned(config, plan), prior)
	if e.Suppress != nil {
		plan = e.Suppress(plan, prior, send)
	}
	if e.forces(change) || send.AnyLeaf() {
		for _, name := range e.moves(send) {
			plan = plan.With(tfvalue.Unknown(plan.At(name).Type()), name)
		}
	}
	e.advise(plan, send, prior, diags)
	return plan
}

func (e *Engine) advise(plan, send, remote tfvalue.Value, diags *diag.Diagnostics) {
	if e.Advise != nil {
		e.Advise(e.label(plan), send, remote, diags)
	}
}

func (e *Engine) planOrganization(c *conn.Connection, config, plan, prior tfvalue.Value, diags *diag.Diagnostics) tfvalue.Value {
	own := config.At("organization_id")
	if !own.IsNull() {
		return plan
	}
	if kept := prior.At("organization_id"); !kept.IsNull() {
		// An object stays where it was adopted, whatever becomes of the
		// provider's default.
		return plan.With(kept, "organization_id")
	}
	return plan.With(c.Organization(own, diags), "organization_id")
}

// keepIDs keeps the spelling of an ID that differs in letter case alone.
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

// readForPlan reads what is to be adopted. Where an ID or a setting of the
// provider is not known yet, that waits for the apply.
func (e *Engine) readForPlan(ctx context.Context, c *conn.Connection, plan tfvalue.Value, diags *diag.Diagnostics) (tfvalue.Value, bool) {
	nothing := tfvalue.Null(e.objectType)
	id := e.identity(plan)
	if !id.known() || c.Waits(conn.ManagementSettings...) {
		return nothing, true
	}
	client, ok := c.Ready(conn.ManagementSettings, diags)
	if !ok {
		return nothing, false
	}
	answer, err := e.Read(ctx, client, id)
	if err != nil {
		e.addAdoptError(diags, id, err)
		return nothing, false
	}
	return tfvalue.Encode(answer, e.objectType), true
}

func (e *Engine) addAdoptError(diags *diag.Diagnostics, id Identity, err error) {
	if !platform.IsNotFound(err) {
		conn.AddError(diags, "Unable to read "+e.Noun, err)
		return
	}
	diags.AddAttributeError(
		path.Root(e.IDs[len(e.IDs)-1]),
		fmt.Sprintf("No such %s", e.Noun),
		fmt.Sprintf("There is no %s. This resource adopts a %s that exists and does not make one.\n\n%s", e.place(id), e.Noun, conn.Detail(err)),
	)
}

// warnOverwritten says what adoption overwrites, with the values now. The
// values to be are in the plan, masked where they are sensitive.
func (e *Engine) warnOverwritten(plan, send, remote tfvalue.Value, diags *diag.Diagnostics) {
	var lines []string
	for _, leaf := range send.Leaves() {
		if now := remote.At(leaf.Path...); !now.IsNull() {
			lines = append(lines, fmt.Sprintf("  - %s: %s now", leaf.Path, e.Rules.Describe(leaf.Name(), now)))
		}
	}
	if len(lines) == 0 {
		return
	}
	diags.AddWarning(
		fmt.Sprintf("Adoption of %s overwrites its values", e.label(plan)),
		"The "+e.Noun+" exists, and was set otherwise:\n\n"+strings.Join(lines, "\n")+
			"\n\nTo keep a value, leave its attribute out of the configuration.",
	)
}

func (e *Engine) warnLeaving(state tfvalue.Value, diags *diag.Diagnostics) {
	diags.AddWarning(
		fmt.Sprintf("The %s keeps its settings", e.label(state)),
		fmt.Sprintf("Destroying this resource sends nothing: %s stays on the platform with the settings it has, and Terraform no longer manages it.", e.place(e.identity(state))),
	)
}
