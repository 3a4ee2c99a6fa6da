package tfvalue

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"golang.org/x/text/unicode/norm"
)

// Terraform normalizes every string of configuration and state to one Unicode form (NFC). A database
// may have a name in another form, and to the database that is another name. Here the forms are
// equal, so they alone are no difference. But to send a list or a set again would rename what is in
// it.

// Normal returns a string in Terraform's Unicode form.
func (v Value) Normal() string { return norm.NFC.String(v.Text()) }

// OtherForms returns the strings in a value that have another form, or that could not be read in full
// (what was no text has become U+FFFD), each once, in Terraform's form and sorted. A value that contains
// one must not be sent again.
func (v Value) OtherForms() []string {
	found := map[string]bool{}
	_ = tftypes.Walk(v.Value, func(_ *tftypes.AttributePath, at tftypes.Value) (bool, error) {
		if s := (Value{at}); isString(s) && (s.Normal() != s.Text() || strings.ContainsRune(s.Text(), utf8.RuneError)) {
			found[s.Normal()] = true
		}
		return true, nil // never fails
	})
	return slices.Sorted(maps.Keys(found))
}
