package adopt

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// What is said of a step of the mappings that is not done. failed is the error of its last attempt, nil if that was accepted,
// or none was made.

// addRejected reports a PATCH that was rejected, or not sent.
func (u *update) addRejected(s step, failed error) {
	why, all, pause := platform.AsError(failed), "", ""
	if why.Status == http.StatusBadRequest && len(s.Remove) > 0 && len(s.Remove) == len(s.before.Elements()) {
		all = fmt.Sprintf("The request removes every table mapping of the %s. "+
			"The platform may require that one stays: change the tables in two applies.", u.Noun)
	}
	if why.MayBeOfObject() {
		pause = fmt.Sprintf("If the %[1]s has to be paused for this, pause it in the platform's console and apply again. "+
			"The platform may resume the %[1]s after each request, and a table mapping that changes takes two: then pause it once more.", u.Noun)
	}
	u.diags.AddError(u.CannotUpdate, join(conn.Detail(failed), all, pause))
}

// addNotShown reports a step that no read has shown for 30 s, or the one before it, and what is removed if the platform carries it
// out later. It does not advise to configure what the platform has: a mapping may lack an excluded column.
func (u *update) addNotShown(s step, isSent bool, failed error) {
	key, remote, wanted, summary, is, folded, removes := u.key(), u.mappingsOf(u.remote), s.after, u.notShown(u.Mappings), "was sent", "", ""
	if failed != nil {
		summary = u.CannotUpdate
	}
	if u.isAccepted {
		is += " and accepted"
	}
	if !isSent {
		wanted = s.before
	}
	left := key.NotDone(u.edited, remote)
	lines := u.describeChange(u.Mappings, key.Only(wanted, left.All()), key.Only(remote, left.All()), "should be", "but is")
	if same := key.SameButCase(left.Add, key.After(remote, tfvalue.Edit{Remove: s.after.Elements()})); len(same) > 0 {
		folded = "The platform has these instead, which differ in letter case alone. Configure them as the platform spells them:\n\n" + key.List(same)
	}
	if there := key.Only(remote, left.Remove).Elements(); len(there) > 0 {
		removes = "The request removes these table mappings:\n\n" + u.client.Mask(key.ListInFull(there))
	}
	for _, at := range tfvalue.Paths(u.carriedWith(tfvalue.Null(u.objectType)).Leaves()) {
		removes = strings.TrimSpace(removes + "\n\nThe request also sets " + at + " to the value of the last read.")
	}
	u.diags.AddError(summary, join(
		conn.Detail(failed),
		fmt.Sprintf("%s %s, but the API returned other table mappings in reads for %s:\n\n%s", u.Mappings, is, u.waited.Round(time.Second), strings.Join(lines, "\n")),
		folded,
		"Nothing more was sent, but the platform may still carry out the request.",
		removes,
		"Wait some minutes before you plan and apply again: a late request could undo what the next apply does. If in doubt, look in the platform's console."))
}

func (u *update) notShown(at tfvalue.Path) string {
	return fmt.Sprintf("API does not show the change to %s of %s", at, u.start.Label)
}

// addPartlyUpdated reports, after an error, the mappings that steps removed, or may have, and whose replacement is
// not known to be there, with the values that they had; and those that are there and exclude less than they
// did or were to. A mapping that is as it was is not listed. The list follows from what was sent, corrected by what
// reads have shown since.
func (u *update) addPartlyUpdated() {
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
	list(heading, key.ListInFull(key.Except(key.Among(u.edited.Remove, missing), now.Elements())))
	if len(parts) == 0 {
		return
	}
	list("These were sent, and may be added meanwhile:", key.List(key.Only(key.Collect(now.Type(), missing), u.edited.Add).Elements()))
	u.diags.AddError("Table mappings are only partly updated: "+u.start.Label, strings.Join(parts, "\n\n")+
		"\n\nCorrect what the API rejected, if it did; if the outcome of a request is not known, wait some minutes. "+
		"Compare these values with the configuration, then run terraform plan and apply again.")
}

// exposed lists the columns that mappings on the platform do not exclude, although these did before the
// update, or were to. A mapping that is as it was, or as it was to be, has none.
func (u *update) exposed() string {
	key, before, planned, now := u.key(), u.mappingsOf(u.start.remote), u.mappingsOf(u.start.wanted), u.mappingsOf(u.remote)
	others := key.Group(slices.Concat(before.Elements(), planned.Elements()))
	changed := key.Collect(now.Type(), key.Difference(before, now).Remove)
	var lines []string
	for _, mapping := range key.Among(key.Difference(planned, changed).Remove, u.edited.All()) {
		var columns []string
		for _, other := range others[key.Of(mapping)] {
			columns = append(columns, Uncovered(mapping, other)...)
		}
		slices.Sort(columns)
		if len(columns) > 0 {
			lines = append(lines, "  - "+key.Label(mapping)+": "+strings.Join(slices.Compact(columns), ", "))
		}
	}
	return strings.Join(lines, "\n")
}
