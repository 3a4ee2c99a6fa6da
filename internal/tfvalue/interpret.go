package tfvalue

import "slices"

// A response may omit any field, always or once. An omitted field counts as empty only if an earlier
// read has returned it. For the members of an element there is no such memory: what an element of
// a keyed map omits is empty.

// Interpret returns the remote object after a read, as far as reads return it, and the leaves that
// this read omits although an earlier one has returned them. Those are null in remote, which is
// right if a second read omits them, too.
//
// Any other omitted field keeps its last value: if no read has returned it (unreturned), if that
// value is empty, or if the object that contains it is omitted, too. If the last value and the new
// one mean the same, the last spelling is kept.
func (r Rules) Interpret(last Value, unreturned func(Path) bool, read Value) (remote Value, omitted []Leaf) {
	o := interpretation{Rules: r, unreturned: unreturned}
	return o.object(nil, last, read), o.omitted
}

type interpretation struct {
	Rules
	unreturned func(Path) bool
	omitted    []Leaf
}

func (o *interpretation) object(at Path, last, read Value) Value {
	if read.IsNull() {
		return last
	}
	hasAlternative := false
	for _, member := range read.Members() {
		hasAlternative = hasAlternative || slices.Contains(o.Alternatives, at.Name()) && member.IsObject()
	}
	return read.Map(func(name string, member Value) Value {
		next := append(slices.Clone(at), name)
		switch was := last.At(name); {
		case hasAlternative && member.IsNull() && was.IsObject():
			o.omitted = append(o.omitted, Leaf{next, was}) // another read decides
			return member
		case was.IsObject():
			return o.object(next, was, member)
		default:
			return o.leaf(next, was, member)
		}
	})
}

func (o *interpretation) leaf(at Path, last, read Value) Value {
	key, hasKey := o.Keys[at.Name()]
	switch {
	case last.IsNull() || !last.IsKnown():
		return read
	case read.IsNull() && (last.IsEmpty() || o.unreturned(at)):
		return last
	case read.IsNull(), hasKey && !key.hasAll(read, last):
		o.omitted = append(o.omitted, Leaf{at, last})
		return read
	default:
		return o.spelled(at.Name(), last, read)
	}
}

// spelled returns the last one of two values that mean the same if its spelling is to stay: an update sends
// names as the platform has them.
func (o *interpretation) spelled(name string, last, read Value) Value {
	if last.Equal(read) {
		return last // with its map, which is quickly compared with itself
	}
	isSame := o.Same(name, last, read)
	if isSame && (isNumber(read) || slices.Contains(o.Trimmed, name)) || !isSame && o.Confirms(name, last, read) {
		return last
	}
	return read
}
