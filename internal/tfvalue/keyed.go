package tfvalue

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Key describes a keyed map: a map of objects that a response has as an array, and of which some members
// are the key. An element is a value: two are equal if all their members are, and a member that is
// omitted counts as empty.
type Key struct {
	// Members are the attributes that identify an element, all of them strings.
	Members []string
	// Separators are the characters between the members in a key, such as ".:" in a.b:c.
	Separators string
	// Parts are parts of the key. Elements that share one are related, such as two mappings of the
	// same source table, or to the same target.
	Parts [][]string
	// MayOmit are members of which a response says nothing if all of its elements omit them. If only
	// some do, the member is empty there, like any other.
	MayOmit []string
}

// Of returns the key of an element.
func (k Key) Of(element Value) string { return k.keyOf(element, k.Members) }

func (k Key) keyOf(element Value, members []string) string {
	names := make([]string, len(members))
	for i, name := range members {
		names[i] = element.At(name).Normal()
	}
	return k.Join(names)
}

// Join returns the key with these names. A name that is empty, or that contains a separator or a
// quotation mark, is quoted, with its quotation marks doubled: so no two elements have one key, and
// none has two.
func (k Key) Join(names []string) string {
	quoted := slices.Clone(names)
	for i, name := range names {
		if name == "" || strings.ContainsAny(name, k.Separators+`"`) {
			quoted[i] = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
	}
	key := quoted[0]
	for i, name := range quoted[1:] {
		key += k.Separators[i:i+1] + name
	}
	return key
}

// Split returns the names in a key. If Join writes it otherwise, isKey is false.
func (k Key) Split(key string) (names []string, isKey bool) {
	isQuoted, begin := false, 0
	for i := range len(key) {
		if isQuoted = isQuoted != (key[i] == '"'); !isQuoted && len(names) < len(k.Separators) && key[i] == k.Separators[len(names)] {
			names, begin = append(names, key[begin:i]), i+1
		}
	}
	names = append(names, key[begin:])
	for i, name := range names {
		if strings.HasPrefix(name, `"`) && strings.HasSuffix(name[1:], `"`) {
			names[i] = strings.ReplaceAll(name[1:len(name)-1], `""`, `"`)
		}
	}
	return names, len(names) == len(k.Members) && !slices.Contains(names, "") && k.Join(names) == key
}

// Collect returns the keyed map of these elements, of which it drops repeats. If a response has another
// element with the same key, the key of that ends with " (2)".
func (k Key) Collect(typ tftypes.Type, elements []Value) Value {
	all := make(map[string]tftypes.Value, len(elements))
	for _, element := range elements {
		key := k.Of(element)
		for first, i := key, 2; all[key].Type() != nil && !element.Equal(Value{all[key]}); i++ {
			key = fmt.Sprintf("%s (%d)", first, i)
		}
		all[key] = element.Value
	}
	return Value{tftypes.NewValue(typ, all)}
}

// Named returns a keyed map in which each element has the names of its key, also if the element is
// unknown, or a name.
func (k Key) Named(value Value) Value {
	return value.Map(func(key string, element Value) Value {
		names, _ := k.Split(key)
		members := map[string]tftypes.Value{}
		for name, typ := range element.Type().(tftypes.Object).AttributeTypes {
			members[name] = element.At(name).Value
			if i := slices.Index(k.Members, name); i >= 0 && !members[name].IsKnown() {
				members[name] = tftypes.NewValue(typ, names[i])
			}
		}
		return Value{tftypes.NewValue(element.Type(), members)}
	})
}

// WithoutNames returns a keyed map as a person writes it: without the names, which are in its keys, and without what
// is empty and may be omitted. An element that lacks a name, or that repeats a key, is null: no configuration
// can have it.
func (k Key) WithoutNames(value Value) Value {
	return value.Map(func(at string, element Value) Value {
		if at != k.Of(element) || !k.isNamed(element) {
			return Null(element.Type())
		}
		return element.Map(func(name string, member Value) Value {
			if slices.Contains(k.Members, name) || slices.Contains(k.MayOmit, name) && member.IsEmpty() {
				return Null(member.Type())
			}
			return member
		})
	})
}

// isNamed reports whether an element has every member of its key. An element of a response that
// lacks one is never taken for another element, and never sent.
func (k Key) isNamed(element Value) bool {
	return !slices.ContainsFunc(k.Members, func(name string) bool { return element.At(name).IsEmpty() })
}

// Unnamed returns the elements of a keyed map that lack a member of their key.
func (k Key) Unnamed(set Value) []Value {
	return slices.DeleteFunc(set.Elements(), k.isNamed)
}

// Label names an element for a message, by its key as a configuration spells it.
func (k Key) Label(element Value) string { return strconv.Quote(k.Of(element)) }

// List returns the names of elements for a message, one per line.
func (k Key) List(elements []Value) string {
	lines := make([]string, len(elements))
	for i, element := range elements {
		lines[i] = "  - " + k.Label(element)
	}
	return strings.Join(lines, "\n")
}

// InFull describes elements of one key for a message, without the members of the key.
func (k Key) InFull(elements []Value) string {
	if len(elements) == 0 {
		return "missing"
	}
	texts := make([]string, len(elements))
	for i, element := range elements {
		for _, name := range k.Members {
			element = element.Without(name)
		}
		texts[i] = strings.Trim(element.DescribeInFull(), "{}")
	}
	return strings.Join(texts, ", and ")
}

// Difference returns what changes a remote keyed map to the wanted one. An element that differs is removed
// and added. One that lacks a member of its key is neither.
func (k Key) Difference(wanted, remote Value) Edit {
	want, have := k.Group(wanted.Elements()), k.Group(remote.Elements())
	stays := func(element Value) bool {
		key := k.Of(element)
		return !k.isNamed(element) || k.sameGroup(want[key], have[key])
	}
	return Edit{slices.DeleteFunc(remote.Elements(), stays), slices.DeleteFunc(wanted.Elements(), stays)}
}

// Complete returns a keyed map of a response. The MayOmit members that all of its elements omit have the
// values of a known one.
func (k Key) Complete(read, known Value) Value {
	elements, index := read.Elements(), maps.Collect(known.Members())
	for _, name := range k.MayOmit {
		if slices.ContainsFunc(elements, func(element Value) bool { return !element.At(name).IsNull() }) {
			continue
		}
		for i, element := range elements {
			if last, ok := index[k.Of(element)]; ok {
				elements[i] = element.With(last.At(name), name)
			}
		}
	}
	return k.Collect(read.Type(), elements)
}

// Fill returns the value of an attribute, or of an object without a name, in which the elements of keyed maps
// have the names of their keys, where they omit them, and the empty value for each other member that they omit.
func (r Rules) Fill(name string, value Value) Value {
	key, hasKey := r.Keys[name]
	switch {
	case hasKey && slices.ContainsFunc(value.Elements(), Value.hasNull):
		return value.Map(key.Fill)
	case value.IsObject():
		return value.Map(r.Fill)
	default:
		return value
	}
}

// Fill returns an element as Rules.Fill does.
func (k Key) Fill(key string, element Value) Value {
	if !element.hasNull() {
		return element
	}
	names, isKey := k.Split(key)
	return element.Map(func(name string, member Value) Value {
		switch i := slices.Index(k.Members, name); {
		case member.IsNull() && i < 0:
			return empty(member.Type())
		case member.IsNull() && isKey:
			return String(names[i])
		default:
			return member
		}
	})
}
