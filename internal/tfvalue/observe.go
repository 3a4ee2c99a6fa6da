package tfvalue

import "slices"

// A response may omit any field, always or once. A field that is omitted counts as
// empty only if an earlier read has returned it.

// Observe returns the remote object after a read, as far as reads return it, and the
// leaves that are missing: an earlier read has returned them, and this one omits them.
// They are null in remote, which is right if a second read omits them too.
//
// An omitted field keeps its last value if no read has returned it (unreported), if
// that value is empty, or if the object that contains it is omitted too. If the last
// value and the new one mean the same, the last spelling is kept.
func (r Rules) Observe(last Value, unreported func(Path) bool, read Value) (remote Value, missing []Leaf) {
	o := observation{Rules: r, unreported: unreported}
	return o.object(nil, last, read), o.missing
}

type observation struct {
	Rules
	unreported func(Path) bool
	missing    []Leaf
}

func (o *observation) object(at Path, last, read Value) Value {
	if last.IsNull() || !last.IsKnown() || read.IsNull() {
		return read.Merge(last)
	}
	alternatives := o.hasAlternative(at, read)
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

// hasAlternative reports whether an object of alternatives contains one of them, so
// that the others do not exist.
func (o *observation) hasAlternative(at Path, read Value) bool {
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
	case read.IsNull() && (last.IsEmpty() || o.unreported(at)):
		return last
	case read.IsNull():
		o.missing = append(o.missing, Leaf{at, last})
		return read
	case keyed && o.unreported(at):
		read = key.Merge(read, last)
	case keyed && !key.HasAll(read, last):
		o.missing = append(o.missing, Leaf{at, last})
	}
	switch {
	case keyed && o.Same(name, last, read):
		return key.Merge(read, last) // names go out as the platform spells them
	case keyed:
		return read
	case o.Confirms(name, last, read):
		return last
	default:
		return read
	}
}

// Confirms reports whether the value of a leaf in a response confirms the wanted one.
// An omitted leaf confirms an empty value. Members that the response omits in elements of
// a list or a keyed set are not compared, nor those that the wanted value omits in a keyed
// set, where they are the platform's.
func (r Rules) Confirms(name string, wanted, response Value) bool {
	if r.Same(name, wanted, response) {
		return true
	}
	key, keyed := r.Keys[name]
	switch {
	case response.IsNull():
		return wanted.IsEmpty()
	case keyed:
		return key.matches(wanted, response, agree)
	case isList(wanted):
		return slices.EqualFunc(wanted.Elements(), response.Elements(), confirmsElement)
	default:
		return false
	}
}

// confirmsElement reports whether an element of a list in a response, as far as it is
// there, is the wanted one.
func confirmsElement(wanted, response Value) bool {
	if !response.IsObject() {
		return Alike(wanted, response)
	}
	return Covered(response, wanted)
}
