package adopt

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// The plan is the contract: an apply sends only what its plan showed.

// reviewed is a change that was reviewed.
type reviewed struct {
	Review
	// owned are the managed leaves as planned, and wanted is what they have to be after the
	// apply: as planned where the plan changes them, and otherwise as the platform has them.
	owned, wanted tfvalue.Value
	overwritten   []string
}

// review compares a change with the object as far as it is known, and as the last read
// returned it.
func (e *Engine) review(change Change, remote, read tfvalue.Value, diags *diag.Diagnostics) reviewed {
	r := reviewed{owned: e.owned(change)}
	var broken, found diag.Diagnostics
	r.Review = Review{Change: change, Label: e.label(change.Plan, remote), Remote: remote, Diags: &found}
	r.wanted = e.wanted(r, read, &broken)
	r.Send = e.Rules.Changes(r.wanted, remote)
	e.checkForms(r, read, &broken)
	r.overwritten = e.Check(r.Review)
	// One error is enough if the kind rejects the change itself, such as for a source that
	// the pipe does not have. A rejected change needs no warning about what it would send.
	if broken.HasError() && !found.HasError() {
		found = broken
	}
	diags.Append(found...)
	return r
}

// wanted returns what the managed leaves have to be after a change: those that the plan
// changes, as planned; the others as they are by now. Of a keyed set that the plan changes,
// this holds for each element. In an adoption, which has no prior state, every leaf counts as
// changed; those that match keep the platform's spelling, in case they have to be restored.
func (e *Engine) wanted(r reviewed, read tfvalue.Value, diags *diag.Diagnostics) tfvalue.Value {
	changed := r.owned
	if !r.Prior.IsNull() {
		changed = e.Rules.Changes(r.owned, r.Prior)
	}
	wanted := changed
	for _, leaf := range r.owned.Leaves() {
		if now := r.Remote.At(leaf.Path...); changed.At(leaf.Path...).IsNull() || e.Rules.Same(leaf.Name(), leaf.Value, now) {
			wanted = wanted.With(now, leaf.Path...)
		}
	}
	for _, set := range e.keyedSets(changed) {
		if r.Remote.IsNull() || !set.Value.IsFullyKnown() || !e.checkReturned(r, set, read, diags) || !e.checkNames(r, set, diags) {
			continue
		}
		now, prior := r.Remote.At(set.Path...), r.Prior.At(set.Path...)
		if r.Prior.IsNull() {
			e.checkAdoptedSet(r, set, diags)
			prior = now
		}
		kept, conflicts := set.key.Wanted(prior, set.Value, now)
		if len(conflicts) > 0 {
			diags.AddAttributeError(conn.AttributePath(set.Path),
				fmt.Sprintf("%s of %s changed since the plan", set.Path, r.Label),
				fmt.Sprintf("The plan changes these %ss, or adds others beside them, and they are no longer what it was made from:\n\n%s\n\nNothing was sent. Plan again.", set.key.Noun, set.key.List(conflicts)))
		}
		wanted = wanted.With(kept, set.Path...)
	}
	return wanted
}

// checkReturned reports that the last read has not even the object that contains a set. What
// is known of the set may be old then.
func (e *Engine) checkReturned(r reviewed, set keyedSet, read tfvalue.Value, diags *diag.Diagnostics) bool {
	parent := set.Path[:len(set.Path)-1]
	if set.Value.IsEmpty() && r.Remote.At(set.Path...).IsEmpty() || read.At(parent...).IsObject() {
		return true
	}
	diags.AddAttributeError(conn.AttributePath(set.Path),
		fmt.Sprintf("Unknown %ss of %s", set.key.Noun, r.Label),
		fmt.Sprintf("The API did not return %s, so it is not known which %ss the %s has. Nothing was sent. Try again.", parent, set.key.Noun, e.Noun))
	return false
}

// checkNames reports elements on the platform that have no name: nothing can be said of
// them, nor of any other element that may be one of them.
func (e *Engine) checkNames(r reviewed, set keyedSet, diags *diag.Diagnostics) bool {
	nameless := set.key.Nameless(r.Remote.At(set.Path...))
	if len(nameless) == 0 {
		return true
	}
	diags.AddAttributeError(conn.AttributePath(set.Path),
		fmt.Sprintf("A %s of %s has no name", set.key.Noun, r.Label),
		fmt.Sprintf("The API returned a %s that does not have all of %s:\n\n%s\n\nIt may be any of those in the configuration, so none is changed. Nothing was sent. "+
			"Correct it in the platform's console, or remove %s from the configuration.",
			set.key.Noun, platform.Enumerate(set.key.Members), set.key.List(nameless), set.Path))
	return false
}

// checkAdoptedSet reports the elements on the platform that an adoption would remove or
// change. Its plan cannot show them: Terraform plans a creation again in the apply, and
// hides what the second plan warns about.
func (e *Engine) checkAdoptedSet(r reviewed, set keyedSet, diags *diag.Diagnostics) {
	remote := r.Remote.At(set.Path...)
	remove, _ := set.key.Difference(set.Value, remote)
	if len(remove) == 0 {
		return
	}
	wanted := set.key.Index(set.Value)
	lines := make([]string, len(remove))
	for i, element := range remove {
		lines[i] = "  - " + set.key.Spell(element) + ": not in the configuration"
		if want, configured := wanted[set.key.Of(element)]; configured {
			lines[i] = fmt.Sprintf("  - %s: another %s", set.key.Spell(element), platform.Enumerate(tfvalue.Differing(want, element)))
		}
	}
	diags.AddAttributeError(conn.AttributePath(set.Path),
		fmt.Sprintf("%s has other %ss", strings.ToUpper(r.Label[:1])+r.Label[1:], set.key.Noun),
		fmt.Sprintf("Creating this resource neither removes nor changes a %s, because its plan cannot show that. The configuration differs in these, which are on the platform:\n\n%s\n\n"+
			"Nothing was sent. Import the %s: the plan of an import shows each change. In a replacement, first remove the old object from the state with terraform state rm.\n\n"+
			"import {\n  to = dataplatform_%s.NAME\n  id = %q\n}",
			set.key.Noun, strings.Join(lines, "\n"), e.Noun, e.Name, strings.Join(e.identity(r.Plan).parts(), "/")))
}

// checkForms rejects a change that would send again a name that the platform has in another
// Unicode form: a column that is excluded in another form is not excluded. The read of an
// update's plan is the state, where Terraform has given every name its own form, so
// the apply finds what the plan cannot.
func (e *Engine) checkForms(r reviewed, read tfvalue.Value, diags *diag.Diagnostics) {
	for _, leaf := range r.Send.Leaves() {
		names := e.Rules.Respelled(leaf.Name(), leaf.Value, read.At(leaf.Path...))
		if len(names) == 0 {
			continue
		}
		for i, name := range names {
			names[i] = strconv.Quote(name)
		}
		diags.AddAttributeError(conn.AttributePath(leaf.Path),
			fmt.Sprintf("A name in %s of %s cannot be sent", leaf.Path, r.Label),
			fmt.Sprintf("The platform has %s in another Unicode form than Terraform, which normalizes every text. To a database these are different names, "+
				"and this change would replace one by the other. Nothing was sent. Make the change in the platform's console.", platform.Enumerate(names)))
	}
}
