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

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// refused runs a command that must fail, and returns the one error there is,
// which is about this address.
func (w *workspace) refused(address string, args ...string) string {
	w.t.Helper()
	all := w.diagnostics(args...)
	count := 0
	for _, said := range all {
		count += len(said.errors)
	}
	if count != 1 || len(all[address].errors) != 1 {
		w.t.Fatalf("%d errors, want one about %s:\n%v", count, address, all)
	}
	return folded(all[address].errors[0])
}

// wanted is a mapping in a configuration, with further members.
func wanted(source, target, members string) string {
	schema, table, _ := strings.Cut(source, ".")
	return fmt.Sprintf("{ source_schema_name = %q, source_table = %q, target_table = %q, %s }", schema, table, target, members)
}

// fullCustomers is the mapping of the seed that has something in each member,
// but for the sorting keys.
const (
	customersExcluded = `excluded_columns = ["password_hash", "phone"]`
	fullCustomers     = customersExcluded + `, use_custom_sorting_key = true, `
)

// incompleteMappings are configurations of customers, or of another table, that
// would have to add a mapping and don't say all that it needs.
var incompleteMappings = []struct {
	name, mapping string
	lacks         string
	offers        []string
}{
	{"another member changes", wanted("public.customers", "customers", `sorting_keys = ["id"]`),
		"must set excluded_columns and use_custom_sorting_key", []string{customersExcluded, "use_custom_sorting_key = true"}},
	{"all but one are declared", wanted("public.customers", "customers", customersExcluded+`, sorting_keys = ["id"]`),
		"must set use_custom_sorting_key", []string{"use_custom_sorting_key = true"}},
	{"the excluded columns are emptied", wanted("public.customers", "customers", `excluded_columns = []`),
		"must set sorting_keys and use_custom_sorting_key", []string{`sorting_keys = ["country", "id"]`, "use_custom_sorting_key = true"}},
	{"another target", wanted("public.customers", "people", ``),
		"must set excluded_columns", []string{customersExcluded}},
	{"another target, and the table's own too", wanted("public.customers", "people", `sorting_keys = ["id"]`) + ", " + customersMapping,
		"must set excluded_columns", []string{customersExcluded}},
	{"a new table", wanted("public.staff", "staff", ``),
		"must set excluded_columns", nil},
	{"a new table, with a misspelled member", wanted("public.staff", "staff", `exclude_columns = ["salary"]`),
		"must set excluded_columns", nil},
	{"a table without anything in it", wanted("public.addresses", "addresses", `sorting_keys = ["id"]`),
		"must set excluded_columns", []string{"excluded_columns = []"}},
}

// TestMappingIsAddedFromTheConfigurationAlone plans mappings that omit what they
// exclude, of a new pipe and of one in the state: an error offers the current values.
func TestMappingIsAddedFromTheConfigurationAlone(t *testing.T) {
	f := newFixture(t)
	before, after := f.provider(), f.provider()
	for i, test := range incompleteMappings {
		adopted, held := f.clonePipe(mockplatform.PostgresPipeID), f.clonePipe(mockplatform.PostgresPipeID)
		before += onePipe(fmt.Sprintf("held%d", i), held, mappings(customersMapping, addressesMapping, leadsMapping))
		after += onePipe(fmt.Sprintf("held%d", i), held, mappings(test.mapping)) + onePipe(fmt.Sprintf("adopted%d", i), adopted, mappings(test.mapping))
	}
	w := f.workspace(before)
	w.apply()
	w.file("main.tf", after)
	said := w.diagnostics("plan", "-input=false")
	for i, test := range incompleteMappings {
		for _, kind := range []string{"held", "adopted"} {
			t.Run(kind+": "+test.name, func(t *testing.T) {
				errors := said[fmt.Sprintf("dataplatform_pipe.%s%d", kind, i)].errors
				if len(errors) != 1 {
					t.Fatalf("%d errors, want 1: %q", len(errors), errors)
				}
				text := folded(errors[0])
				wantText(t, text, "Table mapping is not complete", `pipe "customers" (`, test.lacks+", because omitted attributes are not copied from the platform.")
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
	f.wantWrites()
}

// TestMappingThatStaysMayOmitMembers has what needn't be declared in full.
func TestMappingThatStaysMayOmitMembers(t *testing.T) {
	const none = `, "excludedColumns": [], "useCustomSortingKey": false, "sortingKeys": []}`
	add := func(key, members string) string { return strings.TrimSuffix(key, "}") + members }
	f := newFixture(t)
	config := f.provider()
	var ids []string
	tests := []struct {
		name, mappings string
		patches        []string
	}{
		{"nothing is declared", customersMapping + ", " + addressesMapping + ", " + leadsMapping, nil},
		{"a member is misspelled", wanted("public.customers", "customers", `exclude_columns = ["name"]`) + ", " + addressesMapping + ", " + leadsMapping, nil},
		{"one that is empty needn't be declared", customersMapping + ", " + leadsMapping + ", " + wanted("public.addresses", "addresses", `excluded_columns = ["zip"]`), []string{
			`{"source": {"postgres": {"tableMappingsToRemove": [` + addressesKey + `]}}}`,
			`{"source": {"postgres": {"tableMappingsToAdd": [` + add(addressesKey, `, "excludedColumns": ["zip"], "useCustomSortingKey": false, "sortingKeys": []}`) + `]}}}`,
		}},
		{"a new one", customersMapping + ", " + addressesMapping + ", " + leadsMapping + ", " + wanted("public.new", "new", `excluded_columns = []`), []string{
			`{"source": {"postgres": {"tableMappingsToAdd": [` + add(`{"sourceSchemaName": "public", "sourceTable": "new", "targetTable": "new"}`, none) + `]}}}`,
		}},
	}
	for i, test := range tests {
		ids = append(ids, f.clonePipe(mockplatform.PostgresPipeID))
		config += onePipe(fmt.Sprintf("p%d", i), ids[i], "source = { postgres = { table_mappings = ["+test.mappings+"] } }")
	}
	w := f.workspace(config)
	w.apply()
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) { f.in(t).wantPatches(ids[i], test.patches...) })
	}
	w.wantEmptyPlan()
}

// TestHalfDoneMappingIsFinished ends an apply between the PATCH that removes a
// mapping and the one that adds it: the error says which one is missing, and the
// next apply adds it with its excluded columns.
func TestHalfDoneMappingIsFinished(t *testing.T) {
	changed := mappings(wanted("public.customers", "customers", fullCustomers+`sorting_keys = ["id"]`), addressesMapping, leadsMapping)
	remove := `{"source": {"postgres": {"tableMappingsToRemove": [` + customersKey + `]}}}`
	add := `{"source": {"postgres": {"tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers",
  "excludedColumns": ["password_hash", "phone"], "useCustomSortingKey": true, "sortingKeys": ["id"]}]}}}`
	for _, adopts := range []bool{false, true} {
		t.Run(fmt.Sprintf("adopts: %t", adopts), func(t *testing.T) {
			f := newFixture(t)
			w := f.workspace(f.provider() + onePipe("this", mockplatform.PostgresPipeID, mappings(customersMapping, addressesMapping, leadsMapping)))
			if !adopts {
				w.apply()
			}
			w.file("main.tf", f.provider()+onePipe("this", mockplatform.PostgresPipeID, changed))
			f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Skip: 1, Status: http.StatusUnprocessableEntity, Message: "not today"})
			errors := w.diagnostics("apply", "-auto-approve", "-input=false")[thisPipe].errors
			if len(errors) != 2 {
				t.Fatalf("%d errors, want 2: %q", len(errors), errors)
			}
			wantText(t, folded(strings.Join(errors, " ")), "not today",
				`source.postgres.table_mappings of pipe "customers" (`+mockplatform.PostgresPipeID+`) is only partly updated`,
				"These table mappings were removed: - public.customers to customers These are not added yet: - public.customers to customers Their excluded columns stay excluded. The API rejected the request that adds them: correct what its message names, then apply again.")
			if left := w.states(); adopts == (len(left) > 0) {
				t.Errorf("in the state: %q", left)
			}
			f.wantWrites(remove, add)
			w.apply()
			f.wantWrites(add)
			w.wantEmptyPlan()
			checkPipeState(t, f, thisPipe, w.state(), mockplatform.PostgresPipeID)
		})
	}
}

// TestInterruptBetweenRemovingAndAdding presses Ctrl-C while the PATCH that adds
// a mapping again has no answer: the next apply adds it as it is declared.
func TestInterruptBetweenRemovingAndAdding(t *testing.T) {
	f := newFixture(t)
	config := func(arguments string) string {
		return f.provider(`request_timeout = "2s"`) + onePipe("this", mockplatform.PostgresPipeID, arguments)
	}
	w := f.workspace(config(mappings(customersMapping, addressesMapping, leadsMapping)))
	w.apply()
	w.file("main.tf", config(mappings(wanted("public.customers", "customers", fullCustomers+`sorting_keys = ["id"]`), addressesMapping, leadsMapping)))
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
	f.wantWrites(`{"source": {"postgres": {"tableMappingsToAdd": [` + fullMappingJSON + `]}}}`)
	w.wantEmptyPlan()
}

// mapped are the mappings that the platform holds of a pipe, by target, each
// with its excluded columns.
func (f *fixture) mapped(id string) map[string][]string {
	excluded := map[string][]string{}
	all, _ := member(f.Pipe(id), "source.postgres.tableMappings").([]any)
	for _, mapping := range all {
		doc := mapping.(mockplatform.Document)
		columns := []string{}
		for _, column := range doc["excludedColumns"].([]any) {
			columns = append(columns, column.(string))
		}
		slices.Sort(columns)
		excluded[doc["targetTable"].(string)] = columns
	}
	return excluded
}

// unmap removes the mapping of customers, as somebody in the console does.
func unmap(doc mockplatform.Document) {
	kept := slices.DeleteFunc(member(doc, "source.postgres.tableMappings").([]any), func(mapping any) bool {
		return mapping.(mockplatform.Document)["targetTable"] == "customers"
	})
	setMember(doc, "source.postgres.tableMappings", kept)
}

// wantCovered fails if the platform maps customers with a column that nobody
// said to uncover.
func (f *fixture) wantCovered(id string) {
	f.t.Helper()
	if columns, ok := f.mapped(id)["customers"]; ok && !slices.Equal(columns, []string{"password_hash", "phone"}) {
		f.t.Errorf("customers excludes %q", columns)
	}
}

// TestMappingThatIsGoneAtApply removes a mapping that a plan kept: nothing is
// sent, and the plan has to be made again.
func TestMappingThatIsGoneAtApply(t *testing.T) {
	for _, adopts := range []bool{false, true} {
		t.Run(fmt.Sprintf("adopts: %t", adopts), func(t *testing.T) {
			f := newFixture(t)
			arguments := mappings(customersMapping, addressesMapping, leadsMapping)
			w := f.workspace(f.provider() + onePipe("this", mockplatform.PostgresPipeID, arguments))
			if !adopts {
				w.apply()
			}
			w.file("main.tf", f.provider()+onePipe("this", mockplatform.PostgresPipeID, arguments+"\n  name = \"n\""))
			w.plan()
			f.UpdatePipe(mockplatform.PostgresPipeID, unmap)
			f.ResetJournal()
			said := w.refused(thisPipe, "apply", "-input=false", "tf.plan")
			wantText(t, said, `In pipe "customers" (`, "the mapping public.customers to customers ", "must set excluded_columns")
			if !adopts {
				wantText(t, said, "was removed after the plan. Run terraform plan again.")
			}
			f.wantWrites()
			wantText(t, w.refused(thisPipe, "plan", "-input=false"), "must set excluded_columns", "The platform has no mapping of this table to copy from, so the columns that were excluded before are not known.")

			// Declared, it is added as the plan showed it.
			w.file("main.tf", f.provider()+onePipe("this", mockplatform.PostgresPipeID, "name = \"n\"\n"+
				mappings(wanted("public.customers", "customers", customersExcluded), addressesMapping, leadsMapping)))
			w.apply()
			f.wantCovered(mockplatform.PostgresPipeID)
			w.wantEmptyPlan()
		})
	}
}

// TestMappingWithoutARefresh plans by a state that is out of date.
func TestMappingWithoutARefresh(t *testing.T) {
	f := newFixture(t)
	arguments := mappings(customersMapping, addressesMapping, leadsMapping)
	w := f.workspace(f.provider() + onePipe("this", mockplatform.PostgresPipeID, arguments))
	w.apply()
	f.UpdatePipe(mockplatform.PostgresPipeID, unmap)
	w.file("main.tf", f.provider()+onePipe("this", mockplatform.PostgresPipeID, arguments+"\n  name = \"n\""))
	f.ResetJournal()
	wantText(t, w.refused(thisPipe, "apply", "-auto-approve", "-input=false", "-refresh=false"), "was removed after the plan. Run terraform plan again.")
	f.wantWrites()
}

// TestMappingThatIsGoneWithOmittedMembers says what it excludes, and left the
// rest to what the plan showed: that is gone with the mapping.
func TestMappingThatIsGoneWithOmittedMembers(t *testing.T) {
	f := newFixture(t)
	arguments := mappings(wanted("public.customers", "customers", customersExcluded), addressesMapping, leadsMapping)
	w := f.workspace(f.provider() + onePipe("this", mockplatform.PostgresPipeID, arguments))
	w.apply()
	w.file("main.tf", f.provider()+onePipe("this", mockplatform.PostgresPipeID, arguments+"\n  name = \"n\""))
	w.plan()
	f.UpdatePipe(mockplatform.PostgresPipeID, unmap)
	f.ResetJournal()
	wantText(t, w.refused(thisPipe, "apply", "-input=false", "tf.plan"), "was removed after the plan. Run terraform plan again. To be added, it must set sorting_keys and use_custom_sorting_key, because")
	f.wantWrites()
	// A new plan shows what it adds: the excluded columns, and nothing else.
	w.apply()
	f.wantCovered(mockplatform.PostgresPipeID)
	w.wantEmptyPlan()
}

// TestMappingThatGoesDuringAnApply has a mapping disappear while an apply is
// under way: it is never added without its excluded columns, which nobody knows.
func TestMappingThatGoesDuringAnApply(t *testing.T) {
	kept := []string{customersMapping, addressesMapping, leadsMapping}
	more := mappings(append(kept, wanted("public.new", "new", `excluded_columns = []`))...)
	for name, test := range map[string]struct {
		arguments string
		prepare   func(f *fixture)
	}{
		// The answer is lost, and what is left to be sent is worked out anew.
		"after an ambiguous end": {more, func(f *fixture) {
			f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Status: http.StatusBadGateway})
			f.Configure(func(b *mockplatform.Behaviour) {
				b.OnRequest = func(r mockplatform.Request) {
					if r.Operation == mockplatform.UpdatePipe && r.Status == http.StatusBadGateway {
						f.UpdatePipe(mockplatform.PostgresPipeID, unmap)
					}
				}
			})
		}},
		// The platform resets the mappings with a change of the host.
		"reset by the platform": {mappings(kept...) + "\n  name = \"n\"", func(f *fixture) {
			f.Configure(func(b *mockplatform.Behaviour) {
				b.Patches.Rewrites = []mockplatform.Rewrite{{Operation: mockplatform.UpdatePipe, Path: "source.postgres.tableMappings", Unsent: true, To: func(value any) any {
					return slices.DeleteFunc(value.([]any), func(mapping any) bool {
						doc := mapping.(mockplatform.Document)
						return doc["targetTable"] == "customers" && fmt.Sprint(doc["excludedColumns"]) != "[]"
					})
				}}}
			})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			w := f.workspace(f.provider() + onePipe("this", mockplatform.PostgresPipeID, mappings(kept...)))
			w.apply()
			test.prepare(f)
			w.file("main.tf", f.provider()+onePipe("this", mockplatform.PostgresPipeID, test.arguments))
			said := w.diagnostics("apply", "-auto-approve", "-input=false")[thisPipe]
			f.wantCovered(mockplatform.PostgresPipeID)
			for _, body := range f.patches(mockplatform.PostgresPipeID) {
				if strings.Contains(body, `"targetTable":"customers","excludedColumns":[]`) {
					t.Errorf("sent %s", body)
				}
			}
			if len(said.errors) == 0 {
				t.Error("the apply succeeded without the mapping")
			}
			wantText(t, folded(strings.Join(said.errors, " ")), "public.customers to customers")
		})
	}
}
