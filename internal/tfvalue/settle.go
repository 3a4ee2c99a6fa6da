package tfvalue

// Settle returns the state after a write: the plan, with every unknown value replaced
// by that of the response. Known values stay, since Terraform rejects a state that
// differs from its plan.
func Settle(plan, response Value) Value {
	switch {
	case !plan.IsKnown():
		return response
	case plan.IsObject():
		return plan.Map(func(name string, member Value) Value { return Settle(member, response.At(name)) })
	default:
		return plan
	}
}

// Decide returns a plan in which every list and set that is partly unknown is
// replaced by that of completed.
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

// Overlay returns an object with its leaves replaced by these. The members that
// elements of a keyed set omit are kept.
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

// Suppress returns a plan with the prior value wherever the two mean the same.
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
