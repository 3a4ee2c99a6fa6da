package adopt

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// traits are, by name, the properties of the attributes of an object that decide what a plan and a
// generated configuration may contain.
type traits map[string]trait

type trait struct {
	computed, configurable, required, writeOnly bool
	written                                     bool   // in a generated configuration
	members                                     traits // of an object, or of the elements of a list, a set or a map
}

func traitsOf[A interface {
	IsComputed() bool
	IsOptional() bool
	IsRequired() bool
	IsWriteOnly() bool
	GetDeprecationMessage() string
}](attributes map[string]A) traits {
	all := traits{}
	for name, attribute := range attributes {
		t := trait{computed: attribute.IsComputed(), required: attribute.IsRequired(), writeOnly: attribute.IsWriteOnly()}
		t.configurable = t.required || attribute.IsOptional()
		t.written = t.configurable && !t.writeOnly && attribute.GetDeprecationMessage() == ""
		if nested, ok := any(attribute).(schema.NestedAttribute); ok {
			t.members = traitsOf(nested.GetNestedObject().GetAttributes())
		}
		all[name] = t
	}
	return all
}

// propose returns a plan before the remote object is read: the values that the configuration sets,
// and the prior ones for the rest. In an adoption the rest is unknown.
func (e *Engine) propose(config, prior tfvalue.Value) tfvalue.Value {
	return trait{members: e.traits}.propose(config, prior, prior.IsNull())
}

func (t trait) propose(config, prior tfvalue.Value, adopts bool) tfvalue.Value {
	switch {
	case t.writeOnly, config.IsNull() && !t.computed:
		return tfvalue.Null(config.Type())
	case config.IsNull() && adopts:
		return tfvalue.Unknown(config.Type())
	case config.IsNull():
		return prior
	case config.IsObject():
		return config.Map(func(name string, member tfvalue.Value) tfvalue.Value {
			return t.members[name].propose(member, prior.At(name), adopts)
		})
	default:
		return config
	}
}

// settable reports whether the configuration can set the attribute at a path.
func (all traits) settable(at tfvalue.Path) bool {
	t := all[at[0]]
	return t.configurable && (len(at) == 1 || t.members.settable(at[1:]))
}

// generate returns the configuration that a person would write for an object that was read:
// the arguments that have a value, without deprecated ones and the provider's organization.
// Every argument that it omits keeps its value, so the plan changes nothing.
//
// Rejected: Terraform's own way, which also writes objects in which nothing can be set.
func (e *Engine) generate(state tfvalue.Value, organization string) tfvalue.Value {
	config := trait{written: true, members: e.traits}.generate(e.withoutNames(state)).Prune()
	if strings.EqualFold(config.At("organization_id").Text(), organization) {
		config = config.Without("organization_id")
	}
	return config
}

func (t trait) generate(value tfvalue.Value) tfvalue.Value {
	switch {
	case !t.written, isBlank(value), t.isIncomplete(value):
		return tfvalue.Null(value.Type())
	case value.IsObject():
		return value.Map(func(name string, member tfvalue.Value) tfvalue.Value { return t.members[name].generate(member) })
	default: // the elements of a list, a set or a map are written whole
		return value
	}
}

// withoutNames returns an object whose mappings are as a person writes them: without the names, which are in their
// keys, and without what is empty and may be omitted. An element that lacks a name, or that repeats a key, is
// null: no configuration can have it.
func (e *Engine) withoutNames(object tfvalue.Value) tfvalue.Value {
	key, elements := e.key(), e.mappingsOf(object)
	if elements.IsEmpty() {
		return object
	}
	return object.With(elements.Map(func(at string, element tfvalue.Value) tfvalue.Value {
		if at != key.Of(element) || !key.IsNamed(element) {
			return tfvalue.Null(element.Type())
		}
		return element.Map(func(name string, member tfvalue.Value) tfvalue.Value {
			if slices.Contains(key.Members, name) || slices.Contains(key.MayOmit, name) && member.IsEmpty() {
				return tfvalue.Null(member.Type())
			}
			return member
		})
	}), e.Mappings...)
}

// isBlank reports whether a value is empty, other than false and 0, which mean something.
func isBlank(value tfvalue.Value) bool {
	return value.IsEmpty() && !value.Type().Is(tftypes.Bool) && !value.Type().Is(tftypes.Number)
}

// isIncomplete reports whether validation would reject a list, a set or a map, because the API omitted
// something in one of its elements.
func (t trait) isIncomplete(value tfvalue.Value) bool {
	return slices.ContainsFunc(value.Elements(), func(element tfvalue.Value) bool {
		for name, member := range element.Members() {
			if t.members[name].required && member.IsNull() {
				return true
			}
		}
		return element.IsNull()
	})
}
