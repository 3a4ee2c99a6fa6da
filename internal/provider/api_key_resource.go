package provider

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

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
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, askedKey, r.asks(config, state, body).encode())...)
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
		expiry := r.now().Add(hours(validity)).UTC().Truncate(time.Second).Format(time.RFC3339)
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
	case got.Text() != "" && !sameInstant(deref(body.ExpireAt), got.Text()):
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
	diags.AddError(conn.Summary("Cannot create API key", err), failed)
}

// addSecretMissing reports a response without the secret.
func addSecretMissing(diags *diag.Diagnostics, organization string, body platform.APIKeyCreate, created *platform.CreatedAPIKey) {
	id := ""
	if created.Key != nil && created.Key.ID != nil {
		id = ", ID " + clean(*created.Key.ID)
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
	return key + ", request ID " + clean(requestID)
}

// keyLabel names a key in the summary of a warning, since Terraform folds warnings
// with the same summary.
func keyLabel(key tfvalue.Value) string {
	var label []string
	if name := key.At("name").Text(); name != "" {
		label = append(label, quote(name))
	}
	for _, name := range []string{"id", "key_id"} {
		if id := key.At(name).Text(); id != "" {
			return strings.Join(append(label, "("+clean(id)+")"), " ")
		}
	}
	if len(label) == 0 {
		return "(name not known yet)"
	}
	return label[0]
}

// shownLength is the maximum length in characters of a text from outside in a message.
const shownLength = 100

// clean returns a text of the platform for a message, quoted if it contains anything
// but the characters of an ID or a timestamp: it may hold control sequences of a
// terminal.
func clean(text string) string {
	if len(text) > shownLength || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return quote(text)
	}
	return text
}

// quote returns a text from outside for a message, in quotes and cut.
func quote(text string) string {
	if runes := []rune(text); len(runes) > shownLength {
		text = string(runes[:shownLength]) + "…"
	}
	return strconv.Quote(text)
}

// Read implements resource.Resource. The API cannot read keys, so only
// ready_for_renewal changes, with the time.
func (r *apiKeyResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	remembered, diags := req.Private.GetKey(ctx, askedKey)
	resp.Diagnostics.Append(diags...)
	state := tfvalue.Of(req.State.Raw)
	ready := r.due(state, recall(remembered, state))
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

// ImportState implements resource.ResourceWithImportState, to explain why keys
// cannot be imported.
func (r *apiKeyResource) ImportState(_ context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.AddError("API keys cannot be imported",
		"The API cannot read a key, and returns its secret only in the response to its creation. Create a new key with this resource, and revoke the old one in the platform's console.")
}

// now is the time by the provider's clock, also before it is configured.
func (r *apiKeyResource) now() time.Time {
	if r.Connection == nil || r.Now == nil {
		return time.Now()
	}
	return r.Now()
}

// deref is the string that s points to, or "".
func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
