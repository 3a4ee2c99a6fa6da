package adopt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// What an update removes from the keyed map and adds to it is decided once, at its beginning. One
// question guards it, before each attempt and after one whose outcome is not known: are the elements
// that it concerns as they were, or as it makes them? Otherwise somebody else has changed them, and
// nothing more is sent. If somebody else has made the same change, nothing tells it from the update's
// own. Elements that it does not concern are left alone.

// ownsKeyedMap reports whether the update manages the set.
func (u *update) ownsKeyedMap() bool { return !u.setOf(u.change.wanted).IsNull() }

// elements are those that may be in the response to a step: as they were, or as it adds them.
func (u *update) elements(s step) tfvalue.Value {
	if s.Edit.IsEmpty() {
		return u.setOf(u.remote)
	}
	return u.key().After(s.before, tfvalue.Edit{Add: s.Edit.Add})
}

// ask asks the question of the object as it is known: isDone if the elements are as the step makes
// them, and a conflict if they are not as they were, either.
func (u *update) ask(s step) (isDone bool, err error) {
	isDone, conflicts := u.key().Ask(s.concerns, s.before, s.after, u.setOf(u.remote))
	if concerned := u.key().Related(u.setOf(u.remote), s.Edit.All()); !isDone && len(concerned.OtherForms()) > 0 {
		conflicts = concerned.Elements()
	}
	if len(conflicts) > 0 {
		return false, conflict(conflicts)
	}
	return isDone, nil
}

// conflict is the error of elements that are neither as they were nor as the update makes them. They
// are as they are now, or were before.
type conflict []tfvalue.Value

func (conflict) Error() string { return "the elements have changed" }

// unknownSet is the error of a read that does not say which elements there are.
type unknownSet string

func (e unknownSet) Error() string { return string(e) }

// look reads the object and asks the question.
func (u *update) look(ctx context.Context, s step) (isDone bool, read response, err error) {
	now, err := u.observe(ctx, u.connection.Client, u.id, earlier{u.remote, u.elements(s), u.memory, true})
	if err != nil {
		return false, read, err
	}
	if missing := u.unknownIn(now, s.before, s.after); missing != "" {
		u.take(observed{now.remote.With(u.setOf(u.remote), u.KeyedMap...), response{object: now.object.Without(u.KeyedMap...)}})
		return false, now.response, unknownSet(missing)
	}
	u.take(now)
	isDone, err = u.ask(s)
	return isDone, now.response, err
}

// watch looks for a while, as long as the answer is open.
func (u *update) watch(ctx context.Context, s step, isOpen func(isDone bool, err error) bool) (isDone bool, read response, err error) {
	for waiting := (wait{pause: firstPause}); ; {
		isDone, read, err = u.look(ctx, s)
		if !isOpen(isDone, err) || !waiting.next(ctx) {
			return isDone, read, err
		}
	}
}

// mayPass reports whether the elements have changed, as a read shows that may be older than the step
// before this one: another read may not show it.
func (s step) mayPass(err error) bool { return !s.isFirst && errors.As(err, new(conflict)) }

// guard asks the question before an attempt: of what the platform returned last, or of a new read if
// that is too old or an attempt has failed other than by a 429 (again).
func (u *update) guard(ctx context.Context, s step, again bool) (isDone bool, read response, err error) {
	if !again && time.Since(u.setAt) < platform.MaxAge {
		if isDone, err = u.ask(s); err == nil {
			return isDone, response{object: tfvalue.Null(u.objectType)}, nil
		}
	}
	return u.watch(ctx, s, func(_ bool, err error) bool { return s.mayPass(err) })
}

// findOutcome finds out what became of a step whose last attempt failed, and may still be carried out. It
// is only read. A removal is never sent again: the platform may carry out the first one later, and
// remove what was added since. What only adds is sent once more after reads have shown for a while
// that it was not done: it undoes nothing, and a table without its mapping is not replicated.
//
// A conflict ends the first step at once: when it is done later, what somebody has changed could not
// be told any more.
func (u *update) findOutcome(ctx context.Context, s step, attempt error) (shown response, err error) {
	isOpen := func(isDone bool, err error) bool {
		return err == nil && !isDone || errors.As(err, new(unknownSet)) || s.mayPass(err)
	}
	for mayResend := len(s.Edit.Remove) == 0 && u.connection.Client.Retries(); ; mayResend = false {
		isDone, read, err := u.watch(ctx, s, isOpen)
		switch {
		case err != nil:
			return read, stopped{attempt, err}
		case isDone:
			return u.sendRest(ctx, s, read)
		case !mayResend:
			return read, stopped{attempt, fmt.Errorf("reads for %s show the %ss as they were, but the platform may still carry out the request. "+
				"Wait some minutes before you apply again, and look in the platform's console if in doubt: the late request could undo what the next apply does", maxWait, u.key().Noun)}
		}
		if shown, err = u.send(ctx, s); !platform.IsAmbiguous(err) {
			return shown, err
		}
		attempt = err
	}
}

// stopped is the error of a step that was given up after an attempt, nil if there was none. It does
// not unwrap the attempt, whose outcome is no longer what counts.
type stopped struct{ attempt, because error }

func (s stopped) Error() string { return s.because.Error() }

// removedDespite returns the elements that a PATCH that failed has removed all the same, or may have:
// the platform may reject it half way. One read shows it, unless the update has stopped at one.
func (u *update) removedDespite(ctx context.Context, s step, err error) []tfvalue.Value {
	stop, isStop := err.(stopped) //nolint:errorlint // it is never wrapped
	if isStop {
		err = stop.attempt
	}
	failed := new(platform.Error)
	errors.As(err, &failed)
	if len(s.Edit.Remove) == 0 || failed.NothingDone() {
		return nil
	}
	if err = stop.because; !isStop {
		_, _, err = u.look(ctx, s)
	}
	if err != nil && !errors.As(err, new(conflict)) {
		return s.Edit.Remove // not known
	}
	return u.key().Except(s.Edit.Remove, u.setOf(u.remote).Elements())
}
