package tfvalue

import "slices"

// A response may omit any field, always or once. What is absent is told apart
// from what is empty by what reads have said of the object before.

// Observe is what is known of an object after a read, and the leaves that a
// read has told before and this one doesn't. They are null in the value, since
// that is what they are where a second read omits them too.
//
// A field that no read has told (untold) keeps its last value, and so do one
// whose last value is empty, which absence expresses, and the members of an
// object that is absent itself. Where two spellings mean the same, the last one
// stays.
func (r Rules) Observe(last Value, untold func(Path) bool, read Value) (known Value, missing []Leaf) {
	o := observation{Rules: r, untold: untold}
	return o.object(nil, last, read), o.missing
}

type observation struct {
	Rules
	untold  func(Path) bool
	missing []Leaf
}

func (o *observation) object(at Path, last, read Value) Value {
	if last.IsNull() || !last.IsKnown() || read.IsNull() {
		return read.Fill(last)
	}
	alternatives := o.told(at, read)
	return read.Map(func(name string, member Value) Value {
		next := append(slices.Clone(at), name)
		switch was := last.At(name); {
		case alternatives && member.IsNull() && was.IsObject():
			return member
		case was.IsObject():
			return o.object(next, was, member)
		default:
			return o.leaf(next, was, member)
		}
	})
}

// told reports whether an object of alternatives tells one of them: then it
// has none of the others.
func (o *observation) told(at Path, read Value) bool {
	if len(at) == 0 || !slices.Contains(o.Alternatives, at[len(at)-1]) {
		return false
	}
	for _, member := range read.Members() {
		if member.IsObject() {
			return true
		}
	}
	return false
}

func (o *observation) leaf(at Path, last, read Value) Value {
	name := at[len(at)-1]
	key, keyed := o.Keys[name]
	switch {
	case last.IsNull() || !last.IsKnown():
		return read
	case read.IsNull() && (last.IsEmpty() || o.untold(at)):
		return last
	case read.IsNull():
		o.missing = append(o.missing, Leaf{at, last})
		return read
	case keyed && o.untold(at):
		read = key.Fill(read, last)
	case keyed && !key.Tells(read, last):
		o.missing = append(o.missing, Leaf{at, last})
	}
	switch {
	case keyed && o.Same(name, last, read):
		return key.Fill(last, read)
	case keyed:
		return read
	case o.Answers(name, last, read):
		return last
	default:
		return read
	}
}

// Answers reports whether what a response says of a leaf is what was wanted.
// Absence says that it is empty, and members that the elements of a list or a
// set omit count as said.
func (r Rules) Answers(name string, wanted, answer Value) bool {
	if r.Same(name, wanted, answer) {
		return true
	}
	key, keyed := r.Keys[name]
	switch {
	case answer.IsNull():
		return wanted.IsEmpty()
	case keyed:
		return key.agree(wanted, answer)
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

// Missing are the leaves that responses have told before and an answer omits,
// in whole or in part. An empty one is not missed: absence says the same.
func (r Rules) Missing(told, answer Value) []Leaf {
	return slices.DeleteFunc(told.Leaves(), func(was Leaf) bool {
		now := answer.At(was.Path...)
		if key, keyed := r.Keys[was.Name()]; keyed && !now.IsNull() {
			return key.Tells(now, was.Value)
		}
		return was.Value.IsEmpty() || !now.IsNull()
	})
}
