package adopt

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// report adds what the user has to know of an update that ended with a step, in success or with an error.
func (u *update) report(s step, err error, diags *diag.Diagnostics) {
	switch {
	case err == nil:
		u.addNotShown(s, diags)
	case errors.As(err, new(readFailed)):
		diags.AddError(fmt.Sprintf("Cannot read %s after its update", u.Noun),
			fmt.Sprintf("The update of %s was sent, but what was returned leaves a doubt about the result, and reading the %s failed:\n\n%s",
				u.start.Label, u.Noun, conn.Detail(err)))
	default:
		u.addFailed(s, err, diags)
	}
	u.addNotArrived(diags)
	u.warnStale(diags)
	u.warnDrifted(diags)
	if diags.HasError() && u.owns(u.Mappings) {
		u.addPartlyUpdated(diags)
	}
}

// mayStillRun is why a step stops whose outcome is not known.
func (u *update) mayStillRun() error {
	return fmt.Errorf("reads for %s show the table mappings as they were, but the platform may still carry out the request, which changes:\n\n%s\n\n"+
		"Wait some minutes before you apply again, and look in the platform's console if in doubt: the late request could undo what the next apply does",
		maxWait, u.key().List(u.last.Edit.All()))
}

// addFailed reports a step that failed, or that was not sent again.
func (u *update) addFailed(s step, err error, diags *diag.Diagnostics) {
	detail, sent, mappings := "", "Nothing more was sent", conflict(nil)
	if u.failed != nil {
		detail = conn.Detail(u.failed)
	} else if u.sent.IsEmpty() {
		sent = "Nothing was sent"
	}
	removesAll := len(u.last.Edit.Remove) > 0 && len(u.last.Edit.Remove) == len(s.before.Elements())
	switch {
	case errors.As(err, &mappings):
		u.addConflict("Table mappings changed during the apply: "+u.start.Label, mappings,
			strings.TrimSpace(sent+". Plan again.\n\n"+detail), diags)
		return
	case !errors.Is(err, u.failed):
		detail = strings.TrimSpace(detail + "\n\n" + sent + ": " + conn.Detail(err))
	case platform.AsError(err).Status == http.StatusBadRequest && removesAll:
		detail += fmt.Sprintf("\n\nThe request removes every table mapping of the %s. "+
			"The platform may require that one stays: change the tables in two applies.", u.Noun)
	}
	diags.AddError(u.CannotUpdate, detail)
}

// addNotArrived reports the leaves of a PATCH that was lost and that nothing has shown since. The state has their values
// from before.
func (u *update) addNotArrived(diags *diag.Diagnostics) {
	if pending := u.pending.Leaves(); u.lost != nil && len(pending) > 0 {
		diags.AddError(u.CannotUpdate, fmt.Sprintf("%s\n\nNo read shows whether these values arrived. "+
			"The state does not have them, so that the next apply sends them again:\n\n  - %s", conn.Detail(u.lost), strings.Join(tfvalue.Paths(pending), "\n  - ")))
	}
}

// addNotShown reports what the platform does not show of what it has accepted, after the wait for a step: an error if it
// has something else, and a warning if it does not return it.
func (u *update) addNotShown(s step, diags *diag.Diagnostics) {
	is := u.compare()
	if !is.notDone.IsEmpty() {
		u.addMappingsNotShown(s, is.notDone, diags)
	}
	if u.lost != nil { // addNotArrived has the leaves
		is.late, is.unconfirmed = nil, slices.DeleteFunc(is.unconfirmed, func(leaf tfvalue.Leaf) bool { return !u.isMappings(leaf.Path) })
	}
	for _, leaf := range is.late {
		u.addLeafNotShown(leaf, diags)
	}
	if len(is.unconfirmed) > 0 {
		diags.AddWarning(fmt.Sprintf("API does not return all values of %s", u.start.Label),
			"The API accepted these values, but neither its response nor a further read contains them. "+
				"The platform may show them later, or never, so it is not known whether they are in effect:\n\n  - "+strings.Join(tfvalue.Paths(is.unconfirmed), "\n  - ")+
				"\n\nThe state has the planned values. Check them in the platform's console: a setting may have no effect while another one is off.")
	}
}

// addLeafNotShown reports a leaf that is not what was sent.
func (u *update) addLeafNotShown(leaf tfvalue.Leaf, diags *diag.Diagnostics) {
	now, summary, what := u.remote.At(leaf.Path...), u.notShown(leaf.Path), "still returned the value from before"
	do := "The platform may need more time, or may have ignored the argument. Check the value in the platform's console, then run terraform plan again."
	if !u.Rules.Confirms(leaf.Name(), u.start.Remote.At(leaf.Path...), now) {
		summary, what = fmt.Sprintf("API stored a different value for %s of %s", leaf.Path, u.start.Label), "returned another value"
		do = "Set the argument to the value on the platform, or remove it from the configuration."
	}
	diags.AddAttributeError(conn.AttributePath(leaf.Path), summary, fmt.Sprintf("%s was sent and accepted, but the API %s, %s, in reads for %s. "+
		"Nothing more was sent. %s", leaf.Path, what, u.client.Mask(now.Describe()), maxWait, do))
}

func (u *update) notShown(at tfvalue.Path) string {
	return fmt.Sprintf("API does not show the change to %s of %s", at, u.start.Label)
}

// addMappingsNotShown reports mappings that are not as a step has them. It does not advise to configure what the
// platform has: a mapping may lack an excluded column.
func (u *update) addMappingsNotShown(s step, left tfvalue.Edit, diags *diag.Diagnostics) {
	key, now := u.key(), u.mappingsOf(u.remote)
	lines := u.describeChange(u.Mappings, key.Only(s.after, left.All()), key.Only(now, left.All()), "should be", "but is")
	detail := fmt.Sprintf("%s was sent and accepted, but the API returned other table mappings in reads for %s:\n\n%s\n\n",
		u.Mappings, maxWait, strings.Join(lines, "\n"))
	if folded := key.SameButCase(left.Add, key.After(now, tfvalue.Edit{Remove: s.after.Elements()})); len(folded) > 0 {
		detail += "The platform has these instead, which differ in letter case alone. Configure them as the platform spells them:\n\n" + key.List(folded) + "\n\n"
	}
	diags.AddAttributeError(conn.AttributePath(u.Mappings), u.notShown(u.Mappings), detail+
		"Nothing more was sent. Check these table mappings in the platform's console: they are not as configured.")
}

// addPartlyUpdated reports, after an error, the mappings that steps removed, or may have, and whose replacement is
// not known to be there, with the values that they had; and those that are there and exclude less than they
// did or were to. A mapping that is as it was is not listed. The list follows from what was sent, corrected by what
// reads have shown since.
func (u *update) addPartlyUpdated(diags *diag.Diagnostics) {
	key, now := u.key(), u.mappingsOf(u.remote)
	heading := "These table mappings were removed and are not there. Until an apply adds them again, they replicate nothing, " +
		"so the columns that they excluded stay excluded. They were:"
	if u.mappedAt.IsZero() {
		heading, now = "These table mappings may have been removed, and it is not known whether they are there. They were:", key.Collect(now.Type(), nil)
	}
	missing := key.NotDone(tfvalue.Edit{Add: u.start.Edit.Add}, now).Add // as far as is known
	var parts []string
	list := func(heading, lines string) {
		if lines != "" {
			parts = append(parts, heading+"\n\n"+u.client.Mask(lines))
		}
	}
	list("These columns may be copied now. To prevent that, pause the pipe, or remove the table mapping in the platform's console:", u.exposed())
	list(heading, key.ListInFull(key.Except(key.Among(u.sent.Edit.Remove, missing), now.Elements())))
	if len(parts) == 0 {
		return
	}
	list("These were sent, and may be added meanwhile:", key.List(key.Only(key.Collect(now.Type(), missing), u.sent.Edit.Add).Elements()))
	diags.AddError("Table mappings are only partly updated: "+u.start.Label, strings.Join(parts, "\n\n")+
		"\n\nCorrect what the API rejected, if it did; if the outcome of a request is not known, wait some minutes. "+
		"Compare these values with the configuration, then run terraform plan and apply again.")
}

// exposed lists the columns that mappings on the platform do not exclude, although these did before the
// update, or were to. A mapping that is as it was, or as it was to be, has none.
func (u *update) exposed() string {
	key, before, planned, now := u.key(), u.mappingsOf(u.start.Remote), u.mappingsOf(u.start.wanted), u.mappingsOf(u.remote)
	others := key.Group(slices.Concat(before.Elements(), planned.Elements()))
	changed := key.Collect(now.Type(), key.Difference(before, now).Remove)
	var lines []string
	for _, is := range key.Among(key.Difference(planned, changed).Remove, u.sent.Edit.All()) {
		var columns []string
		for _, other := range others[key.Of(is)] {
			columns = append(columns, uncovered(other, is)...)
		}
		slices.Sort(columns)
		if len(columns) > 0 {
			lines = append(lines, "  - "+key.Label(is)+": "+strings.Join(slices.Compact(columns), ", "))
		}
	}
	return strings.Join(lines, "\n")
}

// uncovered are the names of the columns that one mapping excludes and another one does not.
func uncovered(one, other tfvalue.Value) (names []string) {
	is := other.At(ExcludedColumns).Elements()
	for _, column := range one.At(ExcludedColumns).Elements() {
		if !slices.ContainsFunc(is, func(same tfvalue.Value) bool { return same.Normal() == column.Normal() }) {
			names = append(names, words.Name(column.Normal()))
		}
	}
	return names
}

// warnStale warns, once per object, about the leaves that the plan changes and that had changed since: they were set as
// planned. What they were set to is in the plan, which masks what is sensitive; only numbers and booleans are repeated.
func (u *update) warnStale(diags *diag.Diagnostics) {
	var lines []string
	for _, leaf := range u.leavesOf(u.sent.Leaves) {
		was, now, set := u.start.Prior.At(leaf.Path...), u.start.Remote.At(leaf.Path...), "the planned value"
		if u.start.Prior.IsNull() || was.IsEmpty() && now.IsEmpty() || u.Rules.Same(leaf.Name(), was, now) || !u.isStored(leaf) {
			continue
		}
		if leaf.Value.Type().Is(tftypes.Number) || leaf.Value.Type().Is(tftypes.Bool) {
			set = leaf.Value.Describe()
		}
		lines = append(lines, u.describeChange(leaf.Path, was, now, "the plan had", "the update found")[0]+", and set "+set)
	}
	if len(lines) > 0 {
		diags.AddWarning("Values had changed since the plan: "+u.start.Label,
			"Somebody else, or the platform, changed these values after the plan was made. They were set as planned all the same. "+
				"If the values that were found are right, configure them:\n\n"+strings.Join(lines, "\n"))
	}
}

// warnDrifted warns, once per object, about all that changed although no PATCH of the change had it: what
// is managed, and what nobody manages. All of it was left as it is.
func (u *update) warnDrifted(diags *diag.Diagnostics) {
	var lines []string
	byPlatform := u.AlsoChanges(u.sent.Leaves)
	for _, leaf := range u.compare().drifted {
		now := u.remote.At(leaf.Path...)
		if u.isMappings(leaf.Path) && u.owns(leaf.Path) {
			now = u.key().Only(now, leaf.Value.Elements())
		}
		if !slices.Contains(byPlatform, leaf.Path[0]) {
			lines = append(lines, u.describeChange(leaf.Path, leaf.Value, now, "was", "is now")...)
		}
	}
	if len(lines) > 0 {
		diags.AddWarning("Other values changed during the update: "+u.start.Label,
			"Either the platform changed these values with the update, or somebody else changed them at the same time. "+
				"They were left as they are, and the next plan shows those that the configuration sets:\n\n"+strings.Join(lines, "\n"))
	}
}

func (u *update) describeChange(at tfvalue.Path, one, other tfvalue.Value, verbs ...string) []string {
	return tfvalue.DescribeChange(at, one, other, [2]string(verbs), u.client.Mask)
}
