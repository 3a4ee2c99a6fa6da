package conn

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// WarnEmptyObjects warns about the objects of a configuration that set none of their attributes: Terraform
// silently drops misspelled names of nested objects. It is one warning, since a module may hand over many
// typed objects of nulls, under one summary, so that Terraform folds it.
func WarnEmptyObjects(config tfvalue.Value, diags *diag.Diagnostics) {
	names := emptyObjects(nil, config)
	if len(names) == 0 {
		return
	}
	diags.AddWarning("Object is empty", fmt.Sprintf("No attributes are set in %s, so Terraform manages nothing of it. "+
		"In a module, declare such an object as optional(object({...})) without a default, so that it is null if it is omitted. "+
		"Otherwise check the spelling: Terraform silently ignores misspelled names.", words.Enumerate(names)))
}

// emptyObjects are the paths of the innermost objects that set nothing.
func emptyObjects(at tfvalue.Path, object tfvalue.Value) (all []string) {
	isEmpty := len(at) > 0
	for name, member := range object.Members() {
		isEmpty = isEmpty && member.IsNull()
		if member.IsObject() {
			all = append(all, emptyObjects(append(slices.Clone(at), name), member)...)
		}
	}
	if isEmpty {
		all = append(all, at.String())
	}
	return all
}
