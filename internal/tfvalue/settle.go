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
