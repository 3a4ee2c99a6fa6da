package tfvalue

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// Key describes a keyed set: a set of objects of which some members are the key. An element is a
// value: two are equal if all their members are, and a member that is omitted counts as empty.
type Key struct {
	// Members are the attributes that identify an element, all of them strings.
	Members []string
	// Parts are parts of the key. Elements that share one are related, such as two mappings of the
	// same source table, or to the same target.
	Parts [][]string
	// MayOmit are members of which a response says nothing if all of its elements omit them. If only
	// some do, the member is empty there, like any other.
	MayOmit []string
	// Noun is what an element is in a message, such as "table mapping".
	Noun string
	// Format names an element in a message, with a %s for each of Members.
	Format string
}

// Of returns the key of an element as a text.
func (k Key) Of(element Value) string { return joined(k.Members, element) }

func joined(names []string, element Value) string {
	var key []byte
	for _, name := range names {
		key = strconv.AppendQuote(key, element.At(name).Normal())
	}
	return string(key)
}

// OnlyKey returns an element with nothing but its key.
func (k Key) OnlyKey(element Value) Value {
	return element.Map(func(name string, member Value) Value {
		if slices.Contains(k.Members, name) {
			return member
		}
		return Null(member.Type())
	})
}

// IsNamed reports whether an element has every member of its key. An element of a response that
// lacks one is never taken for another element, and never sent.
func (k Key) IsNamed(element Value) bool {
	return !slices.ContainsFunc(k.Members, func(name string) bool { return element.At(name).IsEmpty() })
}

// Unnamed returns the elements of a set that lack a member of their key.
func (k Key) Unnamed(set Value) []Value {
	return slices.DeleteFunc(set.Elements(), k.IsNamed)
}

// Label names an element for a message.
func (k Key) Label(element Value) string {
	texts := make([]any, len(k.Members))
	for i, name := range k.Members {
		texts[i] = words.Name(element.At(name).Normal())
	}
	return fmt.Sprintf(k.Format, texts...)
}

// List returns the names of elements for a message, one per line.
func (k Key) List(elements []Value) string {
	lines := make([]string, len(elements))
	for i, element := range elements {
		lines[i] = "  - " + k.Label(element)
	}
	return strings.Join(lines, "\n")
}

// HasKnownKey reports whether the key of an element is known.
func (k Key) HasKnownKey(element Value) bool {
	return !element.IsNull() && element.IsKnown() &&
		!slices.ContainsFunc(k.Members, func(name string) bool { return !element.At(name).IsKnown() })
}

// Sort orders elements by their keys, in place, so that requests and messages do not depend on the
// order in which a set was read.
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

// Difference returns what changes a remote set to the wanted one. An element that differs is removed
// and added. One that lacks a member of its key is neither.
func (k Key) Difference(wanted, remote Value) Edit {
	want, is := k.group(wanted.Elements()), k.group(remote.Elements())
	stays := func(element Value) bool {
		key := k.Of(element)
		return !k.IsNamed(element) || k.alike(want[key], is[key])
	}
	return Edit{k.Sort(slices.DeleteFunc(remote.Elements(), stays)), k.Sort(slices.DeleteFunc(wanted.Elements(), stays))}
}

// Complete returns a set of a response. The MayOmit members that all of its elements omit have the
// values of a known set.
func (k Key) Complete(read, known Value) Value {
	elements, index := read.Elements(), k.Index(known)
	for _, name := range k.MayOmit {
		if slices.ContainsFunc(elements, func(element Value) bool { return !element.At(name).IsNull() }) {
			continue
		}
		for i, element := range elements {
			if is, ok := index[k.Of(element)]; ok {
				elements[i] = element.With(is.At(name), name)
			}
		}
	}
	return Collection(read.Type(), elements)
}

// FillElements returns a value in which the elements of keyed sets have the empty value for each
// member that they omit, except for those of the key.
func (r Rules) FillElements(value Value) Value { return r.FillLeaf("", value) }

// FillLeaf is FillElements for the value of one attribute.
func (r Rules) FillLeaf(name string, value Value) Value {
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
		return value.Map(r.FillLeaf)
	default:
		return value
	}
}
