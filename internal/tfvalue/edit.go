package tfvalue

import (
	"slices"
	"strconv"
)

// Edit is what one PATCH changes in a keyed set. The zero Edit changes nothing.
type Edit struct {
	// Remove and Add are in the order of their keys.
	Remove, Add []Value
}

// IsEmpty reports whether nothing is removed or added.
func (e Edit) IsEmpty() bool { return len(e.Remove)+len(e.Add) == 0 }

// Step returns what one PATCH can do to change a set to the wanted one: it removes all that has to
// go, and adds what is related to none of that. The rest is for the PATCH after it, because the
// API promises no order within one.
func (k Key) Step(base, want Value) Edit {
	remove, add := k.Difference(want, base)
	related := k.keys(k.Among(add, remove))
	return Edit{remove, slices.DeleteFunc(add, func(element Value) bool { return related[k.Of(element)] })}
}

// After returns a set as an Edit leaves it.
func (k Key) After(set Value, e Edit) Value { return k.Replace(set, e.Remove, e.Add) }

// Replace returns a set in which the elements of with take the place of all that have the key of one
// of them, or of one of without.
func (k Key) Replace(set Value, without, with []Value) Value {
	gone := k.keys(without, with)
	kept := slices.DeleteFunc(set.Elements(), func(element Value) bool { return gone[k.Of(element)] })
	return Collection(set.Type(), append(kept, with...))
}

// Only returns the part of a set that has the keys of some elements.
func (k Key) Only(set Value, some []Value) Value {
	stay := k.keys(some)
	return Collection(set.Type(), slices.DeleteFunc(set.Elements(), func(element Value) bool { return !stay[k.Of(element)] }))
}

func (k Key) keys(lists ...[]Value) map[string]bool {
	keys := map[string]bool{}
	for _, elements := range lists {
		for _, element := range elements {
			keys[k.Of(element)] = true
		}
	}
	return keys
}

// Answer says whether a change can be made to a set as it is now.
type Answer int

// The answers.
const (
	Conflict Answer = iota // no: it is neither as it was nor as the next PATCH makes it
	Pending                // yes: it is as it was when the change was decided
	Done                   // it is made: it is as the next PATCH makes it
)

// Guard compares a set as it is now with a change from base to want, in the elements that differ
// between those two, and in those related to them. after is base after the next PATCH. conflicts
// are the elements that are no longer what they were, as they are now or else as they were.
//
// All elements count together. Otherwise, if the change replaces one under another key and somebody
// removes it, its removal would count as done.
func (k Key) Guard(base, after, want, now Value) (answer Answer, conflicts []Value) {
	remove, add := k.Difference(want, base)
	concerned := slices.Concat(remove, add)
	part := func(set Value) Value { return Collection(set.Type(), k.Among(set.Elements(), concerned)) }
	isAs := func(set Value) bool {
		more, fewer := k.Difference(part(set), part(now))
		return len(more)+len(fewer) == 0
	}
	switch {
	case isAs(after):
		return Done, nil
	case isAs(base):
		return Pending, nil
	}
	are, were := k.Difference(part(base), part(now))
	return Conflict, k.Sort(k.Replace(Collection(now.Type(), were), nil, are).Elements())
}

// Outcome is what a PATCH did to a set. Each element is given as it was sent, or if it was not sent,
// as it was right before the PATCH.
type Outcome struct {
	// Late are those that were sent and are still as they were, and those that were removed and are
	// still there, with any value: the response may show the past. Wrong are those that were sent
	// and are neither as they were nor as they were sent.
	Late, Wrong []Value
	// Of the elements that were not sent, Lost are gone, and Changed have another value.
	Lost, Changed []Value
	// IsPast reports that Lost and Changed may only look so because the response shows the past:
	// some are as they were at the beginning, and none is gone that was there then.
	IsPast bool
}

// Outcome compares a set after a PATCH with what it was right before it, and at the beginning of
// the update, before earlier PATCHes.
func (k Key) Outcome(e Edit, begin, before, now Value) (o Outcome) {
	is, was, first := k.group(now), k.group(before), k.group(begin)
	sent := k.keys(e.Remove, e.Add)
	for _, element := range e.Add {
		switch key := k.Of(element); {
		case k.alike(is[key], []Value{element}):
		case k.alike(is[key], was[key]), k.alike(is[key], first[key]):
			o.Late = append(o.Late, element)
		default:
			o.Wrong = append(o.Wrong, element)
		}
	}
	for _, element := range e.Remove {
		if len(is[k.Of(element)]) > 0 {
			o.Late = append(o.Late, element)
		}
	}
	past, gone := 0, 0
	for _, element := range before.Elements() {
		key := k.Of(element)
		if sent[key] || !k.IsNamed(element) || k.alike(is[key], was[key]) {
			continue
		}
		switch {
		case k.alike(is[key], first[key]):
			past++
		case len(is[key]) == 0:
			gone++
		}
		if len(is[key]) == 0 {
			o.Lost = append(o.Lost, element)
		} else {
			o.Changed = append(o.Changed, element)
		}
	}
	o.IsPast = past > 0 && gone == 0
	return o
}

func (k Key) group(set Value) map[string][]Value {
	groups := map[string][]Value{}
	for _, element := range set.Elements() {
		groups[k.Of(element)] = append(groups[k.Of(element)], element)
	}
	return groups
}

// alike reports whether two groups of elements with one key are equal. A group has two if a response
// repeats a key.
func (k Key) alike(a, b []Value) bool {
	contains := func(all []Value, one Value) bool {
		return slices.ContainsFunc(all, func(other Value) bool { return Alike(one, other) })
	}
	return len(a) == len(b) && !slices.ContainsFunc(a, func(one Value) bool { return !contains(b, one) })
}

// Among returns those elements that are related to one of others: they share a part of the key.
func (k Key) Among(elements, others []Value) []Value {
	there := map[string]bool{}
	for _, other := range others {
		for _, part := range k.parts(other) {
			there[part] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(elements), func(element Value) bool {
		return !slices.ContainsFunc(k.parts(element), func(part string) bool { return there[part] })
	})
}

func (k Key) parts(element Value) []string {
	all := []string{k.Of(element)}
	for i, names := range k.Parts {
		all = append(all, strconv.Itoa(i)+joined(names, element))
	}
	return all
}
