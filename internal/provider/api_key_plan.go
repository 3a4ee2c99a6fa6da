package provider

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

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
//	the planned value of an argument changes        replaced; also one that is unknown, but for organization_id
//	its renewal is due                              replaced
//	early_renewal_hours changes                     updated in place; see isDueInPlan
//	rotation_triggers, hash_data: {} for none       updated in place
//	none of these, or only another spelling         kept

// replacing are the arguments that replace a key if they change, in the order of a warning.
var replacing = []string{"expire_at", "hash_data", "ip_access_list", "name", "organization_id", "roles", "rotation_triggers",
	"secret_recipients", "state", "validity_hours"}

func (r *apiKeyResource) ModifyPlan(_ context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	config, plan, state := tfvalue.Of(req.Config.Raw), tfvalue.Of(req.Plan.Raw), tfvalue.Of(req.State.Raw)
	switch {
	case plan.IsNull() && r.HasCreatedAPIKey.Load(): // of the key that this apply has replaced
		r.warnLeft(state, "", &resp.Diagnostics)
	case plan.IsNull():
		r.warnLeft(state, "\n\nIf the plan also creates the key at another address, such as with another for_each key, add a moved block instead of "+
			"applying it. Otherwise the state loses this secret, also if the creation is rejected.", &resp.Diagnostics)
	case state.IsNull():
		organization := r.checkCreation(config, &resp.Diagnostics)
		resp.Plan.Raw = planSecret(plan).With(organization, "organization_id").Value
	default:
		r.WarnOrganization(config.At("organization_id"), state.At("organization_id"), "API key "+keyLabel(state),
			"Its next replacement, also an unattended renewal, is created there. ", &resp.Diagnostics)
		r.planChange(config, plan, state, resp)
	}
}

// checkCreation checks what the creation of a key needs beside valid arguments, and returns the organization of the new
// key. Terraform plans a creation again during the apply. An error there is safe with create_before_destroy, too: the
// state has the old key with its secret, as a deposed object, until an apply has created the new one.
func (r *apiKeyResource) checkCreation(config tfvalue.Value, diags *diag.Diagnostics) tfvalue.Value {
	organization := config.At("organization_id")
	if organization.IsNull() {
		organization = r.Organization(organization, diags)
	}
	if !r.Waits(conn.ManagementSettings...) {
		r.Ready(conn.ManagementSettings, diags)
	}
	if expiry := config.At("expire_at"); passed(expiry, time.Now()) {
		diags.AddAttributeError(path.Root("expire_at"), "Expiry in the past",
			fmt.Sprintf("expire_at must be in the future when the key is created, got %s.", expiry.Text()))
	}
	if !config.At("secret_recipients").IsKnown() {
		diags.AddWarning(fmt.Sprintf("Recipients of API key %s are not known yet", keyLabel(config)),
			"secret_recipients is known only after apply. "+perhapsPlain)
	}
	if neverExpires(config) {
		diags.AddWarning(fmt.Sprintf("API key %s is requested without an expiry", keyLabel(config)),
			"The API cannot delete keys: unless the platform sets an expiry, this one stays valid until it is revoked in the platform's console. "+
				"Set validity_hours to let it expire."+anyAddress(config))
	}
	return organization
}

// planChange is the plan of a key that exists. The plan of a new one checks what its creation needs: an argument under
// ignore_changes has the old key's value here, such as an expiry that has passed.
func (r *apiKeyResource) planChange(config, plan, state tfvalue.Value, resp *resource.ModifyPlanResponse) {
	plan = keepState(config, plan, state)
	var changed []string
	for _, name := range replacing {
		was, will := state.At(name).Prune(), plan.At(name).Prune() // hashes without a value are none
		// An organization that is only unknown, as a data source's behind depends_on, is hardly another one.
		isLater := name == "organization_id" && !will.IsKnown()
		if isLater || will.Equal(was) || name == "rotation_triggers" && will.IsEmpty() && was.IsEmpty() {
			continue
		}
		if name == "organization_id" && !r.ReadAPIKeys.Has(keyLabel(state)) { // Terraform plans an update again in its apply
			resp.Diagnostics.AddAttributeError(path.Root(name), fmt.Sprintf("API key %s is in another organization", keyLabel(state)),
				"organization_id turned out to be another one than that of the key. Nothing was sent. Run the command again: its plan "+
					"replaces the key. A plan with -refresh=false cannot do that.")
			return
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

// isDueInPlan reports whether a plan replaces a key because its renewal is due. Terraform plans a change in place again
// during the apply, and a different result is an error. So that plan depends on the last read, and neither on the time
// nor on a changed early_renewal_hours, which may be unknown until then. The next plan takes both into account.
func (r *apiKeyResource) isDueInPlan(plan, state tfvalue.Value) bool {
	if plan.Equal(state) {
		return isDue(plan, time.Now())
	}
	early := plan.At("early_renewal_hours")
	return state.At("ready_for_renewal").True() && (!early.IsKnown() || hours(early) >= hours(state.At("early_renewal_hours")))
}

// warnExpired says that a key has expired, and is not replaced by one like it, or has less time than was requested.
func (r *apiKeyResource) warnExpired(plan tfvalue.Value, diags *diag.Diagnostics) {
	validity, expiry := plan.At("validity_hours"), words.Clean(plan.At("expire_at").Text(), words.MaxID)
	if validity.IsNull() && passed(plan.At("expire_at"), time.Now()) {
		diags.AddWarning(fmt.Sprintf("API key %s has expired", keyLabel(plan)),
			fmt.Sprintf("The key expired at %s. Set a later expire_at to create a new key, or set validity_hours instead to have it renewed.", expiry))
	}
	if given, due := lease(plan); given < hours(validity)-min(leastUse, hours(validity)/10) {
		renewal := "Its renewal is due at " + due.Format(time.RFC3339)
		if due.IsZero() {
			renewal = "That is not later than its creation, so it is not renewed: each apply would create another one like it"
		}
		diags.AddWarning(fmt.Sprintf("API key %s has less time than validity_hours", keyLabel(plan)),
			fmt.Sprintf("The platform set the expiry to %s, which is not %s hours after the creation of the key. %s. "+
				"Set validity_hours to what the platform allows. That replaces the key.", expiry, validity.Number().Text('f', -1), renewal))
	}
}

// warnReplaced says in one warning for each key what a reviewer has to know, also of the new one, because Terraform
// shows no warning of the second plan of a replacement. Which order costs the old secret is said each time: a provider
// cannot see whether create_before_destroy is set, but the reader can.
func (r *apiKeyResource) warnReplaced(config, plan, state tfvalue.Value, changed []string, diags *diag.Diagnostics) {
	var why []string
	unknown := slices.DeleteFunc(slices.Clone(changed), func(name string) bool { return plan.At(name).IsFullyKnown() })
	if known := words.Without(changed, unknown); len(known) > 0 {
		why = append(why, words.Enumerate(known)+" changed")
	}
	if len(unknown) > 0 {
		why = append(why, words.Are(unknown)+" known only after apply and may turn out the same. "+
			"To keep the key then, use a value that is known in the plan, and no depends_on on the module that it comes from")
	}
	if len(why) == 0 {
		why = []string{"its renewal is due"}
	}
	summary := "API key %s is replaced and stays valid"
	if passed(state.At("expire_at"), time.Now()) {
		summary = "API key %s has expired and is replaced"
	}
	paragraphs := []string{
		fmt.Sprintf("The key is replaced because %s. %s", strings.Join(why, ", and "), r.remains("The old key", state,
			" The API cannot delete keys: revoke it in the platform's console once nothing uses it.")),
		// Of what ignore_changes lists, Terraform puts the old key's values into this configuration, and not into that of the
		// new key.
		"The plan shows what the new key gets, also of what ignore_changes lists.",
		recipientChanges(config, state),
		unlimited(config),
		"If the plan says that it destroys the key and then creates a replacement (-/+), " +
			"set create_before_destroy first, or a rejected creation loses the old secret.",
	}
	diags.AddWarning(fmt.Sprintf(summary, keyLabel(state)), words.Paragraphs(paragraphs...))
}

// unlimited says what does not limit the new key that replaces another: "" if it has an access list and an expiry.
func unlimited(config tfvalue.Value) string {
	text := anyAddress(config)
	if neverExpires(config) {
		text += " No expiry is requested: set validity_hours to let the key expire."
	}
	if text != "" {
		text = "Of the new key, apart from what ignore_changes lists:" + text
	}
	return text
}

func anyAddress(config tfvalue.Value) string {
	if config.At("ip_access_list").IsNull() {
		return " No ip_access_list is set: the platform decides which addresses may use the key."
	}
	return ""
}

func isDue(key tfvalue.Value, now time.Time) bool {
	_, due := lease(key)
	return !due.IsZero() && !now.Before(due)
}

// leastUse is the minimum time from a key's creation to its renewal: an hour as requested, and clocks differ.
const leastUse = 30 * time.Minute

// lease returns the time that the platform gave a key with validity_hours, that of validity_hours if it set no expiry,
// and when its renewal is due: early_renewal_hours before its end, or, if the platform gave it less than that, after
// two thirds of it. That is zero, never, if the platform gave it no time: a new key would be due in every plan.
func lease(key tfvalue.Value) (given time.Duration, due time.Time) {
	early, given := hours(key.At("early_renewal_hours")), hours(key.At("validity_hours"))
	created, unknown := tfvalue.ParseTime(key.At("created_at").Text())
	expiry, endless := tfvalue.ParseTime(key.At("expire_at").Text())
	switch {
	case given == 0 || unknown != nil && endless != nil:
		return given, due
	case unknown != nil:
		created = expiry.Add(-given)
	case endless == nil:
		given = expiry.Sub(created)
	}
	if early > 0 && given-early < leastUse {
		early = given / 3
	}
	if given > 0 {
		due = created.Add(given - early)
	}
	return given, due
}

// passed reports whether a timestamp is not in the future.
func passed(timestamp tfvalue.Value, now time.Time) bool {
	at, err := tfvalue.ParseTime(timestamp.Text())
	return err == nil && !now.Before(at)
}

func neverExpires(config tfvalue.Value) bool {
	return config.At("expire_at").IsNull() && config.At("validity_hours").IsNull()
}

// hours is a number of hours, 0 if it is null or unknown.
func hours(value tfvalue.Value) time.Duration {
	n, _ := value.Number().Int64()
	return time.Duration(n) * time.Hour
}

// keyLabel names a key in the summary of a warning: Terraform folds warnings with the same summary.
func keyLabel(key tfvalue.Value) string {
	var label []string
	if name := key.At("name").Text(); name != "" {
		label = append(label, strconv.Quote(words.Clean(name, words.MaxID)))
	}
	if id := cmp.Or(key.At("id").Text(), key.At("key_id").Text()); id != "" {
		label = append(label, "("+words.Clean(id, words.MaxID)+")")
	}
	return cmp.Or(strings.Join(label, " "), "(name not known yet)")
}

// remains describes a key that stays on the platform. Its name and ID are in the summary.
func (r *apiKeyResource) remains(which string, key tfvalue.Value, revoke string) string {
	if suffix := key.At("key_suffix").Text(); suffix != "" {
		which += " (suffix " + words.Clean(suffix, words.MaxID) + ")"
	}
	switch expiry := words.Clean(key.At("expire_at").Text(), words.MaxID); {
	case expiry == "":
		return which + " stays valid, because it does not expire." + revoke
	case passed(key.At("expire_at"), time.Now()):
		return which + " expired at " + expiry + "."
	default:
		return which + " stays valid until " + expiry + "." + revoke
	}
}
