package adopt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// update updates one object. What it sends is decided at its beginning, in at most two steps of one
// PATCH each. Afterwards it only sends, reads, waits, or stops: the API document does not say whether a
// PATCH resets what it omits, whether a response is new, or whether a request that failed has ended, and
// others write, too.
//
//	run              each step
//	  carryOut       one step
//	    send         attempts, each of which guard has to allow
//	    settle       reads after an attempt on the mappings whose outcome is not known
//	    await        reads until the platform shows what was sent
//
// report.go has what is said of it.
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

	// remote is the object as far as it is known. seen is what reads and responses have returned of it
	// first, or of what was sent, once they have shown it: a leaf that is another one later has changed
	// although the step did not send it. Only record and take set them.
	remote, seen tfvalue.Value
	// readAt is when the platform returned the object last, and mappedAt when it returned the table
	// mappings that are in remote: zero if it has not since the last PATCH.
	readAt, mappedAt time.Time
	// sent are the leaves, and edited the mappings, that PATCHes have changed, or may have.
	sent   tfvalue.Value
	edited tfvalue.Edit
	// unconfirmed are the paths of what the platform accepted and does not return.
	unconfirmed []string
}

// step is one PATCH of an update.
type step struct {
	Patch
	isSecond, isLast bool
	// isLost reports that an attempt has changed the mappings, or not: its outcome is not known.
	isLost bool
	// before and after are the mappings around the step. What guard asks is about those that are
	// related to concerns, and soFar is what the steps up to this one change.
	before, after tfvalue.Value
	concerns      []tfvalue.Value
	soFar         tfvalue.Edit
}

func (e *Engine) newUpdate(c *conn.Connection, r reviewed, last memory) *update {
	u := &update{
		Engine: e, connection: c, id: e.identity(r.Plan), change: r, memory: e.rememberRead(r.Remote, r.read.object, last),
		remote: r.Remote, seen: r.read.object, readAt: time.Now(), mappedAt: r.read.mappedAt, sent: tfvalue.Null(e.objectType),
	}
	whole, mappings := r.Edit, u.mappingsOf(r.Remote)
	first, later := u.key().InTwo(whole)
	between := u.key().After(mappings, first)
	one := step{
		Patch: Patch{Leaves: r.Leaves, Edit: first}, isLast: len(later) == 0,
		before: mappings, after: between, concerns: whole.All(), soFar: first,
	}
	two := step{
		Patch: Patch{Leaves: tfvalue.Null(u.objectType), Edit: tfvalue.Edit{Add: later}}, isSecond: true, isLast: true,
		before: between, after: u.key().After(mappings, whole), concerns: later, soFar: whole,
	}
	u.steps = slices.DeleteFunc([]step{one, two}, func(s step) bool { return s.IsEmpty() })
	return u
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
}

// carryOut sends one PATCH until its outcome is known, waits until the platform shows it, and
// reports whether the update may go on.
func (u *update) carryOut(ctx context.Context, s step, diags *diag.Diagnostics) (ok bool) {
	shown, err := u.send(ctx, s)
	ctx, stop := u.outlast(ctx, !s.isLast)
	defer stop()
	switch {
	case err == nil:
	case !platform.IsAmbiguous(err):
		u.lookForHalf(ctx, s, err)
	case !s.Edit.IsEmpty():
		s.isLost = true
		shown, err = u.settle(ctx, s, err)
		s.isLost = false
	case platform.IsUnreadable(err):
		return u.await(ctx, s, shown, err, diags)
	}
	if err != nil {
		u.addFailed(s, err, diags)
		return false
	}
	return u.await(ctx, s, shown, nil, diags)
}

// outlast returns a context that ends one request_timeout after the given one. An interrupt sends nothing
// new, but half of what was approved is a table that nobody replicates: a removal that was sent is
// followed by its addition.
func (u *update) outlast(ctx context.Context, isNeeded bool) (longer context.Context, stop func()) {
	if !isNeeded {
		return ctx, func() {}
	}
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() {
		time.AfterFunc(u.connection.Client.RequestTimeout(), func() { cancel(context.Cause(ctx)) })
	})
	return longer, func() {
		unhook()
		cancel(nil)
	}
}

// send sends the PATCH of a step, as often as it takes. It returns what the response shows, or what a
// read has shown if nothing is left to be sent.
func (u *update) send(ctx context.Context, s step) (shown response, err error) {
	ctx, stop := u.outlast(ctx, len(u.edited.Remove) > 0)
	defer stop()
	ctx, call, err := u.Begin(ctx, u.connection.Client, u.id)
	if err != nil {
		return shown, err
	}
	defer call.End()
	whole := s.Patch
	var failed error // of the last attempt
	for again := true; again; failed = cmp.Or(err, failed) {
		isDone, read, because := u.guard(ctx, s, failed != nil && !platform.IsRateLimited(err))
		if because != nil {
			return shown, stopped{failed, because}
		}
		if isDone {
			s.Edit = tfvalue.Edit{}
		}
		if isDone && !u.isLeft(s) {
			shown, err = read, nil
			break
		}
		again, shown, err = u.attempt(ctx, call, s)
	}
	if err == nil || platform.IsAmbiguous(err) {
		u.record(whole, err == nil)
	}
	return shown, err
}

// isLeft reports whether the platform does not have the leaves of a step.
func (u *update) isLeft(s step) bool { return u.Rules.Changes(s.Leaves, u.remote).AnyLeaf() }

// attempt sends the PATCH of a step once, and reports whether to try again.
func (u *update) attempt(ctx context.Context, call Call, s step) (again bool, shown response, err error) {
	carried, asOf := u.carries(s)
	s.Carried = carried
	patch := platform.Patch{Leaves: paths(s.All().Leaves()), Unrepeatable: !s.Edit.IsEmpty(), AsOf: asOf}
	if patch.Unrepeatable {
		patch.Leaves = append(patch.Leaves, u.Mappings.String())
	}
	if patch.Body, err = u.Body(u.change.Change, s.Patch); err != nil {
		return false, shown, fmt.Errorf("reading the plan: %w", err)
	}
	object := tfvalue.Null(u.objectType)
	again, err = call.Send(ctx, patch, u.Rules.Into(&object))
	return again, u.respond(object, u.elements(s)), err
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

// guard allows an attempt of a PATCH that changes mappings if those that it concerns are as they were
// before the step. If they are as it makes them, the step isDone. Otherwise somebody else has changed
// them, and nothing more is sent. Others are left alone. It asks of what the platform returned last,
// or of a new read if that is too old or an attempt has failed other than by a 429 (again), which also
// renews what the PATCH carries.
func (u *update) guard(ctx context.Context, s step, again bool) (isDone bool, read response, err error) {
	read.object = tfvalue.Null(u.objectType)
	_, asOf := u.carries(s)
	if asOf.IsZero() && s.Edit.IsEmpty() {
		return false, read, nil
	}
	if !again && time.Since(asOf) < platform.MaxAge {
		if isDone, err = u.ask(s, u.mappingsOf(u.remote)); err == nil {
			return isDone, read, nil
		}
	}
	for waiting := (wait{pause: firstPause}); ; {
		isDone, read, err = u.look(ctx, s)
		// Before the second PATCH, a read may be older than the first one, and another one is not.
		if !s.isSecond || !errors.As(err, new(conflict)) || !waiting.next(ctx) {
			return isDone, read, err
		}
	}
}

// look reads the object and asks the question of guard.
func (u *update) look(ctx context.Context, s step) (isDone bool, read response, err error) {
	now, err := u.observe(ctx, u.connection.Client, u.id, earlier{u.remote, u.elements(s), u.memory, !s.Edit.IsEmpty()})
	if err != nil {
		return false, read, err
	}
	unknown := u.unknown(s, now.response)
	if unknown != nil {
		now.remote, now.mappedAt = now.remote.With(u.mappingsOf(u.remote), u.Mappings...), time.Time{}
		now.object = now.object.Without(u.Mappings...)
	}
	u.take(now)
	if err = unknown; err == nil {
		isDone, err = u.ask(s, u.mappingsOf(u.remote))
	}
	return isDone, now.response, err
}

// unknown says why it is not known which mappings there are, if a step changes them.
func (u *update) unknown(s step, shown response) error {
	if s.Edit.IsEmpty() {
		return nil
	}
	if missing := u.unknownIn(shown.object, s.before, s.after); missing != "" {
		return errors.New(strings.TrimSuffix(missing, "."))
	}
	return nil
}

// ask asks whether the mappings that a step concerns, all together, are as it makes them (isDone), or as they
// were. Otherwise the error is a conflict.
func (u *update) ask(s step, now tfvalue.Value) (isDone bool, err error) {
	if s.Edit.IsEmpty() {
		return false, nil
	}
	isDone, conflicts := u.key().Ask(s.concerns, s.before, s.after, now)
	if concerned := u.key().Related(now, s.Edit.All()); !isDone && len(concerned.OtherForms()) > 0 {
		conflicts = concerned.Elements()
	}
	if s.isLost && s.isSecond && len(conflicts) > 0 { // a read may be older than the first PATCH
		_, conflicts = u.key().Ask(s.concerns, u.steps[0].before, s.after, now)
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

// stopped is the error of a step that was given up after an attempt, nil if there was none. It does
// not unwrap the attempt, whose outcome is no longer what counts.
type stopped struct{ attempt, because error }

func (s stopped) Error() string { return s.because.Error() }

// elements are the mappings that may be in the response to a step: as they were, or as it adds them.
func (u *update) elements(s step) tfvalue.Value {
	if s.Edit.IsEmpty() {
		return u.mappingsOf(u.remote)
	}
	return u.key().After(s.before, tfvalue.Edit{Add: s.Edit.Add})
}

// record remembers a PATCH that was carried out, or may have been. What was accepted counts as stored until
// the platform shows something else. What is not known to have arrived keeps its value: the next apply
// sends it again.
func (u *update) record(p Patch, isAccepted bool) {
	for _, leaf := range p.Leaves.Leaves() {
		u.seen = u.seen.Without(leaf.Path...)
	}
	u.sent = p.Leaves.Merge(u.sent)
	u.edited = tfvalue.Edit{Remove: append(u.edited.Remove, p.Edit.Remove...), Add: append(u.edited.Add, p.Edit.Add...)}
	u.mappedAt = time.Time{}
	if isAccepted {
		u.remote = p.Leaves.Merge(u.remote)
		if !p.Edit.IsEmpty() {
			u.remote = u.remote.With(u.key().After(u.mappingsOf(u.remote), p.Edit), u.Mappings...)
		}
	}
}

// take takes over the object as it is now, and what was returned of it.
func (u *update) take(now observed) {
	for _, leaf := range u.leavesOf(u.sent) {
		if value := now.object.At(leaf.Path...); !value.IsNull() && u.Rules.Confirms(leaf.Name(), leaf.Value, value) {
			u.seen = u.seen.With(value, leaf.Path...)
		}
	}
	u.remote, u.seen = u.Rules.Fill("", now.remote), u.seen.Merge(now.object)
	u.readAt, u.mappedAt = time.Now(), now.mappedAt
}

// settle finds out what became of a step on the mappings whose last attempt may still be carried out. It only
// reads, for up to 30 s, until the step is done, or somebody else has changed the mappings. Leaves are then sent
// again, since they are absolute. A removal is never sent again: the platform may carry out the first one later, and
// remove what was added since. What only adds is sent once more: it undoes nothing, and a table without its
// mapping is not replicated.
func (u *update) settle(ctx context.Context, s step, attempt error) (shown response, err error) {
	for mayResend := len(s.Edit.Remove) == 0 && u.connection.Client.Retries(); ; mayResend = false {
		shown, f, err := u.readOn(ctx, s, response{object: tfvalue.Null(u.objectType)})
		switch stop := cmp.Or(err, f.stop); {
		case stop != nil:
			return shown, stopped{attempt, stop}
		case f.isDone && !u.isLeft(s):
			return shown, nil
		case f.isDone:
			s.Edit = tfvalue.Edit{}
			return u.send(ctx, s)
		case !mayResend:
			return shown, stopped{attempt, errUndone}
		}
		if shown, err = u.send(ctx, s); !platform.IsAmbiguous(err) {
			return shown, err
		}
		attempt = err
	}
}

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

// lookForHalf reads once after a PATCH that failed and that the platform may have carried out by half,
// unless the update has stopped at a read. What it removes may be gone.
func (u *update) lookForHalf(ctx context.Context, s step, err error) {
	stop, isStop := err.(stopped) //nolint:errorlint // it is never wrapped
	if isStop {
		err = stop.attempt
	}
	failed := new(platform.Error)
	errors.As(err, &failed)
	if len(s.Edit.Remove) == 0 || failed.NothingDone() {
		return
	}
	u.edited.Remove = append(u.edited.Remove, s.Edit.Remove...)
	if !isStop {
		u.mappedAt = time.Time{}
		_, _, _ = u.look(ctx, s)
	}
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

// confirms reports whether the value of a leaf in a response is that of the leaf.
func (u *update) confirms(leaf tfvalue.Leaf, now tfvalue.Value) bool {
	return u.Rules.Confirms(leaf.Name(), leaf.Value, u.Rules.Fill(leaf.Name(), now))
}

// isPending reports whether a leaf was sent, and nothing that was returned has shown it.
func (u *update) isPending(at tfvalue.Path) bool {
	sent := u.sent.At(at...)
	return !sent.IsNull() && !u.Rules.Confirms(at.Name(), sent, u.seen.At(at...))
}

// moved returns the leaves, as they were returned first or were sent and shown, that are no longer the
// same. A leaf that is still to be sent, or to be shown, is none of them.
func (u *update) moved() []tfvalue.Leaf {
	return slices.DeleteFunc(u.leavesOf(u.seen), func(leaf tfvalue.Leaf) bool {
		isDue := !u.change.Leaves.At(leaf.Path...).IsNull() && u.sent.At(leaf.Path...).IsNull()
		return isDue || u.isPending(leaf.Path) || u.isMappings(leaf.Path) && u.mappedAt.IsZero() || u.confirms(leaf, u.remote.At(leaf.Path...))
	})
}
