package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
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
	attributes := serviceAttributes()
	attributes["organization_id"] = lookupOrganizationID("service")
	attributes["id"] = schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "UUID of the service. Exactly one of `id` and `name` must be set.",
		Validators:          []validator.String{isUUIDText(), stringvalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("name"))},
	}
	attributes["name"] = schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Name of the service, compared exactly. It is an error if several services have it.",
	}
	attributes["encryption_key"] = schema.StringAttribute{
		Computed: true, Sensitive: true,
		MarkdownDescription: "Encryption key of the service. It may be a secret, and is stored in the state.",
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one database service, by ID or by name. All services that a run reads come from one list of the organization's services. It cannot change a service: `dataplatform_service_scaling` adopts the scaling of one.",
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
	var service *platform.Service
	var err error
	if id := config.At("id"); !id.IsNull() {
		service, err = client.GetService(ctx, organization.Text(), id.Text())
	} else {
		service, err = namedService(ctx, client, organization.Text(), config.At("name").Text())
	}
	if err != nil {
		conn.AddError(&resp.Diagnostics, "Unable to read service", err)
		return
	}
	state := tfvalue.Encode(service, config.Type()).With(organization, "organization_id")
	for _, name := range []string{"id", "name"} {
		if asked := config.At(name); !asked.IsNull() {
			state = state.With(asked, name)
		}
	}
	resp.State.Raw = state.Value
}

// namedService is the one service of a name.
func namedService(ctx context.Context, client *platform.Client, organizationID, name string) (*platform.Service, error) {
	found, err := client.FindServices(ctx, organizationID, name)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, fmt.Errorf("two consecutive lists of the services of organization %s have none with this name; names are compared exactly", organizationID)
	case len(found) == 1:
		return &found[0], nil
	}
	var ids []string
	for _, service := range found {
		ids = append(ids, deref(service.ID))
	}
	return nil, fmt.Errorf("%d services of organization %s have this name: %s; set id instead of name", len(found), organizationID, strings.Join(ids, ", "))
}
