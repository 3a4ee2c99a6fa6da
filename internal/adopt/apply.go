package adopt

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// apply applies a plan and returns the new state. After a failed adoption, the state is null, so that the next apply
// adopts again. If an update stops before its first PATCH, the state is what the read at its beginning returned, or the
// prior one where that read failed. After that, it is what reads and responses have returned, and what the API accepted
// where they say nothing of it: the next plan shows what is still missing.
func (e *Engine) apply(ctx context.Context, c *conn.Connection, change Change, last memory, diags *diag.Diagnostics) (tfvalue.Value, memory) {
	if change.Plan.IsNull() {
		// Once per run: Terraform does not fold the warnings of an apply.
		if c.Warned.Add("adopted objects") {
			e.warnDestroy(c, change.Prior, diags)
		}
		return change.Plan, memory{}
	}
	now, ok := e.readToChange(ctx, c, change, last, diags)
	if !ok {
		return change.Prior, last
	}
	var found diag.Diagnostics // the plan has already shown its warnings
	u := newUpdate(e.review(change, now, &found), diags)
	diags.Append(found.Errors()...)
	if !diags.HasError() {
		u.run(ctx)
	}
	switch {
	case diags.HasError() && change.Prior.IsNull():
		return change.Prior, memory{}
	case diags.HasError():
		return u.remote, u.nextMemory(u.remote)
	}
	state := tfvalue.Settle(change.Plan, u.remote)
	return state, u.nextMemory(state)
}
