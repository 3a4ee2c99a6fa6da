package provider

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// TestAttackedOneTableTwoTargets changes one of two mappings of one table: that the other
// excludes other columns is nothing that happened after the plan.
func TestAttackedOneTableTwoTargets(t *testing.T) {
	f := newFixture(t)
	raw := wanted("public.customers", "customers_raw", `excluded_columns = []`)
	f.addMapping(`{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers_raw", "excludedColumns": [], "useCustomSortingKey": false, "sortingKeys": []}`)
	b := f.pipe(mockplatform.PostgresPipeID, mappings(customersMapping, addressesMapping, leadsMapping, raw))
	b.apply()
	b.arguments = mappings(wanted("public.customers", "customers", `excluded_columns = ["password_hash", "phone", "salary"], use_custom_sorting_key = true, sorting_keys = ["country", "id"]`), addressesMapping, leadsMapping, raw)
	r := b.tryApply()
	if len(r.errors) > 0 {
		t.Fatalf("%q", r.errors)
	}
	b.wantQuiet()
}

// TestAttackedAdoptionRestoresForms adopts a pipe whose mappings match, but for the form of a
// name, on a platform that drops the mappings with any other change.
func TestAttackedAdoptionRestoresForms(t *testing.T) {
	same := wanted("public.a", "a", `excluded_columns = ["`+composed+`"]`)
	for name, arguments := range map[string]string{"matches": mappings(same), "adds": mappings(same, wanted("public.b", "b", `excluded_columns = []`))} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
				setMember(doc, "source.postgres.tableMappings", []any{
					mockplatform.Document{"sourceSchemaName": "public", "sourceTable": "a", "targetTable": "a", "excludedColumns": []any{decomposed}, "useCustomSortingKey": false, "sortingKeys": []any{}},
				})
			})
			emptied := false
			f.Configure(func(p *mockplatform.Behaviour) {
				p.Patches.Rewrites = []mockplatform.Rewrite{{Operation: mockplatform.UpdatePipe, Path: "source.postgres.tableMappings", Unsent: true, To: func(value any) any {
					if emptied {
						return value
					}
					emptied = true
					return value.([]any)[:0]
				}}}
			})
			b := f.pipe(mockplatform.PostgresPipeID, arguments+"\n  name = \"n\"")
			r := b.tryApply()
			if got, mapped := f.mapped(b.id)["a"]; mapped && !slices.Equal(got, []string{decomposed}) {
				t.Errorf("a excludes %+q; errors %q; sent %+q", got, r.errors, f.patches(b.id))
			}
			t.Logf("%q %+q", r.errors, f.patches(b.id))
		})
	}
}

// TestAttackedTwiceInAResponse has a response with one mapping twice, with other members.
func TestAttackedTwiceInAResponse(t *testing.T) {
	for name, first := range map[string]bool{"before": true, "after": false} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
				all := member(doc, "source.postgres.tableMappings").([]any)
				other := fromJSON(t, `{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers", "excludedColumns": [], "useCustomSortingKey": false, "sortingKeys": []}`)
				if first {
					all = slices.Insert(all, 0, other)
				} else {
					all = append(all, other)
				}
				setMember(doc, "source.postgres.tableMappings", all)
			})
			b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
			b.must(b.imports(mockplatform.ServiceID + "/" + b.id))
			r := b.tryApply()
			t.Log(strings.Join(f.patches(b.id), "\n"), r.errors)
			if next := b.tryPlan(f.start()); len(r.errors) == 0 && next.action != "none" {
				t.Errorf("the next plan is to %s", next.action)
			}
		})
	}
}

// TestAttackedSecondUnknown loses the response to the PATCH that adds: it was carried out, and
// no read says so.
func TestAttackedSecondUnknown(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
		b.apply()
		b.arguments = customersSorted
		plan := b.plan()
		f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Skip: 1, After: true, Status: 503, Times: mockplatform.Always})
		f.Inject(mockplatform.Fault{Operation: mockplatform.GetPipe, Skip: 1, Status: 503, Times: mockplatform.Always})
		b.carryOut(f.start(map[string]any{"retry_timeout": "1s"}), plan)
		_, there := f.mapped(b.id)["customers"]
		t.Log(there, plan.errors)
		if strings.Contains(folded(plan.String()), "These are not added yet: - public.customers to customers") && there {
			t.Error("it is there")
		}
	})(t)
}

// TestAttackedNoSourceInTheApply excludes a column after the plan, and the read of the apply
// has no source: what the platform has by now is not known.
func TestAttackedNoSourceInTheApply(t *testing.T) {
	for name, sparse := range map[string]mockplatform.Sparse{
		"source once": {Path: "source", Times: 1}, "source": {Path: "source"},
		"postgres once": {Path: "source.postgres", Times: 1}, "postgres": {Path: "source.postgres"},
		"mappings once": {Path: "source.postgres.tableMappings", Times: 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
			b.apply()
			b.arguments = customersSorted
			plan := b.plan()
			f.UpdatePipe(b.id, func(doc mockplatform.Document) {
				member(doc, "source.postgres.tableMappings").([]any)[0].(mockplatform.Document)["excludedColumns"] = []any{"password_hash", "phone", "salary"}
			})
			sparse.Operations = []mockplatform.Operation{mockplatform.GetPipe}
			f.Configure(func(p *mockplatform.Behaviour) { p.Responses.Sparse = []mockplatform.Sparse{sparse} })
			b.carryOut(f.start(), plan)
			if got, ok := f.mapped(b.id)["customers"]; ok && !slices.Contains(got, "salary") {
				t.Errorf("customers replicates salary: excludes %q, errors %q", got, plan.errors)
			}
		})
	}
}

// TestMappingExcludedDuringAnApply excludes a column while an apply is under way, by a platform
// that resets the mappings, and in the console before a PATCH is sent again. Whatever the apply
// would do next to mappings of that table uncovers the column.
func TestMappingExcludedDuringAnApply(t *testing.T) {
	t.Parallel()
	exclude := func(value any) any {
		for _, mapping := range value.([]any) {
			if member(mapping, "sourceTable") == "customers" {
				mapping.(mockplatform.Document)["excludedColumns"] = []any{"password_hash", "phone", "salary"}
			}
		}
		return value
	}
	const people = `excluded_columns = ["password_hash", "phone"]`
	for name, test := range map[string]struct{ arguments, sends string }{
		"the mapping is restored":       {seedMappings + "\n  name = \"n\"", `{"name": "n"}`},
		"its table gets other columns":  {mappings(wanted("public.customers", "customers", people), addressesMapping, leadsMapping), removesCustomers},
		"its table gets another target": {mappings(wanted("public.customers", "people", people), addressesMapping, leadsMapping), removesCustomers},
	} {
		t.Run(name, inBubble(func(t *testing.T, f *fixture) {
			b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
			b.apply()
			f.ResetJournal()
			f.Configure(func(p *mockplatform.Behaviour) {
				p.Patches.Rewrites = []mockplatform.Rewrite{{Operation: mockplatform.UpdatePipe, Path: "source.postgres.tableMappings", Unsent: true, To: exclude}}
				p.OnRequest = func(r mockplatform.Request) {
					if r.Status == http.StatusBadGateway {
						f.UpdatePipe(b.id, func(doc mockplatform.Document) { exclude(member(doc, "source.postgres.tableMappings")) })
					}
				}
			})
			if test.sends == removesCustomers {
				f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Status: http.StatusBadGateway})
			}
			b.arguments = test.arguments
			wantText(t, b.tryApply().String(), `he column "salary" of public.customers to customers was excluded on the platform after the plan`)
			b.sends(test.sends)
		}))
	}
}

// TestMappingAddedAfterThePlanAndExcluded adds a mapping in the console after the plan, which the
// update keeps as it is, and excludes a column of it before a PATCH is sent again.
func TestMappingAddedAfterThePlanAndExcluded(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
		b.apply()
		b.arguments = mappings(customersMapping, addressesMapping)
		plan := b.plan()
		f.addMapping(`{"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders", "excludedColumns": []}`)
		f.ResetJournal()
		f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Status: http.StatusBadGateway})
		f.Configure(func(p *mockplatform.Behaviour) {
			p.OnRequest = func(r mockplatform.Request) {
				if r.Status == http.StatusBadGateway {
					f.UpdatePipe(b.id, func(doc mockplatform.Document) {
						all := member(doc, "source.postgres.tableMappings").([]any)
						all[len(all)-1].(mockplatform.Document)["excludedColumns"] = []any{"salary"}
					})
				}
			}
		})
		b.carryOut(f.start(), plan)
		wantText(t, plan.String(), `he column "salary" of public.orders to orders was excluded on the platform after the plan`)
		b.sends(`{"source": {"postgres": {"tableMappingsToRemove": [` + leadsKey + `]}}}`)
	})(t)
}
