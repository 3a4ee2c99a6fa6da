package provider

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// leanPlatforms are ways of returning what is empty, the plain one first.
var leanPlatforms = map[string][]mockplatform.Sparse{
	"returns all":                          nil,
	"omits what is empty":                  {{Path: "**", OnlyEmpty: true, Zeros: true}},
	"omits what is empty, and its objects": {{Path: "**", OnlyEmpty: true, Zeros: true, EmptyObjects: true}},
	"returns null for what is empty":       {{Path: "**", OnlyEmpty: true, Zeros: true, Null: true}},
	"omits what is empty from reads alone": {{Path: "**", OnlyEmpty: true, Zeros: true, Operations: []mockplatform.Operation{mockplatform.GetPipe, mockplatform.ListServices}}},
}

// emptiable is a pipe of which everything that a PATCH accepts can be emptied, with a
// configuration of its values and one of empty values.
const (
	filledKafka = `
  name           = "orders"
  source         = { kafka = { iam_role = "r", reverse_private_endpoint_ids = ["a"] } }
  destination    = { columns = [{ name = "a", type = "b" }] }
  field_mappings = [{ source_field = "a", destination_field = "b" }]
  settings       = { engine_max_threads = 8, object_storage_use_cluster_function = true }`
	filledKafkaBody = `{"name": "orders", "source": {"kafka": {"iamRole": "r", "reversePrivateEndpointIds": ["a"]}}, "destination": {"columns": [{"name": "a", "type": "b"}]},
  "fieldMappings": [{"sourceField": "a", "destinationField": "b"}], "settings": {"engine_max_threads": 8, "object_storage_use_cluster_function": true}}`
	emptyKafka = `
  name           = ""
  source         = { kafka = { iam_role = "", reverse_private_endpoint_ids = [] } }
  destination    = { columns = [] }
  field_mappings = []
  settings       = { engine_max_threads = 0, object_storage_use_cluster_function = false }`
	emptyKafkaBody = `{"name": "", "source": {"kafka": {"iamRole": "", "reversePrivateEndpointIds": []}}, "destination": {"columns": []},
  "fieldMappings": [], "settings": {"engine_max_threads": 0, "object_storage_use_cluster_function": false}}`
)

// TestEmptiedPipes empties what is configured in the console, and by the configuration:
// drift is corrected, and what is emptied is sent, once each, whether the platform returns
// what is empty or omits it.
func TestEmptiedPipes(t *testing.T) {
	for name, sparse := range leanPlatforms {
		t.Run("a platform that "+name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(func(b *mockplatform.Behaviour) { b.Responses.Sparse = sparse })
			b := f.pipe(mockplatform.KafkaPipeID, filledKafka)
			b.apply()
			b.refresh() // a response to a write says nothing about reads
			f.UpdatePipe(b.id, func(doc mockplatform.Document) {
				for path, empty := range map[string]any{
					"name": "", "source.kafka.iamRole": "", "source.kafka.reversePrivateEndpointIds": []any{}, "destination.columns": []any{}, "fieldMappings": []any{},
					"settings.engine_max_threads": 0, "settings.object_storage_use_cluster_function": false,
				} {
					setMember(doc, path, empty)
				}
			})
			f.ResetJournal()
			wantWarning(t, b.apply().warnings, "")
			b.sends(filledKafkaBody)
			b.wantQuiet()
			for _, adopts := range []bool{false, true} {
				b.applyAs(filledKafka)
				f.ResetJournal()
				if adopts {
					b = f.pipe(b.id, emptyKafka)
				}
				b.applyAs(emptyKafka)
				b.sends(emptyKafkaBody)
				b.wantQuiet()
				b.apply()
				b.sends()
			}
		})
	}
}

// TestPipeOddResponses reads and writes pipes whose documents and responses a client may
// stumble over.
func TestPipeOddResponses(t *testing.T) {
	for name, test := range map[string]struct {
		kind, arguments, patch string
		odd                    func(doc mockplatform.Document)
	}{
		"fractions": {mockplatform.PostgresPipeID, `settings = { engine_max_insert_threads = 3 }`, `{"settings": {"engine_max_insert_threads": 3}}`, func(doc mockplatform.Document) {
			for _, path := range []string{
				"scaling.replicas", "scaling.concurrency", "scaling.replicaCpuMillicores", "scaling.replicaMemoryGb",
				"source.postgres.port", "source.postgres.settings.syncIntervalSeconds", "source.postgres.settings.initialLoadParallelism",
				"settings.engine_max_threads", "settings.object_storage_max_insert_bytes", "settings.engine_parallel_distributed_insert_select",
			} {
				setMember(doc, path, 1.25)
			}
		}},
		"two kinds of source": {mockplatform.KafkaPipeID, `source = { kafka = { iam_role = "k" }, cloud_stream = { iam_role = "c" } }`, `{"source": {"kafka": {"iamRole": "k"}, "cloudStream": {"iamRole": "c"}}}`, func(doc mockplatform.Document) {
			setMember(doc, "source.cloudStream", mockplatform.Document{"streamName": "s", "timestamp": 1.5, "iamRole": "r"})
			setMember(doc, "source.kafka.brokers", "")
			setMember(doc, "state", "")
		}},
		"nulls in lists": {mockplatform.KafkaPipeID, `name = "n"`, `{"name": "n"}`, func(doc mockplatform.Document) {
			setMember(doc, "fieldMappings", []any{nil, mockplatform.Document{"sourceField": nil, "destinationField": "x"}})
			setMember(doc, "source.kafka.reversePrivateEndpointIds", []any{nil, "a", nil})
			setMember(doc, "destination.tableDefinition.sortingKey", []any{nil})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(func(b *mockplatform.Behaviour) {
				b.Responses = mockplatform.Responses{Numbers: mockplatform.NumbersAsFloats, UnknownMembers: true, ShuffleSets: true, RepeatSetElements: true, OmitEnvelope: []string{"status", "requestId"}}
				b.Patches.MovesState = true
			})
			b := f.pipe(f.clonePipe(test.kind, test.odd), test.arguments)
			b.apply()
			b.sends(test.patch)
			b.wantQuiet()
			b.wantQuiet()
			if name != "nulls in lists" {
				b.wantState()
			}
		})
	}
}

// TestPipeGone has what may be mistaken for a pipe that is gone, and one that is.
func TestPipeGone(t *testing.T) {
	f := newFixture(t)
	b := f.pipe(mockplatform.KafkaPipeID, `name = "orders"`)
	b.apply()
	for name, fault := range map[string]mockplatform.Fault{
		"a gateway's 404": {Status: http.StatusNotFound, Body: mockplatform.BodyHTML},
		"an empty 404":    {Status: http.StatusNotFound, Body: mockplatform.BodyEmpty},
		"forbidden":       {Status: http.StatusForbidden},
		"unavailable":     {Status: http.StatusNotImplemented, Body: mockplatform.BodyText},
	} {
		fault.Operation, fault.Times = mockplatform.GetPipe, mockplatform.Always
		f.Inject(fault)
		r := b.refresh()
		f.ClearFaults()
		b.refuses(r, "Cannot read pipe", fmt.Sprintf("HTTP %d", fault.Status))
		if b.state.IsNull() || len(r.warnings) > 0 {
			t.Errorf("%s: the pipe left the state: %s", name, r)
		}
	}
	r := b.tryPlan(f.start(map[string]any{"base_url": f.url + "/wrong"}))
	b.refuses(r, "Cannot read pipe", "HTTP 404", "path not found")

	doc := f.Pipe(b.id)
	f.RemovePipe(b.id)
	r = b.refresh()
	wantWarning(t, r.warnings, `The pipe "orders" (`+b.id+") is gone")
	if !b.state.IsNull() {
		t.Error("the pipe is still in the state")
	}
	b.refuses(b.tryPlan(f.start()), "No such pipe", "Check pipe_id, service_id and organization_id.")
	f.SetPipe(doc)
	b.apply()
	b.wantQuiet()
}

// TestEmptyObject has an object that sets nothing, as a misspelled name leaves one behind.
func TestEmptyObject(t *testing.T) {
	f := newFixture(t)
	b := f.pipe(mockplatform.KafkaPipeID, `settings = { engine_max_treads = 4 }`)
	for range 2 {
		r := b.plan()
		wantWarning(t, r.warnings, "Object is empty: settings has no attributes set.")
		b.applyPlan(r)
		b.sends()
	}
}

// TestElementsThatAreReturnedInFullLater has a platform that first omits members of the
// elements of lists: a later read shows them.
func TestElementsThatAreReturnedInFullLater(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Responses.Sparse = []mockplatform.Sparse{{Path: "destination.columns.type"}, {Path: "fieldMappings.destinationField"}}
	})
	b := f.pipe(mockplatform.KafkaPipeID, "")
	b.apply()
	f.Configure(func(b *mockplatform.Behaviour) { b.Responses.Sparse = nil })
	b.refresh()
	b.wantState()
}

// TestEmptiedBetweenPlanAndApply empties what nobody owns after a plan, on a platform that
// omits what is empty: the state has what was planned, until the next refresh.
func TestEmptiedBetweenPlanAndApply(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) { b.Responses.Sparse = leanPlatforms["omits what is empty"] })
	b := f.pipe(mockplatform.KafkaPipeID, `name = "a"`)
	b.apply()
	b.refresh()
	b.arguments = `name = "b"`
	r := b.tryPlan(f.start())
	f.UpdatePipe(mockplatform.KafkaPipeID, func(doc mockplatform.Document) { setMember(doc, "source.kafka.iamRole", "") })
	b.carryOut(f.start(), r)
	if role := b.state.At("source", "kafka", "iam_role"); role.Text() != "role:orders-reader" {
		t.Errorf("the state has %v, which was not planned", role)
	}
	b.refresh()
	if role := b.state.At("source", "kafka", "iam_role"); !role.IsNull() {
		t.Errorf("the state has %v, and the platform has none", role)
	}
}
