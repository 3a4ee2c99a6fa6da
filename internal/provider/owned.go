package provider

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Declared means owned, omitted means left alone. A leaf is an attribute that
// is no object: lists and sets are owned, compared and sent whole.

// owned is what the user has declared: the leaves of the configuration, with
// the plan's values. Everything else is null.
//
// Not the configuration alone: Terraform applies ignore_changes to the plan
// only, and the configuration's value would be sent against the user's word.
// Not the plan alone: it holds what nobody owns. Where the two disagree in
// more than spelling, the user told Terraform to ignore the leaf, and it is
// left alone.
func owned(config, plan tftypes.Value) tftypes.Value {
	return ownedLeaf("", config, plan)
}

func ownedLeaf(name string, config, plan tftypes.Value) tftypes.Value {
	null := tftypes.NewValue(plan.Type(), nil)
	switch {
	case config.IsNull() || plan.IsNull():
		return null
	case !config.IsKnown() || !plan.IsKnown():
		return plan
	case plan.Type().Is(tftypes.Object{}):
		return eachMember(plan, func(name string, plan tftypes.Value) tftypes.Value {
			return ownedLeaf(name, members(config)[name], plan)
		})
	case !plan.IsFullyKnown() || same(name, config, plan) || name == tableMappingsName && sameWanted(config, plan):
		return plan
	default:
		return null
	}
}

// changes is what has to be sent: the owned leaves that differ from what the
// platform holds. A value unknown yet counts as a difference.
func changes(owned, held tftypes.Value) tftypes.Value {
	return changedLeaf("", owned, held)
}

func changedLeaf(name string, owned, held tftypes.Value) tftypes.Value {
	switch {
	case owned.IsNull():
		return owned
	case owned.IsKnown() && owned.Type().Is(tftypes.Object{}):
		return eachMember(owned, func(name string, member tftypes.Value) tftypes.Value {
			return changedLeaf(name, member, at(held, name))
		})
	case same(name, owned, held):
		return tftypes.NewValue(owned.Type(), nil)
	default:
		return owned
	}
}

// anyLeaf tells whether a value has a leaf that is not null.
func anyLeaf(value tftypes.Value) bool {
	if value.IsNull() {
		return false
	}
	if !value.IsKnown() || !value.Type().Is(tftypes.Object{}) {
		return true
	}
	for _, member := range members(value) {
		if anyLeaf(member) {
			return true
		}
	}
	return false
}

// eachMember returns the object with every member replaced by what change
// makes of it. The object is known and not null.
func eachMember(object tftypes.Value, change func(name string, member tftypes.Value) tftypes.Value) tftypes.Value {
	all := members(object)
	changed := make(map[string]tftypes.Value, len(all))
	for name, member := range all {
		changed[name] = change(name, member)
	}
	return tftypes.NewValue(object.Type(), changed)
}

// leaf is one attribute that is no object, by the names that lead to it.
type leaf struct {
	path  []string
	value tftypes.Value
}

func (l leaf) name() string { return l.path[len(l.path)-1] }

// leaves returns the leaves of a value that are not null, in the order of
// their names.
func leaves(value tftypes.Value) []leaf {
	return appendLeaves(nil, nil, value)
}

func appendLeaves(found []leaf, path []string, value tftypes.Value) []leaf {
	if value.IsNull() {
		return found
	}
	if !value.IsKnown() || !value.Type().Is(tftypes.Object{}) {
		return append(found, leaf{slices.Clone(path), value})
	}
	all := members(value)
	for _, name := range sortedNames(all) {
		found = appendLeaves(found, append(path, name), all[name])
	}
	return found
}

func sortedNames(all map[string]tftypes.Value) []string {
	return slices.Sorted(maps.Keys(all))
}
