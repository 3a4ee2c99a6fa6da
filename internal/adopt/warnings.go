package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// The warnings of plans. They show only values that the platform has now: the plan
// shows the new ones, and masks sensitive ones.

// warnOverwritten warns about the values that an adoption overwrites.
func (e *Engine) warnOverwritten(c *conn.Connection, a reviewed, diags *diag.Diagnostics) {
	if a.Remote.IsNull() {
		return
	}
	var lines []string
	for _, leaf := range a.Leaves.Leaves() {
		now := a.Remote.At(leaf.Path...)
		if now.IsNull() || e.isKeyedSet(leaf.Path) {
			continue // an adoption neither removes nor changes an element of the set
		}
		lines = append(lines, fmt.Sprintf("  - %s (currently %s)", leaf.Path, c.Client.Mask(e.Rules.Describe(leaf.Name(), now))))
	}
	for _, line := range a.overwritten {
		lines = append(lines, "  - "+line)
	}
	if len(lines) == 0 {
		return
	}
	diags.AddWarning(
		fmt.Sprintf("Creating this resource overwrites current values of %s", a.Label),
		fmt.Sprintf("The %s already exists. These current values will be replaced:\n\n%s\n\n"+
			"To keep a value, remove its argument from the configuration. To see old and new values in the plan, and in its JSON, use an import block.", e.Noun, strings.Join(lines, "\n")),
	)
}

// warnReplaced warns about a replacement: what becomes of the old object, and that the new one is
// adopted. It says both, because Terraform shows no warnings of the second plan, which is that of
// the new object. All objects share the summaries, so that Terraform folds the warnings.
func (e *Engine) warnReplaced(c *conn.Connection, prior tfvalue.Value, replaces []string, diags *diag.Diagnostics) {
	e.warnDestroy(c, prior, diags)
	diags.AddWarning(
		"A replacement overwrites current values",
		fmt.Sprintf("An ID changed: %s. Terraform adopts the %s with the new ID: the configuration overwrites its values, and ignore_changes does not apply.",
			platform.Enumerate(replaces), e.Noun),
	)
}

// WarnEmptyObjects warns about each object below a path of the configuration that sets none of its
// attributes: Terraform silently drops misspelled names of nested objects. All warnings share one
// summary, so that Terraform folds them.
func WarnEmptyObjects(at tfvalue.Path, object tfvalue.Value, diags *diag.Diagnostics) {
	empty := true
	for name, member := range object.Members() {
		empty = empty && member.IsNull()
		if member.IsObject() {
			WarnEmptyObjects(append(slices.Clone(at), name), member, diags)
		}
	}
	if !empty || len(at) == 0 {
		return
	}
	diags.AddAttributeWarning(conn.AttributePath(at), "Object is empty",
		fmt.Sprintf("%s has no attributes set. Check the spelling, because Terraform silently ignores misspelled names, or set it to null.", at))
}

// warnDestroy warns that a destroy changes nothing on the platform. All objects share one summary,
// so that Terraform folds the warnings. It does not say that Terraform no longer manages the
// object, since another resource may import it in the same plan, nor that the object exists:
// Terraform may plan a destroy before it refreshes. About an object that this run has found gone it
// is silent.
func (e *Engine) warnDestroy(c *conn.Connection, state tfvalue.Value, diags *diag.Diagnostics) {
	if c.Gone.Has(e.run(e.identity(state))) {
		return
	}
	diags.AddWarning(
		"Destroy does not delete services or pipes",
		fmt.Sprintf("This resource stops managing %s, which keeps its current settings on the platform if it still exists.", e.label(state, state)),
	)
}
