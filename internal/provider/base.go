package provider

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
)

// connection is what the provider's configuration comes to: a client, and
// what stands in the way of using it.
type connection struct {
	client *platform.Client
	// organizationID is the default organization, or "".
	organizationID string
	// unknown and missing name the settings that are not known yet, or not
	// set at all.
	unknown, missing []string
	// now is the clock that the expiry of keys is compared with.
	now func() time.Time
}

// Each API needs settings of its own, and misses them only when it is used: a
// configuration that reads an alert needs no management key.
var (
	transportSettings  = []string{"request_timeout", "retry_timeout", "max_concurrent_requests"}
	managementSettings = append([]string{"base_url", "key_id", "key_secret"}, transportSettings...)
	alertingSettings   = append([]string{"alerts_base_url", "alerts_access_token"}, transportSettings...)
)

// base is what every resource and data source shares.
type base struct {
	connection *connection
}

// configured takes over the provider's data, which is nil while Terraform
// validates.
func (b *base) configured(data any, diags *diag.Diagnostics) {
	if data == nil {
		return
	}
	c, ok := data.(*connection)
	if !ok {
		diags.AddError("Unexpected provider data", fmt.Sprintf("Got %T. This is an error in the provider.", data))
		return
	}
	b.connection = c
}

type resourceBase struct{ base }

// Configure implements resource.ResourceWithConfigure.
func (b *resourceBase) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	b.configured(req.ProviderData, &resp.Diagnostics)
}

type dataSourceBase struct{ base }

// Configure implements datasource.DataSourceWithConfigure.
func (b *dataSourceBase) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	b.configured(req.ProviderData, &resp.Diagnostics)
}

// waits tells whether one of the settings is unknown until the apply.
func (b *base) waits(settings []string) bool {
	return b.connection == nil || slices.ContainsFunc(settings, func(s string) bool { return slices.Contains(b.connection.unknown, s) })
}

// ready returns the client, or says which of the settings that an operation
// needs are missing or not known yet.
func (b *base) ready(settings []string, diags *diag.Diagnostics) (*platform.Client, bool) {
	if b.connection == nil {
		diags.AddError("Provider not configured", "The provider was used before it was configured. This is an error in the provider.")
		return nil, false
	}
	ok := true
	for _, name := range settings {
		switch {
		case slices.Contains(b.connection.unknown, name):
			diags.AddError(
				"Provider setting not known yet",
				fmt.Sprintf("%s of the provider depends on a value that is known only after an apply, and it is needed now to read from the platform. "+
					"Set it to a value that is known at plan, or apply what it depends on first.", name),
			)
			ok = false
		case slices.Contains(b.connection.missing, name):
			diags.AddError(
				"Provider setting missing",
				fmt.Sprintf("%s of the provider is not set. Set the argument %s in the provider block, or the environment variable %s.", name, name, environment(name)),
			)
			ok = false
		}
	}
	if !ok {
		return nil, false
	}
	return b.connection.client, true
}

// management returns the client of the management API, and the organization of
// an object that has to be read now.
func (b *base) management(own tftypes.Value, diags *diag.Diagnostics) (*platform.Client, tftypes.Value, bool) {
	settings := managementSettings
	if text(own) == "" && b.waits([]string{"organization_id"}) {
		settings = append([]string{"organization_id"}, settings...)
	}
	client, ok := b.ready(settings, diags)
	organization := b.organization(own, diags)
	return client, organization, ok && !diags.HasError()
}

// organization is the organization of an object: its own, or the provider's.
// It is unknown while either is.
func (b *base) organization(own tftypes.Value, diags *diag.Diagnostics) tftypes.Value {
	switch {
	case text(own) != "":
		return own
	case b.waits([]string{"organization_id"}):
		return tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	case b.connection.organizationID == "":
		diags.AddError(
			"Organization missing",
			fmt.Sprintf("No organization is known for this object. Set organization_id here or in the provider block, or the environment variable %s.", environment("organization_id")),
		)
		return tftypes.NewValue(tftypes.String, nil)
	default:
		return tftypes.NewValue(tftypes.String, b.connection.organizationID)
	}
}

// environment is the variable that a setting of the provider is taken from
// where the configuration doesn't have it.
func environment(setting string) string {
	return "DATAPLATFORM_" + strings.ToUpper(setting)
}
