package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A key can't be changed. The plan decides when a new one is made.

// ModifyPlan implements resource.ResourceWithModifyPlan.
func (r *apiKeyResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	config, plan, state := req.Config.Raw, req.Plan.Raw, req.State.Raw
	if plan.IsNull() {
		warnKeyStays(state, &resp.Diagnostics)
		return
	}
	if state.IsNull() {
		resp.Plan.Raw = r.planCreation(config, plan, &resp.Diagnostics)
		return
	}
	var was asked
	remembered, diags := req.Private.GetKey(ctx, askedKey)
	resp.Diagnostics.Append(diags...)
	if remembered == nil || json.Unmarshal(remembered, &was) != nil {
		was = asked{State: text(at(state, "state"))}
	}
	plan = quiet(config, plan, state)
	plan = keepSpelling(plan, state)
	changed := replacingChanges(config, plan, state, was)
	due := r.due(plan)
	if len(changed) == 0 && !due {
		plan = with(plan, tftypes.NewValue(tftypes.Bool, false), "ready_for_renewal")
		warnExpired(plan, r.now(), &resp.Diagnostics)
		resp.Plan.Raw = plan
		return
	}
	for _, name := range changed {
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root(name))
	}
	resp.RequiresReplace = append(resp.RequiresReplace, path.Root("ready_for_renewal"))
	warnReplaced(state, changed, due, &resp.Diagnostics)
	resp.Plan.Raw = renewed(config, plan)
}

// renewed is the plan of a key that is replaced: Terraform replaces only for
// an attribute that changes, and all that the platform gives is new.
func renewed(config, plan tftypes.Value) tftypes.Value {
	for _, name := range []string{"expire_at", "state", "id", "key_id", "key_suffix", "key_secret", "created_at", "used_at", "ready_for_renewal"} {
		if at(config, name).IsNull() {
			plan = with(plan, tftypes.NewValue(at(plan, name).Type(), tftypes.UnknownValue), name)
		}
	}
	return plan
}

func (r *apiKeyResource) planCreation(config, plan tftypes.Value, diags *diag.Diagnostics) tftypes.Value {
	if at(config, "organization_id").IsNull() {
		plan = with(plan, r.organization(at(config, "organization_id"), diags), "organization_id")
	}
	if !r.waits(managementSettings) {
		r.ready(managementSettings, diags)
	}
	r.checkExpiry(plan, diags)
	if at(config, "expire_at").IsNull() && at(config, "validity_hours").IsNull() {
		diags.AddWarning(
			fmt.Sprintf("API key %s will never expire", keyLabel(plan)),
			"Neither expire_at nor validity_hours is set, and the platform can't delete a key: it stays valid until it is revoked in the console. Set validity_hours to have it expire.",
		)
	}
	return plan
}

// checkExpiry refuses an expiry that is past, for a key that is to be created.
// A key there is may have expired: or nobody could plan its successor.
func (r *apiKeyResource) checkExpiry(plan tftypes.Value, diags *diag.Diagnostics) {
	expiry := at(plan, "expire_at")
	expires, err := time.Parse(time.RFC3339, text(expiry))
	if err != nil || r.now().Before(expires) {
		return
	}
	diags.AddAttributeError(path.Root("expire_at"), "Expiry in the past",
		fmt.Sprintf("expire_at must be later than now when the key is created, got: %s", text(expiry)))
}

// replacingChanges names the arguments that ask for something else than the
// key there is was asked for. One that leaves the configuration does; a
// default that is written down does not.
func replacingChanges(config, plan, state tftypes.Value, was asked) []string {
	var changed []string
	for _, name := range []string{"organization_id", "name", "roles", "validity_hours", "rotation_triggers", "hash_data", "ip_access_list"} {
		if !asksSame(name, at(plan, name), at(state, name)) {
			changed = append(changed, name)
		}
	}
	expiry := at(config, "expire_at")
	switch {
	case expiry.IsNull() && was.ExpireAt, !expiry.IsNull() && !asksSame("expire_at", at(plan, "expire_at"), at(state, "expire_at")):
		changed = append(changed, "expire_at")
	}
	if wanted := at(config, "state"); !wanted.IsKnown() || stateAsked(config) != was.State {
		changed = append(changed, "state")
	}
	return changed
}

func stateAsked(config tftypes.Value) string {
	if wanted := text(at(config, "state")); wanted != "" {
		return wanted
	}
	return stateEnabled
}

// asksSame tells whether two values of an argument ask for the same. An empty
// list or map asks for what none does.
func asksSame(name string, a, b tftypes.Value) bool {
	switch {
	case a.IsNull() || b.IsNull():
		return asksNothing(a) && asksNothing(b)
	case !a.IsFullyKnown() || !b.IsFullyKnown():
		return false
	case name == "expire_at":
		return sameInstant(text(a), text(b))
	default:
		return same(name, a, b)
	}
}

func asksNothing(value tftypes.Value) bool {
	if value.IsKnown() && value.Type().Is(tftypes.Map{}) {
		var all map[string]tftypes.Value
		return value.As(&all) == nil && len(all) == 0
	}
	return isEmpty(value)
}

// keepSpelling keeps the state's spelling of an expiry at the same instant.
func keepSpelling(plan, state tftypes.Value) tftypes.Value {
	if at(plan, "expire_at").IsNull() || at(state, "expire_at").IsNull() || !asksSame("expire_at", at(plan, "expire_at"), at(state, "expire_at")) {
		return plan
	}
	return with(plan, at(state, "expire_at"), "expire_at")
}

// due tells whether a key with validity_hours is to be replaced: within
// early_renewal_hours of its expiry, or after it.
func (r *apiKeyResource) due(key tftypes.Value) bool {
	if at(key, "validity_hours").IsNull() {
		return false
	}
	expires, err := time.Parse(time.RFC3339, text(at(key, "expire_at")))
	return err == nil && !r.now().Before(expires.Add(-hours(at(key, "early_renewal_hours"))))
}

// warnExpired says that a key with a fixed expiry is of no use any more. It is
// not replaced: the new one would have the same expiry.
func warnExpired(plan tftypes.Value, now time.Time, diags *diag.Diagnostics) {
	expiry := text(at(plan, "expire_at"))
	expires, err := time.Parse(time.RFC3339, expiry)
	if err != nil || now.Before(expires) {
		return
	}
	diags.AddWarning(
		fmt.Sprintf("API key %s has expired", keyLabel(plan)),
		fmt.Sprintf("The key named %q expired at %s. A later expire_at makes a new key; validity_hours instead of it makes one whenever it is due.", text(at(plan, "name")), expiry),
	)
}

// warnReplaced says why a key is replaced, and what becomes of the old one.
func warnReplaced(state tftypes.Value, changed []string, due bool, diags *diag.Diagnostics) {
	why := fmt.Sprintf("What it asks for has changed: %s.", strings.Join(changed, ", "))
	if len(changed) == 0 && due {
		why = fmt.Sprintf("Its renewal is due: it expires at %s.", text(at(state, "expire_at")))
		if early := at(state, "early_renewal_hours"); !early.IsNull() {
			why = fmt.Sprintf("Its renewal is due: it expires at %s, and early_renewal_hours is %s.", text(at(state, "expire_at")), spell(early))
		}
	}
	diags.AddWarning(
		fmt.Sprintf("API key %s is replaced and stays valid", keyLabel(state)),
		why+" "+keyLeft(state)+" The platform can't delete it: revoke it in the console once nothing uses it.\n\n"+
			"Set create_before_destroy = true in the lifecycle block of this resource, if it isn't: in Terraform's default order the state would lose the old secret before there is a new one.",
	)
}
