package adopt

import (
	"slices"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// ExcludedColumns is the member of a table mapping that has the columns that are not copied.
const ExcludedColumns = "excluded_columns"

// Excluded are the columns that a table mapping excludes, as far as they are known, for a message.
func Excluded(mapping tfvalue.Value) (columns []string) {
	for _, column := range mapping.At(ExcludedColumns).Elements() {
		if column.IsKnown() {
			columns = append(columns, words.Name(column.Normal()))
		}
	}
	slices.Sort(columns)
	return columns
}

// Uncovered are the columns that a table mapping copies, and each of some others excludes.
func Uncovered(by tfvalue.Value, others ...tfvalue.Value) (columns []string) {
	for i, other := range others {
		excluded := words.Without(Excluded(other), Excluded(by))
		if i == 0 {
			columns = excluded
		}
		columns = words.Without(columns, words.Without(columns, excluded))
	}
	return columns
}
