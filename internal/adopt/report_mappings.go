package adopt

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

const mayBeLate = "The platform may still carry out the request. Wait some minutes before you plan and apply again: " +
	"a late request could undo what the next apply does. If in doubt, look in the platform's console."

// addNotDone reports that a step is not done: what is not as it should be, why, and what to do. If isSent, the platform has
// accepted the step, or may carry it out in spite of failed.
func (u *update) addNotDone(s step, isSent bool, failed error) {
	summary, list := u.CannotUpdate, ""
	if exposing, others := u.notDone(isSent); len(exposing)+len(others) > 0 {
		summary = "Table mappings are not as planned: " + u.start.Label
		list = "These are not as they should be. A table mapping that was removed replicates nothing until an apply adds it again:\n\n" +
			u.client.Mask(strings.Join(append(exposing, others...), "\n"))
		if len(exposing) > 0 {
			list += "\n\nTo prevent that columns are copied, pause the pipe, or remove the table mapping in the platform's console."
		}
	}
	why, next := u.whyNotDone(s, isSent, failed)
	u.diags.AddError(summary, words.Paragraphs(list, why, u.why(failed), conn.Detail(u.untold), u.adviceOn(s, failed), next))
}

// whyNotDone says why a step is not done, if not because the API says so, and what to do.
func (u *update) whyNotDone(s step, isSent bool, failed error) (why, next string) {
	isGone := len(s.Add) == 0 && !u.mappedAt.IsZero() && len(u.key().Only(u.mappingsOf(u.remote).Elements(), s.Remove)) == 0
	switch {
	case len(u.foreign) > 0:
		return "Others have excluded columns since the removal was sent, so nothing was added in place of what they changed.",
			"Exclude these columns in the configuration, too, or the next apply copies them. Then plan and apply again."
	case u.isUnready, isSent && isGone:
		return "The table mappings changed during the apply, or are not known, so nothing more was sent.", "Plan and apply again."
	case isSent && failed == nil:
		return fmt.Sprintf("The platform accepted the request, but reads for %s did not return the table mappings as they should be.", u.waited.Round(time.Second)),
			mayBeLate + "\n\nIf a table mapping stays as it is, the platform changes names, or adds some: then configure what it returns."
	case isSent:
		return "", mayBeLate
	default:
		return "", "Correct what the API rejected, if it did, then plan and apply again."
	}
}

// adviceOn says what a rejection may mean.
func (u *update) adviceOn(s step, failed error) string {
	why, all, pause := platform.AsError(failed), "", ""
	if why.Status == http.StatusBadRequest && len(s.Remove) > 0 && s.after.IsEmpty() {
		all = fmt.Sprintf("The request removes every table mapping of the %s. "+
			"The platform may require that one stays: change the tables in two applies.", u.Noun)
	}
	if why.MayBeOfObject() {
		pause = fmt.Sprintf("If the %[1]s has to be paused for this, pause it in the platform's console and apply again. "+
			"The platform may resume the %[1]s after each request, and a change to table mappings takes up to three: then pause it once more.", u.Noun)
	}
	return words.Paragraphs(all, pause)
}

// wrong are the mappings of the change, and those related to them, that are not as they should be. Before anything was sent, only
// those that others have changed or that cannot be sent, and none if nothing has changed and no request isSent that may do it.
func (u *update) wrong(isSent bool) []tfvalue.Value {
	key, all, now := u.key(), u.start.Edit.All(), u.mappingsOf(u.remote)
	changed, wrong := key.Changed(all, u.mappingsOf(u.start.remote), now), key.Changed(all, u.mappingsOf(u.start.wanted), now)
	switch {
	case u.edited.IsEmpty():
		hasOwnForm := func(mapping tfvalue.Value) bool { return len(mapping.OtherForms()) == 0 }
		return append(key.Only(wrong, changed), slices.DeleteFunc(key.Among(now.Elements(), all), hasOwnForm)...)
	case u.mappedAt.IsZero():
		return all
	case !isSent && len(changed) == 0:
		return nil
	default:
		return wrong
	}
}

// notDone has a line for each mapping that is wrong: first those that expose columns.
func (u *update) notDone(isSent bool) (exposing, others []string) {
	key, start := u.key(), u.mappingsOf(u.start.remote)
	foreign := key.Group(u.foreign)
	had, wanted, has := key.Group(start.Elements()), key.Group(u.mappingsOf(u.start.wanted).Elements()), key.Group(u.mappingsOf(u.remote).Elements())
	for _, at := range slices.Sorted(maps.Keys(key.Group(append(u.wrong(isSent), u.foreign...)))) {
		line := fmt.Sprintf("  - %s: was %s; should be %s; ", strconv.Quote(at), key.InFull(had[at]), key.InFull(wanted[at]))
		if seen := foreign[at]; len(seen) > 0 {
			line += "others excluded " + strings.Join(u.excludedSince(seen[len(seen)-1]), ", ") + " meanwhile; "
		}
		line += "is "
		isOurs := len(key.Only(u.edited.All(), has[at])) > 0 && !slices.EqualFunc(had[at], has[at], tfvalue.Value.Equal)
		var excluded []string
		for _, mapping := range slices.Concat(had[at], wanted[at]) {
			excluded = append(excluded, Excluded(mapping)...)
		}
		switch columns := words.Without(slices.Compact(slices.Sorted(slices.Values(excluded))), Excluded(has[at]...)); {
		case u.mappedAt.IsZero():
			others = append(others, line+"not known")
		case len(columns) > 0 && isOurs:
			exposing = append(exposing, line+key.InFull(has[at])+"; may be copied now: "+strings.Join(columns, ", "))
		default:
			others = append(others, line+key.InFull(has[at]))
		}
	}
	return exposing, others
}
