package provider

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

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

// TestMappingIsAddedFromTheConfigurationAlone plans mappings that would have to be added
// and do not say all that this needs, of a new pipe and of one in the state: an error
// offers the current values.
func TestMappingIsAddedFromTheConfigurationAlone(t *testing.T) {
	for name, test := range map[string]struct {
		mapping, lacks string
		offers         []string
	}{
		"another member changes": {wanted("public.customers", "customers", `sorting_keys = ["id"]`),
			"must set excluded_columns and use_custom_sorting_key", []string{customersExcluded, "use_custom_sorting_key = true"}},
		"all but one are declared": {wanted("public.customers", "customers", customersExcluded+`, sorting_keys = ["id"]`),
			"must set use_custom_sorting_key", []string{"use_custom_sorting_key = true"}},
		"the excluded columns are emptied": {wanted("public.customers", "customers", `excluded_columns = []`),
			"must set sorting_keys and use_custom_sorting_key", []string{`sorting_keys = ["country", "id"]`, "use_custom_sorting_key = true"}},
		"another target": {wanted("public.customers", "people", ``),
			"must set excluded_columns", []string{customersExcluded}},
		"another target, and the table's own too": {wanted("public.customers", "people", `sorting_keys = ["id"]`) + ", " + customersMapping,
			"must set excluded_columns", []string{customersExcluded}},
		"a new table, with a misspelled member": {wanted("public.staff", "staff", `exclude_columns = ["salary"]`),
			"must set excluded_columns", nil},
		"a table without anything in it": {wanted("public.addresses", "addresses", `sorting_keys = ["id"]`),
			"must set excluded_columns", []string{"excluded_columns = []"}},
	} {
		for _, adopts := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, adopts: %t", name, adopts), func(t *testing.T) {
				f := newFixture(t)
				b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
				if !adopts {
					b.apply()
				}
				b.arguments = mappings(test.mapping)
				r := b.tryPlan(f.start())
				b.refuses(r, "Table mapping is not complete", `pipe "customers" (`, test.lacks+", because omitted attributes are not copied from the platform.")
				text := folded(r.String())
				if test.offers == nil {
					wantText(t, text, "Use [] to exclude no column. The platform has no mapping of this table to copy from, so the columns that were excluded before are not known.")
					wantNoText(t, text, "Current values on the platform")
					return
				}
				wantText(t, text, "Current values on the platform for this table: "+strings.Join(test.offers, " "))
				wantNoText(t, text, "not known", "Use []") // that would expose what is offered
			})
		}
	}
}

// TestMappingThatStaysMayOmitMembers has what needn't be declared in full, and what says
// the same in another order.
func TestMappingThatStaysMayOmitMembers(t *testing.T) {
	f := newFixture(t)
	b := f.pipe(mockplatform.PostgresPipeID, mappings(wanted("public.customers", "customers", `exclude_columns = ["name"]`), addressesMapping, leadsMapping))
	b.apply()
	b.sends()
	b.applyAs(mappings(leadsMapping, wanted("public.customers", "customers", `excluded_columns = ["phone", "password_hash"], use_custom_sorting_key = true, sorting_keys = ["country", "id"]`),
		wanted("public.addresses", "addresses", `excluded_columns = [], sorting_keys = [], use_custom_sorting_key = false`)))
	b.sends()
	b.wantQuiet()
	b.applyAs(mappings(customersMapping, leadsMapping, wanted("public.addresses", "addresses", `excluded_columns = ["zip"]`)))
	b.sends(`{"source": {"postgres": {"tableMappingsToRemove": [`+addressesKey+`]}}}`,
		`{"source": {"postgres": {"tableMappingsToAdd": [`+strings.Replace(addressesKey, "}", `, "excludedColumns": ["zip"], "useCustomSortingKey": false, "sortingKeys": []}`, 1)+`]}}}`)
	b.wantQuiet()
	b.applyAs(mappings())
	b.sends(`{"source": {"postgres": {"tableMappingsToRemove": [` + addressesKey + `, ` + customersKey + `, ` + leadsKey + `]}}}`)
	b.wantQuiet()
}

// TestMappingKnownAfterApply has a mapping of which the plan does not know the table, and
// which turns out to be one that stays: the plan shows nothing of its members.
func TestMappingKnownAfterApply(t *testing.T) {
	f := newFixture(t)
	for _, adopts := range []bool{false, true} {
		b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
		if !adopts {
			b.apply()
		}
		b.learn(cty.StringVal("customers"))
		b.applyAs(mappings(`{ source_schema_name = "public", source_table = later, target_table = "customers" }`, addressesMapping, leadsMapping))
		b.sends()
		b.wantQuiet()
	}
}

// TestMappingsDrift changes mappings behind Terraform's back: more excluded columns are
// no drift where the configuration omits them, and what is mapped besides is removed.
func TestMappingsDrift(t *testing.T) {
	f := newFixture(t)
	b := f.pipe(mockplatform.PostgresPipeID, mappings(customersMapping, wanted("public.addresses", "addresses", "excluded_columns = []")))
	b.apply()
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
		setMember(doc, "source.postgres.host", "other")
		setMember(doc, "source.postgres.tableMappings", fromJSON(t, `[
  {"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers", "excludedColumns": ["password_hash", "phone", "mail"], "useCustomSortingKey": true, "sortingKeys": ["country", "id"]},
  {"sourceSchemaName": "sales", "sourceTable": "leads", "targetTable": "sales_leads", "excludedColumns": [], "useCustomSortingKey": false, "sortingKeys": []}]`))
	})
	f.ResetJournal()
	b.apply()
	b.sends(`{"source": {"postgres": {"tableMappingsToRemove": [` + leadsKey + `],
  "tableMappingsToAdd": [` + strings.Replace(addressesKey, "}", `, "excludedColumns": [], "useCustomSortingKey": false, "sortingKeys": []}`, 1) + `]}}}`)
	b.wantQuiet()
	b.wantState()
}

// TestMappingsInAnotherNormalForm has a platform whose texts are not in the normal form
// that Terraform gives to those of the configuration: they are the same, and go out as the
// platform spells them. A column that is excluded in another spelling would not be excluded.
func TestMappingsInAnotherNormalForm(t *testing.T) {
	f := newFixture(t)
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
		doc["name"] = "cafe\u0301"
		setMember(doc, "source.postgres.tableMappings", []any{mockplatform.Document{
			"sourceSchemaName": "public", "sourceTable": "cafe\u0301", "targetTable": "cafe\u0301",
			"excludedColumns": []any{"na\u0303o", "pw"}, "useCustomSortingKey": false, "sortingKeys": []any{},
		}})
	})
	const key = `"sourceSchemaName": "public", "sourceTable": "cafe\u0301", "targetTable": "cafe\u0301"`
	mapped := func(members string) string { return mappings(wanted("public.caf\u00e9", "caf\u00e9", members)) }
	b := f.pipe(mockplatform.PostgresPipeID, mapped(`excluded_columns = ["n\u00e3o", "pw"], use_custom_sorting_key = false, sorting_keys = []`)+"\n  name = \"caf\u00e9\"")
	b.apply()
	b.sends()
	b.applyAs(mapped("") + "\n  name = \"x\"")
	b.sends(`{"name": "x"}`)
	b.wantQuiet()
	b.applyAs(mapped(`excluded_columns = ["n\u00e3o", "pw"], use_custom_sorting_key = true, sorting_keys = ["id"]`))
	b.sends(`{"source": {"postgres": {"tableMappingsToRemove": [{`+key+`}]}}}`,
		`{"source": {"postgres": {"tableMappingsToAdd": [{`+key+`, "excludedColumns": ["na\u0303o", "pw"], "useCustomSortingKey": true, "sortingKeys": ["id"]}]}}}`)
	b.wantQuiet()
	b.applyAs(mappings())
	b.sends(`{"source": {"postgres": {"tableMappingsToRemove": [{` + key + `}]}}}`)
}

// TestAmbiguousMappings loses responses to PATCHes that change table mappings: what is
// still needed is worked out from a fresh read, with the credentials again.
func TestAmbiguousMappings(t *testing.T) {
	const again = `{"source": {"postgres": {` + credentialsBody + `}}}`
	for name, test := range map[string]struct {
		fault   mockplatform.Fault
		patches []string
	}{
		"the first was carried out": {mockplatform.Fault{After: true, Status: http.StatusBadGateway, Body: mockplatform.BodyHTML},
			[]string{firstRemap, again, secondRemap}},
		"the first was not carried out":              {mockplatform.Fault{Status: http.StatusServiceUnavailable}, []string{firstRemap, firstRemap, secondRemap}},
		"the connection of the first broke":          {mockplatform.Fault{After: true, Reset: true}, []string{firstRemap, again, secondRemap}},
		"the second's response was cut":              {mockplatform.Fault{After: true, Cut: mockplatform.CutBody, CutBytes: 300, Skip: 1}, []string{firstRemap, secondRemap, again}},
		"the first was turned away without a change": {mockplatform.Fault{Status: http.StatusTooManyRequests}, []string{firstRemap, firstRemap, secondRemap}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(func(b *mockplatform.Behaviour) { b.Patches.AddsFirst, b.Patches.OneTargetPerTable = true, true })
			test.fault.Operation = mockplatform.UpdatePipe
			f.Inject(test.fault)
			b := f.pipe(mockplatform.PostgresPipeID, remapped)
			b.apply()
			b.sends(test.patches...)
			b.wantQuiet()
			b.wantState()
		})
	}
}

// TestHalfDoneMappingIsFinished ends an apply between the PATCH that removes a mapping and
// the one that adds it: the error says which one is missing, the state has what the first
// one did, and the next apply adds it with its excluded columns.
func TestHalfDoneMappingIsFinished(t *testing.T) {
	for _, adopts := range []bool{false, true} {
		t.Run(fmt.Sprintf("adopts: %t", adopts), func(t *testing.T) {
			f := newFixture(t)
			b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
			if !adopts {
				b.apply()
			}
			b.arguments = customersSorted
			f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Skip: 1, Status: http.StatusUnprocessableEntity, Message: "not today"})
			f.ResetJournal()
			r := b.tryApply()
			if len(r.errors) != 2 {
				t.Fatalf("%d errors, want 2: %q", len(r.errors), r.errors)
			}
			wantText(t, folded(r.String()), "Cannot update pipe", "not today", "HTTP 422",
				`source.postgres.table_mappings of pipe "customers" (`+mockplatform.PostgresPipeID+`) is only partly updated`,
				"These table mappings were removed: - public.customers to customers These are not added yet: - public.customers to customers Their excluded columns stay excluded. The API rejected the request that adds them: correct what its message names, then apply again.")
			if b.state.IsNull() != adopts {
				t.Errorf("the state is %v", b.state)
			} else if !adopts {
				b.wantState()
			}
			b.sends(removesCustomers, addsCustomers)
			b.apply()
			b.sends(addsCustomers)
			b.wantQuiet()
			b.wantState()
		})
	}
}

// TestInterruptBetweenRemovingAndAdding presses Ctrl-C while the PATCH that adds a mapping
// again has no response: the next apply adds it as it is declared.
func TestInterruptBetweenRemovingAndAdding(t *testing.T) {
	f := newFixture(t)
	config := func(arguments string) string {
		return f.provider(`request_timeout = "2s"`) + onePipe("this", mockplatform.PostgresPipeID, arguments)
	}
	w := f.workspace(config(seedMappings))
	w.apply()
	w.file("main.tf", config(customersSorted))
	f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Skip: 1, Hang: true, Times: mockplatform.Always})
	command := w.command(t.Context(), "apply", "-auto-approve", "-input=false", "-no-color")
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(command) })
	for deadline := time.Now().Add(time.Minute); len(f.patches(mockplatform.PostgresPipeID)) < 2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no second PATCH was sent")
		}
	}
	_ = syscall.Kill(-command.Process.Pid, syscall.SIGINT)
	_ = command.Wait()
	f.ClearFaults()
	wantText(t, folded(output.String()), "source.postgres.table_mappings of pipe \"customers\" ("+mockplatform.PostgresPipeID+") is only partly updated", "These are not added yet: - public.customers to customers Their excluded columns stay excluded. The next apply adds them.")
	if _, mapped := f.mapped(mockplatform.PostgresPipeID)["customers"]; mapped {
		t.Error("customers is mapped already: nothing was interrupted")
	}
	f.ResetJournal()
	w.apply()
	f.wantWrites(addsCustomers)
	w.wantEmptyPlan()
}

// TestMappingThatIsGoneAtApply removes a mapping that a plan kept: nothing is sent, and the
// plan has to be made again.
func TestMappingThatIsGoneAtApply(t *testing.T) {
	excluding := mappings(wanted("public.customers", "customers", customersExcluded), addressesMapping, leadsMapping)
	for name, test := range map[string]struct {
		adopts    bool
		arguments string
		says      string
	}{
		"of the state":   {false, seedMappings, "was removed after the plan. Run terraform plan again. To be added, it must set excluded_columns"},
		"of an adoption": {true, seedMappings, "must set excluded_columns"},
		// What it omits was to be what the plan showed: that is gone with the mapping.
		"with excluded columns": {false, excluding, "was removed after the plan. Run terraform plan again. To be added, it must set sorting_keys and use_custom_sorting_key, because"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			b := f.pipe(mockplatform.PostgresPipeID, test.arguments)
			if !test.adopts {
				b.apply()
			}
			b.arguments += "\n  name = \"n\""
			plan := b.plan()
			f.UpdatePipe(mockplatform.PostgresPipeID, unmap)
			b.carryOut(f.start(), plan)
			b.refuses(plan, `In pipe "customers" (`, "the mapping public.customers to customers ", test.says)
			if test.arguments == seedMappings {
				b.refuses(b.tryPlan(f.start()), "must set excluded_columns", "The platform has no mapping of this table to copy from, so the columns that were excluded before are not known.")
			}
			// Declared, it is added as the new plan shows it.
			b.applyAs(excluding + "\n  name = \"n\"")
			b.wantCovered()
			b.wantQuiet()
		})
	}
}

// TestMappingWithoutARefresh plans by a state that is out of date.
func TestMappingWithoutARefresh(t *testing.T) {
	f := newFixture(t)
	b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
	b.apply()
	f.UpdatePipe(b.id, unmap)
	b.arguments += "\n  name = \"n\""
	b.refuses(b.tryApplyWithoutRefresh(), "was removed after the plan. Run terraform plan again.")
}

// TestMappingThatGoesDuringAnApply has a mapping disappear while an apply is under way: it
// is never added without its excluded columns, which nobody knows.
func TestMappingThatGoesDuringAnApply(t *testing.T) {
	for name, test := range map[string]struct {
		arguments string
		prepare   func(f *fixture)
	}{
		// The response is lost, and what is left to be sent is worked out anew.
		"after an ambiguous end": {mappings(customersMapping, addressesMapping, leadsMapping, wanted("public.new", "new", `excluded_columns = []`)), func(f *fixture) {
			f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Status: http.StatusBadGateway})
			f.Configure(func(b *mockplatform.Behaviour) {
				b.OnRequest = func(r mockplatform.Request) {
					if r.Operation == mockplatform.UpdatePipe && r.Status == http.StatusBadGateway {
						f.UpdatePipe(mockplatform.PostgresPipeID, unmap)
					}
				}
			})
		}},
		// The platform resets the mappings with a change of the name.
		"reset by the platform": {seedMappings + "\n  name = \"n\"", func(f *fixture) {
			f.Configure(func(b *mockplatform.Behaviour) {
				b.Patches.Rewrites = []mockplatform.Rewrite{{Operation: mockplatform.UpdatePipe, Path: "source.postgres.tableMappings", Unsent: true, To: func(value any) any {
					return slices.DeleteFunc(value.([]any), func(mapping any) bool {
						return member(mapping, "targetTable") == "customers" && fmt.Sprint(member(mapping, "excludedColumns")) != "[]"
					})
				}}}
			})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
			b.apply()
			test.prepare(f)
			b.arguments = test.arguments
			r := b.tryApply()
			b.wantCovered()
			if len(r.errors) == 0 {
				t.Error("the apply succeeded without the mapping")
			}
			wantText(t, folded(r.String()), "public.customers to customers")
		})
	}
}

// TestMappingAddedAfterThePlan adds a mapping on the platform between plan and apply of a
// saved plan that changes another one: it stays, and the next plan shows its removal.
func TestMappingAddedAfterThePlan(t *testing.T) {
	f := newFixture(t)
	b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
	b.apply()
	b.arguments = mappings(wanted("public.customers", "customers", fullCustomers+`sorting_keys = ["id"]`), addressesMapping)
	plan := b.plan()
	f.addMapping(newMapping)
	b.applyPlan(plan)
	b.sends(`{"source": {"postgres": {"tableMappingsToRemove": [`+customersKey+`, `+leadsKey+`]}}}`, addsCustomers)
	if _, mapped := f.mapped(b.id)["new"]; !mapped {
		t.Error("the apply removed a mapping that its plan did not have")
	}
	if got := b.plan().changed(); !slices.Equal(got, []string{tableMappingsPath.String()}) {
		t.Errorf("the next plan differs in %q", got)
	}
	b.apply()
	b.sends(`{"source": {"postgres": {"tableMappingsToRemove": [{"sourceSchemaName": "public", "sourceTable": "new", "targetTable": "new"}]}}}`)
	b.wantQuiet()
}

// TestMappingsReturnedInPart has reads that never return some members of the mappings, and
// reads that stop to.
func TestMappingsReturnedInPart(t *testing.T) {
	get := []mockplatform.Operation{mockplatform.GetPipe}
	excluded := mockplatform.Sparse{Path: "source.postgres.tableMappings.excludedColumns", Operations: get}
	t.Run("never", func(t *testing.T) {
		f := newFixture(t)
		f.Configure(func(b *mockplatform.Behaviour) { b.Responses.Sparse = []mockplatform.Sparse{excluded} })
		b := f.pipe(mockplatform.PostgresPipeID, customersSorted)
		b.apply()
		b.sends(removesCustomers, addsCustomers)
		b.wantQuiet()
		b.apply()
		b.wantQuiet()
		// One more in the console is removed, and the others are not mapped anew.
		f.addMapping(newMapping)
		b.sends()
		b.apply()
		b.sends(`{"source": {"postgres": {"tableMappingsToRemove": [{"sourceSchemaName": "public", "sourceTable": "new", "targetTable": "new"}]}}}`)
		b.wantQuiet()
	})
	t.Run("from some time on", func(t *testing.T) {
		f := newFixture(t)
		b := f.pipe(mockplatform.PostgresPipeID, customersSorted)
		b.apply()
		f.Configure(func(b *mockplatform.Behaviour) { b.Responses.Sparse = []mockplatform.Sparse{excluded} })
		b.apply() // whether it takes that for drift is left open
		b.wantQuiet()
		b.apply()
		b.wantQuiet()
		b.wantCovered()
	})
	for name, sparse := range leanPlatforms {
		t.Run("emptied in the console, on a platform that "+name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(func(b *mockplatform.Behaviour) { b.Responses.Sparse = sparse })
			b := f.pipe(mockplatform.PostgresPipeID, customersSorted)
			b.apply()
			b.refresh() // a response to a write says nothing about reads
			f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
				for _, mapping := range member(doc, "source.postgres.tableMappings").([]any) {
					of := mapping.(mockplatform.Document)
					of["excludedColumns"], of["sortingKeys"], of["useCustomSortingKey"] = []any{}, []any{}, false
				}
			})
			f.ResetJournal()
			b.apply()
			b.sends(removesCustomers, addsCustomers)
			b.wantQuiet()
		})
		t.Run("removed once, on a platform that "+name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(func(b *mockplatform.Behaviour) { b.Responses.Sparse = sparse })
			b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
			b.apply()
			f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, After: true, Status: http.StatusBadGateway})
			b.applyAs(mappings()) // loses the response
			b.sends(`{"source": {"postgres": {"tableMappingsToRemove": [` + addressesKey + `, ` + customersKey + `, ` + leadsKey + `]}}}`)
			b.applyAs(mappings() + "\n  name = \"n\"")
			b.sends(`{"name": "n"}`)
			b.wantQuiet()
		})
	}
}
