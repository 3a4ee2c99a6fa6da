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
var pipe = adopt.New(adopt.Kind{
	Name:      "pipe",
	Noun:      "pipe",
	IDs:       []string{"service_id", "pipe_id"},
	Schema:    pipeResourceSchema(),
	Rules:     pipeRules,
	Unmanaged: []tfvalue.Path{validateSamplesPath, {credentialsName}},
	Read: func(ctx context.Context, client *platform.Client, id adopt.Identity) (any, error) {
		return client.GetPipe(ctx, id.Organization, id.IDs[0], id.IDs[1])
	},
	ReadsOne: true,
	Patch:    patchPipe,
	Forces:   func(change adopt.Change) bool { return len(renewedKinds(change)) > 0 },
	Stages:   mappingStages,
	Moves:    func(tfvalue.Value) []string { return []string{"state", "updated_at"} },
	Complete: completePipe,
	Suppress: suppressValidateSamples,
	Check: func(label string, change adopt.Change, remote tfvalue.Value, diags *diag.Diagnostics) {
		checkKinds(label, change.Config, remote, diags)
		if diags.HasError() {
			return // a secret for another kind would not help
		}
		checkCredentials(change, diags)
		checkMappings(label, change, remote, diags)
	},
	Overwrites: overwrittenCredentials,
	Unfinished: "Their excluded columns stay excluded.",
	Advise: func(label string, change adopt.Change, send, remote tfvalue.Value, diags *diag.Diagnostics) {
		warnRemapped(label, send, remote, diags)
		warnCredentialsMissing(label, change, send, diags)
	},
})

var pipeRules = tfvalue.Rules{
	Trimmed:      []string{"ca_certificate"},
	Keys:         map[string]tfvalue.Key{tableMappingsName: mappingKey},
	Alternatives: []string{"source"},
}

// sourceKinds are the members of source that hold a kind of source, in the
// order of the API document.
var sourceKinds = []string{"kafka", "object_storage", "cloud_stream", "postgres"}

var validateSamplesPath = tfvalue.Path{"source", "validate_samples"}

// suppressValidateSamples keeps validate_samples from being a change by itself: it
// is sent with other changes. Terraform accepts a prior value only where both are
// set, or for the source as a whole.
func suppressValidateSamples(plan, prior tfvalue.Value, atRest bool) tfvalue.Value {
	validate, was := plan.At(validateSamplesPath...), prior.At(validateSamplesPath...)
	switch {
	case !plan.At("source").IsObject() || !prior.At("source").IsObject():
		return plan
	case !validate.IsNull() && !was.IsNull():
		return plan.With(was, validateSamplesPath...)
	case atRest:
		return plan.With(prior.At("source"), "source")
	default:
		return plan
	}
}

// checkKinds rejects a kind of source that the pipe doesn't have. If the API
// returns no kind at all, nothing is checked.
func checkKinds(label string, config, remote tfvalue.Value, diags *diag.Diagnostics) {
	var has []string
	for _, kind := range sourceKinds {
		if remote.At("source", kind).IsObject() {
			has = append(has, kind)
		}
	}
	if len(has) == 0 {
		return
	}
	for _, parent := range []string{"source", credentialsName} {
		for _, kind := range sourceKinds {
			if !config.At(parent, kind).IsObject() || slices.Contains(has, kind) {
				continue
			}
			diags.AddAttributeError(
				conn.AttributePath(tfvalue.Path{parent, kind}),
				"Pipe has another kind of source",
				fmt.Sprintf("%s.%s is configured, but the source of %s is %s, and the kind of a source cannot be changed. "+
					"Configure %s.%s instead, or set pipe_id to a pipe with a %s source.",
					parent, kind, label, strings.Join(has, " and "), parent, has[0], kind),
			)
		}
	}
}
