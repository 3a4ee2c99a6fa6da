package provider

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
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
	Begin: func(ctx context.Context, client *platform.Client, id adopt.Identity) (context.Context, adopt.Call, error) {
		return client.UpdateServiceScaling(ctx, id.Organization, id.IDs[0])
	},
	Body: func(_ adopt.Change, patch adopt.Patch) (map[string]any, error) {
		return tfvalue.Rules{}.JSON(patch.All())
	},
	AlsoChanges: scalingAlsoChanges,
	Check:       warnFewReplicas,
})

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
			"idle_scaling":          settable.bool("Whether the service may scale down to zero when idle. The platform's default is `true`."),
			"idle_timeout_minutes":  settable.number("Idle time after which the service scales down to zero, in minutes; at least 5.", integerFrom(5)),
			"min_total_memory_gb":   deprecatedMemory("Minimum", ", not exceeding `max_total_memory_gb`"),
			"max_total_memory_gb":   deprecatedMemory("Maximum", ", at most 360 for non-paid services"),
			"name":                  fields["name"],
			"data_warehouse_id":     fields["data_warehouse_id"],
			"is_primary":            fields["is_primary"],
			"min_replica_memory_gb": fields["min_replica_memory_gb"],
			"max_replica_memory_gb": fields["max_replica_memory_gb"],
		},
	}
}

// inaccurateTotal is why the platform deprecates its total memory settings.
const inaccurateTotal = "inaccurate for services with a non-default number of replicas"

func deprecatedMemory(bound, limit string) schema.Attribute {
	attribute := settable.number(
		bound+" total memory of three workers during auto-scaling, in GB; a multiple of 12 between 24 and 1068"+limit+". "+
			"Only for `production` services. Deprecated: "+inaccurateTotal+".",
		numberCheck{"must be a multiple of 12 between 24 and 1068", 24, 1068, 12}).(schema.NumberAttribute)
	attribute.DeprecationMessage = "The platform has deprecated this argument: it is " + inaccurateTotal + ". " +
		"The API offers no replacement: memory per replica is read-only."
	return attribute
}

func checkMemoryLimits(config tfvalue.Value, diags *diag.Diagnostics) {
	minimum, maximum := config.At("min_total_memory_gb"), config.At("max_total_memory_gb")
	if isSet(minimum) && isSet(maximum) && minimum.Number().Cmp(maximum.Number()) > 0 {
		diags.AddAttributeError(path.Root("min_total_memory_gb"), "Minimum memory exceeds maximum",
			fmt.Sprintf("min_total_memory_gb must not exceed max_total_memory_gb, got %v and %v.", minimum.Number(), maximum.Number()))
	}
}

// scalingAlsoChanges names the memory of a replica, which the platform derives from the total
// memory.
func scalingAlsoChanges(send tfvalue.Value) []string {
	if send.At("min_total_memory_gb").IsNull() && send.At("max_total_memory_gb").IsNull() {
		return nil
	}
	return []string{"min_replica_memory_gb", "max_replica_memory_gb"}
}

// warnFewReplicas warns about a limit of the API document that the organization's tier may lift, which the provider
// cannot see.
func warnFewReplicas(r adopt.Review) []string {
	if replicas := r.Leaves.At("num_replicas"); isSet(replicas) && replicas.Number().Cmp(big.NewFloat(2)) < 0 && r.Remote.At("is_primary").True() {
		r.Diags.AddAttributeWarning(path.Root("num_replicas"), "Fewer than 2 replicas for "+r.Label,
			"The service is the first of its warehouse (is_primary). The platform may reject the change: "+
				"it requires between 2 and 20 replicas for such a service, unless the organization's tier allows fewer.")
	}
	return nil
}
