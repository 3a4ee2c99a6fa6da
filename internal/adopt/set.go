package adopt

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// The keyed set of an update is three sets, which are compared element by element: base, want,
// and the one that the platform shows by now. What is still to be sent is the difference of the
// first two. What is removed and added is decided once, at the beginning, in want; no later read
// adds to it.

// setProgress is what an update has come to with the keyed set: absorb writes base and want after
// a PATCH, and followSet before one is sent again. It is the zero value if the update does not
// manage the set.
type setProgress struct {
	// base is the set as it has to be right before the next PATCH, and want as it has to be in
	// the end. What a PATCH has done is in both. An element that the platform has dropped is in
	// want alone, so that the next PATCH adds it; one that nobody sends is in both as it is by now.
	base, want tfvalue.Value
	// outcome is what was shown of the last PATCH.
	outcome tfvalue.Outcome
	// removed are the elements that PATCHes have removed, or may have, as they were.
	removed []tfvalue.Value
	// notes are lines about elements that no PATCH had, and that are another value now.
	notes []string
}

// conflict is the error of a PATCH that was not sent, since the elements that it concerns are
// neither as they were nor as it wants them.
type conflict struct {
	at       tfvalue.Path
	elements []tfvalue.Value // by now or before
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

// steps is the number of PATCHes that the set needs, at least one.
func (u *update) steps() int {
	if u.stepAfter(u.step()).IsEmpty() {
		return 1
	}
	return 2
}

// restsOnSet reports whether a PATCH rests on a read of the set. One of leaves alone does so if
// the set is managed: the platform may reset the set with it, and what is added again then has
// to be what it was right before.
func (u *update) restsOnSet(p Patch) bool {
	return !p.Edit.IsEmpty() || u.ownsKeyedSet() && !u.set.want.IsEmpty() && !u.seen.asOf.IsZero()
}

// answer is that of the object to the question of a PATCH: are the elements that it concerns as
// they were, or as it wants them? One without elements is due as long as a leaf differs.
func (u *update) answer(p Patch, remote tfvalue.Value) (tfvalue.Answer, []tfvalue.Value) {
	if p.Edit.IsEmpty() {
		if u.Rules.Changes(p.Leaves, remote).AnyLeaf() {
			return tfvalue.Due, nil
		}
		return tfvalue.Done, nil
	}
	now := remote.At(u.KeyedSet...)
	answer, conflicts := u.key().Ask(u.set.base, u.key().After(u.set.base, p.Edit), u.set.want, now)
	if concerned := u.concerned(p.Edit, remote); answer == tfvalue.Due && len(concerned.OtherForms()) > 0 {
		return tfvalue.Conflict, concerned.Elements()
	}
	return answer, conflicts
}

// isBeginning reports whether the elements that the update changes are as they were before its
// first PATCH.
func (u *update) isBeginning(remote tfvalue.Value) bool {
	begin := u.change.Remote.At(u.KeyedSet...)
	answer, _ := u.key().Ask(begin, begin, u.set.want, remote.At(u.KeyedSet...))
	return answer != tfvalue.Conflict
}

// readAgain reads the object during an update, before a PATCH is sent.
func (u *update) readAgain(ctx context.Context, edit tfvalue.Edit) (observed, error) {
	now, err := u.observe(ctx, u.connection.Client, u.id, known{last: u.seen.remote, elements: u.elements(edit), memory: u.memory, needsSet: true})
	if err != nil {
		return now, err
	}
	before := u.set.base
	if edit.IsEmpty() {
		before = tfvalue.Null(before.Type()) // a PATCH of leaves may have emptied it
	}
	if unknown := u.unknownIn(now.remote, now.read, before, u.key().After(u.set.base, edit)); unknown != "" {
		err = errors.New(unknown)
	}
	return now, err
}

// elements are those that a response to a PATCH may have, as they were and as they were sent.
func (u *update) elements(e tfvalue.Edit) tfvalue.Value {
	if !u.ownsKeyedSet() {
		return u.seen.remote.At(u.KeyedSet...)
	}
	return u.key().Replace(u.set.base, nil, e.Add)
}

// followSet takes the set from a read before a PATCH: what the PATCH concerns is as it was, and
// what others have changed besides is theirs.
func (u *update) followSet(remote tfvalue.Value) {
	remove, add := u.key().Difference(u.set.want, u.set.base)
	u.set.base = remote.At(u.KeyedSet...)
	u.set.want = u.key().Replace(u.set.base, remove, add)
}

// judgeSet sets the verdict on the set in a response. A PATCH that adds nothing leaves no value
// that the platform could have accepted and not return.
func (u *update) judgeSet(r *record, e tfvalue.Edit, asOf time.Time) {
	r.wanted, r.sent = u.key().After(u.set.base, e), len(e.Add) > 0
	u.set.outcome = tfvalue.Outcome{}
	if asOf.IsZero() {
		r.verdict, r.doubtful = notReturned, true
		return
	}
	if r.now.IsNull() {
		if r.judge(u.Rules); r.verdict == moved {
			u.set.outcome.Lost = r.wanted.Elements()
		}
		return
	}
	o := u.key().Verify(e, u.change.Remote.At(u.KeyedSet...), u.set.base, u.Rules.WholeLeaf(r.Name(), r.now))
	if u.seen.asOf.IsZero() && e.IsEmpty() {
		o.Lost, o.Changed = nil, slices.Concat(o.Lost, o.Changed) // with this PATCH, or before
	}
	u.set.outcome = o
	r.isPast = len(o.Late) > 0 || o.IsPast
	switch {
	case len(o.Late)+len(o.Wrong) > 0:
		r.verdict = storedOtherwise
	case len(o.Lost) > 0:
		r.verdict = moved
	}
	r.doubtful = r.verdict != confirmed || len(o.Changed) > 0
}

// carriedOut takes the set from a read that shows that a PATCH was carried out.
func (u *update) carriedOut(e tfvalue.Edit, remote tfvalue.Value) {
	if u.ownsKeyedSet() {
		u.set.outcome = u.key().Verify(e, u.change.Remote.At(u.KeyedSet...), u.set.base, remote.At(u.KeyedSet...))
		u.absorbInto(e, remote.At(u.KeyedSet...))
	}
}

// absorb takes the set from what was shown after a PATCH, or as it was sent if it was not.
func (u *update) absorb(e tfvalue.Edit) {
	switch {
	case !u.ownsKeyedSet():
	case u.seen.asOf.IsZero():
		u.set.base = u.key().After(u.set.base, e)
	default:
		u.absorbInto(e, u.seen.remote.At(u.KeyedSet...))
	}
}

// absorbInto takes the set as it is by now, after a PATCH whose outcome is known. What is still
// to be sent are the later additions, and the elements that were lost. An element that nobody
// knew of and that is related to these is a conflict, and not taken.
func (u *update) absorbInto(e tfvalue.Edit, now tfvalue.Value) {
	key, o := u.key(), u.set.outcome
	if len(o.Changed) > 0 {
		u.set.notes = append(u.set.notes, u.Rules.DescribeChange(u.KeyedSet, key.Only(u.set.base, o.Changed), key.Only(now, o.Changed), [2]string{"was", "is now"}, u.connection.Client.Mask)...)
	}
	expected := key.After(u.set.base, e)
	_, later := key.Difference(u.set.want, expected)
	_, notAdded := key.Difference(tfvalue.Collection(now.Type(), e.Add), now)
	due := slices.Concat(later, notAdded, o.Lost)
	fresh := key.Among(key.Replace(now, expected.Elements(), nil).Elements(), due)
	u.set.base = key.Replace(now, fresh, nil)
	u.set.want = key.Replace(u.set.base, e.Remove, due)
}
