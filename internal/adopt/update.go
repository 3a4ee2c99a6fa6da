package adopt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
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
	read  func(ctx context.Context) (any, error)
	patch Patch

	// known is the remote object as far as it is known by now.
	known tfvalue.Value
	// told is all that responses have said of it: what was never told can't be
	// missing.
	told tfvalue.Value
	// answer is what the last response said.
	answer tfvalue.Value
}

// run brings the object to what is owned. Where nothing differs, nothing is
// sent, unless forced. After an error, known is still what is known.
func (u *update) run(ctx context.Context, forced bool, diags *diag.Diagnostics) {
	before, send := u.told, u.Rules.Changes(u.owned, u.known)
	if !forced && !send.AnyLeaf() {
		return
	}
	moves := u.moves(send)
	if !u.send(ctx, send, diags) {
		return
	}
	if reset := slices.ContainsFunc(u.owned.Leaves(), func(l tfvalue.Leaf) bool { return !u.holds(l) }); reset {
		// The platform reset what the PATCH omitted: once more, with all that is
		// owned.
		if !u.send(ctx, u.owned, diags) {
			return
		}
	}
	u.warnMoved(before, moves, diags)
}

// send brings the object to these leaves, and reports whether it got there.
// Each PATCH has to be answered with what it sent, since the next may reset it
// again.
func (u *update) send(ctx context.Context, leaves tfvalue.Value, diags *diag.Diagnostics) bool {
	for _, stage := range u.stages(leaves, u.known) {
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
// response is asked for, once; what is missing still is held no more.
func (u *update) sendStage(ctx context.Context, leaves tfvalue.Value, diags *diag.Diagnostics) bool {
	response, err := u.patch(ctx, leaves, u.known)
	if err != nil {
		conn.AddSentError(diags, "Unable to update "+u.Noun, err, leaves)
		return false
	}
	u.answer = tfvalue.Encode(response, u.objectType)
	u.known = u.Rules.Remember(leaves.Fill(u.known), u.answer)
	if len(tfvalue.Missing(u.told, u.answer)) == 0 {
		return true
	}
	read, err := u.read(ctx)
	if err != nil {
		diags.AddError(
			fmt.Sprintf("Unable to read %s back", u.Noun),
			fmt.Sprintf("The update of %s was accepted, but its answer left out fields that the platform had told before, and they could not be read:\n\n%s", u.label, err),
		)
		return false
	}
	u.answer = u.answer.Fill(tfvalue.Encode(read, u.objectType))
	u.known = u.Rules.Remember(u.known, u.answer).Forget(tfvalue.Missing(u.told, u.answer))
	return true
}

// holds reports whether the platform holds what is wanted of a leaf, as far as
// it tells. One that it never told can't be compared.
func (u *update) holds(wanted tfvalue.Leaf) bool {
	now := u.answer.At(wanted.Path...)
	if now.IsNull() && u.told.At(wanted.Path...).IsNull() {
		return true
	}
	return u.Rules.Answers(wanted.Name(), wanted.Value, now)
}

// reject reports each leaf that was sent and is answered differently.
func (u *update) reject(sent tfvalue.Value, diags *diag.Diagnostics) {
	for _, leaf := range sent.Leaves() {
		if u.holds(leaf) {
			continue
		}
		diags.AddAttributeError(
			conn.AttributePath(leaf.Path),
			fmt.Sprintf("Platform did not take %s of %s", leaf.Path, u.label),
			fmt.Sprintf("%s was sent and accepted, but the platform holds another value: %s. "+
				"Set the attribute to what the platform holds, or leave it out to leave it alone.",
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
		fmt.Sprintf("Update of %s moved values that the configuration does not manage", u.label),
		"The platform changed these with the update, although they were not sent:\n\n"+strings.Join(lines, "\n")+
			"\n\nDeclare those that matter: what is declared is held.",
	)
}
