package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// A key can't be changed. The plan decides when a new one is created.

// ModifyPlan implements resource.ResourceWithModifyPlan.
func (r *apiKeyResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	config, plan, state := tfvalue.Of(req.Config.Raw), tfvalue.Of(req.Plan.Raw), tfvalue.Of(req.State.Raw)
	remembered, diags := req.Private.GetKey(ctx, askedKey)
	resp.Diagnostics.Append(diags...)
	if plan.IsNull() {
		r.warnLeft(state, remembered, &resp.Diagnostics)
		return
	}
	if state.IsNull() {
		// Only the plan of a replacement has private state. An apply never repeats
		// that plan.
		resp.Plan.Raw = r.planCreation(ctx, config, plan, remembered != nil, &resp.Diagnostics).Value
		return
	}
	checkArguments(ctx, config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
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
		r.warnExpired(plan, was, &resp.Diagnostics)
		resp.Plan.Raw = plan.Value
		return
	}
	for _, name := range changed {
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root(name))
	}
	if due {
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("ready_for_renewal"))
	}
	r.checkCreation(config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r.warnReplaced(state, was, changed, successor, &resp.Diagnostics)
	// Terraform shows no warnings of the second plan of a replacement, which is the
	// plan of the creation.
	warnEndless(config, &resp.Diagnostics)
	resp.Plan.Raw = renewed(config, plan).Value
}

// keepKnown restores the state of computed attributes, which the framework marks
// unknown as soon as anything changes.
func keepKnown(config, plan, state tfvalue.Value) tfvalue.Value {
	return plan.Map(func(name string, member tfvalue.Value) tfvalue.Value {
		if !member.IsKnown() && config.At(name).IsNull() {
			return state.At(name)
		}
		return member
	})
}

// renewed is the plan of a key that is replaced. What the platform returns is
// unknown, and Terraform replaces only if an attribute changes.
func renewed(config, plan tfvalue.Value) tfvalue.Value {
	for _, name := range []string{"expire_at", "state", "ip_access_list", "id", "key_id", "key_suffix", "key_secret", "created_at", "used_at", "ready_for_renewal"} {
		if config.At(name).IsNull() {
			plan = plan.With(tfvalue.Unknown(plan.At(name).Type()), name)
		}
	}
	return plan
}

// successorsOrganization is the organization of a key's successor, or "" if it is
// the key's own or unknown. The plan of the creation can't know the organization of
// the old key.
func (r *apiKeyResource) successorsOrganization(config, state tfvalue.Value) string {
	if !config.At("organization_id").IsNull() || r.Waits("organization_id") {
		return ""
	}
	if strings.EqualFold(r.OrganizationID, state.At("organization_id").Text()) {
		return ""
	}
	return r.OrganizationID
}

// planCreation is the plan of a key that doesn't exist. It reports errors only if
// this is known not to be the apply; see api_key_check.go.
func (r *apiKeyResource) planCreation(ctx context.Context, config, plan tfvalue.Value, replaces bool, diags *diag.Diagnostics) tfvalue.Value {
	var rejected diag.Diagnostics
	checkArguments(ctx, config, &rejected)
	r.checkCreation(config, &rejected)
	if replaces {
		diags.Append(rejected...)
	} else {
		warnRejected(config, rejected, diags)
	}
	if config.At("organization_id").IsNull() {
		organization := tfvalue.Unknown(config.At("organization_id").Type())
		if !r.Waits("organization_id") && r.OrganizationID != "" {
			organization = tfvalue.String(r.OrganizationID)
		}
		plan = plan.With(organization, "organization_id")
	}
	warnEndless(config, diags)
	return plan
}

// warnEndless reports that a key that is to be created will never expire.
func warnEndless(config tfvalue.Value, diags *diag.Diagnostics) {
	if !config.At("expire_at").IsNull() || !config.At("validity_hours").IsNull() {
		return
	}
	diags.AddWarning(
		fmt.Sprintf("API key %s will never expire", keyLabel(config)),
		"Neither expire_at nor validity_hours is set, and the API cannot delete keys: the key stays valid until it is revoked in the platform's console. Set validity_hours to let it expire.",
	)
}

// warnExpired reports that a key has expired and is not replaced, because the new
// one would have the same expiry.
func (r *apiKeyResource) warnExpired(plan tfvalue.Value, was asked, diags *diag.Diagnostics) {
	if !expired(plan, was, r.now()) {
		return
	}
	remedy := "Set a later expire_at to create a new key, or set validity_hours instead to have it renewed."
	if !plan.At("validity_hours").IsNull() {
		remedy = "The API returned this expiry, which is earlier than validity_hours requested. Renewal follows validity_hours, so it is not due yet. Change rotation_triggers to create a new key now."
	}
	diags.AddWarning(
		fmt.Sprintf("API key %s has expired", keyLabel(plan)),
		fmt.Sprintf("The key expired at %s. %s", expiry(plan, was), remedy),
	)
}

// warnReplaced reports why a key is replaced and what becomes of the old one, in
// one warning for each key. A second one, which Terraform folds, is about the order.
func (r *apiKeyResource) warnReplaced(state tfvalue.Value, was asked, changed []string, successor string, diags *diag.Diagnostics) {
	summary, after := "API key %s is replaced and stays valid", " The API cannot delete keys: revoke it in the platform's console once nothing uses it."
	if expired(state, was, r.now()) {
		summary, after = "API key %s has expired and is replaced", ""
	}
	if successor != "" {
		after += fmt.Sprintf(" The old key belongs to organization %s. The new key is created in %s, the provider's organization: set organization_id to create it elsewhere.", state.At("organization_id").Text(), successor)
	}
	diags.AddWarning(
		fmt.Sprintf(summary, keyLabel(state)),
		r.whyReplaced(state, was, changed)+" "+r.keyLeft(state, was)+after,
	)
	diags.AddWarning(
		"Set create_before_destroy for API keys",
		"In Terraform's default order the old key leaves the state, and its secret with it, before there is a new one: if the API rejects the new key, the state has neither. "+
			"Check that the lifecycle block of each replaced key sets create_before_destroy = true. A provider cannot see whether it does.",
	)
}

func (r *apiKeyResource) whyReplaced(state tfvalue.Value, was asked, changed []string) string {
	if len(changed) > 0 {
		return fmt.Sprintf("Changed: %s.", strings.Join(changed, ", "))
	}
	early := state.At("early_renewal_hours")
	switch {
	case was.Expiry != "":
		return fmt.Sprintf("Renewal is due: by validity_hours, the key expires at %s.", was.Expiry)
	case early.IsNull() || expired(state, was, r.now()):
		return "Renewal is due."
	default:
		return fmt.Sprintf("Renewal is due: early_renewal_hours is %s.", early.Number().Text('f', -1))
	}
}

// warnLeft reports once in a run that a key leaves the state and stays on the
// platform. Terraform plans the destruction of a replaced key a second time, during
// the apply.
func (r *apiKeyResource) warnLeft(state tfvalue.Value, remembered []byte, diags *diag.Diagnostics) {
	id := state.At("id").Text() + " " + state.At("key_id").Text()
	if id != " " && !r.FirstLeft(id) {
		return
	}
	was := recall(remembered, state)
	const nothingSent = "The API cannot delete keys, so destroying this resource sends nothing. "
	if expired(state, was, r.now()) {
		diags.AddWarning(
			fmt.Sprintf("API key %s has expired and stays on the platform", keyLabel(state)),
			nothingSent+r.keyLeft(state, was),
		)
		return
	}
	diags.AddWarning(
		fmt.Sprintf("API key %s stays valid", keyLabel(state)),
		nothingSent+r.keyLeft(state, was)+" Revoke it in the platform's console.",
	)
}

// keyLabel names a key in the summary of a warning, since Terraform folds warnings
// with the same summary.
func keyLabel(key tfvalue.Value) string {
	label := ""
	if name := key.At("name").Text(); name != "" {
		label = fmt.Sprintf("%q", name)
	}
	for _, name := range []string{"id", "key_id"} {
		if id := key.At(name).Text(); id != "" {
			return strings.TrimSpace(label + " (" + id + ")")
		}
	}
	if label == "" {
		return "(name not known yet)"
	}
	return label
}

// keyLeft describes a key that stays on the platform, so that it can be found in
// the console. Its name and ID are in the summary.
func (r *apiKeyResource) keyLeft(state tfvalue.Value, was asked) string {
	until := "does not expire"
	switch date := expiry(state, was); {
	case expired(state, was, r.now()):
		until = "expired at " + date
	case date != "":
		until = "is valid until " + date
	case was.Returned != nil:
		until = "does not expire (an expiry was requested, and the API returned none)"
	}
	suffix := state.At("key_suffix").Text()
	if suffix == "" {
		suffix = "was not returned"
	} else {
		suffix = "is " + suffix
	}
	return fmt.Sprintf("The key %s. Its suffix %s.", until, suffix)
}
