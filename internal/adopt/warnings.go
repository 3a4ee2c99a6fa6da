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

// warnOverwritten warns about the values that an adoption overwrites.
func (e *Engine) warnOverwritten(a adoption, diags *diag.Diagnostics) {
	lines, keep := e.overwritten(a, "will be removed")
	if len(lines) == 0 {
		return
	}
	diags.AddWarning(
		fmt.Sprintf("Creating this resource overwrites current values of %s", a.label),
		fmt.Sprintf("The %s already exists. These current values will be replaced:\n\n", e.Noun)+strings.Join(lines, "\n")+
			"\n\n"+keep+" To see old and new values in the plan, and in its JSON, use an import block.",
	)
}

// warnMayOverwrite warns about the values that a replacement may overwrite, as far as
// it is known; see warnReplaced.
func (e *Engine) warnMayOverwrite(a adoption, diags *diag.Diagnostics) {
	lines, _ := e.overwritten(a, "will be removed, unless the configuration has it")
	if len(lines) == 0 {
		return
	}
	diags.AddWarning(
		fmt.Sprintf("This replacement overwrites current values of %s", a.label),
		fmt.Sprintf("The %s already exists. These current values will be replaced wherever the configuration sets other values:\n\n", e.Noun)+strings.Join(lines, "\n")+
			"\n\nThe lifecycle argument ignore_changes does not apply to a new object.",
	)
}

// overwritten describes what an adoption overwrites, and how to keep it.
func (e *Engine) overwritten(a adoption, removed string) (lines []string, keep string) {
	if a.remote.IsNull() {
		return nil, ""
	}
	keep = "To keep a value, remove its argument from the configuration."
	for _, leaf := range a.send.Leaves() {
		now := a.remote.At(leaf.Path...)
		key, keyed := e.Rules.Keys[leaf.Name()]
		switch {
		case now.IsNull():
		case keyed:
			overwritten, removes := e.overwrittenElements(key, leaf, now, removed, a.mask)
			lines = append(lines, overwritten...)
			if removes {
				keep += fmt.Sprintf(" To keep a %s, add it to %s.", key.Noun, leaf.Name())
			}
		default:
			lines = append(lines, fmt.Sprintf("  - %s (currently %s)", leaf.Path, e.describe(a.mask, leaf.Name(), now)))
		}
	}
	for _, line := range a.overwritten {
		lines = append(lines, "  - "+line)
	}
	return lines, keep
}

// overwrittenElements describes the elements of a keyed set that an adoption
// removes, and the members that it changes. It reports whether it removes one. Unless
// every key is known, none is known to be removed.
func (e *Engine) overwrittenElements(key tfvalue.Key, leaf tfvalue.Leaf, now tfvalue.Value, removed string, mask func(string) string) (lines []string, removes bool) {
	wanted := key.Index(leaf.Value)
	known := leaf.Value.IsKnown() && !slices.ContainsFunc(leaf.Value.Elements(), func(element tfvalue.Value) bool { return !key.Known(element) })
	for _, element := range key.Sort(now.Elements()) {
		want, ok := wanted[key.Of(element)]
		if !ok {
			if known {
				lines = append(lines, fmt.Sprintf("  - %s %s %s", key.Noun, key.Spell(element), removed))
				removes = true
			}
			continue
		}
		for name, member := range want.Members() {
			if was := element.At(name); !member.IsNull() && !tfvalue.Alike(member, was) {
				lines = append(lines, fmt.Sprintf("  - %s of %s %s (currently %s)", name, key.Noun, key.Spell(element), e.describe(mask, name, was)))
			}
		}
	}
	return lines, removes
}

// warnConflicts warns about leaves that another resource over the same object sets
// to another value.
func (e *Engine) warnConflicts(c *conn.Connection, a adoption, diags *diag.Diagnostics) {
	id := e.identity(a.Plan)
	if !id.known() {
		return
	}
	owned := e.verifiable(a.owned)
	others := c.Claim(e.key(id), owned)
	var lines []string
	for _, leaf := range owned.Leaves() {
		if leaf.Value.IsFullyKnown() && slices.ContainsFunc(others, func(other tfvalue.Value) bool { return e.conflicts(leaf, other) }) {
			lines = append(lines, "  - "+leaf.Path.String())
		}
	}
	if len(lines) == 0 {
		return
	}
	diags.AddWarning(
		"Two resources configure "+a.label,
		"They set different values for the arguments below. Each apply of one overwrites the value of the other:\n\n"+strings.Join(lines, "\n")+
			"\n\nRemove these arguments from one of the resources, or remove one of the resources.",
	)
}

func (e *Engine) conflicts(leaf tfvalue.Leaf, other tfvalue.Value) bool {
	theirs := other.At(leaf.Path...)
	return !theirs.IsNull() && theirs.IsFullyKnown() && !e.Rules.Confirms(leaf.Name(), leaf.Value, theirs)
}

// warnEmptyObjects warns about objects that set none of their attributes, if the
// platform has values for any of them: Terraform silently drops misspelled names of
// nested objects. Without such values nothing can be lost, and generated
// configuration has many of these objects. The platform never returns credentials, so
// an empty object of those always causes a warning.
func (e *Engine) warnEmptyObjects(config, remote tfvalue.Value, diags *diag.Diagnostics) {
	e.traits.walkObjects(nil, config, func(at tfvalue.Path, members traits, object tfvalue.Value) {
		for _, member := range object.Members() {
			if !member.IsNull() {
				return
			}
		}
		settable := members.onlySettable(remote.At(at...))
		if settable.AnyLeaf() || slices.ContainsFunc(e.Unreturned, func(p tfvalue.Path) bool { return slices.Equal(p, at[:min(len(p), len(at))]) }) {
			diags.AddAttributeWarning(conn.AttributePath(at), EmptyObject, EmptyObjectDetail(at))
		}
	})
}

// EmptyObject is the summary of the warning about an object that sets none of its
// attributes. All share it, so that Terraform folds them.
const EmptyObject = "Object is empty"

// EmptyObjectDetail is the detail of that warning.
func EmptyObjectDetail(at tfvalue.Path) string {
	return fmt.Sprintf("%s has no attributes set. Terraform silently ignores misspelled names in nested objects: check the spelling.", at)
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
