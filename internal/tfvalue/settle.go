package tfvalue

// Settle is the state after a write: the plan, with every unknown replaced by
// the answer's value. Terraform holds a provider to every value that the plan
// showed.
func Settle(plan, answer Value) Value {
	switch {
	case !plan.IsKnown():
		return answer
	case plan.IsObject():
		return plan.Map(func(name string, member Value) Value { return Settle(member, answer.At(name)) })
	default:
		return plan
	}
}

// Decide is a plan in which every list and set that is unknown in part is what
// it was completed to.
func Decide(plan, completed Value) Value {
	switch {
	case !plan.IsKnown() || plan.IsFullyKnown():
		return plan
	case plan.IsObject():
		return plan.Map(func(name string, member Value) Value { return Decide(member, completed.At(name)) })
	default:
		return completed
	}
}

// Overlay is an object with these leaves in place of its own. The members that
// elements of a keyed set omit stay.
func (r Rules) Overlay(leaves, object Value) Value { return r.overlay("", leaves, object) }

func (r Rules) overlay(name string, leaves, object Value) Value {
	key, keyed := r.Keys[name]
	switch {
	case leaves.IsNull():
		return object
	case leaves.IsObject() && object.IsObject():
		return object.Map(func(name string, member Value) Value { return r.overlay(name, leaves.At(name), member) })
	case keyed && leaves.IsKnown():
		return key.Fill(leaves, object)
	default:
		return leaves
	}
}

// Suppress is a plan with the prior spelling wherever the two mean the same.
func (r Rules) Suppress(plan, prior Value) Value { return r.suppress("", plan, prior) }

func (r Rules) suppress(name string, plan, prior Value) Value {
	switch {
	case plan.IsNull() || prior.IsNull() || !plan.IsKnown():
		return plan
	case plan.IsObject():
		return plan.Map(func(name string, member Value) Value { return r.suppress(name, member, prior.At(name)) })
	case r.Same(name, plan, prior):
		return prior
	default:
		return plan
	}
}
