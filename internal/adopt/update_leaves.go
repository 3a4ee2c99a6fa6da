package adopt

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// The leaves are sent in one PATCH, which may be sent again whatever became of it. A response that shows them is believed.

// leafIs is how a leaf that was sent, or was there at the beginning, is after the last response.
type leafIs int

const (
	unchanged   leafIs = iota // since the beginning, or since it was shown
	shown                     // as it was sent
	late                      // sent, and the platform has it otherwise: it is read for up to 30 s, and then an error
	unconfirmed               // sent, and no response has it at all: a warning
	drifted                   // not sent, or shown before, and no longer what it was: a warning
)

func (u *update) lookAt(leaf tfvalue.Leaf) leafIs {
	isPending, isStored := !u.pending.At(leaf.Path...).IsNull(), u.isStored(leaf)
	switch {
	case isPending && !isStored:
		return late
	case isPending && !u.isReturned(leaf):
		return unconfirmed
	case isPending:
		return shown
	case !isStored:
		return drifted
	default:
		return unchanged
	}
}

// leaves are those that were sent, or were there at the beginning, and that responses can show one by one: neither the
// identifiers nor managed mappings.
func (u *update) leaves() []tfvalue.Leaf {
	return slices.DeleteFunc(u.sent.Merge(u.start.returned).Leaves(), func(leaf tfvalue.Leaf) bool {
		return u.isNeverReturned(leaf.Path) || u.isMappings(leaf.Path) && u.owns(leaf.Path)
	})
}

func (u *update) leavesThatAre(state leafIs) []tfvalue.Leaf {
	return slices.DeleteFunc(u.leaves(), func(leaf tfvalue.Leaf) bool { return u.lookAt(leaf) != state })
}

// updateLeaves sends the leaves of the change, and waits until the platform shows them. After a PATCH that has failed for good,
// nothing is read: the next plan shows what is missing.
func (u *update) updateLeaves(ctx context.Context) {
	if !u.start.Leaves.AnyLeaf() {
		return
	}
	var unread error
	isSent, failed := u.send(ctx, Content{Leaves: u.start.Leaves}, func(ctx context.Context) bool {
		if u.carriedWith(u.start.Leaves).AnyLeaf() && !isFresh(u.readAt) {
			unread = u.readUntil(ctx, isRead)
		}
		return unread == nil
	})
	switch isUnclear := isSent && platform.AsError(failed).IsSuccess(); { // but perhaps not the API's own
	case unread != nil, failed != nil && !isUnclear:
		u.diags.AddError(u.CannotUpdate, words.Paragraphs(u.why(failed), conn.Detail(unread)))
	case isSent:
		u.awaitLeaves(ctx, failed)
	}
}

// awaitLeaves reads until the platform shows the leaves that were sent. If failed, it is not known whether they have arrived.
func (u *update) awaitLeaves(ctx context.Context, failed error) {
	isLate := func() bool { return len(u.leavesThatAre(late)) > 0 }
	var unread error
	if isLate() || u.isDoubtful() {
		unread = u.readUntil(ctx, func(unread error) bool { return isRead(unread) && (unread != nil || !isLate()) })
	}
	for _, leaf := range u.leavesThatAre(shown) {
		u.pending = u.pending.Without(leaf.Path...)
	}
	switch {
	case failed != nil:
		u.addNotArrived(failed)
	case unread != nil:
		u.diags.AddError(fmt.Sprintf("Cannot read %s after its update", u.Noun), fmt.Sprintf("The update of %s was sent, but what was returned "+
			"leaves a doubt about the result, and reading the %s failed:\n\n%s", u.start.Label, u.Noun, conn.Detail(unread)))
	default:
		u.addLate()
	}
}

// addNotArrived reports the leaves that no read shows, after a success that may not be the API's own.
func (u *update) addNotArrived(failed error) {
	if pending := tfvalue.Paths(u.pending.Leaves()); len(pending) > 0 { // the state has their values from before
		u.diags.AddError(u.CannotUpdate, fmt.Sprintf("%s\n\nNo read shows whether these values arrived. "+
			"The state does not have them, so that the next apply sends them again:\n\n  - %s", u.why(failed), strings.Join(pending, "\n  - ")))
	}
}

// isDoubtful reports whether a read may show more than the response to the PATCH: that may omit anything once, or show as
// changed what is not.
func (u *update) isDoubtful() bool {
	isOmitted := func(leaf tfvalue.Leaf) bool { return !u.isReturned(leaf) }
	isOwned := func(leaf tfvalue.Leaf) bool { return u.owns(leaf.Path) }
	return len(u.omitted) > 0 || u.owns(u.Mappings) && u.untold != nil || slices.ContainsFunc(u.allDrifted(), isOwned) ||
		slices.ContainsFunc(u.leaves(), isOmitted)
}

// allDrifted are the leaves that have drifted, and the managed mappings that are missing or changed although no PATCH has them.
func (u *update) allDrifted() []tfvalue.Leaf {
	all := u.leavesThatAre(drifted)
	if !u.owns(u.Mappings) || u.start.mappedAt.IsZero() {
		return all
	}
	key, start := u.key(), u.mappingsOf(u.start.remote)
	if changed := key.Except(key.Difference(u.mappingsOf(u.remote), start).Remove, u.start.Edit.All()); len(changed) > 0 {
		all = append(all, tfvalue.Leaf{Path: u.Mappings, Value: key.Collect(start.Type(), changed)})
	}
	return all
}

// isStored reports whether the platform has a leaf, as far as is known.
func (u *update) isStored(leaf tfvalue.Leaf) bool {
	return u.Rules.Confirms(leaf.Name(), leaf.Value, u.Rules.Fill(leaf.Name(), u.remote.At(leaf.Path...)))
}

// isReturned reports whether a response since the last PATCH has a leaf. If it is empty, its absence says so, too.
func (u *update) isReturned(leaf tfvalue.Leaf) bool {
	return leaf.Value.IsEmpty() || !u.returned.At(leaf.Path...).IsNull()
}

// addLate reports the leaves that are late after the wait: at the resource, since Terraform prints all lines of an attribute.
func (u *update) addLate() {
	for _, leaf := range u.leavesThatAre(late) {
		now, what := u.remote.At(leaf.Path...), "still returned the value from before"
		summary := fmt.Sprintf("API does not show the change to %s of %s", leaf.Path, u.start.Label)
		do := "The platform may need more time, or may have ignored the argument. Check the value in the platform's console, then run terraform plan again."
		if !u.Rules.Confirms(leaf.Name(), u.start.remote.At(leaf.Path...), now) {
			summary, what = fmt.Sprintf("API stored a different value for %s of %s", leaf.Path, u.start.Label), "returned another value"
			do = "Set the argument to the value on the platform, or remove it from the configuration."
		}
		u.diags.AddError(summary, fmt.Sprintf("%s was sent and accepted, but the API %s, %s, in reads for %s. "+
			"Nothing more was sent. %s", leaf.Path, what, u.client.Mask(now.Describe()), u.waited.Round(time.Second), do))
	}
}

// warnNotReturned warns, once per object, about what was accepted and no response has.
func (u *update) warnNotReturned() {
	if leaves := u.leavesThatAre(unconfirmed); len(leaves) > 0 {
		u.diags.AddWarning(fmt.Sprintf("API does not return all values of %s", u.start.Label),
			"The API accepted these values, but neither its response nor a further read contains them. "+
				"The platform may show them later, or never, so it is not known whether they are in effect:\n\n  - "+strings.Join(tfvalue.Paths(leaves), "\n  - ")+
				"\n\nThe state has the planned values. Check them in the platform's console: a setting may have no effect while another one is off.")
	}
}

// warnStale warns, once per object, about the leaves that the plan changes and that had changed since: they were set as
// planned. What they were set to is in the plan, which masks what is sensitive; only numbers and booleans are repeated.
func (u *update) warnStale() {
	var lines []string
	for _, leaf := range u.sent.Leaves() {
		set := "the planned value"
		if leaf.Value.Type().Is(tftypes.Number) || leaf.Value.Type().Is(tftypes.Bool) {
			set = leaf.Value.Describe()
		}
		if was, found := u.start.Prior.At(leaf.Path...), u.start.remote.At(leaf.Path...); u.isStale(leaf, was, found) {
			line := tfvalue.DescribeChange(leaf.Path, was, found, [2]string{"the plan had", "the update found"}, u.client.Mask)[0]
			lines = append(lines, line+", and set "+set)
		}
	}
	if len(lines) > 0 {
		u.diags.AddWarning("Values had changed since the plan: "+u.start.Label,
			"Somebody else, or the platform, changed these values after the plan was made. They were set as planned all the same. "+
				"If the values that were found are right, configure them:\n\n"+strings.Join(lines, "\n"))
	}
}

// isStale reports whether an update, not an adoption, has set a leaf that it had found changed since its plan.
func (u *update) isStale(leaf tfvalue.Leaf, was, found tfvalue.Value) bool {
	isSame := u.Rules.Same(leaf.Name(), was, found) || was.IsEmpty() && found.IsEmpty()
	return !isSame && !u.start.Prior.IsNull() && u.isStored(leaf)
}

// warnDrifted warns, once per object, about all that changed although no PATCH of the change had it: what
// is managed, and what nobody manages. All of it was left as it is.
func (u *update) warnDrifted() {
	var lines []string
	byPlatform := u.AlsoChanges(u.sent)
	for _, leaf := range u.allDrifted() {
		now := u.remote.At(leaf.Path...)
		if u.isMappings(leaf.Path) && u.owns(leaf.Path) {
			now = u.key().Collect(now.Type(), u.key().Only(now.Elements(), leaf.Value.Elements()))
		}
		if !slices.Contains(byPlatform, leaf.Path[0]) {
			lines = append(lines, tfvalue.DescribeChange(leaf.Path, leaf.Value, now, [2]string{"was", "is now"}, u.client.Mask)...)
		}
	}
	if len(lines) > 0 {
		u.diags.AddWarning("Other values changed during the update: "+u.start.Label,
			"Either the platform changed these values with the update, or somebody else changed them at the same time. "+
				"They were left as they are, and the next plan shows those that the configuration sets:\n\n"+strings.Join(lines, "\n"))
	}
}
