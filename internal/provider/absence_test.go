package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// leanPlatforms are ways of telling what is empty, the plain one first.
var leanPlatforms = map[string][]mockplatform.Sparse{
	"tells all":                            nil,
	"omits what is empty":                  {{Path: "**", OnlyEmpty: true, Zeros: true}},
	"omits what is empty, and its objects": {{Path: "**", OnlyEmpty: true, Zeros: true, EmptyObjects: true}},
	"tells null for what is empty":         {{Path: "**", OnlyEmpty: true, Zeros: true, Null: true}},
	"omits what is empty from reads alone": {{Path: "**", OnlyEmpty: true, Zeros: true, Operations: []mockplatform.Operation{mockplatform.GetPipe, mockplatform.ListServices}}},
}

// emptiable are leaves of pipes, with what the seed holds in them, how a
// configuration declares that and the empty value, and what is sent for each.
var emptiable = []struct {
	kind, field         string
	empty               any
	declared, emptied   string
	sent, sentWhenEmpty []string
}{
	{mockplatform.KafkaPipeID, "name", "", `name = "orders"`, `name = ""`, []string{`{"name": "orders"}`}, []string{`{"name": ""}`}},
	{mockplatform.KafkaPipeID, "settings.engine_max_threads", 0, `settings = { engine_max_threads = 8 }`, `settings = { engine_max_threads = 0 }`,
		[]string{`{"settings": {"engine_max_threads": 8}}`}, []string{`{"settings": {"engine_max_threads": 0}}`}},
	{mockplatform.KafkaPipeID, "settings.object_storage_use_cluster_function", false, `settings = { object_storage_use_cluster_function = true }`, `settings = { object_storage_use_cluster_function = false }`,
		[]string{`{"settings": {"object_storage_use_cluster_function": true}}`}, []string{`{"settings": {"object_storage_use_cluster_function": false}}`}},
	{mockplatform.KafkaPipeID, "source.kafka.iamRole", "", `source = { kafka = { iam_role = "role:orders-reader" } }`, `source = { kafka = { iam_role = "" } }`,
		[]string{`{"source": {"kafka": {"iamRole": "role:orders-reader"}}}`}, []string{`{"source": {"kafka": {"iamRole": ""}}}`}},
	{mockplatform.KafkaPipeID, "source.kafka.reversePrivateEndpointIds", []any{}, `source = { kafka = { reverse_private_endpoint_ids = ["rpe-north", "rpe-south"] } }`, `source = { kafka = { reverse_private_endpoint_ids = [] } }`,
		[]string{`{"source": {"kafka": {"reversePrivateEndpointIds": ["rpe-north", "rpe-south"]}}}`}, []string{`{"source": {"kafka": {"reversePrivateEndpointIds": []}}}`}},
	{mockplatform.ObjectStoragePipeID, "fieldMappings", []any{}, `field_mappings = [{ source_field = "a", destination_field = "b" }]`, `field_mappings = []`,
		[]string{`{"fieldMappings": [{"sourceField": "a", "destinationField": "b"}]}`}, []string{`{"fieldMappings": []}`}},
	{mockplatform.PostgresPipeID, "destination.columns", []any{}, `destination = { columns = [{ name = "a", type = "b" }] }`, `destination = { columns = [] }`,
		[]string{`{"destination": {"columns": [{"name": "a", "type": "b"}]}}`}, []string{`{"destination": {"columns": []}}`}},
	{mockplatform.PostgresPipeID, "source.postgres.settings.pullBatchSize", 0, `source = { postgres = { settings = { pull_batch_size = 100000 } } }`, `source = { postgres = { settings = { pull_batch_size = 0 } } }`,
		[]string{`{"source": {"postgres": {"settings": {"pullBatchSize": 100000}}}}`}, []string{`{"source": {"postgres": {"settings": {"pullBatchSize": 0}}}}`}},
	{mockplatform.PostgresPipeID, "source.postgres.tableMappings", []any{}, mappings(wanted("public.customers", "customers", fullCustomers+`sorting_keys = ["id"]`)), `source = { postgres = { table_mappings = [] } }`,
		[]string{`{"source": {"postgres": {"tableMappingsToAdd": [` + fullMappingJSON + `]}}}`}, []string{`{"source": {"postgres": {"tableMappingsToRemove": [` + customersKey + `]}}}`}},
}

const fullMappingJSON = `{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers",
  "excludedColumns": ["password_hash", "phone"], "useCustomSortingKey": true, "sortingKeys": ["id"]}`

// emptiables makes a pipe for each row, set as its configuration declares, and
// returns their ids and both configurations.
func (f *fixture) emptiables() (ids []string, declared, emptied string) {
	for i, row := range emptiable {
		id := f.clonePipe(row.kind, func(doc mockplatform.Document) {
			setMember(doc, "fieldMappings", []any{mockplatform.Document{"sourceField": "a", "destinationField": "b"}})
			setMember(doc, "destination.columns", []any{mockplatform.Document{"name": "a", "type": "b"}})
			if row.field == "source.postgres.tableMappings" {
				setMember(doc, row.field, []any{fromJSON(f.t, fullMappingJSON)})
			}
		})
		ids = append(ids, id)
		declared += onePipe(fmt.Sprintf("p%d", i), id, row.declared)
		emptied += onePipe(fmt.Sprintf("p%d", i), id, row.emptied)
	}
	return ids, declared, emptied
}

// TestEmptiedInTheConsoleIsDrift empties what is declared: the next apply sets
// it again, once, whether the platform tells what is empty or omits it.
func TestEmptiedInTheConsoleIsDrift(t *testing.T) {
	for name, sparse := range leanPlatforms {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			ids, declared, _ := f.emptiables()
			f.Configure(func(b *mockplatform.Behaviour) { b.Answers.Sparse = sparse })
			w := f.workspace(f.provider() + declared)
			w.apply()
			f.wantWrites()
			for i, row := range emptiable {
				f.UpdatePipe(ids[i], func(doc mockplatform.Document) { setMember(doc, row.field, row.empty) })
			}
			f.ResetJournal()
			out := w.apply()
			wantNoText(t, out, "also changed unmanaged values")
			for i, row := range emptiable {
				t.Run(row.field, func(t *testing.T) { f.in(t).wantPatches(ids[i], row.sent...) })
			}
			f.ResetJournal()
			w.wantEmptyPlan()
			f.wantWrites()
		})
	}
}

// TestEmptiedByTheConfiguration empties what the platform holds, by an adoption
// and by a change: each is sent once, and later runs don't repeat it.
func TestEmptiedByTheConfiguration(t *testing.T) {
	for name, sparse := range leanPlatforms {
		for _, adopts := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, adopts: %t", name, adopts), func(t *testing.T) {
				f := newFixture(t)
				ids, declared, emptied := f.emptiables()
				f.Configure(func(b *mockplatform.Behaviour) { b.Answers.Sparse = sparse })
				w := f.workspace(f.provider() + declared)
				if !adopts {
					w.apply()
				}
				w.file("main.tf", f.provider()+emptied)
				wantNoText(t, w.apply(), "also changed unmanaged values")
				for i, row := range emptiable {
					t.Run(row.field, func(t *testing.T) { f.in(t).wantPatches(ids[i], row.sentWhenEmpty...) })
				}
				f.ResetJournal()
				w.wantEmptyPlan()
				w.apply()
				f.wantWrites()
			})
		}
	}
}

// TestLastMappingIsRemovedOnce loses the response to the PATCH that removes all
// mappings: a platform that omits the empty set has done it.
func TestLastMappingIsRemovedOnce(t *testing.T) {
	for name, sparse := range leanPlatforms {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(func(b *mockplatform.Behaviour) { b.Answers.Sparse = sparse })
			w := f.workspace(f.provider() + pipeConfig(mockplatform.PostgresPipeID, mappings(customersMapping, addressesMapping, leadsMapping)))
			w.apply()
			w.file("main.tf", f.provider()+pipeConfig(mockplatform.PostgresPipeID, "source = { postgres = { table_mappings = [] } }"))
			f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, After: true, Status: http.StatusBadGateway})
			f.ResetJournal()
			w.apply()
			f.wantWrites(`{"source": {"postgres": {"tableMappingsToRemove": [` + addressesKey + `, ` + customersKey + `, ` + leadsKey + `]}}}`)
			w.wantEmptyPlan()
			w.file("main.tf", f.provider()+pipeConfig(mockplatform.PostgresPipeID, "name = \"n\"\n  source = { postgres = { table_mappings = [] } }"))
			w.apply()
			f.wantWrites(`{"name": "n"}`)
			w.wantEmptyPlan()
		})
	}
}

// TestScalingEmptied has a service on platforms that omit false.
func TestScalingEmptied(t *testing.T) {
	for name, sparse := range leanPlatforms {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(func(b *mockplatform.Behaviour) { b.Answers.Sparse = sparse })
			// Switched off by the configuration.
			w := f.workspace(f.provider() + scalingConfig(mockplatform.ServiceID, "idle_scaling = false"))
			w.apply()
			f.wantWrites(`{"idleScaling": false}`)
			w.wantEmptyPlan()
			w.file("main.tf", f.provider()+scalingConfig(mockplatform.ServiceID, "idle_scaling = false\nnum_replicas = 4"))
			w.apply()
			f.wantWrites(`{"numReplicas": 4}`)
			// Switched on in the console.
			f.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["idleScaling"] = true })
			w.apply()
			f.wantWrites(`{"idleScaling": false}`)
			// Switched off in the console, for all services.
			w.file("main.tf", f.provider()+scalings("all", ourServices, "idle_scaling = true"))
			w.apply()
			w.apply("-refresh-only") // an answer to a write tells nothing of reads
			for _, id := range ourServices {
				f.UpdateService(id, func(doc mockplatform.Document) { doc["idleScaling"] = false })
			}
			f.ResetJournal()
			w.plan()
			if lists := len(f.RequestsOf(mockplatform.ListServices)); (lists == 1) != (sparse == nil) || lists > 2 {
				t.Errorf("the plan listed the services %d times: what is missing is asked for once more, for all of them", lists)
			}
			w.apply()
			f.wantWrites(`{"idleScaling": true}`, `{"idleScaling": true}`, `{"idleScaling": true}`)
			w.wantEmptyPlan()
		})
	}
}

// TestNeverTold has platforms that never tell a field, or tell it in answers to
// writes alone: it is sent once, and makes no noise.
func TestNeverTold(t *testing.T) {
	const config = `
  name     = "orders"
  settings = { engine_max_threads = 9, object_storage_use_cluster_function = false }
  source   = { kafka = { iam_role = "r", reverse_private_endpoint_ids = ["a"] } }`
	const all = `{"name": "orders", "settings": {"engine_max_threads": 9, "object_storage_use_cluster_function": false}, "source": {"kafka": {"iamRole": "r", "reversePrivateEndpointIds": ["a"]}}}`
	untold := []string{"name", "settings.engine_max_threads", "settings.object_storage_use_cluster_function", "source.kafka.iamRole", "source.kafka.reversePrivateEndpointIds"}
	for name, operations := range map[string][]mockplatform.Operation{"never": nil, "in answers to writes alone": {mockplatform.GetPipe}} {
		for _, null := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, null: %t", name, null), func(t *testing.T) {
				f := newFixture(t)
				f.Configure(func(b *mockplatform.Behaviour) {
					for _, path := range untold {
						b.Answers.Sparse = append(b.Answers.Sparse, mockplatform.Sparse{Path: path, Operations: operations, Null: null})
					}
				})
				w := f.workspace(f.provider() + pipeConfig(mockplatform.KafkaPipeID, config))
				w.apply()
				f.wantWrites(all)
				for range 2 {
					w.wantEmptyPlan()
					if n := f.gets(mockplatform.KafkaPipeID); n != 1 {
						t.Errorf("the plan read the pipe %d times", n)
					}
					w.apply()
					f.wantWrites()
				}
				// A change sends what changes.
				w.file("main.tf", f.provider()+pipeConfig(mockplatform.KafkaPipeID, strings.Replace(config, "= 9", "= 10", 1)))
				w.apply()
				f.wantWrites(`{"settings": {"engine_max_threads": 10}}`)
				w.wantEmptyPlan()
			})
		}
	}
}

// TestToldAndMissing has fields that reads have told and that go missing: once,
// for good, with their object, owned or not.
func TestToldAndMissing(t *testing.T) {
	const config = "name = \"orders\"\n  settings = { engine_max_threads = 8 }"
	get := []mockplatform.Operation{mockplatform.GetPipe}
	for name, test := range map[string]struct {
		sparse []mockplatform.Sparse
		gets   int
		writes []string
	}{
		"once":                     {[]mockplatform.Sparse{{Path: "name", Operations: get, Times: 1}}, 2, nil},
		"with its object":          {[]mockplatform.Sparse{{Path: "settings"}}, 1, nil},
		"with its object, as null": {[]mockplatform.Sparse{{Path: "settings", Null: true}}, 1, nil},
		"for good, nobody's":       {[]mockplatform.Sparse{{Path: "settings.engine_max_insert_threads"}, {Path: "source.kafka.topics"}, {Path: "destination.columns"}}, 2, nil},
		"for good":                 {[]mockplatform.Sparse{{Path: "name"}}, 2, []string{`{"name": "orders"}`}},
		"for good from reads":      {[]mockplatform.Sparse{{Path: "settings.engine_max_threads", Operations: get}}, 2, []string{`{"settings": {"engine_max_threads": 8}}`}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			w := f.workspace(f.provider() + pipeConfig(mockplatform.KafkaPipeID, config))
			w.apply()
			f.Configure(func(b *mockplatform.Behaviour) { b.Answers.Sparse = test.sparse })
			f.ResetJournal()
			_, changes := w.plan()
			if n := f.gets(mockplatform.KafkaPipeID); n != test.gets {
				t.Errorf("the plan read the pipe %d times, want %d", n, test.gets)
			}
			if got := changes[thisPipe].Change.Actions; (got[0] == "no-op") != (test.writes == nil) {
				t.Errorf("the plan is to %v", got)
			}
			wantNoText(t, w.apply(), "also changed unmanaged values")
			f.wantWrites(test.writes...)
			// What was sent because of it, and stays untold, counts as never told.
			for range 2 {
				w.wantEmptyPlan()
				w.apply()
				f.wantWrites()
			}
		})
	}
}

// TestScalingToldAndMissing has a list that omits a field once, and one that
// omits it for good.
func TestScalingToldAndMissing(t *testing.T) {
	for name, test := range map[string]struct {
		times  int
		writes []string
	}{"once": {1, nil}, "for good": {0, []string{`{"numReplicas": 3}`}}} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			w := f.workspace(f.provider() + scalingConfig(mockplatform.ServiceID, "num_replicas = 3"))
			w.apply()
			w.apply("-refresh-only")
			f.Configure(func(b *mockplatform.Behaviour) {
				b.Answers.Sparse = []mockplatform.Sparse{{Path: "numReplicas", Operations: []mockplatform.Operation{mockplatform.ListServices}, Times: test.times}}
			})
			f.ResetJournal()
			_, changes := w.plan()
			if got := changes[thisScaling].Change.Actions; (got[0] == "no-op") != (test.writes == nil) {
				t.Errorf("the plan is to %v", got)
			}
			if lists := len(f.RequestsOf(mockplatform.ListServices)); lists != 2 {
				t.Errorf("the plan listed the services %d times, want 2", lists)
			}
			w.apply()
			f.wantWrites(test.writes...)
			for range 2 {
				w.wantEmptyPlan()
				w.apply()
				f.wantWrites()
			}
		})
	}
}

// TestMissingAndNobodysIsNull has what the platform lost, as the state shows it.
func TestMissingAndNobodysIsNull(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() + pipeConfig(mockplatform.KafkaPipeID, ""))
	w.apply()
	f.UpdatePipe(mockplatform.KafkaPipeID, func(doc mockplatform.Document) {
		setMember(doc, "settings.engine_max_threads", nil)
		setMember(doc, "source.kafka.reversePrivateEndpointIds", nil)
		setMember(doc, "scaling", nil)
	})
	w.apply("-refresh-only")
	state := w.state()[thisPipe]
	for path, want := range map[string]any{"settings.engine_max_threads": nil, "source.kafka.reverse_private_endpoint_ids": nil, "settings.engine_max_insert_threads": 2, "scaling.replicas": 2} {
		if got := member(state, path); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
}

// TestMappingsToldInPart has reads that never tell a member of the mappings, and
// reads that stop to.
func TestMappingsToldInPart(t *testing.T) {
	full := mappings(wanted("public.customers", "customers", fullCustomers+`sorting_keys = ["id"]`), addressesMapping, leadsMapping)
	excluded := []mockplatform.Sparse{{Path: "source.postgres.tableMappings.excludedColumns", Operations: []mockplatform.Operation{mockplatform.GetPipe}}}
	changes := []string{
		`{"source": {"postgres": {"tableMappingsToRemove": [` + customersKey + `]}}}`,
		`{"source": {"postgres": {"tableMappingsToAdd": [` + fullMappingJSON + `]}}}`,
	}
	t.Run("never", func(t *testing.T) {
		f := newFixture(t)
		f.Configure(func(b *mockplatform.Behaviour) { b.Answers.Sparse = excluded })
		w := f.workspace(f.provider() + pipeConfig(mockplatform.PostgresPipeID, full))
		w.apply()
		f.wantWrites(changes...)
		for range 2 {
			w.wantEmptyPlan()
			w.apply()
			f.wantWrites()
		}
	})
	t.Run("from some time on", func(t *testing.T) {
		f := newFixture(t)
		w := f.workspace(f.provider() + pipeConfig(mockplatform.PostgresPipeID, full))
		w.apply()
		f.wantWrites(changes...)
		f.Configure(func(b *mockplatform.Behaviour) { b.Answers.Sparse = excluded })
		w.apply()
		f.ResetJournal() // whether it takes that for drift is left open
		for range 2 {
			w.wantEmptyPlan()
			w.apply()
			f.wantWrites()
		}
		if columns := f.mapped(mockplatform.PostgresPipeID)["customers"]; len(columns) != 2 {
			t.Errorf("customers excludes %q", columns)
		}
	})
	t.Run("members are emptied in the console", func(t *testing.T) {
		for name, sparse := range leanPlatforms {
			t.Run(name, func(t *testing.T) {
				f := newFixture(t)
				f.Configure(func(b *mockplatform.Behaviour) { b.Answers.Sparse = sparse })
				w := f.workspace(f.provider() + pipeConfig(mockplatform.PostgresPipeID, full))
				w.apply()
				w.apply("-refresh-only") // an answer to a write tells nothing of reads
				f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
					for _, mapping := range member(doc, "source.postgres.tableMappings").([]any) {
						of := mapping.(mockplatform.Document)
						of["excludedColumns"], of["sortingKeys"], of["useCustomSortingKey"] = []any{}, []any{}, false
					}
				})
				f.ResetJournal()
				w.apply()
				f.wantWrites(changes...)
				w.wantEmptyPlan()
			})
		}
	})
}
