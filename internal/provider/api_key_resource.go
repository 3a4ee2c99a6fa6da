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

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// apiKeyResource is dataplatform_api_key. The API can only create a key: all that
// is known of it is the response to its creation.
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

// ValidateConfig implements resource.ResourceWithValidateConfig, for what needs two
// attributes.
func (r *apiKeyResource) ValidateConfig(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	config := tfvalue.Of(req.Config.Raw)
	if hashes := config.At("hash_data"); hashes.IsObject() && !hashes.AnyLeaf() {
		resp.Diagnostics.AddAttributeWarning(path.Root("hash_data"), adopt.EmptyObject, adopt.EmptyObjectDetail(tfvalue.Path{"hash_data"}))
	}
	validity, early := config.At("validity_hours"), config.At("early_renewal_hours")
	if validity.IsNull() || early.IsNull() || !validity.IsKnown() || !early.IsKnown() || early.Number().Cmp(validity.Number()) < 0 {
		return
	}
	resp.Diagnostics.AddAttributeError(path.Root("early_renewal_hours"), "Invalid early_renewal_hours",
		fmt.Sprintf("early_renewal_hours must be less than validity_hours, got %s and %s.", early.Number().Text('f', -1), validity.Number().Text('f', -1)))
}

// Create implements resource.Resource. It repeats the checks of which the plan may only
// have warned (planCreation). Once key ID and secret are received there are only
// warnings, since nothing can read the secret again.
func (r *apiKeyResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	config := tfvalue.Of(req.Config.Raw)
	client, organization, _ := r.Management(tfvalue.Of(req.Plan.Raw).At("organization_id"), &resp.Diagnostics)
	plan := tfvalue.Of(req.Plan.Raw).With(organization, "organization_id")
	r.checkExpiry(plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	body, err := r.creation(plan)
	if err != nil {
		resp.Diagnostics.AddError("Cannot create API key", err.Error())
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
	response := tfvalue.Null(plan.Type())
	if created.Key != nil {
		response = tfvalue.Encode(created.Key, plan.Type())
	}
	warnDifferences(plan, body, response, created, client.Mask, &resp.Diagnostics)
	state := keyCreated(plan, body, response, created)
	resp.State.Raw = state.Value
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, askedKey, asks(config, state, body, r.Now()).encode())...)
}

// checkExpiry rejects an expiry in the past for a key that is to be created. A key that
// exists may have expired, or its successor could not be planned.
func (r *apiKeyResource) checkExpiry(key tfvalue.Value, diags *diag.Diagnostics) {
	if expiry := key.At("expire_at"); passed(expiry, r.Now()) {
		diags.AddAttributeError(path.Root("expire_at"), "Expiry in the past",
			fmt.Sprintf("expire_at must be in the future when the key is created, got %s.", expiry.Text()))
	}
}

// creation is the request for a plan. The expiry of a key with validity_hours counts
// from now.
func (r *apiKeyResource) creation(plan tfvalue.Value) (platform.APIKeyCreate, error) {
	var body platform.APIKeyCreate
	// What the platform chooses is unknown in the plan, and not sent.
	if err := plan.OnlyKnown().Decode(&body); err != nil {
		return body, fmt.Errorf("reading the plan: %w", err)
	}
	if validity := plan.At("validity_hours"); !validity.IsNull() {
		expiry := r.Now().Add(hours(validity)).UTC().Truncate(time.Second).Format(time.RFC3339)
		body.ExpireAt = &expiry
	} else if body.ExpireAt != nil {
		// Many parsers know "T" and "Z" alone, Go's among them.
		expiry := strings.ToUpper(*body.ExpireAt)
		body.ExpireAt = &expiry
	}
	return body, nil
}

// keyCreated is the state of a new key: the plan, completed by the response, and
// by what was requested where the response omits it.
func keyCreated(plan tfvalue.Value, body platform.APIKeyCreate, response tfvalue.Value, created *platform.CreatedAPIKey) tfvalue.Value {
	state := tfvalue.Settle(plan, response)
	state = state.With(tfvalue.Optional(created.KeyID), "key_id")
	state = state.With(tfvalue.Optional(created.KeySecret), "key_secret")
	if state.At("state").Text() == "" {
		state = state.With(tfvalue.String(stateEnabled), "state")
	}
	if state.At("expire_at").Text() == "" {
		expiry := body.ExpireAt
		if endless(response, created) {
			expiry = nil
		}
		state = state.With(tfvalue.Optional(expiry), "expire_at")
	}
	if !plan.At("ip_access_list").IsKnown() && state.At("ip_access_list").IsEmpty() {
		state = state.With(tfvalue.Null(state.At("ip_access_list").Type()), "ip_access_list")
	}
	return state.With(tfvalue.Bool(false), "ready_for_renewal")
}

// endless reports whether the response has an empty expiry: the key never expires.
// A response that omits the field doesn't mean that.
func endless(response tfvalue.Value, created *platform.CreatedAPIKey) bool {
	expiry := response.At("expire_at")
	return created.NullExpiry || !expiry.IsNull() && expiry.Text() == ""
}

// warnDifferences reports in one warning how the created key differs from the
// request. Values are masked: a response may have the secret in another field.
func warnDifferences(plan tfvalue.Value, body platform.APIKeyCreate, response tfvalue.Value, created *platform.CreatedAPIKey, mask func(string) string, diags *diag.Diagnostics) {
	shown := func(value tfvalue.Value) string {
		// Masked before it is cut, since mask doesn't recognize a part of the secret.
		text := tfvalue.Rules{}.Describe("", value)
		if mask(text) != text {
			return "a value that cannot be shown"
		}
		return text
	}
	var lines []string
	if created.Incomplete != nil {
		lines = append(lines, "  - "+created.Incomplete.Error())
	}
	for _, name := range []string{"name", "roles", "state", "ip_access_list"} {
		wanted, got := plan.At(name), response.At(name)
		switch {
		case got.IsNull() || wanted.IsKnown() && wanted.IsNull():
		case wanted.IsFullyKnown() && !keyRules.Confirms(name, wanted, got):
			lines = append(lines, fmt.Sprintf("  - %s: the API returned %s", name, shown(got)))
		case !wanted.IsKnown() && !got.IsEmpty() && got.Text() != stateEnabled:
			lines = append(lines, fmt.Sprintf("  - %s: not set, and the API returned %s", name, shown(got)))
		}
	}
	switch got := response.At("expire_at"); {
	case endless(response, created) && body.ExpireAt != nil:
		lines = append(lines, fmt.Sprintf("  - expire_at: the API returned no expiry, although %s was requested. The key never expires on its own: revoke it in the platform's console once nothing uses it", *body.ExpireAt))
	case got.Text() != "" && !tfvalue.SameInstant(tfvalue.Optional(body.ExpireAt).Text(), got.Text()):
		lines = append(lines, fmt.Sprintf("  - expire_at: the API returned %s", shown(got)))
	}
	if created.KeyID == nil && body.HashData == nil {
		lines = append(lines, "  - key_id: the API returned none")
	}
	if len(lines) == 0 {
		return
	}
	stored := "The key was created and its secret is in the state."
	if created.KeySecret == nil {
		stored = "The key was created. The API returned no secret, so the state has none."
	}
	diags.AddWarning(
		fmt.Sprintf("API key %s differs from the request", keyLabel(response.With(tfvalue.String(body.Name), "name"))),
		stored+" The response differs from the request:\n\n"+strings.Join(lines, "\n"),
	)
}

// addCreateError reports a failed creation, and the key that may exist anyway.
func addCreateError(diags *diag.Diagnostics, organization string, body platform.APIKeyCreate, err error) {
	failed := conn.Detail(err)
	if platform.IsAmbiguous(err) {
		requestID := ""
		if call := new(platform.Error); errors.As(err, &call) {
			requestID = call.RequestID
		}
		failed += "\n\nThe platform may have created the key. If so, its secret is lost. Look for the key in the platform's console and revoke it: " +
			described(organization, body, requestID) + ". The request was not retried, because a surplus key cannot be deleted."
	}
	diags.AddError("Cannot create API key", failed)
}

// addSecretMissing reports a response without the secret.
func addSecretMissing(diags *diag.Diagnostics, organization string, body platform.APIKeyCreate, created *platform.CreatedAPIKey) {
	id := ""
	if created.Key != nil && created.Key.ID != nil {
		id = ", ID " + platform.CleanText(*created.Key.ID)
	}
	diags.AddError("Cannot create API key",
		"The API created the key, but returned no secret, and cannot return it later. "+
			"Look for the key in the platform's console and revoke it: "+
			described(organization, body, created.RequestID)+id+". The next apply creates another key.")
}

// described is what identifies a key in the console, and its creation in the
// platform's logs. The request ID is omitted if there is none.
func described(organization string, body platform.APIKeyCreate, requestID string) string {
	expiry := "no expiry"
	if body.ExpireAt != nil {
		expiry = "expiry " + *body.ExpireAt
	}
	key := fmt.Sprintf("name %q, organization %s, roles %s, %s", body.Name, organization, strings.Join(body.Roles, ", "), expiry)
	if requestID == "" {
		return key
	}
	return key + ", request ID " + platform.CleanText(requestID)
}

// Read implements resource.Resource. The API cannot read keys, so only
// ready_for_renewal changes, with the time.
func (r *apiKeyResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	remembered, diags := req.Private.GetKey(ctx, askedKey)
	resp.Diagnostics.Append(diags...)
	state := tfvalue.Of(req.State.Raw)
	ready := due(state, recall(remembered, state), r.Now())
	resp.State.Raw = state.With(tfvalue.Bool(ready), "ready_for_renewal").Value
}

// Update implements resource.Resource. It sends nothing: the platform doesn't know
// the arguments that change in place.
func (r *apiKeyResource) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = tfvalue.Settle(tfvalue.Of(req.Plan.Raw), tfvalue.Of(req.State.Raw)).Value
}

// Delete implements resource.Resource. It sends nothing: the key stays valid.
func (r *apiKeyResource) Delete(_ context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	r.warnLeft(tfvalue.Of(req.State.Raw), &resp.Diagnostics)
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
	if passed(state.At("expire_at"), r.Now()) {
		summary, revoke = "API key %s has expired and stays on the platform", ""
	}
	diags.AddWarning(
		fmt.Sprintf(summary, keyLabel(state)),
		"The API cannot delete keys, so destroying this resource changes nothing on the platform. "+remains("The key", state, r.Now())+revoke,
	)
}

// ImportState implements resource.ResourceWithImportState, to explain why keys
// cannot be imported.
func (r *apiKeyResource) ImportState(_ context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.AddError("API keys cannot be imported",
		"The API cannot read a key, and returns its secret only in the response to its creation. Create a new key with this resource, and revoke the old one in the platform's console.")
}
