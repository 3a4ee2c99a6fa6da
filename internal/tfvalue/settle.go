package tfvalue

// Settle returns the state after a write: the plan, with every unknown value, and every
// list and set that is partly unknown, replaced by that of the response. Known values
// stay, since Terraform rejects a state that differs from its plan.
func Settle(plan, response Value) Value {
	switch {
	case plan.IsObject():
		return plan.Map(func(name string, member Value) Value { return Settle(member, response.At(name)) })
	case !plan.IsFullyKnown():
		return response
	default:
		return plan
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
