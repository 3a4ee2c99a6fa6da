package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// pipe is dataplatform_pipe: the configuration of one pipe, adopted.
var pipe = adopt.New(&adopt.Kind{
	Name:      "pipe",
	Noun:      "pipe",
	IDs:       []string{"service_id", "pipe_id"},
	Schema:    pipeResourceSchema(),
	Rules:     pipeRules,
	Unmanaged: []tfvalue.Path{validateSamplesPath, {credentialsName}},
	Read: func(ctx context.Context, client *platform.Client, id adopt.Identity) (any, error) {
		return client.GetPipe(ctx, id.Organization, id.IDs[0], id.IDs[1])
	},
	Patch:    patchPipe,
	Forces:   func(change adopt.Change) bool { return len(renewedKinds(change)) > 0 },
	Stages:   mappingStages,
	Moves:    func(tfvalue.Value) []string { return []string{"state", "updated_at"} },
	Complete: completePipe,
	Suppress: suppressValidateSamples,
	Check: func(change adopt.Change, remote tfvalue.Value, diags *diag.Diagnostics) {
		checkKinds(change.Config, remote, diags)
		checkCredentials(change, diags)
	},
	Advise: warnRemapped,
})

var pipeRules = tfvalue.Rules{
	Trimmed: []string{"ca_certificate"},
	Keys:    map[string]tfvalue.Key{tableMappingsName: mappingKey},
}

// sourceKinds are the members of source that hold a kind of source, in the
// order of the API document.
var sourceKinds = []string{"kafka", "object_storage", "cloud_stream", "postgres"}

var validateSamplesPath = tfvalue.Path{"source", "validate_samples"}

// suppressValidateSamples takes the source whole where none of it is sent:
// validate_samples alone is no change, and Terraform accepts the prior value of
// an object that provider and user share only as one piece.
func suppressValidateSamples(plan, prior, send tfvalue.Value) tfvalue.Value {
	source := plan.At("source")
	if send.At("source").AnyLeaf() || source.IsNull() || !source.IsFullyKnown() || prior.At("source").IsNull() {
		return plan
	}
	return plan.With(prior.At("source"), "source")
}

// checkKinds refuses a kind of source that the pipe doesn't have. Where the
// platform tells no kind at all, nothing can be said.
func checkKinds(config, remote tfvalue.Value, diags *diag.Diagnostics) {
	var has []string
	for _, kind := range sourceKinds {
		if !remote.At("source", kind).IsNull() {
			has = append(has, kind)
		}
	}
	if len(has) == 0 || !remote.At("source").IsKnown() {
		return
	}
	for _, parent := range []string{"source", credentialsName} {
		for _, kind := range sourceKinds {
			configured := config.At(parent, kind)
			if configured.IsNull() || !configured.IsKnown() || slices.Contains(has, kind) {
				continue
			}
			diags.AddAttributeError(
				conn.AttributePath(tfvalue.Path{parent, kind}),
				"Pipe has another kind of source",
				fmt.Sprintf("%s.%s is configured, and the source of this pipe is %s. The kind of a pipe's source can't be changed.",
					parent, kind, strings.Join(has, " and ")),
			)
		}
	}
}
