package adopt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// update updates one object, and verifies the responses.
//
// The API document does not show whether a PATCH resets what it omits, and any field
// may be missing from any response. So the object before is compared with the
// response, leaf by leaf.
type update struct {
	*Engine
	label string
	owned tfvalue.Value
	patch Patch
	read  func(ctx context.Context) (any, error)
	// observe is for patch.
	observe Observe

	// before is what was known of the remote object before the update, and known what
	// is known of it now.
	before, known tfvalue.Value
	// returned is what all responses so far have returned: only that can be missing.
	// reads is what only the reads among them have returned, of a keyed set only those
	// since it was sent.
	returned, reads tfvalue.Value
	// response is the last response. missing are the leaves of returned that both it
	// and the read after it omit.
	response tfvalue.Value
	missing  []tfvalue.Leaf
	// sent are all leaves that were sent.
	sent tfvalue.Value
	// mask is for describe.
	mask func(string) string
}

func (e *Engine) newUpdate(client *platform.Client, id Identity, change Change, known, read tfvalue.Value, last memory) *update {
	u := &update{
		Engine: e,
		label:  e.label(change.Plan, known),
		owned:  e.owned(change.Config, change.Plan),
		patch:  e.Patch(client, id, change),
		read:   func(ctx context.Context) (any, error) { return e.Read(ctx, client, id) },
		before: known, known: known,
		returned: read, reads: read, response: read,
		sent: tfvalue.Null(e.objectType),
		mask: client.Mask,
	}
	now := e.rememberRead(known, read, last)
	u.observe = func(ctx context.Context) (tfvalue.Value, tfvalue.Value, error) {
		return e.observe(ctx, client, id, u.known, now)
	}
	return u
}

// run changes the object to the owned leaves. If none differs, it sends nothing,
// unless forced. known is up to date after an error too.
func (u *update) run(ctx context.Context, forced bool, diags *diag.Diagnostics) {
	returnedBefore, send := u.returned, u.Rules.Changes(u.owned, u.known)
	if !forced && !send.AnyLeaf() {
		return
	}
	defer u.reportUnfinished(diags)
	moves := u.Moves(send)
	if !u.send(ctx, send, diags) {
		return
	}
	if reset := slices.ContainsFunc(u.owned.Leaves(), func(l tfvalue.Leaf) bool { return !u.confirms(l) }); reset {
		// The platform has reset owned leaves that the PATCH omitted: send all of them.
		if !u.send(ctx, u.owned, diags) {
			return
		}
		u.checkStored(u.owned, diags) // a further stage may have reset them again
	}
	u.warnUnmanaged(returnedBefore, moves, diags)
	u.learn(ctx)
}

// learn reads the object if the update has set leaves that no read has returned and
// the response has. It finds out whether reads return them: if so, one that is omitted
// later is empty on the platform, which is drift. The next refresh would find out too,
// but Terraform stores what a refresh has learned only with an apply.
func (u *update) learn(ctx context.Context) {
	news := slices.ContainsFunc(u.sent.Leaves(), func(leaf tfvalue.Leaf) bool {
		return u.before.At(leaf.Path...).IsNull() && u.hasReturned(u.response, leaf) && !u.hasReturned(u.reads, leaf)
	})
	if !news || !u.ReadsOne {
		return
	}
	// A failed read is not an error: nothing depends on it yet.
	if object, err := u.read(ctx); err == nil {
		u.reads = tfvalue.Encode(object, u.objectType).Fill(u.reads)
	}
}

// send changes the object to these leaves, and reports whether it succeeded. It
// checks the response to each PATCH, since the next one may reset the values.
func (u *update) send(ctx context.Context, leaves tfvalue.Value, diags *diag.Diagnostics) bool {
	for _, stage := range u.Stages(leaves, u.known) {
		if !u.sendStage(ctx, stage, diags) {
			return false
		}
		u.checkStored(stage, diags)
		if diags.HasError() {
			return false
		}
		u.returned = u.response.Fill(u.returned)
	}
	return true
}

// sendStage sends one PATCH. If the response omits leaves that were returned before,
// it reads the object once. A leaf that the read omits too is empty on the platform.
func (u *update) sendStage(ctx context.Context, leaves tfvalue.Value, diags *diag.Diagnostics) bool {
	response, err := u.patch(ctx, leaves, u.known, u.observe)
	if err != nil {
		conn.AddSentError(diags, "Cannot update "+u.Noun, err, leaves)
		return false
	}
	u.sent = leaves.Fill(u.sent)
	for _, leaf := range leaves.Leaves() {
		if _, keyed := u.Rules.Keys[leaf.Name()]; keyed && !u.reads.At(leaf.Path...).IsNull() {
			u.reads = u.reads.Without(leaf.Path...)
		}
	}
	u.response = response
	u.missing = u.omitted(leaves)
	if len(u.missing) > 0 {
		object, err := u.read(ctx)
		if err != nil {
			u.observeResponse(leaves)
			diags.AddError(
				fmt.Sprintf("Cannot read %s after its update", u.Noun),
				fmt.Sprintf("The API accepted the update of %s, but the response omits fields that earlier responses had, and reading them failed:\n\n%s", u.label, conn.Detail(err)),
			)
			return false
		}
		read := tfvalue.Encode(object, u.objectType)
		u.reads = read.Fill(u.reads)
		u.response = u.Rules.Fill(u.response, read)
		u.missing = u.omitted(leaves)
	}
	u.observeResponse(leaves)
	for _, leaf := range u.missing {
		u.known = u.known.With(u.response.At(leaf.Path...), leaf.Path...)
	}
	return true
}

// observeResponse adds the leaves that were sent, and the response, to what is known.
func (u *update) observeResponse(leaves tfvalue.Value) {
	always := func(tfvalue.Path) bool { return true }
	u.known, _ = u.Rules.Observe(u.Rules.Overlay(leaves, u.known), always, u.withIDs(u.response, u.known))
}

// omitted returns the leaves that were returned before and that the response omits,
// and those that were returned as empty, sent as another value, and omitted. A keyed
// set that was sent counts as never returned, unless the response omits it entirely.
func (u *update) omitted(leaves tfvalue.Value) []tfvalue.Leaf {
	omitted := slices.DeleteFunc(u.Rules.Missing(u.returned, u.response), func(leaf tfvalue.Leaf) bool {
		_, keyed := u.Rules.Keys[leaf.Name()]
		return keyed && !leaves.At(leaf.Path...).IsNull() && !u.response.At(leaf.Path...).IsNull()
	})
	for _, leaf := range leaves.Leaves() {
		was := u.returned.At(leaf.Path...)
		if !leaf.Value.IsEmpty() && !was.IsNull() && was.IsEmpty() && u.response.At(leaf.Path...).IsNull() {
			omitted = append(omitted, leaf)
		}
	}
	return omitted
}

// confirms reports whether the response confirms the wanted value of a leaf. A leaf
// that was never returned cannot be compared, and counts as confirmed.
func (u *update) confirms(wanted tfvalue.Leaf) bool {
	now := u.response.At(wanted.Path...)
	switch {
	case slices.ContainsFunc(u.missing, func(l tfvalue.Leaf) bool { return slices.Equal(l.Path, wanted.Path) }):
		return wanted.Value.IsEmpty()
	case now.IsNull() && u.returned.At(wanted.Path...).IsNull():
		return true
	default:
		return u.Rules.Answers(wanted.Name(), wanted.Value, now)
	}
}

// checkStored reports an error for each leaf that was sent and that the API returned
// with another value.
func (u *update) checkStored(sent tfvalue.Value, diags *diag.Diagnostics) {
	for _, leaf := range sent.Leaves() {
		if u.confirms(leaf) {
			continue
		}
		diags.AddAttributeError(
			conn.AttributePath(leaf.Path),
			fmt.Sprintf("API stored a different value for %s of %s", leaf.Path, u.label),
			fmt.Sprintf("%s was sent and accepted, but the API returned another value: %s. "+
				"Set the argument to that value, or remove it from the configuration.",
				leaf.Path, u.describe(u.mask, leaf.Name(), u.response.At(leaf.Path...))),
		)
	}
}

// warnUnmanaged warns, once per object, about unmanaged leaves that changed with the
// update.
func (u *update) warnUnmanaged(before tfvalue.Value, moves []string, diags *diag.Diagnostics) {
	var lines []string
	for _, was := range before.Leaves() {
		now, first := u.response.At(was.Path...), was.Path[0]
		if slices.Contains(moves, first) || slices.Contains(u.IDs, first) ||
			!u.owned.At(was.Path...).IsNull() || u.Rules.Answers(was.Name(), was.Value, now) {
			continue
		}
		lines = append(lines, fmt.Sprintf("  - %s: %s before, %s now", was.Path, u.describe(u.mask, was.Name(), was.Value), u.describe(u.mask, was.Name(), now)))
	}
	if len(lines) == 0 {
		return
	}
	diags.AddWarning(
		fmt.Sprintf("Update of %s changed values that the configuration does not manage", u.label),
		"The platform changed these with the update, although they were not sent:\n\n"+strings.Join(lines, "\n")+
			"\n\nTo manage one of them, add it to the configuration.",
	)
}

// reportUnfinished reports, after an error, the elements of keyed sets that were
// removed and those that the next apply has to add.
func (u *update) reportUnfinished(diags *diag.Diagnostics) {
	if !diags.HasError() {
		return
	}
	for _, leaf := range u.owned.Leaves() {
		key, keyed := u.Rules.Keys[leaf.Name()]
		if !keyed {
			continue
		}
		before, now := u.before.At(leaf.Path...), u.known.At(leaf.Path...)
		removed, _ := key.Difference(now, before)
		_, pending := key.Difference(leaf.Value, now)
		if len(removed) == 0 || len(pending) == 0 {
			continue
		}
		diags.AddError(
			fmt.Sprintf("Change of %s of %s is incomplete", leaf.Path, u.label),
			fmt.Sprintf("These %ss were removed:\n\n%s\n\nThese are not added yet:\n\n%s\n\n%s",
				key.Noun, key.List(removed), key.List(pending), strings.TrimSpace(u.Unfinished+" Apply again to add them.")),
		)
	}
}

// memory returns the memory of the state after an update. A leaf that was sent counts
// as unreported if no read has returned it and it was missing before. A keyed set that
// was sent counts as unreported until a read returns it in full.
func (u *update) memory(state, prior tfvalue.Value, last memory) memory {
	return u.remember(state, func(leaf tfvalue.Leaf) bool {
		_, keyed := u.Rules.Keys[leaf.Name()]
		switch sent := !u.sent.At(leaf.Path...).IsNull(); {
		case u.hasReturned(u.reads, leaf):
			return false
		case sent:
			return keyed || u.isUnreported(last, leaf.Path) || u.before.At(leaf.Path...).IsNull()
		default:
			return u.isUnreported(last, leaf.Path) || prior.At(leaf.Path...).IsNull()
		}
	})
}
