package adopt

import (
	"context"
	"slices"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// The mappings are changed in at most two steps of one PATCH each. The first removes what has to go, and adds what is
// unrelated to that; the second adds the rest. What a PATCH did is what a read shows, whether it was accepted or lost. A
// response that shows the first step only lets the second follow at once.

// mappingsAre is how the mappings that a step concerns are, after the last response. Before an attempt, asBefore is waited for,
// and after one asAfter, for up to 30 s.
type mappingsAre int

const (
	asBefore        mappingsAre = iota // the step: it may be sent, and once sent it may still be carried out
	asAfter                            // the step, or the whole change: it is done
	onTheWay                           // neither, but nobody else has changed them: they are read again
	changedByOthers                    // neither: an error at once, since a late removal could undo what they did
	notTold                            // not known: they are read again
)

// step is one PATCH of the mappings.
type step struct {
	tfvalue.Edit
	// before and after are the mappings around the step. It concerns those that are related to what it and the next one change.
	before, after tfvalue.Value
	concerns      []tfvalue.Value
	soFar         tfvalue.Edit // what this step and the one before it change
	isFollowed    bool         // by the addition of what it removes
}

func (u *update) steps() []step {
	start, whole := u.mappingsOf(u.start.remote), u.start.Edit
	first, later := u.key().InTwo(whole)
	between, end := u.key().After(start, first), u.key().After(start, whole)
	return slices.DeleteFunc([]step{
		{Edit: first, before: start, after: between, concerns: whole.All(), soFar: first, isFollowed: len(later) > 0},
		{Edit: tfvalue.Edit{Add: later}, before: between, after: end, concerns: later, soFar: whole},
	}, func(s step) bool { return s.IsEmpty() })
}

// mayBeNone reports whether a response that omits the mappings says that there are none. Once some were sent, it does if there
// are none before the change, between its steps, or after it.
func (u *update) mayBeNone() bool {
	return u.edited.IsEmpty() || slices.ContainsFunc(u.steps(), func(s step) bool { return s.before.IsEmpty() || s.after.IsEmpty() })
}

// look says how the mappings that a step concerns are, and which of them are not as before.
//
// A difference from the beginning is ours, and not that of others, if it is under a key that was added, in any letter case: its
// members may come later; or if it is one that was removed, and is gone. So a read that is older than the first step is no
// conflict, nor is a PATCH of which only a part is carried out yet.
func (u *update) look(s step) (now mappingsAre, changed []tfvalue.Value) {
	switch {
	case u.mustBelieve():
		return asAfter, nil
	case u.untold != nil || u.mappedAt.IsZero():
		return notTold, nil
	}
	key, start, remote := u.key(), u.mappingsOf(u.start.remote), u.mappingsOf(u.remote)
	isDone, changed := key.Ask(s.concerns, s.before, s.after, remote)
	left := key.NotDone(s.soFar, remote)
	isAllDone, sinceStart := key.Ask(s.concerns, start, key.After(start, u.start.Edit), remote)
	gone := key.Except(u.edited.Remove, remote.Elements())
	byOthers := key.Except(key.ExceptAnyCase(sinceStart, u.edited.Add), gone)
	switch {
	case (isDone || isAllDone) && left.IsEmpty():
		return asAfter, nil
	case isDone: // what the first step has added is missing
		return onTheWay, left.All()
	case len(changed) == 0:
		return asBefore, nil
	case len(byOthers) == 0:
		return onTheWay, changed
	default:
		return changedByOthers, byOthers
	}
}

// learn reads until the mappings that a step concerns are in one of some states, for up to 30 s.
func (u *update) learn(ctx context.Context, s step, ends ...mappingsAre) (now mappingsAre, changed []tfvalue.Value) {
	_ = u.readUntil(ctx, func(error) bool {
		now, changed = u.look(s)
		return slices.Contains(ends, now)
	})
	return now, changed
}

// updateMappings carries out the steps.
func (u *update) updateMappings(ctx context.Context) {
	for _, s := range u.steps() {
		if !u.diags.HasError() {
			u.carryOut(ctx, s)
		}
	}
}

// carryOut sends a step, and reads until it is done, or an error says why not. A table without its mapping is not replicated. So
// what only adds is sent once more if nobody knows what became of it: it undoes nothing. And an interrupt ends waits, but a
// removal that was sent is followed by its addition, each within one request_timeout.
func (u *update) carryOut(ctx context.Context, s step) {
	sending, stop := u.client.Outlast(ctx, !u.edited.IsEmpty())
	defer stop()
	reading, stop := u.client.Outlast(ctx, s.isFollowed)
	defer stop()
	content := Content{Leaves: tfvalue.Null(u.objectType), Edit: s.Edit}
	mayBeSent := func(ctx context.Context, failed error) bool { return u.mayStepBeSent(ctx, s, failed) }
	note := func(response tfvalue.Value) { u.noteStep(s, response) }
	for mayRepeat := len(s.Remove) == 0 && u.client.RetryTimeout > 0; ; mayRepeat = false {
		isSent, failed := u.send(sending, content, mayBeSent, note)
		if !isSent {
			u.endUnsent(sending, s, failed)
			return
		}
		now, changed := u.look(s)
		if !s.isFollowed || now != asAfter {
			now, changed = u.learn(reading, s, asAfter, changedByOthers)
		}
		if now != asBefore || failed == nil || !mayRepeat || ctx.Err() != nil {
			u.conclude(s, true, failed, now, changed)
			return
		}
	}
}

// mayStepBeSent allows an attempt of a step if the mappings are as before it. If the last response does not show that, or may be
// outdated, it reads. Otherwise, the step is done, or an error says why it is not sent.
func (u *update) mayStepBeSent(ctx context.Context, s step, failed error) bool {
	now, changed := u.look(s)
	if now != asBefore || !isFresh(u.mappedAt) {
		now, changed = u.learn(ctx, s, asBefore, asAfter, changedByOthers)
		if failed != nil {
			u.readAgain = u.mappedAt
		}
	}
	related := u.key().Related(u.mappingsOf(u.remote), s.All())
	if now == asBefore && len(related.OtherForms()) > 0 { // than Terraform's Unicode form, so it cannot be sent
		now, changed = changedByOthers, related.Elements()
	}
	if now != asBefore {
		u.conclude(s, false, failed, now, changed)
	}
	return now == asBefore
}

// noteStep notes that a PATCH has carried out a step, or may have. Its response is taken over only where another step follows,
// and it shows this one.
func (u *update) noteStep(s step, response tfvalue.Value) {
	u.edited = s.soFar
	if !u.isAccepted || !s.isFollowed {
		return
	}
	after := *u
	after.take(response)
	if now, _ := after.look(s); now == asAfter {
		*u = after
	}
}

// endUnsent ends a step that was not sent. If it was rejected, one read shows what it has changed: that may come half way.
func (u *update) endUnsent(ctx context.Context, s step, failed error) {
	if failed == nil {
		return // mayStepBeSent has said why
	}
	if !platform.AsError(failed).NothingDone() {
		u.mappedAt = time.Time{}
		_ = u.readUntil(ctx, func(error) bool { return true })
	}
	u.addRejected(s, failed)
	u.noteHalfRemoved(s, failed)
}

// conclude ends a step that is done, or else reports why it is not.
func (u *update) conclude(s step, isSent bool, failed error, now mappingsAre, changed []tfvalue.Value) {
	switch now {
	case asAfter:
		u.edited = s.soFar
		return
	case changedByOthers:
		u.addConflict("Table mappings changed during the apply: "+u.start.Label, changed, join(u.stopped(failed)+". Plan again.", conn.Detail(failed)), u.diags)
	case notTold:
		u.mappedAt = time.Time{}
		u.addUnread(failed, u.untold, isSent && failed == nil)
	default:
		u.addNotShown(s, isSent, failed)
	}
	u.noteHalfRemoved(s, failed)
}

// noteHalfRemoved notes what a PATCH that was rejected has removed all the same, as far as is known. A mapping that is there, and
// excludes all that it did, was not removed.
func (u *update) noteHalfRemoved(s step, failed error) {
	if failed == nil || platform.AsError(failed).Ambiguous || platform.AsError(failed).NothingDone() {
		return
	}
	there := u.key().Group(u.mappingsOf(u.remote).Elements())
	u.edited.Remove = append(slices.Clone(u.edited.Remove), slices.DeleteFunc(slices.Clone(s.Remove), func(was tfvalue.Value) bool {
		return !u.mappedAt.IsZero() && slices.ContainsFunc(there[u.key().Of(was)], func(now tfvalue.Value) bool { return len(Uncovered(now, was)) == 0 })
	})...)
}

// mustBelieve reports whether the last PATCH of the mappings was accepted, and no response has ever returned them. Some platforms
// may never do.
func (u *update) mustBelieve() bool {
	return !u.edited.IsEmpty() && u.isAccepted && u.untold == nil && u.mappingsOf(u.start.returned).IsNull() && u.mappingsOf(u.returned).IsNull()
}
