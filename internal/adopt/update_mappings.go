package adopt

import (
	"cmp"
	"context"
	"slices"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// The mappings are changed in up to three steps of one PATCH each: what is replaced is removed, all is added, and the rest is
// removed. A read follows each: what a response to a PATCH says of the mappings is not believed.

// step is one PATCH of the mappings.
type step struct {
	tfvalue.Edit
	before, after tfvalue.Value // the mappings around it
	isFollowed    bool          // by the addition of what replaces what it removes
	isRescue      bool
}

func (u *update) steps() (all []step) {
	before := u.mappingsOf(u.start.remote)
	for i, edit := range u.key().Steps(u.start.Edit) {
		after := u.key().After(before, edit)
		if !edit.IsEmpty() {
			all = append(all, step{edit, before, after, i == 0, false})
		}
		before = after
	}
	return all
}

// mayBeNone reports whether a response that omits the mappings says that there are none. Once some were sent, it does if
// there are none before a step, or after one.
func (u *update) mayBeNone() bool {
	return u.edited.IsEmpty() || slices.ContainsFunc(u.steps(), func(s step) bool { return s.before.IsEmpty() || s.after.IsEmpty() })
}

// isBefore reports whether the mappings of the change, and those related to them, are as before a step, so that it may be
// sent. One in another Unicode form than Terraform's cannot be sent, and nothing is added in place of what others have
// changed meanwhile: a removal that was late took away a column that they had just excluded.
func (u *update) isBefore(s step) bool {
	hasOwnForm := len(u.key().Related(u.mappingsOf(u.remote), s.All()).OtherForms()) == 0
	return u.isAs(s.before) && hasOwnForm && len(u.key().Among(s.Add, u.foreign)) == 0
}

// isAfter reports whether they are as after a step, or after the whole change.
func (u *update) isAfter(s step) bool { return u.isAs(s.after) || u.isAs(u.mappingsOf(u.start.wanted)) }

// isAs reports whether they are as in a set, by a read since the last PATCH.
func (u *update) isAs(set tfvalue.Value) bool {
	return !u.mappedAt.IsZero() && len(u.key().Changed(u.start.Edit.All(), set, u.mappingsOf(u.remote))) == 0
}

// updateMappings carries out the steps, until one is not done.
func (u *update) updateMappings(ctx context.Context) {
	for _, s := range u.steps() {
		u.waited = 0
		isSent, failed := u.carryOut(ctx, s)
		if !u.isAfter(s) && !u.mappedAt.IsZero() {
			isSent, failed = u.rescue(ctx, s, isSent, failed)
		}
		if !u.isAfter(s) {
			u.addNotDone(s, isSent, failed)
			return
		}
	}
}

// carryOut sends a step once the mappings are as before it, and reads until it is done, each for up to 30 s. An interrupt
// ends waits, but a removal that was sent is followed by the addition of what replaces it, each within one request_timeout.
func (u *update) carryOut(ctx context.Context, s step) (isSent bool, failed error) {
	sending, stop := u.client.Outlast(ctx, s.isRescue)
	defer stop()
	reading, stop := u.client.Outlast(ctx, s.isFollowed)
	defer stop()
	content := Content{Leaves: tfvalue.Null(u.objectType), Edit: s.Edit}
	isSent, failed = u.send(sending, content, func(ctx context.Context) bool { return u.makeReady(ctx, s) })
	switch {
	case isSent:
		_ = u.readUntil(reading, func(error) bool { return u.untold == nil && u.isAfter(s) })
	case failed != nil && !platform.AsError(failed).NothingDone(): // a rejection may come half way
		_ = u.readUntil(sending, isRead)
	}
	return isSent, failed
}

// makeReady reads until a step may be sent, and reports whether it may. It ends early if the step is done, if nothing is to
// be added any more, and, while nothing was sent, once a read shows anything else.
func (u *update) makeReady(ctx context.Context, s step) bool {
	isReady := func() bool { return u.isBefore(s) && isFresh(u.mappedAt) }
	if !isReady() {
		_ = u.readUntil(ctx, func(error) bool {
			isConflict := u.edited.IsEmpty() || len(u.key().Among(s.Add, u.foreign)) > 0
			return isReady() || u.untold == nil && (isConflict || u.isAfter(s))
		})
	}
	u.isUnready = !isReady()
	return !u.isUnready
}

// rescue adds what can still be added if a step is not done, since a table without its mapping is not replicated, and returns
// what then is true of the step. Nothing of it is related to a mapping that is otherwise than it should be.
func (u *update) rescue(ctx context.Context, s step, isSent bool, failed error) (bool, error) {
	key, now, add := u.key(), u.mappingsOf(u.remote), u.toRescue(ctx, s, failed)
	inTheWay := append(key.Only(now.Elements(), key.Changed(u.start.Edit.All(), u.mappingsOf(u.start.wanted), now)), u.foreign...)
	edit := tfvalue.Edit{Add: key.Except(add, append(key.Among(add, inTheWay), now.Elements()...))}
	if edit.IsEmpty() {
		return isSent, failed
	}
	if s.isLost(failed) {
		u.twice = append(u.twice, key.List(edit.Add))
	}
	if platform.AsError(failed).NothingDone() { // such as an interrupt
		failed = nil
	}
	last := step{Edit: edit, before: now, after: key.After(now, edit), isRescue: true}
	isOpen, again := u.carryOut(ctx, last)
	return isSent || isOpen && !u.isAfter(last), cmp.Or(again, failed)
}

// toRescue are the mappings that replace one that is gone and that were not sent; or once more those of an addition of which
// nobody knows what became, which undoes nothing. What was rejected as a whole, or as nothing, would be rejected again.
func (u *update) toRescue(ctx context.Context, s step, failed error) []tfvalue.Value {
	gone := u.key().Except(u.edited.Remove, u.mappingsOf(u.remote).Elements())
	replacing := u.key().Except(u.key().Among(u.start.Edit.Add, gone), u.edited.Add)
	if s.isLost(failed) && ctx.Err() == nil && u.client.RetryTimeout > 0 {
		return s.Add
	}
	isRejected := failed != nil && !u.isUnready && ctx.Err() == nil
	if isRejected && (platform.AsError(failed).NothingDone() || len(replacing) == len(s.Add)) {
		return nil
	}
	return replacing
}

// isLost reports whether nobody knows what became of a step that only adds.
func (s step) isLost(failed error) bool { return len(s.Add) > 0 && platform.AsError(failed).Ambiguous }
