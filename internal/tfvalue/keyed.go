package tfvalue

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Key identifies the elements of a keyed set.
type Key struct {
	// Members are the attributes that identify an element, all of them strings.
	Members []string
	// Format spells an element in a message, with a %s for each member.
	Format string
}

func (k Key) texts(element Value) []any {
	texts := make([]any, len(k.Members))
	for i, name := range k.Members {
		texts[i] = element.At(name).Text()
	}
	return texts
}

// Of is the same for two elements if their members are.
func (k Key) Of(element Value) string {
	return fmt.Sprintf(strings.Repeat("%q ", len(k.Members)), k.texts(element)...)
}

// Spell names an element in a message.
func (k Key) Spell(element Value) string { return fmt.Sprintf(k.Format, k.texts(element)...) }

// Known reports whether an element can be identified already.
func (k Key) Known(element Value) bool {
	return !element.IsNull() && element.IsKnown() &&
		!slices.ContainsFunc(k.Members, func(name string) bool { return !element.At(name).IsKnown() })
}

// Index holds the elements of a set by their keys.
func (k Key) Index(set Value) map[string]Value {
	elements := set.Elements()
	index := make(map[string]Value, len(elements))
	for _, element := range elements {
		index[k.Of(element)] = element
	}
	return index
}

// Beside are the elements of a set that another one doesn't have, or not with
// the same members, in the order of their keys: a set has no order, and what is
// sent must not depend on where it was read.
func (k Key) Beside(set, other Value) []Value {
	index := k.Index(other)
	beside := []Value{}
	for _, element := range set.Elements() {
		if found, ok := index[k.Of(element)]; !ok || !Alike(found, element) {
			beside = append(beside, element)
		}
	}
	slices.SortStableFunc(beside, func(a, b Value) int {
		for _, name := range k.Members {
			if order := cmp.Compare(a.At(name).Text(), b.At(name).Text()); order != 0 {
				return order
			}
		}
		return 0
	})
	return beside
}

// covers reports whether two sets have elements of the same keys, and every
// member that partial has is alike in full.
func (k Key) covers(partial, full Value) bool {
	inPartial, inFull := k.Index(partial), k.Index(full)
	if len(inPartial) != len(inFull) {
		return false
	}
	for key, element := range inPartial {
		other, ok := inFull[key]
		if !ok {
			return false
		}
		for name, member := range element.Members() {
			if !member.IsNull() && !Alike(member, other.At(name)) {
				return false
			}
		}
	}
	return true
}

// remember is the set of an answer, with the members that it omits as they
// were last known.
func (k Key) remember(last, answer Value) Value {
	index := k.Index(last)
	elements := answer.Elements()
	for i, element := range elements {
		if known, ok := index[k.Of(element)]; ok {
			elements[i] = element.Fill(known)
		}
	}
	return Collection(answer.Type(), elements)
}
