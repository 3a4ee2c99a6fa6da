package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/zclconf/go-cty/cty"

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
// sorted by its id alone, which takes these two PATCHes.
var seedMappings = mappings(customersMapping, addressesMapping, leadsMapping)

var resorted = mappings(wanted("public.customers", "customers", `excluded_columns = ["password_hash", "phone"], use_custom_sorting_key = true, sorting_keys = ["id"]`), addressesMapping, leadsMapping)

const addsCustomers = `{"source": {"postgres": {"tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers",
  "excludedColumns": ["password_hash", "phone"], "useCustomSortingKey": true, "sortingKeys": ["id"]}]}}}`

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

// setMappings replaces the mappings of the seed.
func (f *fixture) setMappings(all ...string) {
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
		setMember(doc, tableMappings, fromJSON(f.t, "["+strings.Join(all, ", ")+"]"))
	})
}

// TestMappingKnownAfterApply has a mapping of which the plan does not know the table or the
// target, and which turns out to be one that stays: nothing warns of a removal.
func TestMappingKnownAfterApply(t *testing.T) {
	f := newFixture(t)
	for _, names := range []string{`source_table = later, target_table = "customers"`, `source_table = "customers", target_table = later`} {
		for _, b := range []*managed{f.pipe(mockplatform.PostgresPipeID, ""), f.mappedPipe()} {
			b.learn(cty.StringVal("customers"))
			r := b.applyAs(mappings(`{ source_schema_name = "public", `+names+`, excluded_columns = ["password_hash", "phone"],
  use_custom_sorting_key = true, sorting_keys = ["country", "id"] }`, addressesMapping, leadsMapping))
			wantNoText(t, r.String(), "removed and added again")
			b.sends()
			b.wantQuiet()
		}
	}
}

// TestMappingsInAnotherNormalForm has a platform whose names are not in the Unicode form that
// Terraform gives to those of the configuration. By itself that is no difference, and a
// removal spells them as the platform does. What would send one of them again is refused.
func TestMappingsInAnotherNormalForm(t *testing.T) {
	f := newFixture(t)
	f.setMappings(mappingJSON("a", "a", `["`+decomposed+`", "pw"]`), mappingJSON(decomposed, decomposed, `[]`))
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
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

// TestRestoreInAnotherNormalForm adopts a pipe whose mapping matches but for the form of a
// name, on a platform that drops the mappings with a change of the name: it is not added with
// the form of the configuration.
func TestRestoreInAnotherNormalForm(t *testing.T) {
	f := newFixture(t)
	f.setMappings(mappingJSON("a", "a", `["`+decomposed+`"]`))
	dropped := false
	f.Configure(func(p *mockplatform.Behaviour) {
		p.Patches.Rewrites = []mockplatform.Rewrite{{Operation: mockplatform.UpdatePipe, Path: tableMappings, Unsent: true, To: func(value any) any {
			if dropped {
				return value
			}
			dropped = true
			return []any{}
		}}}
	})
	b := f.pipe(mockplatform.PostgresPipeID, mappings(wanted("public.a", "a", `excluded_columns = ["`+composed+`"]`))+"\nname = \"n\"")
	r := b.tryApply()
	for _, body := range f.patches(b.id) {
		if strings.Contains(body, composed) {
			t.Errorf("sent %+q, errors %q", body, r.errors)
		}
	}
	if !dropped {
		t.Errorf("nothing was dropped: %s", r)
	}
}

// TestRemovalLostBesideCredentials loses the response to a PATCH with everything in it, on a
// platform that maps a table once: the mappings are not sent again, and the credentials, which
// no read confirms, are.
func TestRemovalLostBesideCredentials(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		f.Configure(func(b *mockplatform.Behaviour) { b.Patches.AddsFirst, b.Patches.OneTargetPerTable = true, true })
		b := f.mappedPipe()
		f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, After: true, Status: http.StatusBadGateway})
		people, added := wanted("public.customers", "people", `excluded_columns = []`), wanted("public.new", "new", `excluded_columns = []`)
		b.applyAs(fmt.Sprintf(`
  source             = { postgres = { host = "other", table_mappings = [%s, %s, %s, %s] } }
  source_credentials = { postgres = { username = "u", password_wo = "pass", password_wo_version = 1 } }`, people, added, addressesMapping, leadsMapping))
		const credentials = `"credentials": {"username": "u", "password": "pass"}`
		b.sends(`{"source": {"postgres": {"host": "other", `+credentials+`, "tableMappingsToRemove": [`+customersKey+`], "tableMappingsToAdd": [`+mappingJSON("new", "new", `[]`)+`]}}}`,
			`{"source": {"postgres": {`+credentials+`}}}`,
			`{"source": {"postgres": {`+credentials+`, "tableMappingsToAdd": [`+mappingJSON("customers", "people", `[]`)+`]}}}`)
		b.wantQuiet()
		b.wantState()
	})(t)
}

// TestInterruptBetweenRemovingAndAdding presses Ctrl-C while the PATCH that adds a mapping
// again has no response: the next apply adds it as it is declared.
func TestInterruptBetweenRemovingAndAdding(t *testing.T) {
	f := newFixture(t)
	config := func(arguments string) string {
		return f.provider() + pipeConfig(mockplatform.PostgresPipeID, arguments)
	}
	w := f.workspace(config(seedMappings))
	w.Apply()
	w.File("main.tf", config(resorted))
	f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Skip: 1, Hang: true, Times: mockplatform.Always})
	out := w.interrupted(syscall.SIGINT, func() bool {
		sent := f.patches(mockplatform.PostgresPipeID)
		return len(sent) == 2 && sent[1] != ""
	}, func() {})
	f.ClearFaults()
	wantText(t, out, `source.postgres.table_mappings of pipe "customers" (`+mockplatform.PostgresPipeID+`) is only partly updated`,
		`- public.customers to customers: excluded_columns = ["password_hash", "phone"]`, "Their excluded columns stay excluded meanwhile.")
	if _, mapped := f.mapped(mockplatform.PostgresPipeID)["customers"]; mapped {
		t.Error("customers is mapped already: nothing was interrupted")
	}
	f.ResetJournal()
	w.Apply()
	f.wantWrites(addsCustomers)
	w.WantEmptyPlan()
}

// TestNoMappingsInTheApply excludes a column after the plan, and the read of the apply has no
// mappings, or nothing above them: what the platform has by now is not known.
func TestNoMappingsInTheApply(t *testing.T) {
	for _, omitted := range []string{"source", "source.postgres", tableMappings} {
		for _, times := range []int{0, 1} {
			t.Run(fmt.Sprint(omitted, times), func(t *testing.T) {
				f := newFixture(t)
				b := f.mappedPipe()
				b.arguments = resorted
				plan := b.plan()
				f.UpdatePipe(b.id, func(doc mockplatform.Document) {
					setMember(member(doc, tableMappings).([]any)[0].(object), "excludedColumns", []any{"password_hash", "phone", "salary"})
				})
				f.Configure(func(p *mockplatform.Behaviour) {
					p.Responses.Sparse = []mockplatform.Sparse{{Path: omitted, Operations: []mockplatform.Operation{mockplatform.GetPipe}, Times: times}}
				})
				b.carryOut(f.start(), plan)
				if got, ok := f.mapped(b.id)["customers"]; ok && !slices.Contains(got, "salary") {
					t.Errorf("customers replicates salary: excludes %q, errors %q", got, plan.errors)
				}
			})
		}
	}
}

// TestOneTableWithTwoTargets changes one of two mappings of a table: that the other excludes
// other columns is nothing that happened after the plan.
func TestOneTableWithTwoTargets(t *testing.T) {
	f := newFixture(t)
	f.setMappings(mappingJSON("a", "a", `["x"]`), mappingJSON("a", "raw", `[]`))
	raw := wanted("public.a", "raw", `excluded_columns = []`)
	b := f.pipe(mockplatform.PostgresPipeID, mappings(wanted("public.a", "a", `excluded_columns = ["x"]`), raw))
	b.apply()
	b.applyAs(mappings(wanted("public.a", "a", `excluded_columns = ["x", "y"]`), raw))
	b.wantQuiet()
}

// TestMappingsUnderALimit changes the mappings of many pipes on a platform that allows one
// request a second: what a PATCH rests on never gets too old to send it.
func TestMappingsUnderALimit(t *testing.T) {
	t.Parallel()
	inBubble(func(_ *testing.T, f *fixture) {
		all := together{settings: map[string]any{"retry_timeout": "150s", "max_concurrent_requests": 25}, parallel: 25}
		for range 25 {
			all.blocks = append(all.blocks, f.pipe(f.clonePipe(mockplatform.PostgresPipeID), seedMappings))
		}
		all.apply()
		for _, b := range all.blocks {
			b.arguments = resorted
		}
		plans := all.tryPlan()
		f.Configure(func(b *mockplatform.Behaviour) { b.RateLimit = mockplatform.RateLimit{PerSecond: 1} })
		all.each(func(s server, i int) *result {
			all.blocks[i].carryOut(s, plans[i])
			return all.blocks[i].must(plans[i])
		})
		f.Configure(func(b *mockplatform.Behaviour) { b.RateLimit = mockplatform.RateLimit{} })
		for _, b := range all.blocks {
			b.wantQuiet()
		}
	})(t)
}
