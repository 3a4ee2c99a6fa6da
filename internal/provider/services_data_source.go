package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	fields "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

const filterDescription = "Filters by resource tags, passed to the API unchanged. Their syntax is not documented."

func servicesDataSourceSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Lists the database services of an organization.",
		Attributes: map[string]schema.Attribute{
			"organization_id": lookupOrganizationID("services"),
			"filter": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: filterDescription,
				Validators:          []validator.List{nonNull},
			},
			"services": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Services, in the order of the API's response.",
				NestedObject:        schema.NestedAttributeObject{Attributes: computed(serviceAttributes())},
			},
			// Rejected: a sensitive attribute in every element. Terraform's work would grow with the
			// square of the list.
			"encryption_keys": schema.MapAttribute{
				Computed: true, Sensitive: true, ElementType: types.StringType,
				MarkdownDescription: "Encryption keys by service ID, of the services that have one. May be secrets, and are stored in the state.",
			},
		},
	}
}

// serviceAttributes are the fields of a service.
func serviceAttributes() map[string]fields.Attribute {
	const deprecatedTotal = " total memory of three workers during auto-scaling, in GB. Deprecated."
	return map[string]fields.Attribute{
		"id":             computedString("UUID of the service."),
		"name":           computedString("Name of the service."),
		"engine_version": computedString("Version of the database engine."),
		"endpoints": computedObjects("Endpoints of the service.", map[string]fields.Attribute{
			"protocol": computedString("Protocol, such as `mysql`."),
			"host":     computedString("Host name."),
			"port":     computedNumber("Port."),
			"username": computedString("User name."),
		}),
		"min_total_memory_gb":   computedNumber("Minimum" + deprecatedTotal),
		"max_total_memory_gb":   computedNumber("Maximum" + deprecatedTotal),
		"min_replica_memory_gb": computedNumber("Minimum memory of each replica, in GB."),
		"max_replica_memory_gb": computedNumber("Maximum memory of each replica, in GB."),
		"num_replicas":          computedNumber("Number of replicas."),
		"idle_scaling":          computedBool("Whether the service may scale down to zero when idle."),
		"idle_timeout_minutes":  computedNumber("Idle time after which the service scales down to zero, in minutes."),
		"ip_access_list": computedObjects("Addresses that may use the service.", map[string]fields.Attribute{
			"source":      computedString("IP address or CIDR block."),
			"description": computedString("Description of the entry."),
		}),
		"created_at":                         computedString("Creation time."),
		"encryption_assumed_role_identifier": computedString("Identifier of the role assumed for encryption."),
		"iam_role":                           computedString("Identifier of the service's role."),
		"private_endpoint_ids":               computedStrings("IDs of the private endpoints of the service."),
		"available_private_endpoint_ids":     computedStrings("IDs of the private endpoints available to the service."),
		"data_warehouse_id":                  computedString("ID of the service's warehouse."),
		"is_primary":                         computedBool("Whether the service is the first of its warehouse."),
		"is_readonly":                        computedBool("Whether the service is read-only."),
		"byoc_id":                            computedString("ID of the customer's own cloud account, if the service runs in one."),
		"has_transparent_data_encryption":    computedBool("Whether the service has transparent data encryption."),
		"transparent_data_encryption_key_id": computedString("ID of the transparent data encryption key."),
		"encryption_role_id":                 computedString("ID of the encryption role."),
	}
}

func readServices(ctx context.Context, q *query) error {
	var services []tfvalue.Value
	keys := map[string]tftypes.Value{}
	listType := q.config.At("services").Type().(tftypes.List)
	err := q.client.ListServices(ctx, q.organization, texts(q.config.At("filter")), func(decoded any) error {
		service, err := tfvalue.Rules{}.FromJSON(decoded, listType.ElementType)
		if err != nil {
			return err
		}
		services = append(services, service)
		keyed, err := tfvalue.Rules{}.FromJSON(decoded, keyedType)
		if key := keyed.At("encryption_key"); key.Text() != "" {
			keys[keyed.At("id").Text()] = key.Value
		}
		return err
	})
	q.result = q.config.With(tfvalue.Collection(listType, services), "services").
		With(tfvalue.Of(tftypes.NewValue(q.config.At("encryption_keys").Type(), keys)), "encryption_keys")
	return err
}

// keyedType has what encryption_keys needs of a service.
var keyedType = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"id": tftypes.String, "encryption_key": tftypes.String}}

// texts are the elements of a list of strings.
func texts(values tfvalue.Value) []string {
	var all []string
	for _, value := range values.Elements() {
		all = append(all, value.Text())
	}
	return all
}
