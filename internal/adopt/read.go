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

// read refreshes a state. It is null once the object is gone, and stays as it
// is after an error.
func (e *Engine) read(ctx context.Context, c *conn.Connection, state tfvalue.Value, last memory, diags *diag.Diagnostics) (tfvalue.Value, memory) {
	client, ok := c.Ready(conn.ManagementSettings, diags)
	if !ok {
		return state, last
	}
	id := e.identity(state)
	answer, err := e.Read(ctx, client, id)
	switch {
	case platform.IsNotFound(err):
		diags.AddWarning(
			fmt.Sprintf("The %s is gone", e.label(state)),
			fmt.Sprintf("There is no %s any more, and it was removed from the state.\n\n%s", e.place(id), conn.Detail(err)),
		)
		return tfvalue.Null(e.objectType), memory{}
	case err != nil:
		conn.AddError(diags, "Unable to read "+e.Noun, err)
		return state, last
	}
	known := state
	for _, name := range last.Dropped {
		known = known.Without(strings.Split(name, ".")...)
	}
	return e.withIDs(e.Rules.Remember(known, tfvalue.Encode(answer, e.objectType)), state), memory{}
}

// withIDs keeps the IDs as the user spelled them.
func (e *Engine) withIDs(object, state tfvalue.Value) tfvalue.Value {
	for _, name := range e.IDs {
		object = object.With(state.At(name), name)
	}
	return object
}

// remember names what an update kept of the state before it and the platform
// holds no more.
func (e *Engine) remember(before, after, remote tfvalue.Value) memory {
	var m memory
	for _, leaf := range after.Leaves() {
		kept := e.Rules.Same(leaf.Name(), leaf.Value, before.At(leaf.Path...))
		if kept && remote.At(leaf.Path...).IsNull() && !slices.Contains(e.IDs, leaf.Path[0]) {
			m.Dropped = append(m.Dropped, leaf.Path.String())
		}
	}
	return m
}
