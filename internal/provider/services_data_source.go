package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

func serviceDataSourceSchema() schema.Schema {
	attributes := serviceAttributes()
	attributes["organization_id"] = organizationID("service", ".")
	attributes["id"] = settable.string("UUID of the service. Exactly one of `id` and `name` must be set.",
		uuidText, stringvalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("name")))
	attributes["name"] = settable.string("Name of the service, case-sensitive. No other service may have it.", nonEmpty)
	attributes["encryption_key"] = computedSecret.string("Encryption key of the service. May be a secret, and is stored in the state.")
	return schema.Schema{
		MarkdownDescription: "Reads one database service, by ID or by name.",
		Attributes:          attributes,
	}
}

const cannotReadService = "Cannot read service"

func readService(ctx context.Context, q *query) error {
	id := q.config.At("id")
	if id.IsNull() {
		return readNamedService(ctx, q)
	}
	err := q.client.GetFreshService(ctx, q.organization, id.Text(), q.take)
	if !platform.AsError(err).NotFound {
		return err
	}
	q.diags.AddAttributeError(path.Root("id"), cannotReadService,
		fmt.Sprintf("There is no service %s in organization %s: %s Check id and organization_id.", id.Text(), q.organization, platform.Absence(err)))
	return nil
}

// readNamedService reads the one service that has the configured name. Its messages repeat the name,
// unlike other free text of a configuration, since a slip in it is why there is none.
func readNamedService(ctx context.Context, q *query) error {
	var ids []string
	name := q.config.At("name").Text()
	err := q.client.FindServices(ctx, q.organization, name, func(decoded any) error {
		err := q.take(decoded)
		ids = append(ids, q.client.Clean(q.result.At("id").Text(), words.MaxID))
		return err
	})
	refuse := func(detail string) { q.diags.AddAttributeError(path.Root("name"), cannotReadService, detail) }
	switch {
	case err != nil:
		return err
	case len(ids) == 0:
		refuse(fmt.Sprintf("No service of organization %s has the name %q: two consecutive lists omit it. Names are case-sensitive. "+
			"Check name and organization_id.", q.organization, name))
	case len(ids) > 1:
		refuse(fmt.Sprintf("%d services of organization %s have the name %q: %s. Set id instead of name.",
			len(ids), q.organization, name, strings.Join(ids, ", ")))
	}
	return nil
}

func filterAttribute() schema.Attribute {
	return optional.stringList("Filters by resource tags, passed to the API unchanged. Their syntax is not documented.", nonNullList)
}

const cannotListServices = "Cannot list services"

func servicesDataSourceSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Lists the database services of an organization.",
		Attributes: map[string]schema.Attribute{
			"organization_id": organizationID("services", "."),
			"filter":          filterAttribute(),
			"services":        computed.objectList("Services, in the order of the API's response.", serviceAttributes()),
			// Rejected: a sensitive attribute in every element. Terraform's work would grow with the
			// square of the list.
			"encryption_keys": computedSecret.stringMap("Encryption keys by service ID, of services that have one. May be secrets; stored in the state."),
		},
	}
}

func serviceAttributes() map[string]schema.Attribute {
	const deprecatedTotal = " total memory of three workers during auto-scaling, in GB. Deprecated."
	return map[string]schema.Attribute{
		"id":             computed.string("UUID of the service."),
		"name":           computed.string("Name of the service."),
		"engine_version": computed.string("Version of the database engine."),
		"endpoints": computed.objectList("Endpoints of the service.", map[string]schema.Attribute{
			"protocol": computed.string("Protocol, such as `mysql`."),
			"host":     computed.string("Host name."),
			"port":     computed.number("Port."),
			"username": computed.string("User name."),
		}),

		"min_total_memory_gb":   computed.number("Minimum" + deprecatedTotal),
		"max_total_memory_gb":   computed.number("Maximum" + deprecatedTotal),
		"min_replica_memory_gb": computed.number("Minimum memory of each replica, in GB."),
		"max_replica_memory_gb": computed.number("Maximum memory of each replica, in GB."),
		"num_replicas":          computed.number("Number of replicas."),
		"idle_scaling":          computed.bool("Whether the service may scale down to zero when idle."),
		"idle_timeout_minutes":  computed.number("Idle time after which the service scales down to zero, in minutes."),
		"ip_access_list": computed.objectList("Addresses that may use the service.", map[string]schema.Attribute{
			"source":      computed.string("IP address or CIDR block."),
			"description": computed.string("Description of the entry."),
		}),

		"created_at":                         computed.string("Creation time."),
		"encryption_assumed_role_identifier": computed.string("Identifier of the role assumed for encryption."),
		"iam_role":                           computed.string("Identifier of the service's role."),
		"private_endpoint_ids":               computed.stringList("IDs of the private endpoints of the service."),
		"available_private_endpoint_ids":     computed.stringList("IDs of the private endpoints available to the service."),
		"data_warehouse_id":                  computed.string("ID of the service's warehouse."),
		"is_primary":                         computed.bool("Whether the service is the first of its warehouse."),
		"is_readonly":                        computed.bool("Whether the service is read-only."),
		"byoc_id":                            computed.string("ID of the customer's own cloud account, if the service runs in one."),
		"has_transparent_data_encryption":    computed.bool("Whether the service has transparent data encryption."),
		"transparent_data_encryption_key_id": computed.string("ID of the transparent data encryption key."),
		"encryption_role_id":                 computed.string("ID of the encryption role."),
	}
}

func readServices(ctx context.Context, q *query) error {
	var services []tfvalue.Value
	keys := map[string]tftypes.Value{}
	listType := q.config.At("services").Type().(tftypes.List)
	err := q.client.ListServices(ctx, q.organization, texts(q.config.At("filter").Elements()), func(decoded any) error {
		service, err := dataRules(tfvalue.Rules{}).FromJSON(decoded, listType.ElementType)
		if err != nil {
			return err
		}
		services = append(services, service)
		keyed, err := tfvalue.Rules{}.FromJSON(decoded, listedType)
		if key := keyed.At("encryption_key"); key.Text() != "" {
			keys[keyed.At("id").Text()] = key.Value
		}
		return err
	})
	q.result = q.config.With(tfvalue.Collection(listType, services), "services").
		With(tfvalue.Of(tftypes.NewValue(q.config.At("encryption_keys").Type(), keys)), "encryption_keys")
	return err
}

// listedType has what encryption_keys and the list resource need of a service.
var listedType = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"id": tftypes.String, "name": tftypes.String, "encryption_key": tftypes.String}}

// texts are strings, or those at a path in objects, "" for one that is unknown.
func texts(values []tfvalue.Value, at ...string) (all []string) {
	for _, value := range values {
		all = append(all, value.At(at...).Text())
	}
	return all
}
