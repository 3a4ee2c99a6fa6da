package tfvalue

import (
	"slices"
	"strconv"
)

// Edit is a change to a keyed set: what is removed, and what is added. It is decided once,
// and no later read adds to it. The zero Edit changes nothing.
type Edit struct {
	key           Key
	before, after Value
	// Remove and Add are in the order of their keys. An element that differs is in both.
	Remove, Add []Value
	// waiting are those that a later stage adds.
	waiting []Value
}

// Edit returns the change from one set to another.
func (k Key) Edit(before, after Value) Edit {
	e := Edit{key: k, before: before, after: after}
	if !k.isSame(before, after) {
		e.Remove, e.Add = k.Difference(after, before)
	}
	return e
}

// IsEmpty reports whether nothing is removed or added.
func (e Edit) IsEmpty() bool { return len(e.Remove)+len(e.Add) == 0 }

// After returns the set after the change.
func (e Edit) After() Value { return e.after }

// On returns the same change to the set as it is by now. What is removed has the spelling
// that it has there, and all other elements stay.
func (e Edit) On(now Value) Edit {
	if e.IsEmpty() {
		return Edit{key: e.key, before: now, after: now}
	}
	return e.key.Edit(now, e.key.Replace(now, e.Remove, e.Add))
}

// Replace returns a set without the elements that have the keys of some, and with others.
func (k Key) Replace(set Value, without, with []Value) Value {
	gone := k.keys(without)
	kept := slices.DeleteFunc(set.Elements(), func(element Value) bool { return gone[k.Of(element)] })
	return Collection(set.Type(), append(kept, with...))
}

// Only returns a set without the elements that do not have the keys of some.
func (k Key) Only(set Value, some []Value) Value {
	stay := k.keys(some)
	return Collection(set.Type(), slices.DeleteFunc(set.Elements(), func(element Value) bool { return !stay[k.Of(element)] }))
}

func (k Key) keys(elements []Value) map[string]bool {
	keys := map[string]bool{}
	for _, element := range elements {
		keys[k.Of(element)] = true
	}
	return keys
}

// Stages returns the parts of the change that need a request each. An addition that is
// related to a removal waits for the second one, since no API promises an order within one.
func (e Edit) Stages() []Edit {
	waiting := e.key.Among(e.Add, e.Remove)
	if len(waiting) == 0 {
		return []Edit{e}
	}
	between := e.key.Replace(e.after, waiting, nil)
	first := e.key.Edit(e.before, between)
	first.waiting = waiting
	return []Edit{first, e.key.Edit(between, e.after)}
}

// Answer is what a set says of an Edit.
type Answer int

// The answers.
const (
	Conflict Answer = iota // it is neither as it was nor as it is wanted
	Due                    // it is as it was when the change was decided
	Done                   // it is as the change wants it
)

// Ask compares a set with a change that is to be made, in the elements that the change and
// its later stages remove or add and in those that are related to them. conflicts are the
// elements, by now or before, that are no longer what they were.
func (e Edit) Ask(now Value) (answer Answer, conflicts []Value) {
	concerned := slices.Concat(e.Remove, e.Add, e.waiting)
	part := func(set Value) Value { return Collection(set.Type(), e.key.Among(set.Elements(), concerned)) }
	is := part(now)
	if e.key.Edit(is, part(e.after)).IsEmpty() {
		return Done, nil
	}
	undo := e.key.Edit(is, part(e.before))
	if undo.IsEmpty() {
		return Due, nil
	}
	gone := Collection(now.Type(), undo.Add)
	return Conflict, e.key.Sort(e.key.Replace(gone, undo.Remove, undo.Remove).Elements())
}

// isSame reports whether two sets have the same elements with a name, also those with the
// same key: a response may have two with one key.
func (k Key) isSame(a, b Value) bool { return Alike(k.named(a), k.named(b)) }

func (k Key) named(set Value) Value { return k.Replace(set, k.Nameless(set), nil) }

func (k Key) group(set Value) map[string][]Value {
	groups := map[string][]Value{}
	for _, element := range set.Elements() {
		groups[k.Of(element)] = append(groups[k.Of(element)], element)
	}
	return groups
}

// Verify compares a set after the change with what it was right before it. wrong are the
// elements that are not removed, or not added as they were sent. Of the others, lost are
// those that are gone, and changed those that are another value; both are as they were.
func (e Edit) Verify(before, now Value) (wrong, lost, changed []Value) {
	there, added, removed := e.key.group(now), e.key.keys(e.Add), e.key.keys(e.Remove)
	for _, element := range e.Add {
		if is := there[e.key.Of(element)]; len(is) != 1 || !Alike(is[0], element) {
			wrong = append(wrong, element)
		}
	}
	for _, element := range e.Remove {
		if _, ok := there[e.key.Of(element)]; ok && !added[e.key.Of(element)] {
			wrong = append(wrong, element)
		}
	}
	for _, element := range before.Elements() {
		key := e.key.Of(element)
		switch is := there[key]; {
		case added[key] || removed[key] || !e.key.Named(element):
		case len(is) == 0:
			lost = append(lost, element)
		case !slices.ContainsFunc(is, func(other Value) bool { return Alike(other, element) }):
			changed = append(changed, element)
		}
	}
	return wrong, lost, changed
}

// Among returns the elements that are related to others.
func (k Key) Among(elements, others []Value) []Value {
	related := k.related(others)
	return slices.DeleteFunc(slices.Clone(elements), func(element Value) bool { return len(related(element)) == 0 })
}

// related returns a function that finds, among some elements, those that share a part of the
// key of another one.
func (k Key) related(elements []Value) func(Value) []Value {
	byPart := map[string][]Value{}
	for _, element := range elements {
		for _, part := range k.parts(element) {
			byPart[part] = append(byPart[part], element)
		}
	}
	return func(element Value) (found []Value) {
		for _, part := range k.parts(element) {
			found = append(found, byPart[part]...)
		}
		return found
	}
}

func (k Key) parts(element Value) []string {
	all := []string{k.Of(element)}
	for i, names := range k.Parts {
		all = append(all, strconv.Itoa(i)+joined(names, element))
	}
	return all
}
