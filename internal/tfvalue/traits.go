package tfvalue

import (
	"slices"
)

// Traits are, by name, the properties of the attributes of an object that decide what a plan and a
// generated configuration may contain.
type Traits map[string]Trait

// Trait has the properties of one attribute.
type Trait struct {
	Computed, Required, WriteOnly bool
	// Settable reports whether a configuration can set the attribute.
	Settable bool
	// Written reports whether a generated configuration has the attribute.
	Written bool
	// Members are those of an object, or of the elements of a list, a set or a map.
	Members Traits
}

// Propose returns a plan before the remote object is read: the values that the configuration sets,
// and the prior ones for the rest. In an adoption, which has no prior state, the rest is unknown.
func (all Traits) Propose(config, prior Value) Value {
	return Trait{Members: all}.propose(config, prior, prior.IsNull())
}

func (t Trait) propose(config, prior Value, adopts bool) Value {
	switch {
	case t.WriteOnly, config.IsNull() && !t.Computed:
		return Null(config.Type())
	case config.IsNull() && adopts:
		return Unknown(config.Type())
	case config.IsNull():
		return prior
	case config.IsObject():
		return config.Map(func(name string, member Value) Value { return t.Members[name].propose(member, prior.At(name), adopts) })
	default:
		return config
	}
}

// Settable reports whether a configuration can set the attribute at a path.
func (all Traits) Settable(at Path) bool {
	t := all[at[0]]
	return t.Settable && (len(at) == 1 || t.Members.Settable(at[1:]))
}

// Generate returns the configuration that a person would write for an object: the arguments that have a value.
//
// Rejected: Terraform's own way, which also writes objects in which nothing can be set.
func (all Traits) Generate(object Value) Value {
	return Trait{Written: true, Members: all}.generate(object).Prune()
}

func (t Trait) generate(value Value) Value {
	switch {
	case !t.Written, isBlank(value), t.isIncomplete(value):
		return Null(value.Type())
	case value.IsObject():
		return value.Map(func(name string, member Value) Value { return t.Members[name].generate(member) })
	default: // the elements of a list, a set or a map are written whole
		return value
	}
}

// isBlank reports whether a value is empty, other than false and 0, which mean something.
func isBlank(value Value) bool {
	return value.IsEmpty() && !isBool(value) && !isNumber(value)
}

// isIncomplete reports whether validation would reject a list, a set or a map, because the API omitted
// something in one of its elements.
func (t Trait) isIncomplete(value Value) bool {
	return slices.ContainsFunc(value.Elements(), func(element Value) bool {
		for name, member := range element.Members() {
			if t.Members[name].Required && member.IsNull() {
				return true
			}
		}
		return element.IsNull()
	})
}
