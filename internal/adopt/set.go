package adopt

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// What an update removes from the keyed set and adds to it is decided once, at its beginning. One
// question guards it, before each attempt and after one whose outcome is not known: are the elements
// that it concerns as they were, or as it makes them? Otherwise somebody else has changed them, and
// nothing more is sent. Elements that it does not concern are left alone.

// setOf is the keyed set of an object.
func (e *Engine) setOf(object tfvalue.Value) tfvalue.Value { return object.At(e.KeyedSet...) }

// ownsKeyedSet reports whether the update manages the set.
func (u *update) ownsKeyedSet() bool { return u.KeyedSet != nil && u.owns(u.KeyedSet) }

// elements are those that may be in the response to a step: as they were, or as it adds them.
func (u *update) elements(s step) tfvalue.Value {
	if s.Edit.IsEmpty() {
		return u.setOf(u.remote)
	}
	return u.key().Replace(s.before, nil, s.Edit.Add)
}

// ask asks the question of the object as it is known: isDone if the elements are as the step makes
// them, and a conflict if they are not as they were, either.
func (u *update) ask(s step) (isDone bool, err error) {
	isDone, conflicts := u.key().Ask(s.concerns, s.before, s.after, u.setOf(u.remote))
	if concerned := u.concerned(s.Edit, u.remote); !isDone && len(concerned.OtherForms()) > 0 {
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
func (u *update) look(ctx context.Context, s step) (isDone bool, read tfvalue.Value, err error) {
	now, err := u.observe(ctx, u.connection.Client, u.id, known{last: u.remote, elements: u.elements(s), memory: u.memory, needsSet: true})
	if err != nil {
		return false, now.read, err
	}
	if missing := u.unknownIn(now.remote, now.read, s.before, s.after); missing != "" {
		u.take(now.remote.With(u.setOf(u.remote), u.KeyedSet...), now.read.Without(u.KeyedSet...), time.Time{})
		return false, now.read, unknownSet(missing)
	}
	u.take(now.remote, now.read, now.asOf)
	isDone, err = u.ask(s)
	return isDone, now.read, err
}

// guard asks the question before an attempt: of what the platform returned last, or of a new read if
// that is too old or an attempt has failed (again). Before the second step, a conflict is read again
// for a while: the read may be older than the first one.
func (u *update) guard(ctx context.Context, s step, again bool) (isDone bool, read tfvalue.Value, err error) {
	if !again && time.Since(u.setAt) < maxAge {
		if isDone, err = u.ask(s); err == nil {
			return isDone, tfvalue.Null(u.objectType), nil
		}
	}
	for waiting := (wait{}); ; {
		isDone, read, err = u.look(ctx, s)
		if isConflict := conflict(nil); s.isFirst || !errors.As(err, &isConflict) || !waiting.next(ctx, maxWait) {
			return isDone, read, err
		}
	}
}

// settle finds out what became of a step whose last attempt failed, and may still be carried out. It
// is only read. A removal is never sent again: the platform may carry out the first one later, and
// remove what was added since. What only adds is sent once more after reads have shown for a while
// that it was not done: it undoes nothing, and a table without its mapping is not replicated.
func (u *update) settle(ctx context.Context, s step, attempt error) (shown tfvalue.Value, err error) {
	for isLast := len(s.Edit.Remove) > 0 || !u.connection.Client.Retries(); ; isLast = true {
		isDone, read, err := u.watch(ctx, s)
		switch {
		case err != nil:
			return read, stopped{attempt, err}
		case isDone:
			return u.sendRest(ctx, s, read)
		case isLast:
			return read, stopped{attempt, fmt.Errorf("reads for %s show the %ss as they were, but the platform may still carry out the request. "+
				"Wait some minutes before you apply again, and look in the platform's console if in doubt: the late request could undo what the next apply does", maxWait, u.key().Noun)}
		}
		if shown, err = u.send(ctx, s); !platform.IsAmbiguous(err) {
			return shown, err
		}
		attempt = err
	}
}

// watch reads until a step is done, for a while. A conflict ends a step that removes at once: when the
// removal is done later, what somebody has changed could not be told any more.
func (u *update) watch(ctx context.Context, s step) (isDone bool, read tfvalue.Value, err error) {
	for waiting := (wait{}); ; {
		isDone, read, err = u.look(ctx, s)
		isConflict := conflict(nil)
		isOpen := err == nil && !isDone || errors.As(err, new(unknownSet)) || !s.isFirst && errors.As(err, &isConflict)
		if !isOpen || !waiting.next(ctx, maxWait) {
			return isDone, read, err
		}
	}
}

// stopped is the error of a step that was given up after an attempt, nil if there was none. It does
// not unwrap the attempt, whose outcome is no longer what counts.
type stopped struct{ attempt, because error }

func (s stopped) Error() string { return s.because.Error() }

// half returns the elements that a PATCH that failed has removed all the same, or may have: the
// platform may reject it half way. One read shows it, unless the update has stopped at one.
func (u *update) half(ctx context.Context, s step, err error) []tfvalue.Value {
	stop, isStop := err.(stopped) //nolint:errorlint // it is never wrapped
	if isStop {
		err = stop.attempt
	}
	failed := new(platform.Error)
	errors.As(err, &failed)
	if slices.Contains([]int{0, http.StatusUnauthorized, http.StatusForbidden}, failed.Status) || len(s.Edit.Remove) == 0 {
		return nil
	}
	if err = stop.because; !isStop {
		_, _, err = u.look(ctx, s)
	}
	if isConflict := conflict(nil); err != nil && !errors.As(err, &isConflict) {
		return s.Edit.Remove
	}
	there := u.key().Index(u.setOf(u.remote))
	return slices.DeleteFunc(slices.Clone(s.Edit.Remove), func(element tfvalue.Value) bool {
		_, stays := there[u.key().Of(element)]
		return stays
	})
}
