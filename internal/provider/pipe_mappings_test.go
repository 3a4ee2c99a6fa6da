package provider

import (
	"fmt"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// Table mappings, in configurations and requests. The pipe of the seed has customersMapping,
// addressesMapping and leadsMapping.

const (
	customersMapping = `{ source_schema_name = "public", source_table = "customers", target_table = "customers", excluded_columns = ["password_hash", "phone"], use_custom_sorting_key = true, sorting_keys = ["country", "id"] }`
	addressesMapping = `{ source_schema_name = "public", source_table = "addresses", target_table = "addresses", excluded_columns = [] }`
	leadsMapping     = `{ source_schema_name = "sales", source_table = "leads", target_table = "sales_leads", excluded_columns = ["notes"] }`
)

func mappings(all ...string) string {
	return "source = { postgres = { table_mappings = [" + strings.Join(all, ", ") + "] } }"
}

// wanted is a mapping in a configuration, with further members.
func wanted(source, target, members string) string {
	schema, table, _ := strings.Cut(source, ".")
	return fmt.Sprintf("{ source_schema_name = %q, source_table = %q, target_table = %q, %s }", schema, table, target, members)
}

// mappingJSON is a mapping of the schema public in a request, without a sorting key.
func mappingJSON(table, target, excluded string) string {
	return fmt.Sprintf(`{"sourceSchemaName": "public", "sourceTable": %q, "targetTable": %q, "excludedColumns": %s, "useCustomSortingKey": false, "sortingKeys": []}`, table, target, excluded)
}

// seedMappings is the configuration of the mappings of the seed, and resorted has customers
// sorted by its id alone.
var (
	seedMappings = mappings(customersMapping, addressesMapping, leadsMapping)
	resorted     = mappings(wanted("public.customers", "customers", `excluded_columns = ["password_hash", "phone"], use_custom_sorting_key = true, sorting_keys = ["id"]`), addressesMapping, leadsMapping)
)

// mappedPipe is a block for the pipe with the mappings of the seed, applied.
func (f *fixture) mappedPipe() *managed {
	f.t.Helper()
	b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
	b.apply()
	b.wantWrites()
	return b
}

// mapped are the columns that the platform excludes of a pipe's tables, by target.
func (f *fixture) mapped(id string) map[string][]string {
	excluded := map[string][]string{}
	for _, mapping := range heldIn(f.Pipe(id)) {
		excluded[fmt.Sprint(mapping["target_table"])] = columnsOf(mapping, "excluded_columns")
	}
	return excluded
}
