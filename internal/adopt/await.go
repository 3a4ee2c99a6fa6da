package adopt

import (
	"context"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// maxWait is how long to read on until the platform shows what was sent.
const maxWait = 30 * time.Second

// findings are what a response leaves open of a step.
type findings struct {
	// late are the leaves that were sent and have another value, which is here. missing are those
	// that were sent, or returned before, and are omitted.
	late    []tfvalue.Leaf
	missing []tfvalue.Path
	// notDone is what the keyed set does not have yet of all steps so far; lacksSet reports that the
	// response does not say which elements there are.
	notDone  tfvalue.Edit
	lacksSet bool
	// hasMoved reports that a managed leaf or an element was not sent, and is no longer what it was.
	hasMoved bool
}

// compare compares a response with what the steps so far have sent.
func (u *update) compare(s step, shown tfvalue.Value) (f findings) {
	for _, leaf := range u.leavesOf(u.sent.Merge(u.returned)) {
		now := shown.At(leaf.Path...)
		switch {
		case now.IsNull() && leaf.Value.IsEmpty():
		case now.IsNull():
			f.missing = append(f.missing, leaf.Path)
		case u.Rules.Confirms(leaf.Name(), leaf.Value, u.Rules.FillLeaf(leaf.Name(), now)):
		case !s.Leaves.At(leaf.Path...).IsNull(), u.isPending(leaf.Path):
			f.late = append(f.late, tfvalue.Leaf{Path: leaf.Path, Value: now})
		default:
			f.hasMoved = f.hasMoved || u.owns(leaf.Path)
		}
	}
	if u.ownsKeyedSet() {
		u.compareSet(s, shown, &f)
	}
	return f
}

// leavesOf are the leaves that a response can show one by one, so neither the identifiers nor a
// managed keyed set.
func (u *update) leavesOf(object tfvalue.Value) []tfvalue.Leaf {
	return slices.DeleteFunc(u.verifiable(object).Leaves(), func(leaf tfvalue.Leaf) bool {
		return slices.Contains(u.identifiers(), leaf.Path[0]) || u.isKeyedSet(leaf.Path) && u.ownsKeyedSet()
	})
}

// compareSet compares the keyed set. A platform that omits an empty set shows none of what a step adds
// to one that it has returned. Any other set that is omitted after an addition is not known.
func (u *update) compareSet(s step, shown tfvalue.Value, f *findings) {
	set := u.setOf(shown)
	isUntold := set.IsNull() && len(s.Edit.Add) > 0 && (!s.before.IsEmpty() || u.setOf(u.returned).IsNull())
	if f.lacksSet = isUntold || !u.hasWholeSet(shown); f.lacksSet {
		return
	}
	f.notDone = u.key().NotDone(s.done, set)
	f.hasMoved = f.hasMoved || u.knewSet && len(u.key().Moved(s.before, set, s.done.All())) > 0
}

// isLate reports whether to wait for what was sent. Before the last step, only elements are worth
// it: a slow leaf must not leave a table without its mapping for longer. A leaf that another object
// of this run has waited for in vain never is.
func (u *update) isLate(s step, f findings) bool {
	return !f.notDone.IsEmpty() || s.isLast && slices.ContainsFunc(f.late, func(leaf tfvalue.Leaf) bool {
		return !u.connection.Ignored.Has(u.pathInRun(leaf.Path))
	})
}

// isDoubtful reports whether one more read can change the findings: a response may omit anything
// once, or be of the past, which it cannot show of a step that no response confirms.
func (u *update) isDoubtful(s step, f findings) bool {
	return f.lacksSet || !f.notDone.IsEmpty() || s.isLast &&
		(f.hasMoved || len(f.late)+len(f.missing) > 0 || s.done.IsEmpty() && !u.verifiable(s.Leaves).AnyLeaf())
}

// await reads the object until the platform shows a step, given what its response shows, and reports
// whether the update may go on. One read settles what a response leaves in doubt. While what was
// sent is not there, whatever is there instead, more follow.
func (u *update) await(ctx context.Context, s step, shown tfvalue.Value, diags *diag.Diagnostics) (ok bool) {
	f, setAt := u.compare(s, shown), u.returnedAt(shown)
	first, waiting, isSettled := f.late, wait{isFirstNow: true}, false
	for u.isLate(s, f) && waiting.next(ctx, maxWait) || !u.isLate(s, f) && !isSettled && u.isDoubtful(s, f) {
		read, err := u.readOnce(ctx, u.connection.Client, u.id, u.elements(s))
		if err != nil {
			u.takeShown(s, shown, setAt, f)
			u.addUnreadable(err, diags)
			return false
		}
		waiting.isFirstNow, isSettled = false, !u.isLate(s, f)
		if len(f.late) > 0 || !f.notDone.IsEmpty() { // the earlier response may be of the past
			shown, setAt = read, u.returnedAt(read)
		} else {
			shown, setAt = u.merge(shown, read, setAt)
		}
		if f = u.compare(s, shown); first == nil {
			first = f.late
		}
	}
	u.takeShown(s, shown, setAt, f)
	return u.conclude(s, f, first, diags)
}

// wait is a wait with reads in between, after longer and longer pauses; the first read may follow
// without one.
type wait struct {
	isFirstNow bool
	begun      time.Time
	pause      time.Duration
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
	switch {
	case w.isFirstNow:
		w.isFirstNow = false
		return true
	case left <= 0:
		return false
	}
	select {
	case <-time.After(min(w.pause, left)):
	case <-ctx.Done():
	}
	w.pause = min(2*w.pause, maxPause)
	return true
}

// takeShown takes over what was shown of a step. Where it says nothing, what was sent counts as stored.
func (u *update) takeShown(s step, shown tfvalue.Value, setAt time.Time, f findings) {
	always := func(tfvalue.Path) bool { return true }
	last := u.sent.Merge(u.remote)
	if u.ownsKeyedSet() {
		last = last.With(u.key().After(u.setOf(u.remote), s.Edit), u.KeyedSet...)
	}
	if f.lacksSet {
		setAt = time.Time{}
	}
	if u.KeyedSet != nil && setAt.IsZero() {
		shown = shown.Without(u.KeyedSet...)
	}
	remote, _ := u.Rules.Interpret(last, always, u.withIDs(shown, u.remote))
	for _, path := range u.emptied(s, shown, setAt, f) {
		remote = remote.Without(path...)
	}
	u.take(remote, shown, setAt)
}

// emptied are the paths of what a response omits and no step has sent, if the object around it is
// there: it is empty on the platform. Where that is wrong, because no read could follow, the next
// refresh corrects it. The last value would stay wrong for good on a platform that omits what is
// empty.
func (u *update) emptied(s step, shown tfvalue.Value, setAt time.Time, f findings) (paths []tfvalue.Path) {
	if !setAt.IsZero() && u.setOf(shown).IsNull() && !s.after.IsEmpty() {
		paths = append(paths, u.KeyedSet)
	}
	for _, path := range f.missing {
		if s.isLast && u.sent.At(path...).IsNull() && shown.At(path[:len(path)-1]...).IsObject() {
			paths = append(paths, path)
		}
	}
	return paths
}

// take takes over the object as it is now, and what was returned of it. setAt is when the keyed set
// was returned, zero if it is not known.
func (u *update) take(remote, returned tfvalue.Value, setAt time.Time) {
	for _, leaf := range u.leavesOf(u.sent) {
		if now := returned.At(leaf.Path...); !now.IsNull() && u.Rules.Confirms(leaf.Name(), leaf.Value, now) {
			u.returned = u.returned.With(now, leaf.Path...)
		}
	}
	u.remote, u.returned = u.Rules.FillElements(remote), u.returned.Merge(returned)
	u.readAt, u.setAt = time.Now(), setAt
}

// isPending reports whether a leaf was sent, and nothing that was returned has shown it.
func (u *update) isPending(at tfvalue.Path) bool {
	sent := u.sent.At(at...)
	return !sent.IsNull() && !u.Rules.Confirms(at[len(at)-1], sent, u.returned.At(at...))
}

// conclude reports what the platform does not show of a step, and whether the update may go on. first
// are the leaves that were late at first: one that has not moved since is not waited for again by
// any object of the run, in case the platform ignores it.
func (u *update) conclude(s step, f findings, first []tfvalue.Leaf, diags *diag.Diagnostics) (ok bool) {
	ok = f.notDone.IsEmpty()
	if !ok {
		u.addNotDone(s, f.notDone, diags)
	}
	if !s.isLast {
		return ok
	}
	for _, leaf := range f.late {
		hasMoved := !slices.ContainsFunc(first, func(was tfvalue.Leaf) bool {
			return slices.Equal(was.Path, leaf.Path) && u.Rules.Same(leaf.Name(), was.Value, leaf.Value)
		})
		u.addNotShown(leaf, hasMoved, diags)
	}
	u.unreturned = nil
	for _, path := range f.missing {
		if !u.sent.At(path...).IsNull() {
			u.unreturned = append(u.unreturned, path.String())
		}
	}
	if f.lacksSet {
		u.unreturned = append(u.unreturned, u.KeyedSet.String())
	}
	return ok && len(f.late) == 0
}
