package tfvalue

// Owned is what the user owns: the leaves that the configuration sets, with the
// plan's values, and in the elements of a keyed set the members that it sets.
// Everything else is null.
//
// Rejected: the configuration alone. Terraform applies ignore_changes to the
// plan only, and the configuration's value would be sent against the user's
// word. Rejected: the plan alone. It holds what nobody owns. Where the two
// disagree in more than spelling, the user told Terraform to ignore the leaf.
func (r Rules) Owned(config, plan Value) Value { return r.owned("", config, plan) }

func (r Rules) owned(name string, config, plan Value) Value {
	key, keyed := r.Keys[name]
	switch {
	case config.IsNull() || plan.IsNull():
		return Null(plan.Type())
	case !config.IsKnown() || !plan.IsKnown():
		return plan
	case plan.IsObject():
		return plan.Map(func(name string, member Value) Value { return r.owned(name, config.At(name), member) })
	case plan.IsFullyKnown() && !r.AsksFor(name, config, plan):
		return Null(plan.Type())
	case keyed:
		return key.declared(config, plan)
	default:
		return plan
	}
}

// AsksFor reports whether a value is what a configuration asks for. An element
// of a keyed set may omit members there.
func (r Rules) AsksFor(name string, config, value Value) bool {
	key, keyed := r.Keys[name]
	return r.Same(name, config, value) || keyed && config.IsFullyKnown() && value.IsFullyKnown() && key.covers(config, value)
}

// Changes are the owned leaves that differ from those of the remote object. A
// value that is unknown yet counts as a difference.
func (r Rules) Changes(owned, remote Value) Value { return r.changes("", owned, remote) }

func (r Rules) changes(name string, owned, remote Value) Value {
	switch {
	case owned.IsNull():
		return owned
	case owned.IsObject():
		return owned.Map(func(name string, member Value) Value { return r.changes(name, member, remote.At(name)) })
	case r.Same(name, owned, remote):
		return Null(owned.Type())
	}
	if key, keyed := r.Keys[name]; keyed && owned.IsFullyKnown() && remote.IsKnown() && key.covers(owned, remote) {
		return Null(owned.Type())
	}
	return owned
}
