package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// The warnings of plans. They show only values that the platform has now: the plan
// shows the new ones, and masks sensitive ones.

// warnOverwritten warns about the values that an adoption overwrites, or that one in a
// replacement may overwrite (warnReplaced).
func (e *Engine) warnOverwritten(c *conn.Connection, a reviewed, replaces bool, diags *diag.Diagnostics) {
	if a.Remote.IsNull() {
		return
	}
	var lines []string
	for _, leaf := range a.Leaves.Leaves() {
		now := a.Remote.At(leaf.Path...)
		if _, keyed := e.Rules.Keys[leaf.Name()]; keyed || now.IsNull() {
			continue // an adoption neither removes nor changes an element of a keyed set
		}
		lines = append(lines, fmt.Sprintf("  - %s (currently %s)", leaf.Path, c.Client.Mask(e.Rules.Describe(leaf.Name(), now))))
	}
	for _, line := range a.overwritten {
		lines = append(lines, "  - "+line)
	}
	if len(lines) == 0 {
		return
	}
	cause, wherever := "Creating this resource", ""
	advice := "To keep a value, remove its argument from the configuration. To see old and new values in the plan, and in its JSON, use an import block."
	if replaces {
		cause, wherever = "This replacement", " wherever the configuration sets other values"
		advice = "The lifecycle argument ignore_changes does not apply to a new object."
	}
	diags.AddWarning(
		fmt.Sprintf("%s overwrites current values of %s", cause, a.Label),
		fmt.Sprintf("The %s already exists. These current values will be replaced%s:\n\n%s\n\n%s", e.Noun, wherever, strings.Join(lines, "\n"), advice),
	)
}

// warnEmptyObjects warns about objects that set none of their attributes, if the
// platform has values for any of them that are not empty: Terraform silently drops
// misspelled names of nested objects. Without such values nothing can be lost, and
// generated configuration has many of these objects. The platform never returns credentials, so
// an empty object of those always causes a warning.
func (e *Engine) warnEmptyObjects(at tfvalue.Path, all traits, config, remote tfvalue.Value, diags *diag.Diagnostics) {
	for name, object := range config.Members() {
		if !object.IsObject() {
			continue
		}
		next, members, empty := append(slices.Clone(at), name), all[name].members, true
		for _, member := range object.Members() {
			empty = empty && member.IsNull()
		}
		unreturned := slices.ContainsFunc(e.Rules.NotInJSON, func(p tfvalue.Path) bool { return slices.Equal(p, next[:min(len(p), len(next))]) })
		told := slices.ContainsFunc(members.onlySettable(remote.At(name)).Leaves(), func(leaf tfvalue.Leaf) bool { return !leaf.Value.IsEmpty() })
		if empty && (unreturned || told) {
			diags.AddAttributeWarning(conn.AttributePath(next), EmptyObject, EmptyObjectDetail(next))
		}
		e.warnEmptyObjects(next, members, object, remote.At(name), diags)
	}
}

// EmptyObject is the summary of the warning about an object that sets none of its
// attributes. All share it, so that Terraform folds them.
const EmptyObject = "Object is empty"

// EmptyObjectDetail is the detail of that warning.
func EmptyObjectDetail(at tfvalue.Path) string {
	return fmt.Sprintf("%s has no attributes set. Terraform silently ignores misspelled names in nested objects: check the spelling. "+
		"If nothing is meant to be set, as in a module whose variables are all null, set %s itself to null.", at, at)
}

// warnDestroy warns that a destroy changes nothing on the platform. All objects share
// one summary, so that Terraform folds the warnings. It does not say that Terraform no
// longer manages the object: another resource may import it in the same plan.
func (e *Engine) warnDestroy(state tfvalue.Value, diags *diag.Diagnostics) {
	diags.AddWarning(
		"Destroy does not delete services or pipes",
		fmt.Sprintf("This resource stops managing %s, which keeps its current settings on the platform.", e.label(state, state)),
	)
}

// warnOtherImported warns that an import block and the configuration identify
// different objects: Terraform then imports the first and replaces it.
func (e *Engine) warnOtherImported(state, plan tfvalue.Value, diags *diag.Diagnostics) {
	var differ []string
	for _, name := range e.replaced(plan, state) {
		configured := "known only after apply"
		if id := plan.At(name); id.IsKnown() {
			configured = id.Text()
		}
		differ = append(differ, fmt.Sprintf("  - %s: imported %s, configured %s", name, state.At(name).Text(), configured))
	}
	diags.AddWarning(
		fmt.Sprintf("Imported %s is not the configured one", e.label(state, state)),
		"The IDs in the import block and in the configuration differ, so Terraform would import one object and then replace it with the other:\n\n"+
			strings.Join(differ, "\n")+"\n\nMake both IDs the same.",
	)
}
