package adopt

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// read refreshes a state. It returns null if the object no longer exists, and the same
// state after an error.
func (e *Engine) read(ctx context.Context, c *conn.Connection, state tfvalue.Value, last memory, imported bool, diags *diag.Diagnostics) (tfvalue.Value, memory) {
	if !imported && c.SkipsRefresh(diags) {
		return state, last
	}
	client, ok := c.Ready(conn.ManagementSettings, diags)
	if !ok {
		return state, last
	}
	id := e.identity(state)
	known, read, err := e.observe(ctx, client, id, state, last)
	switch {
	case platform.IsNotFound(err) && imported:
		_, full := platform.Absence(err)
		diags.AddError(
			fmt.Sprintf("Cannot import %s", e.Noun),
			fmt.Sprintf("There is no %s: %s Check the IDs, or create the %s in the platform's console first.", e.place(id), full, e.Noun),
		)
		return state, last
	case platform.IsNotFound(err):
		brief, _ := platform.Absence(err)
		diags.AddWarning(
			fmt.Sprintf("The %s is gone", e.label(state, state)),
			fmt.Sprintf("The API no longer returns it in organization %s (%s), so Terraform treats it as deleted. "+
				"If it should exist, check organization_id and base_url before you apply. Otherwise remove it from the configuration.", id.Organization, brief),
		)
		return tfvalue.Null(e.objectType), memory{}
	case err != nil:
		conn.AddError(diags, "Cannot read "+e.Noun, err)
		return state, last
	}
	return known, e.rememberRead(known, read, last)
}

// observe reads the object, and returns what is known of it then, and the response.
// If the response omits a leaf that an earlier read has returned, it reads once more.
// A leaf that is omitted again is empty on the platform.
func (e *Engine) observe(ctx context.Context, client *platform.Client, id Identity, last tfvalue.Value, m memory) (known, read tfvalue.Value, err error) {
	response, err := e.Read(ctx, client, id)
	if err != nil {
		return last, last, err
	}
	unreported := func(at tfvalue.Path) bool { return e.isUnreported(m, at) }
	read = tfvalue.Encode(response, e.objectType)
	known, missing := e.Rules.Observe(last, unreported, e.withIDs(read, last))
	if len(missing) == 0 {
		return known, read, nil
	}
	if response, err = e.Reread(ctx, client, id, response); err != nil {
		return last, last, err
	}
	read = tfvalue.Encode(response, e.objectType).Fill(read)
	known, _ = e.Rules.Observe(last, unreported, e.withIDs(read, last))
	return known, read, nil
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
