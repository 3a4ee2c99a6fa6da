package terraformtest

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// Propose returns the new state that Terraform proposes to a provider: what the
// configuration sets, and the prior value of what is computed and not set. Members of
// nested objects are proposed one by one, against the element of the prior state with
// the same index or the same key.
func (s *Schema) Propose(prior, config cty.Value) cty.Value {
	if config.IsNull() {
		return cty.NullVal(s.Type)
	}
	return s.attributes.propose(prior, config)
}

func (all attributes) propose(prior, config cty.Value) cty.Value {
	if config.IsNull() {
		return config
	}
	members := map[string]cty.Value{}
	for _, a := range all {
		was, written := member(prior, a), config.GetAttr(a.Name)
		switch {
		case a.Computed && written.IsNull():
			members[a.Name] = was
			if a.Optional && wasConfigured(a, was) {
				members[a.Name] = written
			}
		case a.NestedType != nil:
			members[a.Name] = proposeNested(a.NestedType, was, written)
		default:
			members[a.Name] = written
		}
	}
	return cty.ObjectVal(members)
}

// wasConfigured reports whether a nested attribute has a part that no provider can have computed. If the
// configuration no longer has the attribute, it was configured before, and all of it is gone.
func wasConfigured(a *tfprotov6.SchemaAttribute, prior cty.Value) bool {
	return a.NestedType != nil && len(attributes(a.NestedType.Attributes).any(prior, func(part *tfprotov6.SchemaAttribute) bool { return !part.Computed })) > 0
}

func proposeNested(nested *tfprotov6.SchemaObject, prior, config cty.Value) cty.Value {
	members := attributes(nested.Attributes)
	switch {
	case config.IsNull() || !config.IsKnown():
		return config
	case nested.Nesting == tfprotov6.SchemaObjectNestingModeSingle:
		return members.propose(prior, config)
	case nested.Nesting == tfprotov6.SchemaObjectNestingModeSet:
		if slices.ContainsFunc(members, func(a *tfprotov6.SchemaAttribute) bool { return a.Computed }) {
			panic("computed members of a set are not played")
		}
		return config
	case config.LengthInt() == 0:
		return config
	}
	var elements []cty.Value
	keyed := map[string]cty.Value{}
	for key, element := range config.Elements() {
		if !prior.IsNull() && prior.HasIndex(key).True() {
			element = members.propose(prior.Index(key), element)
		}
		if nested.Nesting == tfprotov6.SchemaObjectNestingModeMap {
			keyed[key.AsString()] = element
		}
		elements = append(elements, element)
	}
	if len(keyed) > 0 {
		return cty.MapVal(keyed)
	}
	return cty.ListVal(elements)
}

// same reports whether two values are the same, as far as they are known.
func same(a, b cty.Value) bool { return unrefined(a).RawEquals(unrefined(b)) }

// unrefined returns a value whose unknown parts have no refinements.
func unrefined(value cty.Value) cty.Value {
	if value.IsWhollyKnown() {
		return value
	}
	plain, _ := cty.Transform(value, func(_ cty.Path, part cty.Value) (cty.Value, error) {
		if part.IsKnown() {
			return part, nil
		}
		return cty.UnknownVal(part.Type()), nil
	})
	return plain
}

// Lifecycle has the arguments of the block of that name.
type Lifecycle struct {
	CreateBeforeDestroy bool
	// IgnoreChanges are paths of ignore_changes. One that leads into a map ends at the key.
	IgnoreChanges []cty.Path
}

// ignore returns a configuration that has the prior values of what is ignored, from
// which Terraform then proposes. A new object ignores nothing.
func (l Lifecycle) ignore(prior, config cty.Value) cty.Value {
	if prior.IsNull() {
		return config
	}
	for _, path := range l.IgnoreChanges {
		config = keep(prior, config, path)
	}
	return config
}

// keep returns a configuration with the prior value at a path. Where one of both has
// nothing that the path leads through, the configuration stays.
func keep(prior, config cty.Value, path cty.Path) cty.Value {
	if len(path) == 0 {
		return prior
	}
	if !config.IsKnown() {
		return config
	}
	step, isIndex := path[0].(cty.IndexStep)
	switch {
	case isIndex && config.Type().IsMapType(): // an element that only one of both has comes, or goes
		had := !prior.IsNull() && prior.HasIndex(step.Key).True()
		if config.IsNull() && !had {
			return config
		}
		elements := map[string]cty.Value{}
		if !config.IsNull() {
			maps.Copy(elements, config.AsValueMap())
		}
		delete(elements, step.Key.AsString())
		if had {
			elements[step.Key.AsString()] = prior.Index(step.Key)
		}
		return must(convert.Convert(cty.ObjectVal(elements), config.Type()))
	case prior.IsNull() || config.IsNull():
		return config
	case !isIndex:
		members, name := config.AsValueMap(), path[0].(cty.GetAttrStep).Name
		members[name] = keep(prior.GetAttr(name), members[name], path[1:])
		return cty.ObjectVal(members)
	case !config.HasIndex(step.Key).True() || !prior.HasIndex(step.Key).True():
		return config
	default:
		elements := config.AsValueSlice()
		i, _ := step.Key.AsBigFloat().Int64()
		elements[i] = keep(prior.Index(step.Key), elements[i], path[1:])
		return cty.ListVal(elements)
	}
}
