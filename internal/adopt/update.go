package adopt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// update updates one object. What it sends is decided at its beginning, in at most two steps of one
// PATCH each. Afterwards it only sends, reads, waits, or stops: the API document does not say whether a
// PATCH resets what it omits, whether a response is new, or whether a request that failed has ended, and
// others write, too.
//
//	carryOut       one step
//	  send         attempts, each of which guard has to allow
//	  settle       reads after an attempt on the mappings whose outcome is not known
//	  await        reads until the platform shows what was sent
type update struct {
	known
	change reviewed

	// sent are the leaves, and edited the mappings, that PATCHes have changed, or may have. pending are
	// those of the leaves for which the update still waits.
	sent, pending tfvalue.Value
	edited        tfvalue.Edit
	// lost is the error of a PATCH whose leaves may have arrived all the same, and are not sent again.
	lost error
	// unconfirmed are the paths of what the platform accepted and does not return.
	unconfirmed []string
}

// step is one PATCH of an update.
type step struct {
	Patch
	isSecond, isLast bool
	// before and after are the mappings around the step. guard asks about those that are related to concerns.
	// soFar is what this step and the one before it change.
	before, after tfvalue.Value
	concerns      []tfvalue.Value
	soFar         tfvalue.Edit
}

func newUpdate(r reviewed) *update {
	u := &update{known: r.read, change: r, sent: tfvalue.Null(r.read.objectType), pending: tfvalue.Null(r.read.objectType)}
	u.memory = u.remembered()
	return u
}

// steps are the PATCHes of the change that have something to send.
func (u *update) steps() []step {
	before, whole := u.mappingsOf(u.change.Remote), u.change.Edit
	first, later := u.key().InTwo(whole)
	between, after := u.key().After(before, first), u.key().After(before, whole)
	one := step{isLast: len(later) == 0, before: before, after: between, concerns: whole.All(), soFar: first}
	one.Patch = Patch{Leaves: u.change.Leaves, Edit: first}
	two := step{isSecond: true, isLast: true, before: between, after: after, concerns: later, soFar: whole}
	two.Patch = Patch{Leaves: tfvalue.Null(u.objectType), Edit: tfvalue.Edit{Add: later}}
	return slices.DeleteFunc([]step{one, two}, func(s step) bool { return s.IsEmpty() })
}

// run carries out the change. If nothing differs, it sends no PATCH. After an error, too, remote is
// the object as far as it is known.
func (u *update) run(ctx context.Context, diags *diag.Diagnostics) {
	for _, s := range u.steps() {
		if !u.carryOut(ctx, s, diags) {
			break
		}
	}
	u.report(diags)
}

// carryOut sends one PATCH until its outcome is known, waits until the platform shows it, and
// reports whether the update may go on.
func (u *update) carryOut(ctx context.Context, s step, diags *diag.Diagnostics) (ok bool) {
	err := u.send(ctx, s)
	mayResend := func() bool { return u.client.RetryTimeout > 0 && ctx.Err() == nil }
	longer, stop := u.outlast(ctx, !s.isLast)
	defer stop()
	switch {
	case err == nil:
	case !platform.AsError(err).Ambiguous:
		u.lookForHalf(longer, s, err)
	case !s.Edit.IsEmpty():
		err = u.settle(longer, s, err, mayResend)
	}
	if isUnreadable := platform.AsError(err).Status/100 == 2; isUnreadable { // a success, but perhaps not the API's
		u.lost = err
	} else if err != nil {
		u.addFailed(s, err, diags)
		return false
	}
	return u.await(longer, s, diags)
}

// outlast returns a context that ends one request_timeout after the given one. An interrupt ends what is
// still to be sent, but half of what was approved is a table that nobody replicates: a removal that was sent is
// followed by its addition.
func (u *update) outlast(ctx context.Context, isNeeded bool) (longer context.Context, stop func()) {
	if !isNeeded {
		return ctx, func() {}
	}
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() {
		time.AfterFunc(u.client.RequestTimeout, func() { cancel(context.Cause(ctx)) })
	})
	return longer, func() {
		unhook()
		cancel(nil)
	}
}

// send sends the PATCH of a step, as often as it takes, until the platform has accepted it, or a read shows that
// nothing is left to be sent.
func (u *update) send(ctx context.Context, s step) error {
	ctx, stop := u.outlast(ctx, len(u.edited.Remove) > 0)
	defer stop()
	ctx, call, err := u.Begin(ctx, u.client, u.id)
	if err != nil {
		return err
	}
	defer call.End()
	var failed error // of the last attempt
	for again := true; again; failed = cmp.Or(err, failed) {
		isDone, because := u.guard(ctx, s, failed != nil && platform.AsError(err).Status != http.StatusTooManyRequests)
		switch {
		case because != nil:
			return stopped{failed, because}
		case isDone && !u.isLeft(s):
			u.sent, u.edited = s.Leaves.Merge(u.sent), s.soFar
			return nil
		case isDone:
			s.Edit = tfvalue.Edit{}
		}
		again, err = u.attempt(ctx, call, s)
	}
	return err
}

// isLeft reports whether the platform does not have the leaves of a step.
func (u *update) isLeft(s step) bool { return u.Rules.Changes(s.Leaves, u.remote).AnyLeaf() }

// attempt sends the PATCH of a step once, and reports whether to try again.
func (u *update) attempt(ctx context.Context, call Call, s step) (again bool, err error) {
	carried, asOf := u.carries(s)
	s.Carried = carried
	patch := platform.Patch{Leaves: paths(s.All().Leaves()), NonIdempotent: !s.Edit.IsEmpty(), AsOf: asOf}
	if patch.NonIdempotent {
		patch.Leaves = append(patch.Leaves, u.Mappings.String())
	}
	if patch.Body, err = u.Body(u.change.Change, s.Patch); err != nil {
		return false, fmt.Errorf("reading the plan: %w", err)
	}
	response := tfvalue.Null(u.objectType)
	again, err = call.Send(ctx, patch, u.Rules.Into(&response))
	isAccepted := err == nil && !again
	if isAccepted || platform.AsError(err).Ambiguous {
		u.record(s, isAccepted)
	}
	if isAccepted {
		_, _ = u.see(s, response, false)
	}
	return again, err
}

// carries returns the leaves that a step carries, as the steps have sent them or the platform has them, and
// when the platform returned what its PATCH is based on: zero if that is nothing, since leaves are sent as planned.
func (u *update) carries(s step) (leaves tfvalue.Value, asOf time.Time) {
	leaves = u.carried(u.change, s.Leaves, u.sent.Merge(u.remote))
	switch {
	case !s.Edit.IsEmpty():
		asOf = u.mappedAt
	case leaves.AnyLeaf():
		asOf = u.readAt
	}
	return leaves, asOf
}

// record remembers a PATCH that was carried out, or may have been. What was accepted counts as stored until
// the platform shows something else. What is not known to have arrived keeps its value: the next apply
// sends it again.
func (u *update) record(s step, isAccepted bool) {
	u.sent, u.pending = s.Leaves.Merge(u.sent), s.Leaves.Merge(u.pending)
	u.edited, u.mappedAt, u.omitted, u.returned = s.soFar, time.Time{}, nil, tfvalue.Null(u.objectType)
	if isAccepted {
		u.remote = s.Leaves.Merge(u.remote)
	}
	if isAccepted && !s.Edit.IsEmpty() {
		u.remote = u.remote.With(u.key().After(u.mappingsOf(u.remote), s.Edit), u.Mappings...)
	}
}

// see takes over a response during a step, and reports whether it omits something for the first time. A pending leaf that
// it omits is as before. So are the mappings, with an error that says why, if it does not say which there are.
func (u *update) see(s step, object tfvalue.Value, isLook bool) (isDoubtful bool, err error) {
	was, mappedAt := u.remote, u.mappedAt
	isDoubtful = u.takeWith(object, u.key().After(u.mappingsOf(was), tfvalue.Edit{Add: s.Edit.Add}))
	for _, leaf := range u.leavesOf(u.pending) {
		if object.At(leaf.Path...).IsNull() && !leaf.Value.IsEmpty() {
			u.remote = u.remote.With(was.At(leaf.Path...), leaf.Path...)
		}
	}
	if u.Mappings == nil {
		return isDoubtful, nil
	}
	if why := u.unknownIn(object, s.Edit.IsEmpty() || u.mayBeEmpty(s, isLook)); why != "" {
		u.remote, u.mappedAt = u.remote.With(u.mappingsOf(was), u.Mappings...), mappedAt
		return isDoubtful, untold(strings.TrimSuffix(why, "."))
	}
	now := u.mappingsOf(u.returned)
	if u.mappingsOf(object).IsNull() {
		now = tfvalue.Null(now.Type())
	}
	u.remote, u.mappedAt = u.remote.With(now, u.Mappings...), u.readAt
	return isDoubtful, nil
}

// mayBeEmpty reports whether a response that omits the mappings means that there are none. After a step that adds some
// to none, it does only if the platform returned them at the beginning: another platform may never return them.
func (u *update) mayBeEmpty(s step, isLook bool) bool {
	return s.after.IsEmpty() || s.before.IsEmpty() && (isLook || !u.mappingsOf(u.change.read.returned).IsNull())
}

// guard allows an attempt of a PATCH that changes mappings if those that it concerns are as they were
// before the step, or isDone if they are as it makes them. Otherwise somebody else has changed them, and nothing more
// is sent. It asks of what the platform returned last, or of a new read if that is too old or an attempt has failed
// other than by a 429 (again), which also renews what the PATCH carries.
func (u *update) guard(ctx context.Context, s step, again bool) (isDone bool, err error) {
	_, asOf := u.carries(s)
	if asOf.IsZero() && s.Edit.IsEmpty() {
		return false, nil
	}
	if !again && time.Since(asOf) < platform.MaxAge {
		if isDone, err = u.ask(s); err == nil {
			return isDone, nil
		}
	}
	return u.lookOn(ctx, s, false)
}

// lookOn looks until the answer counts, for up to 30 s. A read in the second step may be older than the first PATCH, so
// a conflict counts only in the end. While it is not known what became of a PATCH (isLost), only "done" and a conflict
// count at once.
func (u *update) lookOn(ctx context.Context, s step, isLost bool) (isDone bool, err error) {
	for waiting := (wait{pause: firstPause}); ; {
		isDone, err = u.look(ctx, s)
		isPast := s.isSecond && errors.As(err, new(conflict)) && (!isLost || u.isAsAtFirst(s))
		isOpen := isLost && !isDone && (err == nil || errors.As(err, new(untold)))
		if !isPast && !isOpen || !waiting.next(ctx) {
			return isDone, err
		}
	}
}

// isAsAtFirst reports whether the mappings that the second step concerns are as before the first one.
func (u *update) isAsAtFirst(s step) bool {
	_, conflicts := u.key().Ask(s.concerns, u.mappingsOf(u.change.Remote), s.after, u.mappingsOf(u.remote))
	return len(conflicts) == 0
}

// look reads the object and asks the question of guard.
func (u *update) look(ctx context.Context, s step) (isDone bool, err error) {
	var unknown error
	if err := u.read(ctx, func(object tfvalue.Value) (isDoubtful bool) {
		isDoubtful, unknown = u.see(s, object, true)
		return isDoubtful || unknown != nil
	}); err != nil {
		return false, err
	}
	if unknown != nil && !s.Edit.IsEmpty() {
		return false, unknown
	}
	return u.ask(s)
}

// ask asks whether the mappings that a step concerns, all together, are as it makes them (isDone), or as they
// were. Otherwise the error is a conflict.
func (u *update) ask(s step) (isDone bool, err error) {
	if s.Edit.IsEmpty() {
		return false, nil
	}
	now := u.mappingsOf(u.remote)
	isDone, conflicts := u.key().Ask(s.concerns, s.before, s.after, now)
	if concerned := u.key().Related(now, s.Edit.All()); !isDone && len(concerned.OtherForms()) > 0 {
		conflicts = concerned.Elements()
	}
	if len(conflicts) > 0 {
		return false, conflict(conflicts)
	}
	return isDone, nil
}

// conflict is the error of mappings that are neither as they were nor as the update makes them. They
// are as they are now, or were before.
type conflict []tfvalue.Value

func (conflict) Error() string { return "the table mappings have changed" }

// untold is the error of a response that does not say which mappings there are.
type untold string

func (u untold) Error() string { return string(u) }

// stopped is the error of a step that was given up after an attempt, nil if there was none. It does not unwrap to
// the attempt, because what stopped the step is what counts.
type stopped struct{ attempt, because error }

func (s stopped) Error() string { return s.because.Error() }

// settle finds out what became of a step on the mappings whose last attempt may still be carried out. It only
// reads, for up to 30 s, until the step is done, or somebody else has changed the mappings. Leaves are then sent
// again, since they are absolute, or counted as lost if the provider does not retry or the user has interrupted it. A
// removal is never sent again: the platform may carry out the first one later, and remove what was added since. What
// only adds is sent once more: it undoes nothing, and a table without its mapping is not replicated.
func (u *update) settle(ctx context.Context, s step, lost error, mayResend func() bool) error {
	for mayAdd := len(s.Edit.Remove) == 0; ; mayAdd = false {
		isDone, err := u.lookOn(ctx, s, true)
		switch {
		case err != nil:
			if !errors.As(err, new(conflict)) {
				u.mappedAt = time.Time{}
			}
			return stopped{lost, err}
		case isDone && !u.isLeft(s):
			return nil
		case isDone && !mayResend():
			u.lost = lost
			return nil
		case isDone:
			s.Edit = tfvalue.Edit{}
			return u.send(ctx, s)
		case !mayAdd || !mayResend():
			return stopped{lost, errUndone}
		}
		if lost = u.send(ctx, s); !platform.AsError(lost).Ambiguous {
			return lost
		}
	}
}

// lookForHalf reads once after a PATCH that failed and that the platform may have carried out by half,
// unless the update has stopped at a read. What it removes may be gone.
func (u *update) lookForHalf(ctx context.Context, s step, err error) {
	stop, isStop := err.(stopped) //nolint:errorlint // it is never wrapped
	if isStop {
		err = stop.attempt
	}
	if len(s.Edit.Remove) == 0 || platform.AsError(err).NothingDone() {
		return
	}
	u.edited.Remove = s.Edit.Remove
	if !isStop {
		u.mappedAt = time.Time{}
		_, _ = u.look(ctx, s)
	}
}

// await reads until the platform shows a step, for up to 30 s, and once more if a response leaves a doubt. It reports
// whether the update may go on.
func (u *update) await(ctx context.Context, s step, diags *diag.Diagnostics) (ok bool) {
	isDoubtful := u.isInDoubt(s)
	for waiting := (wait{}); isDoubtful || u.isBehind(s) && waiting.next(ctx); {
		waiting.pause = max(waiting.pause, firstPause)
		response := tfvalue.Null(u.objectType)
		if err := u.Read(ctx, u.client, u.id, u.Rules.Into(&response)); err != nil {
			if !s.isLast || len(u.notDone().Add) > 0 {
				u.mappedAt = time.Time{}
			}
			u.pending = u.unshown()
			u.addReadFailed(err, diags)
			u.addNotArrived(diags)
			return false
		}
		wasDoubtful := isDoubtful
		isDoubtful, _ = u.see(s, response, false)
		isDoubtful = isDoubtful && s.isLast && !wasDoubtful
	}
	left := u.notDone()
	if !left.IsEmpty() {
		u.addNotDone(s, left, diags)
	}
	switch u.pending = u.unshown(); {
	case !s.isLast:
		return left.IsEmpty()
	case u.lost != nil:
		return !u.addNotArrived(diags)
	}
	for _, leaf := range u.leavesOf(u.pending) {
		if u.isStored(leaf) {
			u.unconfirmed = append(u.unconfirmed, leaf.Path.String())
		} else {
			u.addNotShown(leaf, diags)
		}
	}
	if !u.edited.IsEmpty() && u.mappedAt.IsZero() {
		u.unconfirmed = append(u.unconfirmed, u.Mappings.String())
	}
	return left.IsEmpty()
}

// unshown are the pending leaves that no response has shown since they were sent.
func (u *update) unshown() tfvalue.Value {
	left := u.pending
	for _, leaf := range u.leavesOf(left) {
		if u.isStored(leaf) && (leaf.Value.IsEmpty() || !u.returned.At(leaf.Path...).IsNull()) {
			left = left.Without(leaf.Path...)
		}
	}
	return left
}

// isStored reports whether the platform has a leaf, as far as is known.
func (u *update) isStored(leaf tfvalue.Leaf) bool {
	now := u.remote.At(leaf.Path...)
	return now.IsNull() && leaf.Value.IsEmpty() || u.Rules.Confirms(leaf.Name(), leaf.Value, u.Rules.Fill(leaf.Name(), now))
}

// isBehind reports whether the platform shows something else than a step has sent. Before the last step, only mappings
// are worth a wait: a slow leaf must not leave a table without its mapping for longer.
func (u *update) isBehind(s step) bool {
	isLate := func(leaf tfvalue.Leaf) bool { return !u.isStored(leaf) }
	return !u.notDone().IsEmpty() || s.isLast && slices.ContainsFunc(u.leavesOf(u.pending), isLate)
}

// isInDoubt reports whether one more read can change what is known after a PATCH: a response may omit anything once, or
// show as changed what is not, and credentials alone are confirmed by none.
func (u *update) isInDoubt(s step) bool {
	isOmitted := func(leaf tfvalue.Leaf) bool { return !leaf.Value.IsEmpty() && u.returned.At(leaf.Path...).IsNull() }
	isDrifted := func(leaf tfvalue.Leaf) bool { return u.owns(leaf.Path) }
	switch {
	case u.ownsMappings() && u.mappedAt.IsZero():
		return true
	case !s.isLast:
		return false
	case u.edited.IsEmpty() && !u.verifiable(s.Leaves).AnyLeaf(), len(u.driftedMappings()) > 0:
		return true
	default:
		return slices.ContainsFunc(u.leavesOf(u.base()), isOmitted) || slices.ContainsFunc(u.drifted(), isDrifted)
	}
}

// base is the object as it was returned at the beginning, with what was sent since.
func (u *update) base() tfvalue.Value { return u.sent.Merge(u.change.read.returned) }

// notDone is what the mappings do not have yet of what was sent, as far as is known.
func (u *update) notDone() tfvalue.Edit {
	if u.mappedAt.IsZero() || !u.ownsMappings() {
		return tfvalue.Edit{}
	}
	return u.key().NotDone(u.edited, u.mappingsOf(u.remote))
}

// ownsMappings and owns report whether the update manages the mappings, or a leaf.
func (u *update) ownsMappings() bool        { return !u.mappingsOf(u.change.wanted).IsNull() }
func (u *update) owns(at tfvalue.Path) bool { return !u.change.wanted.At(at...).IsNull() }

// leavesOf are the leaves that a response can show one by one, so neither the identifiers nor
// managed mappings.
func (u *update) leavesOf(object tfvalue.Value) []tfvalue.Leaf {
	return slices.DeleteFunc(u.verifiable(object).Leaves(), func(leaf tfvalue.Leaf) bool {
		return slices.Contains(u.identifiers(), leaf.Path[0]) || u.isMappings(leaf.Path) && u.ownsMappings()
	})
}

// drifted returns the leaves, as they were at the beginning or were sent, that are no longer the same. A leaf that is
// still to be sent, or to be shown, is none of them.
func (u *update) drifted() []tfvalue.Leaf {
	due := u.change.Leaves.Merge(u.pending)
	return slices.DeleteFunc(u.leavesOf(u.base()), func(leaf tfvalue.Leaf) bool {
		isSent := !u.sent.At(leaf.Path...).IsNull() && u.pending.At(leaf.Path...).IsNull()
		return !isSent && !due.At(leaf.Path...).IsNull() || u.isMappings(leaf.Path) && u.mappedAt.IsZero() || u.isStored(leaf)
	})
}

// driftedMappings are the managed mappings, as they were, that are no longer the same although no step has changed them.
func (u *update) driftedMappings() []tfvalue.Value {
	if !u.ownsMappings() || u.change.read.mappedAt.IsZero() {
		return nil
	}
	drifted := u.key().Difference(u.mappingsOf(u.remote), u.mappingsOf(u.change.Remote)).Remove
	return u.key().Except(drifted, u.change.Edit.All())
}
