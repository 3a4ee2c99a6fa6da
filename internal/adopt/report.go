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

// report adds what the user has to know of an update that has ended, in success or in error.
func (u *update) report(diags *diag.Diagnostics) {
	u.warnUnmanaged(diags)
	u.warnChangedElements(diags)
	u.warnUnreturned(diags)
	u.reportUnfinished(diags)
}

// addFailed reports a PATCH that failed, and perhaps was carried out all the same.
func (u *update) addFailed(p Patch, err error, diags *diag.Diagnostics) {
	if platform.IsAmbiguous(err) {
		u.set.removed = append(u.set.removed, p.Edit.Remove...)
	}
	if c := (conflict{}); errors.As(err, &c) {
		u.addConflict(c, err, diags)
		return
	}
	diags.AddError("Cannot update "+u.Noun, conn.Detail(err))
}

// addConflict reports that somebody changed the set between two requests. err is the error of the
// call if there was one; without a call, it is nil.
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

// addNotShown reports a leaf that is still as it was. Only the first object of a run waits for such
// a leaf: if the platform ignores an argument, the wait must not recur for every object.
func (u *update) addNotShown(r record, diags *diag.Diagnostics) {
	long := "in reads for " + maxLag.String()
	if !u.connection.Ignored.Add(u.pathInRun(r.Path)) {
		long = "and another object of this run waited " + maxLag.String() + " for the same argument in vain"
	}
	diags.AddAttributeError(
		conn.AttributePath(r.Path),
		u.notShown(r),
		fmt.Sprintf("%s was sent and accepted, but the API still returned the value from before, %s, %s. The platform may need more time, or may have ignored the argument. "+
			"Nothing more was sent. Check the value in the platform's console, then run terraform plan again.", r.Path, u.describe(r), long),
	)
}

// pathInRun is the key of an attribute in Connection.Ignored, the same for all objects of a kind.
func (u *update) pathInRun(at tfvalue.Path) string { return u.Name + "/" + at.String() }

// addWrongElements reports elements of the set that are not as they have to be.
func (u *update) addWrongElements(r record, wrong []tfvalue.Value, diags *diag.Diagnostics) {
	summary, returned := fmt.Sprintf("API stored a different value for %s of %s", r.Path, u.change.Label), "other elements"
	if len(u.set.outcome.Late) > 0 {
		summary, returned = u.notShown(r), "other elements in reads for "+maxLag.String()
	}
	lines := u.Rules.DescribeChange(r.Path, u.key().Only(r.wanted, wrong), u.key().Only(u.Rules.FillLeaf(r.Name(), r.now), wrong), [2]string{"should be", "but is"}, u.connection.Client.Mask)
	// Not "set the argument to the value on the platform": an element may lack an excluded column.
	diags.AddAttributeError(conn.AttributePath(r.Path), summary,
		fmt.Sprintf("%s was sent and accepted, but the API returned %s:\n\n%s\n\nNothing more was sent. Check these elements in the platform's console: they are not as configured.",
			r.Path, returned, strings.Join(lines, "\n")))
}

func (u *update) notShown(r record) string {
	return fmt.Sprintf("API does not show the change to %s of %s", r.Path, u.change.Label)
}

// addReset reports the elements that each PATCH has dropped again. A PATCH that restores has all
// leaves, so none of them can be reset by then.
func (u *update) addReset(diags *diag.Diagnostics) {
	for _, r := range u.leaves.records {
		if u.isKeyedSet(r.Path) {
			r.wanted = u.set.want
			u.addWrongElements(r, u.step().Add, diags)
		}
	}
}

// reportUnfinished reports, after an error, the elements that are or may be gone, with the values
// that they had: those that a PATCH removed, or perhaps did, and whose replacement is not known to
// be there; and those that were lost with a PATCH.
func (u *update) reportUnfinished(diags *diag.Diagnostics) {
	if !diags.HasError() || !u.ownsKeyedSet() {
		return
	}
	key, known := u.key(), u.seen.remote.At(u.KeyedSet...)
	setOf := func(elements []tfvalue.Value) tfvalue.Value { return tfvalue.Collection(known.Type(), elements) }
	if u.seen.asOf.IsZero() {
		known = setOf(nil)
	}
	_, notThere := key.Difference(u.set.want, known) // as far as is known
	_, toAdd := key.Difference(u.set.want, u.set.base)
	lost := key.Only(key.Replace(setOf(toAdd), u.change.Edit.Add, nil), notThere).Elements() // no part of the change
	gone := key.Replace(setOf(key.Among(u.set.removed, notThere)), nil, lost).Elements()
	var lines []string
	for _, element := range key.Sort(gone) {
		var members []string
		for _, leaf := range element.Leaves() {
			if !slices.Contains(key.Members, leaf.Name()) {
				members = append(members, leaf.Path.String()+" = "+u.Rules.DescribeInFull(leaf.Name(), leaf.Value))
			}
		}
		lines = append(lines, "  - "+key.Label(element)+": "+strings.Join(members, ", "))
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

// warnChangedElements warns about elements of the set that changed although no PATCH had them.
func (u *update) warnChangedElements(diags *diag.Diagnostics) {
	if len(u.set.changed) == 0 {
		return
	}
	diags.AddWarning(
		fmt.Sprintf("Updating %s also changed %ss that were not sent", u.change.Label, u.key().Noun),
		"Either the platform changed them with the update, or somebody else did at the same time. They were left as they are, and the next plan shows them:\n\n"+strings.Join(u.set.changed, "\n"),
	)
}

// warnUnmanaged warns, once per object, about unmanaged leaves that changed with the
// update.
func (u *update) warnUnmanaged(diags *diag.Diagnostics) {
	byPlatform := u.AlsoChanges(u.leaves.sent)
	var lines []string
	settable := false
	for _, r := range u.leaves.records {
		if u.isKeyedSet(r.Path) && u.seen.asOf.IsZero() {
			continue // not shown, so not known
		}
		was, now := u.change.read.At(r.Path...), u.Rules.FillLeaf(r.Name(), r.now)
		if !u.leaves.wanted.At(r.Path...).IsNull() || slices.Contains(byPlatform, r.Path[0]) || was.IsNull() || u.Rules.Confirms(r.Name(), was, now) {
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

// warnUnreturned warns, once per object, about leaves that the platform accepted and does not
// return.
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
