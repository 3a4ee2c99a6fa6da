package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// update updates one object, and verifies the responses.
//
// The API document does not show whether a PATCH resets what it omits, and any field
// may be missing from any response. So each leaf has a record: what it was before,
// what is wanted, what the response has (verdict.go).
type update struct {
	*Engine
	client    *platform.Client
	id        Identity
	sendPatch Patch
	label     string
	// wanted are the managed leaves as they have to be in the end.
	wanted tfvalue.Value
	// before is the object before the update, as far as it is known, and told is what the
	// read before the update returned of it.
	before, told tfvalue.Value
	// memory is what private state would remember after that read.
	memory memory

	// The rest is what the update has come to so far.

	// remote is the object as far as it is known, and returned what the read and all
	// responses since have returned of it.
	remote, returned tfvalue.Value
	// sent are all leaves that were sent, and records those of the last PATCH.
	sent    tfvalue.Value
	records []record
	// unreturned are the paths of leaves that the platform accepted and does not return.
	unreturned []string
	// removed are the elements of keyed sets that a PATCH has removed, and perhaps those of
	// one whose outcome is not known, by path.
	removed, perhaps map[string][]tfvalue.Value
	// rejected reports that the API has rejected the last PATCH for its content, and unsure
	// that its outcome is not known.
	rejected, unsure bool
}

func (u *update) addUnreadable(err error, diags *diag.Diagnostics) {
	diags.AddError(
		fmt.Sprintf("Cannot read %s after its update", u.Noun),
		fmt.Sprintf("The API accepted the update of %s, but its response does not show the result, and reading the %s failed:\n\n%s",
			u.label, u.Noun, conn.Detail(err)),
	)
}

func (u *update) addStoredOtherwise(r record, diags *diag.Diagnostics) {
	returned, advice := "another value: "+u.client.Mask(u.Rules.Describe(r.Name(), r.now))+". ", "Set the argument to the value on the platform, or remove it from the configuration."
	if _, keyed := u.Rules.Keys[r.Name()]; r.now.IsNull() {
		returned = "no value. "
	} else if keyed {
		lines := u.Rules.DescribeChange(r.Path, r.wanted, u.Rules.WholeLeaf(r.Name(), r.now), [2]string{"sent", "returned"}, u.client.Mask)
		returned = "other elements:\n\n" + strings.Join(lines, "\n") + "\n\n"
		// An element may lack what was asked for: to configure it so would make that permanent.
		advice = "If the platform's form means the same, write it in the configuration. Otherwise check these elements in the platform's console: they are not as configured."
	}
	diags.AddAttributeError(
		conn.AttributePath(r.Path),
		fmt.Sprintf("API stored a different value for %s of %s", r.Path, u.label),
		fmt.Sprintf("%s was sent and accepted, but the API returned %s%s", r.Path, returned, advice),
	)
}

// reportUnfinished reports, after an error, the elements of keyed sets that this update has
// removed, or may have, and those that it has not added yet.
func (u *update) reportUnfinished(diags *diag.Diagnostics) {
	if !diags.HasError() {
		return
	}
	for _, set := range u.keyedSets(u.wanted) {
		removed, perhaps := u.removals(set)
		pending := u.pending(set, removed, perhaps)
		if len(pending) == 0 {
			continue
		}
		var text strings.Builder
		list := func(title string, elements []tfvalue.Value) {
			if len(elements) > 0 {
				fmt.Fprintf(&text, "%s\n\n%s\n\n", title, set.key.List(elements))
			}
		}
		list(fmt.Sprintf("These %ss were removed:", set.key.Noun), removed)
		list(fmt.Sprintf("It is not known whether these %ss were removed:", set.key.Noun), perhaps)
		title := "These are not added yet:"
		if u.unsure && len(perhaps) == 0 { // the PATCH that adds them
			title = "It is not known whether these were added:"
		}
		list(title, pending)
		next := "The next apply adds them."
		switch {
		case u.rejected && u.unsure: // perhaps because an earlier attempt was carried out
			next = "The next plan shows what is still missing."
		case u.rejected:
			next = "The request that adds them was rejected: correct what its error names, then apply again."
		}
		diags.AddError(
			fmt.Sprintf("%s of %s is only partly updated", set.Path, u.label),
			text.String()+strings.TrimSpace(u.Unfinished+" "+next),
		)
	}
}

// removals returns the elements that this update has removed, and those that it may have:
// the outcome of their PATCH is not known, or the object still has them after it.
func (u *update) removals(set keyedSet) (removed, perhaps []tfvalue.Value) {
	perhaps = slices.Clone(u.perhaps[set.Path.String()])
	there := set.key.Index(u.remote.At(set.Path...))
	for _, element := range u.removed[set.Path.String()] {
		if now, ok := there[set.key.Of(element)]; ok && tfvalue.Alike(now, element) {
			perhaps = append(perhaps, element)
		} else {
			removed = append(removed, element)
		}
	}
	return removed, perhaps
}

// pending returns the wanted elements that this update has removed, or had to add, and that
// are not known to be there; none if it has removed nothing. One that the platform has
// stored otherwise is there, and has an error of its own.
func (u *update) pending(set keyedSet, removed, perhaps []tfvalue.Value) []tfvalue.Value {
	if len(removed)+len(perhaps) == 0 {
		return nil
	}
	index := func(elements []tfvalue.Value) map[string]tfvalue.Value {
		return set.key.Index(tfvalue.Collection(set.Value.Type(), elements))
	}
	gone, doubted := index(removed), index(perhaps)
	there, had := set.key.Index(u.remote.At(set.Path...)), set.key.Index(u.before.At(set.Path...))
	return slices.DeleteFunc(set.Value.Elements(), func(element tfvalue.Value) bool {
		key := set.key.Of(element)
		has := func(all map[string]tfvalue.Value) bool { _, ok := all[key]; return ok }
		isOurs := has(gone) || has(doubted) || !has(had) || !tfvalue.Alike(had[key], element)
		isThere := has(there) && !has(doubted)
		return !isOurs || isThere
	})
}
