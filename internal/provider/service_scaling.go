package provider

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// serviceScaling is dataplatform_service_scaling: the scaling of one service, adopted.
var serviceScaling = adopt.New(adopt.Kind{
	Name:         "service_scaling",
	Noun:         "service",
	CannotRead:   cannotReadService,
	CannotUpdate: "Cannot update service",
	CannotImport: "Cannot import service",
	NoSuch:       "No such service",
	IDs:          []string{"service_id"},
	Schema:       serviceScalingSchema(),
	Validate:     checkMemoryLimits,
	Read: func(ctx context.Context, client *platform.Client, id adopt.Identity, read platform.Read) error {
		return client.GetService(ctx, id.Organization, id.IDs[0], read)
	},
	Begin: func(ctx context.Context, client *platform.Client, id adopt.Identity) (context.Context, adopt.Call) {
		return client.UpdateServiceScaling(ctx, id.Organization, id.IDs[0])
	},
	Body: func(_ adopt.Change, patch adopt.Content) (body map[string]any, hasCredentials bool) {
		return tfvalue.Rules{}.JSON(patch.All()), false
	},
	AlsoChanges: replicaMemory,
	Check:       checkScaling,
})

// replicaMemory returns what is derived from the total memory, if that is sent.
func replicaMemory(send tfvalue.Value) []string {
	if send.At("min_total_memory_gb").IsNull() && send.At("max_total_memory_gb").IsNull() {
		return nil
	}
	return []string{"min_replica_memory_gb", "max_replica_memory_gb"}
}

func serviceScalingSchema() schema.Schema {
	fields := serviceAttributes()
	return schema.Schema{
		MarkdownDescription: "Manages the auto-scaling settings of one existing service. " +
			"It cannot create services, and destroying the resource changes nothing on the platform.",
		Attributes: map[string]schema.Attribute{
			"organization_id": organizationID("service", fromFirstApply),
			"service_id":      required.string("UUID of the service."+replaces, uuidText),
			"num_replicas": settable.number("Number of replicas, between 1 and 20. "+
				"The first service of a warehouse needs at least 2, unless the organization's tier allows fewer. The tier may set further limits. "+
				"The platform's default is 1 on tier BASIC, and 3 on tiers SCALE and ENTERPRISE.",
				numberCheck{"must be a whole number between 1 and 20", 1, 20, 1}),
			"idle_scaling": settable.bool("Whether the service may scale down to zero when idle. The platform's default is `true`."),
			"idle_timeout_minutes": settable.number("Idle time after which the service scales down to zero, in minutes; at least 5.",
				numberCheck{"must be a whole number of at least 5", 5, math.MaxInt64, 1}),
			"min_total_memory_gb": deprecatedMemory("Minimum", ", not exceeding `max_total_memory_gb`"),
			"max_total_memory_gb": deprecatedMemory("Maximum", ", at most 360 for non-paid services"),

			"name":                  fields["name"],
			"data_warehouse_id":     fields["data_warehouse_id"],
			"is_primary":            fields["is_primary"],
			"min_replica_memory_gb": fields["min_replica_memory_gb"],
			"max_replica_memory_gb": fields["max_replica_memory_gb"],
		},
	}
}

func deprecatedMemory(bound, limit string) schema.Attribute {
	const inaccurateTotal = "inaccurate for services with a non-default number of replicas"
	attribute := settable.number(
		bound+" total memory of three workers during auto-scaling, in GB; a multiple of 12 between 24 and 1068"+limit+". "+
			"Only for `production` services. Deprecated: "+inaccurateTotal+".",
		numberCheck{"must be a multiple of 12 between 24 and 1068", 24, 1068, 12}).(schema.NumberAttribute)
	attribute.DeprecationMessage = "The platform has deprecated this argument: it is " + inaccurateTotal + ". " +
		"The API offers no replacement: memory per replica is read-only."
	return attribute
}

func checkMemoryLimits(service tfvalue.Value, diags *diag.Diagnostics) {
	minimum, maximum := service.At("min_total_memory_gb"), service.At("max_total_memory_gb")
	if isSet(minimum) && isSet(maximum) && minimum.Number().Cmp(maximum.Number()) > 0 {
		diags.AddAttributeError(path.Root("min_total_memory_gb"), "Minimum memory exceeds maximum",
			fmt.Sprintf("min_total_memory_gb must not exceed max_total_memory_gb, got %v and %v. "+
				"If only one of them changes, the platform keeps the other.", minimum.Number(), maximum.Number()))
	}
}

// checkScaling rejects a memory limit beyond the other one that the platform keeps, and warns about a limit of the API document
// that the organization's tier may lift, which the provider cannot see.
func checkScaling(r adopt.Review) []string {
	if replicaMemory(r.Leaves) != nil {
		checkMemoryLimits(r.Leaves.Merge(r.Found()), r.Diags)
	}
	if replicas := r.Leaves.At("num_replicas"); isSet(replicas) && replicas.Number().Cmp(big.NewFloat(2)) < 0 && r.Found().At("is_primary").True() {
		r.Diags.AddAttributeWarning(path.Root("num_replicas"), "Fewer than 2 replicas for "+r.Label,
			"The service is the first of its warehouse (is_primary). The platform may reject the change: "+
				"it requires between 2 and 20 replicas for such a service, unless the organization's tier allows fewer.")
	}
	return nil
}

// serviceScalingList is the list resource dataplatform_service_scaling, for `terraform query`.
type serviceScalingList struct{ *conn.Connection }

func (l *serviceScalingList) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_service_scaling"
}

func (l *serviceScalingList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = listschema.Schema{
		MarkdownDescription: "Lists the services of an organization, to import their scaling with `terraform query`. " +
			"Requires Terraform 1.14 or later; OpenTofu has no `query`.",
		Attributes: map[string]listschema.Attribute{
			"organization_id": optional.string("UUID of the organization. Defaults to the provider's `organization_id`.", uuidText),
			"filter":          filterAttribute(),
		},
	}
}

func (l *serviceScalingList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	config := tfvalue.Of(req.Config.Raw)
	var diags diag.Diagnostics
	var results []list.ListResult
	if client, organization, ok := l.Management(config.At("organization_id"), &diags); ok {
		err := client.ListServices(ctx, organization.Text(), texts(config.At("filter").Elements()), func(decoded any) error {
			if req.Limit > 0 && int64(len(results)) == req.Limit {
				return nil // the framework doesn't apply the limit
			}
			result, err := listedService(ctx, req, organization.Text(), decoded)
			results = append(results, result)
			return err
		})
		if err != nil {
			diags.AddError(cannotListServices, conn.Detail(err))
		}
	}
	stream.Results = slices.Values(results)
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
	}
}

func listedService(ctx context.Context, req list.ListRequest, organization string, decoded any) (list.ListResult, error) {
	result := req.NewListResult(ctx)
	service, err := tfvalue.Rules{}.FromJSON(decoded, listedType)
	if err != nil {
		return result, err
	}
	object, err := serviceScaling.Imported(adopt.Identity{Organization: organization, IDs: []string{service.At("id").Text()}}, decoded)
	if err != nil {
		return result, err
	}
	result.DisplayName = cmp.Or(words.Clean(service.At("name").Text(), words.MaxID), words.Clean(service.At("id").Text(), words.MaxID))
	result.Identity.Raw = serviceScaling.IdentityOf(object).Value
	if req.IncludeResource {
		result.Resource.Raw = object.Value
	}
	return result, nil
}
