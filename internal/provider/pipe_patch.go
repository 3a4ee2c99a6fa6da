package provider

import (
	"context"
	"fmt"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// sendPipe implements adopt.Kind.Send.
func sendPipe(ctx context.Context, client *platform.Client, id adopt.Identity, change adopt.Change, patch adopt.Patch) (tfvalue.Value, error) {
	none := tfvalue.Null(change.Plan.Type())
	maskCredentials(client, change.Config)
	request, err := pipeRequest(change, patch)
	if err != nil {
		return none, err
	}
	response, err := client.UpdatePipe(ctx, id.Organization, id.IDs[0], id.IDs[1], *request)
	if err != nil || response == nil {
		return none, err
	}
	return tfvalue.Encode(response, none.Type()), nil
}

// pipeRequest returns the request that sends a patch, nil if that is empty.
func pipeRequest(change adopt.Change, patch adopt.Patch) (*platform.PipePatch, error) {
	if patch.IsEmpty() {
		return nil, nil
	}
	body, err := pipeBody(change, patch)
	if err != nil {
		return nil, err
	}
	request := &platform.PipePatch{Body: body, AsOf: patch.AsOf}
	for _, leaf := range patch.Leaves.Leaves() {
		request.Leaves = append(request.Leaves, leaf.Path.String())
	}
	if patch.Ask != nil {
		request.Leaves = append(request.Leaves, tableMappingsPath.String())
		request.Ask = func(ctx context.Context) (*platform.PipePatch, error) {
			left, err := patch.Ask(ctx)
			if err != nil {
				return nil, err
			}
			return pipeRequest(change, left)
		}
	}
	return request, nil
}

// pipeBody is the body of a patch: its leaves, the change to the table mappings, the kinds
// of source with their configured credentials, and validateSamples if the source changes.
func pipeBody(change adopt.Change, patch adopt.Patch) (platform.PipeUpdate, error) {
	var body platform.PipeUpdate
	if err := patch.Leaves.Prune().Decode(&body); err != nil {
		return body, fmt.Errorf("reading the plan: %w", err)
	}
	source := allocated(&body.Source)
	if !patch.Edit.IsEmpty() {
		if err := setMappings(allocated(&source.Postgres), patch.Edit); err != nil {
			return body, fmt.Errorf("reading the plan: %w", err)
		}
	}
	setCredentials(source, change, patch)
	if *source == (platform.PipeSourceUpdate{}) {
		body.Source = nil
		return body, nil
	}
	if validate := change.Config.At(validateSamplesPath...); !validate.IsNull() && validate.IsKnown() {
		source.ValidateSamples = new(validate.True())
	}
	return body, nil
}

// setMappings puts a change to the table mappings into an update. A removal spells a mapping
// as the platform does.
func setMappings(update *platform.PostgresUpdate, edit tfvalue.Edit) error {
	for _, mapping := range edit.Remove {
		var key platform.TableMappingKey
		if err := mapping.Decode(&key); err != nil {
			return err
		}
		update.TableMappingsToRemove = append(update.TableMappingsToRemove, key)
	}
	for _, mapping := range edit.Add {
		var full platform.TableMapping
		if err := mapping.Decode(&full); err != nil {
			return err
		}
		update.TableMappingsToAdd = append(update.TableMappingsToAdd, full)
	}
	return nil
}

// changesKind reports whether a patch has a kind of source.
func changesKind(patch adopt.Patch, kind string) bool {
	return patch.Leaves.At("source", kind).AnyLeaf() || tableMappingsPath[1] == kind && !patch.Edit.IsEmpty()
}
