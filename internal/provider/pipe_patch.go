package provider

import (
	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// pipeBody implements adopt.Kind.Body: the leaves of a patch and its change to the table mappings;
// and with a change to the source, its credentials and validateSamples.
func pipeBody(change adopt.Change, patch adopt.Patch) (map[string]any, error) {
	members, err := pipeRules.JSON(patch.Leaves.Prune())
	if err != nil {
		return nil, err
	}
	body := jsonObject(members)
	if err := body.setMappings(patch.Edit); err != nil {
		return nil, err
	}
	for _, c := range credentials {
		if c.isSent(change, patch) {
			c.addTo(body, change)
		}
	}
	validate := change.Config.At(validateSamplesPath...)
	if _, sends := body["source"]; sends && isSet(validate) {
		body.at("source")["validateSamples"] = validate.True()
	}
	return body, nil
}

// jsonObject is a body, or an object in it.
type jsonObject map[string]any

// at returns the object at a path, which it creates if there is none.
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

// setMappings adds a change to the table mappings. A removal has the names as the platform spells
// them.
func (o jsonObject) setMappings(edit tfvalue.Edit) error {
	for list, mappings := range map[string][]tfvalue.Value{"tableMappingsToRemove": edit.Remove, "tableMappingsToAdd": edit.Add} {
		var all []any
		for _, mapping := range mappings {
			if list == "tableMappingsToRemove" {
				mapping = mappingKey.OnlyKey(mapping)
			}
			members, err := pipeRules.JSON(mapping)
			if err != nil {
				return err
			}
			all = append(all, members)
		}
		if len(all) > 0 {
			o.at("source", "postgres")[list] = all
		}
	}
	return nil
}

// changesKind reports whether a patch has a kind of source.
func changesKind(patch adopt.Patch, kind string) bool {
	return patch.Leaves.At("source", kind).AnyLeaf() || tableMappingsPath[1] == kind && !patch.Edit.IsEmpty()
}
