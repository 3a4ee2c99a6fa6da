package tfvalue

// Owned returns the leaves that the configuration sets, with the values of the plan. All else is
// null. Terraform applies ignore_changes only to the plan: if plan and configuration differ in more
// than spelling, and the plan shows no change, the leaf is ignored, and not owned. If a part of a
// leaf is ignored, the plan shows a change to the rest, and the leaf is owned with the plan's
// value.
//
// Rejected: the values of the configuration. An ignored value would be sent. Rejected: all leaves of
// the plan. It also contains unmanaged ones.
func (r Rules) Owned(config, plan, prior Value) Value { return r.ownedPart("", config, plan, prior) }

func (r Rules) ownedPart(name string, config, plan, prior Value) Value {
	switch {
	case config.IsNull() || plan.IsNull():
		return Null(plan.Type())
	case !config.IsKnown() || !plan.IsKnown():
		return plan
	case plan.IsObject():
		return plan.Map(func(name string, member Value) Value {
			return r.ownedPart(name, config.At(name), member, prior.At(name))
		})
	case !r.Same(name, config, plan) && r.Same(name, plan, prior):
		return Null(plan.Type())
	default:
		return plan
	}
}

// Changes returns the owned leaves that differ from the remote object. An unknown value differs.
func (r Rules) Changes(owned, remote Value) Value {
	return owned.combine("", remote, func(name string, owned, remote Value) Value {
		if r.Same(name, owned, remote) || owned.isKeyed() && owned.IsEmpty() && remote.IsEmpty() { // nothing to add or to remove
			return Null(owned.Type())
		}
		return owned
	})
}

// Settle returns the state after a write: the plan, in which the values of the response replace
// unknown values, and lists, sets and maps that are partly unknown. Known values stay, since Terraform
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
