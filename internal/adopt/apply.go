package adopt

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// apply carries out a plan and returns the new state. An adoption that fails
// leaves nothing in state, so that the next apply adopts again; after an update
// that fails the state says what the platform returned last.
func (e *Engine) apply(ctx context.Context, c *conn.Connection, change Change, last memory, diags *diag.Diagnostics) (tfvalue.Value, memory) {
	if change.Plan.IsNull() {
		e.warnLeaving(change.Prior, diags)
		return change.Plan, memory{}
	}
	if !change.Plan.At("organization_id").IsKnown() {
		// The provider's was not known when this was planned.
		organization := c.Organization(change.Plan.At("organization_id"), diags)
		change.Plan = change.Plan.With(organization, "organization_id")
	}
	if diags.HasError() {
		return change.Prior, last
	}
	remote := e.write(ctx, c, change, diags)
	switch {
	case diags.HasError() && change.Prior.IsNull():
		return change.Prior, memory{}
	case diags.HasError():
		return e.withIDs(remote, change.Prior), last
	}
	state := tfvalue.Settle(tfvalue.Decide(change.Plan, e.complete(change.Config, change.Plan, remote)), remote)
	if change.Prior.IsNull() {
		return state, memory{}
	}
	return state, e.remember(change.Prior, state, remote)
}

// write reads the object, makes every check that the plan had to skip, and
// sends what differs. It returns what is known of the object at the end.
func (e *Engine) write(ctx context.Context, c *conn.Connection, change Change, diags *diag.Diagnostics) tfvalue.Value {
	client, ok := c.Ready(conn.ManagementSettings, diags)
	if !ok {
		return change.Prior
	}
	id := e.identity(change.Plan)
	answer, err := e.Read(ctx, client, id)
	if err != nil {
		e.addAdoptError(diags, id, err)
		return change.Prior
	}
	before := tfvalue.Encode(answer, e.objectType)
	known := e.Rules.Remember(change.Prior, before)
	e.check(change, known, diags)
	if diags.HasError() {
		return known
	}
	u := &update{
		Engine: e,
		label:  e.label(change.Plan),
		owned:  e.owned(change.Config, e.complete(change.Config, change.Plan, known)),
		read:   func(ctx context.Context) (any, error) { return e.Read(ctx, client, id) },
		patch:  e.Patch(client, id, change),
		known:  known,
		told:   before,
		answer: before,
	}
	u.run(ctx, e.forces(change), diags)
	return u.known
}
