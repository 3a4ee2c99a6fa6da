package adopt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// update updates one object. What it sends is decided at its beginning, in at most two steps.
// Afterwards it only sends, reads, waits, or stops: the API document does not say whether a PATCH
// resets what it omits, whether a response is new, or whether a request that failed has ended, and
// others write, too.
//
//	run              each step, then one PATCH that restores what they have reset
//	  carryOut       one step
//	    send         attempts, each of which the guard of the set has to allow: see set.go
//	    findOutcome  reads, after an attempt on the set whose outcome is not known: see set.go
//	    await        reads until the platform shows what was sent: see await.go
type update struct {
	*Engine
	connection *conn.Connection
	id         Identity

	// change is what the plan changes, and steps are its PATCHes. memory is what private state would
	// remember of the read at the beginning.
	change reviewed
	steps  []step
	memory memory

	// All that follows changes during the update.

	// remote is the object as far as it is known. returned is what reads and responses have returned of
	// it first, or of what was sent, once they have shown it: a leaf that is another one later was
	// changed by others, or reset. Only take sets them.
	remote, returned tfvalue.Value
	// readAt is when the platform returned the object last, and setAt when it returned the keyed map
	// that is in remote: zero if it has not since the last PATCH.
	readAt, setAt time.Time

	// sent are the leaves, and edited the elements of the keyed map, that PATCHes have changed, or
	// may have.
	sent   tfvalue.Value
	edited tfvalue.Edit
	// isAlone reports that hardly anybody else can have changed the object meanwhile: each PATCH was
	// accepted at its first attempt, and sent soon after the object was returned.
	isAlone bool
	// restored are the leaves that were reset and sent again, as they were found.
	restored []tfvalue.Leaf
	// unconfirmed are the paths of what the platform accepted and does not return.
	unconfirmed []string
}

// step is one PATCH of an update.
type step struct {
	Patch
	// isFirst and isLast say which step of the change it is. One that restores comes after all of
	// them, and is the last.
	isFirst, isLast, restores bool
	// before and after are the keyed map around the step. What the guard asks is about the elements
	// that are related to concerns, and soFar is what the steps up to this one change.
	before, after tfvalue.Value
	concerns      []tfvalue.Value
	soFar         tfvalue.Edit
}

func (e *Engine) newUpdate(c *conn.Connection, r reviewed, last memory) *update {
	u := &update{
		Engine: e, connection: c, id: e.identity(r.Plan), change: r, memory: e.rememberRead(r.Remote, r.read.object, last),
		remote: r.Remote, returned: r.read.object, readAt: time.Now(), setAt: r.read.setAt, sent: tfvalue.Null(e.objectType), isAlone: true,
	}
	u.steps = u.decide()
	return u
}

// decide returns the steps of the change. The second one has the additions that are related to what
// the first one removes.
func (u *update) decide() []step {
	whole, set := u.change.Edit, u.setOf(u.change.Remote)
	first, later := u.key().InTwo(whole)
	between := u.key().After(set, first)
	one := step{
		Patch: Patch{u.change.Leaves, first}, isFirst: true, isLast: len(later) == 0,
		before: set, after: between, concerns: whole.All(), soFar: first,
	}
	two := step{
		Patch: Patch{tfvalue.Null(u.objectType), tfvalue.Edit{Add: later}}, isLast: true,
		before: between, after: u.key().After(set, whole), concerns: later, soFar: whole,
	}
	return slices.DeleteFunc([]step{one, two}, func(s step) bool { return s.IsEmpty() })
}

// run carries out the change. If nothing differs, it sends no PATCH. After an error, too, remote is
// the object as far as it is known.
func (u *update) run(ctx context.Context, diags *diag.Diagnostics) {
	defer u.report(diags)
	for _, s := range u.steps {
		if !u.carryOut(ctx, s, diags) {
			return
		}
	}
	reset := slices.DeleteFunc(u.moved(), func(leaf tfvalue.Leaf) bool { return !u.owns(leaf.Path) })
	if len(reset) > 0 && u.isAlone {
		u.restore(ctx, reset, diags)
	}
}

// carryOut sends one PATCH until its outcome is known, waits until the platform shows it, and
// reports whether the update may go on.
func (u *update) carryOut(ctx context.Context, s step, diags *diag.Diagnostics) (ok bool) {
	shown, err := u.send(ctx, s)
	isUnknown, changesSet := platform.IsAmbiguous(err), !s.Edit.IsEmpty()
	if err == nil || isUnknown {
		u.record(s.Patch)
	} else {
		u.edited.Remove = append(u.edited.Remove, u.removedDespite(ctx, s, err)...)
	}
	if isUnknown && changesSet {
		shown, err = u.findOutcome(ctx, s, err)
	}
	isUnreadable := !changesSet && platform.IsUnreadable(err)
	if ok = err == nil || isUnreadable; ok {
		ok = u.await(ctx, s, shown, diags)
	}
	notArrived := []string{}
	if isUnreadable {
		notArrived = u.takeBack(s)
	}
	if ok = ok && len(notArrived) == 0; err != nil && !ok {
		u.addFailed(err, notArrived, diags)
	}
	return ok
}

// takeBack gives the leaves of a PATCH whose acceptance is not known, and which no read shows, the value
// from before: the next apply sends them again. It returns their paths.
func (u *update) takeBack(s step) (notArrived []string) {
	for _, leaf := range s.Leaves.Leaves() {
		if path := leaf.Path.String(); u.isNeverReturned(leaf.Path) || slices.Contains(u.unconfirmed, path) {
			u.remote = u.remote.With(u.change.Remote.At(leaf.Path...), leaf.Path...)
			notArrived = append(notArrived, path)
		}
	}
	u.unconfirmed = nil
	return notArrived
}

// restore sends all managed leaves once, because the steps have reset some of them. It is not tried
// again: by then, others may have changed them. If its outcome is not known, one read shows it.
func (u *update) restore(ctx context.Context, reset []tfvalue.Leaf, diags *diag.Diagnostics) {
	leaves := u.verifiable(u.change.wanted)
	if u.KeyedMap != nil {
		leaves = leaves.Without(u.KeyedMap...)
	}
	for i, leaf := range reset {
		reset[i].Value = u.remote.At(leaf.Path...)
	}
	last := u.steps[len(u.steps)-1]
	s := step{Patch: Patch{Leaves: leaves}, isLast: true, restores: true, before: last.after, after: last.after, soFar: last.soFar}
	shown, err := u.send(ctx, s)
	isUnknown := platform.IsAmbiguous(err)
	switch {
	case errors.Is(err, errNotAlone):
		return // the warning names what is left as it is
	case err != nil && !isUnknown:
		u.addFailed(err, nil, diags)
		return
	}
	if u.restored = reset; !isUnknown {
		u.record(s.Patch)
	} else if shown, err = u.readOnce(ctx, u.connection.Client, u.id, u.elements(s)); err != nil {
		u.addReadFailed(err, diags)
		return
	} else if f := u.compare(s, shown.object); f.notDone.IsEmpty() {
		u.takeShown(s, shown, f)
		return
	}
	u.await(ctx, s, shown, diags)
}

// record remembers a PATCH that was carried out, or may have been. What was returned of its leaves is of
// the past.
func (u *update) record(p Patch) {
	for _, leaf := range p.Leaves.Leaves() {
		u.returned = u.returned.Without(leaf.Path...)
	}
	u.sent = p.Leaves.Merge(u.sent)
	u.edited.Remove = append(u.edited.Remove, p.Edit.Remove...)
	u.edited.Add = append(u.edited.Add, p.Edit.Add...)
}

// send sends the PATCH of a step, as often as it takes. It returns what the response shows, or what is
// known if that shows that nothing is left to be sent.
func (u *update) send(ctx context.Context, s step) (shown response, err error) {
	callCtx, call, err := u.Begin(ctx, u.connection.Client, u.id)
	if err != nil {
		return shown, err
	}
	defer call.End()
	patch, err := u.patch(s)
	if err != nil {
		return shown, fmt.Errorf("reading the plan: %w", err)
	}
	var failed error // of the last attempt
	for again := false; ; failed = cmp.Or(err, failed) {
		if !s.Edit.IsEmpty() {
			isDone, read, err := u.guard(callCtx, s, again && !platform.IsRateLimited(err))
			if err != nil {
				return shown, stopped{failed, err}
			}
			if isDone {
				return u.sendRest(ctx, s, read)
			}
			patch.AsOf = u.setAt
		}
		if again, shown, err = u.attempt(callCtx, call, s, patch); !again {
			return shown, err
		}
	}
}

// errNotAlone is why a PATCH that restores was not sent, or not a second time.
var errNotAlone = errors.New("others may have changed the object")

// attempt sends a PATCH once, and reports whether to try again. One that restores is not tried again:
// its error is that of the attempt if it may have been carried out.
func (u *update) attempt(ctx context.Context, call Call, s step, patch platform.Patch) (again bool, shown response, err error) {
	object := tfvalue.Null(u.objectType)
	again, err = call.Send(ctx, patch, u.Rules.Into(&object))
	u.isAlone = u.isAlone && !again && err == nil && call.Began().Sub(u.readAt) <= platform.MaxAge
	if again && s.restores && !platform.IsAmbiguous(err) {
		err = errNotAlone
	}
	return again && !s.restores, u.respond(object, u.elements(s)), err
}

// patch is the PATCH of a step. Only one that changes the set, or restores, is based on a read.
func (u *update) patch(s step) (p platform.Patch, err error) {
	p = platform.Patch{Leaves: paths(s.Leaves.Leaves()), Unrepeatable: !s.Edit.IsEmpty()}
	switch {
	case s.restores:
		p.AsOf = u.readAt
	case p.Unrepeatable:
		p.Leaves = append(p.Leaves, u.KeyedMap.String())
	}
	p.Body, err = u.Body(u.change.Change, s.Patch)
	return p, err
}

// sendRest sends the leaves of a step whose elements are done, unless they are, too, as a read shows.
func (u *update) sendRest(ctx context.Context, s step, read response) (response, error) {
	if s.Edit = (tfvalue.Edit{}); u.Rules.Changes(s.Leaves, u.remote).AnyLeaf() {
		return u.send(ctx, s)
	}
	return read, nil
}

// paths are those of leaves, for the log and for messages.
func paths(leaves []tfvalue.Leaf) (texts []string) {
	for _, leaf := range leaves {
		texts = append(texts, leaf.Path.String())
	}
	return texts
}

// owns reports whether the update manages a leaf.
func (u *update) owns(at tfvalue.Path) bool { return !u.change.wanted.At(at...).IsNull() }

// moved returns the leaves, as they were returned first or were sent and shown, that are no longer the
// same. A leaf that is still to be sent, or to be shown, is none of them.
func (u *update) moved() []tfvalue.Leaf {
	return slices.DeleteFunc(u.leavesOf(u.returned), func(leaf tfvalue.Leaf) bool {
		isDue := !u.change.Leaves.At(leaf.Path...).IsNull() && u.sent.At(leaf.Path...).IsNull()
		return isDue || u.isPending(leaf.Path) || u.isKeyedMap(leaf.Path) && u.setAt.IsZero() || u.confirms(leaf, u.remote.At(leaf.Path...))
	})
}

// nextMemory returns the memory of the state after an update. A leaf that no read has returned stays
// unreturned, and one that the platform accepted and does not return becomes so. So does a leaf
// that the platform did not have before the update, unless it is in the prior state and was not
// sent: that one was emptied after the plan.
func (u *update) nextMemory(state tfvalue.Value) memory {
	return u.remember(state, func(leaf tfvalue.Leaf) bool {
		isNew := u.change.Remote.At(leaf.Path...).IsNull() && (u.change.Prior.At(leaf.Path...).IsNull() || !u.sent.At(leaf.Path...).IsNull())
		return isNew || u.isUnreturned(u.memory, leaf.Path) || slices.Contains(u.unconfirmed, leaf.Path.String())
	})
}
