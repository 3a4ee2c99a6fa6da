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

// update updates one object, and verifies the responses, of which the API document does not
// show whether a PATCH resets what it omits, which fields they have, and whether they show the
// object as it was some seconds ago.
//
// run sends PATCHes until nothing is left. patch sends one, and reads again (ask) before another
// attempt of one that rests on a read. verify compares the response with what was sent, reads
// again while that may be of the past (await), and draws the conclusions.
type update struct {
	*Engine
	connection *conn.Connection
	id         Identity
	// change is the change as it was decided at the beginning, and memory is what private state
	// would remember after the read then.
	change reviewed
	memory memory

	seen   seen
	leaves leafProgress
	set    setProgress // see set.go
}

// seen is what the platform has shown so far: take writes it after a PATCH, and ask before one is
// sent again.
type seen struct {
	// remote is the object as far as it is known, and returned what reads and responses have
	// returned of it.
	remote, returned tfvalue.Value
	// asOf is when the platform returned the keyed set that is in remote, zero if it is not known.
	asOf time.Time
}

// leafProgress is what an update has come to with the leaves: judge writes the records, and
// conclude what follows from them. wanted follows what others have changed, too (follow).
type leafProgress struct {
	// wanted are the managed leaves as they have to be after the update, and sent are all that
	// were sent.
	wanted, sent tfvalue.Value
	// records are what the last PATCH has come to, nil before the first one.
	records []record
	// late are the paths of leaves that were sent and are still as they were, and unreturned of
	// those that the platform accepted and does not return.
	late, unreturned []string
}

func (e *Engine) newUpdate(c *conn.Connection, id Identity, r reviewed, asOf time.Time, last memory) *update {
	u := &update{
		Engine: e, connection: c, id: id, change: r, memory: e.rememberRead(r.Remote, r.read, last),
		seen:   seen{r.Remote, r.read, asOf},
		leaves: leafProgress{wanted: r.wanted, sent: tfvalue.Null(e.objectType)},
	}
	if u.ownsKeyedSet() {
		u.set.base, u.set.want = r.Remote.At(e.KeyedSet...), r.wanted.At(e.KeyedSet...)
	}
	return u
}

// maxRestores is the number of PATCHes that restore what others have reset. The platform may
// reset the set with a PATCH of leaves, and leaves with one of the set.
const maxRestores = 2

// run changes the object to the wanted leaves. If none differs, no request is sent. What is seen
// of the object is up to date after an error too.
func (u *update) run(ctx context.Context, diags *diag.Diagnostics) {
	if u.change.IsEmpty() {
		return
	}
	defer u.report(diags)
	next := Patch{Leaves: u.change.Leaves, Edit: u.step()}
	steps := u.steps()
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
// leaves if the PATCH has reset one of them. What is left after the steps of the change restores
// elements, and has all leaves as well: it may reset them.
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

// patch sends one PATCH until it is decided, and reports whether another one may follow. One
// that rests on a read of the set is not sent before its question is answered.
func (u *update) patch(ctx context.Context, p Patch, diags *diag.Diagnostics) (ok bool) {
	if !u.seen.asOf.IsZero() && !p.Edit.IsEmpty() {
		switch answer, conflicts := u.answer(p, u.seen.remote); answer {
		case tfvalue.Conflict:
			u.addConflict(conflict{u.KeyedSet, conflicts}, nil, diags)
			return false
		case tfvalue.Done:
			u.carriedOut(p.Edit, u.seen.remote)
			p.Edit = tfvalue.Edit{}
		}
	}
	if p.IsEmpty() {
		return len(u.leaves.late) == 0 || u.verify(ctx, p, tfvalue.Null(u.objectType), false, diags)
	}
	callCtx, call, err := u.Begin(ctx, u.connection.Client, u.id, u.change.Config)
	if err != nil {
		conn.AddError(diags, "Cannot update "+u.Noun, err)
		return false
	}
	defer call.End()
	rests := u.restsOnSet(p)
	for again := rests && u.seen.asOf.IsZero(); ; {
		if again && rests {
			left, read, err := u.ask(callCtx, p, call)
			if err != nil {
				u.addFailed(p, call.Stop(callCtx, err), diags)
				return false
			}
			if left.IsEmpty() {
				return u.verify(ctx, Patch{Leaves: p.Leaves}, read, true, diags)
			}
			p, rests = left, u.restsOnSet(left)
		}
		response := tfvalue.Null(u.objectType)
		if again, err = u.send(callCtx, call, p, rests, &response); again {
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
func (u *update) send(ctx context.Context, call Call, p Patch, rests bool, response *tfvalue.Value) (again bool, err error) {
	patch := platform.Patch{Leaves: u.names(p)}
	if rests {
		patch.AsOf = u.seen.asOf
	}
	if patch.Body, err = u.Body(u.change.Change, p); err != nil {
		return false, fmt.Errorf("reading the plan: %w", err)
	}
	again, err = call.Send(ctx, patch, u.Rules.Into(response))
	*response = u.complete(*response, u.elements(p.Edit))
	return again, err
}

// undoneFor is how long reads have to show that a PATCH was not carried out that may have been:
// one of them may be of the past.
const undoneFor = 10 * time.Second

// ask reads the object again between two attempts, and returns what is left of a PATCH: all of
// it if the elements that it concerns are as they were; its leaves if the elements are as it
// wants them and a leaf differs; nothing if none does. Anything else is an error. read is what
// the last read returned.
func (u *update) ask(ctx context.Context, p Patch, call Call) (left Patch, read tfvalue.Value, err error) {
	perhaps, past := call.IsAmbiguous(), u.seen.remote
	for waiting := (wait{}); ; {
		now, err := u.readAgain(ctx, p.Edit)
		if err != nil {
			return p, now.read, err
		}
		if u.seen.asOf.IsZero() && u.leaves.records != nil {
			u.carriedOut(tfvalue.Edit{}, now.remote) // no response has shown what the last PATCH did
		}
		answer, conflicts := u.answer(p, now.remote)
		u.seen.remote, u.seen.asOf = now.remote, now.asOf
		differs := u.Rules.Changes(p.Leaves, now.remote)
		switch {
		case answer == tfvalue.Conflict && u.isBeginning(now.remote) && waiting.next(ctx, maxLag):
			continue // the read may be older than the last PATCH
		case answer == tfvalue.Conflict:
			return p, now.read, conflict{u.KeyedSet, conflicts}
		case answer == tfvalue.Done:
			call.Settle()
			u.carriedOut(p.Edit, now.remote)
			u.set.removed = append(u.set.removed, p.Edit.Remove...)
			if !differs.AnyLeaf() {
				p.Leaves = differs
			}
			return Patch{Leaves: p.Leaves}, now.read, nil
		case perhaps && p.Edit.IsEmpty() && !u.verifiable(differs).AnyLeaf():
			u.carriedOut(tfvalue.Edit{}, now.remote) // as far as a read can show it
			return p, now.read, nil
		}
		u.follow(p, now, past)
		if perhaps && !p.Edit.IsEmpty() && waiting.next(ctx, undoneFor) {
			continue
		}
		call.Settle()
		return p, now.read, nil
	}
}

// follow takes what a PATCH does not have from a read before it: what others have changed by
// then is theirs, and no reset. A leaf that was sent and is as it was may be of the past.
func (u *update) follow(p Patch, now observed, past tfvalue.Value) {
	u.seen.returned = now.read.Merge(u.seen.returned)
	for _, leaf := range u.verifiable(u.leaves.wanted).Leaves() {
		is := now.remote.At(leaf.Path...)
		if !u.isSet(leaf.Path) && p.Leaves.At(leaf.Path...).IsNull() && !u.isPast(leaf.Path, is, past) {
			u.leaves.wanted = u.leaves.wanted.With(is, leaf.Path...)
		}
	}
	u.followSet(now.remote)
}

// isPast reports whether the value of a leaf in a response may be of the past: the leaf was sent,
// and this is its value right before the last PATCH, or at the beginning of the update.
func (u *update) isPast(at tfvalue.Path, value, before tfvalue.Value) bool {
	name := at[len(at)-1]
	return !u.leaves.sent.At(at...).IsNull() && !value.IsNull() &&
		(u.Rules.Same(name, value, before.At(at...)) || u.Rules.Same(name, value, u.change.Remote.At(at...)))
}

// verify compares what a response to a PATCH has shown with what was sent, and reports whether
// another PATCH may follow. isSettled reports that it is a read that left nothing to be sent.
func (u *update) verify(ctx context.Context, p Patch, shown tfvalue.Value, isSettled bool, diags *diag.Diagnostics) (ok bool) {
	u.leaves.sent = p.Leaves.Merge(u.leaves.sent)
	u.set.removed = append(u.set.removed, p.Edit.Remove...)
	isLast := u.stepAfter(p.Edit).IsEmpty()
	asOf := u.returnedAt(shown)
	u.judge(p, shown, asOf)
	isOpen := u.isLate(isLast) || !isSettled && u.isDoubtful(p)
	shown, asOf, err := u.await(ctx, p, shown, asOf, isOpen, isLast)
	u.take(p, shown, asOf)
	u.absorb(p.Edit)
	if err != nil {
		u.addUnreadable(err, diags)
		return false
	}
	return u.conclude(isLast, diags)
}

// maxLag is how long an answer may be of the past, and a value that was sent not be there yet.
const maxLag = 30 * time.Second

// await reads the object until it shows a PATCH. One read settles what a response leaves in
// doubt: it may omit any leaf once, and may show the object as it was before the PATCH. As long
// as what was sent is exactly as it was, more reads follow.
func (u *update) await(ctx context.Context, p Patch, shown tfvalue.Value, asOf time.Time, isOpen, isLast bool) (tfvalue.Value, time.Time, error) {
	for waiting, again := (wait{}), isOpen; again; again = u.isLate(isLast) && waiting.next(ctx, maxLag) {
		read, err := u.readOnce(ctx, u.connection.Client, u.id, u.elements(p.Edit))
		if err != nil {
			return shown, asOf, err
		}
		if slices.ContainsFunc(u.leaves.records, func(r record) bool { return r.verdict == storedOtherwise || r.isPast }) {
			shown = tfvalue.Null(u.objectType)
		}
		isDoubtful := slices.ContainsFunc(u.leaves.records, func(r record) bool { return r.doubtful && u.isSet(r.Path) })
		asOf = u.eitherReturnedAt(shown, read, asOf, isDoubtful)
		shown = read.Merge(shown)
		u.judge(p, shown, asOf)
	}
	return shown, asOf, nil
}

// isDoubtful reports whether a read can show more of a PATCH than its response: also of one
// that has nothing that a response could confirm.
func (u *update) isDoubtful(p Patch) bool {
	return p.Edit.IsEmpty() && !u.verifiable(p.Leaves).AnyLeaf() ||
		slices.ContainsFunc(u.leaves.records, func(r record) bool { return r.doubtful })
}

// isLate reports whether what was sent is worth waiting for. The next step of the set waits for
// the elements alone, and nobody for a leaf that this run has waited for in vain.
func (u *update) isLate(isLast bool) bool {
	return slices.ContainsFunc(u.leaves.records, func(r record) bool {
		return r.isPast && (u.isSet(r.Path) || isLast && !u.connection.Ignored.Has(u.pathInRun(r.Path)))
	})
}

// wait is a wait that reads interrupt, after longer and longer pauses.
type wait struct {
	begun time.Time
	pause time.Duration
}

const firstPause, maxPause = 500 * time.Millisecond, 5 * time.Second

// next pauses until the next read, and reports whether there is one: the whole wait, which
// begins with the first pause, takes no longer than most. It ends early with the context, and
// then the next read fails.
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
		if u.isSet(leaf.Path) && u.ownsKeyedSet() {
			u.judgeSet(&r, p.Edit, asOf)
		} else {
			r.isPast = u.isPast(r.Path, r.now, u.seen.remote)
			r.judge(u.Rules)
		}
		u.leaves.records = append(u.leaves.records, r)
	}
}

// take updates what is known of the object from what was sent, and what was shown. What a PATCH
// did not have and a response omits, with the object that contains it, is empty: if the read
// after it failed and that is wrong, the next refresh corrects it. To keep the value could stay
// wrong where the platform omits what is empty.
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
		if r.verdict == moved && r.now.IsNull() && shown.At(r.Path[:len(r.Path)-1]...).IsObject() {
			remote = remote.With(r.now, r.Path...)
		}
	}
	u.seen = seen{remote: u.Rules.Whole(remote), returned: shown.Merge(u.seen.returned), asOf: asOf}
}

// conclude acts on the verdicts on a PATCH, and reports whether another one may follow. A leaf
// that the platform stores otherwise, or does not show yet, is no reason to leave an element
// removed that the next PATCH adds. After a value that was never shown, nothing is restored:
// what looks reset may be of the past, too.
func (u *update) conclude(isLast bool, diags *diag.Diagnostics) (ok bool) {
	ok = true
	u.leaves.late = nil
	for _, r := range u.leaves.records {
		if r.verdict != notReturned && !r.now.IsNull() {
			u.leaves.unreturned = slices.DeleteFunc(u.leaves.unreturned, func(path string) bool { return path == r.Path.String() })
		}
		switch {
		case r.verdict == storedOtherwise && u.isSet(r.Path):
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

func (u *update) gaveUp(at tfvalue.Path) bool {
	return slices.Contains(u.leaves.unreturned, at.String())
}

// nextMemory returns the memory of the state after an update. What no read returned before stays
// unreported, and so does what the update gave up. What was not there before the update
// was not read yet, unless the state has it from the plan: then it was emptied after it.
func (u *update) nextMemory(state tfvalue.Value) memory {
	return u.remember(state, func(leaf tfvalue.Leaf) bool {
		sent := !u.leaves.sent.At(leaf.Path...).IsNull()
		switch {
		case u.isUnreported(u.memory, leaf.Path), u.gaveUp(leaf.Path):
			return true
		case !u.change.Remote.At(leaf.Path...).IsNull():
			return false
		default:
			return sent || u.change.Prior.At(leaf.Path...).IsNull()
		}
	})
}
