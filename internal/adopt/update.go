package adopt

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// update updates one object: first its leaves (update_leaves.go), and then its table mappings (update_mappings.go). No PATCH
// changes both. Leaves are absolute values: they may be sent again, and a response that shows them is believed. A removal of
// a mapping is never sent again, and only a read says what became of it.
//
// What is to be done is decided at the beginning. The API document does not say whether a PATCH resets what it omits,
// whether a response is new, or whether a request that failed has ended, and others write, too.
type update struct {
	observed
	// start is what is to be done, as reviewed at the beginning: what it has observed is of then.
	start Review
	diags *diag.Diagnostics

	// sent are the leaves that a PATCH has changed, or may have, and pending are those that no response has shown since.
	sent, pending tfvalue.Value
	// edited is what PATCHes have changed of the mappings, or may have: one that was rejected may have removed some.
	edited tfvalue.Edit
	// isUnready means that the mappings were not as before the last step when it was to be sent.
	isUnready bool
	// foreign are mappings in which others have excluded a column between a removal and its addition, which would copy it.
	foreign []tfvalue.Value
	// beside names what the last PATCH carried, and twice lists what was sent again although a first request may still be
	// carried out. If credentialsAreOpen, that may be one with credentials.
	beside, twice      []string
	credentialsAreOpen bool

	forgotAt time.Time     // see forget
	waited   time.Duration // the longest wait of a step
}

func newUpdate(r Review, diags *diag.Diagnostics) *update {
	nothing := tfvalue.Null(r.objectType)
	u := &update{observed: r.observed, start: r, diags: diags, sent: nothing, pending: nothing}
	u.memory = u.remembered()
	return u
}

// run carries out the change. If nothing differs, it sends no PATCH. After an error, too, remote is the object as far as it
// is known.
func (u *update) run(ctx context.Context) {
	u.updateLeaves(ctx)
	if !u.diags.HasError() {
		u.updateMappings(ctx)
		u.addLate() // what was unconfirmed until then
	}
	if !u.diags.HasError() {
		u.warnNotReturned()
	}
	u.warnTwice()
	u.warnStale()
	u.warnDrifted()
}

// send sends a PATCH as often as it takes, once isReady before each attempt. If isSent, the platform has accepted it, or
// may carry it out in spite of failed, the error of the last attempt.
func (u *update) send(ctx context.Context, content Content, isReady func(context.Context) bool) (isSent bool, failed error) {
	ctx, call := u.Begin(ctx, u.client, u.id)
	defer call.End()
	for again := true; again; {
		if !isReady(ctx) {
			return false, failed
		}
		request, response := u.request(content), tfvalue.Null(u.objectType)
		var err error
		if again, err = call.Send(ctx, request, u.Rules.Into(&response)); err == nil && again {
			continue // what it is based on has become too old
		}
		failed, isSent = err, u.note(content, response, err)
		if again {
			u.forget(failed)
		}
		if isSent && request.HasCredentials {
			u.noteCredentials(failed == nil)
		}
	}
	return isSent, failed
}

// noteCredentials notes that credentials were accepted, or may still arrive: accepted after that, they were sent twice.
func (u *update) noteCredentials(isAccepted bool) {
	if isAccepted && u.credentialsAreOpen {
		u.twice = append(u.twice, "  - the credentials")
	}
	u.credentialsAreOpen = !isAccepted
}

// request is a PATCH. What it is based on is the last read, unless it has only leaves as they are planned.
func (u *update) request(content Content) platform.Patch {
	content.Carried = u.carriedWith(content.Leaves)
	u.beside = tfvalue.Paths(content.Carried.Leaves())
	request := platform.Patch{Leaves: tfvalue.Paths(content.All().Leaves()), NonIdempotent: !content.Edit.IsEmpty()}
	request.Body, request.HasCredentials = u.Body(u.start.Change, content)
	switch {
	case request.NonIdempotent:
		request.Leaves, request.AsOf = append(request.Leaves, u.Mappings.String()), u.mappedAt
	case len(u.beside) > 0:
		request.AsOf = u.readAt
	}
	return request
}

// carriedWith are the leaves that a PATCH of others carries, as the last read has them. One that was sent before is among them only
// if that shows it as it was sent: otherwise, somebody has changed it since.
func (u *update) carriedWith(leaves tfvalue.Value) tfvalue.Value {
	carried := u.carried(u.start, leaves, u.remote)
	for _, leaf := range u.sent.Leaves() {
		if !u.isStored(leaf) {
			carried = carried.Without(leaf.Path...)
		}
	}
	return carried
}

// note notes what an attempt has changed, or may have. If isSent, the platform has accepted it, or may still carry it out. Leaves
// that were accepted count as stored until the platform shows something else. Those that may not have arrived keep their value in
// the state: the next apply sends them again. A response is not a read.
func (u *update) note(content Content, response tfvalue.Value, err error) (isSent bool) {
	isSent = err == nil || platform.AsError(err).Ambiguous
	if err != nil && platform.AsError(err).NothingDone() {
		return false
	}
	u.returned = tfvalue.Null(u.objectType)
	u.edited.Remove = slices.Concat(u.edited.Remove, content.Edit.Remove)
	if isSent {
		u.edited.Add = slices.Concat(u.edited.Add, content.Edit.Add)
	}
	if isSent && content.Edit.IsEmpty() {
		u.sent, u.pending = u.start.Leaves, u.start.Leaves
		if err == nil {
			u.remote = u.start.Leaves.Merge(u.remote)
			u.take(response)
		}
	}
	u.readAt, u.mappedAt = time.Time{}, time.Time{}
	return isSent
}

// forget has what was read before a failure be too old for the next attempt. After a 429, that is once in 10 s: with a read
// each time, a limit of one request a second would starve it.
func (u *update) forget(failed error) {
	if !platform.AsError(failed).IsLimited() || !isFresh(u.forgotAt) {
		u.forgotAt, u.readAt, u.mappedAt = time.Now(), time.Time{}, time.Time{}
	}
}

// isFresh reports whether an attempt may be based on what was read then.
func isFresh(readAt time.Time) bool { return time.Since(readAt) < platform.MaxAge }

// take takes over a response, and reports whether it is doubtful. If it does not say which mappings there are, they stay as
// they were. If it omits a part of them for the first time, they are as it says unless a read says otherwise.
func (u *update) take(object tfvalue.Value) (isDoubtful bool) {
	known, key := u.mappingsOf(u.remote), u.key()
	isDoubtful = u.merge(object, key.After(known, tfvalue.Edit{Add: u.edited.Add}), u.pending, u.mayBeNone())
	now := u.mappingsOf(u.remote)
	switch {
	case u.untold != nil && u.unknownIn(object, u.mayBeNone()) != nil:
		u.remote = u.remote.With(known, u.Mappings...)
	case u.untold != nil:
		u.remote, u.mappedAt = u.remote.With(u.Rules.Fill(u.Mappings.Name(), u.mappingsOf(object)), u.Mappings...), time.Time{}
	case len(u.edited.Remove) > 0 && len(u.edited.Add) == 0:
		u.noteForeign(now.Elements())
	}
	return isDoubtful
}

// noteForeign notes the mappings in which others have excluded a column that something that is to be added would copy.
func (u *update) noteForeign(now []tfvalue.Value) {
	for _, mapping := range now {
		isLost := func(add tfvalue.Value) bool { return len(words.Without(u.excludedSince(mapping), Excluded(add))) > 0 }
		if slices.ContainsFunc(u.key().Among(u.start.Edit.Add, []tfvalue.Value{mapping}), isLost) {
			u.foreign = append(u.foreign, mapping)
		}
	}
}

// excludedSince are the columns that a mapping excludes, and none of its source or target did at the beginning.
func (u *update) excludedSince(mapping tfvalue.Value) []string {
	columns := Excluded(mapping)
	for _, one := range u.key().Among(u.mappingsOf(u.start.remote).Elements(), []tfvalue.Value{mapping}) {
		columns = words.Without(columns, Excluded(one))
	}
	return columns
}

const (
	firstPause, maxPause = 500 * time.Millisecond, 5 * time.Second
	maxWait              = 30 * time.Second // of a wait
)

// readUntil reads until isOver, for up to 30 s: at once, and then after longer and longer pauses. An interrupt ends the
// pauses, and a last read follows, within one request_timeout. unread is the error of a read, and that of the last one is
// returned.
func (u *update) readUntil(ctx context.Context, isOver func(unread error) bool) error {
	reading, stop := u.client.Outlast(ctx, true)
	defer stop()
	for begun, pause := time.Now(), firstPause; ; pause = min(2*pause, maxPause) {
		err := u.readTwice(reading, u.take)
		if err != nil {
			u.untold = err
		}
		waited := time.Since(begun)
		u.waited = max(u.waited, waited)
		if isOver(err) || waited >= maxWait || ctx.Err() != nil {
			return err
		}
		select {
		case <-time.After(min(pause, maxWait-waited)):
		case <-ctx.Done():
		}
	}
}

// isRead reports whether a read has succeeded, or another one would not.
func isRead(unread error) bool { return unread == nil || platform.AsError(unread).IsRejected() }

// owns reports whether the configuration manages a leaf.
func (u *update) owns(at tfvalue.Path) bool { return at != nil && !u.start.wanted.At(at...).IsNull() }

// why is the text of a PATCH that failed, "" for none. It names what the PATCH carried, which may be the reason.
func (u *update) why(failed error) string {
	if failed == nil || len(u.beside) == 0 {
		return conn.Detail(failed)
	}
	return words.Paragraphs(conn.Detail(failed), fmt.Sprintf("The request also had %s, with the values of the last read, because an earlier update "+
		"changed that without sending it, or what changes needs it. If it is the reason, set what the API demands beside it, such as credentials.",
		words.Enumerate(u.beside)))
}

// warnTwice warns about what was sent twice: no later plan can show that the first request undoes a change.
func (u *update) warnTwice() {
	if len(u.twice) > 0 {
		u.diags.AddWarning("An earlier request may still change "+u.start.Label,
			"The update was sent again, because it is not known what became of the first request. The platform may still carry that out. "+
				"Wait some minutes before you change these again, or the first request may undo that:\n\n"+strings.Join(u.twice, "\n"))
	}
}
