package tfvalue

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"golang.org/x/text/unicode/norm"
)

// Terraform gives every string of configuration and state one Unicode normal form (NFC).
// A database may hold a name in another form, and to it that is another name. Forms
// compare as equal here, so they make no difference by themselves; but a list or a set
// that is sent again would rename what it contains.

// Normal returns a string in the normal form of Terraform's.
func (v Value) Normal() string { return norm.NFC.String(v.Text()) }

// OtherForms returns the strings in a value that have another form, each once, in Terraform's form
// and in order. What contains one cannot be sent again.
func (v Value) OtherForms() []string {
	found := map[string]bool{}
	_ = tftypes.Walk(v.Value, func(_ *tftypes.AttributePath, at tftypes.Value) (bool, error) {
		if s := (Value{at}); isString(s) && s.Normal() != s.Text() {
			found[s.Normal()] = true
		}
		return true, nil // never fails
	})
	return slices.Sorted(maps.Keys(found))
}
