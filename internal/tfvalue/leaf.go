package tfvalue

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Path is a chain of attribute names.
type Path []string

// String joins the names by dots, as a user writes them.
func (p Path) String() string { return strings.Join(p, ".") }

// Leaf is one attribute that is no object. Lists and sets are leaves: they are
// owned, compared and sent whole.
type Leaf struct {
	Path  Path
	Value Value
}

// Name is the last name of the path.
func (l Leaf) Name() string { return l.Path[len(l.Path)-1] }

// Leaves are the leaves that are not null, in the order of their names.
func (v Value) Leaves() []Leaf { return v.appendLeaves(nil, nil) }

func (v Value) appendLeaves(found []Leaf, at Path) []Leaf {
	if v.IsNull() {
		return found
	}
	if !v.IsObject() {
		return append(found, Leaf{slices.Clone(at), v})
	}
	for name, member := range v.Members() {
		found = member.appendLeaves(found, append(at, name))
	}
	return found
}

// AnyLeaf reports whether there is a leaf that is not null.
func (v Value) AnyLeaf() bool {
	if v.IsNull() {
		return false
	}
	if !v.IsObject() {
		return true
	}
	for _, member := range v.members() {
		if (Value{member}).AnyLeaf() {
			return true
		}
	}
	return false
}

// Prune is a value in which objects without leaves are null.
func (v Value) Prune() Value {
	if !v.AnyLeaf() {
		return Null(v.Type())
	}
	if !v.IsObject() {
		return v
	}
	return v.Map(func(_ string, member Value) Value { return member.Prune() })
}

// Forget is a value without these leaves.
func (v Value) Forget(gone []Leaf) Value {
	for _, leaf := range gone {
		v = v.Without(leaf.Path...)
	}
	return v
}

// Fill is a value in which null is what the other one has.
func (v Value) Fill(other Value) Value {
	switch {
	case v.IsNull():
		return other
	case other.IsNull() || !v.IsObject():
		return v
	default:
		return v.Map(func(name string, member Value) Value { return member.Fill(other.At(name)) })
	}
}

// Fill is a value in which null is what the other one has, in the elements of
// keyed sets too.
func (r Rules) Fill(value, other Value) Value { return r.fill("", value, other) }

func (r Rules) fill(name string, value, other Value) Value {
	key, keyed := r.Keys[name]
	switch {
	case value.IsNull():
		return other
	case value.IsObject() && !other.IsNull():
		return value.Map(func(name string, member Value) Value { return r.fill(name, member, other.At(name)) })
	case keyed && value.IsKnown():
		return key.Fill(value, other)
	default:
		return value
	}
}

// isString and isSet read better in a switch than what they stand for.
func isString(v Value) bool { return v.Type().Is(tftypes.String) }
func isSet(v Value) bool    { return v.Type().Is(tftypes.Set{}) }
func isList(v Value) bool   { return v.Type().Is(tftypes.List{}) }
