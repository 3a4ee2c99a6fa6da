package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

const filterDescription = "Filters, passed to the API unchanged. The API filters by resource tags only, and does not document the syntax; `tag:env=production` is what the fake platform accepts. Check the result before you rely on it. If omitted, all services are listed."

// servicesDataSource is dataplatform_services.
type servicesDataSource struct{ conn.DataSource }

func newServicesDataSource() datasource.DataSource { return &servicesDataSource{} }

// Metadata implements datasource.DataSource.
func (d *servicesDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_services"
}

// Schema implements datasource.DataSource.
func (d *servicesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the database services of an organization. It cannot change them; `dataplatform_service_scaling` manages the scaling of a single service.",
		Attributes: map[string]schema.Attribute{
			"organization_id": lookupOrganizationID("services"),
			"filter": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: filterDescription,
				Validators:          []validator.List{nonNull},
			},
			"services": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Services, in the order of the API.",
				NestedObject:        schema.NestedAttributeObject{Attributes: serviceAttributes()},
			},
			// A sensitive attribute in every element was rejected: Terraform's work
			// would grow with the square of the list.
			"encryption_keys": schema.MapAttribute{
				Computed: true, Sensitive: true, ElementType: types.StringType,
				MarkdownDescription: "Encryption keys by service ID, of the services that have one. May be secrets, and are stored in the state.",
			},
		},
	}
}

func serviceAttributes() map[string]schema.Attribute {
	const deprecatedTotal = " total memory of three workers (the API's wording) during auto-scaling, in GB. Deprecated by the platform: " + inaccurateTotal + "."
	return map[string]schema.Attribute{
		"id":             shownString("UUID of the service."),
		"name":           shownString("Name of the service."),
		"engine_version": shownString("Version of the database engine."),
		"endpoints": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "Endpoints of the service.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"protocol": shownString("Protocol, such as `mysql`."),
				"host":     shownString("Host name."),
				"port":     shownNumber("Port."),
				"username": shownString("User name."),
			}},
		},
		"min_total_memory_gb":   shownNumber("Minimum" + deprecatedTotal),
		"max_total_memory_gb":   shownNumber("Maximum" + deprecatedTotal),
		"min_replica_memory_gb": shownNumber("Minimum memory of each replica, in GB."),
		"max_replica_memory_gb": shownNumber("Maximum memory of each replica, in GB."),
		"num_replicas":          shownNumber("Number of replicas."),
		"idle_scaling":          shownBool("Whether the service may scale down to zero when idle."),
		"idle_timeout_minutes":  shownNumber("Idle time after which the service scales down to zero, in minutes."),
		"ip_access_list": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "Addresses that may use the service.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"source":      shownString("IP address or CIDR block."),
				"description": shownString("Description of the entry."),
			}},
		},
		"created_at":                         shownString("Creation time."),
		"encryption_assumed_role_identifier": shownString("Identifier of the role that is assumed for encryption."),
		"iam_role":                           shownString("Identifier of the service's role."),
		"private_endpoint_ids":               shownStrings("IDs of the private endpoints of the service."),
		"available_private_endpoint_ids":     shownStrings("IDs of the private endpoints that are available to the service."),
		"data_warehouse_id":                  shownString("ID of the warehouse that the service belongs to."),
		"is_primary":                         shownBool("Whether the service is the first of its warehouse."),
		"is_readonly":                        shownBool("Whether the service is read-only."),
		"byoc_id":                            shownString("ID of the customer's own cloud account, if the service runs in one."),
		"has_transparent_data_encryption":    shownBool("Whether the service has transparent data encryption."),
		"transparent_data_encryption_key_id": shownString("ID of the transparent data encryption key."),
		"encryption_role_id":                 shownString("ID of the encryption role."),
	}
}

// Read implements datasource.DataSource.
func (d *servicesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	config := tfvalue.Of(req.Config.Raw)
	client, organization, ok := d.Management(config.At("organization_id"), &resp.Diagnostics)
	if !ok {
		return
	}
	filter := config.At("filter")
	services, err := client.ListServices(ctx, organization.Text(), texts(filter))
	if err != nil {
		conn.AddError(&resp.Diagnostics, "Cannot list services", err)
		return
	}
	response := serviceList{Services: []platform.Service{}, EncryptionKeys: map[string]string{}}
	for _, service := range services {
		response.Services = append(response.Services, service)
		if key := deref(service.EncryptionKey); key != "" && service.ID != nil {
			response.EncryptionKeys[*service.ID] = key
		}
	}
	state := tfvalue.Encode(response, config.Type()).With(organization, "organization_id")
	resp.State.Raw = state.With(filter, "filter").Value
}

// serviceList is a list in the shape of its schema.
type serviceList struct {
	Services       []platform.Service `tfsdk:"services"`
	EncryptionKeys map[string]string  `tfsdk:"encryption_keys"`
}
