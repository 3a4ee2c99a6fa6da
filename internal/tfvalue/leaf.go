package tfvalue

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Path is a path of attribute names, from the root of an object.
type Path []string

// String returns the path as in a configuration, such as "source.kafka.iam_role".
func (p Path) String() string { return strings.Join(p, ".") }

// Name returns the last name of the path, "" of the root.
func (p Path) Name() string { return strings.Join(p[max(0, len(p)-1):], "") }

// Leaf is an attribute that is not an object. A list, a set or a map is one leaf: it is owned, compared and
// sent as a whole.
type Leaf struct {
	Path
	Value Value
}

// Leaves returns the leaves that are not null, in the order of their paths. An unknown object
// counts as a leaf.
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

// Paths returns the paths of leaves as in a configuration.
func Paths(leaves []Leaf) (texts []string) {
	for _, leaf := range leaves {
		texts = append(texts, leaf.Path.String())
	}
	return texts
}

// AnyLeaf reports whether Leaves returns any.
func (v Value) AnyLeaf() bool { return len(v.Leaves()) > 0 }

// Prune returns a value in which objects without leaves are null.
func (v Value) Prune() Value {
	if !v.AnyLeaf() {
		return Null(v.Type())
	}
	return v.Map(func(_ string, member Value) Value { return member.Prune() })
}

// Merge returns the value. Where it is null, it has the leaves of under.
func (v Value) Merge(under Value) Value {
	return v.combine("", under, func(_ string, over, under Value) Value {
		if over.IsNull() {
			return under
		}
		return over
	})
}

// combine returns an object with every leaf, null or not, replaced by what leaf returns for it and
// for the value of other at the same path. name is that of the attribute.
func (v Value) combine(name string, other Value, leaf func(name string, v, other Value) Value) Value {
	if !v.IsObject() {
		return leaf(name, v, other)
	}
	return v.Map(func(name string, member Value) Value { return member.combine(name, other.At(name), leaf) })
}

// The types of scalars, as what they are compared with: a conversion for each comparison would allocate.
var stringType, numberType, boolType tftypes.Type = tftypes.String, tftypes.Number, tftypes.Bool

func isString(v Value) bool { return v.Type().Is(stringType) }
func isNumber(v Value) bool { return v.Type().Is(numberType) }
func isBool(v Value) bool   { return v.Type().Is(boolType) }

// IsCollection reports whether a value is a list, a set or a keyed map.
func (v Value) IsCollection() bool { return isList(v) || isSet(v) || v.isKeyed() }

// isKeyed reports whether a value is a map of objects, which is a keyed map: its labels follow from its
// elements.
func (v Value) isKeyed() bool {
	typ, isMap := v.Type().(tftypes.Map)
	return isMap && typ.ElementType.Is(tftypes.Object{})
}

func isSet(v Value) bool  { return isOf[tftypes.Set](v) }
func isList(v Value) bool { return isOf[tftypes.List](v) }

// hasMembers reports whether a value is an object or a map.
func (v Value) hasMembers() bool { return isOf[tftypes.Object](v) || isOf[tftypes.Map](v) }

func isOf[T tftypes.Type](v Value) bool {
	_, is := v.Type().(T)
	return is
}
