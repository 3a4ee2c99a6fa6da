package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// serviceDataSource is dataplatform_service.
type serviceDataSource struct{ conn.DataSource }

func newServiceDataSource() datasource.DataSource { return &serviceDataSource{} }

// Metadata implements datasource.DataSource.
func (d *serviceDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_service"
}

// Schema implements datasource.DataSource.
func (d *serviceDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := computed(serviceAttributes())
	attributes["organization_id"] = lookupOrganizationID("service")
	attributes["id"] = schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "UUID of the service. Exactly one of `id` and `name` must be set.",
		Validators:          []validator.String{uuidText, stringvalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("name"))},
	}
	attributes["name"] = schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Name of the service, case-sensitive. It is an error if several services have this name.",
	}
	attributes["encryption_key"] = schema.StringAttribute{
		Computed: true, Sensitive: true,
		MarkdownDescription: "Encryption key of the service. May be a secret, and is stored in the state.",
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one database service, by ID or by name. It cannot change the service; `dataplatform_service_scaling` manages its scaling.",
		Attributes:          attributes,
	}
}

// Read implements datasource.DataSource.
func (d *serviceDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	config := tfvalue.Of(req.Config.Raw)
	client, organization, ok := d.Management(config.At("organization_id"), &resp.Diagnostics)
	if !ok {
		return
	}
	state := tfvalue.Null(config.Type())
	if id := config.At("id"); !id.IsNull() {
		if err := client.GetFreshService(ctx, organization.Text(), id.Text(), tfvalue.Rules{}.Into(&state)); err != nil {
			addServiceError(&resp.Diagnostics, organization.Text(), id.Text(), err)
			return
		}
	} else if state, ok = namedService(ctx, client, organization.Text(), config, &resp.Diagnostics); !ok {
		return
	}
	state = state.With(organization, "organization_id")
	for _, name := range []string{"id", "name"} {
		if asked := config.At(name); !asked.IsNull() {
			state = state.With(asked, name)
		}
	}
	resp.State.Raw = state.Value
}

const cannotReadService = "Cannot read service"

func addServiceError(diags *diag.Diagnostics, organizationID, id string, err error) {
	if !platform.IsNotFound(err) {
		conn.AddError(diags, cannotReadService, err)
		return
	}
	_, full := platform.Absence(err)
	diags.AddAttributeError(path.Root("id"), cannotReadService,
		fmt.Sprintf("There is no service %s in organization %s: %s Check id and organization_id.", id, organizationID, full))
}

// namedService is the one service that has the configured name. Messages don't repeat the
// name: what is configured as free text may be a secret.
func namedService(ctx context.Context, client *platform.Client, organizationID string, config tfvalue.Value, diags *diag.Diagnostics) (tfvalue.Value, bool) {
	service := tfvalue.Null(config.Type())
	var ids []string
	err := client.FindServices(ctx, organizationID, config.At("name").Text(), func(raw jsontext.Value) (err error) {
		err = tfvalue.Rules{}.Into(&service)(raw)
		ids = append(ids, service.At("id").Text())
		return err
	})
	switch {
	case err != nil:
		conn.AddError(diags, cannotReadService, err)
	case len(ids) == 0:
		diags.AddAttributeError(path.Root("name"), cannotReadService,
			fmt.Sprintf("No service of organization %s has this name: two consecutive lists omit it. Names are case-sensitive. Check name and organization_id.", organizationID))
	case len(ids) > 1:
		diags.AddAttributeError(path.Root("name"), cannotReadService,
			fmt.Sprintf("%d services of organization %s have this name: %s. Set id instead of name.", len(ids), organizationID, strings.Join(ids, ", ")))
	}
	return service, !diags.HasError()
}
