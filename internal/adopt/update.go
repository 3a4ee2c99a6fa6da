package adopt

import (
	"context"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// update updates one object, and verifies the responses.
//
// The API document does not show whether a PATCH resets what it omits, and any field
// may be missing from any response. So each leaf has a record: what it was before,
// what is wanted, what the response has (verdict.go). set.go has the keyed set.
type update struct {
	*Engine
	client *platform.Client
	id     Identity
	// change is the change as it was decided at the beginning, and memory is what private state
	// would remember after the read then.
	change reviewed
	memory memory

	// remote is the object as far as it is known by now, and returned what the read and all
	// responses since have returned of it. asOf is when the platform returned the keyed set that
	// is in remote, zero if it did not.
	remote, returned tfvalue.Value
	asOf             time.Time
	leaves           leafProgress
	set              setProgress
}

// leafProgress is what an update has come to with the leaves.
type leafProgress struct {
	// wanted are the managed leaves as they have to be after the update.
	wanted tfvalue.Value
	// sent are all leaves that were sent, sending those of the last request, and records all that
	// are known of after the last PATCH.
	sent, sending tfvalue.Value
	records       []record
	// unreturned are the paths of leaves that the platform accepted and does not return.
	unreturned []string
}

func (e *Engine) newUpdate(client *platform.Client, id Identity, r reviewed, asOf time.Time, last memory) *update {
	return &update{
		Engine: e, client: client, id: id, change: r, memory: e.rememberRead(r.Remote, r.read, last),
		remote: r.Remote, returned: r.read, asOf: asOf,
		leaves: leafProgress{wanted: r.wanted, sent: tfvalue.Null(e.objectType)},
	}
}

// run changes the object to the wanted leaves. If none differs, no request is sent.
// remote is up to date after an error too.
func (u *update) run(ctx context.Context, diags *diag.Diagnostics) {
	if u.change.IsEmpty() {
		return
	}
	defer u.report(diags)
	leaves := u.change.Leaves
	for _, edit := range u.change.Edit.Stages() {
		if !u.patch(ctx, leaves, edit, diags) {
			return
		}
		leaves = u.reset()
	}
	// The platform may reset the set with a PATCH of leaves, and leaves with one of the set. The
	// second of these has both.
	for range 2 {
		if !leaves.AnyLeaf() && len(u.set.lost) == 0 {
			break
		}
		if !u.patch(ctx, u.all(), u.restoring(), diags) {
			return
		}
		leaves = u.reset()
	}
	for _, r := range u.leaves.records {
		if r.isReset() {
			u.addStoredOtherwise(r, diags)
		}
	}
}

// report says what became of an update, also of one that failed: the next plan begins with
// what the platform has by now.
func (u *update) report(diags *diag.Diagnostics) {
	u.warnUnmanaged(diags)
	u.warnChangedElements(diags)
	u.warnUnreturned(diags)
	u.reportUnfinished(diags)
}

// isReset reports whether a PATCH has changed a managed leaf that it omitted.
func (r record) isReset() bool { return !r.wanted.IsNull() && r.verdict == moved }

// reset returns all leaves to be sent if a PATCH has reset one that it omitted, else none.
func (u *update) reset() tfvalue.Value {
	for _, r := range u.leaves.records {
		if r.isReset() && !u.isSet(r.Path) {
			return u.all()
		}
	}
	return tfvalue.Null(u.objectType)
}

// all returns all managed leaves that a response can confirm, without the set.
func (u *update) all() tfvalue.Value {
	leaves := u.verifiable(u.leaves.wanted)
	if u.KeyedSet != nil {
		leaves = leaves.Without(u.KeyedSet...)
	}
	return leaves
}

// patch sends one PATCH, verifies it, since the next one may reset the values, and reports
// whether the next one can follow. If the response leaves a doubt about any leaf, it reads the
// object once.
func (u *update) patch(ctx context.Context, leaves tfvalue.Value, edit tfvalue.Edit, diags *diag.Diagnostics) bool {
	edit, ok := u.due(edit)
	if !ok {
		u.addConflict(nil, diags)
		return false
	}
	p := Patch{Leaves: leaves, Edit: edit}
	if p.IsEmpty() {
		return true
	}
	u.leaves.sending = leaves
	u.beginSet(edit)
	response, done, err := u.send(ctx, p)
	if err != nil {
		u.addFailed(err, diags)
		return false
	}
	isSettled := !done.IsNull() // nothing was left to be sent
	if isSettled {
		response = done
	}
	u.leaves.sent = leaves.Merge(u.leaves.sent)
	u.set.removed = append(u.set.removed, u.set.edit.Remove...)
	u.asOf = u.returnedAt(response)
	u.judge(response)
	if !isSettled && u.isDoubtful() {
		read, err := u.readOnce(ctx, u.client, u.id)
		if err != nil {
			u.take(response)
			u.emptyMoved(response)
			u.set.perhaps = u.set.edit.Remove
			u.noteSet()
			u.addUnreadable(err, diags)
			return false
		}
		// A response that shows a leaf as something else than was sent may be of the past.
		if slices.ContainsFunc(u.leaves.records, func(r record) bool { return r.verdict == storedOtherwise }) {
			response = tfvalue.Null(u.objectType)
		}
		isDoubtful := slices.ContainsFunc(u.leaves.records, func(r record) bool { return r.doubtful && u.isSet(r.Path) })
		u.asOf = u.eitherReturnedAt(response, read, u.asOf, isDoubtful)
		response = read.Merge(response)
		u.judge(response)
	}
	u.take(response)
	u.noteSet()
	return u.conclude(diags)
}

// emptyMoved takes as empty what the response to a PATCH omits that the PATCH did not have, if
// it has the object that contains it, and the read after it failed. If that is wrong, the next
// refresh corrects it. To keep the value could stay wrong where the platform omits what is empty.
func (u *update) emptyMoved(response tfvalue.Value) {
	for _, r := range u.leaves.records {
		if r.verdict == moved && r.now.IsNull() && response.At(r.Path[:len(r.Path)-1]...).IsObject() {
			u.remote = u.remote.With(r.now, r.Path...)
		}
	}
}

// isDoubtful reports whether a read can show more of a PATCH than its response: also of one
// that has nothing that a response could confirm.
func (u *update) isDoubtful() bool {
	return u.set.edit.IsEmpty() && !u.verifiable(u.leaves.sending).AnyLeaf() ||
		slices.ContainsFunc(u.leaves.records, func(r record) bool { return r.doubtful })
}

// judge makes the records of all leaves that are managed, or were returned before.
func (u *update) judge(response tfvalue.Value) {
	u.leaves.records = nil
	for _, leaf := range u.verifiable(u.leaves.wanted.Merge(u.returned)).Leaves() {
		if slices.Contains(u.identifiers(), leaf.Path[0]) {
			continue
		}
		r := record{
			Leaf:   tfvalue.Leaf{Path: leaf.Path, Value: u.returned.At(leaf.Path...)},
			wanted: u.leaves.wanted.At(leaf.Path...),
			now:    response.At(leaf.Path...),
		}
		if value := u.leaves.sending.At(leaf.Path...); !value.IsNull() {
			r.wanted, r.sent = value, true
		}
		if u.isSet(leaf.Path) && !r.wanted.IsNull() {
			u.judgeSet(&r)
		} else {
			r.judge(u.Rules)
		}
		u.leaves.records = append(u.leaves.records, r)
	}
}

// take updates what is known of the object from what was sent, and the response.
func (u *update) take(response tfvalue.Value) {
	always := func(tfvalue.Path) bool { return true }
	last := u.leaves.sending.Merge(u.remote)
	if u.KeyedSet != nil {
		last = last.With(u.set.edit.On(u.set.held).After(), u.KeyedSet...)
		if u.asOf.IsZero() {
			response = response.Without(u.KeyedSet...)
		}
	}
	remote, _ := u.Rules.Interpret(last, always, u.withIDs(response, u.remote))
	u.remote = u.Rules.Whole(remote)
	u.returned = response.Merge(u.returned)
}

// conclude acts on the verdicts on a PATCH, and reports whether the set is as it should be. A
// leaf that the platform stores otherwise is an error, and no reason to leave an element
// removed that the next PATCH adds.
func (u *update) conclude(diags *diag.Diagnostics) (ok bool) {
	ok = true
	for _, r := range u.leaves.records {
		if r.verdict != notReturned && !r.now.IsNull() {
			u.leaves.unreturned = slices.DeleteFunc(u.leaves.unreturned, func(path string) bool { return path == r.Path.String() })
		}
		switch {
		case r.verdict == storedOtherwise:
			u.addStoredOtherwise(r, diags)
			if ok = ok && !u.isSet(r.Path); ok {
				u.leaves.wanted = u.leaves.wanted.With(r.now, r.Path...) // reported once
			}
		case r.verdict == notReturned:
			// From now on it counts as never returned.
			if !u.gaveUp(r.Path) {
				u.leaves.unreturned = append(u.leaves.unreturned, r.Path.String())
			}
			u.returned = u.returned.Without(r.Path...)
		case r.verdict == moved && r.now.IsNull():
			u.remote = u.remote.With(r.now, r.Path...) // omitted twice: empty
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
