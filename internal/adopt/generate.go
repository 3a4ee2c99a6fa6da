package adopt

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// generate returns the configuration that a person would write for an object that was read:
// the arguments that have a value, without deprecated ones and the provider's organization.
// Every argument that it omits keeps its value, so the plan changes nothing.
//
// Rejected: Terraform's own way, which also writes objects in which nothing can be set.
func (e *Engine) generate(state tfvalue.Value, organization string) tfvalue.Value {
	config := trait{written: true, members: e.traits}.generate(state).Prune()
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
	default: // the elements of a list or set are written whole
		return value
	}
}

// isBlank reports whether a value is empty, other than false and 0, which mean something.
func isBlank(value tfvalue.Value) bool {
	return value.IsEmpty() && !value.Type().Is(tftypes.Bool) && !value.Type().Is(tftypes.Number)
}

// isIncomplete reports whether validation would reject a list or set, because the API omitted
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
