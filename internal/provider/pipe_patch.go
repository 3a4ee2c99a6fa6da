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
	response := tfvalue.Null(change.Plan.Type())
	maskCredentials(client, change.Config)
	request, err := pipeRequest(change, patch)
	if err != nil {
		return response, fmt.Errorf("reading the plan: %w", err)
	}
	err = client.UpdatePipe(ctx, id.Organization, id.IDs[0], id.IDs[1], *request, pipeRules.Into(&response))
	return response, err
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
	request := &platform.PipePatch{Body: body, AsOf: patch.AsOf, Unsettled: patch.Unsettled}
	for _, leaf := range patch.Leaves.Leaves() {
		request.Leaves = append(request.Leaves, leaf.Path.String())
	}
	if !patch.Edit.IsEmpty() {
		request.Leaves = append(request.Leaves, tableMappingsPath.String())
	}
	if patch.Ask != nil {
		request.Ask = func(ctx context.Context, perhaps bool) (*platform.PipePatch, error) {
			left, err := patch.Ask(ctx, perhaps)
			if err != nil {
				return nil, err
			}
			return pipeRequest(change, left)
		}
	}
	return request, nil
}

// pipeBody is the body of a patch: its leaves, and where it has a kind of source, the change
// to the table mappings, the configured credentials, and validateSamples.
func pipeBody(change adopt.Change, patch adopt.Patch) (jsonObject, error) {
	members, err := pipeRules.JSON(patch.Leaves.Prune())
	body := jsonObject(members)
	if err != nil {
		return nil, err
	}
	if err := body.setMappings(patch.Edit); err != nil {
		return nil, err
	}
	for _, c := range credentials {
		if c.goes(change, patch) {
			c.set(body.at("source", c.jsonKind()), c.of(change.Plan, c.user), c.of(change.Config, c.value))
		}
	}
	validate := change.Config.At(validateSamplesPath...)
	if _, sends := body["source"]; sends && !validate.IsNull() && validate.IsKnown() {
		body.at("source")["validateSamples"] = validate.True()
	}
	return body, nil
}

// jsonObject is a body, or an object in it.
type jsonObject map[string]any

// at returns the object at a path, which it makes if there is none.
func (o jsonObject) at(names ...string) jsonObject {
	for _, name := range names {
		inner, ok := o[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			o[name] = inner
		}
		o = inner
	}
	return o
}

// setMappings puts a change to the table mappings into a body. A removal spells a mapping
// as the platform does.
func (o jsonObject) setMappings(edit tfvalue.Edit) error {
	add := func(list string, mapping tfvalue.Value) error {
		members, err := pipeRules.JSON(mapping)
		if err != nil {
			return err
		}
		postgres := o.at("source", "postgres")
		all, _ := postgres[list].([]any)
		postgres[list] = append(all, members)
		return nil
	}
	for _, mapping := range edit.Remove {
		if err := add("tableMappingsToRemove", mappingKey.Name(mapping)); err != nil {
			return err
		}
	}
	for _, mapping := range edit.Add {
		if err := add("tableMappingsToAdd", mapping); err != nil {
			return err
		}
	}
	return nil
}

// changesKind reports whether a patch has a kind of source.
func changesKind(patch adopt.Patch, kind string) bool {
	return patch.Leaves.At("source", kind).AnyLeaf() || tableMappingsPath[1] == kind && !patch.Edit.IsEmpty()
}
