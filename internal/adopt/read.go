package adopt

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// refresh reads the object of a state. It returns null if the object no longer
// exists, and the same state after an error.
func (e *Engine) refresh(ctx context.Context, c *conn.Connection, state tfvalue.Value, last memory, diags *diag.Diagnostics) (tfvalue.Value, memory) {
	if !last.imported && c.SkipsRefresh(diags) {
		return state, last
	}
	client, ok := c.Ready(conn.ManagementSettings, diags)
	if !ok {
		return state, last
	}
	id := e.identity(state)
	if !id.isKnown() {
		diags.AddError(
			fmt.Sprintf("Cannot read %s", e.Noun),
			fmt.Sprintf("The state of this resource has no value for one of %s. It was probably edited. Restore the state from a backup, or remove the resource from it (terraform state rm) and import it again.",
				words.Enumerate(e.identifiers())),
		)
		return state, last
	}
	now, err := e.observe(ctx, client, id, earlier{object: state, elements: e.mappingsOf(state), memory: last})
	switch {
	case platform.IsNotFound(err) && last.imported:
		diags.AddError(
			fmt.Sprintf("Cannot import %s", e.Noun),
			fmt.Sprintf("There is no %s: %s Check the IDs, or create the %s in the platform's console first.", e.fullName(id), platform.Absence(err), e.Noun),
		)
		return state, last
	case platform.IsNotFound(err):
		c.Gone.Add(e.inRun(id))
		diags.AddWarning(
			fmt.Sprintf("The %s is gone", e.label(state, state)),
			fmt.Sprintf("Terraform treats it as deleted, because in organization %s %s "+
				"If it should exist, check organization_id and base_url before you apply. Otherwise remove it from the configuration.", id.Organization, platform.Absence(err)),
		)
		return tfvalue.Null(e.objectType), memory{}
	case err != nil:
		diags.AddError("Cannot read "+e.Noun, conn.Detail(err))
		return state, last
	}
	return now.remote, e.rememberRead(now.remote, now.object, last)
}

// readToChange reads the object of a change, which has no state yet in an adoption. A change that
// manages table mappings, and does not clear them, can only be decided once a read has returned them.
func (e *Engine) readToChange(ctx context.Context, c *conn.Connection, change Change, last memory, diags *diag.Diagnostics) (now observed, ok bool) {
	client, ok := c.Ready(conn.ManagementSettings, diags)
	if !ok {
		return now, false
	}
	if e.Mask != nil {
		e.Mask(client, change.Config)
	}
	id := e.identity(change.Plan)
	now, err := e.observe(ctx, client, id, earlier{change.Prior, e.mappingsOf(change.Prior), last, !e.mappingsOf(e.owned(change)).IsEmpty()})
	if err != nil {
		e.addAdoptError(diags, id, err)
	}
	return now, err == nil
}

// earlier is what is known of an object before a read: the object, the table mappings that it may
// have, and the memory of earlier reads. needsMappings means that the set is about to be changed.
type earlier struct {
	object, elements tfvalue.Value
	memory           memory
	needsMappings    bool
}

// response is what a response has returned of an object, or two in a row, and when they returned the
// table mappings that are in it: zero if they do not say which there are.
type response struct {
	object   tfvalue.Value
	mappedAt time.Time
}

// observed is an object after a read: remote is the object as far as it is known.
type observed struct {
	remote tfvalue.Value
	response
}

// observe reads the object. If the response omits a leaf that an earlier read has returned, a keyed
// set that is about to be changed, or the name of an element, it reads a second time. A leaf that
// both omit is empty on the platform. What only the second omits is taken from the first.
func (e *Engine) observe(ctx context.Context, client *platform.Client, id Identity, before earlier) (observed, error) {
	read, err := e.readOnce(ctx, client, id, before.elements)
	if err != nil {
		return observed{}, err
	}
	isUnreturned := func(at tfvalue.Path) bool { return e.isUnreturned(before.memory, at) }
	remote, omitted := e.interpret(before.object, isUnreturned, read)
	if len(omitted) > 0 || before.needsMappings && e.mappingsOf(read.object).IsNull() || e.hasUnnamed(read.object) {
		second, err := e.readOnce(ctx, client, id, before.elements)
		if err != nil {
			return observed{}, err
		}
		if slices.ContainsFunc(omitted, func(leaf tfvalue.Leaf) bool { return e.isMappings(leaf.Path) }) {
			read.mappedAt = time.Time{} // an element lacks a member that it had
		}
		read = e.merge(read, second)
		remote, _ = e.interpret(before.object, isUnreturned, read)
	}
	read.object = e.Rules.Fill("", read.object)
	return observed{e.Rules.Fill("", remote), read}, nil
}

// interpret returns the remote object after a response, with the identifiers as they were (null in an
// adoption, whose plan has them), and the leaves that it omits although an earlier read returned them.
func (e *Engine) interpret(last tfvalue.Value, unreturned func(tfvalue.Path) bool, read response) (remote tfvalue.Value, omitted []tfvalue.Leaf) {
	for _, name := range e.identifiers() {
		read.object = read.object.With(last.At(name), name)
	}
	return e.Rules.Interpret(last, unreturned, read.object)
}

// merge returns what two responses in a row have returned. The mappings of the first count where the
// second omits it or the name of an element.
func (e *Engine) merge(first, second response) response {
	if e.mappingsOf(first.object).IsNull() || !second.mappedAt.IsZero() && !e.mappingsOf(second.object).IsNull() {
		return response{second.object.Merge(first.object), second.mappedAt}
	}
	return response{second.object.Without(e.Mappings...).Merge(first.object), first.mappedAt}
}

// hasAllMappings reports whether an object that was returned says which table mappings there are. It
// does not if it omits the object around the set, or the name of an element, which may then be any
// other.
func (e *Engine) hasAllMappings(object tfvalue.Value) bool {
	return e.Mappings != nil && object.At(e.Mappings[:len(e.Mappings)-1]...).IsObject() && !e.hasUnnamed(object)
}

func (e *Engine) hasUnnamed(object tfvalue.Value) bool {
	return len(e.key().Unnamed(e.mappingsOf(object))) > 0
}

// readOnce sends one GET. See respond for elements.
func (e *Engine) readOnce(ctx context.Context, client *platform.Client, id Identity, elements tfvalue.Value) (response, error) {
	object := tfvalue.Null(e.objectType)
	err := e.Read(ctx, client, id, e.Rules.Into(&object))
	return e.respond(object, elements), err
}

// respond returns the response that has returned an object just now. What it omits in all elements of
// the mappings is as in those that are known.
func (e *Engine) respond(object, elements tfvalue.Value) (r response) {
	if set := e.mappingsOf(object); !set.IsNull() {
		object = object.With(e.key().Complete(set, elements), e.Mappings...)
	}
	if r.object = object; e.hasAllMappings(object) {
		r.mappedAt = time.Now()
	}
	return r
}

// wait is a wait with reads in between, after longer and longer pauses, of which pause is the next.
type wait struct {
	begun     time.Time
	pause     time.Duration
	isSettled bool // the last read was to settle a doubt
}

const (
	firstPause, maxPause = 500 * time.Millisecond, 5 * time.Second
	maxWait              = 30 * time.Second // of all pauses together
)

// next pauses until the next read, and reports whether to read again. If the context ends, so does the
// pause, and the next read fails.
func (w *wait) next(ctx context.Context) bool {
	if w.begun.IsZero() {
		w.begun = time.Now()
	}
	left := maxWait - time.Since(w.begun)
	if left <= 0 {
		return false
	}
	select {
	case <-time.After(min(w.pause, left)):
	case <-ctx.Done():
	}
	w.pause = min(max(2*w.pause, firstPause), maxPause)
	return true
}
