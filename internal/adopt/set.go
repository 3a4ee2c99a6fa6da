package adopt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// The keyed set of an update. What is removed from it and added to it is decided once, at
// the beginning, for all PATCHes. Before one of them is sent, and before it is sent again,
// the elements that it concerns have to be as they were then.

// setProgress is what an update has come to with the keyed set.
type setProgress struct {
	// edit is the change of the PATCH under way, and held is the set right before it.
	edit tfvalue.Edit
	held tfvalue.Value
	// isKnown reports whether the platform returned what is held.
	isKnown bool
	// removed are the elements that PATCHes have removed.
	removed []tfvalue.Value
	// wrong, missing and changed are elements in the response to that PATCH, see Edit.Verify.
	wrong, missing, changed []tfvalue.Value
	// lost are the elements that PATCHes without them have removed, and notes are lines about
	// others that changed meanwhile.
	lost  []tfvalue.Value
	notes []string
	// conflicts are the elements because of which a PATCH was not sent. perhaps are those
	// that a PATCH with an unknown outcome removes.
	conflicts, perhaps []tfvalue.Value
}

// beginSet begins the part of a PATCH that changes the set.
func (u *update) beginSet(edit tfvalue.Edit) {
	if u.KeyedSet == nil {
		return
	}
	held := u.remote.At(u.KeyedSet...)
	if edit.IsEmpty() {
		edit = u.key().Edit(held, held)
	}
	u.set.edit, u.set.held, u.set.isKnown = edit, held, !u.asOf.IsZero()
}

// due returns what is left of an edit, as far as the platform has returned its elements: nothing
// if they are as it wants them. ok is false if they are no longer what they were when it was
// decided.
func (u *update) due(edit tfvalue.Edit) (left tfvalue.Edit, ok bool) {
	if edit.IsEmpty() || u.asOf.IsZero() {
		return edit, true // the question is asked before it is sent
	}
	answer, conflicts := edit.Ask(u.withLost(u.remote.At(u.KeyedSet...), edit))
	switch answer {
	case tfvalue.Done:
		return tfvalue.Edit{}, true
	case tfvalue.Due:
		return edit, true
	default:
		u.set.conflicts = conflicts
		return edit, false
	}
}

// rests reports whether a patch rests on a read of the set, which is then as old as asOf. One
// of leaves alone does so if the set is managed: the platform may reset the set with it, and
// what is added again then has to be what it was right before.
func (u *update) rests(p Patch) bool {
	managed := u.KeyedSet != nil && !u.leaves.wanted.At(u.KeyedSet...).IsEmpty() && !u.asOf.IsZero()
	return managed || !p.Edit.IsEmpty()
}

// send sends a patch until it is decided, and reads the set again before each further attempt
// of one that rests on it. done is a read that shows that nothing is left to be sent.
func (u *update) send(ctx context.Context, p Patch) (response, done tfvalue.Value, err error) {
	response, done = tfvalue.Null(u.objectType), tfvalue.Null(u.objectType)
	ctx, call, err := u.Begin(ctx, u.client, u.id, u.change.Config)
	if err != nil {
		return response, done, err
	}
	defer call.End()
	rests := u.rests(p)
	for again := rests && u.asOf.IsZero(); ; {
		if again && rests {
			if p, done, err = u.ask(ctx, p, call); err != nil {
				return response, done, call.Stop(ctx, err)
			}
			if p.IsEmpty() {
				return response, done, nil
			}
			rests = u.rests(p)
		}
		patch := platform.Patch{Leaves: u.names(p)}
		if rests {
			patch.AsOf = u.asOf
		}
		if patch.Body, err = u.Body(u.change.Change, p); err != nil {
			return response, done, fmt.Errorf("reading the plan: %w", err)
		}
		if again, err = call.Send(ctx, patch, u.Rules.Into(&response)); !again {
			return response, done, err
		}
	}
}

// ask reads the set again, and returns what is left to be sent of a patch: all of it if the
// elements that it concerns are as they were; the leaves that still differ, if the elements
// are as it wants them. Anything else is an error. done is the read if nothing is left.
func (u *update) ask(ctx context.Context, p Patch, call Call) (left Patch, done tfvalue.Value, err error) {
	done = tfvalue.Null(u.objectType)
	perhaps := call.IsAmbiguous()
	isUnverified := u.asOf.IsZero() && u.leaves.records != nil // what the last PATCH did to the set
	now, err := u.readAgain(ctx, p.Edit)
	if err != nil {
		return p, done, err
	}
	u.remote, u.asOf, u.set.perhaps = now.remote, now.asOf, nil
	set, leaves := now.remote.At(u.KeyedSet...), u.Rules.Changes(p.Leaves, now.remote)
	if isUnverified {
		u.noteDifferences(set)
		u.set.held = set
	}
	answer, conflicts := u.answer(p, set, leaves)
	unsettled := perhaps && p.Edit.IsEmpty() && !u.verifiable(leaves).AnyLeaf()
	switch {
	case answer == tfvalue.Conflict:
		u.set.conflicts = conflicts
		return p, done, fmt.Errorf("%s changed during the apply", u.KeyedSet)
	case answer == tfvalue.Done || unsettled:
		u.noteDifferences(set)
	default:
		u.leave(p, now)
	}
	if !unsettled {
		call.Settle()
	}
	u.set.held, u.set.isKnown = set, !u.asOf.IsZero()
	if answer == tfvalue.Done || p.Edit.IsEmpty() {
		u.set.edit = u.set.edit.On(set)
	}
	if answer == tfvalue.Due {
		u.leaves.sending = p.Leaves
		return p, done, nil
	}
	u.set.removed = append(u.set.removed, p.Edit.Remove...)
	if u.leaves.sending = leaves; !leaves.AnyLeaf() {
		done = now.read
	}
	return Patch{Leaves: leaves}, done, nil
}

// answer is that of a set to the question of a patch, of which these leaves still differ.
func (u *update) answer(p Patch, set, left tfvalue.Value) (tfvalue.Answer, []tfvalue.Value) {
	if p.Edit.IsEmpty() {
		if left.AnyLeaf() {
			return tfvalue.Due, nil
		}
		return tfvalue.Done, nil
	}
	answer, conflicts := p.Edit.Ask(u.withLost(set, p.Edit))
	if answer == tfvalue.Due && p.Edit.Respells(set) {
		return tfvalue.Conflict, p.Edit.Remove
	}
	return answer, conflicts
}

// leave takes the leaves that a patch does not have from a read before it: what others have
// changed by then is theirs, and no reset.
func (u *update) leave(p Patch, now observed) {
	u.returned = now.read.Merge(u.returned)
	for _, leaf := range u.verifiable(u.leaves.wanted).Leaves() {
		if !u.isSet(leaf.Path) && p.Leaves.At(leaf.Path...).IsNull() {
			u.leaves.wanted = u.leaves.wanted.With(now.remote.At(leaf.Path...), leaf.Path...)
		}
	}
}

// readAgain reads the object during an update, before an edit is sent.
func (u *update) readAgain(ctx context.Context, edit tfvalue.Edit) (observed, error) {
	now, err := u.observe(ctx, u.client, u.id, known{last: u.remote, memory: u.memory, needsSet: true})
	if err != nil {
		return now, err
	}
	before := u.set.held
	if edit.IsEmpty() {
		before = tfvalue.Null(before.Type()) // a PATCH of leaves may have emptied it
	}
	if unknown := u.unknownIn(now.remote, now.read, before, edit.On(u.set.held).After()); unknown != "" {
		err = errors.New(unknown)
	}
	return now, err
}

// judgeSet sets the verdict on the set in a response. What was sent of it is an edit; one that
// adds nothing leaves no value that the platform could have accepted and not return.
func (u *update) judgeSet(r *record) {
	s := &u.set
	r.wanted, r.sent = s.edit.On(s.held).After(), len(s.edit.Add) > 0
	s.wrong, s.missing, s.changed = nil, nil, nil
	if u.asOf.IsZero() {
		r.verdict, r.doubtful = notReturned, true
		return
	}
	if r.now.IsNull() {
		r.judge(u.Rules)
		if r.verdict == moved {
			s.missing = r.wanted.Elements()
		}
		return
	}
	s.wrong, s.missing, s.changed = s.edit.Verify(s.held, u.Rules.WholeLeaf(r.Name(), r.now))
	if !s.isKnown && s.edit.IsEmpty() {
		s.missing, s.changed = nil, slices.Concat(s.missing, s.changed) // by this PATCH, or before
	}
	switch {
	case len(s.wrong) > 0:
		r.verdict = storedOtherwise
	case len(s.missing) > 0:
		r.verdict = moved
	}
	r.doubtful = r.verdict != confirmed || len(s.changed) > 0
}

// noteSet records what a PATCH has done to elements that it does not have, as far as the
// platform has returned the set.
func (u *update) noteSet() {
	for _, r := range u.leaves.records {
		if u.isSet(r.Path) && !r.wanted.IsNull() && !u.asOf.IsZero() {
			s := &u.set
			s.lost = u.key().Replace(tfvalue.Collection(r.wanted.Type(), s.lost), s.edit.Add, nil).Elements()
			u.noteLost(u.Rules.WholeLeaf(r.Name(), r.now), s.missing, s.changed)
		}
	}
}

// noteDifferences records what a PATCH has done that only a later read shows.
func (u *update) noteDifferences(now tfvalue.Value) {
	_, lost, changed := u.set.edit.Verify(u.set.held, now)
	u.noteLost(now, lost, changed)
}

// withLost returns a set with the elements that are lost and are to be added again after an
// edit: that they are missing is no change by somebody else.
func (u *update) withLost(now tfvalue.Value, edit tfvalue.Edit) tfvalue.Value {
	key := u.key()
	lost := key.Replace(tfvalue.Collection(now.Type(), u.set.lost), slices.Concat(now.Elements(), edit.Add), nil)
	return key.Replace(now, nil, lost.Elements())
}

// noteLost records elements that are lost, and describes those that are changed.
func (u *update) noteLost(now tfvalue.Value, lost, changed []tfvalue.Value) {
	s, key := &u.set, u.key()
	s.lost = key.Replace(tfvalue.Collection(now.Type(), s.lost), now.Elements(), lost).Elements()
	if len(changed) > 0 {
		s.notes = append(s.notes, u.Rules.DescribeChange(u.KeyedSet, key.Only(s.held, changed), key.Only(now, changed), [2]string{"was", "is now"}, u.client.Mask)...)
	}
}

// describeElements describes how some elements of the set differ from the wanted ones.
func (u *update) describeElements(r record, some []tfvalue.Value, verbs [2]string) []string {
	part := func(set tfvalue.Value) tfvalue.Value { return u.key().Only(set, some) }
	return u.Rules.DescribeChange(r.Path, part(r.wanted), part(u.Rules.WholeLeaf(r.Name(), r.now)), verbs, u.client.Mask)
}

// restoring returns the change that adds the lost elements again, as they were.
func (u *update) restoring() tfvalue.Edit {
	if len(u.set.lost) == 0 {
		return tfvalue.Edit{}
	}
	without := u.key().Replace(u.remote.At(u.KeyedSet...), u.set.lost, nil)
	return u.key().Edit(without, u.key().Replace(without, nil, u.set.lost))
}

// addConflict reports that the set changed between two requests. err is that of the request
// that was not sent again, nil if it was not sent at all.
func (u *update) addConflict(err error, diags *diag.Diagnostics) {
	end := "Nothing more was sent. Plan again."
	if err != nil {
		end = "Plan again.\n\n" + conn.Detail(err)
	}
	detail := fmt.Sprintf("This update changes these %ss, or others of the same source or target, and somebody else has changed them meanwhile:\n\n%s\n\n%s",
		u.key().Noun, u.key().List(u.set.conflicts), end)
	diags.AddAttributeError(conn.AttributePath(u.KeyedSet), fmt.Sprintf("%s of %s changed during the apply", u.KeyedSet, u.change.Label), detail)
}

// reportUnfinished reports, after an error, the elements that are or may be removed and not
// added again yet, with the values that they had right before that: those that a PATCH
// removes for others, which are not known to be there, and those that were lost.
func (u *update) reportUnfinished(diags *diag.Diagnostics) {
	if !diags.HasError() || u.KeyedSet == nil {
		return
	}
	key, s := u.key(), &u.set
	there := key.Replace(u.remote.At(u.KeyedSet...), s.perhaps, nil)
	_, pending := key.Difference(u.leaves.wanted.At(u.KeyedSet...), there)
	replaced := key.Among(slices.Concat(s.removed, s.perhaps), pending)
	listed := key.Index(tfvalue.Collection(there.Type(), slices.Concat(replaced, s.lost)))
	gone := key.Replace(tfvalue.Collection(there.Type(), slices.Collect(maps.Values(listed))), there.Elements(), nil).Elements()
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
			key.Noun, u.client.Mask(strings.Join(lines, "\n")), u.Unfinished),
	)
}
