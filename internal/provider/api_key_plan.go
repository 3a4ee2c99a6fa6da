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
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// A key cannot be changed, so a plan keeps it or replaces it:
//
//	an argument requests something else             replaced
//	validity_hours, due by the clock                replaced
//	early_renewal_hours changes                     updated in place; see dueInPlan
//	none of these, or only another spelling         kept
//
// An argument is compared with the request that created the key, so that nothing that
// the platform chose replaces the key.

// ModifyPlan implements resource.ResourceWithModifyPlan.
func (r *apiKeyResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	config, plan, state := tfvalue.Of(req.Config.Raw), tfvalue.Of(req.Plan.Raw), tfvalue.Of(req.State.Raw)
	remembered, diags := req.Private.GetKey(ctx, askedKey)
	resp.Diagnostics.Append(diags...)
	switch {
	case plan.IsNull():
		r.warnLeft(state, &resp.Diagnostics)
	case state.IsNull():
		// Only the plan of a replacement has private state.
		resp.Plan.Raw = r.planCreation(config, plan, remembered != nil, &resp.Diagnostics).Value
	default:
		r.planChange(config, plan, state, recall(remembered, state), resp)
	}
}

// planCreation is the plan of a key that doesn't exist.
//
// Terraform plans a creation again during the apply. With create_before_destroy the
// old key has left the current state by then: after an error in that plan Terraform
// keeps it only as a deposed object, and restores it only after an error of the
// creation itself. The protocol doesn't distinguish that plan from the first one. So
// what can change between plan and apply by time or environment (the expiry, settings)
// is a warning here and an error in Create, before anything is sent. It is an error
// here if no apply can follow: if a replacement is planned, or if the expiry passed
// longer ago than a plan waits for its apply.
func (r *apiKeyResource) planCreation(config, plan tfvalue.Value, replaces bool, diags *diag.Diagnostics) tfvalue.Value {
	const longestWait = 7 * 24 * time.Hour
	var rejected diag.Diagnostics
	r.checkCreation(config, &rejected)
	if replaces || passed(config.At("expire_at"), r.Now().Add(-longestWait)) {
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

// checkCreation checks what the creation of a key needs beside valid arguments.
func (r *apiKeyResource) checkCreation(config tfvalue.Value, diags *diag.Diagnostics) {
	r.Connection.Organization(config.At("organization_id"), diags)
	if !r.Waits(conn.ManagementSettings...) {
		r.Ready(conn.ManagementSettings, diags)
	}
	r.checkExpiry(config, diags)
}

// warnRejected reports errors of a key that is to be created in one warning.
func warnRejected(config tfvalue.Value, rejected diag.Diagnostics, diags *diag.Diagnostics) {
	if !rejected.HasError() {
		return
	}
	var lines []string
	for _, d := range rejected.Errors() {
		lines = append(lines, "  - "+d.Detail())
	}
	diags.AddWarning(
		fmt.Sprintf("API key %s cannot be created", keyLabel(config)),
		"The apply will stop with an error before it sends anything:\n\n"+strings.Join(lines, "\n"),
	)
}

// planChange is the plan of a key that exists.
func (r *apiKeyResource) planChange(config, plan, state tfvalue.Value, was asked, resp *resource.ModifyPlanResponse) {
	plan = keepState(config, plan, state)
	successor := r.successorsOrganization(config, state)
	if was.OrganizationID && successor != "" {
		plan = plan.With(tfvalue.String(successor), "organization_id")
	}
	changed := changedArguments(config, plan, state, was)
	due := r.dueInPlan(plan, state, was)
	if len(changed) == 0 && !due {
		r.warnExpired(plan, &resp.Diagnostics)
		resp.Plan.Raw = plan.With(tfvalue.Bool(false), "ready_for_renewal").Value
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
	r.warnReplaced(config, state, changed, successor, &resp.Diagnostics)
	resp.Plan.Raw = renewed(config, plan).Value
}

// keepState returns a plan with the values of the state wherever it requests the same,
// and for computed attributes, which the framework marks unknown as soon as anything
// changes.
func keepState(config, plan, state tfvalue.Value) tfvalue.Value {
	return plan.Map(func(name string, member tfvalue.Value) tfvalue.Value {
		kept := state.At(name)
		marked := !member.IsKnown() && config.At(name).IsNull()
		if marked || !member.IsNull() && !kept.IsNull() && keyRules.Asks(name, member, kept) {
			return kept
		}
		return member
	})
}

// successorsOrganization is the organization of a key's successor, or "" if it is
// the key's own or unknown. The plan of the creation can't know the organization of
// the old key.
func (r *apiKeyResource) successorsOrganization(config, state tfvalue.Value) string {
	if !config.At("organization_id").IsNull() || r.Waits("organization_id") {
		return ""
	}
	own := state.At("organization_id").Text() // none in a state that was edited
	if own == "" || strings.EqualFold(r.OrganizationID, own) {
		return ""
	}
	return r.OrganizationID
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

// changedArguments names the arguments that request something else than the key was
// created with. Removing an argument does, unless it had its default; setting it to its
// default, or to what the platform chose, does not.
func changedArguments(config, plan, state tfvalue.Value, was asked) []string {
	// Whether the request had what the plan keeps when it is removed.
	requested := map[string]bool{"expire_at": was.ExpireAt, "ip_access_list": was.IPAccessList, "state": was.State != stateEnabled}
	var changed []string
	for _, name := range []string{"expire_at", "hash_data", "ip_access_list", "name", "organization_id", "roles", "rotation_triggers", "state", "validity_hours"} {
		switch {
		case config.At(name).IsNull() && requested[name]:
		case name == "state" && plan.At(name).Text() == was.State:
			continue
		case keyRules.Asks(name, plan.At(name), state.At(name)):
			continue
		}
		changed = append(changed, name)
	}
	return changed
}

// dueInPlan reports whether a plan replaces a key because its renewal is due.
//
// Terraform plans a change in place again during the apply, and reports another
// result as an error in the provider. That plan therefore depends on the last
// read, and neither on the time nor on a changed early_renewal_hours, which may be
// unknown until then. The next plan takes both into account.
func (r *apiKeyResource) dueInPlan(plan, state tfvalue.Value, was asked) bool {
	if plan.Equal(state) {
		return due(plan, was, r.Now())
	}
	early := plan.At("early_renewal_hours")
	return state.At("ready_for_renewal").True() && (!early.IsKnown() || hours(early) >= hours(state.At("early_renewal_hours")))
}

// warnEndless reports that a key that is to be created will never expire.
func warnEndless(config tfvalue.Value, diags *diag.Diagnostics) {
	if !asksForNoExpiry(config) {
		return
	}
	diags.AddWarning(
		fmt.Sprintf("API key %s will never expire", keyLabel(config)),
		"Neither expire_at nor validity_hours is set, and the API cannot delete keys: the key stays valid until it is revoked in the platform's console. Set validity_hours to let it expire.",
	)
}

func asksForNoExpiry(config tfvalue.Value) bool {
	return config.At("expire_at").IsNull() && config.At("validity_hours").IsNull()
}

// warnExpired reports that a key has expired and is not replaced, because the new
// one would have the same expiry.
func (r *apiKeyResource) warnExpired(plan tfvalue.Value, diags *diag.Diagnostics) {
	if !passed(plan.At("expire_at"), r.Now()) {
		return
	}
	remedy := "Set a later expire_at to create a new key, or set validity_hours instead to have it renewed."
	if !plan.At("validity_hours").IsNull() {
		remedy = "The API returned this expiry, which is earlier than validity_hours requested. Renewal follows validity_hours, so it is not due yet. Change rotation_triggers to create a new key now."
	}
	diags.AddWarning(
		fmt.Sprintf("API key %s has expired", keyLabel(plan)),
		fmt.Sprintf("The key expired at %s. %s", platform.CleanText(plan.At("expire_at").Text()), remedy),
	)
}

// warnReplaced reports in one warning for each key why it is replaced, what becomes of
// the old one, and which order of the plan would cost its secret: a provider cannot see
// whether create_before_destroy is set, but the reader can. Terraform shows no warnings of
// the second plan of a replacement, which is the plan of the creation.
func (r *apiKeyResource) warnReplaced(config, state tfvalue.Value, changed []string, successor string, diags *diag.Diagnostics) {
	early, expired := state.At("early_renewal_hours"), passed(state.At("expire_at"), r.Now())
	why := "its renewal is due"
	switch {
	case len(changed) > 0:
		why = platform.Enumerate(changed) + " changed"
	case !early.IsNull() && !expired:
		why += fmt.Sprintf(" (early_renewal_hours is %s)", early.Number().Text('f', -1))
	}
	summary, revoke := "API key %s is replaced and stays valid", " The API cannot delete keys: revoke it in the platform's console once nothing uses it."
	if expired {
		summary, revoke = "API key %s has expired and is replaced", ""
	}
	if successor != "" {
		revoke += fmt.Sprintf(" The old key belongs to organization %s. The new key is created in %s, the provider's organization: set organization_id to create it elsewhere.", platform.CleanText(state.At("organization_id").Text()), successor)
	}
	endless := ""
	if asksForNoExpiry(config) {
		endless = "\n\nThe new key will never expire. Set validity_hours to let it expire."
	}
	diags.AddWarning(
		fmt.Sprintf(summary, keyLabel(state)),
		fmt.Sprintf("The key is replaced because %s. %s%s\n\n", why, remains("The old key", state, r.Now()), revoke)+
			"If the plan says that it destroys the key and then creates a replacement, set create_before_destroy first. "+
			"In that order, the state loses the old key and its secret even if the API rejects the new one."+endless,
	)
}
