package provider

import (
	"fmt"
	"slices"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// The table mappings of a Postgres source are configured as the complete set, and sent as its
// difference from the set on the platform. A mapping that differs is removed and added again, as
// configured.

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
	mappingSource = tfvalue.Key{Members: []string{"source_schema_name", "source_table"}}
)

// warnMappings warns about mappings that are removed and added again, and about a sorting key that
// the platform may reject once the mapping is removed.
func warnMappings(r adopt.Review) {
	again := mappingSource.Among(r.Edit.Add, r.Edit.Remove)
	if len(again) > 0 {
		r.Diags.AddAttributeWarning(conn.AttributePath(tableMappingsPath),
			fmt.Sprintf("Table mappings of %s will be removed and added again", r.Label),
			"A mapping cannot be changed in place. These are removed and added again, so the platform may copy their tables again. "+
				"Settings of these tables that are not attributes of a mapping, such as engine and partitions, are reset to the platform's defaults:\n\n"+mappingKey.List(again))
	}
	unsorted := slices.DeleteFunc(slices.Clone(r.Edit.Add), func(mapping tfvalue.Value) bool {
		return !mapping.At("use_custom_sorting_key").True() || len(mapping.At("sorting_keys").Elements()) > 0
	})
	if len(unsorted) > 0 {
		r.Diags.AddAttributeWarning(conn.AttributePath(tableMappingsPath),
			fmt.Sprintf("Table mappings of %s have no sorting keys", r.Label),
			"use_custom_sorting_key is true and sorting_keys is empty. The platform may reject such a mapping, and a mapping that changes is removed before it is added. Set sorting_keys, or use_custom_sorting_key = false:\n\n"+mappingKey.List(unsorted))
	}
}
