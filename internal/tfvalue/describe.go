package tfvalue

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Describe returns a value for a message, cut to 2,000 characters: long enough to
// show where two certificates differ.
func (r Rules) Describe(name string, value Value) string {
	const limit = 2000
	spelled := r.spell(name, value)
	if runes := []rune(spelled); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return spelled
}

// spell names the elements of a keyed set by their keys.
func (r Rules) spell(name string, value Value) string {
	switch {
	case value.IsNull():
		return "not set"
	case !value.IsKnown():
		return "(known after apply)"
	case isString(value):
		return fmt.Sprintf("%q", value.Text())
	case value.Type().Is(tftypes.Number):
		return value.Number().Text('f', -1)
	case value.Type().Is(tftypes.Bool):
		return fmt.Sprint(value.True())
	case value.IsObject():
		var members []string
		for _, leaf := range value.Leaves() {
			members = append(members, leaf.Path.String()+" = "+r.spell(leaf.Name(), leaf.Value))
		}
		return "{" + strings.Join(members, ", ") + "}"
	default:
		var elements []string
		for _, element := range value.Elements() {
			if key, keyed := r.Keys[name]; keyed {
				elements = append(elements, key.Spell(element))
				continue
			}
			elements = append(elements, r.spell(name, element))
		}
		return "[" + strings.Join(elements, ", ") + "]"
	}
}
