package tfvalue

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Spellings are the strings in lists and sets of a response that are not in Terraform's
// normal form, by that form. To a database, two forms may be two names.
type Spellings map[string]string

// Add adds the spellings of a response. Earlier ones are kept.
func (s Spellings) Add(response Value) {
	_ = tftypes.Walk(response.Value, func(at *tftypes.AttributePath, value tftypes.Value) (bool, error) {
		if v := (Value{value}); isString(v) && isInCollection(at) {
			form := normal(v)
			if _, found := s[form]; !found && form != v.Text() {
				s[form] = v.Text()
			}
		}
		return true, nil // never fails
	})
}

// Apply returns an object with the strings in its lists and sets as they are spelled in
// the responses.
func (s Spellings) Apply(object Value) Value {
	if len(s) == 0 {
		return object
	}
	spelled, _ := tftypes.Transform(object.Value, func(at *tftypes.AttributePath, value tftypes.Value) (tftypes.Value, error) {
		if v := (Value{value}); isString(v) && isInCollection(at) {
			if spelling, found := s[normal(v)]; found {
				return String(spelling).Value, nil
			}
		}
		return value, nil // never fails
	})
	return Value{spelled}
}

// isInCollection reports whether a path leads into a list or a set.
func isInCollection(at *tftypes.AttributePath) bool {
	return slices.ContainsFunc(at.Steps(), func(step tftypes.AttributePathStep) bool {
		_, isAttribute := step.(tftypes.AttributeName)
		return !isAttribute
	})
}
