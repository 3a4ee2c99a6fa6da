package provider

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// An update can make the platform drop a value that nobody owns. Terraform
// holds the state after it to what the plan told, which is the value before;
// and a read keeps what an answer leaves out. Declared with that very value,
// the attribute would then be no change and never be sent. So an update leaves
// word of what was dropped, and the next read takes it out of the state.

// droppedKey is where that word is, in private state: dotted names.
const droppedKey = "dropped"

type privateReader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

type privateWriter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// rememberDropped names what an update kept of the state before it and the
// platform holds no more.
func (a *adoption) rememberDropped(ctx context.Context, private privateWriter, before, after, held tftypes.Value) diag.Diagnostics {
	var names []string
	for _, l := range leaves(after) {
		kept := same(l.name(), l.value, at(before, l.path...))
		if kept && at(held, l.path...).IsNull() && !slices.Contains(a.idNames(), l.path[0]) {
			names = append(names, dotted(l.path))
		}
	}
	if len(names) == 0 {
		return nil
	}
	word, _ := json.Marshal(names) // strings can always be written
	return private.SetKey(ctx, droppedKey, word)
}

// forgetDropped is a state without what an update left word of.
func forgetDropped(ctx context.Context, private privateReader, next privateWriter, state tftypes.Value) (tftypes.Value, diag.Diagnostics) {
	word, diags := private.GetKey(ctx, droppedKey)
	var names []string
	if len(word) == 0 || json.Unmarshal(word, &names) != nil || len(names) == 0 {
		return state, diags
	}
	for _, name := range names {
		path := strings.Split(name, ".")
		state = with(state, tftypes.NewValue(at(state, path...).Type(), nil), path...)
	}
	diags.Append(next.SetKey(ctx, droppedKey, nil)...)
	return state, diags
}
