package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
)

// addFailed reports a PATCH that was not carried out, or may not have been.
func (u *update) addFailed(err error, diags *diag.Diagnostics) {
	if len(u.set.conflicts) > 0 {
		if platform.IsAmbiguous(err) {
			u.set.removed = append(u.set.removed, u.set.edit.Remove...) // those that are gone
		}
		u.addConflict(err, diags)
		return
	}
	if platform.IsAmbiguous(err) {
		u.set.perhaps = u.set.edit.Remove
	}
	conn.AddError(diags, "Cannot update "+u.Noun, err)
}

func (u *update) addUnreadable(err error, diags *diag.Diagnostics) {
	diags.AddError(
		fmt.Sprintf("Cannot read %s after its update", u.Noun),
		fmt.Sprintf("The API accepted the update of %s, but its response leaves a doubt about the result, and reading the %s failed:\n\n%s",
			u.change.Label, u.Noun, conn.Detail(err)),
	)
}

func (u *update) addStoredOtherwise(r record, diags *diag.Diagnostics) {
	returned, advice := "another value: "+u.client.Mask(u.Rules.Describe(r.Name(), r.now))+". ", "Set the argument to the value on the platform, or remove it from the configuration."
	if u.isSet(r.Path) {
		lines := u.describeElements(r, slices.Concat(u.set.wrong, u.set.missing), [2]string{"sent", "returned"})
		returned = "other elements:\n\n" + strings.Join(lines, "\n") + "\n\n"
		// An element may lack what was asked for: to configure it so would make that permanent.
		advice = "If the platform's form means the same, write it in the configuration. Otherwise check these elements in the platform's console: they are not as configured."
	}
	diags.AddAttributeError(
		conn.AttributePath(r.Path),
		fmt.Sprintf("API stored a different value for %s of %s", r.Path, u.change.Label),
		fmt.Sprintf("%s was sent and accepted, but the API returned %s%s", r.Path, returned, advice),
	)
}

// warnChangedElements warns about elements of the set that no PATCH had, and that are
// another value now.
func (u *update) warnChangedElements(diags *diag.Diagnostics) {
	if len(u.set.notes) == 0 {
		return
	}
	diags.AddWarning(
		fmt.Sprintf("Updating %s also changed %ss that were not sent", u.change.Label, u.key().Noun),
		"Either the platform changed them with the update, or somebody else did at the same time. They were left as they are, and the next plan shows them:\n\n"+strings.Join(u.set.notes, "\n"),
	)
}

// warnUnmanaged warns, once per object, about unmanaged leaves that changed with the
// update.
func (u *update) warnUnmanaged(diags *diag.Diagnostics) {
	moves := u.Moves(u.leaves.sent)
	var lines []string
	settable := false
	for _, r := range u.leaves.records {
		was, now := u.change.read.At(r.Path...), u.Rules.WholeLeaf(r.Name(), r.now)
		if !u.leaves.wanted.At(r.Path...).IsNull() || slices.Contains(moves, r.Path[0]) || was.IsNull() || u.Rules.Confirms(r.Name(), was, now) {
			continue
		}
		settable = settable || u.traits.settable(r.Path) && u.change.Config.At(r.Path...).IsNull()
		lines = append(lines, u.Rules.DescribeChange(r.Path, was, now, [2]string{"was", "is now"}, u.client.Mask)...)
	}
	if len(lines) == 0 {
		return
	}
	detail := "These values were not sent. Either the platform changed them with the update, or somebody else changed them at the same time:\n\n" + strings.Join(lines, "\n")
	if settable {
		detail += "\n\nTo manage one of them, set its argument in the configuration."
	}
	diags.AddWarning(fmt.Sprintf("Updating %s also changed unmanaged values", u.change.Label), detail)
}

// warnUnreturned warns, once per object, about leaves that the platform accepted and
// does not return.
func (u *update) warnUnreturned(diags *diag.Diagnostics) {
	if len(u.leaves.unreturned) == 0 {
		return
	}
	diags.AddWarning(
		fmt.Sprintf("API does not return all values of %s", u.change.Label),
		"The API accepted these values, but neither its response nor a further read contains them, so it is not known whether they are in effect:\n\n"+
			"  - "+strings.Join(u.leaves.unreturned, "\n  - ")+
			"\n\nThe state has the planned values. Check them in the platform's console: a setting may have no effect while another one is off.",
	)
}
