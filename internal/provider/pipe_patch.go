package provider

import (
	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// pipeBody implements adopt.Kind.Body: the leaves of a patch, and where it has a kind of source,
// the change to the table mappings, the configured credentials, and validateSamples.
func pipeBody(change adopt.Change, patch adopt.Patch) (map[string]any, error) {
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
		if err := add("tableMappingsToRemove", mappingKey.OnlyKey(mapping)); err != nil {
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
