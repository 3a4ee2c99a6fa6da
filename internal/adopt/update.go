package adopt

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// update updates one object: first its leaves (update_leaves.go), and then its table mappings (update_mappings.go). No PATCH
// changes both. Leaves are absolute values: they may be sent again, and a response that shows them is believed. A removal of
// a mapping is never sent again, and reads say what became of it.
//
// What is to be done is decided at the beginning. The API document does not say whether a PATCH resets what it omits,
// whether a response is new, or whether a request that failed has ended, and others write, too.
type update struct {
	observed
	// start is what is to be done, as reviewed at the beginning: what it has observed is of then.
	start reviewed
	diags *diag.Diagnostics

	// sent are the leaves that a PATCH has changed, or may have, and pending are those that no response has shown since.
	sent, pending tfvalue.Value
	// edited is what PATCHes have changed of the mappings, or may have. If isAccepted, the platform has accepted the last one.
	edited     tfvalue.Edit
	isAccepted bool
	// untold says why it is not known after the last response, or a read that failed, which mappings there are; nil if it is.
	untold error

	readAgain time.Time     // when the mappings were last read after an attempt that had failed
	waited    time.Duration // by the last readUntil
}

func newUpdate(r reviewed, diags *diag.Diagnostics) *update {
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
	u.warnUnconfirmed()
	u.warnStale()
	u.warnDrifted()
	if u.diags.HasError() && u.owns(u.Mappings) {
		u.addPartlyUpdated()
	}
}

// send sends a PATCH as often as it takes. If isSent, the platform has accepted it, or may carry it out in spite of failed.
// Otherwise, failed is why it was rejected, or nil if mayBeSent has said no. That is asked before each attempt, and reads what
// the attempt is based on, if that is too old. note is called after each attempt that was accepted, with its response, or
// that may be carried out all the same, with null.
func (u *update) send(ctx context.Context, content Content, mayBeSent func(ctx context.Context, failed error) bool,
	note func(response tfvalue.Value)) (isSent bool, failed error) {
	ctx, call := u.Begin(ctx, u.client, u.id)
	defer call.End()
	for again := true; again; {
		if !mayBeSent(ctx, failed) {
			return false, nil
		}
		var err error
		if isSent, again, err = u.attempt(ctx, call, content, note); err == nil && again { // what it is based on has become too old
			continue
		}
		// What was read before a failure is too old. After a rate limit, only mappings are read again, and once in 10 s: under a
		// limit of one request a second, the PATCH would never have its turn.
		if again && (!platform.AsError(err).IsLimited() || !content.Edit.IsEmpty() && !isFresh(u.readAgain)) {
			u.readAt, u.mappedAt = time.Time{}, time.Time{}
		}
		failed = err
	}
	return isSent, failed
}

// attempt sends a PATCH once, and reports whether to try again. What it is based on is the last read, unless it has only
// leaves as they are planned.
func (u *update) attempt(ctx context.Context, call Call, content Content, note func(tfvalue.Value)) (isSent, again bool, err error) {
	content.Carried = u.carriedWith(content.Leaves)
	request := platform.Patch{Leaves: tfvalue.Paths(content.All().Leaves()), NonIdempotent: !content.Edit.IsEmpty()}
	request.Body, request.HasCredentials = u.Body(u.start.Change, content)
	switch {
	case request.NonIdempotent:
		request.Leaves, request.AsOf = append(request.Leaves, u.Mappings.String()), u.mappedAt
	case content.Carried.AnyLeaf():
		request.AsOf = u.readAt
	}
	response := tfvalue.Null(u.objectType)
	again, err = call.Send(ctx, request, u.Rules.Into(&response))
	isAccepted := err == nil && !again
	if isSent = isAccepted || platform.AsError(err).Ambiguous; isSent {
		u.returned, u.mappedAt, u.isAccepted = tfvalue.Null(u.objectType), time.Time{}, isAccepted
		note(response)
	}
	return isSent, again, err
}

// carriedWith are the leaves that a PATCH of others carries, as they were sent or the platform has them.
func (u *update) carriedWith(leaves tfvalue.Value) tfvalue.Value {
	return u.carried(u.start, leaves, u.sent.Merge(u.remote))
}

// isFresh reports whether an attempt may be based on what was read then.
func isFresh(readAt time.Time) bool { return time.Since(readAt) < platform.MaxAge }

// take takes over a response, and reports whether it is doubtful. If it does not say which mappings there are, they stay
// as they were. If it omits a part of them for the first time, they are as it says unless a read says otherwise.
func (u *update) take(object tfvalue.Value) (isDoubtful bool) {
	mappings, mappedAt := u.mappingsOf(u.remote), u.mappedAt
	u.mappedAt = time.Time{}
	isDoubtful = u.merge(object, u.key().After(mappings, tfvalue.Edit{Add: u.edited.Add}), u.pending)
	if u.Mappings == nil {
		return isDoubtful
	}
	u.untold = u.unknownIn(object, u.mayBeNone())
	switch {
	case u.untold != nil:
		u.mappedAt = mappedAt
	case u.mappingsOf(object).IsNull():
		mappings = tfvalue.Null(mappings.Type())
	default:
		mappings = u.mappingsOf(u.returned)
	}
	u.remote = u.remote.With(mappings, u.Mappings...)
	if u.untold == nil && u.mappedAt.IsZero() {
		u.untold = fmt.Errorf("the API did not return all of %s", u.Mappings)
	}
	return isDoubtful
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
		u.untold = cmp.Or(err, u.untold)
		u.waited = min(time.Since(begun), maxWait)
		if isOver(err) || u.waited == maxWait || ctx.Err() != nil {
			return err
		}
		select {
		case <-time.After(min(pause, maxWait-u.waited)):
		case <-ctx.Done():
		}
	}
}

// owns reports whether the configuration manages a leaf.
func (u *update) owns(at tfvalue.Path) bool { return at != nil && !u.start.wanted.At(at...).IsNull() }

// addUnread reports a read that failed: before an attempt, which may follow one that failed, or after a PATCH.
func (u *update) addUnread(failed, unread error, isAfter bool) {
	summary, text := u.CannotUpdate, join(conn.Detail(failed), u.stopped(failed)+": "+conn.Detail(unread))
	if isAfter {
		summary = fmt.Sprintf("Cannot read %s after its update", u.Noun)
		text = fmt.Sprintf("The update of %s was sent, but what was returned leaves a doubt about the result, and reading the %s failed:\n\n%s",
			u.start.Label, u.Noun, conn.Detail(unread))
	}
	u.diags.AddError(summary, text)
}

// stopped begins a sentence about why nothing more is sent.
func (u *update) stopped(failed error) string {
	if failed == nil && u.edited.IsEmpty() && u.sent.IsNull() {
		return "Nothing was sent"
	}
	return "Nothing more was sent"
}

func (u *update) describeChange(at tfvalue.Path, one, other tfvalue.Value, verbs ...string) []string {
	return tfvalue.DescribeChange(at, one, other, [2]string(verbs), u.client.Mask)
}

// join joins paragraphs, of which some may be empty.
func join(paragraphs ...string) string {
	return strings.Join(slices.DeleteFunc(paragraphs, func(text string) bool { return text == "" }), "\n\n")
}
