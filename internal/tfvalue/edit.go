package tfvalue

import (
	"slices"
	"strconv"
	"strings"
)

// Edit is what a change removes from a keyed map, and adds to it. The zero Edit changes nothing.
type Edit struct {
	// Remove and Add are in the order of their keys.
	Remove, Add []Value
}

// IsEmpty reports whether nothing is removed or added.
func (e Edit) IsEmpty() bool { return len(e.Remove)+len(e.Add) == 0 }

// All are the elements that are removed or added.
func (e Edit) All() []Value { return slices.Concat(e.Remove, e.Add) }

// InTwo returns what the first of two PATCHes does of an edit: it removes all that has to go, and
// adds what is related to none of that. The second adds the rest, because the API promises no order
// within one.
func (k Key) InTwo(e Edit) (first Edit, second []Value) {
	second = k.Among(e.Add, e.Remove)
	return Edit{e.Remove, k.Except(e.Add, second)}, second
}

// After returns a set as an Edit leaves it. What it adds takes the place of all that has the same key.
func (k Key) After(set Value, e Edit) Value {
	if e.IsEmpty() {
		return set
	}
	return k.Collect(set.Type(), append(k.Except(set.Elements(), e.All()), e.Add...))
}

// Only returns the part of a set that has the keys of some elements.
func (k Key) Only(set Value, some []Value) Value {
	return k.Collect(set.Type(), k.Except(set.Elements(), k.Except(set.Elements(), some)))
}

// Except returns the elements that have the key of none of others.
func (k Key) Except(elements, others []Value) []Value {
	keys := k.Group(others)
	return slices.DeleteFunc(slices.Clone(elements), func(element Value) bool { return len(keys[k.Of(element)]) > 0 })
}

// Ask compares a set as it is now with what it was before an edit and is after it, in the elements that
// are related to some. If it is as after the edit, that is done. If it is as before, there are no conflicts. Otherwise
// these are the elements that have changed, as they are now, or as they were if they are gone.
//
// All elements count together. Otherwise, if the edit replaces one under another key and somebody has
// removed it before, its removal would count as done.
func (k Key) Ask(some []Value, before, after, now Value) (isDone bool, conflicts []Value) {
	now = k.Related(now, some)
	if k.Difference(k.Related(after, some), now).IsEmpty() {
		return true, nil
	}
	undo := k.Difference(k.Related(before, some), now) // removes what is, and adds what was
	return false, k.After(k.Collect(now.Type(), undo.Add), Edit{Add: undo.Remove}).Elements()
}

// NotDone returns what a set does not have yet of an edit: what is not there as it was added, and
// what was removed, is not added again, and is still there.
func (k Key) NotDone(e Edit, now Value) Edit {
	gone := k.Except(e.Remove, now.Elements())
	return Edit{k.Except(e.Remove, append(gone, e.Add...)), k.Difference(k.Collect(now.Type(), e.Add), now).Add}
}

// SameButCase returns the elements of a set whose keys differ from those of some elements by letter
// case alone.
func (k Key) SameButCase(some []Value, now Value) []Value {
	k.Parts = nil // so that only the whole key relates elements
	return k.Among(k.Except(now.Elements(), some), some)
}

// ExceptAnyCase returns the elements that have the key of none of others, in any letter case.
func (k Key) ExceptAnyCase(elements, others []Value) []Value {
	k.Parts = nil // so that only the whole key relates elements
	return k.Except(elements, k.Among(elements, others))
}

// Group returns elements by their keys, of which a response may repeat one.
func (k Key) Group(elements []Value) map[string][]Value {
	groups := map[string][]Value{}
	for _, element := range elements {
		groups[k.Of(element)] = append(groups[k.Of(element)], element)
	}
	return groups
}

// sameGroup reports whether two groups of elements with one key are equal. A group has two if a response
// repeats a key.
func (k Key) sameGroup(a, b []Value) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(one Value) bool {
		return !slices.ContainsFunc(b, func(other Value) bool { return alike(one, other) })
	})
}

// Related returns the part of a set that is related to some elements: see Among.
func (k Key) Related(set Value, some []Value) Value {
	return k.Collect(set.Type(), k.Among(set.Elements(), some))
}

// Among returns those elements that are related to one of others: they share a part of the key, in
// any letter case, since a platform may fold names.
func (k Key) Among(elements, others []Value) []Value {
	if len(others) == 0 {
		return nil
	}
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
	all := []string{strings.ToLower(k.Of(element))}
	for i, names := range k.Parts {
		all = append(all, strconv.Itoa(i)+strings.ToLower(k.keyOf(element, names)))
	}
	return all
}
