package adopt

import (
	"context"
	"errors"
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
// may be missing from any response. So each leaf has a record: what it was before,
// what is wanted, what the response has (verdict.go).
type update struct {
	*Engine
	label   string
	owned   tfvalue.Value
	patch   Patch
	read    func(ctx context.Context) (tfvalue.Value, error)
	observe Observe // for patch
	mask    func(string) string

	// before is the remote object before the update, and remote what it is now, as far as
	// responses contain it.
	before, remote tfvalue.Value
	// first is the read before the update, and lastMemory the memory after it. returned is
	// what it and all responses since have returned.
	first, returned tfvalue.Value
	lastMemory      memory
	// records are those of the last PATCH. sent are all leaves that were sent, and
	// unreturned the paths of those that the platform accepted and does not return.
	records    []record
	sent       tfvalue.Value
	unreturned []string
	// rejected reports that the API has rejected the last PATCH for its content.
	rejected bool
}

func (e *Engine) newUpdate(client *platform.Client, id Identity, change Change, owned, remote, read tfvalue.Value, last memory) *update {
	u := &update{
		Engine: e,
		label:  e.label(change.Plan, remote),
		owned:  owned,
		mask:   client.Mask,
		sent:   tfvalue.Null(e.objectType),
	}
	// An update leaves alone what its plan did not have.
	ours := func(object tfvalue.Value) tfvalue.Value { return e.withoutStrangers(object, change.Prior, u.owned) }
	u.before, u.first = ours(remote), ours(read)
	u.remote, u.returned = u.before, u.first
	u.lastMemory = e.rememberRead(remote, read, last)

	patch, spellings := e.Patch(client, id, change), tfvalue.Spellings{}
	spellings.Add(read)
	u.patch = func(ctx context.Context, send, remote tfvalue.Value, observe Observe) (tfvalue.Value, error) {
		response, err := patch(ctx, spellings.Apply(send), remote, observe)
		return ours(response), err
	}
	u.read = func(ctx context.Context) (tfvalue.Value, error) {
		read, err := e.look(ctx, client, id, func(tfvalue.Value) bool { return true })
		return ours(read), err
	}
	u.observe = func(ctx context.Context) (tfvalue.Value, tfvalue.Value, error) {
		remote, read, err := e.observe(ctx, client, id, observation{last: u.remote, memory: u.lastMemory})
		return ours(remote), ours(read), err
	}
	return u
}

// withoutStrangers returns an object without the elements of keyed sets that neither
// the prior state nor the plan has: they were added on the platform after the plan.
// An adoption has no prior state and knows no strangers.
func (e *Engine) withoutStrangers(object, prior, owned tfvalue.Value) tfvalue.Value {
	if prior.IsNull() {
		return object
	}
	for _, leaf := range owned.Leaves() {
		key, keyed := e.Rules.Keys[leaf.Name()]
		set := object.At(leaf.Path...)
		if !keyed || set.IsNull() || !set.IsKnown() {
			continue
		}
		had, has := key.Index(prior.At(leaf.Path...)), key.Index(leaf.Value)
		ours := slices.DeleteFunc(set.Elements(), func(element tfvalue.Value) bool {
			_, before := had[key.Of(element)]
			_, planned := has[key.Of(element)]
			return !before && !planned
		})
		object = object.With(tfvalue.Collection(set.Type(), ours), leaf.Path...)
	}
	return object
}

// run changes the object to the owned leaves. If none differs, no request is sent.
// remote is up to date after an error too.
func (u *update) run(ctx context.Context, diags *diag.Diagnostics) {
	send := u.Rules.Changes(u.owned, u.remote)
	if !send.AnyLeaf() {
		return
	}
	defer u.reportUnfinished(diags)
	if !u.send(ctx, send, diags) {
		return
	}
	if slices.ContainsFunc(u.records, u.isReset) {
		// The platform has reset owned leaves that the PATCH omitted: send all of them.
		if !u.send(ctx, u.verifiable(u.owned), diags) {
			return
		}
		for _, r := range u.records {
			if u.isReset(r) { // by the last stage
				u.addStoredOtherwise(r, diags)
			}
		}
	}
	u.warnUnmanaged(diags)
	u.warnUnreturned(diags)
}

// isReset reports whether a PATCH has changed an owned leaf that it omitted.
func (u *update) isReset(r record) bool { return !r.wanted.IsNull() && judge(u.Rules, r) == moved }

// send changes the object to these leaves, and reports whether it succeeded. It
// verifies each PATCH, since the next one may reset the values.
func (u *update) send(ctx context.Context, leaves tfvalue.Value, diags *diag.Diagnostics) bool {
	for _, stage := range u.Stages(leaves, u.remote) {
		if !u.sendStage(ctx, stage, diags) {
			return false
		}
		for _, r := range u.records {
			switch judge(u.Rules, r) {
			case storedOtherwise:
				u.addStoredOtherwise(r, diags)
			case notReturned:
				u.giveUp(r)
			}
		}
		if diags.HasError() {
			return false
		}
	}
	return true
}

// sendStage sends one PATCH. If the response leaves a doubt about any leaf, it reads
// the object once.
func (u *update) sendStage(ctx context.Context, leaves tfvalue.Value, diags *diag.Diagnostics) bool {
	response, err := u.patch(ctx, leaves, u.remote, u.observe)
	if err != nil {
		u.rejected = isRejection(err)
		conn.AddSentError(diags, "Cannot update "+u.Noun, err, leaves)
		return false
	}
	u.sent = leaves.Merge(u.sent)
	u.records = u.recordsOf(leaves, response)
	if slices.ContainsFunc(u.records, func(r record) bool { return doubtful(u.Rules, r) }) {
		read, err := u.read(ctx)
		if err != nil {
			u.take(leaves, response)
			u.addUnreadable(err, diags)
			return false
		}
		response = u.Rules.Merge(read, u.withoutPast(response))
		u.records = u.recordsOf(leaves, response)
	}
	u.take(leaves, response)
	for _, r := range u.records {
		if missing(u.Rules, r) && judge(u.Rules, r) == moved {
			u.remote = u.remote.With(r.now, r.Path...) // omitted twice: empty
		}
	}
	return true
}

// recordsOf returns the records of all leaves that are owned or were returned before.
func (u *update) recordsOf(sent, response tfvalue.Value) []record {
	var all []record
	for _, leaf := range u.verifiable(u.owned.Merge(u.returned)).Leaves() {
		if slices.Contains(u.identifiers(), leaf.Path[0]) {
			continue
		}
		r := record{
			Leaf:   tfvalue.Leaf{Path: leaf.Path, Value: u.returned.At(leaf.Path...)},
			wanted: u.owned.At(leaf.Path...),
			now:    response.At(leaf.Path...),
		}
		if value := sent.At(leaf.Path...); !value.IsNull() {
			r.wanted, r.sent = value, true // a stage may send a part
		}
		all = append(all, r)
	}
	return all
}

// withoutPast returns a response without what may precede the change. If it shows a
// leaf that was sent as it was before, that is every leaf but keyed sets that were not
// sent: one that the read omits by accident must not look removed.
func (u *update) withoutPast(response tfvalue.Value) tfvalue.Value {
	isPast := slices.ContainsFunc(u.records, func(r record) bool {
		return r.sent && judge(u.Rules, r) == storedOtherwise && u.Rules.Same(r.Name(), r.now, u.remote.At(r.Path...))
	})
	if !isPast {
		return response
	}
	for _, r := range u.records {
		if _, keyed := u.Rules.Keys[r.Name()]; !r.now.IsNull() && (r.sent || !keyed) {
			response = response.Without(r.Path...)
		}
	}
	return response
}

// take updates the remote object from the leaves that were sent, and the response.
func (u *update) take(leaves, response tfvalue.Value) {
	always := func(tfvalue.Path) bool { return true }
	u.remote, _ = u.Rules.Observe(u.Rules.Merge(leaves, u.remote), always, u.withIDs(response, u.remote))
	u.returned = response.Merge(u.returned)
}

// giveUp records that the platform accepts a leaf and does not return it. From then on
// it counts as never returned.
func (u *update) giveUp(r record) {
	if !u.gaveUp(r.Leaf) {
		u.unreturned = append(u.unreturned, r.Path.String())
	}
	u.first, u.returned = u.first.Without(r.Path...), u.returned.Without(r.Path...)
}

func (u *update) gaveUp(leaf tfvalue.Leaf) bool {
	return slices.Contains(u.unreturned, leaf.Path.String())
}

func isRejection(err error) bool {
	var call *platform.Error
	return errors.As(err, &call) && call.Status >= 400 && call.Status < 500
}

func (u *update) addUnreadable(err error, diags *diag.Diagnostics) {
	diags.AddError(
		conn.Summary(fmt.Sprintf("Cannot read %s after its update", u.Noun), err),
		fmt.Sprintf("The API accepted the update of %s, but its response does not show the result, and reading the %s failed:\n\n%s",
			u.label, u.Noun, conn.Detail(err)),
	)
}

func (u *update) addStoredOtherwise(r record, diags *diag.Diagnostics) {
	returned := "another value: " + u.describe(u.mask, r.Name(), r.now)
	if r.now.IsNull() {
		returned = "no value"
	}
	diags.AddAttributeError(
		conn.AttributePath(r.Path),
		fmt.Sprintf("API stored a different value for %s of %s", r.Path, u.label),
		fmt.Sprintf("%s was sent and accepted, but the API returned %s. Set the argument to the value on the platform, or remove it from the configuration.", r.Path, returned),
	)
}

// warnUnmanaged warns, once per object, about unmanaged leaves that changed with the
// update.
func (u *update) warnUnmanaged(diags *diag.Diagnostics) {
	moves := u.Moves(u.sent)
	var lines []string
	settable := false
	for _, r := range u.records {
		was := u.first.At(r.Path...)
		if !u.owned.At(r.Path...).IsNull() || slices.Contains(moves, r.Path[0]) || was.IsNull() || u.Rules.Confirms(r.Name(), was, r.now) {
			continue
		}
		settable = settable || u.traits.settable(r.Path)
		lines = append(lines, fmt.Sprintf("  - %s: was %s, is now %s", r.Path, u.describe(u.mask, r.Name(), was), u.describe(u.mask, r.Name(), r.now)))
	}
	if len(lines) == 0 {
		return
	}
	detail := "The platform changed these values with the update, although they were not sent:\n\n" + strings.Join(lines, "\n")
	if settable {
		detail += "\n\nTo manage one of them, set its argument in the configuration."
	}
	diags.AddWarning(fmt.Sprintf("Updating %s also changed unmanaged values", u.label), detail)
}

// warnUnreturned warns, once per object, about leaves that the platform accepted and
// does not return.
func (u *update) warnUnreturned(diags *diag.Diagnostics) {
	if len(u.unreturned) == 0 {
		return
	}
	diags.AddWarning(
		fmt.Sprintf("API does not return all values of %s", u.label),
		"The API accepted these values, but neither its response nor a further read contains them, so it is not known whether they are in effect:\n\n"+
			"  - "+strings.Join(u.unreturned, "\n  - ")+
			"\n\nThe state has the planned values. Check them in the platform's console: a setting may have no effect while another one is off.",
	)
}

// reportUnfinished reports, after an error, the elements of keyed sets that were
// removed and those that are not added yet.
func (u *update) reportUnfinished(diags *diag.Diagnostics) {
	if !diags.HasError() {
		return
	}
	for _, leaf := range u.owned.Leaves() {
		key, keyed := u.Rules.Keys[leaf.Name()]
		if !keyed {
			continue
		}
		before, now := u.before.At(leaf.Path...), u.remote.At(leaf.Path...)
		removed, _ := key.Difference(now, before)
		_, pending := key.Difference(leaf.Value, now)
		if len(removed) == 0 || len(pending) == 0 {
			continue
		}
		next := "The next apply adds them."
		if u.rejected {
			next = "The API rejected the request that adds them: correct what its message names, then apply again."
		}
		diags.AddError(
			fmt.Sprintf("%s of %s is only partly updated", leaf.Path, u.label),
			fmt.Sprintf("These %ss were removed:\n\n%s\n\nThese are not added yet:\n\n%s\n\n%s",
				key.Noun, key.List(removed), key.List(pending), strings.TrimSpace(u.Unfinished+" "+next)),
		)
	}
}

// memory returns the memory of the state after an update: that of the read before it.
// What was not there then has not been read yet, nor have keyed sets that were sent. But
// what was emptied after the plan, and is in the state as planned, was read before.
func (u *update) memory(state, prior tfvalue.Value) memory {
	return u.remember(state, func(leaf tfvalue.Leaf) bool {
		_, keyed := u.Rules.Keys[leaf.Name()]
		sent := !u.sent.At(leaf.Path...).IsNull()
		emptied := !sent && !prior.At(leaf.Path...).IsNull()
		absent := u.before.At(leaf.Path...).IsNull() && !emptied
		return u.isUnreported(u.lastMemory, leaf.Path) || absent || keyed && sent || u.gaveUp(leaf)
	})
}
