package provider

import (
	"context"
	"encoding/json"
	"errors"
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
	if replaces || r.passed(config.At("expire_at"), longestWait) {
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

// checkExpiry rejects an expiry in the past for a key that is to be created. A key that
// exists may have expired, or its successor could not be planned.
func (r *apiKeyResource) checkExpiry(key tfvalue.Value, diags *diag.Diagnostics) {
	if expiry := key.At("expire_at"); r.passed(expiry, 0) {
		diags.AddAttributeError(path.Root("expire_at"), "Expiry in the past",
			fmt.Sprintf("expire_at must be in the future when the key is created, got %s.", expiry.Text()))
	}
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
	r.warnReplaced(state, changed, successor, &resp.Diagnostics)
	// Terraform shows no warnings of the second plan of a replacement, which is the
	// plan of the creation.
	warnEndless(config, &resp.Diagnostics)
	resp.Plan.Raw = renewed(config, plan).Value
}

// keepState returns a plan with the values of the state wherever it requests the same,
// and for computed attributes, which the framework marks unknown as soon as anything
// changes.
func keepState(config, plan, state tfvalue.Value) tfvalue.Value {
	return plan.Map(func(name string, member tfvalue.Value) tfvalue.Value {
		kept := state.At(name)
		marked := !member.IsKnown() && config.At(name).IsNull()
		if marked || !member.IsNull() && !kept.IsNull() && asksSame(name, member, kept) {
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
	if strings.EqualFold(r.OrganizationID, state.At("organization_id").Text()) {
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

// asked is what was requested for a key where the state doesn't distinguish it from
// what the platform chose. It is kept in private state.
type asked struct {
	// OrganizationID, ExpireAt and IPAccessList report whether the configuration
	// set the argument.
	OrganizationID bool   `json:"organization_id,omitempty"`
	ExpireAt       bool   `json:"expire_at"`
	State          string `json:"state"`
	IPAccessList   bool   `json:"ip_access_list,omitempty"`
	// Expiry is the requested expiry of a key with validity_hours, if renewal can't
	// use the one that the API returned.
	Expiry string `json:"expiry,omitempty"`
}

var keyRules = tfvalue.Rules{Keys: map[string]tfvalue.Key{"ip_access_list": {Members: []string{"source"}}}}

const (
	askedKey     = "asked"
	stateEnabled = "enabled"
)

// asks is what is remembered of the request that created a key.
func (r *apiKeyResource) asks(config, state tfvalue.Value, body platform.APIKeyCreate) asked {
	was := asked{
		OrganizationID: !config.At("organization_id").IsNull(),
		ExpireAt:       !config.At("expire_at").IsNull(),
		State:          stateAsked(config),
		IPAccessList:   !config.At("ip_access_list").IsEmpty(),
	}
	// The minimum time from a creation to the renewal: validity_hours and
	// early_renewal_hours are whole, and the first is larger.
	const shortestUse = time.Hour
	expires, err := time.Parse(time.RFC3339, state.At("expire_at").Text())
	if !state.At("validity_hours").IsNull() && (err != nil || expires.Add(-hours(state.At("early_renewal_hours"))).Before(r.now().Add(shortestUse))) {
		// There is none, it can't be parsed, or every plan would create a new key.
		was.Expiry = *body.ExpireAt
	}
	return was
}

func (was asked) encode() []byte {
	remembered, _ := json.Marshal(was) //nolint:errchkjson // strings and bools
	return remembered
}

// recall decodes what was requested for a key. Without a memory of it, the state
// stands in.
func recall(remembered []byte, state tfvalue.Value) asked {
	var was asked
	if remembered == nil || json.Unmarshal(remembered, &was) != nil {
		was = asked{State: stateAsked(state)}
	}
	return was
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
		case asksSame(name, plan.At(name), state.At(name)):
			continue
		}
		changed = append(changed, name)
	}
	return changed
}

// stateAsked is the state that a configuration requests.
func stateAsked(config tfvalue.Value) string {
	if wanted := config.At("state").Text(); wanted != "" {
		return wanted
	}
	return stateEnabled
}

// asksSame reports whether two values of an argument request the same. An empty
// list or map requests the same as an unset one.
func asksSame(name string, a, b tfvalue.Value) bool {
	switch {
	case a.IsNull() || b.IsNull():
		return a.IsEmpty() && b.IsEmpty()
	case !a.IsFullyKnown() || !b.IsFullyKnown():
		return false
	case name == "expire_at":
		return sameInstant(a.Text(), b.Text())
	case name == "organization_id":
		return strings.EqualFold(a.Text(), b.Text())
	default:
		return keyRules.Same(name, a, b)
	}
}

// due reports whether a key with validity_hours is to be replaced: within
// early_renewal_hours of its expiry, or after it.
func (r *apiKeyResource) due(key tfvalue.Value, was asked) bool {
	expiry := was.Expiry
	if expiry == "" {
		expiry = key.At("expire_at").Text()
	}
	expires, err := time.Parse(time.RFC3339, expiry)
	return !key.At("validity_hours").IsNull() && err == nil && !r.now().Before(expires.Add(-hours(key.At("early_renewal_hours"))))
}

// dueInPlan reports whether a plan replaces a key because its renewal is due.
//
// Terraform plans a change in place again during the apply, and reports another
// result as an error in the provider. That plan therefore depends on the last
// read, and neither on the time nor on a changed early_renewal_hours, which may be
// unknown until then. The next plan takes both into account.
func (r *apiKeyResource) dueInPlan(plan, state tfvalue.Value, was asked) bool {
	if plan.Equal(state) {
		return r.due(plan, was)
	}
	early := plan.At("early_renewal_hours")
	return state.At("ready_for_renewal").True() && (!early.IsKnown() || hours(early) >= hours(state.At("early_renewal_hours")))
}

// passed reports whether an expiry passed at least this long ago.
func (r *apiKeyResource) passed(expiry tfvalue.Value, ago time.Duration) bool {
	expires, err := time.Parse(time.RFC3339, expiry.Text())
	return err == nil && !r.now().Before(expires.Add(ago))
}

// hours is a number of hours, 0 if it is null or unknown.
func hours(value tfvalue.Value) time.Duration {
	if value.IsNull() || !value.IsKnown() {
		return 0
	}
	n, _ := value.Number().Int64()
	return time.Duration(n) * time.Hour
}

// sameInstant compares two timestamps by instant. Other texts are compared as they
// are.
func sameInstant(a, b string) bool {
	x, errX := time.Parse(time.RFC3339, a)
	y, errY := time.Parse(time.RFC3339, b)
	if errors.Join(errX, errY) != nil {
		return a == b
	}
	return x.Equal(y)
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
func (r *apiKeyResource) warnExpired(plan tfvalue.Value, diags *diag.Diagnostics) {
	if !r.passed(plan.At("expire_at"), 0) {
		return
	}
	remedy := "Set a later expire_at to create a new key, or set validity_hours instead to have it renewed."
	if !plan.At("validity_hours").IsNull() {
		remedy = "The API returned this expiry, which is earlier than validity_hours requested. Renewal follows validity_hours, so it is not due yet. Change rotation_triggers to create a new key now."
	}
	diags.AddWarning(
		fmt.Sprintf("API key %s has expired", keyLabel(plan)),
		fmt.Sprintf("The key expired at %s. %s", clean(plan.At("expire_at").Text()), remedy),
	)
}

// warnReplaced reports in one warning for each key why it is replaced, what becomes of
// the old one, and which order of the plan would cost its secret: a provider cannot see
// whether create_before_destroy is set, but the reader can.
func (r *apiKeyResource) warnReplaced(state tfvalue.Value, changed []string, successor string, diags *diag.Diagnostics) {
	early, expired := state.At("early_renewal_hours"), r.passed(state.At("expire_at"), 0)
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
		revoke += fmt.Sprintf(" The old key belongs to organization %s. The new key is created in %s, the provider's organization: set organization_id to create it elsewhere.", clean(state.At("organization_id").Text()), successor)
	}
	diags.AddWarning(
		fmt.Sprintf(summary, keyLabel(state)),
		fmt.Sprintf("The key is replaced because %s. %s%s\n\n", why, r.remains("The old key", state), revoke)+
			"If the plan says that it destroys the key and then creates a replacement, set create_before_destroy first. "+
			"Otherwise, the state loses the old key and its secret even if the API rejects the new one.",
	)
}

// warnLeft reports once in a run that a key leaves the state and stays on the
// platform. Terraform plans the destruction of a replaced key a second time, during
// the apply.
func (r *apiKeyResource) warnLeft(state tfvalue.Value, diags *diag.Diagnostics) {
	id := state.At("id").Text() + " " + state.At("key_id").Text()
	if id != " " && !r.FirstWarning(id) {
		return
	}
	summary, revoke := "API key %s stays valid", " Revoke it in the platform's console."
	if r.passed(state.At("expire_at"), 0) {
		summary, revoke = "API key %s has expired and stays on the platform", ""
	}
	diags.AddWarning(
		fmt.Sprintf(summary, keyLabel(state)),
		"The API cannot delete keys, so destroying this resource changes nothing on the platform. "+r.remains("The key", state)+revoke,
	)
}

// remains describes a key that stays on the platform, so that it can be found in the
// console. Its name and ID are in the summary.
func (r *apiKeyResource) remains(which string, key tfvalue.Value) string {
	if suffix := key.At("key_suffix").Text(); suffix != "" {
		which += " (suffix " + clean(suffix) + ")"
	}
	switch expiry := key.At("expire_at").Text(); {
	case expiry == "":
		return which + " stays valid, because it does not expire."
	case r.passed(key.At("expire_at"), 0):
		return which + " expired at " + clean(expiry) + "."
	default:
		return which + " stays valid until " + clean(expiry) + "."
	}
}
