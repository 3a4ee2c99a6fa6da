package adopt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// update updates one object. What it changes is decided at its beginning, in at most two steps of one
// PATCH each. Afterwards it only sends, reads, waits, or stops: the API document does not say whether a
// PATCH resets what it omits, whether a response is new, or whether a request that failed has ended, and
// others write, too.
//
//	carryOut       one step
//	  send         attempts, each of which guard has to allow
//	  findOutcome  reads after an attempt on the mappings whose outcome is not known
//	  await        reads until the platform shows what was sent
type update struct {
	known
	// start is what is to be done, as reviewed at the beginning: its Remote, returned and mappedAt are of then.
	start reviewed

	// sent is what PATCHes have changed, or may have, or a read has found as planned. pending are those of its leaves that no
	// response has shown since.
	sent    Patch
	pending tfvalue.Value
	// last is what the last attempt of a step has sent, and failed its error. lost is that of a PATCH whose leaves may have
	// arrived all the same: the next apply sends those that no response shows.
	last         Patch
	failed, lost error
	// unclear says why it is not known after the last response which mappings there are.
	unclear error
}

// step is one PATCH of an update, with all of its attempts.
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
	nothing := tfvalue.Null(r.objectType)
	u := &update{known: r.known, start: r, sent: Patch{Leaves: nothing}, pending: nothing}
	u.memory = u.remembered()
	return u
}

// steps are the PATCHes of the change that have something to send.
func (u *update) steps() []step {
	before, whole := u.mappingsOf(u.start.Remote), u.start.Edit
	first, later := u.key().InTwo(whole)
	between, after := u.key().After(before, first), u.key().After(before, whole)
	one := step{Patch: Patch{Leaves: u.start.Leaves, Edit: first}, isLast: len(later) == 0, before: before, after: between, concerns: whole.All(), soFar: first}
	two := step{isSecond: true, isLast: true, before: between, after: after, concerns: later, soFar: whole}
	two.Patch = Patch{Leaves: tfvalue.Null(u.objectType), Edit: tfvalue.Edit{Add: later}}
	return slices.DeleteFunc([]step{one, two}, func(s step) bool { return s.IsEmpty() })
}

// run carries out the change. If nothing differs, it sends no PATCH. After an error, too, remote is
// the object as far as it is known.
func (u *update) run(ctx context.Context, diags *diag.Diagnostics) {
	var last step
	var err error
	for _, last = range u.steps() {
		if err = u.carryOut(ctx, last); err != nil || !u.compare().notDone.IsEmpty() {
			break
		}
	}
	u.report(last, err, diags)
}

// carryOut sends one PATCH until its outcome is known, and waits until the platform shows it. An interrupt ends what is
// still to be sent, but half of what was approved is a table that nobody replicates: a removal that was sent is followed by
// its addition, within one request_timeout.
func (u *update) carryOut(ctx context.Context, s step) error {
	err := u.send(ctx, s)
	longer, stop := u.client.Outlast(ctx, !s.isLast)
	defer stop()
	switch {
	case err == nil:
	case !platform.AsError(err).Ambiguous:
		u.readRejected(longer, s, err)
	case !u.last.Edit.IsEmpty():
		err = u.findOutcome(ctx, longer, s)
	}
	if errors.Is(err, u.failed) && platform.AsError(err).Status/100 == 2 { // a success, but perhaps not the API's
		u.lost, err = err, nil
	}
	if err != nil {
		return err
	}
	return u.await(longer, s)
}

// send sends the PATCH of a step, as often as it takes, until the platform has accepted it, or a read shows that
// nothing is left to be sent. Its error is failed, or else why nothing more was sent.
func (u *update) send(ctx context.Context, s step) error {
	ctx, stop := u.client.Outlast(ctx, s.isSecond)
	defer stop()
	ctx, call := u.Begin(ctx, u.client, u.id)
	defer call.End()
	u.last, u.failed = Patch{}, nil
	for again := true; again; {
		isDone, err := u.guard(ctx, s)
		switch {
		case err != nil:
			return err
		case isDone:
			u.sent.Edit, s.Edit = s.soFar, tfvalue.Edit{}
			if !u.lacks(s) {
				u.sent.Leaves = s.Leaves.Merge(u.sent.Leaves)
				return nil
			}
		}
		if again, err = u.attempt(ctx, call, s); err != nil || !again {
			u.failed = err
		}
	}
	return u.failed
}

// lacks reports whether the platform does not have the leaves of a step.
func (u *update) lacks(s step) bool { return u.Rules.Changes(s.Leaves, u.remote).AnyLeaf() }

// attempt sends the PATCH of a step once, and reports whether to try again. What is not known to have arrived keeps its
// value: the next apply sends it again.
func (u *update) attempt(ctx context.Context, call Call, s step) (again bool, err error) {
	carried, asOf := u.carries(s)
	s.Carried = carried
	u.last = s.Patch
	patch := platform.Patch{
		Leaves: tfvalue.Paths(s.All().Leaves()), NonIdempotent: !s.Edit.IsEmpty(), AsOf: asOf, Body: u.Body(u.start.Change, s.Patch),
	}
	if patch.NonIdempotent {
		patch.Leaves = append(patch.Leaves, u.Mappings.String())
	}
	response := tfvalue.Null(u.objectType)
	again, err = call.Send(ctx, patch, u.Rules.Into(&response))
	isAccepted := err == nil && !again
	if !isAccepted && !platform.AsError(err).Ambiguous {
		return again, err
	}
	u.sent, u.pending = Patch{Leaves: s.Leaves.Merge(u.sent.Leaves), Edit: s.soFar}, s.Leaves.Merge(u.pending)
	u.mappedAt, u.returned = time.Time{}, tfvalue.Null(u.objectType)
	if isAccepted { // and counts as stored until the platform shows something else
		u.remote = s.Leaves.Merge(u.remote)
		if !s.Edit.IsEmpty() {
			u.remote = u.remote.With(u.key().After(u.mappingsOf(u.remote), s.Edit), u.Mappings...)
		}
		u.takeInStep(s, response)
	}
	return again, err
}

// carries returns the leaves that a step carries, as the steps have sent them or the platform has them, and
// when the platform returned what its PATCH is based on: zero if that is nothing, since leaves are sent as planned.
func (u *update) carries(s step) (leaves tfvalue.Value, asOf time.Time) {
	leaves = u.carried(u.start, s.Leaves, u.sent.Leaves.Merge(u.remote))
	switch {
	case !s.Edit.IsEmpty():
		asOf = u.mappedAt
	case leaves.AnyLeaf():
		asOf = u.readAt
	}
	return leaves, asOf
}

// takeInStep takes over a response during a step, and reports whether it is doubtful. If it does not say which mappings
// there are, they stay as before, and unclear says why.
func (u *update) takeInStep(s step, object tfvalue.Value) (isDoubtful bool) {
	was, mappedAt, wasClear := u.mappingsOf(u.remote), u.mappedAt, u.unclear == nil
	u.mappedAt = time.Time{}
	isDoubtful = u.merge(object, u.key().After(was, tfvalue.Edit{Add: s.Edit.Add}), u.pending)
	if u.Mappings == nil {
		return isDoubtful
	}
	omitsSome := u.mappedAt.IsZero()
	if u.unclear = u.unknownIn(object, u.mayBeEmpty(s, was)); u.unclear != nil {
		u.remote, u.mappedAt = u.remote.With(was, u.Mappings...), mappedAt
		return isDoubtful || wasClear && !s.Edit.IsEmpty()
	}
	now := u.mappingsOf(u.returned)
	if u.mappingsOf(object).IsNull() {
		now = tfvalue.Null(now.Type())
	}
	u.remote, u.mappedAt = u.remote.With(now, u.Mappings...), u.readAt
	if omitsSome { // for the first time
		u.unclear = fmt.Errorf("the API did not return all of %s", u.Mappings)
	}
	return isDoubtful
}

// mayBeEmpty reports whether a response that omits the mappings may say that there are none: there were none. After a step
// that adds some to none, it does only if the platform returned them at the beginning: another platform may never return them.
func (u *update) mayBeEmpty(s step, was tfvalue.Value) bool {
	return s.Edit.IsEmpty() || was.IsEmpty() || s.after.IsEmpty() || s.before.IsEmpty() && !u.mappingsOf(u.start.returned).IsNull()
}

// readUntil reads during a step until isOver, for up to 30 s: at once, and then after longer and longer pauses.
func (u *update) readUntil(ctx context.Context, s step, isOver func() bool) error {
	for begun, pause := time.Now(), firstPause; ; pause = min(2*pause, maxPause) {
		err := u.readTwice(ctx, func(object tfvalue.Value) bool { return u.takeInStep(s, object) })
		left := maxWait - time.Since(begun)
		if err != nil || isOver() || left <= 0 {
			return err
		}
		select {
		case <-time.After(min(pause, left)):
		case <-ctx.Done(): // the next read fails
		}
	}
}

const (
	firstPause, maxPause = 500 * time.Millisecond, 5 * time.Second
	maxWait              = 30 * time.Second // of all pauses together
)

// guard allows an attempt of a PATCH. One that changes mappings may be sent if those that it concerns are as they were
// before the step, or isDone if they are as it makes them. Otherwise somebody else has changed them, and nothing more
// is sent. It asks of what the platform returned last, or of a new read if that is too old or an attempt has failed
// other than by a 429, which also renews what the PATCH carries.
func (u *update) guard(ctx context.Context, s step) (isDone bool, err error) {
	_, asOf := u.carries(s)
	if asOf.IsZero() && s.Edit.IsEmpty() {
		return false, nil
	}
	isFresh := u.failed == nil || platform.AsError(u.failed).Status == http.StatusTooManyRequests
	if isFresh && time.Since(asOf) < platform.MaxAge {
		if isDone, err = u.ask(s); err == nil {
			return isDone, nil
		}
	}
	return u.askUntil(ctx, s, false)
}

// askUntil reads and asks until the answer counts, for up to 30 s. A read in the second step may be older than the
// first PATCH, so a conflict counts only in the end. While it is not known what became of a PATCH (isOpen), only "done"
// and a conflict count at once.
func (u *update) askUntil(ctx context.Context, s step, isOpen bool) (isDone bool, err error) {
	unread := u.readUntil(ctx, s, func() bool {
		if isDone, err = u.ask(s); errors.As(err, new(conflict)) {
			_, changed := u.key().Ask(s.concerns, u.mappingsOf(u.start.Remote), s.after, u.mappingsOf(u.remote))
			return !s.isSecond || isOpen && len(changed) > 0 // and this is no read older than the first PATCH
		}
		return isDone || !isOpen
	})
	return isDone, cmp.Or(unread, err)
}

// ask asks whether the mappings that a step concerns, all together, are as it makes them (isDone), or as they
// were. Otherwise the error is a conflict, or unclear.
func (u *update) ask(s step) (isDone bool, err error) {
	switch {
	case s.Edit.IsEmpty():
		return false, nil
	case u.unclear != nil:
		return false, u.unclear
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

// findOutcome finds out what became of a step on the mappings whose last attempt may still be carried out. It only reads,
// for up to 30 s, until the step is done, or somebody else has changed the mappings. A removal is never sent again: the
// platform may carry out the first one later, and remove what was added since. What only adds is sent once more: it undoes
// nothing, and a table without its mapping is not replicated. longer ends later than ctx.
func (u *update) findOutcome(ctx, longer context.Context, s step) error {
	isDone, err := u.askUntil(longer, s, true)
	if err == nil && !isDone && len(s.Edit.Remove) == 0 && u.mayResend(ctx) {
		if err = u.send(ctx, s); !platform.AsError(err).Ambiguous {
			return err
		}
		isDone, err = u.askUntil(longer, s, true)
	}
	switch {
	case errors.As(err, new(conflict)):
		return err
	case err != nil:
		u.forgetMappings(s)
		return err
	case !isDone:
		return u.mayStillRun()
	default:
		return u.sendLacking(ctx, s)
	}
}

func (u *update) mayResend(ctx context.Context) bool {
	return u.client.RetryTimeout > 0 && ctx.Err() == nil
}

// sendLacking sends the leaves of a step whose mappings are done, if the platform lacks them: once more, since they are
// absolute. They count as lost if the provider does not retry, or the user has interrupted it.
func (u *update) sendLacking(ctx context.Context, s step) (err error) {
	if !u.lacks(s) {
		return nil
	}
	if u.mayResend(ctx) {
		if err = u.send(ctx, s); err == nil || u.mayResend(ctx) {
			return err
		}
	}
	u.lost = cmp.Or(u.failed, err)
	return nil
}

// readRejected follows a PATCH that failed and that the platform may have carried out by half: what it removes may be
// gone. It reads once, unless the update has just stopped at a read. A mapping that
// is there, and excludes all that it did, was not removed.
func (u *update) readRejected(ctx context.Context, s step, err error) {
	if len(u.last.Edit.Remove) == 0 || platform.AsError(u.failed).NothingDone() {
		return
	}
	if !errors.As(err, new(conflict)) {
		u.mappedAt = time.Time{}
	}
	if errors.Is(err, u.failed) {
		_ = u.readUntil(ctx, s, func() bool { return true })
	}
	there := u.key().Group(u.mappingsOf(u.remote).Elements())
	u.sent.Edit.Remove = slices.DeleteFunc(slices.Clone(u.last.Edit.Remove), func(was tfvalue.Value) bool {
		return !u.mappedAt.IsZero() && slices.ContainsFunc(there[u.key().Of(was)], func(now tfvalue.Value) bool { return len(uncovered(was, now)) == 0 })
	})
}

// await reads until the platform shows a step, for up to 30 s, and at all only if it does not yet, or a response
// leaves a doubt: it may omit anything once, or show as changed what is not. Before the last step, only the mappings are
// worth a wait: a slow leaf must not leave a table without its mapping for longer.
func (u *update) await(ctx context.Context, s step) (err error) {
	isOver := func() bool {
		is := u.compare()
		return is.notDone.IsEmpty() && (!s.isLast || len(is.late) == 0)
	}
	is := u.compare()
	isDoubtful := u.owns(u.Mappings) && u.mappedAt.IsZero() || s.isLast && (is.isDoubtful || len(u.omitted) > 0)
	if isDoubtful || !isOver() {
		err = u.readUntil(ctx, s, isOver)
	}
	u.pending = u.pending.WithoutAll(u.compare().shown)
	if err == nil {
		return nil
	}
	u.forgetMappings(s)
	return readFailed{err}
}

// forgetMappings forgets which mappings there are, if some are not there yet: they may be by now, but no read shows that.
func (u *update) forgetMappings(s step) {
	if notDone := u.compare().notDone; len(notDone.Add) > 0 || !s.isLast && !notDone.IsEmpty() {
		u.mappedAt = time.Time{}
	}
}

// readFailed is the error of a read after a PATCH that was accepted.
type readFailed struct{ error }

func (f readFailed) Unwrap() error { return f.error }

// comparison is how what the platform shows compares with what was sent, and with what was there.
type comparison struct {
	// Of the pending leaves, late are those that the platform has otherwise, unconfirmed those that no response has, and
	// shown are the others.
	late, unconfirmed []tfvalue.Leaf
	shown             []tfvalue.Path
	// drifted are leaves, as they were at the beginning or were shown, that are no longer the same, and of managed
	// mappings those that no step changes.
	drifted []tfvalue.Leaf
	// notDone is what the mappings do not have yet of what was sent, as far as is known.
	notDone tfvalue.Edit
	// isDoubtful reports that another response may show more: some of it is omitted, or a managed leaf has drifted.
	isDoubtful bool
}

func (u *update) compare() (is comparison) {
	for _, leaf := range u.leavesOf(u.sent.Leaves.Merge(u.start.returned)) {
		u.compareLeaf(&is, leaf)
	}
	if u.owns(u.Mappings) {
		u.compareMappings(&is)
	}
	is.isDoubtful = is.isDoubtful || slices.ContainsFunc(is.drifted, func(leaf tfvalue.Leaf) bool { return u.owns(leaf.Path) })
	return is
}

func (u *update) compareLeaf(is *comparison, leaf tfvalue.Leaf) {
	isPending := !u.pending.At(leaf.Path...).IsNull()
	isReturned := leaf.Value.IsEmpty() || !u.returned.At(leaf.Path...).IsNull()
	is.isDoubtful = is.isDoubtful || !isReturned
	switch isStored := u.isStored(leaf); {
	case isPending && !isStored:
		is.late = append(is.late, leaf)
	case isPending && !isReturned:
		is.unconfirmed = append(is.unconfirmed, leaf)
	case isPending:
		is.shown = append(is.shown, leaf.Path)
	case !isStored && !u.isUnsent(leaf):
		is.drifted = append(is.drifted, leaf)
	}
}

func (u *update) compareMappings(is *comparison) {
	key, was, now := u.key(), u.mappingsOf(u.start.Remote), u.mappingsOf(u.remote)
	switch {
	case !u.mappedAt.IsZero():
		is.notDone = key.NotDone(u.sent.Edit, now)
	case !u.sent.Edit.IsEmpty():
		is.unconfirmed = append(is.unconfirmed, tfvalue.Leaf{Path: u.Mappings})
	}
	gone := key.Except(key.Difference(now, was).Remove, u.start.Edit.All())
	if len(gone) > 0 && !u.start.mappedAt.IsZero() {
		is.drifted = append(is.drifted, tfvalue.Leaf{Path: u.Mappings, Value: key.Only(was, gone)})
	}
}

// isStored reports whether the platform has a leaf, as far as is known.
func (u *update) isStored(leaf tfvalue.Leaf) bool {
	return u.Rules.Confirms(leaf.Name(), leaf.Value, u.Rules.Fill(leaf.Name(), u.remote.At(leaf.Path...)))
}

// isUnsent reports whether a leaf is still to be sent.
func (u *update) isUnsent(leaf tfvalue.Leaf) bool {
	return u.sent.Leaves.At(leaf.Path...).IsNull() && !u.start.Leaves.At(leaf.Path...).IsNull()
}

// owns reports whether the configuration manages a leaf.
func (u *update) owns(at tfvalue.Path) bool { return at != nil && !u.start.wanted.At(at...).IsNull() }

// leavesOf are the leaves that a response can show one by one, so neither the identifiers nor
// managed mappings.
func (u *update) leavesOf(object tfvalue.Value) []tfvalue.Leaf {
	return slices.DeleteFunc(object.Leaves(), func(leaf tfvalue.Leaf) bool {
		return u.isNeverReturned(leaf.Path) || u.isMappings(leaf.Path) && u.owns(leaf.Path)
	})
}
