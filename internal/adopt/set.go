package adopt

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// An update compares three versions of the keyed set, element by element: base, want, and what the
// platform has now. The difference between base and want is what remains to be sent. What to
// remove and add is decided once, at the beginning, and kept in want: no later read adds to it.

// setProgress is how far an update of the keyed set has come. After a PATCH, absorb sets base and
// want; before an attempt, follow does. Nothing reads it if the update does not manage the set.
type setProgress struct {
	// base is the set as it has to be right before the next PATCH, and want as it has to be after
	// the last. What a PATCH has done is in both. An element that the platform has dropped is only
	// in want, so that the next PATCH adds it. An element that is not sent is in both, as it is now.
	base, want tfvalue.Value
	// outcome is what the last PATCH did to the set.
	outcome tfvalue.Outcome
	// removed are the elements that PATCHes have removed, or may have, as they were.
	removed []tfvalue.Value
	// changed are lines for a warning: the elements that changed although no PATCH had them.
	changed []string
}

// conflict is the error of a PATCH that was not sent, because the elements that it concerns are
// neither as they were nor as it makes them.
type conflict struct {
	at       tfvalue.Path
	elements []tfvalue.Value // as they are now, or were before
}

func (c conflict) Error() string { return c.at.String() + " changed during the apply" }

// ownsKeyedSet reports whether the update manages the set.
func (u *update) ownsKeyedSet() bool {
	return u.KeyedSet != nil && !u.change.wanted.At(u.KeyedSet...).IsNull()
}

// step is what the next PATCH changes in the set, and stepAfter the one after it.
func (u *update) step() tfvalue.Edit { return u.stepAfter(tfvalue.Edit{}) }

func (u *update) stepAfter(e tfvalue.Edit) tfvalue.Edit {
	if !u.ownsKeyedSet() {
		return tfvalue.Edit{}
	}
	return u.key().Step(u.key().After(u.set.base, e), u.set.want)
}

// needsFreshSet reports whether the set has to be read shortly before a PATCH. That includes a PATCH
// of leaves alone: the platform may reset the set with it, and then the elements are added again
// as they were right before.
func (u *update) needsFreshSet(p Patch) bool {
	return !p.Edit.IsEmpty() || u.ownsKeyedSet() && !u.set.want.IsEmpty() && !u.seen.asOf.IsZero()
}

// guard asks the one question that guards every PATCH: are the elements that it concerns as they
// were, or already as it makes them? A PATCH without elements is pending while a leaf differs.
func (u *update) guard(p Patch, remote tfvalue.Value) (tfvalue.Answer, []tfvalue.Value) {
	if p.Edit.IsEmpty() {
		if u.Rules.Changes(p.Leaves, remote).AnyLeaf() {
			return tfvalue.Pending, nil
		}
		return tfvalue.Done, nil
	}
	now := remote.At(u.KeyedSet...)
	answer, conflicts := u.key().Guard(u.set.base, u.key().After(u.set.base, p.Edit), u.set.want, now)
	if concerned := u.concerned(p.Edit, remote); answer == tfvalue.Pending && len(concerned.OtherForms()) > 0 {
		return tfvalue.Conflict, concerned.Elements()
	}
	return answer, conflicts
}

// isBeginning reports whether the elements that the update changes are as they were before its
// first PATCH.
func (u *update) isBeginning(remote tfvalue.Value) bool {
	begin := u.change.Remote.At(u.KeyedSet...)
	answer, _ := u.key().Guard(begin, begin, u.set.want, remote.At(u.KeyedSet...))
	return answer != tfvalue.Conflict
}

// readAgain reads the object before a PATCH.
func (u *update) readAgain(ctx context.Context, edit tfvalue.Edit) (observed, error) {
	now, err := u.observe(ctx, u.connection.Client, u.id, known{last: u.seen.remote, elements: u.elements(edit), memory: u.memory, needsSet: true})
	if err != nil {
		return now, err
	}
	before := u.set.base
	if edit.IsEmpty() {
		before = tfvalue.Null(before.Type()) // an earlier PATCH may have emptied the set
	}
	if unknown := u.unknownIn(now.remote, now.read, before, u.key().After(u.set.base, edit)); unknown != "" {
		err = errors.New(unknown)
	}
	return now, err
}

// elements are those that may be in the response to a PATCH: as they were, or as it adds them.
func (u *update) elements(e tfvalue.Edit) tfvalue.Value {
	if !u.ownsKeyedSet() {
		return u.seen.remote.At(u.KeyedSet...)
	}
	return u.key().Replace(u.set.base, nil, e.Add)
}

// judgeSet sets the verdict on the set in a response. Only a PATCH that adds elements sends a value
// that the platform can accept and not return.
func (u *update) judgeSet(r *record, e tfvalue.Edit, asOf time.Time) {
	r.wanted, r.sent = u.key().After(u.set.base, e), len(e.Add) > 0
	u.set.outcome = tfvalue.Outcome{}
	if asOf.IsZero() {
		r.verdict, r.doubtful = notReturned, true
		return
	}
	// A platform that has returned the set, and omits it once it is empty, shows none of what a PATCH
	// adds to an empty set. Any other set that is omitted is not known.
	if r.now.IsNull() && (!u.set.base.IsEmpty() || r.Value.IsNull()) {
		r.judge(u.Rules)
		if r.verdict == changedUnsent {
			u.set.outcome.Lost = r.wanted.Elements()
		}
		return
	}
	o := u.key().Outcome(e, u.change.Remote.At(u.KeyedSet...), u.set.base, u.Rules.FillLeaf(r.Name(), r.now))
	// Where no read has shown the set in full before the PATCH, an element may have been gone before,
	// and what is known of it may lack a member. Added again, it could lack an exclusion.
	if u.seen.asOf.IsZero() {
		o.Lost, o.Changed = nil, slices.Concat(o.Lost, o.Changed)
	}
	u.set.outcome = o
	r.isPast = len(o.Late) > 0 || o.IsPast
	switch {
	case len(o.Late)+len(o.Wrong) > 0:
		r.verdict = storedOtherwise
	case len(o.Lost) > 0:
		r.verdict = changedUnsent
	}
	r.doubtful = r.verdict != confirmed || len(o.Changed) > 0
}

// carriedOut takes over the set from a read that shows that a PATCH was carried out.
func (u *update) carriedOut(e tfvalue.Edit, remote tfvalue.Value) {
	if u.ownsKeyedSet() {
		u.set.outcome = u.key().Outcome(e, u.change.Remote.At(u.KeyedSet...), u.set.base, remote.At(u.KeyedSet...))
		u.absorb(e, remote.At(u.KeyedSet...))
	}
}

// absorb takes over the set as it is now, after a PATCH whose outcome is known. What remains to be
// sent are the later additions and the lost elements. An unexpected element that is related to
// one of these stays out of base, so that the next guard finds the conflict.
func (u *update) absorb(e tfvalue.Edit, now tfvalue.Value) {
	key, o := u.key(), u.set.outcome
	u.set.changed = append(u.set.changed, u.Rules.DescribeChange(u.KeyedSet, key.Only(u.set.base, o.Changed), key.Only(now, o.Changed), [2]string{"was", "is now"}, u.connection.Client.Mask)...)
	expected := key.After(u.set.base, e)
	_, later := key.Difference(u.set.want, expected)
	_, notAdded := key.Difference(tfvalue.Collection(now.Type(), e.Add), now)
	toAdd := slices.Concat(later, notAdded, o.Lost)
	unexpected := key.Among(key.Replace(now, expected.Elements(), nil).Elements(), toAdd)
	u.set.base = key.Replace(now, unexpected, nil)
	u.set.want = key.Replace(u.set.base, e.Remove, toAdd)
}
