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

// wanted is a mapping in a configuration, with further members.
func wanted(source, target, members string) string {
	schema, table, _ := strings.Cut(source, ".")
	return fmt.Sprintf("{ source_schema_name = %q, source_table = %q, target_table = %q, %s }", schema, table, target, members)
}

const (
	// fullCustomers is the mapping of the seed that has something in each member, but for
	// the sorting keys.
	customersExcluded = `excluded_columns = ["password_hash", "phone"]`
	fullCustomers     = customersExcluded + `, use_custom_sorting_key = true, `

	credentialsBody = `"credentials": {"username": "u", "password": "pass"}`
	leadsKey        = `{"sourceSchemaName": "sales", "sourceTable": "leads", "targetTable": "sales_leads"}`
	newMapping      = `{"sourceSchemaName": "public", "sourceTable": "new", "targetTable": "new", "excludedColumns": [], "useCustomSortingKey": false, "sortingKeys": []}`
	peopleMapping   = `{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "people", "excludedColumns": [], "useCustomSortingKey": false, "sortingKeys": []}`
	fullMappingJSON = `{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers",
  "excludedColumns": ["password_hash", "phone"], "useCustomSortingKey": true, "sortingKeys": ["id"]}`

	removesCustomers = `{"source": {"postgres": {"tableMappingsToRemove": [` + customersKey + `]}}}`
	addsCustomers    = `{"source": {"postgres": {"tableMappingsToAdd": [` + fullMappingJSON + `]}}}`
)

// The mappings of the seed, and a configuration in which customers is sorted otherwise.
var (
	seedMappings    = mappings(customersMapping, addressesMapping, leadsMapping)
	customersSorted = mappings(wanted("public.customers", "customers", fullCustomers+`sorting_keys = ["id"]`), addressesMapping, leadsMapping)
)

// remapped wants customers with another target, a new table, no leads and another host.
var remapped = `
  source = { postgres = {
    host           = "other"
    table_mappings = [` + strings.Join([]string{wanted("public.customers", "people", `excluded_columns = []`), wanted("public.new", "new", `excluded_columns = []`), addressesMapping}, ", ") + `]
  } }
  source_credentials = { postgres = { username = "u", password_wo = "pass", password_wo_version = 1 } }`

// firstRemap and secondRemap are the PATCHes of remapped.
const (
	firstRemap = `{"source": {"postgres": {"host": "other", ` + credentialsBody + `,
  "tableMappingsToRemove": [` + customersKey + `, ` + leadsKey + `], "tableMappingsToAdd": [` + newMapping + `]}}}`
	secondRemap = `{"source": {"postgres": {` + credentialsBody + `, "tableMappingsToAdd": [` + peopleMapping + `]}}}`
)

// mapped are the mappings that the platform holds of a pipe, by target, each with its
// excluded columns.
func (f *fixture) mapped(id string) map[string][]string {
	excluded := map[string][]string{}
	all, _ := member(f.Pipe(id), "source.postgres.tableMappings").([]any)
	for _, mapping := range all {
		columns := []string{}
		for _, column := range member(mapping, "excludedColumns").([]any) {
			columns = append(columns, column.(string))
		}
		slices.Sort(columns)
		excluded[fmt.Sprint(member(mapping, "targetTable"))] = columns
	}
	return excluded
}

// unmap removes the mapping of customers, as somebody in the console does.
func unmap(doc mockplatform.Document) {
	kept := slices.DeleteFunc(member(doc, "source.postgres.tableMappings").([]any), func(mapping any) bool {
		return member(mapping, "targetTable") == "customers"
	})
	setMember(doc, "source.postgres.tableMappings", kept)
}

// addMapping adds a mapping in the console.
func (f *fixture) addMapping(mapping string) {
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
		setMember(doc, "source.postgres.tableMappings", append(member(doc, "source.postgres.tableMappings").([]any), fromJSON(f.t, mapping)))
	})
}

// wantCovered fails if the platform maps customers with a column that nobody said to
// uncover.
func (b *managed) wantCovered() {
	b.t.Helper()
	if columns, ok := b.mapped(b.id)["customers"]; ok && !slices.Equal(columns, []string{"password_hash", "phone"}) {
		b.t.Errorf("customers excludes %q", columns)
	}
	for _, body := range b.patches(b.id) {
		if strings.Contains(body, `"targetTable":"customers","excludedColumns":[]`) {
			b.t.Errorf("sent %s", body)
		}
	}
}

// TestMappingMustSetExcludedColumns has mappings that omit them or misspell their name: the
// plan rejects them before a request is sent. The other members have defaults.
func TestMappingMustSetExcludedColumns(t *testing.T) {
	for name, members := range map[string]string{"omitted": ``, "misspelled": `exclude_columns = ["salary"]`, "null": `excluded_columns = null`} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			b := f.pipe(mockplatform.PostgresPipeID, mappings(wanted("public.staff", "staff", members)))
			b.refuses(b.tryPlan(f.start()), "excluded_columns")
			f.wantRequests()
		})
	}
	for name, mapping := range map[string]string{
		"schema": wanted(".staff", "staff", `excluded_columns = []`), "table": wanted("public.", "staff", `excluded_columns = []`), "target": wanted("public.staff", "", `excluded_columns = []`),
	} {
		t.Run("empty "+name, func(t *testing.T) {
			f := newFixture(t)
			b := f.pipe(mockplatform.PostgresPipeID, mappings(mapping))
			b.refuses(b.tryPlan(f.start()), "string length must be at least 1")
			f.wantRequests()
		})
	}
}

// TestMappingIsAValue changes members of a mapping, or omits them, which means their default:
// the mapping is removed and added again with all six.
func TestMappingIsAValue(t *testing.T) {
	f := newFixture(t)
	b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
	b.apply()
	b.sends()
	b.applyAs(mappings(leadsMapping, wanted("public.customers", "customers", `excluded_columns = ["phone", "password_hash"], use_custom_sorting_key = true, sorting_keys = ["country", "id"]`), addressesMapping))
	b.sends() // another order
	b.applyAs(mappings(wanted("public.customers", "customers", customersExcluded), leadsMapping, addressesMapping))
	b.sends(removesCustomers, `{"source": {"postgres": {"tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers",
  "excludedColumns": ["password_hash", "phone"], "useCustomSortingKey": false, "sortingKeys": []}]}}}`)
	b.wantQuiet()
	b.wantState()
}

// TestMappingKnownAfterApply has a mapping of which the plan does not know the table or the
// target, and which turns out to be one that stays: the plan shows nothing of its members, and
// warns about no removal.
func TestMappingKnownAfterApply(t *testing.T) {
	f := newFixture(t)
	for _, names := range []string{`source_table = later, target_table = "customers"`, `source_table = "customers", target_table = later`} {
		for _, adopts := range []bool{false, true} {
			b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
			if !adopts {
				b.apply()
			}
			b.learn(cty.StringVal("customers"))
			r := b.applyAs(mappings(`{ source_schema_name = "public", `+names+`, `+fullCustomers+`sorting_keys = ["country", "id"] }`, addressesMapping, leadsMapping))
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
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
		doc["name"] = decomposed
		setMember(doc, "fieldMappings", []any{mockplatform.Document{"sourceField": decomposed, "destinationField": "a"}})
		setMember(doc, "source.postgres.tableMappings", []any{
			mockplatform.Document{"sourceSchemaName": "public", "sourceTable": "a", "targetTable": "a", "excludedColumns": []any{decomposed, "pw"}, "useCustomSortingKey": false, "sortingKeys": []any{}},
			mockplatform.Document{"sourceSchemaName": "public", "sourceTable": "b", "targetTable": "b", "excludedColumns": []any{composed}, "useCustomSortingKey": false, "sortingKeys": []any{}},
			mockplatform.Document{"sourceSchemaName": "public", "sourceTable": decomposed, "targetTable": decomposed, "excludedColumns": []any{}, "useCustomSortingKey": false, "sortingKeys": []any{}},
		})
	})
	named := wanted("public."+composed, composed, `excluded_columns = []`)
	mapped := func(ofA, ofB string, others ...string) string {
		return mappings(append(others, wanted("public.a", "a", "excluded_columns = "+ofA), wanted("public.b", "b", "excluded_columns = "+ofB))...) + `
  field_mappings = [{ source_field = "` + composed + `", destination_field = "a" }]`
	}
	b := f.pipe(mockplatform.PostgresPipeID, mapped(`["`+composed+`", "pw"]`, `["`+composed+`"]`, named)+"\n  name = \""+composed+"\"")
	b.apply()
	b.sends()
	b.applyAs(mapped(`["`+composed+`", "pw"]`, `["`+composed+`", "x"]`, named) + "\n  name = \"x\"")
	b.sends(`{"name": "x", "source": {"postgres": {"tableMappingsToRemove": [{"sourceSchemaName": "public", "sourceTable": "b", "targetTable": "b"}]}}}`,
		`{"source": {"postgres": {"tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "b", "targetTable": "b", "excludedColumns": ["`+composed+`", "x"], "useCustomSortingKey": false, "sortingKeys": []}]}}}`)
	b.wantQuiet()
	for name, arguments := range map[string]string{
		"an excluded column":          mapped(`["`+composed+`", "pw", "x"]`, `["`+composed+`", "x"]`, named),
		"a name of the mapping":       mapped(`["`+composed+`", "pw"]`, `["`+composed+`", "x"]`, wanted("public."+composed, composed, `excluded_columns = ["x"]`)),
		"another target of its table": mapped(`["`+composed+`", "pw"]`, `["`+composed+`", "x"]`, named, wanted("public.a", "c", `excluded_columns = ["`+composed+`"]`)),
		"a list":                      mapped(`["`+composed+`", "pw"]`, `["`+composed+`", "x"]`, named) + "\n",
	} {
		b.arguments = arguments
		if name == "a list" {
			b.arguments = strings.Replace(arguments, `destination_field = "a"`, `destination_field = "b"`, 1)
		}
		b.refuses(b.tryApply(), "cannot be sent", `"`+composed+`"`, "Make the change in the platform's console.")
	}
	b.sends()
	b.applyAs(mapped(`["x"]`, `["`+composed+`", "x"]`)) // the name goes, with a mapping and with a column
	b.sends(`{"source": {"postgres": {"tableMappingsToRemove": [{"sourceSchemaName": "public", "sourceTable": "a", "targetTable": "a"}, {"sourceSchemaName": "public", "sourceTable": "`+decomposed+`", "targetTable": "`+decomposed+`"}]}}}`,
		`{"source": {"postgres": {"tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "a", "targetTable": "a", "excludedColumns": ["x"], "useCustomSortingKey": false, "sortingKeys": []}]}}}`)
	b.wantQuiet()
}

// TestAmbiguousMappings loses responses to PATCHes that change table mappings: what is
// still needed is worked out from a fresh read, with the credentials again.
func TestAmbiguousMappings(t *testing.T) {
	t.Parallel()
	const again = `{"source": {"postgres": {` + credentialsBody + `}}}` // no read confirms them
	for name, test := range map[string]struct {
		fault   mockplatform.Fault
		patches []string
	}{
		"the first was carried out": {mockplatform.Fault{After: true, Status: http.StatusBadGateway, Body: mockplatform.BodyHTML},
			[]string{firstRemap, again, secondRemap}},
		"the first was not carried out":              {mockplatform.Fault{Status: http.StatusServiceUnavailable}, []string{firstRemap, firstRemap, secondRemap}},
		"the connection of the first broke":          {mockplatform.Fault{After: true, Reset: true}, []string{firstRemap, again, secondRemap}},
		"the second's response was cut":              {mockplatform.Fault{After: true, Cut: mockplatform.CutBody, CutBytes: 300, Skip: 1}, []string{firstRemap, secondRemap}},
		"the first was turned away without a change": {mockplatform.Fault{Status: http.StatusTooManyRequests}, []string{firstRemap, firstRemap, secondRemap}},
	} {
		t.Run(name, inBubble(func(t *testing.T, f *fixture) {
			f.Configure(func(b *mockplatform.Behaviour) { b.Patches.AddsFirst, b.Patches.OneTargetPerTable = true, true })
			test.fault.Operation = mockplatform.UpdatePipe
			f.Inject(test.fault)
			b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
			b.apply()
			b.applyAs(remapped)
			b.sends(test.patches...)
			b.wantQuiet()
			b.wantState()
		}))
	}
}

// TestHalfDoneMappingIsFinished ends an apply between the PATCH that removes a mapping and
// the one that adds it: the error says which one is missing, the state has what the first
// one did, and the next apply adds it with its excluded columns.
func TestHalfDoneMappingIsFinished(t *testing.T) {
	f := newFixture(t)
	b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
	b.apply()
	b.arguments = customersSorted
	f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Skip: 1, Status: http.StatusUnprocessableEntity, Message: "not today"})
	f.ResetJournal()
	r := b.tryApply()
	if len(r.errors) != 2 {
		t.Fatalf("%d errors, want 2: %q", len(r.errors), r.errors)
	}
	wantText(t, folded(r.String()), "Cannot update pipe", "not today", "HTTP 422",
		`source.postgres.table_mappings of pipe "customers" (`+mockplatform.PostgresPipeID+`) is only partly updated`,
		`- public.customers to customers: excluded_columns = ["password_hash", "phone"]`, "Their excluded columns stay excluded meanwhile.")
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
		return f.provider() + onePipe("this", mockplatform.PostgresPipeID, arguments)
	}
	w := f.workspace(config(seedMappings))
	w.apply()
	w.file("main.tf", config(customersSorted))
	f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Skip: 1, Hang: true, Times: mockplatform.Always})
	out := w.interrupted(syscall.SIGINT, func() bool {
		sent := f.patches(mockplatform.PostgresPipeID)
		return len(sent) == 2 && sent[1] != ""
	}, func() {})
	f.ClearFaults()
	wantText(t, out, "source.postgres.table_mappings of pipe \"customers\" ("+mockplatform.PostgresPipeID+") is only partly updated", `- public.customers to customers: excluded_columns = ["password_hash", "phone"]`)
	if _, mapped := f.mapped(mockplatform.PostgresPipeID)["customers"]; mapped {
		t.Error("customers is mapped already: nothing was interrupted")
	}
	f.ResetJournal()
	w.apply()
	f.wantWrites(addsCustomers)
	w.wantEmptyPlan()
}

// TestMappingChangedAfterThePlan changes mappings in the console between plan and apply: what
// the plan leaves alone stays as it is there, and what the plan changes as well is an error
// before anything is sent.
func TestMappingChangedAfterThePlan(t *testing.T) {
	salary := func(doc mockplatform.Document) {
		member(doc, "source.postgres.tableMappings").([]any)[0].(mockplatform.Document)["excludedColumns"] = []any{"password_hash", "phone", "salary"}
	}
	for name, test := range map[string]struct {
		arguments string
		console   func(mockplatform.Document)
		sends     []string
		refused   string
		customers []string // the columns that are excluded then; nil without the mapping
	}{
		"a name, and a column is excluded":          {seedMappings + "\n  name = \"n\"", salary, []string{`{"name": "n"}`}, "", []string{"password_hash", "phone", "salary"}},
		"another mapping, and a column is excluded": {mappings(customersMapping, addressesMapping), salary, []string{`{"source": {"postgres": {"tableMappingsToRemove": [` + leadsKey + `]}}}`}, "", []string{"password_hash", "phone", "salary"}},
		"the mapping, and a column is excluded":     {customersSorted + "\n  name = \"n\"", salary, nil, "public.customers to customers", []string{"password_hash", "phone", "salary"}},
		"its target, and a column is excluded":      {mappings(wanted("public.customers", "people", fullCustomers+`sorting_keys = ["id"]`), addressesMapping, leadsMapping), salary, nil, "public.customers to customers", []string{"password_hash", "phone", "salary"}},
		"another target of its table, likewise":     {mappings(customersMapping, addressesMapping, leadsMapping, wanted("public.customers", "archive", customersExcluded)), salary, nil, "public.customers to customers", []string{"password_hash", "phone", "salary"}},
		"a removal, and a column is excluded":       {mappings(addressesMapping, leadsMapping), salary, nil, "public.customers to customers", []string{"password_hash", "phone", "salary"}},
		"a name, and the mapping is removed":        {seedMappings + "\n  name = \"n\"", unmap, []string{`{"name": "n"}`}, "", nil},
		"the mapping, and it is removed":            {customersSorted, unmap, nil, "public.customers to customers", nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
			b.apply()
			b.arguments = test.arguments
			plan := b.plan()
			f.UpdatePipe(b.id, test.console)
			f.ResetJournal()
			b.carryOut(f.start(), plan)
			if test.refused != "" {
				b.refuses(plan, `source.postgres.table_mappings of pipe "customers" (`+b.id+") changed since the plan", test.refused, "Nothing was sent. Plan again.")
			} else {
				b.must(plan)
			}
			b.sends(test.sends...)
			if got, mapped := f.mapped(b.id)["customers"]; !slices.Equal(got, test.customers) || mapped != (test.customers != nil) {
				t.Errorf("customers excludes %q, want %q", got, test.customers)
			}
			b.apply() // the next plan shows what moved
			b.wantQuiet()
		})
	}
}

// TestMappingsThatAPatchEmpties has a platform that empties the columns of unmanaged mappings
// with another change, and returns what is empty or omits it: the warning shows which.
func TestMappingsThatAPatchEmpties(t *testing.T) {
	for name, sparse := range leanPlatforms {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(func(b *mockplatform.Behaviour) { b.Responses.Sparse = sparse })
			b := f.pipe(mockplatform.PostgresPipeID, ``)
			b.apply()
			f.Configure(func(p *mockplatform.Behaviour) {
				p.Patches.Rewrites = []mockplatform.Rewrite{{Operation: mockplatform.UpdatePipe, Path: "source.postgres.tableMappings", Unsent: true, To: func(value any) any {
					all := value.([]any)
					all[0].(mockplatform.Document)["excludedColumns"] = []any{}
					return all[:2]
				}}}
			})
			r := b.applyAs(`name = "n"`)
			wantWarning(t, r.warnings, "- source.postgres.table_mappings, public.customers to customers, excluded_columns: was [\"password_hash\", \"phone\"], is now [] "+
				"- source.postgres.table_mappings, sales.leads to sales_leads: was there, is now missing")
		})
	}
}

// TestMappingsReturnedInPart has reads that omit a member of the mappings once, and for good:
// then it is empty.
func TestMappingsReturnedInPart(t *testing.T) {
	t.Parallel()
	get := []mockplatform.Operation{mockplatform.GetPipe}
	for _, omitted := range []string{"excludedColumns", "sortingKeys", "sourceTable"} {
		t.Run(omitted+" once", func(t *testing.T) {
			f := newFixture(t)
			b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
			b.apply()
			f.Configure(func(p *mockplatform.Behaviour) {
				p.Responses.Sparse = []mockplatform.Sparse{{Path: "source.postgres.tableMappings." + omitted, Operations: get, Times: 1}}
			})
			b.wantQuiet()
			b.wantState()
		})
	}
	t.Run("a name for good", func(t *testing.T) {
		f := newFixture(t)
		b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
		b.apply()
		f.Configure(func(p *mockplatform.Behaviour) {
			p.Responses.Sparse = []mockplatform.Sparse{{Path: "source.postgres.tableMappings.sourceTable", Operations: get}}
		})
		b.refuses(b.tryApply(), "A table mapping of pipe \"customers\" ("+b.id+") has no name", `public."" to customers`)
		b.sends()
	})
	for name, sparse := range leanPlatforms {
		t.Run("emptied in the console, on a platform that "+name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(func(b *mockplatform.Behaviour) { b.Responses.Sparse = sparse })
			b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
			b.apply()
			f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
				of := member(doc, "source.postgres.tableMappings").([]any)[0].(mockplatform.Document)
				of["excludedColumns"], of["sortingKeys"], of["useCustomSortingKey"] = []any{}, []any{}, false
			})
			f.ResetJournal()
			b.apply()
			b.sends(removesCustomers, strings.Replace(addsCustomers, `["id"]`, `["country", "id"]`, 1))
			b.wantQuiet()
		})
		t.Run("removed once, on a platform that "+name, inBubble(func(t *testing.T, f *fixture) {
			f.Configure(func(b *mockplatform.Behaviour) { b.Responses.Sparse = sparse })
			b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
			b.apply()
			f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, After: true, Status: http.StatusBadGateway})
			b.applyAs(mappings()) // loses the response
			b.sends(`{"source": {"postgres": {"tableMappingsToRemove": [` + addressesKey + `, ` + customersKey + `, ` + leadsKey + `]}}}`)
			b.applyAs(mappings() + "\n  name = \"n\"")
			b.sends(`{"name": "n"}`)
			b.wantQuiet()
		}))
	}
}

// TestRemovalOfUnknownOutcome loses the response to a PATCH that removed a mapping, in all
// ways: the error names the mappings that may be gone, and the next apply adds them.
func TestRemovalOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]mockplatform.Fault{
		"a page":              {Status: http.StatusOK, Body: mockplatform.BodyHTML},
		"a redirect":          {Status: http.StatusFound, Location: "/elsewhere"},
		"not implemented":     {Status: http.StatusNotImplemented},
		"unavailable":         {Status: http.StatusServiceUnavailable, Times: mockplatform.Always},
		"another ID":          {Edit: func(doc mockplatform.Document) { setMember(doc, "result.id", mockplatform.KafkaPipeID) }},
		"a broken connection": {Reset: true, Times: mockplatform.Always},
	} {
		t.Run(name, inBubble(func(t *testing.T, f *fixture) {
			b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
			b.apply()
			b.arguments = customersSorted
			plan := b.plan()
			fault.Operation, fault.After = mockplatform.UpdatePipe, true
			f.Inject(fault)
			f.Inject(mockplatform.Fault{Operation: mockplatform.GetPipe, Skip: 1, Status: http.StatusServiceUnavailable, Times: mockplatform.Always})
			b.carryOut(f.start(map[string]any{"retry_timeout": "1s"}), plan)
			f.ClearFaults()
			if len(plan.errors) != 2 {
				t.Fatalf("%d errors, want 2: %q", len(plan.errors), plan.errors)
			}
			wantText(t, folded(plan.String()), `- public.customers to customers: excluded_columns = ["password_hash", "phone"]`)
			b.apply()
			b.wantCovered()
			b.wantQuiet()
		}))
	}
}

// TestMappingsUnderALimit changes the mappings of many pipes on a platform that allows one
// request a second: what a PATCH rests on never gets too old to send it.
func TestMappingsUnderALimit(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		all := together{settings: map[string]any{"retry_timeout": "150s", "max_concurrent_requests": 25}, parallel: 25}
		for range 25 {
			all.blocks = append(all.blocks, f.pipe(f.clonePipe(mockplatform.PostgresPipeID), seedMappings))
		}
		all.apply()
		for _, b := range all.blocks {
			b.arguments = customersSorted
		}
		plans := all.tryPlan()
		f.ResetJournal()
		f.Configure(func(b *mockplatform.Behaviour) { b.RateLimit = mockplatform.RateLimit{PerSecond: 1} })
		all.each(func(s server, i int) *result {
			all.blocks[i].carryOut(s, plans[i])
			return all.blocks[i].must(plans[i])
		})
		t.Logf("%d requests, %d of them reads", len(f.Requests()), f.Count("GET", ""))
		f.Configure(func(b *mockplatform.Behaviour) { b.RateLimit = mockplatform.RateLimit{} })
		for _, b := range all.blocks {
			b.wantQuiet()
		}
	})(t)
}
