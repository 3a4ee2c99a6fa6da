package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
)

// pipeKinds are the members of source that hold a kind of source, in the order
// of the API document.
var pipeKinds = []string{"kafka", "object_storage", "cloud_stream", "postgres"}

var validateSamplesPath = []string{"source", "validate_samples"}

// pipeResource is dataplatform_pipe.
type pipeResource struct{ adoption }

func newPipeResource() resource.Resource {
	return &pipeResource{adoption{adoptable: pipeObject{}}}
}

// Metadata implements resource.Resource.
func (r *pipeResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_pipe"
}

// Schema implements resource.Resource.
func (r *pipeResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = pipeResourceSchema()
}

// pipeObject is what adoption needs to know of a pipe.
type pipeObject struct{}

func (pipeObject) noun() string { return "pipe" }

func (pipeObject) idNames() []string { return []string{"service_id", "pipe_id"} }

func (pipeObject) notLeaves() [][]string {
	return [][]string{validateSamplesPath, {credentialsName}}
}

func (pipeObject) moves(tftypes.Value) []string { return []string{"state", "updated_at"} }

func (pipeObject) read(ctx context.Context, client *platform.Client, id identity) (any, error) {
	return client.GetPipe(ctx, id.organization, id.ids[0], id.ids[1])
}

func (pipeObject) complete(config, plan, held tftypes.Value) tftypes.Value {
	if at(config, tableMappingsPath...).IsNull() {
		return plan
	}
	return with(plan,
		completeMappings(at(config, tableMappingsPath...), at(plan, tableMappingsPath...), at(held, tableMappingsPath...)),
		tableMappingsPath...)
}

// hush takes the source whole where none of it is sent: validate_samples alone
// is no change, and Terraform accepts the state's value for an object that
// provider and user share only as one piece.
func (pipeObject) hush(plan, state, send tftypes.Value) tftypes.Value {
	if anyLeaf(at(send, "source")) || at(plan, "source").IsNull() || !at(plan, "source").IsFullyKnown() || at(state, "source").IsNull() {
		return plan
	}
	return with(plan, at(state, "source"), "source")
}

func (pipeObject) check(config, plan, state, held tftypes.Value, diags *diag.Diagnostics) {
	checkKinds(config, held, diags)
	checkCredentials(config, plan, state, diags)
}

// checkKinds refuses a kind of source that the pipe doesn't have. Where the
// platform tells no kind at all, nothing can be said.
func checkKinds(config, held tftypes.Value, diags *diag.Diagnostics) {
	var has []string
	for _, kind := range pipeKinds {
		if !at(held, "source", kind).IsNull() {
			has = append(has, kind)
		}
	}
	if len(has) == 0 || !at(held, "source").IsKnown() {
		return
	}
	for _, parent := range []string{"source", credentialsName} {
		for _, kind := range pipeKinds {
			configured := at(config, parent, kind)
			if configured.IsNull() || !configured.IsKnown() || slices.Contains(has, kind) {
				continue
			}
			diags.AddAttributeError(
				attributePath([]string{parent, kind}),
				"Pipe has another kind of source",
				fmt.Sprintf("%s.%s is configured, and the source of this pipe is %s. The kind of a pipe's source can't be changed.",
					parent, kind, strings.Join(has, " and ")),
			)
		}
	}
}

// advise warns of tables that are mapped anew.
func (pipeObject) advise(label string, _, send, held tftypes.Value, diags *diag.Diagnostics) {
	wanted := at(send, tableMappingsPath...)
	if wanted.IsNull() || !wanted.IsFullyKnown() {
		return
	}
	_, waiting := splitMappings(at(held, tableMappingsPath...), wanted)
	var anew []string
	for _, mapping := range waiting {
		key := mappingKey(mapping)
		anew = append(anew, fmt.Sprintf("  - %s.%s to %s", key.SourceSchemaName, key.SourceTable, key.TargetTable))
	}
	if len(anew) == 0 {
		return
	}
	diags.AddAttributeWarning(
		attributePath(tableMappingsPath),
		fmt.Sprintf("Tables of %s are mapped anew", label),
		"A mapping can't be changed in place. These are removed and then added, which may copy their tables once more:\n\n"+strings.Join(anew, "\n"),
	)
}

// stages implements staged: table mappings may need a PATCH of their own.
func (pipeObject) stages(send, held tftypes.Value) []tftypes.Value {
	first, waiting := splitMappings(at(held, tableMappingsPath...), at(send, tableMappingsPath...))
	if len(waiting) == 0 {
		return []tftypes.Value{send}
	}
	return []tftypes.Value{with(send, first, tableMappingsPath...), only(send, tableMappingsPath)}
}

// patcher implements adoptable.
func (pipeObject) patcher(client *platform.Client, id identity, config, plan, state tftypes.Value) (patchFunc, bool) {
	renewed := renewedKinds(config, plan, state)
	p := pipePatch{client: client, id: id, config: config, plan: plan, kinds: renewed}
	return p.patch, len(renewed) > 0
}
