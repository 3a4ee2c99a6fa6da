package adopt

import (
	"fmt"
	"slices"
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
	// read is what the last read returned.
	read        tfvalue.Value
	overwritten []string
}

// review compares a change with the object as far as it is known, and as the last read
// returned it. A change that is rejected needs no warnings about what it would send, and no
// second error if the kind itself rejects it.
func (e *Engine) review(change Change, remote, read tfvalue.Value, diags *diag.Diagnostics) reviewed {
	var byKind, byEngine diag.Diagnostics
	r := reviewed{owned: e.owned(change), read: read}
	r.Review = Review{Change: change, Label: e.label(change.Plan, remote), Remote: remote, Diags: &byKind}
	r.wanted = e.wantedAfter(r)
	r.Leaves = e.Rules.Changes(r.wanted, remote)
	if e.KeyedSet != nil {
		r.Edit = e.edit(&r, &byEngine)
	}
	e.checkForms(r, &byEngine)
	r.overwritten = e.Check(r.Review)
	switch {
	case byKind.HasError():
		diags.Append(byKind.Errors()...)
	case byEngine.HasError():
		diags.Append(byEngine.Errors()...)
	default:
		diags.Append(byKind...)
	}
	return r
}

// wantedAfter returns what the managed leaves have to be after a change: those that the plan
// changes, as planned; the others as they are by now. In an adoption, which has no prior
// state, every leaf counts as changed; those that match keep the platform's spelling, in
// case they have to be restored.
func (e *Engine) wantedAfter(r reviewed) tfvalue.Value {
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
	return wanted
}

// edit decides what a change removes from the keyed set and adds to it, and moves the set
// from the leaves that are sent into that. Of a set that is not known yet, or of a platform
// that could not be read, nothing is decided.
func (e *Engine) edit(r *reviewed, diags *diag.Diagnostics) tfvalue.Edit {
	planned := r.wanted.At(e.KeyedSet...)
	if r.Leaves.At(e.KeyedSet...).IsNull() || !planned.IsFullyKnown() || r.Remote.IsNull() {
		return tfvalue.Edit{}
	}
	r.Leaves = r.Leaves.Without(e.KeyedSet...)
	now := r.Remote.At(e.KeyedSet...)
	if unknown := e.unknownIn(r.Remote, r.read, r.Prior.At(e.KeyedSet...), planned); unknown != "" {
		diags.AddAttributeError(conn.AttributePath(e.KeyedSet), fmt.Sprintf("Unknown %ss of %s", e.key().Noun, r.Label),
			fmt.Sprintf("%s Nothing was sent. Try again, or remove %s from the configuration.", unknown, e.KeyedSet))
		return tfvalue.Edit{}
	}
	prior := r.Prior.At(e.KeyedSet...)
	if r.Prior.IsNull() {
		e.checkAdoptedSet(*r, planned, diags)
		prior = now
	}
	key := e.key()
	remove, add := key.Difference(planned, prior)
	want := key.Replace(now, remove, add)
	if answer, conflicts := key.Ask(prior, planned, planned, now); answer == tfvalue.Conflict {
		diags.AddAttributeError(conn.AttributePath(e.KeyedSet),
			fmt.Sprintf("%s of %s changed since the plan", e.KeyedSet, r.Label),
			fmt.Sprintf("The plan changes these %ss, or others of the same source or target, and they are no longer what it was made from:\n\n%s\n\nNothing was sent. Plan again.", key.Noun, key.List(conflicts)))
		return tfvalue.Edit{}
	}
	r.wanted = r.wanted.With(want, e.KeyedSet...)
	remove, add = key.Difference(want, now)
	return tfvalue.Edit{Remove: remove, Add: add}
}

// key is that of the keyed set.
func (k *Kind) key() tfvalue.Key { return k.Rules.Keys[k.KeyedSet[len(k.KeyedSet)-1]] }

// unknownIn says what is not known of the set on the platform, "" if nothing is: the last read
// has not even the object that contains it, or omits it although it was returned before and
// is not to become empty; or one of its elements has no name, so that it may be any other.
func (e *Engine) unknownIn(remote, read, before, wanted tfvalue.Value) string {
	set, parent := remote.At(e.KeyedSet...), e.KeyedSet[:len(e.KeyedSet)-1]
	omitted := tfvalue.Path(nil)
	switch {
	case (!wanted.IsEmpty() || !set.IsEmpty()) && !read.At(parent...).IsObject():
		omitted = parent
	case !before.IsEmpty() && !wanted.IsEmpty() && read.At(e.KeyedSet...).IsNull():
		omitted = e.KeyedSet
	}
	if omitted != nil {
		return fmt.Sprintf("The API did not return %s, so it is not known which %ss the %s has.", omitted, e.key().Noun, e.Noun)
	}
	if nameless := e.key().Nameless(set); len(nameless) > 0 {
		return fmt.Sprintf("The API returned a %s that does not have all of %s, and may be any of those in the configuration:\n\n%s\n\nCorrect it in the platform's console.",
			e.key().Noun, platform.Enumerate(e.key().Members), e.key().List(nameless))
	}
	return ""
}

// checkAdoptedSet reports the elements on the platform that an adoption would remove or
// change. Its plan cannot show them: Terraform plans a creation again in the apply, and
// hides what the second plan warns about.
func (e *Engine) checkAdoptedSet(r reviewed, planned tfvalue.Value, diags *diag.Diagnostics) {
	key := e.key()
	remove, _ := key.Difference(planned, r.Remote.At(e.KeyedSet...))
	if len(remove) == 0 {
		return
	}
	wanted := key.Index(planned)
	lines := make([]string, len(remove))
	for i, element := range remove {
		lines[i] = "  - " + key.Spell(element) + ": not in the configuration"
		if want, configured := wanted[key.Of(element)]; configured {
			lines[i] = fmt.Sprintf("  - %s: another %s", key.Spell(element), platform.Enumerate(tfvalue.Differing(want, element)))
		}
	}
	diags.AddAttributeError(conn.AttributePath(e.KeyedSet),
		fmt.Sprintf("%s has other %ss", strings.ToUpper(r.Label[:1])+r.Label[1:], key.Noun),
		fmt.Sprintf("Creating this resource neither removes nor changes a %s, because its plan cannot show that. The configuration differs from these on the platform:\n\n%s\n\n"+
			"Nothing was sent. Import the %s: the plan of an import shows each change. In a replacement, first remove the old object from the state with terraform state rm.\n\n"+
			"import {\n  to = dataplatform_%s.NAME\n  id = %q\n}",
			key.Noun, strings.Join(lines, "\n"), e.Noun, e.Name, strings.Join(e.identity(r.Plan).parts(), "/")))
}

// checkForms rejects a change to a list, a set or an element that has a name in another Unicode
// form on the platform: to send it again would replace that name, and a column that is excluded in
// another form is not excluded. The read of an update's plan is the state, where Terraform has
// given every name its own form, so the apply finds what the plan cannot.
func (e *Engine) checkForms(r reviewed, diags *diag.Diagnostics) {
	check := func(at tfvalue.Path, changed tfvalue.Value) {
		names := changed.OtherForms()
		if len(names) == 0 {
			return
		}
		for i, name := range names {
			names[i] = strconv.Quote(name)
		}
		diags.AddAttributeError(conn.AttributePath(at),
			fmt.Sprintf("A name in %s of %s cannot be sent", at, r.Label),
			fmt.Sprintf("The platform has %s in another Unicode form than Terraform, which normalizes every text. To a database these are different names, "+
				"and this change would replace one by the other. Nothing was sent. Make the change in the platform's console.", platform.Enumerate(names)))
	}
	for _, leaf := range r.Leaves.Leaves() {
		if held := r.read.At(leaf.Path...); held.IsCollection() {
			check(leaf.Path, held)
		}
	}
	if !r.Edit.IsEmpty() {
		check(e.KeyedSet, e.concerned(r.Edit, r.read))
	}
}

// concerned are the elements of the keyed set on the platform that a change removes or adds, and
// those that are related to them.
func (e *Engine) concerned(edit tfvalue.Edit, object tfvalue.Value) tfvalue.Value {
	set := object.At(e.KeyedSet...)
	return tfvalue.Collection(set.Type(), e.key().Among(set.Elements(), slices.Concat(edit.Remove, edit.Add)))
}
