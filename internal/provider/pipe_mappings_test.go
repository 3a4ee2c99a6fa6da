package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// What the table mappings of a pipe have beside the plans, faults and colleagues that
// TestSmallWorld enumerates. The pipe of the seed has customersMapping, addressesMapping and
// leadsMapping.

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
	b.sends()
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

// TestMappingsInAnotherNormalForm has a platform whose names are not in the Unicode form that
// Terraform gives to those of the configuration. By itself that is no difference, and a
// removal spells them as the platform does. What would send one of them again is refused.
func TestMappingsInAnotherNormalForm(t *testing.T) {
	f := newFixture(t)
	held := []any{fromJSON(t, mappingJSON("a", "a", `["`+decomposed+`", "pw"]`)), fromJSON(t, mappingJSON(decomposed, decomposed, `[]`))}
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
		setMember(doc, tableMappings, held)
		setMember(doc, "fieldMappings", []any{mockplatform.Document{"sourceField": decomposed, "destinationField": "a"}})
	})
	config := func(destination, excluded string, others ...string) string {
		return fmt.Sprintf("%s\nfield_mappings = [{ source_field = %q, destination_field = %q }]",
			mappings(append(others, wanted("public.a", "a", "excluded_columns = "+excluded))...), composed, destination)
	}
	const same, more = `["` + composed + `", "pw"]`, `["` + composed + `", "pw", "x"]`
	named := wanted("public."+composed, composed, `excluded_columns = []`)
	b := f.pipe(mockplatform.PostgresPipeID, config("a", same, named))
	b.apply()
	b.sends()
	b.wantQuiet()
	for _, refused := range []string{config("a", more, named), config("b", same, named)} {
		b.arguments = refused
		b.refuses(b.tryApply(), "cannot be sent", `"`+composed+`"`, "Make the change in the platform's console.")
	}
	b.applyAs(config("a", `["x"]`)) // the name goes, with a mapping and with a column
	b.sends(fmt.Sprintf(`{"source": {"postgres": {"tableMappingsToRemove": [{"sourceSchemaName": "public", "sourceTable": "a", "targetTable": "a"},
  {"sourceSchemaName": "public", "sourceTable": %[1]q, "targetTable": %[1]q}]}}}`, decomposed),
		`{"source": {"postgres": {"tableMappingsToAdd": [`+mappingJSON("a", "a", `["x"]`)+`]}}}`)
	b.wantQuiet()
}

// TestRemovalLostBesideCredentials loses the response to a PATCH with everything in it, on a
// platform that maps a table once: the mappings are not sent again, and the credentials, which
// no read confirms, are.
func TestRemovalLostBesideCredentials(t *testing.T) {
	t.Parallel()
	inBubble(func(_ *testing.T, f *fixture) {
		f.Configure(func(b *mockplatform.Behaviour) { b.Patches.AddsFirst, b.Patches.OneTargetPerTable = true, true })
		b := f.mappedPipe()
		f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, After: true, Status: http.StatusBadGateway})
		people, added := wanted("public.customers", "people", `excluded_columns = []`), wanted("public.new", "new", `excluded_columns = []`)
		b.applyAs(mappings(people, added, addressesMapping, leadsMapping) + "\n" + postgresOne)
		const credentials = `"credentials": {"username": "u", "password": "pass"}`
		b.sends(`{"source": {"postgres": {`+credentials+`, "tableMappingsToAdd": [`+mappingJSON("new", "new", `[]`)+`],
  "tableMappingsToRemove": [{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers"}]}}}`,
			`{"source": {"postgres": {`+credentials+`}}}`,
			`{"source": {"postgres": {`+credentials+`, "tableMappingsToAdd": [`+mappingJSON("customers", "people", `[]`)+`]}}}`)
		b.wantQuiet()
	})(t)
}
