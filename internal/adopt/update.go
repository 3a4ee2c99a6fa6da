package adopt

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

func (e *Engine) newUpdate(client *platform.Client, id Identity, r reviewed, read tfvalue.Value, last memory) *update {
	return &update{
		Engine: e, client: client, id: id, sendPatch: e.Patch(client, id, r.Change),
		label: r.Label, wanted: r.wanted, before: r.Remote, told: read,
		memory: e.rememberRead(r.Remote, read, last),
		remote: r.Remote, returned: read, sent: tfvalue.Null(e.objectType),
		removed: map[string][]tfvalue.Value{},
	}
}

// run changes the object to the wanted leaves. If none differs, no request is sent.
// remote is up to date after an error too.
func (u *update) run(ctx context.Context, diags *diag.Diagnostics) {
	send := u.Rules.Changes(u.wanted, u.remote)
	if !send.AnyLeaf() {
		return
	}
	defer u.reportUnfinished(diags)
	if !u.send(ctx, send, diags) {
		return
	}
	if slices.ContainsFunc(u.records, u.isReset) {
		// The platform has reset managed leaves that the PATCH omitted: send all of them.
		if !u.send(ctx, u.verifiable(u.wanted), diags) {
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

// isReset reports whether a PATCH has changed a managed leaf that it omitted.
func (u *update) isReset(r record) bool { return !r.wanted.IsNull() && judge(u.Rules, r) == moved }

// send changes the object to these leaves, and reports whether it succeeded. It
// verifies each PATCH, since the next one may reset the values.
func (u *update) send(ctx context.Context, leaves tfvalue.Value, diags *diag.Diagnostics) bool {
	stages := []tfvalue.Value{leaves}
	if u.Stages != nil {
		stages = u.Stages(leaves, u.remote)
	}
	for _, stage := range stages {
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
	removes := u.removes(leaves)
	response, err := u.sendPatch(ctx, leaves, u.remote, u.reread)
	if err != nil {
		u.rejected = isRejection(err)
		if platform.IsAmbiguous(err) { // also one that was rejected after an attempt that may have been carried out
			u.perhaps, u.unsure = removes, true
		}
		conn.AddSentError(diags, "Cannot update "+u.Noun, err, leaves)
		return false
	}
	u.addRemoved(removes)
	response = u.withoutStrangers(response)
	u.sent = leaves.Merge(u.sent)
	u.records = u.recordsOf(leaves, response)
	if slices.ContainsFunc(u.records, func(r record) bool { return doubtful(u.Rules, r) }) {
		read, err := u.readUntil(ctx, u.client, u.id, func(tfvalue.Value) bool { return true })
		if err != nil {
			u.take(leaves, response)
			u.addUnreadable(err, diags)
			return false
		}
		response = u.withoutStrangers(read).Merge(u.withoutPast(response))
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

// reread reads the object after a PATCH whose outcome is not known.
func (u *update) reread(ctx context.Context) (remote, read tfvalue.Value, err error) {
	remote, read, err = u.observe(ctx, u.client, u.id, known{last: u.remote, memory: u.memory})
	remote, read = u.withoutStrangers(remote), u.withoutStrangers(read)
	if err == nil {
		u.remote = remote
	}
	return remote, read, err
}

// withoutStrangers returns an object without the elements of managed keyed sets that were
// added on the platform since the update began: it neither verifies nor removes them.
func (u *update) withoutStrangers(object tfvalue.Value) tfvalue.Value {
	for _, set := range u.keyedSets(u.wanted) {
		now := object.At(set.Path...)
		if now.IsNull() {
			continue
		}
		had, has := set.key.Index(u.before.At(set.Path...)), set.key.Index(set.Value)
		ours := slices.DeleteFunc(now.Elements(), func(element tfvalue.Value) bool {
			key := set.key.Of(element)
			_, before := had[key]
			_, wanted := has[key]
			return set.key.Named(element) && !before && !wanted
		})
		object = object.With(tfvalue.Collection(now.Type(), ours), set.Path...)
	}
	return object
}

// recordsOf returns the records of all leaves that are managed or were returned before.
func (u *update) recordsOf(sent, response tfvalue.Value) []record {
	var all []record
	for _, leaf := range u.verifiable(u.wanted.Merge(u.returned)).Leaves() {
		if slices.Contains(u.identifiers(), leaf.Path[0]) {
			continue
		}
		r := record{
			Leaf:   tfvalue.Leaf{Path: leaf.Path, Value: u.returned.At(leaf.Path...)},
			wanted: u.wanted.At(leaf.Path...),
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
	remote, _ := u.Rules.Interpret(leaves.Merge(u.remote), always, u.withIDs(response, u.remote))
	u.remote = u.Rules.Whole(remote)
	u.returned = response.Merge(u.returned)
}

// giveUp records that the platform accepts a leaf and does not return it. From then on
// it counts as never returned.
func (u *update) giveUp(r record) {
	if !u.gaveUp(r.Path) {
		u.unreturned = append(u.unreturned, r.Path.String())
	}
	u.returned = u.returned.Without(r.Path...)
}

func (u *update) gaveUp(at tfvalue.Path) bool { return slices.Contains(u.unreturned, at.String()) }

// isRejection reports whether the API has rejected a request for its content.
func isRejection(err error) bool {
	var call *platform.Error
	if !errors.As(err, &call) {
		return false
	}
	switch call.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	default:
		return call.Status >= 400 && call.Status < 500
	}
}

// removes returns the elements of keyed sets that a PATCH of these leaves removes, by path.
func (u *update) removes(leaves tfvalue.Value) map[string][]tfvalue.Value {
	removes := map[string][]tfvalue.Value{}
	for _, set := range u.keyedSets(leaves) {
		removes[set.Path.String()], _ = set.key.Difference(set.Value, u.remote.At(set.Path...))
	}
	return removes
}

func (u *update) addRemoved(elements map[string][]tfvalue.Value) {
	for at, removed := range elements {
		u.removed[at] = append(u.removed[at], removed...)
	}
}

// nextMemory returns the memory of the state after an update. What no read returned before stays
// unreported, and so does what the update gave up. What was not there before the update
// was not read yet, unless the state has it from the plan: then it was emptied after it.
func (u *update) nextMemory(state, prior tfvalue.Value) memory {
	return u.remember(state, func(leaf tfvalue.Leaf) bool {
		sent := !u.sent.At(leaf.Path...).IsNull()
		switch {
		case u.isUnreported(u.memory, leaf.Path), u.gaveUp(leaf.Path):
			return true
		case !u.before.At(leaf.Path...).IsNull():
			return false
		default:
			return sent || prior.At(leaf.Path...).IsNull()
		}
	})
}

// warnUnmanaged warns, once per object, about unmanaged leaves that changed with the
// update.
func (u *update) warnUnmanaged(diags *diag.Diagnostics) {
	moves := u.Moves(u.sent)
	var lines []string
	settable := false
	for _, r := range u.records {
		was, now := u.told.At(r.Path...), u.Rules.WholeLeaf(r.Name(), r.now)
		if !u.wanted.At(r.Path...).IsNull() || slices.Contains(moves, r.Path[0]) || was.IsNull() || u.Rules.Confirms(r.Name(), was, now) {
			continue
		}
		settable = settable || u.traits.settable(r.Path)
		lines = append(lines, u.Rules.DescribeChange(r.Path, was, now, [2]string{"was", "is now"}, u.client.Mask)...)
	}
	if len(lines) == 0 {
		return
	}
	detail := "These values were not sent. Either the platform changed them with the update, or somebody else changed them at the same time:\n\n" + strings.Join(lines, "\n")
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
