package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
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

// TestTargetsOfTwoTables refuses a plan that brings tables together in one target and replaces a mapping for that. What is only added
// is a warning, and what the platform has already passes, also where one of the two changes.
func TestTargetsOfTwoTables(t *testing.T) {
	t.Parallel()
	events := func(target, excluded string) string {
		return wanted("public.events", target, "excluded_columns = "+excluded)
	}
	orders := func(target, excluded string) string {
		return wanted("public.orders", target, "excluded_columns = "+excluded)
	}
	terraformtest.Rows(t, map[string]struct{ before, after, removed, first string }{ // removed is "" where the plan passes
		"renamed":                         {orders("orders", "[]") + events("events", "[]"), orders("events", "[]") + events("events", "[]"), `"public.orders:orders"`, events("events", "[]")},
		"renamed, in another letter case": {orders("orders", "[]") + events("events", "[]"), orders("Events", "[]") + events("events", "[]"), `"public.orders:orders"`, events("events", "[]")},
		"the other one changes":           {events("events", "[]"), orders("events", "[]") + events("events", `["x"]`), `"public.events:events"`, orders("events", "[]")},
		"two successors of one":           {wanted("public.old", "events", "excluded_columns = []"), orders("events", "[]") + events("events", "[]"), `"public.old:events"`, ""},
		"both are added":                  {"", orders("events", "[]") + events("events", "[]"), "", ""},
		"one is added":                    {events("events", "[]"), orders("events", "[]") + events("events", "[]"), "", ""},
		"they shared it before":           {orders("events", "[]") + events("events", "[]"), orders("events", `["x"]`) + events("events", "[]"), "", ""},
		"renamed, and another one leaves": {orders("orders", "[]") + events("events", "[]"), orders("events", "[]"), "", ""},
	}, func(t *testing.T, row struct{ before, after, removed, first string }) {
		f := newFixture(t)
		set := func(text string) string { return mappings(strings.ReplaceAll(text, "}\"", "}, \"")) }
		setMappings := func(doc mockplatform.Document) { setMember(doc, tableMappings, []any{}) }
		f.UpdatePipe(mockplatform.PostgresPipeID, setMappings)
		b := f.pipe(mockplatform.PostgresPipeID, set(row.before))
		b.apply()
		b.ResetJournal()
		b.arguments = set(row.after)
		if row.removed == "" {
			b.apply()
			b.wantQuiet()
			return
		}
		b.refuses(b.tryPlan(f.start()), "Tables with the same target: pipe \"customers\" ("+b.id+"): This plan brings tables together in one target: - ",
			" (2 tables: \"", "it no longer copies these tables: - "+row.removed+" Give each table a target of its own. ")
		b.applyAs(set(row.first))
		b.applyAs(set(row.after))
		b.wantQuiet()
	})
}

// TestColumnsUncoveredOutside has somebody uncover columns in the console: the refresh that finds it says so, until the state has it.
func TestColumnsUncoveredOutside(t *testing.T) {
	f := newFixture(t)
	b := f.mappedPipe()
	const says = "Excluded columns have been copied: pipe \"customers\" (" + mockplatform.PostgresPipeID + "): Somebody changed these table mappings " +
		"outside of Terraform, and the platform has copied these columns since:\n\n%s\n\nIf this plan excludes them again, its apply stops that. " +
		"It does not delete what was copied."
	f.UpdatePipe(b.id, func(doc mockplatform.Document) {
		excludeIn(doc, 0, "password_hash")
		excludeIn(doc, 2)
		setMember(doc, tableMappings, append(listOf(member(doc, tableMappings)), object{"sourceSchemaName": "public", "sourceTable": "Customers", "targetTable": "copy"}))
	})
	plan := b.plan()
	want := fmt.Sprintf(says, `  - "public.Customers:copy": password_hash, phone`+"\n"+`  - "public.customers:customers": phone`+"\n"+`  - "sales.leads:sales_leads": notes`)
	if plan.warnings[0] != want || len(plan.warnings) != 2 {
		t.Errorf("the plan warns\n%s\nwant first\n%s", strings.Join(plan.warnings, "\n"), want)
	}
	b.applyPlan(plan)
	b.wantQuiet()

	// Less is copied, and nothing was managed or nothing is told: no news.
	f.UpdatePipe(b.id, func(doc mockplatform.Document) {
		excludeIn(doc, 0, "password_hash", "phone", "ssn")
		setMember(doc, tableMappings, listOf(member(doc, tableMappings))[:2])
	})
	wantNoText(t, b.plan().String(), "have been copied")
	f.UpdatePipe(b.id, func(doc mockplatform.Document) { setMember(doc, "source.postgres", nil) })
	wantNoText(t, b.tryPlan(f.start()).String(), "have been copied")
	imported := f.pipe(b.id, seedMappings)
	f.UpdatePipe(b.id, func(doc mockplatform.Document) { setMember(doc, tableMappings, []any{}) })
	imported.block.Import(f.start(), mockplatform.ServiceID+"/"+b.id)
	wantNoText(t, imported.tryPlan(f.start()).String(), "have been copied")
}
