package tfvalue

// Owned returns the leaves that the configuration sets, with the values of the plan.
// Of the elements of a keyed set, it has the members that the configuration sets.
// Everything else is null. Terraform applies ignore_changes only to the plan: if plan
// and configuration differ in more than spelling, and the plan shows no change, the
// leaf is ignored, and not owned. If a part of a leaf is ignored, the plan shows a
// change to the rest, and the leaf is owned with the plan's value.
//
// Rejected: the values of the configuration. An ignored value would be sent. Rejected:
// all leaves of the plan. It also contains unmanaged ones.
func (r Rules) Owned(config, plan, prior Value) Value { return r.owned("", config, plan, prior) }

func (r Rules) owned(name string, config, plan, prior Value) Value {
	key, keyed := r.Keys[name]
	switch {
	case config.IsNull() || plan.IsNull():
		return Null(plan.Type())
	case !config.IsKnown() || !plan.IsKnown():
		return plan
	case plan.IsObject():
		return plan.Map(func(name string, member Value) Value {
			return r.owned(name, config.At(name), member, prior.At(name))
		})
	case plan.IsFullyKnown() && !r.AsksFor(name, config, plan) && r.Same(name, plan, prior):
		return Null(plan.Type())
	case keyed:
		return key.declared(config, plan)
	default:
		return plan
	}
}

// AsksFor reports whether a value satisfies a configuration: it is the same, or it is
// a keyed set with every element and member that the configuration sets, and no other
// elements.
func (r Rules) AsksFor(name string, config, value Value) bool {
	key, keyed := r.Keys[name]
	return r.Same(name, config, value) || keyed && config.IsFullyKnown() && value.IsFullyKnown() && key.matches(config, value, Covered)
}

// Changes returns the owned leaves that differ from the remote object. A value that
// is not known yet counts as different.
func (r Rules) Changes(owned, remote Value) Value {
	return owned.combine("", remote, func(name string, owned, remote Value) Value {
		if r.AsksFor(name, owned, remote) {
			return Null(owned.Type())
		}
		return owned
	})
}
