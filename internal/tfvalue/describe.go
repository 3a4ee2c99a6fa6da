package tfvalue

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Describe returns a value for a message, cut to 2,000 characters: long enough to show where two
// certificates differ.
func (r Rules) Describe(name string, value Value) string {
	const limit = 2000
	spelled := r.DescribeInFull(name, value)
	if runes := []rune(spelled); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return spelled
}

// DescribeInFull returns a value for a message. It names the elements of a keyed map by their keys.
func (r Rules) DescribeInFull(name string, value Value) string {
	switch {
	case value.IsNull():
		return "not set"
	case isString(value):
		return fmt.Sprintf("%q", value.Text())
	case isNumber(value):
		return value.Number().Text('f', -1)
	case value.Type().Is(tftypes.Bool):
		return fmt.Sprint(value.True())
	case value.IsObject():
		var members []string
		for _, leaf := range value.Leaves() {
			members = append(members, leaf.Path.String()+" = "+r.DescribeInFull(leaf.Name(), leaf.Value))
		}
		return "{" + strings.Join(members, ", ") + "}"
	default:
		describe := func(element Value) string { return r.DescribeInFull(name, element) }
		if key, keyed := r.Keys[name]; keyed {
			describe = key.Label
		}
		var elements []string
		for _, element := range value.Elements() {
			elements = append(elements, describe(element))
		}
		return "[" + strings.Join(elements, ", ") + "]"
	}
}

// DescribeChange describes two values of a leaf for a message, in one line, or for a keyed map in a
// line for each member of an element. verbs introduce the two values, such as "was" and "is now";
// mask masks secrets in them.
func (r Rules) DescribeChange(at Path, one, other Value, verbs [2]string, mask func(string) string) []string {
	line := func(subject, name string, one, other Value) string {
		return fmt.Sprintf("  - %s: %s %s, %s %s", subject, verbs[0], mask(r.Describe(name, one)), verbs[1], mask(r.Describe(name, other)))
	}
	if _, keyed := r.Keys[at.Name()]; !keyed {
		return []string{line(at.String(), at.Name(), one, other)}
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
				lines = append(lines, line(subject+", "+member, member, was.At(member), now.At(member)))
			}
		}
	}
	return lines
}
