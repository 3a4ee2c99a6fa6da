package provider

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// TestMappingWarnings has what a plan says of a change to the table mappings: all that a reviewer
// has to know, since the set itself is two lists without an order. TestPromises has that nothing is missing.
func TestMappingWarnings(t *testing.T) {
	t.Parallel()
	const (
		copied  = "Columns that will be copied from now on. The platform may copy their tables again:\n"
		unknown = "Known only after apply:\n"
		gone    = "Tables that are no longer copied:\n"
		shared  = "Written to one target from now on, so the rows of these tables mix:\n"
		moved   = "Written to another target, and no longer to the old one:\n"
		again   = "Removed and added again, so the platform may copy the table again and reset its engine and partitions to defaults:\n"
	)
	const hidden = "Known only after apply, because the map or one of its keys is. Use keys that are known in the plan, to see what changes:\n" +
		"  - \"public.addresses:addresses\": whether it stays, and which columns it excludes (today: none)\n" +
		"  - \"public.customers:customers\": whether it stays, and which columns it excludes (today: password_hash, phone)\n" +
		"  - \"sales.leads:sales_leads\": whether it stays, and which columns it excludes (today: notes)"
	const rest = addressesMapping + ", " + leadsMapping
	customers := func(excluded string) string {
		return wanted("public.customers", "customers", `use_custom_sorting_key = true, sorting_keys = ["country", "id"], excluded_columns = `+excluded)
	}
	sorted := func(table, excluded string) string {
		return wanted("public."+table, table, "use_custom_sorting_key = true, sorting_keys = [later.text], excluded_columns = "+excluded)
	}
	terraformtest.Rows(t, map[string][2]string{
		"mappings are added": {mappings(customersMapping, rest, wanted("public.new", "new", `excluded_columns = ["card"]`)), ""},
		"columns more are excluded, and nothing is sorted": {mappings(wanted("public.customers", "customers",
			`excluded_columns = ["password_hash", "phone", "ssn", "pin"]`), rest),
			again + "  - \"public.customers:customers\": excluded_columns (excludes pin, ssn from now on), sorting_keys, use_custom_sorting_key"},
		"all are removed": {mappings(), "All tables that are copied today (3) are no longer copied:\n" +
			"  - \"public.addresses:addresses\"\n  - \"public.customers:customers\"\n  - \"sales.leads:sales_leads\""},
		"all at once, and exclusions that are unknown": {mappings(customers("[later.text]"), wanted("public.x", "x", `excluded_columns = [later.text]`),
			wanted("sales.leads", "leads", `excluded_columns = ["notes", "email"]`)),
			unknown + "  - \"public.customers:customers\": excluded_columns (excludes password_hash, phone now)\n" +
				gone + "  - \"public.addresses:addresses\"\n" +
				moved + "  - \"sales.leads\": to leads, no longer to sales_leads"},
		"a sorting key is unknown": {mappings(sorted("customers", `["phone"]`), sorted("addresses", "[]"), leadsMapping),
			copied + "  - \"public.customers:customers\": password_hash\n" +
				unknown + "  - \"public.addresses:addresses\": sorting_keys, use_custom_sorting_key\n  - \"public.customers:customers\": sorting_keys"},
		"a name is unknown, and a mapping": {mappings(customersMapping, `"public.addresses:addresses" = later`,
			`"sales.leads:leads" = { source_table = later.text, excluded_columns = ["notes"] }`),
			unknown + "  - \"public.addresses:addresses\": excluded_columns, sorting_keys, use_custom_sorting_key\n" +
				moved + "  - \"sales.leads\": to leads, no longer to sales_leads"},
		"one table is ignored": {mappings(customers(`[]`), addressesMapping) +
			"\nlifecycle {\n  ignore_changes = [source.postgres.table_mappings[\"public.customers:customers\"]]\n}",
			gone + "  - \"sales.leads:sales_leads\""},
		"a table in another letter case": {mappings(`"public.Customers:customers" = { excluded_columns = ["phone"] }`, addressesMapping, leadsMapping),
			copied + "  - \"public.Customers:customers\": password_hash\n" + gone + "  - \"public.customers:customers\""},
		"a successor of a table": {mappings(wanted("public.customers_v2", "Customers", `excluded_columns = ["phone"]`), addressesMapping, leadsMapping),
			copied + "  - \"public.customers_v2:Customers\": password_hash\n" + gone + "  - \"public.customers:customers\""},
		"a successor of a table that gets another target": {mappings(wanted("public.customers", "archive", `excluded_columns = ["phone", "password_hash"]`),
			wanted("public.customers_v2", "customers", `excluded_columns = ["ssn"]`), addressesMapping, leadsMapping),
			copied + "  - \"public.customers_v2:customers\": password_hash, phone\n" +
				moved + "  - \"public.customers\": to archive, no longer to customers"},
		"a successor, and its exclusions are unknown": {mappings(wanted("public.customers_v2", "customers", `excluded_columns = ["phone", later.text]`), rest),
			unknown + "  - \"public.customers_v2:customers\": excluded_columns (excludes password_hash now)\n" + gone + "  - \"public.customers:customers\""},
		"a successor that excludes as much": {mappings(wanted("public.customers_v2", "customers", `excluded_columns = ["phone", "password_hash"]`), rest),
			gone + "  - \"public.customers:customers\""},
		"a second table for a target": {mappings(customersMapping, rest, wanted("eu.customers", "Customers", `excluded_columns = []`)),
			shared + "  - Customers (2 tables: \"eu.customers:Customers\", \"public.customers:customers\")"},
		"two new tables for a target": {mappings(customersMapping, rest, wanted("public.a", `"a.b"`, `excluded_columns = []`), wanted("public.b", `"a.b"`, `excluded_columns = [later.text]`)),
			shared + `  - "a.b" (2 tables: "public.a:\"a.b\"", "public.b:\"a.b\"")`},
		"the map is unknown":           {"source = { postgres = { table_mappings = later } }", hidden},
		"one key of the map unknown":   {`source = { postgres = { table_mappings = { for t in ["customers", later.text] : "public.${t}:${t}" => { excluded_columns = ["phone"] } } } }`, hidden},
		"the map is ignored":           {mappings() + "\nlifecycle {\n  ignore_changes = [source]\n}", ""},
		"the map is no longer managed": {"", ""},
	}, func(t *testing.T, row [2]string) {
		b := newFixture(t).mappedPipe()
		b.arguments = row[0]
		want := row[1]
		if want != "" {
			verb := map[bool]string{true: "may change", false: "change"}[strings.Contains(want, "Known only after apply") || strings.Contains(row[0], "later")]
			want = `Table mappings of pipe "customers" (` + mockplatform.PostgresPipeID + ") " + verb + ": " + want
		}
		if got := strings.Join(b.plan().warnings, "\n"); got != want {
			t.Errorf("the plan warns\n%s\nwant\n%s", got, want)
		}
	})
}

// TestAdoptionNamesCopiedColumns has an adoption that adds a mapping of a table whose columns another one excludes.
func TestAdoptionNamesCopiedColumns(t *testing.T) {
	b := newFixture(t).pipe(mockplatform.PostgresPipeID, mappings(customersMapping, addressesMapping, leadsMapping,
		`"public.customers:copy" = { excluded_columns = ["phone"] }`))
	wantText(t, strings.Join(b.plan().warnings, "\n"), "Columns that will be copied from now on. The platform may copy their tables again:\n"+
		"  - \"public.customers:copy\": password_hash\n")
}

// TestInvalidSortingKeys rejects mappings that are added with sorting keys that a platform may reject or
// ignore after it has removed the old ones. Those that the platform has already are left alone.
func TestInvalidSortingKeys(t *testing.T) {
	const (
		missing  = "use_custom_sorting_key and sorting_keys are not set together Set use_custom_sorting_key and sorting_keys together, and exclude no sorting key."
		excluded = "id is in sorting_keys, but excluded_columns excludes it"
	)
	f := newFixture(t)
	b := f.mappedPipe()
	sets := func(members string) {
		b.arguments = mappings(customersMapping, leadsMapping, wanted("public.addresses", "addresses", members))
	}
	refuses := func(r *result, why string) {
		t.Helper()
		b.refuses(r, "Invalid sorting keys: The platform may reject or ignore the sorting keys of these table mappings of pipe \"customers\" ("+b.id+
			"), after it has removed the mappings that they replace: - \"public.addresses:addresses\": "+why)
	}
	for members, why := range map[string]string{
		`excluded_columns = [], use_custom_sorting_key = true`:                                      missing,
		`excluded_columns = [], sorting_keys = ["id"]`:                                              missing,
		`excluded_columns = ["a", "id"], use_custom_sorting_key = true, sorting_keys = ["c", "id"]`: excluded,
	} {
		sets(members)
		refuses(b.tryPlan(f.start()), why)
	}
	// Known only after apply, they are rejected there, before anything is sent.
	sets(`excluded_columns = [], use_custom_sorting_key = true, sorting_keys = later`)
	b.later = cty.ListValEmpty(cty.String)
	b.must(b.tryPlan(f.start()))
	refuses(b.tryApply(), missing)

	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
		member(doc, tableMappings).([]any)[1].(object)["useCustomSortingKey"] = true
	})
	sets(`excluded_columns = [], use_custom_sorting_key = true`)
	b.apply()
	f.wantWrites()
	sets(`excluded_columns = ["street"], use_custom_sorting_key = true`)
	refuses(b.tryPlan(f.start()), missing)
}

// TestKeys has keys that are none, or those of other names, in one error with the right ones.
func TestKeys(t *testing.T) {
	f := newFixture(t)
	b := f.pipe(mockplatform.PostgresPipeID, "")
	for mapping, right := range map[string]string{
		`"orders" = {`:                              `SCHEMA.TABLE:TARGET`,
		`"sales.orders" = {`:                        `SCHEMA.TABLE:TARGET`,
		`"sales.a.b:c" = {`:                         `\"sales.a\".b:c" or "sales.\"a.b\":c`,
		`"sales.a:b:c" = {`:                         `sales.\"a:b\":c" or "sales.a:\"b:c\"`,
		`"my.a.b:c" = { source_table = "b",`:        `\"my.a\".b:c" or "my.b:c`,
		`"1.2.3.4.5.6:c" = {`:                       `SCHEMA.TABLE:TARGET`,
		`"1.2.3.4.5.6:c" = { target_table = "d.e",`: `SCHEMA.TABLE:\"d.e\"`,
		`"\"sales\".orders:orders" = {`:             `SCHEMA.TABLE:TARGET`,
		`"\"a.b\".c.d:e" = {`:                       `SCHEMA.TABLE:TARGET`,
		`"sales.orders:" = {`:                       `SCHEMA.TABLE:TARGET`,
		`"a" = { source_schema_name = "b.c", source_table = "d\"e", target_table = "f",`:             `\"b.c\".\"d\"\"e\":f`,
		`"a.b:c" = { target_table = "d",`:                                                            `a.b:d`,
		`"a.b-hush-hush:c" = { source_schema_name = "a", source_table = "b$${", target_table = "c",`: `a.b$${:c`,
	} {
		b.arguments = mappings(mapping+" excluded_columns = [] }", `"x" = { excluded_columns = [] }`, addressesMapping)
		key, names, _ := strings.Cut(mapping, " = {")
		if names != "" && !strings.Contains(right, " or ") { // Terraform may have evaluated a generated key
			key = "the key of a mapping that sets other names"
		}
		b.refuses(b.tryPlan(f.start()), "Invalid table mappings: A table mapping has the key SCHEMA.TABLE:TARGET.",
			"- "+key+` should be "`+right+`"`, `- "x" should be "SCHEMA.TABLE:TARGET"`)
	}
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
		member(doc, tableMappings).([]any)[1].(object)["sourceTable"] = "a.b"
	})
	b.applyAs(mappings(customersMapping, leadsMapping, `"public.\"a.b\":addresses" = { source_table = "a.b", excluded_columns = [] }`))
	f.wantWrites()
}
