package tfvalue

// Settle returns the state after a write: the plan, in which the values of the response replace
// unknown values, and lists and sets that are partly unknown. Known values stay, since Terraform
// rejects a state that differs from its plan.
func Settle(plan, response Value) Value {
	return plan.combine("", response, func(_ string, plan, response Value) Value {
		if !plan.IsFullyKnown() {
			return response
		}
		return plan
	})
}

// Suppress returns a plan with the prior value wherever the two mean the same.
func (r Rules) Suppress(plan, prior Value) Value {
	return plan.combine("", prior, func(name string, plan, prior Value) Value {
		if r.Same(name, plan, prior) {
			return prior
		}
		return plan
	})
}
