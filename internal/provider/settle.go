package provider

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// settle is the state after a write: the plan, with every unknown replaced by
// what the platform answered. Terraform holds a provider to every value that
// the plan told.
func settle(plan, answer tftypes.Value) tftypes.Value {
	switch {
	case !plan.IsKnown():
		return answer
	case plan.IsNull() || !plan.Type().Is(tftypes.Object{}):
		return plan
	default:
		return eachMember(plan, func(name string, member tftypes.Value) tftypes.Value {
			return settle(member, at(answer, name))
		})
	}
}

// remember is what is known after an answer: what it tells, and for what it
// left out the last value known. Where the two mean the same, the spelling
// known so far stays.
func remember(last, told tftypes.Value) tftypes.Value {
	return rememberLeaf("", last, told)
}

func rememberLeaf(name string, last, told tftypes.Value) tftypes.Value {
	switch {
	case told.IsNull() || !told.IsKnown():
		return last
	case last.IsNull() || !last.IsKnown():
		return told
	case told.Type().Is(tftypes.Object{}):
		return eachMember(told, func(name string, member tftypes.Value) tftypes.Value {
			return rememberLeaf(name, at(last, name), member)
		})
	case answers(name, last, told):
		return last
	case name == tableMappingsName:
		return rememberMappings(last, told)
	default:
		return told
	}
}

// answers tells whether what the platform told of a leaf is what was wanted.
// Members that it leaves out of the elements of a list or a set count as told.
func answers(name string, wanted, told tftypes.Value) bool {
	if same(name, wanted, told) {
		return true
	}
	switch typ := wanted.Type(); {
	case told.IsNull():
		return isEmpty(wanted)
	case name == tableMappingsName:
		return answersMappings(wanted, told)
	case typ.Is(tftypes.List{}):
		return slices.EqualFunc(elements(wanted), elements(told), answersElement)
	case typ.Is(tftypes.Set{}):
		return answersSet(elements(wanted), elements(told))
	default:
		return false
	}
}

func answersElement(wanted, told tftypes.Value) bool {
	if !wanted.Type().Is(tftypes.Object{}) {
		return same("", wanted, told)
	}
	for name, member := range members(told) {
		asked := members(wanted)[name]
		if !member.IsNull() && !same(name, asked, member) && (!isEmpty(asked) || !isEmpty(member)) {
			return false
		}
	}
	return true
}

// answersSet finds for each element of one set an element of the other that
// answers it.
func answersSet(wanted, told []tftypes.Value) bool {
	for _, w := range wanted {
		if !slices.ContainsFunc(told, func(t tftypes.Value) bool { return answersElement(w, t) }) {
			return false
		}
	}
	for _, t := range told {
		if !slices.ContainsFunc(wanted, func(w tftypes.Value) bool { return answersElement(w, t) }) {
			return false
		}
	}
	return true
}

// missing are the leaves that an answer leaves out and that were told before
// it. An empty one is not missed: absence says the same.
func missing(before, answer tftypes.Value) []leaf {
	return slices.DeleteFunc(leaves(before), func(was leaf) bool {
		return isEmpty(was.value) || !at(answer, was.path...).IsNull()
	})
}

// forget is a value without these leaves.
func forget(value tftypes.Value, gone []leaf) tftypes.Value {
	for _, l := range gone {
		value = with(value, tftypes.NewValue(l.value.Type(), nil), l.path...)
	}
	return value
}

// fill is an answer in which what it left out is what a later one tells.
func fill(answer, later tftypes.Value) tftypes.Value {
	switch {
	case answer.IsNull():
		return later
	case later.IsNull() || !answer.Type().Is(tftypes.Object{}):
		return answer
	default:
		return eachMember(answer, func(name string, member tftypes.Value) tftypes.Value {
			return fill(member, at(later, name))
		})
	}
}

// quiet is a plan in which nothing differs from the state but what was asked
// for: what the framework marked as unknown only because something else
// changes stays what it is, and so does another spelling of the same value.
func quiet(config, plan, state tftypes.Value) tftypes.Value {
	return quietLeaf("", config, plan, state)
}

func quietLeaf(name string, config, plan, state tftypes.Value) tftypes.Value {
	switch {
	case !plan.IsKnown():
		if config.IsNull() {
			return state
		}
		return plan
	case plan.IsNull() || state.IsNull():
		return plan
	case plan.Type().Is(tftypes.Object{}):
		return eachMember(plan, func(name string, member tftypes.Value) tftypes.Value {
			return quietLeaf(name, at(config, name), member, at(state, name))
		})
	case same(name, plan, state):
		return state
	default:
		return plan
	}
}
