// Package conn is what resources and data sources share: the provider's
// settings and client, whether they are ready, and errors as diagnostics.
package conn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// Connection is what the provider's configuration comes to: a client, and what
// stands in the way of using it. A nil Connection is a provider that is not
// configured yet.
type Connection struct {
	Client *platform.Client
	// OrganizationID is the default organization, or "".
	OrganizationID string
	// Unknown and Missing name the settings that are not known yet, or not set
	// at all.
	Unknown, Missing []string
	// Now is the clock that the expiry of keys is compared with.
	Now func() time.Time

	objects objects
}

// Each API needs settings of its own, and misses them only when it is used: a
// configuration that reads an alert needs no management key.
var (
	transport = []string{"request_timeout", "retry_timeout", "max_concurrent_requests"}
	// ManagementSettings are those that the management API needs.
	ManagementSettings = append([]string{"base_url", "key_id", "key_secret"}, transport...)
	// AlertingSettings are those that the alerting API needs.
	AlertingSettings = append([]string{"alerts_base_url", "alerts_access_token"}, transport...)
)

// Waits reports whether one of the settings is unknown until the apply.
func (c *Connection) Waits(settings ...string) bool {
	return c == nil || slices.ContainsFunc(settings, func(s string) bool { return slices.Contains(c.Unknown, s) })
}

// SkipsRefresh reports, and warns, that a refresh has to wait: only settings that
// the apply makes known are lacking, such as a key that is replaced in this run.
// An error would block the plan that replaces the key.
func (c *Connection) SkipsRefresh(diags *diag.Diagnostics) bool {
	if c == nil || len(only(ManagementSettings, c.Missing)) > 0 || !c.Waits(ManagementSettings...) {
		return false
	}
	diags.AddWarning("Refresh skipped: provider settings are unknown",
		fmt.Sprintf("%s known only after apply, so this plan uses the state as it is and does not detect drift. The next plan does.",
			platform.SettingsAre(only(ManagementSettings, c.Unknown))))
	return true
}

// Ready returns the client, or reports in one error all the settings that an
// operation needs and that are missing or not known yet.
func (c *Connection) Ready(settings []string, diags *diag.Diagnostics) (*platform.Client, bool) {
	if c == nil {
		diags.AddError("Provider not configured", "The provider was used before it was configured. This is an error in the provider.")
		return nil, false
	}
	missing, unknown := only(settings, c.Missing), only(settings, c.Unknown)
	if len(missing)+len(unknown) > 0 {
		addLacking(diags, missing, unknown)
		return nil, false
	}
	return c.Client, true
}

const missingSettings = "Missing provider settings"

// addLacking reports settings that are missing or unknown, once for an object. It
// is short, since every object that needs them repeats it.
func addLacking(diags *diag.Diagnostics, missing, unknown []string) {
	if slices.ContainsFunc(*diags, func(d diag.Diagnostic) bool { return d.Summary() == missingSettings }) {
		return
	}
	if len(missing) == 0 {
		diags.AddError("Unknown provider settings",
			fmt.Sprintf("%s known only after apply, but needed now: set known values, or apply first what they depend on.", platform.SettingsAre(unknown)))
		return
	}
	detail := fmt.Sprintf("%s not set, in the provider block or by %s", platform.SettingsAre(missing), variables(missing))
	if slices.Contains(missing, "organization_id") {
		detail = fmt.Sprintf("%s not set, in the provider block, by %s, or on this object (organization_id)", platform.SettingsAre(missing), variables(missing))
	}
	if len(unknown) > 0 {
		detail += fmt.Sprintf(", and %s known only after apply", platform.SettingsAre(unknown))
	}
	diags.AddError(missingSettings, detail+".")
}

// only keeps the settings that are among others.
func only(settings, among []string) []string {
	var kept []string
	for _, name := range settings {
		if slices.Contains(among, name) {
			kept = append(kept, name)
		}
	}
	return kept
}

// variables names the environment variables of settings.
func variables(settings []string) string {
	all := make([]string, len(settings))
	for i, name := range settings {
		all[i] = Environment(name)
	}
	if len(all) == 1 {
		return "the environment variable " + all[0]
	}
	return "the environment variables " + platform.Enumerate(all)
}

// Management returns the client of the management API, and the organization of
// an object that has to be read now.
func (c *Connection) Management(own tfvalue.Value, diags *diag.Diagnostics) (*platform.Client, tfvalue.Value, bool) {
	settings := ManagementSettings
	if own.Text() == "" {
		settings = append([]string{"organization_id"}, settings...)
	}
	client, ok := c.Ready(settings, diags)
	if !ok {
		return nil, own, false
	}
	organization := c.Organization(own, diags)
	return client, organization, !diags.HasError()
}

// Organization is the organization of an object: its own, or the provider's.
// It is unknown while either is. Where neither is set, the error names the other
// settings that are missing too, since the object is given up for it.
func (c *Connection) Organization(own tfvalue.Value, diags *diag.Diagnostics) tfvalue.Value {
	switch {
	case own.Text() != "":
		return own
	case c.Waits("organization_id"):
		return tfvalue.Unknown(tftypes.String)
	case c.OrganizationID == "":
		addLacking(diags, append([]string{"organization_id"}, only(ManagementSettings, c.Missing)...), nil)
		return tfvalue.Null(tftypes.String)
	default:
		return tfvalue.String(c.OrganizationID)
	}
}

// Environment is the variable that a setting of the provider is taken from
// where the configuration doesn't have it.
func Environment(setting string) string {
	return "DATAPLATFORM_" + strings.ToUpper(setting)
}

// Resource is what every resource shares.
type Resource struct{ *Connection }

// Configure takes the provider's data.
func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.Connection = connection(req.ProviderData, &resp.Diagnostics)
}

// DataSource is what every data source shares.
type DataSource struct{ *Connection }

// Configure takes the provider's data.
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.Connection = connection(req.ProviderData, &resp.Diagnostics)
}

// connection is nil while Terraform validates.
func connection(data any, diags *diag.Diagnostics) *Connection {
	c, ok := data.(*Connection)
	if !ok && data != nil {
		diags.AddError("Unexpected provider data", fmt.Sprintf("Got %T. This is an error in the provider.", data))
	}
	return c
}
