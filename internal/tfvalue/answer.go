package tfvalue

import "slices"

// Answers reports whether what a response says of a leaf is what was wanted.
// Members that it omits in the elements of a list or a set count as said.
func (r Rules) Answers(name string, wanted, answer Value) bool {
	if r.Same(name, wanted, answer) {
		return true
	}
	key, keyed := r.Keys[name]
	switch {
	case answer.IsNull():
		return wanted.IsEmpty()
	case keyed:
		return key.covers(answer, wanted)
	case isList(wanted):
		return slices.EqualFunc(wanted.Elements(), answer.Elements(), r.answersElement)
	case isSet(wanted):
		return r.answersSet(wanted.Elements(), answer.Elements())
	default:
		return false
	}
}

func (r Rules) answersElement(wanted, answer Value) bool {
	if !wanted.IsObject() {
		return r.Same("", wanted, answer)
	}
	for name, member := range answer.Members() {
		asked := wanted.At(name)
		if !member.IsNull() && !r.Same(name, asked, member) && (!asked.IsEmpty() || !member.IsEmpty()) {
			return false
		}
	}
	return true
}

// answersSet finds for each element of one set an element of the other that
// answers it.
func (r Rules) answersSet(wanted, answer []Value) bool {
	for _, w := range wanted {
		if !slices.ContainsFunc(answer, func(a Value) bool { return r.answersElement(w, a) }) {
			return false
		}
	}
	for _, a := range answer {
		if !slices.ContainsFunc(wanted, func(w Value) bool { return r.answersElement(w, a) }) {
			return false
		}
	}
	return true
}

// Missing are the leaves of the value before that an answer omits. An empty one
// is not missed: absence says the same.
func Missing(before, answer Value) []Leaf {
	return slices.DeleteFunc(before.Leaves(), func(was Leaf) bool {
		return was.Value.IsEmpty() || !answer.At(was.Path...).IsNull()
	})
}

// Remember is what is known after an answer: what it says, and for what it
// omits the last value known. Where the two mean the same, the last spelling
// stays.
func (r Rules) Remember(last, answer Value) Value { return r.remember("", last, answer) }

func (r Rules) remember(name string, last, answer Value) Value {
	key, keyed := r.Keys[name]
	switch {
	case answer.IsNull() || !answer.IsKnown():
		return last
	case last.IsNull() || !last.IsKnown():
		return answer
	case answer.IsObject():
		return answer.Map(func(name string, member Value) Value { return r.remember(name, last.At(name), member) })
	case r.Answers(name, last, answer):
		return last
	case keyed:
		return key.remember(last, answer)
	default:
		return answer
	}
}
