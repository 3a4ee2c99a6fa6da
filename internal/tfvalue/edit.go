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

// Steps are the edits of a PATCH each that together are one. What is replaced is removed first, which is what is related to
// something that is added: the API promises no order within one PATCH. Then all is added, and the rest is removed.
func (k Key) Steps(e Edit) []Edit {
	replaced := k.Among(e.Remove, e.Add)
	return []Edit{{Remove: replaced}, {Add: e.Add}, {Remove: k.Except(e.Remove, replaced)}}
}

// After returns a set as an Edit leaves it. What it adds takes the place of all that has the same key.
func (k Key) After(set Value, e Edit) Value {
	if e.IsEmpty() {
		return set
	}
	return k.Collect(set.Type(), append(k.Except(set.Elements(), e.All()), e.Add...))
}

// Only returns the elements that have the key of one of others.
func (k Key) Only(elements, others []Value) []Value {
	return k.Except(elements, k.Except(elements, others))
}

// Except returns the elements that have the key of none of others.
func (k Key) Except(elements, others []Value) []Value {
	keys := k.Group(others)
	return slices.DeleteFunc(slices.Clone(elements), func(element Value) bool { return len(keys[k.Of(element)]) > 0 })
}

// Changed returns the elements related to some that have changed from one set to another, as they are now, or as they were if they
// are gone. All count together. Otherwise, if an edit replaces one under another key and somebody has removed it before, its
// removal would count as done.
func (k Key) Changed(some []Value, before, now Value) []Value {
	undo := k.Difference(k.Related(before, some), k.Related(now, some)) // removes what is, and adds what was
	return k.After(k.Collect(now.Type(), undo.Add), Edit{Add: undo.Remove}).Elements()
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
