package provider

import (
	"context"
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

// apiKeyResource is dataplatform_api_key. The API can create a key and do
// nothing else with it: what is known of it is what its creation answered.
type apiKeyResource struct{ conn.Resource }

func newAPIKeyResource() resource.Resource { return &apiKeyResource{} }

// Metadata implements resource.Resource.
func (r *apiKeyResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_api_key"
}

// Schema implements resource.Resource.
func (r *apiKeyResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = apiKeySchema()
}

// Create implements resource.Resource. Whatever comes after key id and secret
// are received is at most a warning: nothing can read the secret again.
func (r *apiKeyResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	client, organization, ok := r.Management(tfvalue.Of(req.Plan.Raw).At("organization_id"), &resp.Diagnostics)
	if !ok {
		return
	}
	plan := tfvalue.Of(req.Plan.Raw).With(organization, "organization_id")
	r.checkExpiry(plan, &resp.Diagnostics)
	body, err := r.creation(plan)
	if err != nil {
		resp.Diagnostics.AddError("Unable to create API key", err.Error())
	}
	if resp.Diagnostics.HasError() {
		return
	}
	for _, l := range plan.At("hash_data").Leaves() {
		client.AddSecret(l.Value.Text())
	}
	created, err := client.CreateAPIKey(ctx, organization.Text(), body)
	if err != nil {
		addCreateError(&resp.Diagnostics, organization.Text(), body, err)
		return
	}
	if created.KeySecret == nil && body.HashData == nil {
		addSecretMissing(&resp.Diagnostics, organization.Text(), body, created)
		return
	}
	answer := tfvalue.Null(plan.Type())
	if created.Key != nil {
		answer = tfvalue.Encode(created.Key, plan.Type())
	}
	warnDisagreements(plan, body, answer, created, client.Mask, &resp.Diagnostics)
	resp.State.Raw = keyCreated(plan, body, answer, created).Value
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, askedKey, r.asks(tfvalue.Of(req.Config.Raw), body, answer).encode())...)
}

// creation is the request that a plan comes to. The expiry of a key with
// validity_hours counts from now.
func (r *apiKeyResource) creation(plan tfvalue.Value) (platform.APIKeyCreate, error) {
	// What is left to the platform is unknown in the plan, and not sent.
	known := plan.Map(func(_ string, member tfvalue.Value) tfvalue.Value {
		if !member.IsFullyKnown() {
			return tfvalue.Null(member.Type())
		}
		return member
	})
	var body platform.APIKeyCreate
	if err := known.Decode(&body); err != nil {
		return body, fmt.Errorf("reading the plan: %w", err)
	}
	if validity := plan.At("validity_hours"); !validity.IsNull() {
		expiry := r.now().Add(hours(validity)).UTC().Truncate(time.Second).Format(time.RFC3339)
		body.ExpireAt = &expiry
	}
	return body, nil
}

// keyCreated is the state of a new key: the plan, completed by the answer, and
// by what was asked for where the answer doesn't tell.
func keyCreated(plan tfvalue.Value, body platform.APIKeyCreate, answer tfvalue.Value, created *platform.CreatedAPIKey) tfvalue.Value {
	state := tfvalue.Settle(plan, answer)
	state = state.With(tfvalue.Optional(created.KeyID), "key_id")
	state = state.With(tfvalue.Optional(created.KeySecret), "key_secret")
	if state.At("state").Text() == "" {
		enabled := stateEnabled
		state = state.With(tfvalue.Optional(&enabled), "state")
	}
	if state.At("expire_at").Text() == "" {
		state = state.With(tfvalue.Optional(body.ExpireAt), "expire_at")
	}
	return state.With(tfvalue.Bool(false), "ready_for_renewal")
}

// warnDisagreements tells, in one warning, what the platform made otherwise
// than it was asked to. What it answered may be the secret, in the wrong place,
// and is masked.
func warnDisagreements(plan tfvalue.Value, body platform.APIKeyCreate, answer tfvalue.Value, created *platform.CreatedAPIKey, mask func(string) string, diags *diag.Diagnostics) {
	shown := func(value tfvalue.Value) string {
		// Masked before it is cut: a part of the secret can't be made out.
		if mask(keyRules.Describe("", value)) != keyRules.Describe("", value) {
			return "what can't be shown"
		}
		return keyRules.Describe("", value)
	}
	var lines []string
	if created.Incomplete != nil {
		lines = append(lines, fmt.Sprintf("  - %s", created.Incomplete))
	}
	for _, name := range []string{"name", "roles", "state", "ip_access_list"} {
		wanted, got := plan.At(name), answer.At(name)
		if !wanted.IsNull() && wanted.IsFullyKnown() && !got.IsNull() && !keyRules.Answers(name, wanted, got) {
			lines = append(lines, fmt.Sprintf("  - %s: the platform answered %s", name, shown(got)))
		}
	}
	// An empty date is an answer, and says that the key never expires.
	if got := answer.At("expire_at"); !got.IsNull() && !sameInstant(deref(body.ExpireAt), got.Text()) {
		lines = append(lines, fmt.Sprintf("  - expire_at: the platform answered %s", shown(got)))
	}
	if created.KeyID == nil && body.HashData == nil {
		lines = append(lines, "  - key_id: the platform answered none")
	}
	if len(lines) == 0 {
		return
	}
	diags.AddWarning(
		fmt.Sprintf("API key %q is not all that was asked for", body.Name),
		"The key was created, and is in the state with all that could be read. The answer to its creation differs from what was asked for:\n\n"+strings.Join(lines, "\n"),
	)
}

// addCreateError reports a failed creation, and what may exist all the same.
func addCreateError(diags *diag.Diagnostics, organization string, body platform.APIKeyCreate, err error) {
	failed := conn.Detail(err)
	if platform.IsAmbiguous(err) {
		requestID := ""
		if call := new(platform.Error); errors.As(err, &call) {
			requestID = call.RequestID
		}
		failed += "\n\nThe platform may have created the key before this failed, and its secret is lost then: " + described(organization, body, requestID) +
			". Look it up in the platform's console, and revoke it there if it exists. The creation was not repeated, since a key can't be deleted."
	}
	diags.AddError("Unable to create API key", failed)
}

// addSecretMissing reports an answer that has all but what a key is for.
func addSecretMissing(diags *diag.Diagnostics, organization string, body platform.APIKeyCreate, created *platform.CreatedAPIKey) {
	id := ""
	if created.Key != nil && created.Key.ID != nil {
		id = ", id " + *created.Key.ID
	}
	diags.AddError("Unable to create API key",
		"The platform answered the creation without a secret, and nothing can read it again. The key exists: "+described(organization, body, created.RequestID)+id+
			". Look it up in the platform's console, and revoke it there before the next apply, which creates another.")
}

// described is what a key can be found by in the console, and its creation in
// the platform's logs.
func described(organization string, body platform.APIKeyCreate, requestID string) string {
	expiry := "no expiry"
	if body.ExpireAt != nil {
		expiry = "expiry " + *body.ExpireAt
	}
	const longest = 100
	switch runes := []rune(requestID); {
	case requestID == "":
		requestID = "not told"
	case len(runes) > longest:
		requestID = fmt.Sprintf("%+q…", string(runes[:longest]))
	case strings.ContainsFunc(requestID, func(r rune) bool { return r <= ' ' || r > '~' }):
		requestID = fmt.Sprintf("%+q", requestID) // a terminal would obey what it may hold
	}
	return fmt.Sprintf("name %q, organization %s, roles %s, %s, request id %s", body.Name, organization, strings.Join(body.Roles, ", "), expiry, requestID)
}

// Read implements resource.Resource. The API can't read a key; the time can be
// read.
func (r *apiKeyResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	remembered, diags := req.Private.GetKey(ctx, askedKey)
	resp.Diagnostics.Append(diags...)
	state := tfvalue.Of(req.State.Raw)
	ready := r.due(state, recall(remembered, state))
	resp.State.Raw = state.With(tfvalue.Bool(ready), "ready_for_renewal").Value
}

// Update implements resource.Resource: nothing that changes in place is known
// to the platform.
func (r *apiKeyResource) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = tfvalue.Settle(tfvalue.Of(req.Plan.Raw), tfvalue.Of(req.State.Raw)).Value
}

// Delete implements resource.Resource: the key stays valid.
func (r *apiKeyResource) Delete(_ context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	warnKeyStays(tfvalue.Of(req.State.Raw), r.now(), &resp.Diagnostics)
}

func warnKeyStays(state tfvalue.Value, now time.Time, diags *diag.Diagnostics) {
	const nothingSent = "Destroying this resource sends nothing, since the platform can't delete a key. "
	if expired(state, now) {
		diags.AddWarning(
			fmt.Sprintf("API key %s has expired, and stays on the platform", keyLabel(state)),
			nothingSent+keyLeft(state, now)+" What is left of it can be seen in the platform's console.",
		)
		return
	}
	diags.AddWarning(
		fmt.Sprintf("API key %s stays valid", keyLabel(state)),
		nothingSent+keyLeft(state, now)+" Revoke it in the platform's console.",
	)
}

// keyLabel names a key in the summary of a warning: Terraform folds those that
// are the same.
func keyLabel(state tfvalue.Value) string {
	for _, name := range []string{"id", "key_id"} {
		if id := state.At(name).Text(); id != "" {
			return id
		}
	}
	if name := state.At("name").Text(); name != "" {
		return fmt.Sprintf("%q", name)
	}
	return "(name not known yet)"
}

// keyLeft names a key that stays behind, so that it can be found in the
// console.
func keyLeft(state tfvalue.Value, now time.Time) string {
	until := "does not expire"
	switch expiry := state.At("expire_at").Text(); {
	case expired(state, now):
		until = "expired at " + expiry
	case expiry != "":
		until = "is valid until " + expiry
	}
	id := "id " + orUnknown(state.At("id"))
	if state.At("id").Text() == "" && state.At("key_id").Text() != "" {
		id = "key id " + state.At("key_id").Text()
	}
	return fmt.Sprintf("The key named %q (%s, suffix %s) %s.", state.At("name").Text(), id, orUnknown(state.At("key_suffix")), until)
}

// expired tells whether a key is of no use any more.
func expired(key tfvalue.Value, now time.Time) bool {
	expires, err := time.Parse(time.RFC3339, key.At("expire_at").Text())
	return err == nil && !now.Before(expires)
}

func orUnknown(value tfvalue.Value) string {
	if s := value.Text(); s != "" {
		return s
	}
	return "not told"
}

// ImportState implements resource.ResourceWithImportState, to say why there is
// no import.
func (r *apiKeyResource) ImportState(_ context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.AddError("API keys can't be imported",
		"The platform can't read a key, and tells its secret only in the answer to its creation. Create a new key with this resource, and revoke the old one in the platform's console.")
}

// ValidateConfig implements resource.ResourceWithValidateConfig.
func (r *apiKeyResource) ValidateConfig(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	validity, early := tfvalue.Of(req.Config.Raw).At("validity_hours"), tfvalue.Of(req.Config.Raw).At("early_renewal_hours")
	if validity.IsNull() || early.IsNull() || !validity.IsKnown() || !early.IsKnown() || early.Number().Cmp(validity.Number()) < 0 {
		return
	}
	resp.Diagnostics.AddAttributeError(path.Root("early_renewal_hours"), "Renewal before creation",
		fmt.Sprintf("early_renewal_hours must be less than validity_hours, or every plan would make a new key, got: %s and %s", early.Number(), validity.Number()))
}

func (r *apiKeyResource) now() time.Time {
	if r.Connection == nil || r.Now == nil {
		return time.Now()
	}
	return r.Now()
}
