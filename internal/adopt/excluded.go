package adopt

import (
	"slices"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// ExcludedColumns is the member of a table mapping that has the columns that are not copied.
const ExcludedColumns = "excluded_columns"

// Excluded are the columns that each of some table mappings excludes, as far as they are known, for a message.
func Excluded(mappings ...tfvalue.Value) (columns []string) {
	for i, mapping := range mappings {
		var excluded []string
		for _, column := range mapping.At(ExcludedColumns).Elements() {
			if name := words.Name(column.Normal()); column.IsKnown() && (i == 0 || slices.Contains(columns, name)) {
				excluded = append(excluded, name)
			}
		}
		columns = excluded
	}
	slices.Sort(columns)
	return columns
}

// Uncovered are the columns that a table mapping copies, and each of some others excludes.
func Uncovered(by tfvalue.Value, others ...tfvalue.Value) []string {
	return words.Without(Excluded(others...), Excluded(by))
}
