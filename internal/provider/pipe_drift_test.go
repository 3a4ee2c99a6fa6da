package provider

import (
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// TestPipeDrift changes pipes behind Terraform's back: what is managed is
// planned back, and the rest left alone.
func TestPipeDrift(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() +
		onePipe("kafka", mockplatform.KafkaPipeID, `
  settings       = { engine_max_threads = 8 }
  field_mappings = [{ source_field = "a", destination_field = "a" }, { source_field = "b", destination_field = "b" }]
  source         = { kafka = { reverse_private_endpoint_ids = ["x", "y"] } }`) +
		onePipe("postgres", mockplatform.PostgresPipeID, mappings(customersMapping,
			`{ source_schema_name = "public", source_table = "addresses", target_table = "addresses", excluded_columns = [] }`)))
	w.apply()
	f.UpdatePipe(mockplatform.KafkaPipeID, func(doc mockplatform.Document) {
		setMember(doc, "name", "other")
		setMember(doc, "settings.engine_max_threads", 9)
		setMember(doc, "settings.engine_max_insert_threads", 9)
		setMember(doc, "source.kafka.reversePrivateEndpointIds", []any{"y", "z"})
		setMember(doc, "fieldMappings", []any{mockplatform.Document{"sourceField": "b", "destinationField": "b"}, mockplatform.Document{"sourceField": "c", "destinationField": "c"}})
	})
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
		setMember(doc, "source.postgres.host", "other")
		setMember(doc, "source.postgres.tableMappings", []any{
			// More excluded columns are no drift: the configuration leaves them out.
			mockplatform.Document{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers", "excludedColumns": []any{"password_hash", "phone", "mail"}, "useCustomSortingKey": true, "sortingKeys": []any{"country", "id"}},
			mockplatform.Document{"sourceSchemaName": "sales", "sourceTable": "leads", "targetTable": "sales_leads", "excludedColumns": []any{}, "useCustomSortingKey": false, "sortingKeys": []any{}},
		})
	})
	f.ResetJournal()
	w.apply()
	f.wantPatches(mockplatform.KafkaPipeID, `{
  "settings": {"engine_max_threads": 8},
  "fieldMappings": [{"sourceField": "a", "destinationField": "a"}, {"sourceField": "b", "destinationField": "b"}],
  "source": {"kafka": {"reversePrivateEndpointIds": ["x", "y"]}}
}`)
	f.wantPatches(mockplatform.PostgresPipeID, `{"source": {"postgres": {
  "tableMappingsToRemove": [`+leadsKey+`],
  "tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "addresses", "targetTable": "addresses", "excludedColumns": [], "useCustomSortingKey": false, "sortingKeys": []}]
}}}`)
	w.wantEmptyPlan()
	state := w.state()
	checkPipeState(t, f, "dataplatform_pipe.kafka", state, mockplatform.KafkaPipeID)
	checkPipeState(t, f, "dataplatform_pipe.postgres", state, mockplatform.PostgresPipeID)
}

// TestPipeDriftOfSparseMappings adds a mapping behind the back of a state whose
// platform doesn't tell every member of one: the others aren't mapped anew.
func TestPipeDriftOfSparseMappings(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Answers.Sparse = []mockplatform.Sparse{{Path: "source.postgres.tableMappings.excludedColumns"}, {Path: "source.postgres.tableMappings.useCustomSortingKey"}}
	})
	w := f.workspace(f.provider() + onePipe("this", mockplatform.PostgresPipeID, mappings(
		`{ source_schema_name = "public", source_table = "new", target_table = "new", excluded_columns = ["x"], use_custom_sorting_key = true, sorting_keys = ["y"] }`)))
	w.apply()
	w.wantEmptyPlan()
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
		all := member(doc, "source.postgres.tableMappings").([]any)
		setMember(doc, "source.postgres.tableMappings", append(all,
			mockplatform.Document{"sourceSchemaName": "sales", "sourceTable": "leads", "targetTable": "sales_leads", "excludedColumns": []any{}, "useCustomSortingKey": false, "sortingKeys": []any{}}))
	})
	f.ResetJournal()
	w.apply()
	f.wantWrites(`{"source": {"postgres": {"tableMappingsToRemove": [` + leadsKey + `]}}}`)
	w.wantEmptyPlan()
}

// TestPipeDriftOfAValueThatWasAbsent sets a value that the platform does not have yet,
// and the console empties it. That is drift once Terraform has stored a read that returned
// the value; until then the state keeps what was planned, since a platform that returns a
// value only in responses to writes would otherwise cause an endless difference.
func TestPipeDriftOfAValueThatWasAbsent(t *testing.T) {
	absent := func(f *fixture) {
		f.UpdatePipe(mockplatform.KafkaPipeID, func(doc mockplatform.Document) { setMember(doc, "settings.engine_max_threads", nil) })
	}
	arguments := pipeConfig(mockplatform.KafkaPipeID, "settings = { engine_max_threads = 2 }")
	t.Run("read", func(t *testing.T) {
		f := newFixture(t)
		absent(f)
		w := f.workspace(f.provider() + arguments)
		w.apply()
		if n := f.gets(mockplatform.KafkaPipeID); n != 2 {
			t.Errorf("%d reads, want 2: in plan and apply", n)
		}
		w.wantEmptyPlan() // which reads the value, and stores nothing
		absent(f)
		w.wantEmptyPlan()
		f.UpdatePipe(mockplatform.KafkaPipeID, func(doc mockplatform.Document) { setMember(doc, "settings.engine_max_threads", 2) })
		w.apply() // which stores what its refresh has learned
		absent(f)
		f.ResetJournal()
		w.apply()
		f.wantPatches(mockplatform.KafkaPipeID, `{"settings": {"engine_max_threads": 2}}`)
		w.wantEmptyPlan()
	})
	t.Run("only written", func(t *testing.T) {
		f := newFixture(t)
		f.Configure(func(b *mockplatform.Behaviour) {
			b.Answers.Sparse = []mockplatform.Sparse{{Operations: []mockplatform.Operation{mockplatform.GetPipe}, Path: "settings.engine_max_threads"}}
		})
		w := f.workspace(f.provider() + arguments)
		w.apply()
		w.wantEmptyPlan()
		f.ResetJournal()
		w.apply()
		f.wantPatches(mockplatform.KafkaPipeID)
	})
}
