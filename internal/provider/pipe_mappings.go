package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// The table mappings of a Postgres source are configured as the complete set, and sent as its
// difference from the set on the platform. A mapping that differs is removed and added again, as
// configured.

const excludedColumns = "excluded_columns"

var tableMappingsPath = tfvalue.Path{"source", "postgres", "table_mappings"}

var (
	// mappingKey identifies a table mapping by schema, table and target.
	mappingKey = tfvalue.Key{
		Members: []string{"source_schema_name", "source_table", "target_table"},
		Parts:   [][]string{mappingSource.Members, {"target_table"}},
		MayOmit: []string{"use_custom_sorting_key", "sorting_keys"},
		Noun:    "table mapping",
		Format:  "%s.%s to %s",
	}
	// mappingSource identifies the table that a mapping is about.
	mappingSource = tfvalue.Key{Members: []string{"source_schema_name", "source_table"}, Format: "%s.%s"}
)

// checkMappings rejects mappings that the platform may reject, and warns about what a reviewer has to
// know of a change. A plan of Terraform shows a set as two lists without an order, and nothing of it
// if a member is sensitive, or all of it if one is unknown.
func checkMappings(r adopt.Review) {
	before, after := r.Prior.At(tableMappingsPath...), r.Plan.At(tableMappingsPath...)
	if r.Config.At(tableMappingsPath...).IsNull() {
		return
	}
	if r.Prior.IsNull() {
		rejectUnsorted(r, r.Remote.At(tableMappingsPath...), after)
		return // an adoption only adds mappings
	}
	rejectUnsorted(r, before, after)
	if lines := mappingChanges(before, after); len(lines) > 0 {
		r.Diags.AddAttributeWarning(conn.AttributePath(tableMappingsPath),
			fmt.Sprintf("Table mappings of %s change", r.Label), strings.Join(lines, "\n"))
	}
}

// rejectUnsorted rejects a mapping that is added with a custom sorting key, and without the key's
// columns: a platform that rejects it does so after it has removed the mapping that it replaces.
func rejectUnsorted(r adopt.Review, before, after tfvalue.Value) {
	_, add := mappingKey.Difference(after, before)
	unsorted := slices.DeleteFunc(add, func(mapping tfvalue.Value) bool {
		keys := mapping.At("sorting_keys")
		return !mapping.At("use_custom_sorting_key").True() || !keys.IsKnown() || len(keys.Elements()) > 0
	})
	if len(unsorted) > 0 {
		r.Diags.AddAttributeError(conn.AttributePath(tableMappingsPath), "Sorting keys missing",
			fmt.Sprintf("use_custom_sorting_key is true and sorting_keys is empty in these table mappings of %s:\n\n%s\n\nSet sorting_keys, or use_custom_sorting_key = false.",
				r.Label, mappingKey.List(unsorted)))
	}
}

// warnSpaces warns about names with white space at an end, which a page does not show. To the
// database "notes " is another column than "notes".
func warnSpaces(config tfvalue.Value, diags *diag.Diagnostics) {
	var lines []string
	for _, mapping := range mappingKey.Sort(config.At(tableMappingsPath...).Elements()) {
		for name, member := range mapping.Members() {
			for _, value := range append(member.Elements(), member) {
				text := value.Text()
				if strings.TrimSpace(text) == text {
					continue
				}
				if name == excludedColumns {
					name += " has " + words.Name(text)
				}
				lines = append(lines, fmt.Sprintf("  - %s: %s", mappingKey.Label(mapping), name))
			}
		}
	}
	if len(lines) > 0 {
		diags.AddAttributeWarning(conn.AttributePath(tableMappingsPath), "Name begins or ends with white space",
			"The database has another table or column under such a name, or none. A column whose name is misspelled in excluded_columns is copied:\n\n"+strings.Join(lines, "\n"))
	}
}
