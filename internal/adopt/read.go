package adopt

import (
	"context"
	"fmt"

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
	remote, read, err := e.observe(ctx, client, id, known{last: state, memory: last})
	switch {
	case platform.IsNotFound(err) && last.imported:
		why := platform.Absence(err)
		diags.AddError(
			fmt.Sprintf("Cannot import %s", e.Noun),
			fmt.Sprintf("There is no %s: %s Check the IDs, or create the %s in the platform's console first.", e.place(id), why, e.Noun),
		)
		return state, last
	case platform.IsNotFound(err):
		c.SetGone(e.run(id))
		diags.AddWarning(
			fmt.Sprintf("The %s is gone", e.label(state, state)),
			fmt.Sprintf("Terraform treats it as deleted, because in organization %s %s "+
				"If it should exist, check organization_id and base_url before you apply. Otherwise remove it from the configuration.", id.Organization, platform.Absence(err)),
		)
		return tfvalue.Null(e.objectType), memory{}
	case err != nil:
		conn.AddError(diags, "Cannot read "+e.Noun, err)
		return state, last
	}
	return remote, e.rememberRead(remote, read, last)
}

// known is what a read is compared with: the object as it was last, and the memory of
// earlier reads. needsSet reports that the keyed set is about to be changed.
type known struct {
	last     tfvalue.Value
	memory   memory
	needsSet bool
}

// observe reads the object, and returns it as far as it is known, and the response.
// If the response omits a leaf that an earlier read has returned, a keyed set that is
// about to be changed, or the name of an element, it reads once more. A leaf that is
// omitted again is empty on the platform.
func (e *Engine) observe(ctx context.Context, client *platform.Client, id Identity, k known) (remote, read tfvalue.Value, err error) {
	unreported := func(at tfvalue.Path) bool { return e.isUnreported(k.memory, at) }
	compare := func(read tfvalue.Value) (remote tfvalue.Value, missing []tfvalue.Leaf) {
		return e.Rules.Interpret(k.last, unreported, e.withIDs(read, k.last))
	}
	read, err = e.readUntil(ctx, client, id, func(read tfvalue.Value) bool {
		_, missing := compare(read)
		return len(missing) == 0 && e.hasSet(read, k.needsSet)
	})
	if err != nil {
		return k.last, k.last, err
	}
	remote, _ = compare(read)
	return e.Rules.Whole(remote), e.Rules.Whole(read), nil
}

// hasSet reports whether a response has the keyed set if it is needed, and whether its
// elements have a name.
func (e *Engine) hasSet(read tfvalue.Value, needed bool) bool {
	if e.KeyedSet == nil {
		return true
	}
	set := read.At(e.KeyedSet...)
	return (!needed || !set.IsNull()) && len(e.key().Nameless(set)) == 0
}

// readUntil reads the object, and once more if complete is false for the first response.
// If it is false for the second, too, what that omits is taken from the first.
func (e *Engine) readUntil(ctx context.Context, client *platform.Client, id Identity, complete func(tfvalue.Value) bool) (tfvalue.Value, error) {
	first, err := e.readOnce(ctx, client, id)
	if err != nil || complete(first) {
		return first, err
	}
	second, err := e.readOnce(ctx, client, id)
	if err != nil || complete(second) {
		return second, err
	}
	return second.Merge(first), nil
}

func (e *Engine) readOnce(ctx context.Context, client *platform.Client, id Identity) (tfvalue.Value, error) {
	object := tfvalue.Null(e.objectType)
	err := e.Read(ctx, client, id, e.Rules.Into(&object))
	return object, err
}

// withIDs returns an object that was read, with the identifiers in the spelling of
// the state.
func (e *Engine) withIDs(read, state tfvalue.Value) tfvalue.Value {
	for _, name := range e.identifiers() {
		if kept := state.At(name); !kept.IsNull() {
			read = read.With(kept, name)
		}
	}
	return read
}
