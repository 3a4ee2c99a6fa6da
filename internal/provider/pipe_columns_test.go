package provider

import (
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// columns is a configuration of columns: names, of the type String, or with one behind a colon.
func columns(all ...string) string {
	var list []string
	for _, column := range all {
		name, typ, isTyped := strings.Cut(column, ":")
		if !isTyped {
			typ = "String"
		}
		list = append(list, `{ name = "`+name+`", type = "`+typ+`" }`)
	}
	return "destination = { columns = [" + strings.Join(list, ", ") + "] }\n"
}

// TestColumnWarnings has what a plan says of a change to the columns, which it shows one by one, by their places.
func TestColumnWarnings(t *testing.T) {
	t.Parallel()
	changes := func(added, removed, other string) string {
		return "  - added: " + added + "\n  - removed: " + removed + "\n  - of another type: " + other
	}
	terraformtest.Rows(t, map[string][2]string{ // from a, b and c
		"nothing":               {columns("a", "b", "c"), ""},
		"more at the end":       {columns("a", "b", "c", "d", "e"), ""},
		"one at the beginning":  {columns("n", "a", "b", "c"), changes("n", "none", "none")},
		"one less at the end":   {columns("a", "b"), changes("none", "c", "none")},
		"none":                  {columns(), changes("none", "a, b, c", "none")},
		"another order":         {columns("b", "a", "c"), changes("none", "none", "none")},
		"another type":          {columns("a", "b:Int64", "c"), changes("none", "none", "b")},
		"all at once":           {columns("x y", "c:Int64", "b"), changes(`"x y"`, "a", "c")},
		"one type is ignored":   {columns("a", "b", "c:Int64") + "lifecycle {\n  ignore_changes = [destination.columns]\n}\n", ""},
		"one is known later":    {strings.Replace(columns("x", "a"), `"x"`, "later.text", 1), ""},
		"no longer in the plan": {"", ""},
	}, func(t *testing.T, row [2]string) {
		f := newFixture(t)
		b := f.pipe(mockplatform.KafkaPipeID, columns("a", "b", "c"))
		b.apply()
		b.arguments = row[0]
		want := row[1]
		if want != "" {
			want = "Destination columns change: pipe \"orders\" (" + b.id + "): The plan shows a change to each column that moves. Apart from the order:\n\n" + want
		}
		plan := b.plan()
		if got := strings.Join(plan.warnings, "\n"); got != want {
			t.Errorf("the plan warns\n%s\nwant\n%s", got, want)
		}
		b.applyPlan(plan)
	})
}

// TestFieldMappingsBesideIgnoredColumns sends the columns with field mappings, as the platform has them, also where ignore_changes
// hides them or a part of them: a platform of this kind rejects field mappings alone.
func TestFieldMappingsBesideIgnoredColumns(t *testing.T) {
	t.Parallel()
	terraformtest.Rows(t, map[string]struct{ configured, ignored, sent string }{ // the platform has a and b
		"the columns":     {columns("a"), "destination.columns", `, "destination": {"columns": [{"name": "a", "type": "String"}, {"name": "b", "type": "String"}]}`},
		"the destination": {columns("a"), "destination", `, "destination": {"columns": [{"name": "a", "type": "String"}, {"name": "b", "type": "String"}]}`},
		"a type":          {columns("a:Int64", "b"), "destination.columns[0].type", `, "destination": {"columns": [{"name": "a", "type": "String"}, {"name": "b", "type": "String"}]}`},
		"nothing is set":  {"", "destination", ""},
	}, func(t *testing.T, row struct{ configured, ignored, sent string }) {
		f := newFixture(t)
		b := f.pipe(mockplatform.KafkaPipeID, columns("a"))
		b.apply()
		f.UpdatePipe(b.id, func(doc mockplatform.Document) {
			column := func(name string) object { return object{"name": name, "type": "String"} }
			setMember(doc, "destination.columns", []any{column("a"), column("b")})
		})
		b.ResetJournal()
		b.applyAs(row.configured + "field_mappings = [{ source_field = \"x\", destination_field = \"a\" }]\nlifecycle {\n  ignore_changes = [" + row.ignored + "]\n}\n")
		b.wantWrites(`{"fieldMappings": [{"sourceField": "x", "destinationField": "a"}]` + row.sent + `}`)
		b.wantQuiet()
	})
}

// TestFieldMappingsToNoColumn refuses a change after which a field is mapped to a column that is not there, by the columns as they
// will be. A member of a column passes, and what the platform has already.
func TestFieldMappingsToNoColumn(t *testing.T) {
	t.Parallel()
	field := func(name string) string {
		return "field_mappings = [{ source_field = \"x\", destination_field = \"" + name + "\" }]\n"
	}
	const ignored = "lifecycle {\n  ignore_changes = [destination.columns]\n}\n"
	terraformtest.Rows(t, map[string]struct{ before, arguments, refused string }{ // the platform has a and b, and before as a field
		"a column":                       {"a", columns("a", "b") + field("b"), ""},
		"a member of a column":           {"a", columns("a", "b") + field("b.c"), ""},
		"a column that is ignored":       {"a", columns("a") + field("b") + ignored, ""},
		"columns that are not set":       {"a", field("b"), ""},
		"it was there before":            {"c", columns("a", "b") + field("c"), ""},
		"no column":                      {"a", columns("a", "b") + field("c d"), `"c d"`},
		"a member of no column":          {"a", columns("a", "b") + field("c.a"), `"c.a"`},
		"a column that is not there yet": {"a", columns("a", "b", "c") + field("c") + ignored, "c"},
		"a column that goes":             {"b", columns("a") + field("b"), "b"},
	}, func(t *testing.T, row struct{ before, arguments, refused string }) {
		f := newFixture(t)
		b := f.pipe(mockplatform.KafkaPipeID, "")
		f.UpdatePipe(b.id, func(doc mockplatform.Document) {
			column := func(name string) object { return object{"name": name, "type": "String"} }
			setMember(doc, "destination.columns", []any{column("a"), column("b")})
			setMember(doc, "fieldMappings", []any{object{"sourceField": "x", "destinationField": row.before}})
		})
		b.apply()
		if row.refused == "" {
			b.applyAs(row.arguments)
			return
		}
		b.arguments = row.arguments
		b.refuses(b.tryPlan(f.start()), "Invalid field mappings: ", "destination.columns has no such columns: "+row.refused+". Correct the names.")
	})
}
