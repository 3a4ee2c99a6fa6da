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

// resorted is the configuration of the seed's mappings with customers sorted by its id alone,
// which takes these two PATCHes.
var resorted = mappings(wanted("public.customers", "customers", `excluded_columns = ["password_hash", "phone"], use_custom_sorting_key = true, sorting_keys = ["id"]`), addressesMapping, leadsMapping)

const (
	removesCustomers = `{"source": {"postgres": {"tableMappingsToRemove": [` + customersKey + `]}}}`
	addsCustomers    = `{"source": {"postgres": {"tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers",
  "excludedColumns": ["password_hash", "phone"], "useCustomSortingKey": true, "sortingKeys": ["id"]}]}}}`
	// partlyUpdated is what the error says of customers between the two.
	partlyUpdated = `source.postgres.table_mappings of pipe "customers" (` + mockplatform.PostgresPipeID + `) is only partly updated`
	customersLine = `- public.customers to customers: excluded_columns = ["password_hash", "phone"]`
)

// mappedPipe is a block for the pipe with the mappings of the seed, applied.
func (f *fixture) mappedPipe() *managed {
	f.t.Helper()
	b := f.pipe(mockplatform.PostgresPipeID, mappings(customersMapping, addressesMapping, leadsMapping))
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
	f.setMappings(mappingJSON("a", "a", `["`+decomposed+`", "pw"]`), mappingJSON("b", "b", `["`+composed+`"]`), mappingJSON(decomposed, decomposed, `[]`))
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
		doc["name"] = decomposed
		setMember(doc, "fieldMappings", []any{mockplatform.Document{"sourceField": decomposed, "destinationField": "a"}})
	})
	config := func(destination, ofA, ofB string, others ...string) string {
		a, b := wanted("public.a", "a", "excluded_columns = "+ofA), wanted("public.b", "b", "excluded_columns = "+ofB)
		return fmt.Sprintf("%s\nfield_mappings = [{ source_field = %q, destination_field = %q }]", mappings(append(others, a, b)...), composed, destination)
	}
	const asA, asB, changedB = `["` + composed + `", "pw"]`, `["` + composed + `"]`, `["` + composed + `", "x"]`
	named := wanted("public."+composed, composed, `excluded_columns = []`)
	b := f.pipe(mockplatform.PostgresPipeID, config("a", asA, asB, named)+"\nname = \""+composed+"\"")
	b.apply()
	b.sends()
	b.applyAs(config("a", asA, changedB, named))
	b.sends(`{"source": {"postgres": {"tableMappingsToRemove": [{"sourceSchemaName": "public", "sourceTable": "b", "targetTable": "b"}]}}}`,
		`{"source": {"postgres": {"tableMappingsToAdd": [`+mappingJSON("b", "b", changedB)+`]}}}`)
	b.wantQuiet()
	for _, arguments := range []string{
		config("a", `["`+composed+`", "pw", "x"]`, changedB, named),                                       // an excluded column
		config("a", asA, changedB, wanted("public."+composed, composed, `excluded_columns = ["x"]`)),      // a name of the mapping
		config("a", asA, changedB, named, wanted("public.a", "c", `excluded_columns = ["`+composed+`"]`)), // another target of its table
		config("b", asA, changedB, named),                                                                 // a list
	} {
		b.arguments = arguments
		b.refuses(b.tryApply(), "cannot be sent", `"`+composed+`"`, "Make the change in the platform's console.")
	}
	b.sends()
	b.applyAs(config("a", `["x"]`, changedB)) // the name goes, with a mapping and with a column
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

// TestHalfDoneMappingIsFinished rejects the PATCH that adds a mapping again: the error says
// which one is missing, the state has what the first one did, and the next apply adds it with
// its excluded columns.
func TestHalfDoneMappingIsFinished(t *testing.T) {
	f := newFixture(t)
	b := f.mappedPipe()
	b.arguments = resorted
	f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Skip: 1, Status: http.StatusUnprocessableEntity, Message: "not today"})
	r := b.tryApply()
	if len(r.errors) != 2 {
		t.Fatalf("%d errors, want 2: %q", len(r.errors), r.errors)
	}
	wantText(t, folded(r.String()), "Cannot update pipe", "not today", "HTTP 422", partlyUpdated, customersLine, "Their excluded columns stay excluded meanwhile.")
	b.wantState()
	b.sends(removesCustomers, addsCustomers)
	b.apply()
	b.sends(addsCustomers)
	b.wantQuiet()
	b.wantState()
}

// TestInterruptBetweenRemovingAndAdding presses Ctrl-C while the PATCH that adds a mapping
// again has no response: the next apply adds it as it is declared.
func TestInterruptBetweenRemovingAndAdding(t *testing.T) {
	f := newFixture(t)
	config := func(arguments string) string {
		return f.provider() + pipeConfig(mockplatform.PostgresPipeID, arguments)
	}
	w := f.workspace(config(mappings(customersMapping, addressesMapping, leadsMapping)))
	w.Apply()
	w.File("main.tf", config(resorted))
	f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Skip: 1, Hang: true, Times: mockplatform.Always})
	out := w.interrupted(syscall.SIGINT, func() bool {
		sent := f.patches(mockplatform.PostgresPipeID)
		return len(sent) == 2 && sent[1] != ""
	}, func() {})
	f.ClearFaults()
	wantText(t, out, partlyUpdated, customersLine)
	if _, mapped := f.mapped(mockplatform.PostgresPipeID)["customers"]; mapped {
		t.Error("customers is mapped already: nothing was interrupted")
	}
	f.ResetJournal()
	w.Apply()
	f.wantWrites(addsCustomers)
	w.WantEmptyPlan()
}

// TestMappingsThatAPatchChanges has a platform that changes unmanaged mappings with another
// change: the warning has each.
func TestMappingsThatAPatchChanges(t *testing.T) {
	f := newFixture(t)
	b := f.pipe(mockplatform.PostgresPipeID, ``)
	b.apply()
	f.Configure(func(p *mockplatform.Behaviour) {
		p.Patches.Rewrites = []mockplatform.Rewrite{{Operation: mockplatform.UpdatePipe, Path: tableMappings, Unsent: true, To: func(value any) any {
			all := value.([]any)
			all[0].(mockplatform.Document)["excludedColumns"] = []any{}
			return all[:2]
		}}}
	})
	r := b.applyAs(`name = "n"`)
	wantWarning(t, r.warnings, "- source.postgres.table_mappings, public.customers to customers, excluded_columns: was [\"password_hash\", \"phone\"], is now [] "+
		"- source.postgres.table_mappings, sales.leads to sales_leads: was there, is now missing")
}

// TestMappingsReturnedInPart has a read that omits a member of the mappings once, which is
// nothing, and reads that omit members that were emptied in the console.
func TestMappingsReturnedInPart(t *testing.T) {
	f := newFixture(t)
	b := f.mappedPipe()
	for _, omitted := range []string{"excludedColumns", "sortingKeys", "sourceTable"} {
		f.Configure(func(p *mockplatform.Behaviour) {
			p.Responses.Sparse = []mockplatform.Sparse{{Path: tableMappings + "." + omitted, Operations: []mockplatform.Operation{mockplatform.GetPipe}, Times: 1}}
		})
		b.wantQuiet()
		b.wantState()
	}
	f.Configure(func(p *mockplatform.Behaviour) {
		p.Responses.Sparse = []mockplatform.Sparse{{Path: "**", OnlyEmpty: true, Zeros: true}}
	})
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
		customers := member(doc, tableMappings).([]any)[0].(mockplatform.Document)
		customers["excludedColumns"], customers["sortingKeys"], customers["useCustomSortingKey"] = []any{}, []any{}, false
	})
	b.apply()
	b.sends(removesCustomers, strings.Replace(addsCustomers, `["id"]`, `["country", "id"]`, 1))
	b.wantQuiet()
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
			all.blocks = append(all.blocks, f.pipe(f.clonePipe(mockplatform.PostgresPipeID), mappings(customersMapping, addressesMapping, leadsMapping)))
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
