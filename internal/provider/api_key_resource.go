package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
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
	adopt.WarnEmptyObjects(config, &resp.Diagnostics)
	validity, early := config.At("validity_hours"), config.At("early_renewal_hours")
	if validity.IsNull() || early.IsNull() || !validity.IsKnown() || !early.IsKnown() || early.Number().Cmp(validity.Number()) < 0 {
		return
	}
	resp.Diagnostics.AddAttributeError(path.Root("early_renewal_hours"), "Invalid early_renewal_hours",
		fmt.Sprintf("early_renewal_hours must be less than validity_hours, got %s and %s.", early.Number().Text('f', -1), validity.Number().Text('f', -1)))
}

// Create implements resource.Resource. Once key ID and secret are received there are only
// warnings, since nothing can read the secret again.
func (r *apiKeyResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan := tfvalue.Of(req.Plan.Raw)
	client, organization, ok := r.Management(plan.At("organization_id"), &resp.Diagnostics)
	if !ok {
		return
	}
	plan = plan.With(organization, "organization_id")
	asked := r.asked(plan)
	body, err := creation(asked)
	if err != nil {
		resp.Diagnostics.AddError("Cannot create API key", err.Error())
		return
	}
	for _, l := range asked.At("hash_data").Leaves() {
		client.AddSecret(l.Value.Text())
	}
	defer warnInterrupted(ctx, asked)()
	created, err := client.CreateAPIKey(ctx, organization.Text(), body)
	if err != nil {
		addCreateError(&resp.Diagnostics, asked, err)
		return
	}
	response, wrong := returned(created.Key, plan.Type())
	created.Incomplete = cmp.Or(created.Incomplete, wrong)
	if created.KeySecret == nil && body["hashData"] == nil {
		addSecretMissing(&resp.Diagnostics, asked, response, created)
		return
	}
	state := r.keyCreated(plan, asked, response, created)
	warnDifferences(asked, response, state, created, client.Mask, &resp.Diagnostics)
	resp.State.Raw = state.Value
}

// asked returns what the creation of a planned key requests: the plan without what the
// platform decides, and the expiry of a key with validity_hours, which counts from now.
func (r *apiKeyResource) asked(plan tfvalue.Value) tfvalue.Value {
	asked := tfvalue.Settle(plan, tfvalue.Null(plan.Type()))
	if validity := asked.At("validity_hours"); !validity.IsNull() {
		expiry := r.Now().Add(hours(validity)).UTC().Truncate(time.Second)
		asked = asked.With(tfvalue.String(expiry.Format(time.RFC3339)), "expire_at")
	}
	return asked
}

// creation is the body of the request for what is asked.
func creation(asked tfvalue.Value) (map[string]any, error) {
	body, err := keyRules.JSON(asked)
	if err != nil {
		return nil, fmt.Errorf("reading the plan: %w", err)
	}
	if expiry, exists := body["expireAt"].(string); exists {
		body["expireAt"] = strings.ToUpper(expiry) // many parsers know "T" and "Z" alone, Go's among them
	}
	return body, nil
}

// returned reads the key of a response, as far as it can be read. An expiry of null is "": the
// key never expires. One that is omitted is null: it is not known.
func returned(key any, typ tftypes.Type) (tfvalue.Value, error) {
	response, err := keyRules.Salvage(key, typ.(tftypes.Object))
	members, _ := key.(map[string]any)
	if expiry, exists := members["expireAt"]; exists && expiry == nil {
		response = response.With(tfvalue.String(""), "expire_at")
	}
	return response, err
}

// warnInterrupted logs which key may be created when the run is interrupted, until stop is
// called. A second interrupt ends Terraform at once, and the secret is lost. Only a log line
// can say so in time: Terraform shows a diagnostic once the creation has ended, and ignores
// what a provider answers to the interrupt.
func warnInterrupted(ctx context.Context, asked tfvalue.Value) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		tflog.Warn(ctx, "Interrupted while an API key is being created. If Terraform ends without a result for this key, its secret is lost: "+
			"look for the key in the platform's console and revoke it: "+described(asked, ""))
	})
}

// keyCreated is the state of a new key: the plan, completed by the response. The requested
// expiry stands in for one that the response omits, and for one that renewal cannot count
// from: no timestamp, or one so early that every plan would renew the key. Rejected: the
// API's expiry, and private state that remembers the requested one. A warning says so once.
func (r *apiKeyResource) keyCreated(plan, asked, response tfvalue.Value, created *platform.CreatedAPIKey) tfvalue.Value {
	// The minimum time from a creation to the renewal: validity_hours and
	// early_renewal_hours are whole, and the first is larger.
	const shortestUse = time.Hour
	state := tfvalue.Settle(plan, response)
	state = state.With(tfvalue.Optional(created.KeyID), "key_id")
	state = state.With(tfvalue.Optional(created.KeySecret), "key_secret")
	state = state.With(tfvalue.Bool(false), "ready_for_renewal")
	expiry := state.At("expire_at")
	_, err := tfvalue.ParseTime(expiry.Text())
	if never := !expiry.IsNull() && expiry.IsEmpty(); never {
		state = state.Without("expire_at")
	} else if err != nil {
		state = state.With(asked.At("expire_at"), "expire_at")
	}
	if due(state, r.Now().Add(shortestUse)) {
		state = state.With(asked.At("expire_at"), "expire_at")
	}
	return state
}

// warnDifferences reports in one warning how the created key differs from what was asked:
// both values, or for texts that were configured the response's alone. Values are masked: a
// response may have the secret in another field.
func warnDifferences(asked, response, state tfvalue.Value, created *platform.CreatedAPIKey, mask func(string) string, diags *diag.Diagnostics) {
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
		lines = append(lines, "  - the response to the creation of the key is not as documented: "+created.Incomplete.Error())
	}
	for _, name := range []string{"name", "roles", "state", "ip_access_list", "expire_at"} {
		wanted, got := asked.At(name), response.At(name)
		if got.IsNull() || wanted.IsNull() && got.IsEmpty() || keyRules.Confirms(name, wanted, got) {
			continue
		}
		line, returned := "  - "+name+": ", shown(got)
		switch {
		case wanted.IsNull():
			line += "not set, and "
		case name != "name" && name != "ip_access_list":
			line += "requested " + shown(wanted) + ", and "
		}
		switch {
		case name != "expire_at":
		case got.IsEmpty():
			returned = "none. The key never expires on its own: revoke it in the platform's console once nothing uses it"
		case state.At(name).Equal(wanted) && !asked.At("validity_hours").IsNull():
			returned += ". Renewal follows the requested expiry"
		}
		lines = append(lines, line+"the API returned "+returned)
	}
	if created.KeyID == nil && asked.At("hash_data").IsNull() {
		lines = append(lines, "  - key_id: the API returned none")
	}
	if len(lines) == 0 {
		return
	}
	stored := "The key was created and its secret is in the state."
	if created.KeySecret == nil {
		stored = "The key was created. The API returned no secret, so the state has none."
	}
	diags.AddWarning(fmt.Sprintf("API key %s differs from the request", keyLabel(response.With(asked.At("name"), "name"))),
		stored+" The response differs from the request:\n\n"+strings.Join(lines, "\n"))
}

// addCreateError reports a failed creation, and the key that may exist anyway.
func addCreateError(diags *diag.Diagnostics, asked tfvalue.Value, err error) {
	failed := conn.Detail(err)
	if platform.IsAmbiguous(err) {
		requestID := ""
		if failure := new(platform.Error); errors.As(err, &failure) {
			requestID = failure.RequestID
		}
		failed += "\n\nThe platform may have created the key. If so, its secret is lost. Look for the key in the platform's console and revoke it: " +
			described(asked, requestID) + ". The request was not retried, because a surplus key cannot be deleted."
	}
	diags.AddError("Cannot create API key", failed)
}

// addSecretMissing reports a response without the secret.
func addSecretMissing(diags *diag.Diagnostics, asked, response tfvalue.Value, created *platform.CreatedAPIKey) {
	id := response.At("id").Text()
	if id != "" {
		id = ", ID " + words.Clean(id, words.MaxID)
	}
	diags.AddError("Cannot create API key",
		"The API created the key, but returned no secret, and cannot return it later. "+
			"Look for the key in the platform's console and revoke it: "+
			described(asked, created.RequestID)+id+". The next apply creates another key.")
}

// described is what identifies a key in the console, and its creation in the
// platform's logs. The request ID is omitted if there is none.
func described(asked tfvalue.Value, requestID string) string {
	expiry := "no expiry"
	if at := asked.At("expire_at").Text(); at != "" {
		expiry = "expiry " + at
	}
	if requestID != "" {
		expiry += ", request ID " + words.Clean(requestID, words.MaxID)
	}
	return fmt.Sprintf("name %q, organization %s, roles %s, %s", asked.At("name").Text(), asked.At("organization_id").Text(), strings.Join(texts(asked.At("roles")), ", "), expiry)
}

// Read implements resource.Resource. The API cannot read keys, so only
// ready_for_renewal changes, with the time.
func (r *apiKeyResource) Read(_ context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := tfvalue.Of(req.State.Raw)
	resp.State.Raw = state.With(tfvalue.Bool(due(state, r.Now())), "ready_for_renewal").Value
}

// Update implements resource.Resource. It sends nothing: the platform doesn't know
// the arguments that change in place.
func (r *apiKeyResource) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Delete implements resource.Resource. It sends nothing: the key stays valid.
func (r *apiKeyResource) Delete(_ context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	r.warnLeft(tfvalue.Of(req.State.Raw), &resp.Diagnostics)
}

// warnLeft reports once in a run that a key leaves the state and stays on the
// platform. Terraform plans the destruction of a replaced key a second time, during
// the apply.
func (r *apiKeyResource) warnLeft(state tfvalue.Value, diags *diag.Diagnostics) {
	if !r.Warned.Add(keyLabel(state)) {
		return
	}
	summary, revoke := "API key %s stays valid", " Revoke it in the platform's console."
	if passed(state.At("expire_at"), r.Now()) {
		summary, revoke = "API key %s has expired and stays on the platform", ""
	}
	diags.AddWarning(fmt.Sprintf(summary, keyLabel(state)),
		"The API cannot delete keys, so destroying this resource changes nothing on the platform. "+remains("The key", state, r.Now())+revoke)
}

// ImportState implements resource.ResourceWithImportState, to explain why keys
// cannot be imported.
func (r *apiKeyResource) ImportState(_ context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.AddError("API keys cannot be imported",
		"The API cannot read a key, and returns its secret only in the response to its creation. Create a new key with this resource, and revoke the old one in the platform's console.")
}
