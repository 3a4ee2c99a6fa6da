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

// update writes to one object, and verifies what comes back.
//
// The API document doesn't say whether a PATCH resets what it omits, and any
// field may be missing from any response. So what the platform held before is
// compared with what it returns, leaf by leaf.
type update struct {
	*Engine
	label string
	owned tfvalue.Value
	patch Patch
	read  func(ctx context.Context) (any, error)
	// observe is what a patch is given.
	observe Observe

	// before is what was known of the remote object at first, known what is
	// known of it by now.
	before, known tfvalue.Value
	// told is all that responses have said of it: what was never told can't be
	// missing. reads is what reads alone have said.
	told, reads tfvalue.Value
	// answer is what the last response said, and missing what it and a read
	// omit of what was told.
	answer  tfvalue.Value
	missing []tfvalue.Leaf
	// sent are all leaves that were sent.
	sent tfvalue.Value
}

func (e *Engine) newUpdate(client *platform.Client, id Identity, change Change, known, read tfvalue.Value, last memory) *update {
	u := &update{
		Engine: e,
		label:  e.label(change.Plan, known),
		owned:  e.owned(change.Config, change.Plan),
		patch:  e.Patch(client, id, change),
		read:   func(ctx context.Context) (any, error) { return e.Read(ctx, client, id) },
		before: known, known: known,
		told: read, reads: read, answer: read,
		sent: tfvalue.Null(e.objectType),
	}
	now := e.rememberRead(known, read, last)
	u.observe = func(ctx context.Context) (tfvalue.Value, tfvalue.Value, error) {
		return e.observe(ctx, client, id, u.known, now)
	}
	return u
}

// run brings the object to what is owned. Where nothing differs, nothing is
// sent, unless forced. After an error, known is still what is known.
func (u *update) run(ctx context.Context, forced bool, diags *diag.Diagnostics) {
	toldBefore, send := u.told, u.Rules.Changes(u.owned, u.known)
	if !forced && !send.AnyLeaf() {
		return
	}
	defer u.reportUnfinished(diags)
	moves := u.Moves(send)
	if !u.send(ctx, send, diags) {
		return
	}
	if reset := slices.ContainsFunc(u.owned.Leaves(), func(l tfvalue.Leaf) bool { return !u.holds(l) }); reset {
		// The platform reset what the PATCH omitted: once more, with all that is
		// owned.
		if !u.send(ctx, u.owned, diags) {
			return
		}
		u.reject(u.owned, diags) // a second stage may have reset them once more
	}
	u.warnMoved(toldBefore, moves, diags)
}

// send brings the object to these leaves, and reports whether it got there.
// Each PATCH has to be answered with what it sent, since the next may reset it
// again.
func (u *update) send(ctx context.Context, leaves tfvalue.Value, diags *diag.Diagnostics) bool {
	for _, stage := range u.Stages(leaves, u.known) {
		if !u.sendStage(ctx, stage, diags) {
			return false
		}
		u.reject(stage, diags)
		if diags.HasError() {
			return false
		}
		u.told = u.answer.Fill(u.told)
	}
	return true
}

// sendStage makes one PATCH. What was told before and is missing in the
// response is asked for, once; what is missing still has moved.
func (u *update) sendStage(ctx context.Context, leaves tfvalue.Value, diags *diag.Diagnostics) bool {
	answer, err := u.patch(ctx, leaves, u.known, u.observe)
	if err != nil {
		conn.AddSentError(diags, "Unable to update "+u.Noun, err, leaves)
		return false
	}
	u.sent = leaves.Fill(u.sent)
	u.answer = answer
	u.missing = u.omitted(leaves)
	if len(u.missing) > 0 {
		response, err := u.read(ctx)
		if err != nil {
			u.learn(leaves)
			diags.AddError(
				fmt.Sprintf("Unable to read %s back", u.Noun),
				fmt.Sprintf("The update of %s was accepted, but the response omits fields that earlier responses had, and reading them failed:\n\n%s", u.label, err),
			)
			return false
		}
		read := tfvalue.Encode(response, u.objectType)
		u.reads = read.Fill(u.reads)
		u.answer = u.Rules.Fill(u.answer, read)
		u.missing = u.omitted(leaves)
	}
	u.learn(leaves)
	for _, leaf := range u.missing {
		u.known = u.known.With(u.answer.At(leaf.Path...), leaf.Path...)
	}
	return true
}

// learn adds what was sent, and what the response says, to what is known.
func (u *update) learn(leaves tfvalue.Value) {
	always := func(tfvalue.Path) bool { return true }
	u.known, _ = u.Rules.Observe(u.Rules.Overlay(leaves, u.known), always, u.withIDs(u.answer, u.known))
}

// omitted are the leaves that were told before and are missing in the response,
// and those that were told as empty and sent as something else. A keyed set that
// was sent counts as never told.
func (u *update) omitted(leaves tfvalue.Value) []tfvalue.Leaf {
	omitted := slices.DeleteFunc(u.Rules.Missing(u.told, u.answer), func(leaf tfvalue.Leaf) bool {
		_, keyed := u.Rules.Keys[leaf.Name()]
		return keyed && !leaves.At(leaf.Path...).IsNull() && !u.answer.At(leaf.Path...).IsNull()
	})
	for _, leaf := range leaves.Leaves() {
		told := u.told.At(leaf.Path...)
		if !leaf.Value.IsEmpty() && !told.IsNull() && told.IsEmpty() && u.answer.At(leaf.Path...).IsNull() {
			omitted = append(omitted, leaf)
		}
	}
	return omitted
}

// holds reports whether the platform holds what is wanted of a leaf, as far as
// it tells. One that it never told can't be compared.
func (u *update) holds(wanted tfvalue.Leaf) bool {
	now := u.answer.At(wanted.Path...)
	switch {
	case slices.ContainsFunc(u.missing, func(l tfvalue.Leaf) bool { return slices.Equal(l.Path, wanted.Path) }):
		return wanted.Value.IsEmpty()
	case now.IsNull() && u.told.At(wanted.Path...).IsNull():
		return true
	default:
		return u.Rules.Answers(wanted.Name(), wanted.Value, now)
	}
}

// reject reports each leaf that was sent and is answered differently.
func (u *update) reject(sent tfvalue.Value, diags *diag.Diagnostics) {
	for _, leaf := range sent.Leaves() {
		if u.holds(leaf) {
			continue
		}
		diags.AddAttributeError(
			conn.AttributePath(leaf.Path),
			fmt.Sprintf("API stored a different value for %s of %s", leaf.Path, u.label),
			fmt.Sprintf("%s was sent and accepted, but the platform holds another value: %s. "+
				"Set the attribute to that value, or remove it from the configuration.",
				leaf.Path, u.Rules.Describe(leaf.Name(), u.answer.At(leaf.Path...))),
		)
	}
}

// warnMoved tells, in one warning, which leaves nobody owns and which moved all
// the same.
func (u *update) warnMoved(before tfvalue.Value, moves []string, diags *diag.Diagnostics) {
	var lines []string
	for _, was := range before.Leaves() {
		now, first := u.answer.At(was.Path...), was.Path[0]
		if slices.Contains(moves, first) || slices.Contains(u.IDs, first) ||
			!u.owned.At(was.Path...).IsNull() || u.Rules.Answers(was.Name(), was.Value, now) {
			continue
		}
		lines = append(lines, fmt.Sprintf("  - %s: %s before, %s now", was.Path, u.Rules.Describe(was.Name(), was.Value), u.Rules.Describe(was.Name(), now)))
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

// reportUnfinished names, after an error, the elements of keyed sets that were
// removed and that the next apply has to add.
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
			fmt.Sprintf("Change of %s of %s is half done", leaf.Path, u.label),
			fmt.Sprintf("Removed:\n\n%s\n\nNot added yet:\n\n%s\n\nThe next apply adds them.", key.List(removed), key.List(pending)),
		)
	}
}

// memory is what is remembered of a state that an update led to. A leaf that
// was sent counts as never told if it was missing before and is missing still,
// and a keyed set that was sent until a read tells it in full.
func (u *update) memory(state, prior tfvalue.Value, last memory) memory {
	return u.remember(state, func(leaf tfvalue.Leaf) bool {
		_, keyed := u.Rules.Keys[leaf.Name()]
		switch sent := !u.sent.At(leaf.Path...).IsNull(); {
		case sent && keyed:
			return true
		case u.tells(u.reads, leaf):
			return false
		case sent:
			return u.isUntold(last, leaf.Path) || u.before.At(leaf.Path...).IsNull()
		default:
			return u.isUntold(last, leaf.Path) || prior.At(leaf.Path...).IsNull()
		}
	})
}
