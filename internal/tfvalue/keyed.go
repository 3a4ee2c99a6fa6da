package tfvalue

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Key identifies the elements of a keyed set: a set of objects of which a
// configuration and a response may omit members.
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

// List spells elements in a message, a line for each.
func (k Key) List(elements []Value) string {
	lines := make([]string, len(elements))
	for i, element := range elements {
		lines[i] = "  - " + k.Spell(element)
	}
	return strings.Join(lines, "\n")
}

// Known reports whether an element can be identified already.
func (k Key) Known(element Value) bool {
	return !element.IsNull() && element.IsKnown() &&
		!slices.ContainsFunc(k.Members, func(name string) bool { return !element.At(name).IsKnown() })
}

// Sort orders elements by their keys: a set has no order, and neither what is
// sent nor what is said may depend on where it was read.
func (k Key) Sort(elements []Value) []Value {
	slices.SortStableFunc(elements, func(a, b Value) int {
		for _, name := range k.Members {
			if order := cmp.Compare(a.At(name).Text(), b.At(name).Text()); order != 0 {
				return order
			}
		}
		return 0
	})
	return elements
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

// Covered reports whether an element has every member that the wanted one has.
// It may have others, which nobody asked for.
func Covered(wanted, element Value) bool {
	for name, member := range wanted.Members() {
		if !member.IsNull() && !Alike(member, element.At(name)) {
			return false
		}
	}
	return true
}

// Difference is what brings a remote set to the wanted one: the remote elements
// to be removed, and the wanted ones to be added, those that have to be removed
// first included.
func (k Key) Difference(wanted, remote Value) (remove, add []Value) {
	inWanted, inRemote := k.Index(wanted), k.Index(remote)
	for _, element := range remote.Elements() {
		if asked, ok := inWanted[k.Of(element)]; !ok || !Covered(asked, element) {
			remove = append(remove, element)
		}
	}
	for _, element := range wanted.Elements() {
		if now, ok := inRemote[k.Of(element)]; !ok || !Covered(element, now) {
			add = append(add, element)
		}
	}
	return k.Sort(remove), k.Sort(add)
}

// covers reports whether a set has the wanted elements and no others.
func (k Key) covers(wanted, set Value) bool {
	remove, add := k.Difference(wanted, set)
	return len(remove) == 0 && len(add) == 0
}

// agree reports whether two sets have the same elements, where members that
// either omits count as said.
func (k Key) agree(a, b Value) bool {
	inA, inB := k.Index(a), k.Index(b)
	if len(inA) != len(inB) {
		return false
	}
	for key, element := range inA {
		other, ok := inB[key]
		if !ok {
			return false
		}
		for name, member := range element.Members() {
			if theirs := other.At(name); !member.IsNull() && !theirs.IsNull() && !Alike(member, theirs) {
				return false
			}
		}
	}
	return true
}

// Tells reports whether a set that was read tells all that is known of the
// elements it has. What is empty needn't be told.
func (k Key) Tells(read, known Value) bool {
	index := k.Index(known)
	for _, element := range read.Elements() {
		for name, member := range index[k.Of(element)].orNull(element).Members() {
			if element.At(name).IsNull() && !member.IsEmpty() {
				return false
			}
		}
	}
	return true
}

// orNull is the value, or null of another one's type where there is none.
func (v Value) orNull(other Value) Value {
	if v.Type() == nil {
		return Null(other.Type())
	}
	return v
}

// Fill is a set that was read, with the members that its elements omit as they
// were known.
func (k Key) Fill(read, known Value) Value {
	index := k.Index(known)
	elements := read.Elements()
	for i, element := range elements {
		elements[i] = element.Fill(index[k.Of(element)].orNull(element))
	}
	return Collection(read.Type(), elements)
}

// declared is a plan's set with the members alone that the configuration sets.
// An element that can't be identified yet, or in a plan that isn't known, stays
// as it is.
func (k Key) declared(config, plan Value) Value {
	if !config.IsKnown() || !plan.IsKnown() {
		return plan
	}
	index := k.Index(config)
	elements := plan.Elements()
	for i, element := range elements {
		asked, ok := index[k.Of(element)]
		if !ok || !k.Known(element) {
			continue
		}
		elements[i] = element.Map(func(name string, member Value) Value {
			if asked.At(name).IsNull() {
				return Null(member.Type())
			}
			return member
		})
	}
	return Collection(plan.Type(), elements)
}
