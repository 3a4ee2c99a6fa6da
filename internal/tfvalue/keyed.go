package tfvalue

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Key identifies the elements of a keyed set: a set of objects of which some members
// are the key, and of which configurations and responses may omit the others.
type Key struct {
	// Members are the attributes that identify an element, all of them strings.
	Members []string
	// Noun is what an element is in a message, such as "table mapping".
	Noun string
	// Format names an element in a message, with a %s for each of Members.
	Format string
}

// Of returns the key of an element. It is equal for two elements if their Members
// are.
func (k Key) Of(element Value) string {
	var key []byte
	for _, name := range k.Members {
		key = strconv.AppendQuote(key, normal(element.At(name)))
	}
	return string(key)
}

// Spell returns the name of an element for a message. A text with control characters,
// which a terminal would interpret, is quoted.
func (k Key) Spell(element Value) string {
	texts := make([]any, len(k.Members))
	for i, name := range k.Members {
		text := normal(element.At(name))
		if quoted := strconv.Quote(text); quoted[1:len(quoted)-1] != text {
			text = quoted
		}
		texts[i] = text
	}
	return fmt.Sprintf(k.Format, texts...)
}

// List returns the names of elements for a message, one per line.
func (k Key) List(elements []Value) string {
	lines := make([]string, len(elements))
	for i, element := range elements {
		lines[i] = "  - " + k.Spell(element)
	}
	return strings.Join(lines, "\n")
}

// Known reports whether the key of an element is known.
func (k Key) Known(element Value) bool {
	return !element.IsNull() && element.IsKnown() &&
		!slices.ContainsFunc(k.Members, func(name string) bool { return !element.At(name).IsKnown() })
}

// Sort orders elements by their keys, in place: requests and messages must not depend
// on the order in which a set was read.
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

// Index returns the elements of a set by their keys.
func (k Key) Index(set Value) map[string]Value {
	elements := set.Elements()
	index := make(map[string]Value, len(elements))
	for _, element := range elements {
		index[k.Of(element)] = element
	}
	return index
}

// Covered reports whether an element has every member that the wanted one sets. Its
// other members may have any value.
func Covered(wanted, element Value) bool {
	for name, member := range wanted.Members() {
		if !member.IsNull() && !Alike(member, element.At(name)) {
			return false
		}
	}
	return true
}

// Difference returns what changes a remote set to the wanted one: the remote
// elements to remove, and the wanted elements to add. An element that differs is in
// both.
func (k Key) Difference(wanted, remote Value) (remove, add []Value) {
	inWanted, inRemote := k.Index(wanted), k.Index(remote)
	for _, element := range remote.Elements() {
		if want, ok := inWanted[k.Of(element)]; !ok || !Covered(want, element) {
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

// matches reports whether two sets have elements with the same keys, of which each pair
// matches.
func (k Key) matches(a, b Value, match func(a, b Value) bool) bool {
	inA := k.Index(a)
	for _, element := range b.Elements() { // of which a response may return two with one key
		if other, ok := inA[k.Of(element)]; !ok || !match(other, element) {
			return false
		}
	}
	return len(inA) == len(k.Index(b))
}

// agree reports whether two elements of a keyed set mean the same. Members that either
// omits are not compared.
func agree(a, b Value) bool {
	for name, member := range a.Members() {
		if theirs := b.At(name); !member.IsNull() && !theirs.IsNull() && !Alike(member, theirs) {
			return false
		}
	}
	return true
}

// HasAll reports whether the elements of a set that was read have every member that
// they had before. Empty members may be omitted.
func (k Key) HasAll(read, before Value) bool {
	index := k.Index(before)
	for _, element := range read.Elements() {
		for name, member := range index[k.Of(element)].Members() {
			if element.At(name).IsNull() && !member.IsEmpty() {
				return false
			}
		}
	}
	return true
}

// Merge returns a set with the members that its elements omit taken from under.
func (k Key) Merge(over, under Value) Value {
	index := k.Index(under)
	elements := over.Elements()
	for i, element := range elements {
		if last, ok := index[k.Of(element)]; ok {
			elements[i] = element.Merge(last)
		}
	}
	return Collection(over.Type(), elements)
}

// declared returns the set of a plan with only the members that the configuration
// sets. It keeps an element whose key is not known yet, and a set that is unknown.
func (k Key) declared(config, plan Value) Value {
	if !config.IsKnown() || !plan.IsKnown() {
		return plan
	}
	index := k.Index(config)
	elements := plan.Elements()
	for i, element := range elements {
		declared, ok := index[k.Of(element)]
		if !ok || !k.Known(element) {
			continue
		}
		elements[i] = element.Map(func(name string, member Value) Value {
			if declared.At(name).IsNull() {
				return Null(member.Type())
			}
			return member
		})
	}
	return Collection(plan.Type(), elements)
}
