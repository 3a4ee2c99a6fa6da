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

// Respelled returns the strings of a list or set on the platform that sending a value
// again would replace by another form of the same text, each once and in order.
func (r Rules) Respelled(name string, sent, held Value) []string {
	found := map[string]bool{}
	if key, keyed := r.Keys[name]; keyed {
		related := key.related(held.Elements())
		_, add := key.Difference(sent, held)
		for _, element := range add {
			for _, other := range related(element) {
				addRespelled(found, element, other)
			}
		}
	} else {
		addRespelled(found, sent, held)
	}
	return slices.Sorted(maps.Keys(found))
}

// Respells reports whether a set has an element that an Edit removes in another form than the
// Edit has it: an addition in its place would not have that form.
func (k Key) Respells(e Edit, now Value) bool {
	return !maps.Equal(textsOf(k.Only(now, e.Remove)), textsOf(Collection(now.Type(), e.Remove)))
}

func addRespelled(found map[string]bool, sent, held Value) {
	texts := textsOf(sent)
	for text := range textsOf(held) {
		if form := norm.NFC.String(text); !texts[text] && texts[form] {
			found[form] = true
		}
	}
}

// textsOf returns all strings in a value, in the form in which they are sent.
func textsOf(value Value) map[string]bool {
	found := map[string]bool{}
	_ = tftypes.Walk(value.Value, func(_ *tftypes.AttributePath, at tftypes.Value) (bool, error) {
		if v := (Value{at}); isString(v) {
			found[v.Text()] = true
		}
		return true, nil // never fails
	})
	return found
}
