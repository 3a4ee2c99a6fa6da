package adopt

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// update updates one object and verifies each response. The API document does not say whether a
// PATCH resets what it omits, which fields a response has, or whether it shows the object as it
// was some seconds ago.
//
// run sends PATCHes until nothing is left to be sent. patch sends one; if that needs the set as it
// is now, it reads the object again before each further attempt (recheck). verify compares the
// response with what was sent, reads again while the platform may still show the past (await),
// and acts on the result (conclude).
type update struct {
	*Engine
	connection *conn.Connection
	id         Identity
	// change is the change as it was decided at the beginning, and memory is what private state
	// would remember of the read that it was decided on.
	change reviewed
	memory memory

	seen   seen
	leaves leafProgress
	set    setProgress // see set.go
}

// seen is what the platform has shown so far: take sets it after a PATCH, and recheck before an
// attempt.
type seen struct {
	// remote is the object as far as it is known, and returned what reads and responses have
	// returned of it.
	remote, returned tfvalue.Value
	// asOf is when the platform returned the keyed set that is in remote, zero if it is not known.
	asOf time.Time
}

// leafProgress is how far an update of the leaves has come. After a PATCH, judge sets records, and
// conclude what follows from them; before an attempt, follow sets wanted, to what others have
// changed.
type leafProgress struct {
	// wanted are the managed leaves as they have to be after the update, and sent are those that
	// any PATCH had.
	wanted, sent tfvalue.Value
	// records say what became of each leaf in the last PATCH; nil before the first one.
	records []record
	// late are the paths of leaves that were sent and are still as they were, and unreturned are
	// those of leaves that the platform accepted and does not return.
	late, unreturned []string
}

func (e *Engine) newUpdate(c *conn.Connection, id Identity, r reviewed, asOf time.Time, last memory) *update {
	return &update{
		Engine: e, connection: c, id: id, change: r, memory: e.rememberRead(r.Remote, r.read, last),
		seen:   seen{r.Remote, r.read, asOf},
		leaves: leafProgress{wanted: r.wanted, sent: tfvalue.Null(e.objectType)},
		set:    setProgress{base: r.Remote.At(e.KeyedSet...), want: r.wanted.At(e.KeyedSet...)},
	}
}

// maxRestores is the maximum number of PATCHes that restore what earlier ones have reset: the
// platform may reset the set with a PATCH of leaves, and leaves with a PATCH of the set.
const maxRestores = 2

// run changes the object to the wanted leaves. If none differs, it sends no PATCH. After an
// error, too, seen is up to date.
func (u *update) run(ctx context.Context, diags *diag.Diagnostics) {
	defer u.report(diags)
	next := Patch{Leaves: u.change.Leaves, Edit: u.step()}
	steps := 1
	if !u.stepAfter(next.Edit).IsEmpty() {
		steps = 2
	}
	for sent := 1; sent <= steps+maxRestores; sent++ {
		if !u.patch(ctx, next, diags) {
			return
		}
		if next = u.next(sent >= steps); next.IsEmpty() {
			return
		}
	}
	u.addReset(diags)
}

// next returns what is left to be sent after a PATCH: the next step of the set, and all managed
// leaves if the PATCH has reset one of them. After the steps of the change, a further step of the
// set restores elements. It has all leaves as well, because it may reset them.
func (u *update) next(restores bool) Patch {
	p := Patch{Leaves: tfvalue.Null(u.objectType), Edit: u.step()}
	if restores && !p.Edit.IsEmpty() || slices.ContainsFunc(u.leaves.records, func(r record) bool { return r.isReset() }) {
		p.Leaves = u.verifiable(u.leaves.wanted)
		if u.KeyedSet != nil {
			p.Leaves = p.Leaves.Without(u.KeyedSet...)
		}
	}
	return p
}

// patch sends one PATCH, as often as it takes, and reports whether another one may follow. The guard
// comes first, and again, with a new read, if the set may have changed. Leaves alone it never stops.
func (u *update) patch(ctx context.Context, p Patch, diags *diag.Diagnostics) (ok bool) {
	switch answer, conflicts := u.guard(p, u.seen.remote); answer {
	case tfvalue.Conflict:
		u.addConflict(conflict{u.KeyedSet, conflicts}, nil, diags)
		return false
	case tfvalue.Done:
		u.carriedOut(p.Edit, u.seen.remote)
		p.Edit = tfvalue.Edit{}
	}
	if p.IsEmpty() {
		return len(u.leaves.late) == 0 || u.verify(ctx, p, tfvalue.Null(u.objectType), false, diags)
	}
	callCtx, call, err := u.Begin(ctx, u.connection.Client, u.id, u.change.Config)
	if err != nil {
		diags.AddError("Cannot update "+u.Noun, conn.Detail(err))
		return false
	}
	defer call.End()
	needsSet := u.needsFreshSet(p)
	for again := u.seen.asOf.IsZero(); ; {
		if again && needsSet {
			left, read, err := u.recheck(callCtx, p, call)
			if err != nil {
				u.addFailed(p, call.Stop(callCtx, err), diags)
				return false
			}
			if left.IsEmpty() {
				return u.verify(ctx, Patch{Leaves: p.Leaves}, read, true, diags)
			}
			p, needsSet = left, u.needsFreshSet(left)
		}
		response := tfvalue.Null(u.objectType)
		if again, err = u.send(callCtx, call, p, needsSet, &response); again {
			continue
		}
		if err != nil {
			u.addFailed(p, err, diags)
			return false
		}
		return u.verify(ctx, p, response, false, diags)
	}
}

// send makes one attempt to send a PATCH.
func (u *update) send(ctx context.Context, call Call, p Patch, needsSet bool, response *tfvalue.Value) (again bool, err error) {
	patch := platform.Patch{Leaves: u.names(p)}
	if needsSet {
		patch.AsOf = u.seen.asOf
	}
	if patch.Body, err = u.Body(u.change.Change, p); err != nil {
		return false, fmt.Errorf("reading the plan: %w", err)
	}
	again, err = call.Send(ctx, patch, u.Rules.Into(response))
	*response = u.complete(*response, u.elements(p.Edit))
	return again, err
}

// undoneFor is how long reads have to show the object unchanged before an attempt without a
// response counts as not carried out: a single read may show the past.
const undoneFor = 10 * time.Second

// recheck reads the object again before an attempt, and returns what is left of a PATCH: all of it
// if the elements that it concerns are as they were; its leaves if the elements are as it makes
// them and a leaf differs; nothing if no leaf differs either. Anything else is an error. read is
// what the last read returned.
func (u *update) recheck(ctx context.Context, p Patch, call Call) (left Patch, read tfvalue.Value, err error) {
	ambiguous, past := call.IsAmbiguous(), u.seen.remote
	for waiting := (wait{}); ; {
		now, err := u.readAgain(ctx, p.Edit)
		if err != nil {
			return p, now.read, err
		}
		if u.seen.asOf.IsZero() && u.leaves.records != nil {
			u.carriedOut(tfvalue.Edit{}, now.remote) // no response has shown what the last PATCH did
		}
		answer, conflicts := u.guard(p, now.remote)
		u.seen.remote, u.seen.asOf = now.remote, now.asOf
		differs := u.Rules.Changes(p.Leaves, now.remote)
		switch {
		case answer == tfvalue.Conflict && u.isBeginning(now.remote) && waiting.next(ctx, maxLag):
			continue // the read may be older than the last PATCH
		case answer == tfvalue.Conflict:
			return p, now.read, conflict{u.KeyedSet, conflicts}
		case answer == tfvalue.Done:
			call.Resolve()
			u.carriedOut(p.Edit, now.remote)
			u.set.removed = append(u.set.removed, p.Edit.Remove...)
			if !differs.AnyLeaf() {
				p.Leaves = differs
			}
			return Patch{Leaves: p.Leaves}, now.read, nil
		case ambiguous && p.Edit.IsEmpty() && !u.verifiable(differs).AnyLeaf():
			u.carriedOut(tfvalue.Edit{}, now.remote) // as far as a read can show it
			return p, now.read, nil
		}
		u.follow(p, now, past)
		if ambiguous && !p.Edit.IsEmpty() && waiting.next(ctx, undoneFor) {
			continue
		}
		call.Resolve()
		return p, now.read, nil
	}
}

// follow takes over from a read before a PATCH what the PATCH does not have: others have changed
// it, and no PATCH has reset it. A leaf that was sent and is as it was stays wanted, because the
// read may show the past.
func (u *update) follow(p Patch, now observed, past tfvalue.Value) {
	u.seen.returned = now.read.Merge(u.seen.returned)
	for _, leaf := range u.verifiable(u.leaves.wanted).Leaves() {
		value := now.remote.At(leaf.Path...)
		if !u.isKeyedSet(leaf.Path) && p.Leaves.At(leaf.Path...).IsNull() && !u.isPast(leaf.Path, value, past) {
			u.leaves.wanted = u.leaves.wanted.With(value, leaf.Path...)
		}
	}
	remove, add := u.key().Difference(u.set.want, u.set.base)
	u.set.base = now.remote.At(u.KeyedSet...)
	u.set.want = u.key().Replace(u.set.base, remove, add)
}

// isPast reports whether a response may show the past value of a leaf: the leaf was sent, and this
// is its value from right before the last PATCH, or from the beginning of the update.
func (u *update) isPast(at tfvalue.Path, value, before tfvalue.Value) bool {
	name := at[len(at)-1]
	return !u.leaves.sent.At(at...).IsNull() && !value.IsNull() &&
		(u.Rules.Same(name, value, before.At(at...)) || u.Rules.Same(name, value, u.change.Remote.At(at...)))
}

// verify compares the response to a PATCH with what was sent, and reports whether another PATCH may
// follow. wasRead means that shown is no response but a read that left nothing to be sent.
func (u *update) verify(ctx context.Context, p Patch, shown tfvalue.Value, wasRead bool, diags *diag.Diagnostics) (ok bool) {
	u.leaves.sent = p.Leaves.Merge(u.leaves.sent)
	u.set.removed = append(u.set.removed, p.Edit.Remove...)
	isLast := u.stepAfter(p.Edit).IsEmpty()
	asOf := u.returnedAt(shown)
	u.judge(p, shown, asOf)
	isOpen := u.isLate(isLast) || !wasRead && u.isDoubtful(p)
	shown, asOf, err := u.await(ctx, p, shown, asOf, isOpen, isLast)
	u.take(p, shown, asOf)
	switch {
	case !u.ownsKeyedSet():
	case asOf.IsZero(): // not shown, so it counts as carried out
		u.set.base = u.key().After(u.set.base, p.Edit)
	default:
		u.absorb(p.Edit, u.seen.remote.At(u.KeyedSet...))
	}
	if err != nil {
		u.addUnreadable(err, diags)
		return false
	}
	return u.conclude(isLast, diags)
}

// maxLag is how long a response may show the past, without what was sent.
const maxLag = 30 * time.Second

// await reads the object until it shows a PATCH, if isOpen. One read decides what a response leaves in
// doubt, because a response may omit any leaf once, or show the object as it was before the PATCH.
// While what was sent is exactly as it was, more reads follow.
func (u *update) await(ctx context.Context, p Patch, shown tfvalue.Value, asOf time.Time, isOpen, isLast bool) (tfvalue.Value, time.Time, error) {
	for waiting, again := (wait{}), isOpen; again; again = u.isLate(isLast) && waiting.next(ctx, maxLag) {
		read, err := u.readOnce(ctx, u.connection.Client, u.id, u.elements(p.Edit))
		if err != nil {
			return shown, asOf, err
		}
		if slices.ContainsFunc(u.leaves.records, func(r record) bool { return r.verdict == storedOtherwise || r.isPast }) {
			shown = tfvalue.Null(u.objectType)
		}
		isDoubtful := slices.ContainsFunc(u.leaves.records, func(r record) bool { return r.doubtful && u.isKeyedSet(r.Path) })
		asOf = u.eitherReturnedAt(shown, read, asOf, isDoubtful)
		shown = read.Merge(shown)
		u.judge(p, shown, asOf)
	}
	return shown, asOf, nil
}

// isDoubtful reports whether a read can show more of a PATCH than its response, as it can if the
// PATCH has nothing that a response could confirm.
func (u *update) isDoubtful(p Patch) bool {
	return p.Edit.IsEmpty() && !u.verifiable(p.Leaves).AnyLeaf() ||
		slices.ContainsFunc(u.leaves.records, func(r record) bool { return r.doubtful })
}

// isLate reports whether to wait for what was sent. Before the last step of the set, only elements
// are worth it, and a leaf that another object of this run has waited for in vain never is.
func (u *update) isLate(isLast bool) bool {
	return slices.ContainsFunc(u.leaves.records, func(r record) bool {
		return r.isPast && (u.isKeyedSet(r.Path) || isLast && !u.connection.Ignored.Has(u.pathInRun(r.Path)))
	})
}

// wait is a wait with reads in between, after longer and longer pauses.
type wait struct {
	begun time.Time
	pause time.Duration
}

const firstPause, maxPause = 500 * time.Millisecond, 5 * time.Second

// next pauses until the next read, and reports whether to read again: all pauses together take no
// longer than most. If the context ends, so does the pause, and the next read fails.
func (w *wait) next(ctx context.Context, most time.Duration) bool {
	now := time.Now()
	if w.begun.IsZero() {
		w.begun, w.pause = now, firstPause
	}
	left := w.begun.Add(most).Sub(now)
	if left <= 0 {
		return false
	}
	select {
	case <-time.After(min(w.pause, left)):
	case <-ctx.Done():
	}
	w.pause = min(2*w.pause, maxPause)
	return true
}

// judge makes the records of all leaves that are managed, or were returned before.
func (u *update) judge(p Patch, shown tfvalue.Value, asOf time.Time) {
	u.leaves.records = []record{}
	for _, leaf := range u.verifiable(u.leaves.wanted.Merge(u.seen.returned)).Leaves() {
		if slices.Contains(u.identifiers(), leaf.Path[0]) {
			continue
		}
		r := record{
			Leaf:   tfvalue.Leaf{Path: leaf.Path, Value: u.seen.returned.At(leaf.Path...)},
			wanted: u.leaves.wanted.At(leaf.Path...),
			sent:   !p.Leaves.At(leaf.Path...).IsNull() || slices.Contains(u.leaves.late, leaf.Path.String()),
			now:    shown.At(leaf.Path...),
		}
		if u.isKeyedSet(leaf.Path) && u.ownsKeyedSet() {
			u.judgeSet(&r, p.Edit, asOf)
		} else {
			r.isPast = u.isPast(r.Path, r.now, u.seen.remote)
			r.judge(u.Rules)
		}
		u.leaves.records = append(u.leaves.records, r)
	}
}

// take updates what is known of the object, from what was sent and what was shown. If the response
// omits a leaf that the PATCH did not have, but has the object around it, the leaf counts as
// empty. Where that is wrong, because no read could follow, the next refresh corrects it. The last
// value would stay wrong for good on a platform that omits what is empty.
func (u *update) take(p Patch, shown tfvalue.Value, asOf time.Time) {
	always := func(tfvalue.Path) bool { return true }
	last := p.Leaves.Merge(u.seen.remote)
	if u.ownsKeyedSet() {
		last = last.With(u.key().After(u.set.base, p.Edit), u.KeyedSet...)
	}
	if u.KeyedSet != nil && asOf.IsZero() {
		shown = shown.Without(u.KeyedSet...)
	}
	remote, _ := u.Rules.Interpret(last, always, u.withIDs(shown, u.seen.remote))
	for _, r := range u.leaves.records {
		if (r.verdict == changedUnsent || r.verdict == storedOtherwise) && r.now.IsNull() && shown.At(r.Path[:len(r.Path)-1]...).IsObject() {
			remote = remote.With(r.now, r.Path...)
		}
	}
	u.seen = seen{remote: u.Rules.FillElements(remote), returned: shown.Merge(u.seen.returned), asOf: asOf}
}

// conclude acts on the verdicts on a PATCH, and reports whether another one may follow. If the
// platform stores a leaf otherwise, or does not show it yet, the elements that the next PATCH adds
// are still added. After the last step, a leaf that was never shown ends the update: what looks
// reset may be of the past, too.
func (u *update) conclude(isLast bool, diags *diag.Diagnostics) (ok bool) {
	ok = true
	u.leaves.late = nil
	for _, r := range u.leaves.records {
		if !r.now.IsNull() {
			u.leaves.unreturned = slices.DeleteFunc(u.leaves.unreturned, func(path string) bool { return path == r.Path.String() })
		}
		switch {
		case r.verdict == storedOtherwise && u.isKeyedSet(r.Path):
			ok = false
			u.addWrongElements(r, slices.Concat(u.set.outcome.Late, u.set.outcome.Wrong, u.set.outcome.Lost), diags)
		case r.verdict == storedOtherwise && r.isPast && !isLast:
			u.leaves.late = append(u.leaves.late, r.Path.String())
		case r.verdict == storedOtherwise && r.isPast:
			ok = false
			u.addNotShown(r, diags)
		case r.verdict == storedOtherwise:
			u.addStoredOtherwise(r, diags)
			u.leaves.wanted = u.leaves.wanted.With(r.now, r.Path...) // reported once
		case r.verdict == notReturned:
			// From now on it counts as never returned.
			if !u.gaveUp(r.Path) {
				u.leaves.unreturned = append(u.leaves.unreturned, r.Path.String())
			}
			u.seen.returned = u.seen.returned.Without(r.Path...)
		}
	}
	return ok
}

// gaveUp reports whether the platform accepted a leaf and does not return it.
func (u *update) gaveUp(at tfvalue.Path) bool {
	return slices.Contains(u.leaves.unreturned, at.String())
}

// nextMemory returns the memory of the state after an update. A leaf that no read has returned stays
// unreturned, and one that the platform accepted and does not return becomes so. So does a leaf
// that the platform did not have before the update, unless it is in the prior state and was not
// sent: that one was emptied after the plan.
func (u *update) nextMemory(state tfvalue.Value) memory {
	return u.remember(state, func(leaf tfvalue.Leaf) bool {
		isNew := u.change.Remote.At(leaf.Path...).IsNull() && (u.change.Prior.At(leaf.Path...).IsNull() || !u.leaves.sent.At(leaf.Path...).IsNull())
		return isNew || u.isUnreturned(u.memory, leaf.Path) || u.gaveUp(leaf.Path)
	})
}
