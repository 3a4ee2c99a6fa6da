package adopt

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// The warnings of plans. They show only values that the platform has now: the plan
// shows the new ones, and masks sensitive ones.

// overwrites describes what an adoption changes on the platform, in the beginning of a sentence and in a list. Both
// are "" if that is nothing, or not known.
func (e *Engine) overwrites(c *conn.Connection, r Review) (summary, list string) {
	if r.remote.IsNull() {
		return "", ""
	}
	var lines []string
	for _, leaf := range r.Leaves.Leaves() {
		now := r.remote.At(leaf.Path...)
		if now.IsNull() || e.isMappings(leaf.Path) {
			continue // an adoption neither removes nor changes an element of the set
		}
		later := ""
		if !leaf.Value.IsFullyKnown() {
			later = ", and the new value is known only after apply"
		}
		lines = append(lines, fmt.Sprintf("  - %s (currently %s%s)", leaf.Path, words.Cut(c.Client.Mask(now.DescribeInFull())), later))
	}
	for _, line := range r.overwritten {
		lines = append(lines, "  - "+line)
	}
	if len(r.Edit.Add) > 0 {
		summary = "Creating this resource adds table mappings to "
		list = "These table mappings will be added:\n\n" + e.key().List(r.Edit.Add)
	} else if !e.mappingsOf(r.Leaves).IsFullyKnown() {
		summary = "Creating this resource may add table mappings to "
		list = "Which table mappings will be added is known only after apply."
	}
	if len(lines) > 0 {
		summary = "Creating this resource overwrites current values of "
		list = strings.TrimSpace("These current values will be replaced:\n\n" + strings.Join(lines, "\n") + "\n\n" + list)
	}
	return summary, list
}

// warnOverwritten warns about what an adoption changes on the platform, unless it is rejected.
func (e *Engine) warnOverwritten(c *conn.Connection, r Review, diags *diag.Diagnostics) {
	if summary, list := e.overwrites(c, r); list != "" && !diags.HasError() {
		diags.AddWarning(summary+r.Label, fmt.Sprintf("The %s already exists. %s\n\n"+
			"To keep a value, remove its argument from the configuration. To see old and new values in the plan, and in its JSON, use an import block.", e.Noun, list))
	}
}

// warnReplaced warns about a replacement: what becomes of the old object, and what the adoption of the new one
// overwrites. It says both, because Terraform shows no warnings of the second plan, which is that of the new object.
// That plan also has the errors, and the values that ignore_changes hides from this one.
func (e *Engine) warnReplaced(ctx context.Context, c *conn.Connection, config, prior tfvalue.Value, replaces []string, diags *diag.Diagnostics) {
	var preview diag.Diagnostics
	plan := e.proposeIn(c, config, tfvalue.Null(e.objectType), &preview)
	adoption := e.reviewAdoption(ctx, c, config, plan, &preview)
	effect := "The configuration may overwrite its values."
	if !preview.HasError() {
		diags.Append(preview...)
		if _, list := e.overwrites(c, adoption); list != "" {
			effect = list
		} else if !adoption.remote.IsNull() && adoption.IsEmpty() {
			effect = "The configuration changes none of its values, except perhaps those in ignore_changes."
		}
	}
	other := e.Noun
	if label := strings.TrimPrefix(e.label(plan, adoption.remote), e.Noun+" "); label != "" {
		other += ": " + label
	}
	diags.AddWarning(fmt.Sprintf("Replacement adopts another %s", other), fmt.Sprintf("%s changed: this resource stops managing %s, "+
		"and adopts the %s with the new ID. %s\n\nignore_changes does not apply to the new object: of what it lists, credentials included, "+
		"the plan shows what the object gets. Above, it may be missing, or listed although it does not change.",
		words.Enumerate(replaces), e.label(prior, prior), e.Noun, effect))
	e.warnDestroy(c, prior, diags)
}

// warnDestroy warns that a destroy changes nothing on the platform. All objects share one summary, so that Terraform
// folds the warnings. It does not say that Terraform no longer manages the object, since another resource may import it
// in the same plan, nor that the object exists: Terraform may plan a destroy before it refreshes. About an object that
// this run has found gone it is silent.
func (e *Engine) warnDestroy(c *conn.Connection, state tfvalue.Value, diags *diag.Diagnostics) {
	if c.Gone.Has(e.inRun(e.identity(state))) {
		return
	}
	diags.AddWarning("Destroy does not delete services or pipes",
		fmt.Sprintf("This resource stops managing %s, which keeps its current settings on the platform if it still exists.", e.label(state, state)))
}
