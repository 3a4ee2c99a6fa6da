package tfvalue

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// Describe returns a value for a message, cut.
func (v Value) Describe() string { return words.Cut(v.DescribeInFull()) }

// DescribeInFull returns a value for a message. It names the elements of a keyed map by their keys.
func (v Value) DescribeInFull() string {
	var parts []string
	switch {
	case v.IsNull():
		return "not set"
	case isString(v):
		return fmt.Sprintf("%q", v.Text())
	case isNumber(v):
		return v.Number().Text('f', -1)
	case v.Type().Is(tftypes.Bool):
		return fmt.Sprint(v.True())
	case v.IsObject():
		for _, leaf := range v.Leaves() {
			parts = append(parts, leaf.Path.String()+" = "+leaf.Value.DescribeInFull())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case v.isKeyed():
		for key := range v.Members() {
			parts = append(parts, fmt.Sprintf("%q", key))
		}
	default:
		for _, element := range v.Elements() {
			parts = append(parts, element.DescribeInFull())
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// DescribeChange describes two values of a leaf for a message, in one line, or for a keyed map in a
// line for each member of an element. verbs introduce the two values, such as "was" and "is now";
// mask masks secrets in them.
func DescribeChange(at Path, one, other Value, verbs [2]string, mask func(string) string) []string {
	line := func(subject string, one, other Value) string {
		return fmt.Sprintf("  - %s: %s %s, %s %s", subject, verbs[0], mask(one.Describe()), verbs[1], mask(other.Describe()))
	}
	if !one.isKeyed() {
		return []string{line(at.String(), one, other)}
	}
	var lines []string
	had, has := maps.Collect(one.Members()), maps.Collect(other.Members())
	all := maps.Clone(had)
	maps.Copy(all, has)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		subject := fmt.Sprintf("%s, %q", at, key)
		was, existed := had[key]
		now, exists := has[key]
		switch {
		case !exists:
			lines = append(lines, fmt.Sprintf("  - %s: %s there, %s missing", subject, verbs[0], verbs[1]))
		case !existed:
			lines = append(lines, fmt.Sprintf("  - %s: %s missing, %s there", subject, verbs[0], verbs[1]))
		default:
			for _, member := range Differing(was, now) {
				lines = append(lines, line(subject+", "+member, was.At(member), now.At(member)))
			}
		}
	}
	return lines
}
