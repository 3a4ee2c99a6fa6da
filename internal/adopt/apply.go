package adopt

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// apply carries out a plan and returns the new state. An adoption that fails
// leaves nothing in state, so that the next apply adopts again; after an update
// that fails the state says what the platform returned last.
func (e *Engine) apply(ctx context.Context, c *conn.Connection, change Change, last memory, diags *diag.Diagnostics) (tfvalue.Value, memory) {
	if change.Plan.IsNull() {
		// Terraform folds the warnings of a plan, but not those of the apply.
		if c.FirstLeft("adopted objects") {
			e.warnLeaving(change.Prior, diags)
		}
		return change.Plan, memory{}
	}
	if !change.Plan.At("organization_id").IsKnown() {
		// The provider's was not known when this was planned.
		organization := c.Organization(change.Plan.At("organization_id"), diags)
		change.Plan = change.Plan.With(organization, "organization_id")
	}
	client, ok := c.Ready(conn.ManagementSettings, diags)
	if !ok || diags.HasError() {
		return change.Prior, last
	}
	c.Applies()
	id := e.identity(change.Plan)
	// Another resource may write to the same object: what it changes must not
	// look like the platform's doing.
	unlock, err := c.Lock(ctx, e.key(id))
	if err != nil {
		diags.AddError("Unable to update "+e.Noun, "The operation was interrupted.")
		return change.Prior, last
	}
	defer unlock()

	known, read, err := e.observeForApply(ctx, c, client, id, change.Prior, last)
	if err != nil {
		e.addAdoptError(diags, id, err)
		return change.Prior, last
	}
	u := e.newUpdate(client, id, change, known, read, last)
	e.Check(u.label, change, known, diags)
	if !diags.HasError() {
		u.run(ctx, e.Forces(change), diags)
	}
	switch {
	case diags.HasError() && change.Prior.IsNull():
		return change.Prior, memory{}
	case diags.HasError():
		return u.known, u.memory(u.known, change.Prior, last)
	}
	state := tfvalue.Settle(tfvalue.Decide(change.Plan, e.Complete(change.Config, change.Plan, u.known)), u.known)
	return state, u.memory(state, change.Prior, last)
}

// observeForApply takes what the plan of an adoption has just read.
func (e *Engine) observeForApply(ctx context.Context, c *conn.Connection, client *platform.Client, id Identity, prior tfvalue.Value, last memory) (known, read tfvalue.Value, err error) {
	if kept := c.Kept(e.key(id)); kept != nil && prior.IsNull() {
		read = tfvalue.Encode(kept, e.objectType)
		return read, read, nil
	}
	return e.observe(ctx, client, id, prior, last)
}
