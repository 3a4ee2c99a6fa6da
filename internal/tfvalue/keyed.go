package tfvalue

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Key identifies the elements of a keyed set: a set of objects of which some members
// are the key. An element is a value: all its members together make it equal to another
// one, and a member that it omits is the empty one.
type Key struct {
	// Members are the attributes that identify an element, all of them strings.
	Members []string
	// Parts are parts of the key that relate elements to each other: a mapping of the same
	// source table, or to the same target.
	Parts [][]string
	// Unsaid are members that a response may have for no element at all. It then says nothing
	// of them, although a member that only some elements omit is the empty one.
	Unsaid []string
	// Noun is what an element is in a message, such as "table mapping".
	Noun string
	// Format names an element in a message, with a %s for each of Members.
	Format string
}

// Of returns the key of an element. It is equal for two elements if their Members
// are.
func (k Key) Of(element Value) string { return joined(k.Members, element) }

func joined(names []string, element Value) string {
	var key []byte
	for _, name := range names {
		key = strconv.AppendQuote(key, element.At(name).Normal())
	}
	return string(key)
}

// Name returns an element with nothing but its key.
func (k Key) Name(element Value) Value {
	return element.Map(func(name string, member Value) Value {
		if slices.Contains(k.Members, name) {
			return member
		}
		return Null(member.Type())
	})
}

// Named reports whether an element has every part of its key. One of a response that
// has not is never taken for another one, and never sent.
func (k Key) Named(element Value) bool {
	return !slices.ContainsFunc(k.Members, func(name string) bool { return element.At(name).IsEmpty() })
}

// Nameless returns the elements of a set that are not Named.
func (k Key) Nameless(set Value) []Value {
	return slices.DeleteFunc(set.Elements(), k.Named)
}

// Spell returns the name of an element for a message. A text with control characters,
// which a terminal would interpret, is quoted.
func (k Key) Spell(element Value) string {
	texts := make([]any, len(k.Members))
	for i, name := range k.Members {
		text := element.At(name).Normal()
		if quoted := strconv.Quote(text); quoted[1:len(quoted)-1] != text || text == "" {
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
	slices.SortStableFunc(elements, func(a, b Value) int { return cmp.Compare(k.Of(a), k.Of(b)) })
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

// Difference returns what changes a remote set to the wanted one: the remote
// elements to remove, and the wanted elements to add. An element that differs is in
// both. Elements without a name are in neither.
func (k Key) Difference(wanted, remote Value) (remove, add []Value) {
	want, is := k.group(wanted), k.group(remote)
	for key, elements := range is {
		if !k.alike(want[key], elements) {
			remove = append(remove, elements...)
			add = append(add, want[key]...)
		}
	}
	for key, elements := range want {
		if len(is[key]) == 0 {
			add = append(add, elements...)
		}
	}
	unnamed := func(element Value) bool { return !k.Named(element) }
	remove, add = slices.DeleteFunc(remove, unnamed), slices.DeleteFunc(add, unnamed)
	return k.Sort(remove), k.Sort(add)
}

// Complete returns a set of a response with what it says nothing of as it is in a known set: the
// Unsaid members that none of its elements has.
func (k Key) Complete(read, known Value) Value {
	elements, index := read.Elements(), k.Index(known)
	for _, name := range k.Unsaid {
		if slices.ContainsFunc(elements, func(element Value) bool { return !element.At(name).IsNull() }) {
			continue
		}
		for i, element := range elements {
			if is, ok := index[k.Of(element)]; ok {
				elements[i] = element.With(is.At(name), name)
			}
		}
	}
	if len(elements) == 0 {
		return read
	}
	return Collection(read.Type(), elements)
}

// Whole returns a value whose keyed sets have every member in every element. Keys stay
// as they are.
func (r Rules) Whole(value Value) Value { return r.WholeLeaf("", value) }

// WholeLeaf is Whole of one attribute.
func (r Rules) WholeLeaf(name string, value Value) Value {
	key, keyed := r.Keys[name]
	switch {
	case keyed && !value.IsNull() && value.IsKnown():
		elements := value.Elements()
		for i, element := range elements {
			elements[i] = element.Map(func(name string, member Value) Value {
				if member.IsNull() && !slices.Contains(key.Members, name) {
					return empty(member.Type())
				}
				return member
			})
		}
		return Collection(value.Type(), elements)
	case value.IsObject():
		return value.Map(r.WholeLeaf)
	default:
		return value
	}
}
