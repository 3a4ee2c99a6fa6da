package provider

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

var seedPipes = map[string]string{
	"kafka":    mockplatform.KafkaPipeID,
	"storage":  mockplatform.ObjectStoragePipeID,
	"stream":   mockplatform.CloudStreamPipeID,
	"postgres": mockplatform.PostgresPipeID,
}

// TestPipeGeneratedConfiguration imports pipes of all kinds from a platform that omits what
// is empty, and lets terraform write their configuration, which applies as it is and
// changes nothing. TestGeneratedConfiguration does so with a platform that omits nothing.
func TestPipeGeneratedConfiguration(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Responses = mockplatform.Responses{Sparse: []mockplatform.Sparse{{Path: "**", OnlyEmpty: true}}, Numbers: mockplatform.NumbersAsFloats, ShuffleSets: true}
	})
	imports := ""
	pipes := maps.Clone(seedPipes)
	pipes["bare"] = f.clonePipe(mockplatform.KafkaPipeID, func(doc mockplatform.Document) { // nothing settable has a value
		doc["settings"] = mockplatform.Document{}
		setMember(doc, "source.kafka", mockplatform.Document{"brokers": "b:9092"})
		setMember(doc, "destination.columns", nil)
	})
	for name, id := range pipes {
		imports += generatingImport("dataplatform_pipe."+name, mockplatform.OrganizationID+"/"+mockplatform.ServiceID+"/"+id)
	}
	w := f.workspace(f.provider())
	w.generates(imports, len(pipes))
	content := w.read("generated.tf")
	for _, name := range []string{"state", "scaling", "created_at", "updated_at", "brokers", "topics", "consumer_group", "offset", "schema_registry", "stream_name", "url", "queue_url", "delimiter", "compression", "is_continuous", "publication_name", "replication_slot_name", "managed_table", "table_definition"} {
		if regexp.MustCompile(`(?m)^\s*` + name + `\s*=`).MatchString(content) {
			t.Errorf("%s is in the generated configuration:\n%s", name, content)
		}
	}
	wantText(t, content, "field_mappings", "reverse_private_endpoint_ids", "table_mappings", "engine_parallel_view_processing")
	// The objects that set nothing are folded into one warning.
	if out := w.apply(); strings.Count(out, "Warning:") != 1 || !strings.Contains(out, "Warning: Object is empty") {
		t.Errorf("other warnings:\n%s", out)
	}
	w.wantEmptyPlan()
	f.wantWrites()
}

// TestPipeImportWithUnknownOrganization imports while the provider's organization is known
// only after apply: the import ID has to contain it.
func TestPipeImportWithUnknownOrganization(t *testing.T) {
	f := newFixture(t)
	b := f.pipe(mockplatform.PostgresPipeID, "")
	r := b.importsWith(f.start(map[string]any{"organization_id": tftypes.UnknownValue}), mockplatform.ServiceID+"/"+mockplatform.PostgresPipeID)
	b.refuses(r, "Cannot import pipe", "Use the import ID ORGANIZATION_ID/SERVICE_ID/PIPE_ID.")
	f.wantRequests()
}

// TestImportShowsEverything has the plan of an import block, in the terminal and in its
// JSON: what it overwrites stands as a difference, mapping by mapping.
func TestImportShowsEverything(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() + pipeConfig(mockplatform.PostgresPipeID, "name = \"n\"\n"+
		mappings(wanted("public.customers", "customers", `excluded_columns = [], use_custom_sorting_key = false, sorting_keys = []`), addressesMapping)) +
		fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", thisPipe, mockplatform.ServiceID+"/"+mockplatform.PostgresPipeID))
	out, changes := w.plan()
	wantText(t, out, "1 to import, 0 to add, 1 to change", `~ name = "customers" -> "n"`, `- "password_hash"`, `- "phone"`, `"sales_leads"`)
	wantNoText(t, out, "overwrites current values")
	change := changes[thisPipe].Change
	before, after := toJSON(t, member(change.Before, "source.postgres.table_mappings")), toJSON(t, member(change.After, "source.postgres.table_mappings"))
	if !strings.Contains(before, "password_hash") || !strings.Contains(before, "leads") || strings.Contains(after, "password_hash") || strings.Contains(after, "leads") {
		t.Errorf("the plan's JSON has\n%s\nbefore, and after\n%s", before, after)
	}
}

// TestSavedPlanAppliesAfterTheRestMoved saves a plan that adopts a pipe, by creating its
// resource or by importing, or that changes one, moves whatever nobody owns, and an owned
// value as well, and applies it: what the plan shows is sent, and what moved stays.
func TestSavedPlanAppliesAfterTheRestMoved(t *testing.T) {
	for _, how := range []string{"creates", "imports", "updates"} {
		for threads, patch := range map[int]string{8: "", 3: `{"settings": {"engine_max_threads": 3}}`} {
			t.Run(fmt.Sprintf("%s, %d threads", how, threads), func(t *testing.T) {
				f := newFixture(t)
				b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
				switch how {
				case "imports":
					b.must(b.imports(mockplatform.ServiceID + "/" + b.id))
				case "updates":
					b.apply()
				case "creates": // what it configured would be refused by then
					b.arguments = ""
				}
				b.arguments += fmt.Sprintf("\n  settings = { engine_max_threads = %d }", threads)
				plan := b.plan()
				if got := plan.unknown(); how != "creates" && (patch == "" && len(got) > 0 || patch != "" && !slices.Equal(got, []string{"state", "updated_at"})) {
					t.Errorf("known after the apply is %q", got)
				}
				f.UpdatePipe(b.id, moved)
				if patch != "" {
					f.UpdatePipe(b.id, func(doc mockplatform.Document) { setMember(doc, "settings.engine_max_threads", 5) })
				}
				want := f.Pipe(b.id)
				f.ResetJournal()
				r := b.applyPlan(plan)
				wantNoText(t, r.String(), "also changed unmanaged values")
				if patch == "" {
					b.sends()
				} else {
					b.sends(patch)
				}
				setMember(want, "settings.engine_max_threads", threads)
				setMember(want, "updatedAt", f.Pipe(b.id)["updatedAt"])
				if got := toJSON(t, f.Pipe(b.id)); !sameJSON(t, got, toJSON(t, want)) {
					t.Errorf("the pipe is\n%s\nwant\n%s", got, toJSON(t, want))
				}
				b.refresh() // what moved of the mappings is the next plan's affair
				b.wantState()
				if got := b.plan().changed(); how != "creates" && !slices.Equal(got, []string{tableMappingsPath.String()}) || how == "creates" && len(got) > 0 {
					t.Errorf("the next plan changes %q", got)
				}
			})
		}
	}
}

// moved moves all of a Postgres pipe that TestSavedPlanAppliesAfterTheRestMoved doesn't
// own, in the members of its mappings too.
func moved(doc mockplatform.Document) {
	for path, value := range map[string]any{
		"name": "moved", "state": "Paused", "updatedAt": "2026-01-01T00:00:00.000Z", "scaling.replicas": 7,
		"settings.engine_max_insert_threads": 7, "settings.engine_parallel_view_processing": true, "settings.object_storage_max_file_count": nil,
		"source.postgres.host": "moved", "source.postgres.port": 6543, "source.postgres.settings.publicationName": "moved", "source.postgres.settings.pullBatchSize": 0,
		"destination.table": "moved", "destination.columns": []any{}, "fieldMappings": []any{},
	} {
		setMember(doc, path, value)
	}
	for _, mapping := range member(doc, "source.postgres.tableMappings").([]any) {
		of := mapping.(mockplatform.Document)
		of["sortingKeys"], of["useCustomSortingKey"] = []any{"moved"}, true
		if of["sourceTable"] == "leads" {
			of["excludedColumns"] = []any{}
		}
	}
}
