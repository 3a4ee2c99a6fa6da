package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// apiKeyResource is dataplatform_api_key: all that is known of a key is the response to its creation.
type apiKeyResource struct {
	*conn.Connection
	seal func(secret string, recipients []sealing.Recipient) (string, error)
}

func (r *apiKeyResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_api_key"
}

// ValidateConfig checks what needs two attributes, and what the error of an attribute would show.
func (r *apiKeyResource) ValidateConfig(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	config := tfvalue.Of(req.Config.Raw)
	conn.WarnEmptyObjects(config, &resp.Diagnostics)
	recipientsOf(config.At("secret_recipients"), &resp.Diagnostics)
	if list := config.At("ip_access_list"); isSet(list) && list.IsEmpty() {
		resp.Diagnostics.AddError("Invalid ip_access_list", "ip_access_list must not be empty, because the API document does not say "+
			"whether an empty list lets in every address or none. Omit it, and the platform decides. "+
			"A module writes ip_access_list = length(var.addresses) > 0 ? var.addresses : null.")
	}
	hasHashes := slices.ContainsFunc(config.At("hash_data").Leaves(), func(leaf tfvalue.Leaf) bool { return leaf.Value.IsKnown() })
	if isSet(config.At("secret_recipients")) && hasHashes {
		resp.Diagnostics.AddError("Invalid secret_recipients", "secret_recipients conflicts with hash_data: "+
			"the secret of a key from hashes was generated elsewhere, and the API does not return it. Remove one of them.")
	}
	validity, early := config.At("validity_hours"), config.At("early_renewal_hours")
	if isSet(validity) && isSet(early) && early.Number().Cmp(validity.Number()) >= 0 {
		resp.Diagnostics.AddAttributeError(path.Root("early_renewal_hours"), "Invalid early_renewal_hours",
			fmt.Sprintf("early_renewal_hours must be less than validity_hours, got %s and %s.", early.Number().Text('f', -1), validity.Number().Text('f', -1)))
	}
}

// Create stores a secret that the API returns, whatever else is wrong with the response: nothing can read it again. If
// it cannot be encrypted to the recipients, it is lost, since the state must not have it in plain text.
func (r *apiKeyResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan := tfvalue.Of(req.Plan.Raw)
	client, organization, ok := r.Management(plan.At("organization_id"), &resp.Diagnostics)
	if !ok {
		return
	}
	plan = plan.With(organization, "organization_id")
	requested := r.requested(plan)
	body := keyRules.JSON(requested.Prune()) // without an object of hashes that has none, as typed modules hand over
	if expiry, exists := body["expireAt"].(string); exists {
		body["expireAt"] = strings.ToUpper(expiry) // many parsers know "T" and "Z" alone, Go's among them
	}
	recipients := recipientsOf(plan.At("secret_recipients"), &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	for _, l := range requested.At("hash_data").Leaves() {
		client.AddSecret(l.Value.Text())
	}
	r.HasCreatedAPIKey.Store(true)
	defer warnInterrupted(ctx, requested)()
	created, err := client.CreateAPIKey(ctx, organization.Text(), body)
	if err != nil {
		addCreateError(&resp.Diagnostics, requested, err)
		return
	}
	response, errs := returned(created.Key, plan.Type())
	wrong := notDocumented(created.Doubt, errs)
	state, lost := r.withSecret(r.keyCreated(plan, requested, response), recipients)
	if lost != "" {
		resp.Diagnostics.AddError("Cannot create API key", "The API created the key, but "+lost+". "+
			toRevoke(requested, created.RequestID, response.At("id").Text())+strings.TrimRight(" The next apply creates another key.\n\n"+strings.Join(wrong, ""), "\n"))
		return
	}
	if created.MayExistTwice {
		resp.Diagnostics.AddWarning("Another API key than "+keyLabel(state)+" may exist",
			repeated+" Look for another key of this name in the platform's console and revoke it.")
	}
	warnDifferences(requested, response, wrong, client.Mask, &resp.Diagnostics)
	resp.State.Raw = state.Value
}

// requested returns what the creation of a planned key requests: the plan without what the platform
// decides, and the expiry of a key with validity_hours, which counts from now.
func (r *apiKeyResource) requested(plan tfvalue.Value) tfvalue.Value {
	requested := tfvalue.Settle(plan, tfvalue.Null(plan.Type()))
	if validity := requested.At("validity_hours"); !validity.IsNull() {
		expiry := time.Now().Add(hours(validity)).UTC().Truncate(time.Second)
		requested = requested.With(tfvalue.String(expiry.Format(time.RFC3339)), "expire_at")
	}
	return requested
}

// returned reads the key of a response, as far as possible. An expiry of null becomes "", because
// the key never expires. An omitted expiry is null, because it is not known.
func returned(key map[string]any, typ tftypes.Type) (tfvalue.Value, []error) {
	response, wrong := keyRules.Salvage(key, typ.(tftypes.Object))
	if expiry, exists := key["expireAt"]; exists && expiry == nil {
		response = response.With(tfvalue.String(""), "expire_at")
	}
	return response, wrong
}

// warnInterrupted logs which key may be lost if the run is interrupted before stop is called: a second interrupt ends
// Terraform at once. Only a log line is in time: Terraform shows a diagnostic once the creation has ended.
func warnInterrupted(ctx context.Context, requested tfvalue.Value) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		tflog.Warn(ctx, "Interrupted while an API key is being created. If Terraform ends without a result for this key, its secret is lost. "+
			toRevoke(requested, "", ""))
	})
}

// keyCreated is the state of a new key: the plan, completed by the response. An expiry that the response omits, or that is no
// timestamp, is the requested one, also if it may be wrong; one that the platform has given is never replaced, since the state would
// call a dead key valid. A time of creation that is omitted, or from which the renewal would be due already, is that of this run.
func (r *apiKeyResource) keyCreated(plan, requested, response tfvalue.Value) tfvalue.Value {
	state := tfvalue.Settle(plan, response)
	for _, name := range []string{"key_id", "key_secret"} { // the plan may have the secret as null
		state = state.With(tfvalue.Optional(response.At(name).Text()), name)
	}
	state = state.With(tfvalue.Bool(false), "ready_for_renewal")
	expiry := state.At("expire_at")
	if _, err := tfvalue.ParseTime(expiry.Text()); expiry.Equal(tfvalue.String("")) { // it never expires
		state = state.Without("expire_at")
	} else if err != nil {
		state = state.With(requested.At("expire_at"), "expire_at")
	}
	if now := time.Now(); state.At("created_at").IsNull() || isDue(state, now) {
		state = state.With(tfvalue.String(now.UTC().Format(time.RFC3339)), "created_at")
	}
	return state.With(secretVersion(state), "secret_version")
}

// withSecret is the state of a new key with its secret as it is stored, or why the secret is lost.
func (r *apiKeyResource) withSecret(state tfvalue.Value, recipients []sealing.Recipient) (stored tfvalue.Value, lost string) {
	switch secret := state.At("key_secret"); {
	case secret.IsNull() && !state.At("hash_data").AnyLeaf():
		return state, "returned no secret, and cannot return it later"
	case len(recipients) == 0:
		return state, ""
	default:
		sealed, err := r.seal(secret.Text(), recipients)
		if err != nil {
			return state, "its secret could not be encrypted to secret_recipients, and was not stored"
		}
		return state.With(tfvalue.String(sealed), "encrypted_key_secret").Without("key_secret"), ""
	}
}

// warnDifferences reports in one warning how the created key differs from the request: both values, but for configured
// texts only that of the response. They are masked, since a response may have the secret in another field.
func warnDifferences(requested, response tfvalue.Value, wrong []string, mask func(string) string, diags *diag.Diagnostics) {
	lines := wrong
	for _, name := range []string{"name", "roles", "state", "ip_access_list", "expire_at"} {
		wanted, got := requested.At(name), response.At(name)
		isLocked := name == "ip_access_list" && wanted.IsNull() && !got.IsNull() // an empty list may allow nobody
		isSame := got.IsNull() || wanted.IsNull() && got.IsEmpty() || keyRules.Confirms(name, wanted, got)
		if isLocked || !isSame {
			lines = append(lines, "  - "+name+": "+difference(name, wanted, got, mask))
		}
	}
	if response.At("key_id").Text() == "" && !requested.At("hash_data").AnyLeaf() {
		lines = append(lines, "  - key_id: the API returned none")
	}
	if len(lines) > 0 {
		diags.AddWarning(fmt.Sprintf("API key %s differs from the request", mask(keyLabel(response.With(requested.At("name"), "name")))),
			"The key was created and is in the state. The response differs from the request:\n\n"+strings.Join(lines, "\n"))
	}
}

// notDocumented is a line about a response that is not as the API document has it, none if it is.
func notDocumented(doubt error, wrong []error) []string {
	all := errors.Join(doubt, errors.Join(wrong...))
	if all == nil {
		return nil
	}
	return []string{"  - the response to the creation of the key is not as documented: " + strings.ReplaceAll(all.Error(), "\n", "; ")}
}

// difference says what was requested of an attribute, and what the API returned.
func difference(name string, wanted, got tfvalue.Value, mask func(string) string) string {
	shown := func(value tfvalue.Value) string {
		// Masked before it is cut, since mask doesn't recognize a part of the secret.
		if text := value.Describe(); mask(text) == text {
			return text
		}
		return "a value that cannot be shown"
	}
	request, returned := "", shown(got)
	switch {
	case wanted.IsNull():
		request = "not set, and "
	case name != "name" && name != "ip_access_list":
		request = "requested " + shown(wanted) + ", and "
	}
	switch {
	case name == "ip_access_list" && got.IsEmpty():
		returned += ": perhaps no address may use the key"
	case name == "expire_at" && got.IsEmpty():
		returned = "none. The key never expires on its own: revoke it in the platform's console once nothing uses it"
	}
	return request + "the API returned " + returned
}

// addCreateError reports a failed creation, and the key that may exist anyway.
func addCreateError(diags *diag.Diagnostics, requested tfvalue.Value, err error) {
	failed := conn.Detail(err)
	if failure := platform.AsError(err); failure.Ambiguous {
		why := "The request was not retried, because a surplus key cannot be deleted."
		if failure.MayExistTwice {
			why = repeated
		}
		failed = "The platform may have created the key. If so, its secret is lost. " + toRevoke(requested, failure.RequestID, "") + " " + why + "\n\n" + failed
	}
	diags.AddError("Cannot create API key", failed)
}

// repeated is why a creation that was retried may have left a key behind.
const repeated = "The request was retried after a response that said that it came too often or too early, and that was not the API's own: " +
	"a proxy or filter may respond so after the platform has created a key."

// toRevoke asks to revoke a key, and says what identifies it in the console, and its creation in the
// platform's logs. Either ID may be "".
func toRevoke(requested tfvalue.Value, requestID, id string) string {
	text := fmt.Sprintf("Look for the key in the platform's console and revoke it: name %q, organization %s, roles %s",
		requested.At("name").Text(), requested.At("organization_id").Text(), strings.Join(texts(requested.At("roles").Elements()), ", "))
	for _, known := range [][2]string{{"expiry", cmp.Or(requested.At("expire_at").Text(), "none")}, {"request ID", requestID}, {"ID", id}} {
		if known[1] != "" {
			text += ", " + known[0] + " " + words.Clean(known[1], words.MaxID)
		}
	}
	return text + "."
}

// Read sends no request. With the time, ready_for_renewal changes. An older state gets its secret_version.
func (r *apiKeyResource) Read(_ context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := tfvalue.Of(req.State.Raw)
	state = state.With(secretVersion(state), "secret_version")
	r.ReadAPIKeys.Add(keyLabel(state))
	resp.State.Raw = state.With(tfvalue.Bool(isDue(state, time.Now())), "ready_for_renewal").Value
}

// Update sends no request: the platform has none of the arguments that change in place.
func (r *apiKeyResource) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Delete sends no request: the key stays valid.
func (r *apiKeyResource) Delete(_ context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	r.warnLeft(tfvalue.Of(req.State.Raw), "", &resp.Diagnostics)
}

// warnLeft reports that a key leaves the state and stays on the platform; once in a run, since
// Terraform plans the destruction of a replaced key again during the apply.
func (r *apiKeyResource) warnLeft(state tfvalue.Value, wayOut string, diags *diag.Diagnostics) {
	if !r.Warned.Add(keyLabel(state)) {
		return
	}
	summary := "API key %s stays valid"
	if passed(state.At("expire_at"), time.Now()) {
		summary = "API key %s has expired and stays on the platform"
	}
	diags.AddWarning(fmt.Sprintf(summary, keyLabel(state)), "The API cannot delete keys, so destroying this resource changes nothing on the platform. "+
		r.remains("The key", state, " Revoke it in the platform's console.")+wayOut)
}

func (r *apiKeyResource) ImportState(_ context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.AddError("API keys cannot be imported",
		"The API cannot read a key, and returns its secret only in the response to its creation. "+
			"Create a new key with this resource, and revoke the old one in the platform's console.")
}
