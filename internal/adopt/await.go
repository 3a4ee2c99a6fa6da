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
	// notDone is what the keyed map does not have yet of all steps so far; lacksSet reports that the
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
		case u.confirms(leaf, now):
		case !s.Leaves.At(leaf.Path...).IsNull(), u.isPending(leaf.Path):
			f.late = append(f.late, tfvalue.Leaf{Path: leaf.Path, Value: now})
		default:
			f.hasMoved = f.hasMoved || u.owns(leaf.Path)
		}
	}
	if u.ownsKeyedMap() {
		u.compareSet(s, shown, &f)
	}
	return f
}

// leavesOf are the leaves that a response can show one by one, so neither the identifiers nor a
// managed keyed map.
func (u *update) leavesOf(object tfvalue.Value) []tfvalue.Leaf {
	return slices.DeleteFunc(u.verifiable(object).Leaves(), func(leaf tfvalue.Leaf) bool {
		return slices.Contains(u.identifiers(), leaf.Path[0]) || u.isKeyedMap(leaf.Path) && u.ownsKeyedMap()
	})
}

// confirms reports whether the value of a leaf in a response is that of the leaf.
func (u *update) confirms(leaf tfvalue.Leaf, now tfvalue.Value) bool {
	return u.Rules.Confirms(leaf.Name(), leaf.Value, u.Rules.Fill(leaf.Name(), now))
}

// compareSet compares the keyed map. A platform that omits an empty set shows none of what a step adds
// to one that it has returned. Any other set that is omitted after an addition is not known.
func (u *update) compareSet(s step, shown tfvalue.Value, f *findings) {
	set := u.setOf(shown)
	mayBeEmpty := len(s.Edit.Add) == 0 || s.before.IsEmpty() && !u.setOf(u.returned).IsNull()
	f.lacksSet = set.IsNull() && !mayBeEmpty || !u.hasWholeSet(shown)
	if !f.lacksSet {
		f.notDone = u.key().NotDone(s.soFar, set)
		f.hasMoved = f.hasMoved || !u.change.read.setAt.IsZero() && len(u.key().Moved(s.before, set, s.soFar.All())) > 0
	}
}

// shouldWait reports whether to wait for what was sent. Before the last step, only elements are worth
// it: a slow leaf must not leave a table without its mapping for longer. A leaf that another object
// of this run has waited for in vain never is.
func (u *update) shouldWait(s step, f findings) bool {
	return !f.notDone.IsEmpty() || s.isLast && slices.ContainsFunc(f.late, func(leaf tfvalue.Leaf) bool {
		return !u.connection.Ignored.Has(u.pathInRun(leaf.Path))
	})
}

// isDoubtful reports whether one more read can change the findings: a response may omit anything once,
// or show the past. A step of credentials alone is confirmed by no response.
func (u *update) isDoubtful(s step, f findings) bool {
	return f.lacksSet || !f.notDone.IsEmpty() || s.isLast &&
		(f.hasMoved || len(f.late)+len(f.missing) > 0 || s.soFar.IsEmpty() && !u.verifiable(s.Leaves).AnyLeaf())
}

// await reads the object until the platform shows a step, given what its response shows, and reports
// whether the update may go on. One read settles what a response leaves in doubt. While what was
// sent is not there, whatever is there instead, more follow.
func (u *update) await(ctx context.Context, s step, shown response, diags *diag.Diagnostics) (ok bool) {
	f := u.compare(s, shown.object)
	first, waiting, isSettled := f.late, wait{}, false
	for u.shouldWait(s, f) && waiting.next(ctx) || !u.shouldWait(s, f) && !isSettled && u.isDoubtful(s, f) {
		waiting.pause, isSettled = max(waiting.pause, firstPause), !u.shouldWait(s, f)
		read, err := u.readOnce(ctx, u.connection.Client, u.id, u.elements(s))
		if err != nil {
			u.takeShown(s, shown, f)
			u.addReadFailed(err, diags)
			return false
		}
		if len(f.late) > 0 || !f.notDone.IsEmpty() {
			shown = read // the earlier response may be of the past
		} else {
			shown = u.merge(shown, read)
		}
		if f = u.compare(s, shown.object); first == nil {
			first = f.late
		}
	}
	u.takeShown(s, shown, f)
	return u.conclude(s, f, first, diags)
}

// wait is a wait with reads in between, after longer and longer pauses, of which pause is the next.
type wait struct {
	begun time.Time
	pause time.Duration
}

const firstPause, maxPause = 500 * time.Millisecond, 5 * time.Second

// next pauses until the next read, and reports whether to read again: all pauses together take no
// longer than maxWait. If the context ends, so does the pause, and the next read fails.
func (w *wait) next(ctx context.Context) bool {
	if w.begun.IsZero() {
		w.begun = time.Now()
	}
	left := maxWait - time.Since(w.begun)
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

// takeShown takes over what was shown of a step. Where it says nothing, what was sent counts as stored.
func (u *update) takeShown(s step, shown response, f findings) {
	last := u.sent.Merge(u.remote)
	if u.ownsKeyedMap() {
		last = last.With(u.key().After(u.setOf(u.remote), s.Edit), u.KeyedMap...)
	}
	if f.lacksSet {
		shown.setAt = time.Time{}
	}
	if u.KeyedMap != nil && shown.setAt.IsZero() {
		shown.object = shown.object.Without(u.KeyedMap...)
	}
	remote, _ := u.interpret(last, func(tfvalue.Path) bool { return true }, shown)
	for _, path := range u.emptied(s, shown, f) {
		remote = remote.Without(path...)
	}
	u.take(observed{remote, shown})
}

// emptied are the paths of what a response omits and no step has sent, if the object around it is
// there: it is empty on the platform. Where that is wrong, because no read could follow, the next
// refresh corrects it. The last value would stay wrong for good on a platform that omits what is
// empty.
func (u *update) emptied(s step, shown response, f findings) (paths []tfvalue.Path) {
	if !shown.setAt.IsZero() && u.setOf(shown.object).IsNull() && !s.after.IsEmpty() {
		paths = append(paths, u.KeyedMap)
	}
	for _, path := range f.missing {
		if s.isLast && u.sent.At(path...).IsNull() && shown.object.At(path[:len(path)-1]...).IsObject() {
			paths = append(paths, path)
		}
	}
	return paths
}

// take takes over the object as it is now, and what was returned of it.
func (u *update) take(now observed) {
	for _, leaf := range u.leavesOf(u.sent) {
		if value := now.object.At(leaf.Path...); !value.IsNull() && u.Rules.Confirms(leaf.Name(), leaf.Value, value) {
			u.returned = u.returned.With(value, leaf.Path...)
		}
	}
	u.remote, u.returned = u.Rules.Fill("", now.remote), u.returned.Merge(now.object)
	u.readAt, u.setAt = time.Now(), now.setAt
}

// isPending reports whether a leaf was sent, and nothing that was returned has shown it.
func (u *update) isPending(at tfvalue.Path) bool {
	sent := u.sent.At(at...)
	return !sent.IsNull() && !u.Rules.Confirms(at.Name(), sent, u.returned.At(at...))
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
		isChanging := !slices.ContainsFunc(first, func(was tfvalue.Leaf) bool {
			return slices.Equal(was.Path, leaf.Path) && u.Rules.Same(leaf.Name(), was.Value, leaf.Value)
		})
		u.addNotShown(leaf, isChanging, diags)
	}
	u.unconfirmed = nil
	for _, path := range f.missing {
		if !u.sent.At(path...).IsNull() {
			u.unconfirmed = append(u.unconfirmed, path.String())
		}
	}
	if f.lacksSet {
		u.unconfirmed = append(u.unconfirmed, u.KeyedMap.String())
	}
	return ok && len(f.late) == 0
}
