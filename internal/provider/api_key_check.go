package provider

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// When a key is checked.
//
// Terraform validates and plans a creation again during the apply. With
// create_before_destroy the old key has left the current state by then, and an
// error loses it: Terraform restores the old object only after an error of the
// creation itself. So nothing that can change between plan and apply (the time,
// unknown values, the environment) may be an error in that plan, which the
// protocol doesn't distinguish from the first plan of a creation. Therefore:
//
//   - "validate", which every command runs first on an unconfigured provider,
//     checks the configuration and reports errors.
//   - The plan of an existing key or of its replacement checks everything that is
//     known, and reports errors.
//   - The plan of a creation checks everything that is known, and reports one
//     warning.
//   - The creation checks everything again before it sends anything, and reports
//     errors.

// firstKeys is earlier than any key of this resource. "validate" rejects a date
// before it, which can't be the expiry of an existing key.
var firstKeys = time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)

// argumentChecks is a provider that is never configured, for checks by the schema.
var argumentChecks = sync.OnceValue(func() server { return serverOf(newProvider("")) })

// checkArguments checks the known arguments of a configuration.
func checkArguments(ctx context.Context, config tfvalue.Value, diags *diag.Diagnostics) {
	dynamic, err := tfprotov6.NewDynamicValue(config.Type(), config.Value)
	if err != nil {
		diags.AddError("Cannot check API key", err.Error())
		return
	}
	req := &tfprotov6.ValidateResourceConfigRequest{TypeName: apiKeyType, Config: &dynamic}
	resp, err := argumentChecks().ValidateResourceConfig(ctx, req)
	if err != nil {
		diags.AddError("Cannot check API key", err.Error())
		return
	}
	for _, d := range resp.Diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			diags.AddAttributeError(rootOf(d.Attribute), d.Summary, d.Detail)
		}
	}
}

// rootOf is the argument that a path begins with.
func rootOf(at *tftypes.AttributePath) path.Path {
	if at != nil && len(at.Steps()) > 0 {
		if name, ok := at.Steps()[0].(tftypes.AttributeName); ok {
			return path.Root(string(name))
		}
	}
	return path.Empty()
}

// checkCreation checks everything known that the creation of a key needs.
func (r *apiKeyResource) checkCreation(config tfvalue.Value, diags *diag.Diagnostics) {
	r.Connection.Organization(config.At("organization_id"), diags)
	if !r.Waits(conn.ManagementSettings...) {
		r.Ready(conn.ManagementSettings, diags)
	}
	r.checkExpiry(config, diags)
}

// checkExpiry rejects an expiry in the past for a key that is to be created. An
// existing key may have expired, or its successor could not be planned.
func (r *apiKeyResource) checkExpiry(key tfvalue.Value, diags *diag.Diagnostics) {
	expiry := key.At("expire_at")
	expires, err := time.Parse(time.RFC3339, expiry.Text())
	if err == nil && !r.now().Before(expires) && !expires.Before(firstKeys) {
		addPastExpiry(expiry, diags)
	}
}

func addPastExpiry(expiry tfvalue.Value, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("expire_at"), "Expiry in the past",
		fmt.Sprintf("expire_at must be in the future when the key is created, got %s.", expiry.Text()))
}

// ValidateConfig implements resource.ResourceWithValidateConfig.
func (r *apiKeyResource) ValidateConfig(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	config := tfvalue.Of(req.Config.Raw)
	if expires, err := time.Parse(time.RFC3339, config.At("expire_at").Text()); err == nil && isRFC3339(config.At("expire_at").Text()) && expires.Before(firstKeys) {
		addPastExpiry(config.At("expire_at"), &resp.Diagnostics)
	}
	validity, early := config.At("validity_hours"), config.At("early_renewal_hours")
	if validity.IsNull() || early.IsNull() || !validity.IsKnown() || !early.IsKnown() || early.Number().Cmp(validity.Number()) < 0 {
		return
	}
	resp.Diagnostics.AddAttributeError(path.Root("early_renewal_hours"), "Invalid early_renewal_hours",
		fmt.Sprintf("early_renewal_hours must be less than validity_hours, got %s and %s.", early.Number().Text('f', -1), validity.Number().Text('f', -1)))
}

// warnRejected turns errors of a key that is to be created into one warning; see
// above.
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
