package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// A key can't be changed. The plan decides when a new one is made.

// ModifyPlan implements resource.ResourceWithModifyPlan.
func (r *apiKeyResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	config, plan, state := tfvalue.Of(req.Config.Raw), tfvalue.Of(req.Plan.Raw), tfvalue.Of(req.State.Raw)
	if plan.IsNull() {
		warnKeyStays(state, r.now(), &resp.Diagnostics)
		return
	}
	if state.IsNull() {
		resp.Plan.Raw = r.planCreation(config, plan, &resp.Diagnostics).Value
		return
	}
	remembered, diags := req.Private.GetKey(ctx, askedKey)
	resp.Diagnostics.Append(diags...)
	was := recall(remembered, state)
	plan = keepSpelling(keyRules.Suppress(keepKnown(config, plan, state), state), state)
	successor := r.successorsOrganization(config, state)
	if was.OrganizationID && successor != "" {
		plan = plan.With(tfvalue.Optional(&successor), "organization_id")
	}
	changed := replacingChanges(config, plan, state, was)
	due := r.dueInPlan(plan, state, was)
	if len(changed) == 0 && !due {
		plan = plan.With(tfvalue.Bool(false), "ready_for_renewal")
		warnExpired(plan, r.now(), &resp.Diagnostics)
		resp.Plan.Raw = plan.Value
		return
	}
	for _, name := range changed {
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root(name))
	}
	if due {
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("ready_for_renewal"))
	}
	warnReplaced(state, changed, successor, r.now(), &resp.Diagnostics)
	// Terraform shows no warning of the second plan it makes of a replacement,
	// the one of the creation.
	warnEndless(config, &resp.Diagnostics)
	resp.Plan.Raw = renewed(config, plan).Value
}

// keepKnown undoes the framework's marks: it makes every computed attribute
// unknown as soon as anything changes.
func keepKnown(config, plan, state tfvalue.Value) tfvalue.Value {
	return plan.Map(func(name string, member tfvalue.Value) tfvalue.Value {
		if !member.IsKnown() && config.At(name).IsNull() {
			return state.At(name)
		}
		return member
	})
}

// renewed is the plan of a key that is replaced: Terraform replaces only for
// an attribute that changes, and all that the platform gives is new.
func renewed(config, plan tfvalue.Value) tfvalue.Value {
	for _, name := range []string{"expire_at", "state", "id", "key_id", "key_suffix", "key_secret", "created_at", "used_at", "ready_for_renewal"} {
		if config.At(name).IsNull() {
			plan = plan.With(tfvalue.Unknown(plan.At(name).Type()), name)
		}
	}
	return plan
}

// successorsOrganization is the organization of a key's successor, or "" where
// it is the key's own or not known: the plan of a successor is one of a
// creation, which can't know where its predecessor was made.
func (r *apiKeyResource) successorsOrganization(config, state tfvalue.Value) string {
	if !config.At("organization_id").IsNull() || r.Waits("organization_id") {
		return ""
	}
	if strings.EqualFold(r.OrganizationID, state.At("organization_id").Text()) {
		return ""
	}
	return r.OrganizationID
}

func (r *apiKeyResource) planCreation(config, plan tfvalue.Value, diags *diag.Diagnostics) tfvalue.Value {
	if config.At("organization_id").IsNull() {
		plan = plan.With(r.Connection.Organization(config.At("organization_id"), diags), "organization_id")
	}
	if !r.Waits(conn.ManagementSettings...) {
		r.Ready(conn.ManagementSettings, diags)
	}
	r.checkExpiry(plan, diags)
	warnEndless(config, diags)
	return plan
}

// warnEndless says that a key that is to be created will never expire.
func warnEndless(config tfvalue.Value, diags *diag.Diagnostics) {
	if !config.At("expire_at").IsNull() || !config.At("validity_hours").IsNull() {
		return
	}
	diags.AddWarning(
		fmt.Sprintf("API key %s will never expire", keyLabel(config)),
		"Neither expire_at nor validity_hours is set, and the platform can't delete a key: it stays valid until it is revoked in the console. Set validity_hours to have it expire.",
	)
}

// checkExpiry refuses an expiry that is past, for a key that is to be created.
// A key there is may have expired: or nobody could plan its successor.
func (r *apiKeyResource) checkExpiry(plan tfvalue.Value, diags *diag.Diagnostics) {
	expiry := plan.At("expire_at")
	expires, err := time.Parse(time.RFC3339, expiry.Text())
	if err != nil || r.now().Before(expires) {
		return
	}
	diags.AddAttributeError(path.Root("expire_at"), "Expiry in the past",
		fmt.Sprintf("expire_at must be later than now when the key is created, got: %s", expiry.Text()))
}

// warnExpired says that a key is of no use any more and is not replaced: one
// with a fixed expiry, since the new one would have the same.
func warnExpired(plan tfvalue.Value, now time.Time, diags *diag.Diagnostics) {
	if !expired(plan, now) {
		return
	}
	remedy := "A later expire_at makes a new key; validity_hours instead of it makes one whenever it is due."
	if !plan.At("validity_hours").IsNull() {
		remedy = "That is what the platform answered at its creation, far from what validity_hours asked for, which its renewal goes by. A change of rotation_triggers makes a new key."
	}
	diags.AddWarning(
		fmt.Sprintf("API key %s has expired", keyLabel(plan)),
		fmt.Sprintf("The key named %q expired at %s. %s", plan.At("name").Text(), plan.At("expire_at").Text(), remedy),
	)
}

// warnReplaced says why a key is replaced, and what becomes of the old one.
func warnReplaced(state tfvalue.Value, changed []string, successor string, now time.Time, diags *diag.Diagnostics) {
	summary, after := "API key %s is replaced and stays valid", " The platform can't delete it: revoke it in the console once nothing uses it."
	if expired(state, now) {
		summary, after = "API key %s is replaced, having expired", ""
	}
	if successor != "" {
		after += fmt.Sprintf(" It was made in organization %s. The new one is made in %s, the provider's: set organization_id to have it elsewhere.", state.At("organization_id").Text(), successor)
	}
	diags.AddWarning(
		fmt.Sprintf(summary, keyLabel(state)),
		whyReplaced(state, changed, now)+" "+keyLeft(state, now)+after+"\n\n"+
			"Set create_before_destroy = true in the lifecycle block of this resource, if it isn't: in Terraform's default order the state would lose the old secret before there is a new one.",
	)
}

func whyReplaced(state tfvalue.Value, changed []string, now time.Time) string {
	if len(changed) > 0 {
		return fmt.Sprintf("What it asks for has changed: %s.", strings.Join(changed, ", "))
	}
	expiry, early := state.At("expire_at").Text(), state.At("early_renewal_hours")
	switch {
	case expired(state, now):
		return fmt.Sprintf("Its renewal is due: it expired at %s.", expiry)
	case early.IsNull():
		return fmt.Sprintf("Its renewal is due: it expires at %s.", expiry)
	default:
		return fmt.Sprintf("Its renewal is due: it expires at %s, and early_renewal_hours is %s.", expiry, early.Number().String())
	}
}
