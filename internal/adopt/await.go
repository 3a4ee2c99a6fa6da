package adopt

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// What a response leaves open of a step, and the reads that settle it.

// findings are what a response leaves open of a step.
type findings struct {
	// late are the leaves that were sent and have another value, which is here. missing are those
	// that were sent, or returned before, and are omitted.
	late    []tfvalue.Leaf
	missing []tfvalue.Path
	// notDone is what the mappings do not have yet of all steps so far; lacksMappings reports that the
	// response does not say which there are.
	notDone       tfvalue.Edit
	lacksMappings bool
	// hasMoved reports that a managed leaf or a mapping was not sent, and is no longer what it was.
	hasMoved bool
	// isDone reports that a lost step was carried out, and stop is why to stop at once otherwise.
	isDone bool
	stop   error
}

// compare compares a response with what the steps so far have sent.
func (u *update) compare(s step, shown response) (f findings) {
	for _, leaf := range u.leavesOf(u.sent.Merge(u.seen)) {
		now := shown.object.At(leaf.Path...)
		switch {
		case now.IsNull() && leaf.Value.IsEmpty():
		case now.IsNull():
			f.missing = append(f.missing, leaf.Path)
		case u.confirms(leaf, now):
		case u.isPending(leaf.Path):
			f.late = append(f.late, tfvalue.Leaf{Path: leaf.Path, Value: now})
		default:
			f.hasMoved = f.hasMoved || u.owns(leaf.Path)
		}
	}
	u.compareMappings(s, shown, &f)
	return f
}

func (u *update) compareMappings(s step, shown response, f *findings) {
	mappings := u.mappingsOf(shown.object)
	switch {
	case s.isLost:
		f.isDone, f.stop = u.ask(s, mappings)
		if unknown := u.unknown(s, shown); unknown != nil {
			f.isDone, f.stop, f.lacksMappings = false, unknown, true
		}
	case u.ownsMappings() && u.isWhole(s, shown.object):
		f.notDone = u.key().NotDone(s.soFar, mappings)
		moved := u.key().Moved(s.before, mappings, s.soFar.All())
		f.hasMoved = f.hasMoved || !u.change.read.mappedAt.IsZero() && len(moved) > 0
	default:
		f.lacksMappings = u.ownsMappings()
	}
}

// isWhole reports whether a response says which mappings there are after a step. A platform that omits an empty set
// shows none of what a step adds to one that it has returned. Any other set that is omitted after an addition is
// not known.
func (u *update) isWhole(s step, shown tfvalue.Value) bool {
	mayBeEmpty := len(s.Edit.Add) == 0 || s.before.IsEmpty() && !u.mappingsOf(u.seen).IsNull()
	return u.hasAllMappings(shown) && (mayBeEmpty || !u.mappingsOf(shown).IsNull())
}

// mustWait reports whether to read until the platform shows a step. Before the last step, only mappings
// are worth it: a slow leaf must not leave a table without its mapping for longer.
func (s step) mustWait(f findings) bool {
	if s.isLost {
		return !f.isDone && !errors.As(f.stop, new(conflict))
	}
	return !f.notDone.IsEmpty() || s.isLast && len(f.late) > 0
}

// isDoubtful reports whether one more read can change the findings: a response may omit anything once,
// or show the past. A step of credentials alone is confirmed by no response.
func (u *update) isDoubtful(s step, f findings) bool {
	isInvisible := s.soFar.IsEmpty() && !u.verifiable(s.Leaves).AnyLeaf()
	return !s.isLost && (f.lacksMappings || s.isLast && (f.hasMoved || len(f.late)+len(f.missing) > 0 || isInvisible))
}

// readOn reads the object until it shows a step, given what a response shows of it, for up to 30 s.
func (u *update) readOn(ctx context.Context, s step, shown response) (response, findings, error) {
	f := u.compare(s, shown)
	for waiting := (wait{}); u.mustRead(ctx, s, f, &waiting); f = u.compare(s, shown) {
		read, err := u.readAgain(ctx, s)
		if err != nil {
			u.takeShown(s, shown, f)
			if s.isLost || !s.isLast || len(f.notDone.Add) > 0 {
				u.mappedAt = time.Time{}
			}
			return shown, f, err
		}
		if s.isLost || len(f.late) > 0 || !f.notDone.IsEmpty() {
			shown = read // the earlier response may be of the past
		} else {
			shown = u.merge(shown, read)
		}
	}
	u.takeShown(s, shown, f)
	return shown, f, nil
}

// mustRead waits, and reports whether to read again: while the platform does not show what was sent; and otherwise
// once, to settle what a response leaves in doubt.
func (u *update) mustRead(ctx context.Context, s step, f findings, waiting *wait) bool {
	if s.mustWait(f) {
		waiting.isSettled = false
		return waiting.next(ctx)
	}
	wasSettled := waiting.isSettled
	waiting.isSettled, waiting.pause = true, max(waiting.pause, firstPause)
	return !wasSettled && u.isDoubtful(s, f)
}

// readAgain reads the object, twice if it is not known what became of a step and the first response omits
// what decides it.
func (u *update) readAgain(ctx context.Context, s step) (response, error) {
	if !s.isLost {
		return u.readOnce(ctx, u.connection.Client, u.id, u.elements(s))
	}
	now, err := u.observe(ctx, u.connection.Client, u.id, earlier{u.remote, u.elements(s), u.memory, true})
	return now.response, err
}

// takeShown takes over what a response shows of a step. Otherwise, the object is as it was, or as it was
// sent. What a response omits and no step has sent is empty on the platform, if the object around it is
// there. Where that is wrong, because no read could follow, the next refresh corrects it. The last value
// would stay wrong for good on a platform that omits what is empty.
func (u *update) takeShown(s step, shown response, f findings) {
	emptied := slices.DeleteFunc(slices.Clone(f.missing), func(path tfvalue.Path) bool {
		return !s.isLast || !u.sent.At(path...).IsNull() || !shown.object.At(path[:len(path)-1]...).IsObject()
	})
	switch {
	case u.Mappings == nil:
	case f.lacksMappings, shown.mappedAt.IsZero():
		shown.mappedAt, shown.object = time.Time{}, shown.object.Without(u.Mappings...)
	case u.mappingsOf(shown.object).IsNull() && !s.after.IsEmpty():
		emptied = append(emptied, u.Mappings)
	}
	remote, _ := u.interpret(u.remote, func(tfvalue.Path) bool { return true }, shown)
	u.take(observed{without(remote, emptied), shown})
}

// await waits until the platform shows a step, and reports whether the update may go on. attempt is the
// error of a PATCH of leaves that may have arrived all the same, nil if it was accepted.
func (u *update) await(ctx context.Context, s step, shown response, attempt error, diags *diag.Diagnostics) (ok bool) {
	_, f, err := u.readOn(ctx, s, shown)
	if err != nil {
		u.addReadFailed(err, diags)
		u.addNotArrived(attempt, s.Leaves, diags)
		return false
	}
	if ok = f.notDone.IsEmpty(); !ok {
		u.addNotDone(s, f.notDone, diags)
	}
	switch {
	case !s.isLast:
		return ok
	case attempt != nil:
		return !u.addNotArrived(attempt, s.Leaves, diags)
	}
	for _, leaf := range f.late {
		u.addNotShown(leaf, diags)
	}
	u.confirm(s, f)
	return ok
}

// confirm remembers what the last step does not confirm.
func (u *update) confirm(s step, f findings) {
	for _, path := range f.missing {
		if !u.sent.At(path...).IsNull() {
			u.unconfirmed = append(u.unconfirmed, path.String())
		}
	}
	if f.lacksMappings && !s.soFar.IsEmpty() {
		u.unconfirmed = append(u.unconfirmed, u.Mappings.String())
	}
}
