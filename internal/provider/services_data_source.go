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
		MarkdownDescription: "Lists the database services of an organization, in the order of the platform. It cannot change them: `dataplatform_service_scaling` adopts the scaling of one.",
		Attributes: map[string]schema.Attribute{
			"organization_id": lookupOrganizationID("services"),
			"filter": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Filter criteria, each sent as a `filter` parameter as it stands. The platform filters by resource tags alone. Left out, all services are listed.",
				Validators:          []validator.List{noNullsInList},
			},
			"services": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "The services.",
				NestedObject:        schema.NestedAttributeObject{Attributes: serviceAttributes()},
			},
			// Sensitive in every element, it would make Terraform's work grow with
			// the square of the list.
			"encryption_keys": schema.MapAttribute{
				Computed: true, Sensitive: true, ElementType: types.StringType,
				MarkdownDescription: "Encryption keys by service ID, of the services that have one. They may be secrets, and are stored in the state.",
			},
		},
	}
}

func serviceAttributes() map[string]schema.Attribute {
	const deprecatedTotal = " memory of three workers during auto-scaling, in GB. Deprecated by the platform: inaccurate for services with another number of replicas than the default."
	return map[string]schema.Attribute{
		"id":             shownString("UUID of the service."),
		"name":           shownString("Name of the service."),
		"engine_version": shownString("Version of the database engine."),
		"endpoints": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "Addresses that the service answers on.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"protocol": shownString("Protocol, such as `mysql`."),
				"host":     shownString("Host name."),
				"port":     shownNumber("Port."),
				"username": shownString("Name of the user."),
			}},
		},
		"min_total_memory_gb":   shownNumber("Least" + deprecatedTotal),
		"max_total_memory_gb":   shownNumber("Most" + deprecatedTotal),
		"min_replica_memory_gb": shownNumber("Least memory of each replica, in GB."),
		"max_replica_memory_gb": shownNumber("Most memory of each replica, in GB."),
		"num_replicas":          shownNumber("Number of replicas."),
		"idle_scaling":          shownBool("Whether the service may scale down to zero when idle."),
		"idle_timeout_minutes":  shownNumber("How long the service is idle before it scales down to zero, in minutes."),
		"ip_access_list": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "Addresses that may use the service.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"source":      shownString("Address or CIDR block."),
				"description": shownString("Note on the entry."),
			}},
		},
		"created_at":                         shownString("When the service was made."),
		"encryption_assumed_role_identifier": shownString("Role that is assumed for encryption."),
		"iam_role":                           shownString("Identifier of the service's role."),
		"private_endpoint_ids":               shownStrings("Private endpoints of the service."),
		"available_private_endpoint_ids":     shownStrings("Private endpoints that are available to the service."),
		"data_warehouse_id":                  shownString("Id of the warehouse that the service belongs to."),
		"is_primary":                         shownBool("Whether the service is the first of its warehouse."),
		"is_readonly":                        shownBool("Whether the service only reads."),
		"byoc_id":                            shownString("Id of the customer's own cloud account that the service runs in, where it does."),
		"has_transparent_data_encryption":    shownBool("Whether data is encrypted transparently."),
		"transparent_data_encryption_key_id": shownString("Id of the key of the transparent encryption."),
		"encryption_role_id":                 shownString("Id of the role of the encryption."),
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
		conn.AddError(&resp.Diagnostics, "Unable to list services", err)
		return
	}
	answer := serviceList{Services: []platform.Service{}, EncryptionKeys: map[string]string{}}
	for _, service := range services {
		answer.Services = append(answer.Services, service)
		if key := deref(service.EncryptionKey); key != "" && service.ID != nil {
			answer.EncryptionKeys[*service.ID] = key
		}
	}
	state := tfvalue.Encode(answer, config.Type()).With(organization, "organization_id")
	resp.State.Raw = state.With(filter, "filter").Value
}

// serviceList is a list in the shape of its schema.
type serviceList struct {
	Services       []platform.Service `tfsdk:"services"`
	EncryptionKeys map[string]string  `tfsdk:"encryption_keys"`
}
