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

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// A key cannot be changed, so a plan keeps it or replaces it:
//
//	the planned value of an argument changes        replaced
//	its renewal is due                              replaced
//	early_renewal_hours changes                     updated in place; see isDueInPlan
//	rotation_triggers becomes {}, or none again     updated in place
//	none of these, or only another spelling         kept

// replacing are the arguments that replace a key if they change, in the order of a warning.
var replacing = []string{"expire_at", "hash_data", "ip_access_list", "name", "organization_id", "roles", "rotation_triggers", "secret_recipients", "state", "validity_hours"}

var _ resource.ResourceWithModifyPlan = (*apiKeyResource)(nil)

func (r *apiKeyResource) ModifyPlan(_ context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	config, plan, state := tfvalue.Of(req.Config.Raw), tfvalue.Of(req.Plan.Raw), tfvalue.Of(req.State.Raw)
	switch {
	case plan.IsNull():
		r.warnLeft(state, &resp.Diagnostics)
	case state.IsNull():
		organization := r.checkCreation(config, &resp.Diagnostics)
		warnUnknownRecipients(config, &resp.Diagnostics)
		r.warnEndless(config, state, &resp.Diagnostics)
		resp.Plan.Raw = planSecret(plan).With(organization, "organization_id").Value
	default:
		r.WarnOrganization(config.At("organization_id"), state.At("organization_id"), "API key "+keyLabel(state),
			"Its next replacement, also an unattended renewal, is created there. ", &resp.Diagnostics)
		r.planChange(config, plan, state, resp)
	}
}

// checkCreation checks what the creation of a key needs beside valid arguments, and returns the
// organization of the new key.
//
// Terraform plans a creation again during the apply. An error there is safe with
// create_before_destroy, too: the state has the old key with its secret, as a deposed object, until
// an apply has created the new one (tried, also with a creation that fails).
func (r *apiKeyResource) checkCreation(config tfvalue.Value, diags *diag.Diagnostics) tfvalue.Value {
	organization := config.At("organization_id")
	if organization.IsNull() {
		organization = r.Organization(organization, diags)
	}
	if !r.Waits(conn.ManagementSettings...) {
		r.Ready(conn.ManagementSettings, diags)
	}
	if expiry := config.At("expire_at"); passed(expiry, r.Now()) {
		diags.AddAttributeError(path.Root("expire_at"), "Expiry in the past",
			fmt.Sprintf("expire_at must be in the future when the key is created, got %s.", expiry.Text()))
	}
	return organization
}

// planChange is the plan of a key that exists. It does not check what the creation of another one needs:
// an argument under ignore_changes has the old key's value here, such as an expiry that has passed. The
// plan of the new key checks it.
func (r *apiKeyResource) planChange(config, plan, state tfvalue.Value, resp *resource.ModifyPlanResponse) {
	plan = keepState(config, plan, state)
	var changed []string
	for _, name := range replacing {
		was, will := state.At(name), plan.At(name)
		if will.Equal(was) || name == "rotation_triggers" && will.IsEmpty() && was.IsEmpty() {
			continue
		}
		changed = append(changed, name)
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root(name))
	}
	due := r.isDueInPlan(plan, state)
	if len(changed) == 0 && !due {
		r.warnExpired(plan, &resp.Diagnostics)
		resp.Plan.Raw = plan.With(tfvalue.Bool(false), "ready_for_renewal").Value
		return
	}
	if due {
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("ready_for_renewal"))
	}
	r.warnReplaced(config, plan, state, changed, &resp.Diagnostics)
	// Terraform replaces only if an attribute changes. It then plans the creation, which
	// makes unknown what the platform decides.
	resp.Plan.Raw = plan.With(tfvalue.Unknown(tftypes.Bool), "ready_for_renewal").Value
}

// keepState returns a plan with the values of the state where they mean the same, and for computed
// attributes, which the framework marks unknown as soon as anything changes.
func keepState(config, plan, state tfvalue.Value) tfvalue.Value {
	return keyRules.Suppress(plan, state).Map(func(name string, member tfvalue.Value) tfvalue.Value {
		if !member.IsKnown() && config.At(name).IsNull() || name == "secret_recipients" && sameRecipients(member, state.At(name)) {
			return state.At(name)
		}
		return member
	})
}

// isDueInPlan reports whether a plan replaces a key because its renewal is due.
//
// Terraform plans a change in place again during the apply, and a different result is an error. So
// that plan depends on the last read, and neither on the time nor on a changed early_renewal_hours,
// which may be unknown until then. The next plan takes both into account.
func (r *apiKeyResource) isDueInPlan(plan, state tfvalue.Value) bool {
	if plan.Equal(state) {
		return isDue(plan, r.Now())
	}
	early := plan.At("early_renewal_hours")
	return state.At("ready_for_renewal").True() && (!early.IsKnown() || hours(early) >= hours(state.At("early_renewal_hours")))
}

// warnEndless reports that a key that is to be created will never expire, and whether anything limits
// who may use it.
func (r *apiKeyResource) warnEndless(config, state tfvalue.Value, diags *diag.Diagnostics) {
	if !neverExpires(config) {
		return
	}
	diags.AddWarning(fmt.Sprintf("API key %s will never expire", keyLabel(config)),
		"Neither expire_at nor validity_hours is set, and the API cannot delete keys: the key stays valid until it is revoked in the platform's console. "+unlimited("The key", config, state))
}

// warnExpired reports that a key has expired and is not replaced, since a new one would have the
// same expiry.
func (r *apiKeyResource) warnExpired(plan tfvalue.Value, diags *diag.Diagnostics) {
	if !passed(plan.At("expire_at"), r.Now()) || !plan.At("validity_hours").IsNull() {
		return
	}
	diags.AddWarning(fmt.Sprintf("API key %s has expired", keyLabel(plan)),
		fmt.Sprintf("The key expired at %s. Set a later expire_at to create a new key, or set validity_hours instead to have it renewed.",
			words.Clean(plan.At("expire_at").Text(), words.MaxID)))
}

// warnReplaced reports in one warning for each key why it is replaced, what becomes of the old one,
// what a reviewer has to know of the new one, and which order of the plan would cost the old secret: a
// provider cannot see whether create_before_destroy is set, but the reader can. It also has the
// warnings of the new key, because Terraform shows none of the second plan of a replacement.
//
// An argument under ignore_changes has the old key's value in config, although the new key ignores
// nothing. So the warning does not tell such a change; the plan shows it.
func (r *apiKeyResource) warnReplaced(config, plan, state tfvalue.Value, changed []string, diags *diag.Diagnostics) {
	early, expired := state.At("early_renewal_hours"), passed(state.At("expire_at"), r.Now())
	why := "its renewal is due"
	known := slices.DeleteFunc(slices.Clone(changed), func(name string) bool { return !plan.At(name).IsFullyKnown() })
	unknown := slices.DeleteFunc(slices.Clone(changed), func(name string) bool { return plan.At(name).IsFullyKnown() })
	switch {
	case len(known) > 0 && len(unknown) > 0:
		why = words.Enumerate(known) + " changed, and " + words.Are(unknown) + " known only after apply"
	case len(unknown) > 0:
		why = words.Are(unknown) + " known only after apply"
	case len(known) > 0:
		why = words.Enumerate(known) + " changed"
	case !early.IsNull() && !expired:
		why += fmt.Sprintf(" (early_renewal_hours is %s)", early.Number().Text('f', -1))
	}
	summary, revoke := "API key %s is replaced and stays valid", " The API cannot delete keys: revoke it in the platform's console once nothing uses it."
	if expired {
		summary, revoke = "API key %s has expired and is replaced", ""
	}
	paragraphs := []string{
		fmt.Sprintf("The key is replaced because %s. %s%s", why, remains("The old key", state, r.Now()), revoke),
		recipientChanges(config, state),
		unlimited("The new key", config, state),
		"If the plan says that it destroys the key and then creates a replacement (-/+), set create_before_destroy first, " +
			"or a rejected creation loses the old secret.",
	}
	diags.AddWarning(fmt.Sprintf(summary, keyLabel(state)),
		strings.Join(slices.DeleteFunc(paragraphs, func(p string) bool { return p == "" }), "\n\n"))
}

// unlimited says what does not limit a new key, of which state is the old one or null: "" if it has
// an access list and an expiry.
func unlimited(which string, config, state tfvalue.Value) string {
	var sentences []string
	if config.At("ip_access_list").IsNull() {
		unlike := ""
		if !state.At("ip_access_list").IsNull() {
			unlike = ", unlike the old key"
		}
		sentences = append(sentences, which+" will have no ip_access_list"+unlike+": the platform decides which addresses may use it.")
	}
	if neverExpires(config) {
		sentences = append(sentences, which+" will never expire. Set validity_hours to let it expire.")
	}
	return strings.Join(sentences, " ")
}
