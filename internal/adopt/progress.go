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
	returned := "another value: " + u.client.Mask(u.Rules.Describe(r.Name(), r.now)) + ". "
	if _, keyed := u.Rules.Keys[r.Name()]; r.now.IsNull() {
		returned = "no value. "
	} else if keyed {
		lines := u.Rules.DescribeChange(r.Path, r.wanted, u.Rules.WholeLeaf(r.Name(), r.now), [2]string{"sent", "returned"}, u.client.Mask)
		returned = "other elements:\n\n" + strings.Join(lines, "\n") + "\n\n"
	}
	diags.AddAttributeError(
		conn.AttributePath(r.Path),
		fmt.Sprintf("API stored a different value for %s of %s", r.Path, u.label),
		fmt.Sprintf("%s was sent and accepted, but the API returned %sSet the argument to the value on the platform, or remove it from the configuration.", r.Path, returned),
	)
}

// reportUnfinished reports, after an error, the elements of keyed sets that this update has
// removed, or may have, and those that it has not added yet.
func (u *update) reportUnfinished(diags *diag.Diagnostics) {
	if !diags.HasError() {
		return
	}
	for _, set := range u.keyedSets(u.wanted) {
		removed, perhaps := u.removed[set.Path.String()], u.perhaps[set.Path.String()]
		pending := u.pending(set, append(slices.Clone(removed), perhaps...))
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
		list(fmt.Sprintf("These %ss may have been removed, because the API did not say what became of the request:", set.key.Noun), perhaps)
		next := "The next apply adds them."
		if u.rejected {
			next = "The API rejected the request that adds them: correct what its message names, then apply again."
		}
		title := "These are not added yet:"
		if u.unsure && len(perhaps) == 0 { // the PATCH that adds them
			title = "These may not be added yet, because the API did not say what became of the request:"
		}
		list(title, pending)
		diags.AddError(
			fmt.Sprintf("%s of %s is only partly updated", set.Path, u.label),
			text.String()+strings.TrimSpace(u.Unfinished+" "+next),
		)
	}
}

// pending returns the wanted elements that this update has removed, or had to add, and that
// are not known to be there; none if it has removed nothing.
func (u *update) pending(set keyedSet, removed []tfvalue.Value) []tfvalue.Value {
	if len(removed) == 0 {
		return nil
	}
	index := func(elements []tfvalue.Value) map[string]tfvalue.Value {
		return set.key.Index(tfvalue.Collection(set.Value.Type(), elements))
	}
	gone, perhaps := index(removed), index(u.perhaps[set.Path.String()])
	there, had := set.key.Index(u.remote.At(set.Path...)), set.key.Index(u.before.At(set.Path...))
	return slices.DeleteFunc(set.Value.Elements(), func(element tfvalue.Value) bool {
		key := set.key.Of(element)
		has := func(all map[string]tfvalue.Value) bool { _, ok := all[key]; return ok }
		hasEqual := func(all map[string]tfvalue.Value) bool { return has(all) && tfvalue.Alike(all[key], element) }
		isOurs := has(gone) || !hasEqual(had)
		isThere := hasEqual(there) && !has(perhaps)
		return !isOurs || isThere
	})
}
