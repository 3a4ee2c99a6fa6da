package adopt

import (
	"context"
	"fmt"
	"slices"
	"time"

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
	if !id.known() {
		diags.AddError(
			fmt.Sprintf("Cannot read %s", e.Noun),
			fmt.Sprintf("The state of this resource has no value for one of %s. It was probably edited. Restore the state from a backup, or remove the resource from it (terraform state rm) and import it again.",
				platform.Enumerate(e.identifiers())),
		)
		return state, last
	}
	now, err := e.observe(ctx, client, id, known{last: state, elements: state.At(e.KeyedSet...), memory: last})
	switch {
	case platform.IsNotFound(err) && last.imported:
		diags.AddError(
			fmt.Sprintf("Cannot import %s", e.Noun),
			fmt.Sprintf("There is no %s: %s Check the IDs, or create the %s in the platform's console first.", e.fullName(id), platform.Absence(err), e.Noun),
		)
		return state, last
	case platform.IsNotFound(err):
		c.Gone.Add(e.run(id))
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
	return now.remote, e.rememberRead(now.remote, now.read, last)
}

// readToChange reads the object of a change, which has no state yet in an adoption.
func (e *Engine) readToChange(ctx context.Context, client *platform.Client, id Identity, change Change, last memory) (observed, error) {
	return e.observe(ctx, client, id, known{last: change.Prior, elements: change.Prior.At(e.KeyedSet...), memory: last, needsSet: e.needsKeyedSet(e.owned(change))})
}

// known is what a read is compared with: the object as it was last, the elements of its keyed
// set, and the memory of earlier reads. needsSet means that the set is about to be changed.
type known struct {
	last     tfvalue.Value
	elements tfvalue.Value
	memory   memory
	needsSet bool
}

// observed is an object after a read.
type observed struct {
	// remote is the object as far as it is known, and read what was returned of it.
	remote, read tfvalue.Value
	// asOf is when the platform returned the keyed set that is in both, zero if it did not.
	asOf time.Time
}

// observe reads the object. If the response omits a leaf that an earlier read has returned, a keyed
// set that is about to be changed, or the name of an element, it reads a second time. A leaf that
// both omit is empty on the platform. What only the second omits is taken from the first.
func (e *Engine) observe(ctx context.Context, client *platform.Client, id Identity, k known) (observed, error) {
	unreturned := func(at tfvalue.Path) bool { return e.isUnreturned(k.memory, at) }
	compare := func(read tfvalue.Value) (remote tfvalue.Value, omitted []tfvalue.Leaf) {
		return e.Rules.Interpret(k.last, unreturned, e.withIDs(read, k.last))
	}
	first, err := e.readOnce(ctx, client, id, k.elements)
	if err != nil {
		return observed{}, err
	}
	read, asOf := first, e.returnedAt(first)
	remote, omitted := compare(first)
	if len(omitted) > 0 || k.needsSet && e.setOf(first).IsNull() || e.hasUnnamed(first) {
		second, err := e.readOnce(ctx, client, id, k.elements)
		if err != nil {
			return observed{}, err
		}
		if slices.ContainsFunc(omitted, func(leaf tfvalue.Leaf) bool { return e.isKeyedSet(leaf.Path) }) {
			asOf = time.Time{} // an element lacks a member that it had
		}
		read, asOf = e.merge(first, second, asOf)
		remote, _ = compare(read)
	}
	return observed{e.Rules.FillElements(remote), e.Rules.FillElements(read), asOf}, nil
}

// returnedAt is when a response returned the keyed set: now, or zero if it did not.
func (e *Engine) returnedAt(response tfvalue.Value) time.Time {
	if e.hasWholeSet(response) {
		return time.Now()
	}
	return time.Time{}
}

// merge returns what two responses in a row have returned, and when they returned the keyed set. That
// of the first counts, at firstAt, where the second omits it or the name of an element.
func (e *Engine) merge(first, second tfvalue.Value, firstAt time.Time) (tfvalue.Value, time.Time) {
	switch {
	case e.KeyedSet == nil:
		return second.Merge(first), firstAt
	case e.setOf(first).IsNull(), e.hasWholeSet(second) && !e.setOf(second).IsNull():
		return second.Merge(first), e.returnedAt(second)
	default:
		return second.Without(e.KeyedSet...).Merge(first), firstAt
	}
}

// hasWholeSet reports whether a response says which elements the keyed set has. It does not if it
// omits the object around the set, or the name of an element, which may then be any other.
func (e *Engine) hasWholeSet(response tfvalue.Value) bool {
	return e.KeyedSet != nil && response.At(e.KeyedSet[:len(e.KeyedSet)-1]...).IsObject() && !e.hasUnnamed(response)
}

func (e *Engine) hasUnnamed(response tfvalue.Value) bool {
	return e.KeyedSet != nil && len(e.key().Unnamed(e.setOf(response))) > 0
}

// readOnce sends one GET. See complete for known.
func (e *Engine) readOnce(ctx context.Context, client *platform.Client, id Identity, known tfvalue.Value) (tfvalue.Value, error) {
	object := tfvalue.Null(e.objectType)
	err := e.Read(ctx, client, id, e.Rules.Into(&object))
	return e.complete(object, known), err
}

// complete returns a response whose keyed set has, where the response may omit a member in all of
// its elements, the values of a known set.
func (e *Engine) complete(response, known tfvalue.Value) tfvalue.Value {
	if e.KeyedSet == nil || response.At(e.KeyedSet...).IsNull() {
		return response
	}
	return response.With(e.key().Complete(response.At(e.KeyedSet...), known), e.KeyedSet...)
}

// withIDs returns an object that was read, with the identifiers as the state spells them. In an
// adoption they are null: the plan has them.
func (e *Engine) withIDs(read, state tfvalue.Value) tfvalue.Value {
	for _, name := range e.identifiers() {
		read = read.With(state.At(name), name)
	}
	return read
}
