package conn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// Bug ends the detail of an error that no configuration and no platform should cause.
const Bug = "This is a bug in the provider. Please report it: https://github.com/dataplatform/terraform-provider-dataplatform/issues"

// Connection is the result of the provider's configuration: a client, and the
// settings that are unknown or not set.
type Connection struct {
	Client *platform.Client
	// OrganizationID is the default organization, or "".
	OrganizationID string
	// Unknown names the settings that are known only after apply, and Unset those that are not set.
	Unknown, Unset []string
	// Now is the clock for the expiry of API keys.
	Now func() time.Time
	// Run is a unique name of this run: Terraform starts a provider for each plan and each apply.
	Run string

	// Warned, Gone and Ignored are what this run remembers: the warnings that it does not repeat,
	// the objects that no longer exist, and the attributes whose change the platform accepted and
	// did not show.
	Warned, Gone, Ignored Keys
}

// Keys is a set of keys that many goroutines may use. The zero value is empty.
type Keys struct{ all sync.Map }

// Add adds a key, and reports whether it is new.
func (k *Keys) Add(key string) (isNew bool) {
	_, exists := k.all.LoadOrStore(key, true)
	return !exists
}

// Has reports whether a key was added.
func (k *Keys) Has(key string) bool {
	_, exists := k.all.Load(key)
	return exists
}

// Unconfigured returns the connection before the provider is configured, when Terraform only
// validates: every setting is unknown.
func Unconfigured() *Connection {
	return &Connection{Unknown: slices.Concat([]string{"organization_id"}, ManagementSettings, AlertingSettings), Now: time.Now}
}

// Settings are required only where they are used: a configuration that reads only
// an alert needs no management key.
var (
	transport = []string{"allow_http", "request_timeout", "retry_timeout", "max_concurrent_requests"}
	// ManagementSettings are the settings that the management API needs.
	ManagementSettings = append([]string{"base_url", "key_id", "key_secret"}, transport...)
	// AlertingSettings are the settings that the alerting API needs.
	AlertingSettings = append([]string{"alerts_base_url", "alerts_access_token"}, transport...)
)

// Waits reports whether what needs these settings has to wait for the apply, because one of them is
// unknown until then.
func (c *Connection) Waits(settings ...string) bool {
	return slices.ContainsFunc(settings, func(s string) bool { return slices.Contains(c.Unknown, s) })
}

// SkipsRefresh reports whether a refresh has to wait for the apply, and warns about it: all settings
// are set, but some are unknown, such as a key that is replaced in this run. An error would block
// the plan that replaces the key.
func (c *Connection) SkipsRefresh(diags *diag.Diagnostics) bool {
	if len(only(ManagementSettings, c.Unset)) > 0 || !c.Waits(ManagementSettings...) {
		return false
	}
	diags.AddWarning("Refresh skipped: provider settings are unknown",
		fmt.Sprintf("%s known only after apply, so this plan uses the state as it is and does not detect drift. The next plan after the apply detects it.",
			platform.SettingsAre(only(ManagementSettings, c.Unknown))))
	return true
}

// Ready returns the client. If some of the settings are not set or not known yet, it reports them in
// one error and returns false.
func (c *Connection) Ready(settings []string, diags *diag.Diagnostics) (*platform.Client, bool) {
	unset, unknown := only(settings, c.Unset), only(settings, c.Unknown)
	if len(unset)+len(unknown) > 0 {
		addLacking(diags, unset, unknown)
		return nil, false
	}
	return c.Client, true
}

const missingSettings = "Missing provider settings"

// addLacking reports settings that are not set or unknown, once per object. Those that are not set
// are one sentence, since every object that needs them has this error.
func addLacking(diags *diag.Diagnostics, unset, unknown []string) {
	if slices.ContainsFunc(*diags, func(d diag.Diagnostic) bool { return d.Summary() == missingSettings }) {
		return
	}
	if len(unset) == 0 {
		diags.AddError("Unknown provider settings",
			fmt.Sprintf("%s known only after apply, which is too late for this plan. First apply the resources that provide a value (terraform apply -target=…), or set known values.",
				platform.SettingsAre(unknown)))
		return
	}
	detail := fmt.Sprintf("%s not set: %s", platform.SettingsAre(unset), ToSet(unset))
	if slices.Contains(unset, "organization_id") {
		detail += "; organization_id can also be set on this object"
	}
	diags.AddError(missingSettings, detail+".")
}

// ToSet ends a sentence about settings that are not set: "set them in the provider block, or with
// the environment variables A and B". settings must not be empty.
func ToSet(settings []string) string {
	them, variables := "it", "variable"
	if len(settings) > 1 {
		them, variables = "them", "variables"
	}
	all := make([]string, len(settings))
	for i, name := range settings {
		all[i] = Environment(name)
	}
	return fmt.Sprintf("set %s in the provider block, or with the environment %s %s", them, variables, platform.Enumerate(all))
}

// only returns the settings that are among others.
func only(settings, among []string) []string {
	return slices.DeleteFunc(slices.Clone(settings), func(name string) bool { return !slices.Contains(among, name) })
}

// Management returns the client and the organization of an object that has to be read now. own is
// the object's organization_id. If a setting is not set or not known yet, it reports an error and
// returns false.
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

// Organization returns the organization of an object: its own, or the provider's default. It is
// unknown while either is. If neither is set, it reports an error that also names the other
// settings that are not set, since no further check follows.
func (c *Connection) Organization(own tfvalue.Value, diags *diag.Diagnostics) tfvalue.Value {
	switch {
	case own.Text() != "":
		return own
	case c.Waits("organization_id"):
		return tfvalue.Unknown(tftypes.String)
	case c.OrganizationID == "":
		addLacking(diags, append([]string{"organization_id"}, only(ManagementSettings, c.Unset)...), nil)
		return tfvalue.Null(tftypes.String)
	default:
		return tfvalue.String(c.OrganizationID)
	}
}

// WarnOrganization warns that an object without an organization_id of its own is in another
// organization than the provider's, and what follows from that. All objects share one summary, so
// that Terraform folds the warnings.
func (c *Connection) WarnOrganization(own, prior tfvalue.Value, label, effect string, diags *diag.Diagnostics) {
	if !own.IsNull() || prior.IsNull() || c.OrganizationID == "" || strings.EqualFold(prior.Text(), c.OrganizationID) {
		return
	}
	diags.AddWarning("Organization differs from the provider's",
		fmt.Sprintf("Terraform keeps %s in organization %s, and the provider is set to %s.\n\n%sIf it is to stay where it is, set organization_id in the resource.",
			label, prior.Text(), c.OrganizationID, effect))
}

// Environment returns the environment variable of a setting. The provider block takes precedence.
func Environment(setting string) string {
	return "DATAPLATFORM_" + strings.ToUpper(setting)
}

// Resource is the base of every resource.
type Resource struct{ *Connection }

// Configure stores the connection of the provider.
func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.Connection = connection(req.ProviderData)
}

// DataSource is the base of every data source.
type DataSource struct{ *Connection }

// Configure stores the connection of the provider.
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.Connection = connection(req.ProviderData)
}

// EphemeralResource is the base of every ephemeral resource.
type EphemeralResource struct{ *Connection }

// Configure stores the connection of the provider.
func (e *EphemeralResource) Configure(_ context.Context, req ephemeral.ConfigureRequest, _ *ephemeral.ConfigureResponse) {
	e.Connection = connection(req.ProviderData)
}

// connection is what the provider hands over, which is nothing before it is configured.
func connection(data any) *Connection {
	if c, ok := data.(*Connection); ok {
		return c
	}
	return Unconfigured()
}
