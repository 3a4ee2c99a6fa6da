package adopt

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// report adds what the user has to know of an update that has ended, in success or in error.
func (u *update) report(diags *diag.Diagnostics) {
	u.warnMoved(diags)
	u.warnUnreturned(diags)
	if diags.HasError() && u.ownsKeyedMap() {
		u.addUnfinished(diags)
	}
}

// addFailed reports a PATCH that failed, or that was not sent again. Of a response that leaves open whether
// it was carried out, notArrived is what no read shows.
func (u *update) addFailed(err error, notArrived []string, diags *diag.Diagnostics) {
	stop, isStop := err.(stopped) //nolint:errorlint // it is never wrapped
	if !isStop {
		detail := conn.Detail(err)
		if len(notArrived) > 0 {
			detail += "\n\nNo read shows whether these values arrived. The state keeps the ones from before, so that the next apply sends them again:\n\n  - " +
				strings.Join(notArrived, "\n  - ")
		}
		diags.AddError("Cannot update "+u.Noun, detail)
		return
	}
	var attempt []string
	if stop.attempt != nil {
		attempt = []string{conn.Detail(stop.attempt)}
	}
	if elements := conflict(nil); errors.As(stop.because, &elements) {
		end := strings.Join(append([]string{"Nothing more was sent. Plan again."}, attempt...), "\n\n")
		u.addConflict(u.change.Label, "during the apply", elements, end, diags)
		return
	}
	diags.AddError("Cannot update "+u.Noun, strings.Join(append(attempt, "Nothing more was sent: "+conn.Detail(stop.because)), "\n\n"))
}

func (u *update) addReadFailed(err error, diags *diag.Diagnostics) {
	diags.AddError(
		fmt.Sprintf("Cannot read %s after its update", u.Noun),
		fmt.Sprintf("The update of %s was sent, but what was returned leaves a doubt about the result, and reading the %s failed:\n\n%s",
			u.change.Label, u.Noun, conn.Detail(err)),
	)
}

// addNotShown reports a leaf, as it is, that is not what was sent. If it has not changed in the time
// that the update waited (!isChanging), only the first object of a run waits for such a leaf: if the platform
// ignores or limits an argument, the wait must not recur for every object.
func (u *update) addNotShown(leaf tfvalue.Leaf, isChanging bool, diags *diag.Diagnostics) {
	long := "in reads for " + maxWait.String()
	if !isChanging && !u.connection.Ignored.Add(u.pathInRun(leaf.Path)) {
		long = "and another object of this run waited " + maxWait.String() + " for the same argument in vain"
	}
	summary, what, do := u.notShown(leaf.Path), "still returned the value from before", "The platform may need more time, or may have ignored the argument. Check the value in the platform's console, then run terraform plan again."
	if !u.Rules.Confirms(leaf.Name(), u.change.Remote.At(leaf.Path...), leaf.Value) {
		summary, what = fmt.Sprintf("API stored a different value for %s of %s", leaf.Path, u.change.Label), "returned another value"
		do = "Set the argument to the value on the platform, or remove it from the configuration."
	}
	if isChanging {
		do = "It was still changing. Run terraform plan again later. If it stays at that value, set the argument to it, or remove it from the configuration."
	}
	diags.AddAttributeError(conn.AttributePath(leaf.Path), summary, fmt.Sprintf("%s was sent and accepted, but the API %s, %s, %s. Nothing more was sent. %s",
		leaf.Path, what, u.connection.Client.Mask(u.Rules.Describe(leaf.Name(), leaf.Value)), long, do))
}

// pathInRun is the key of an attribute in Connection.Ignored, the same for all objects of a kind.
func (u *update) pathInRun(at tfvalue.Path) string { return u.Name + "/" + at.String() }

// addNotDone reports elements of the set that are not as a step has them.
func (u *update) addNotDone(s step, left tfvalue.Edit, diags *diag.Diagnostics) {
	key, now := u.key(), u.setOf(u.remote)
	lines := u.Rules.DescribeChange(u.KeyedMap, key.Only(s.after, left.All()), key.Only(now, left.All()), [2]string{"should be", "but is"}, u.connection.Client.Mask)
	detail := fmt.Sprintf("%s was sent and accepted, but the API returned other elements in reads for %s:\n\n%s\n\n", u.KeyedMap, maxWait, strings.Join(lines, "\n"))
	if folded := key.SameButCase(left.Add, key.After(now, tfvalue.Edit{Remove: s.after.Elements()})); len(folded) > 0 {
		detail += fmt.Sprintf("The platform has these instead, which differ in letter case alone. Configure them as the platform spells them:\n\n%s\n\n", key.List(folded))
	}
	// Not "set the argument to the value on the platform": an element may lack an excluded column.
	diags.AddAttributeError(conn.AttributePath(u.KeyedMap), u.notShown(u.KeyedMap), detail+
		"Nothing more was sent. Check these elements in the platform's console: they are not as configured.")
}

func (u *update) notShown(at tfvalue.Path) string {
	return fmt.Sprintf("API does not show the change to %s of %s", at, u.change.Label)
}

// addUnfinished reports, after an error, the elements that steps removed, or may have, and whose
// replacement is not known to be there, with the values that they had. The list follows from what
// was sent: a read may be of the past.
func (u *update) addUnfinished(diags *diag.Diagnostics) {
	key, now := u.key(), u.setOf(u.remote)
	if u.setAt.IsZero() {
		now = key.Collect(now.Type(), nil)
	}
	missing := key.NotDone(tfvalue.Edit{Add: u.change.Edit.Add}, now).Add // as far as is known
	var lines []string
	for _, element := range key.Among(u.edited.Remove, missing) {
		label := key.Label(element)
		for _, name := range key.Members {
			element = element.Without(name)
		}
		lines = append(lines, "  - "+label+": "+strings.Trim(u.Rules.DescribeInFull("", element), "{}"))
	}
	if len(lines) == 0 {
		return
	}
	added := ""
	if maybe := key.Only(key.Collect(now.Type(), missing), u.edited.Add).Elements(); len(maybe) > 0 {
		added = fmt.Sprintf("These were sent, and may be added meanwhile:\n\n%s\n\n", key.List(maybe))
	}
	diags.AddError(
		fmt.Sprintf("%s of %s is only partly updated", u.KeyedMap, u.change.Label),
		fmt.Sprintf("These %ss were removed, or may have been, and are not known to be added again. They were:\n\n%s\n\n%s%s "+
			"Correct what the API rejected, if it did; if the outcome of a request is not known, wait some minutes. Compare these values with the configuration, then run terraform plan and apply again.",
			key.Noun, u.connection.Client.Mask(strings.Join(lines, "\n")), added, u.Unfinished),
	)
}

// warnMoved warns, once per object, about all that changed although no PATCH of the change had it:
// what was restored, what is managed and was left as it is, and what nobody manages.
func (u *update) warnMoved(diags *diag.Diagnostics) {
	var restored, paragraphs []string
	for _, leaf := range u.restored {
		restored = append(restored, u.describeMoved(leaf.Path, u.change.wanted.At(leaf.Path...), leaf.Value, "was found to be")...)
	}
	managed, unmanaged, advice := u.describeAllMoved()
	for _, part := range []struct {
		text  string
		lines []string
	}{
		{"The update found these managed values changed. It sent them again, in case it had reset them. If somebody else has set the values that were found, agree on one and configure it:\n\n", restored},
		{"Either the platform or somebody else changed these managed values meanwhile. They were left as they are, and the next plan shows them:\n\n", managed},
		{"Either the platform changed these values with the update, or somebody else changed them at the same time:\n\n", unmanaged},
	} {
		if len(part.lines) > 0 {
			paragraphs = append(paragraphs, part.text+strings.Join(part.lines, "\n"))
		}
	}
	if len(paragraphs) > 0 {
		diags.AddWarning(fmt.Sprintf("Other values of %s changed during its update", u.change.Label), strings.Join(append(paragraphs, advice...), "\n\n"))
	}
}

// describeAllMoved describes the leaves and elements that changed and were left as they are. advice is
// empty if none of them can be managed, or all are.
func (u *update) describeAllMoved() (managed, unmanaged, advice []string) {
	byPlatform := u.AlsoChanges(u.sent)
	for _, leaf := range u.moved() {
		lines := u.describeMoved(leaf.Path, leaf.Value, u.remote.At(leaf.Path...), "is now")
		switch {
		case u.owns(leaf.Path):
			managed = append(managed, lines...)
			continue
		case slices.Contains(byPlatform, leaf.Path[0]):
			continue
		case u.traits.settable(leaf.Path) && u.change.Config.At(leaf.Path...).IsNull():
			advice = []string{"To manage one of them, set its argument in the configuration."}
		}
		unmanaged = append(unmanaged, lines...)
	}
	if u.ownsKeyedMap() && !u.change.read.setAt.IsZero() {
		key, before, now := u.key(), u.setOf(u.change.Remote), u.setOf(u.remote)
		moved := key.Moved(before, now, u.change.Edit.All())
		managed = append(managed, u.describeMoved(u.KeyedMap, key.Only(before, moved), key.Only(now, moved), "is now")...)
	}
	return managed, unmanaged, advice
}

// describeMoved describes a leaf as it was at the beginning, and is now.
func (u *update) describeMoved(at tfvalue.Path, was, now tfvalue.Value, verb string) []string {
	return u.Rules.DescribeChange(at, was, now, [2]string{"was", verb}, u.connection.Client.Mask)
}

// warnUnreturned warns, once per object, about what the platform accepted and does not return.
func (u *update) warnUnreturned(diags *diag.Diagnostics) {
	if len(u.unconfirmed) == 0 {
		return
	}
	diags.AddWarning(
		fmt.Sprintf("API does not return all values of %s", u.change.Label),
		"The API accepted these values, but neither its response nor a further read contains them. The platform may show them later, or never, so it is not known whether they are in effect:\n\n"+
			"  - "+strings.Join(u.unconfirmed, "\n  - ")+
			"\n\nThe state has the planned values. Check them in the platform's console: a setting may have no effect while another one is off.",
	)
}
