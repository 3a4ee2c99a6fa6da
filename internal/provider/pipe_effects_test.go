package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// TestSameOfManyTables has one line for a column that many tables uncover, with their number and twenty of them.
func TestSameOfManyTables(t *testing.T) {
	f := newFixture(t)
	twenty := ""
	for i := range 20 {
		twenty += fmt.Sprintf(`, "public.t%03d:t%03d"`, i, i)
	}
	twenty = strings.TrimPrefix(twenty, ", ")
	for tables, says := range map[int]string{
		1:    "  - \"public.alone:alone\": c7, c8\n  - \"public.t000:t000\": c7",
		20:   "  - \"public.alone:alone\": c7, c8\n  - c7 (20 tables: " + twenty + ")",
		1000: "  - \"public.alone:alone\": c7, c8\n  - c7 (1,000 tables: " + twenty + ", …)",
	} {
		was, will := mappingSet{"alone>alone": {"c7,c8", ""}}, mappingSet{"alone>alone": {}}
		for i := range tables {
			name := fmt.Sprintf("t%03d>t%03d", i, i)
			was[name], will[name] = mapping{"c7,x", ""}, mapping{"x", ""}
		}
		f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) { setMember(doc, tableMappings, was.documents()) })
		b := f.pipe(mockplatform.PostgresPipeID, "source = { postgres = { table_mappings = "+toJSON(t, was.arguments())+" } }")
		b.apply()
		b.arguments = "source = { postgres = { table_mappings = " + toJSON(t, will.arguments()) + " } }"
		if got := strings.Join(b.plan().warnings, "\n"); !strings.HasSuffix(got, "may copy their tables again:\n"+says) {
			t.Errorf("%d tables: the plan warns\n%s\nwant\n%s", tables, got, says)
		}
	}
}
