package adopt

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// report says what became of an update, also of one that failed: the next plan begins with
// what the platform has by now.
func (u *update) report(diags *diag.Diagnostics) {
	u.warnUnmanaged(diags)
	u.warnChangedElements(diags)
	u.warnUnreturned(diags)
	u.reportUnfinished(diags)
}

// addFailed reports a PATCH that was not carried out, or may not have been.
func (u *update) addFailed(p Patch, err error, diags *diag.Diagnostics) {
	if platform.IsAmbiguous(err) {
		u.set.removed = append(u.set.removed, p.Edit.Remove...)
	}
	if c := (conflict{}); errors.As(err, &c) {
		u.addConflict(c, err, diags)
		return
	}
	conn.AddError(diags, "Cannot update "+u.Noun, err)
}

// addConflict reports that the set changed between two requests. err is that of the request
// that was not sent again, nil if it was not sent at all.
func (u *update) addConflict(c conflict, err error, diags *diag.Diagnostics) {
	end := "Nothing more was sent. Plan again."
	if err != nil {
		end = "Plan again.\n\n" + conn.Detail(err)
	}
	detail := fmt.Sprintf("This update changes these %ss, or others of the same source or target, and somebody else has changed them meanwhile:\n\n%s\n\n%s",
		u.key().Noun, u.key().List(c.elements), end)
	diags.AddAttributeError(conn.AttributePath(u.KeyedSet), fmt.Sprintf("%s of %s changed during the apply", u.KeyedSet, u.change.Label), detail)
}

func (u *update) addUnreadable(err error, diags *diag.Diagnostics) {
	diags.AddError(
		fmt.Sprintf("Cannot read %s after its update", u.Noun),
		fmt.Sprintf("The API accepted the update of %s, but its response leaves a doubt about the result, and reading the %s failed:\n\n%s",
			u.change.Label, u.Noun, conn.Detail(err)),
	)
}

func (u *update) addStoredOtherwise(r record, diags *diag.Diagnostics) {
	diags.AddAttributeError(
		conn.AttributePath(r.Path),
		fmt.Sprintf("API stored a different value for %s of %s", r.Path, u.change.Label),
		fmt.Sprintf("%s was sent and accepted, but the API returned another value: %s. Set the argument to the value on the platform, or remove it from the configuration.",
			r.Path, u.describe(r)),
	)
}

func (u *update) describe(r record) string {
	return u.connection.Client.Mask(u.Rules.Describe(r.Name(), r.now))
}

// addNotShown reports a leaf that is still as it was. The first object that has one waits for
// it, and no other of this run does: a platform that ignores an argument must not cost every
// object that time.
func (u *update) addNotShown(r record, diags *diag.Diagnostics) {
	long := "in reads for " + maxLag.String()
	if !u.connection.Ignored.Add(u.pathInRun(r.Path)) {
		long = "in one read. Another object of this run waited " + maxLag.String() + " for the same argument in vain"
	}
	diags.AddAttributeError(
		conn.AttributePath(r.Path),
		u.notShown(r),
		fmt.Sprintf("%s was sent and accepted, but the API still returned the value from before, %s, %s. The platform may need more time, or may have ignored the argument. "+
			"Nothing more was sent. Check the value in the platform's console, then run terraform plan again.", r.Path, u.describe(r), long),
	)
}

// pathInRun is the key of an attribute of all objects of this kind.
func (u *update) pathInRun(at tfvalue.Path) string { return u.Name + "/" + at.String() }

// addWrongElements reports elements of the set that are not as they were sent, or as they were.
func (u *update) addWrongElements(r record, wrong []tfvalue.Value, diags *diag.Diagnostics) {
	summary, returned := fmt.Sprintf("API stored a different value for %s of %s", r.Path, u.change.Label), "other elements"
	if len(u.set.outcome.Late) > 0 {
		summary, returned = u.notShown(r), "other elements in reads for "+maxLag.String()
	}
	lines := u.Rules.DescribeChange(r.Path, u.key().Only(r.wanted, wrong), u.key().Only(u.Rules.WholeLeaf(r.Name(), r.now), wrong), [2]string{"should be", "but is"}, u.connection.Client.Mask)
	// An element may lack what was asked for: to configure it so would make that permanent.
	diags.AddAttributeError(conn.AttributePath(r.Path), summary,
		fmt.Sprintf("%s was sent and accepted, but the API returned %s:\n\n%s\n\nNothing more was sent. Check these elements in the platform's console: they are not as configured.",
			r.Path, returned, strings.Join(lines, "\n")))
}

func (u *update) notShown(r record) string {
	return fmt.Sprintf("API does not show the change to %s of %s", r.Path, u.change.Label)
}

// addReset reports what PATCHes have reset again and again.
func (u *update) addReset(diags *diag.Diagnostics) {
	lost := u.step().Add
	for _, r := range u.leaves.records {
		switch {
		case u.isSet(r.Path) && len(lost) > 0:
			r.wanted = u.set.want
			u.addWrongElements(r, lost, diags)
		case r.isReset() && !u.isSet(r.Path):
			u.addStoredOtherwise(r, diags)
		}
	}
}

// reportUnfinished reports, after an error, the elements that are or may be removed and not
// added again yet, with the values that they had: those that a PATCH removed, or may have,
// for others that are not known to be there as they are wanted, and those that were lost.
func (u *update) reportUnfinished(diags *diag.Diagnostics) {
	if !diags.HasError() || !u.ownsKeyedSet() {
		return
	}
	key, there := u.key(), u.seen.remote.At(u.KeyedSet...)
	if u.seen.asOf.IsZero() {
		there = tfvalue.Collection(there.Type(), nil)
	}
	_, pending := key.Difference(u.set.want, there)
	_, due := key.Difference(u.set.want, u.set.base)
	lost := key.Only(key.Replace(tfvalue.Collection(there.Type(), due), u.change.Edit.Add, nil), pending).Elements()
	gone := key.Replace(tfvalue.Collection(there.Type(), key.Among(u.set.removed, pending)), nil, lost).Elements()
	var lines []string
	for _, element := range key.Sort(gone) {
		var members []string
		for _, leaf := range element.Leaves() {
			if !slices.Contains(key.Members, leaf.Name()) {
				members = append(members, leaf.Path.String()+" = "+u.Rules.Spell(leaf.Name(), leaf.Value))
			}
		}
		lines = append(lines, "  - "+key.Spell(element)+": "+strings.Join(members, ", "))
	}
	if len(lines) == 0 {
		return
	}
	diags.AddError(
		fmt.Sprintf("%s of %s is only partly updated", u.KeyedSet, u.change.Label),
		fmt.Sprintf("These %ss were removed, or may have been, and are not known to be added again. They were:\n\n%s\n\n%s "+
			"Correct what the API rejected, if it did, compare these values with the configuration, then run terraform plan and apply again.",
			key.Noun, u.connection.Client.Mask(strings.Join(lines, "\n")), u.Unfinished),
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
		lines = append(lines, u.Rules.DescribeChange(r.Path, was, now, [2]string{"was", "is now"}, u.connection.Client.Mask)...)
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
		"The API accepted these values, but neither its response nor a further read contains them. The platform may show them later, or never, so it is not known whether they are in effect:\n\n"+
			"  - "+strings.Join(u.leaves.unreturned, "\n  - ")+
			"\n\nThe state has the planned values. Check them in the platform's console: a setting may have no effect while another one is off.",
	)
}
