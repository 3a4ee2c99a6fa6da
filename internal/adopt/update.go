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
// await.go has the reads, and report.go what is said of it.
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

// outlast returns a context that ends one request_timeout after the given one. An interrupt ends what is
// still to be sent, but half of what was approved is a table that nobody replicates: a removal that was sent is
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
