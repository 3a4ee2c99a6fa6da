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
	// Parent are those of Members that identify what an element is about, such as the
	// source table of a table mapping. Two elements may be about the same.
	Parent []string
	// Noun is what an element is in a message, such as "table mapping".
	Noun string
	// Format names an element in a message, with a %s for each of Members.
	Format string
}

// Of returns the key of an element. It is equal for two elements if their Members
// are.
func (k Key) Of(element Value) string { return joined(k.Members, element) }

// parentOf returns the part of the key that two elements about the same share.
func (k Key) parentOf(element Value) string { return joined(k.Parent, element) }

func joined(names []string, element Value) string {
	var key []byte
	for _, name := range names {
		key = strconv.AppendQuote(key, element.At(name).Normal())
	}
	return string(key)
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

// Difference returns what changes a remote set to the wanted one: the remote
// elements to remove, and the wanted elements to add. An element that differs is in
// both. Elements without a name are in neither.
func (k Key) Difference(wanted, remote Value) (remove, add []Value) {
	inWanted := k.Index(wanted)
	stays, goes := map[string]bool{}, map[string]bool{}
	for _, element := range remote.Elements() {
		key := k.Of(element)
		switch want, ok := inWanted[key]; {
		case !k.Named(element):
		case ok && Alike(want, element):
			stays[key] = true
		default:
			goes[key] = true // also if a response has two with this key, and one of them stays
			remove = append(remove, element)
		}
	}
	for _, element := range wanted.Elements() {
		if key := k.Of(element); k.Named(element) && (!stays[key] || goes[key]) {
			add = append(add, element)
		}
	}
	return k.Sort(remove), k.Sort(add)
}

// Wanted returns what a remote set has to be after an apply of the change from prior to
// plan. Elements that the plan leaves alone are what they are by now, or gone. The
// others are as planned.
//
// conflicts are the remote elements that the plan changes or adds, or beside which it adds
// one with the same parent, and that are no longer what the plan was made from. A removal
// is carried out, unless the plan adds an element with the same parent: the plan does not
// show all that is lost between the two.
func (k Key) Wanted(prior, plan, remote Value) (wanted Value, conflicts []Value) {
	was, planned := map[string][]Value{}, k.Index(plan)
	for _, element := range prior.Elements() { // of which a response may return two with one key
		was[k.Of(element)] = append(was[k.Of(element)], element)
	}
	stays := func(key string) bool {
		before := was[key]
		after, has := planned[key]
		return !has && len(before) == 0 || has && len(before) == 1 && Alike(before[0], after)
	}
	var elements []Value
	added, done := map[string]bool{}, map[string]bool{}
	for key, element := range planned {
		added[k.parentOf(element)] = added[k.parentOf(element)] || !stays(key)
	}
	for _, element := range remote.Elements() {
		key := k.Of(element)
		after, has := planned[key]
		unchanged := slices.ContainsFunc(was[key], func(before Value) bool { return Alike(element, before) })
		switch {
		case stays(key) && (unchanged || !added[k.parentOf(element)]):
			elements = append(elements, element)
		case has && Alike(element, after):
			elements, done[key] = append(elements, element), true
		case !has && !added[k.parentOf(element)], unchanged:
		default:
			conflicts = append(conflicts, element)
		}
	}
	for _, element := range plan.Elements() {
		if key := k.Of(element); !stays(key) && !done[key] {
			elements = append(elements, element)
		}
	}
	return Collection(plan.Type(), elements), k.Sort(conflicts)
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
