package provider

import (
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

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
		"two successors of one":           {wanted("public.old", "events", "excluded_columns = []"), orders("events", "[]") + events("events", "[]"), "", ""},
		"a successor, and another one":    {wanted("public.old", "events", "excluded_columns = []") + events("events", "[]"), orders("events", "[]") + events("events", "[]"), "", ""},
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
