package adopt

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// traits are what Terraform lets a provider do with each attribute of an
// object, by name.
type traits map[string]trait

type trait struct {
	computed, writeOnly bool
	members             traits // of an object, or of each element
}

func traitsOf[A interface {
	IsComputed() bool
	IsWriteOnly() bool
}](attributes map[string]A) traits {
	all := traits{}
	for name, attribute := range attributes {
		t := trait{computed: attribute.IsComputed(), writeOnly: attribute.IsWriteOnly()}
		if nested, ok := any(attribute).(schema.NestedAttribute); ok {
			t.members = traitsOf(nested.GetNestedObject().GetAttributes())
		}
		all[name] = t
	}
	return all
}

// propose is a plan before anything is known of the remote object: what the
// configuration sets is what it says, and the rest is what it was. In the plan
// of an adoption (prior is null) the rest is unknown.
func (all traits) propose(config, prior tfvalue.Value, adopts bool) tfvalue.Value {
	return config.Map(func(name string, member tfvalue.Value) tfvalue.Value {
		return all[name].propose(member, prior.At(name), adopts)
	})
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
		return t.members.propose(config, prior, adopts)
	case t.members != nil && config.IsKnown():
		elements := config.Elements()
		for i, element := range elements {
			// Nothing says yet which element this was before.
			elements[i] = t.members.propose(element, tfvalue.Null(element.Type()), true)
		}
		return tfvalue.Collection(config.Type(), elements)
	default:
		return config
	}
}
