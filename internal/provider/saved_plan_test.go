package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// TestSavedPlanAppliesAfterTheRestMoved saves a plan that adopts a pipe and a
// service, by creating them or by import blocks, moves whatever nobody owns, and
// applies it: what is owned is sent, and what moved stays.
func TestSavedPlanAppliesAfterTheRestMoved(t *testing.T) {
	for _, imports := range []bool{false, true} {
		for _, differs := range []bool{false, true} {
			t.Run(fmt.Sprintf("imports: %t, differs: %t", imports, differs), func(t *testing.T) { savedPlan(t, imports, differs) })
		}
	}
}

func savedPlan(t *testing.T, imports, differs bool) {
	threads, replicas := 8, 3
	var pipeWrites, serviceWrites []string
	if differs {
		threads, replicas = 3, 4
		pipeWrites, serviceWrites = []string{`{"settings": {"engine_max_threads": 3}}`}, []string{`{"numReplicas": 4}`}
	}
	f := newFixture(t)
	config := f.provider() + scalingConfig(mockplatform.ServiceID, fmt.Sprintf("num_replicas = %d", replicas)) + pipeConfig(mockplatform.PostgresPipeID, fmt.Sprintf(`
  settings = { engine_max_threads = %d }
  source   = { postgres = { table_mappings = [%s, %s, %s] } }`, threads, customersMapping, addressesMapping, leadsMapping))
	if imports {
		config += fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\nimport {\n  to = %s\n  id = %q\n}\n",
			thisPipe, mockplatform.ServiceID+"/"+mockplatform.PostgresPipeID, thisScaling, mockplatform.ServiceID)
	}
	w := f.workspace(config)
	_, changes := w.plan()
	if imports {
		// All is shown: only what the change moves is known after the apply.
		want := []string{}
		if differs {
			want = []string{"state", "updated_at"}
		}
		if got := changes[thisPipe].unknown(); !slices.Equal(got, want) {
			t.Errorf("known after the apply is %q of the pipe, want %q", got, want)
		}
		if got := changes[thisScaling].unknown(); len(got) > 0 {
			t.Errorf("known after the apply is %q of the service", got)
		}
	}
	f.UpdatePipe(mockplatform.PostgresPipeID, moved)
	f.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) {
		doc["name"], doc["idleScaling"], doc["idleTimeoutMinutes"], doc["maxReplicaMemoryGb"], doc["isPrimary"] = "moved", false, 77, 99, false
	})
	wantPipe, wantService := f.Pipe(mockplatform.PostgresPipeID), f.Service(mockplatform.ServiceID)
	f.ResetJournal()
	out, ok := w.terraform("apply", "-input=false", "tf.plan")
	if !ok {
		t.Fatalf("the plan didn't apply:\n%s", out)
	}
	wantNoText(t, out, "also changed unmanaged values")
	f.wantPatches(mockplatform.PostgresPipeID, pipeWrites...)
	if got := f.RequestsOf(mockplatform.UpdateScaling); len(got) != len(serviceWrites) || differs && !sameJSON(t, got[0].Body, serviceWrites[0]) {
		t.Errorf("sent %v", got)
	}
	setMember(wantPipe, "settings.engine_max_threads", threads)
	setMember(wantPipe, "updatedAt", f.Pipe(mockplatform.PostgresPipeID)["updatedAt"])
	setMember(wantService, "numReplicas", replicas)
	if got := toJSON(t, f.Pipe(mockplatform.PostgresPipeID)); !sameJSON(t, got, toJSON(t, wantPipe)) {
		t.Errorf("the pipe is\n%s\nwant\n%s", got, toJSON(t, wantPipe))
	}
	if got := toJSON(t, f.Service(mockplatform.ServiceID)); !sameJSON(t, got, toJSON(t, wantService)) {
		t.Errorf("the service is\n%s\nwant\n%s", got, toJSON(t, wantService))
	}
	if !imports {
		checkPipeState(t, f, thisPipe, w.state(), mockplatform.PostgresPipeID)
	}
	w.wantEmptyPlan()
	w.apply("-refresh-only")
	checkPipeState(t, f, thisPipe, w.state(), mockplatform.PostgresPipeID)
}

// moved moves all of a Postgres pipe that savedPlan doesn't own, in the members
// of its mappings too.
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

// TestSavedUpdateAppliesAfterTheRestMoved does so with a plan that changes what
// is in the state already, and with an owned value that moved as well: what the
// plan shows is what is sent.
func TestSavedUpdateAppliesAfterTheRestMoved(t *testing.T) {
	f := newFixture(t)
	all := mappings(customersMapping, addressesMapping, leadsMapping)
	w := f.workspace(f.provider() + pipeConfig(mockplatform.PostgresPipeID, all))
	w.apply()
	w.file("main.tf", f.provider()+pipeConfig(mockplatform.PostgresPipeID, all+"\n  settings = { engine_max_threads = 3, engine_max_download_threads = 4 }"))
	w.plan()
	f.UpdatePipe(mockplatform.PostgresPipeID, moved)
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) { setMember(doc, "settings.engine_max_download_threads", 5) })
	f.ResetJournal()
	if out, ok := w.terraform("apply", "-input=false", "tf.plan"); !ok {
		t.Fatalf("the plan didn't apply:\n%s", out)
	}
	f.wantWrites(`{"settings": {"engine_max_threads": 3, "engine_max_download_threads": 4}}`)
	w.wantEmptyPlan()
}

// TestMappingAddedAfterThePlan adds a mapping on the platform between plan and apply of
// a saved plan that changes another one: it stays, and the next plan shows its removal.
func TestMappingAddedAfterThePlan(t *testing.T) {
	f := newFixture(t)
	config := func(arguments string) string {
		return f.provider() + pipeConfig(mockplatform.PostgresPipeID, arguments)
	}
	w := f.workspace(config(mappings(customersMapping, addressesMapping, leadsMapping)))
	w.apply()
	w.file("main.tf", config(mappings(wanted("public.customers", "customers", fullCustomers+`sorting_keys = ["id"]`), addressesMapping)))
	w.plan()
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
		all := member(doc, "source.postgres.tableMappings").([]any)
		setMember(doc, "source.postgres.tableMappings", append(all, fromJSON(t, newMapping)))
	})
	f.ResetJournal()
	if out, ok := w.terraform("apply", "-input=false", "tf.plan"); !ok {
		t.Fatalf("the plan didn't apply:\n%s", out)
	}
	f.wantWrites(`{"source": {"postgres": {"tableMappingsToRemove": [`+customersKey+`, `+leadsKey+`]}}}`,
		`{"source": {"postgres": {"tableMappingsToAdd": [`+fullMappingJSON+`]}}}`)
	if _, mapped := f.mapped(mockplatform.PostgresPipeID)["new"]; !mapped {
		t.Error("the apply removed a mapping that its plan did not have")
	}
	_, changes := w.plan()
	if got := changes[thisPipe].differing(); !slices.Equal(got, []string{"source.postgres.table_mappings"}) {
		t.Errorf("the next plan differs in %q", got)
	}
	w.apply()
	f.wantWrites(`{"source": {"postgres": {"tableMappingsToRemove": [{"sourceSchemaName": "public", "sourceTable": "new", "targetTable": "new"}]}}}`)
	w.wantEmptyPlan()
}

// TestImportShowsEverything has the plan of an import block, in the terminal and
// in its JSON: what it overwrites stands as a difference, mapping by mapping.
func TestImportShowsEverything(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() + pipeConfig(mockplatform.PostgresPipeID, "name = \"n\"\n"+
		mappings(wanted("public.customers", "customers", `excluded_columns = [], use_custom_sorting_key = false, sorting_keys = []`), addressesMapping)) +
		fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", thisPipe, mockplatform.ServiceID+"/"+mockplatform.PostgresPipeID))
	out, changes := w.plan()
	wantText(t, out, "1 to import, 0 to add, 1 to change", `~ name = "customers" -> "n"`, `- "password_hash"`, `- "phone"`, `"sales_leads"`)
	wantNoText(t, out, "overwrites current values")
	if got := changes[thisPipe].differing(); !slices.Equal(got, []string{"name", "source.postgres.table_mappings"}) {
		t.Errorf("the plan differs in %q", got)
	}
	before := toJSON(t, member(changes[thisPipe].Change.Before, "source.postgres.table_mappings"))
	after := toJSON(t, member(changes[thisPipe].Change.After, "source.postgres.table_mappings"))
	if !strings.Contains(before, "password_hash") || !strings.Contains(before, "leads") || strings.Contains(after, "password_hash") || strings.Contains(after, "leads") {
		t.Errorf("the plan's JSON has\n%s\nbefore, and after\n%s", before, after)
	}
}

// TestValidateSamplesBesideAnUnknownLeaf changes the source by a value that is
// known only in the apply, and there is another or the same, while
// validate_samples comes, stays, changes or goes.
func TestValidateSamplesBesideAnUnknownLeaf(t *testing.T) {
	f := newFixture(t)
	var before, after strings.Builder
	type want struct {
		name, id, patch string
	}
	var wants []want
	validate := map[string]string{"none": "", "false": "validate_samples = false,", "true": "validate_samples = true,"}
	for was, first := range validate {
		for is, then := range validate {
			for _, role := range []string{"a", "later"} {
				id := f.clonePipe(mockplatform.KafkaPipeID)
				name := fmt.Sprintf("%s_%s_%s", role, was, is)
				before.WriteString(onePipe(name, id, fmt.Sprintf(`source = { %s kafka = { iam_role = %q } }`, first, role)))
				after.WriteString(onePipe(name, id, fmt.Sprintf(`source = { %s kafka = { iam_role = terraform_data.later.output } }`, then)))
				patch := ""
				if role == "a" {
					patch = `{"source": {"kafka": {"iamRole": "later"}}}`
					if is != "none" {
						patch = `{"source": {"kafka": {"iamRole": "later"}, "validateSamples": ` + is + `}}`
					}
				}
				wants = append(wants, want{name, id, patch})
			}
		}
	}
	w := f.workspace(f.provider() + before.String())
	w.apply()
	f.ResetJournal()
	w.file("main.tf", f.provider()+"resource \"terraform_data\" \"later\" { input = \"later\" }\n"+after.String())
	w.apply()
	for _, want := range wants {
		t.Run(want.name, func(t *testing.T) {
			if want.patch == "" {
				f.in(t).wantPatches(want.id)
				return
			}
			f.in(t).wantPatches(want.id, want.patch)
		})
	}
	w.wantEmptyPlan()
}

// TestPipeOfAnotherKind has a pipe recreated under its id with another kind of
// source: that is rejected, with the kind that it has, and with or without a
// refresh.
func TestPipeOfAnotherKind(t *testing.T) {
	for name, test := range map[string]struct {
		arguments, parent string
		sparse            []mockplatform.Sparse
	}{
		"source":      {`source = { kafka = { iam_role = "role:orders-reader" } }`, "source", nil},
		"credentials": {`source_credentials = { kafka = { username = "u" } }`, "source_credentials", nil},
		"empty values are omitted": {`source = { kafka = { iam_role = "role:orders-reader" } }`, "source", []mockplatform.Sparse{
			{Path: "**", OnlyEmpty: true, Zeros: true, EmptyObjects: true},
		}},
		"other kinds are null": {`source = { kafka = { iam_role = "role:orders-reader" } }`, "source", []mockplatform.Sparse{{Path: "source.kafka", Null: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			w := f.workspace(f.provider() + pipeConfig(mockplatform.KafkaPipeID, test.arguments))
			w.apply()
			other := f.Pipe(mockplatform.PostgresPipeID)
			other["id"] = mockplatform.KafkaPipeID
			f.SetPipe(other)
			f.Configure(func(b *mockplatform.Behaviour) { b.Answers.Sparse = test.sparse })
			f.ResetJournal()
			says := []string{
				"Pipe has another kind of source", fmt.Sprintf(`%s.kafka is set, but the source of pipe "customers" (%s) is postgres`, test.parent, mockplatform.KafkaPipeID),
				fmt.Sprintf("Set %s.postgres instead, or set pipe_id to a pipe with a kafka source.", test.parent),
			}
			wantText(t, w.refused(thisPipe, "plan", "-input=false"), says...)
			w.file("main.tf", f.provider()+pipeConfig(mockplatform.KafkaPipeID, test.arguments+"\n  name = \"n\""))
			wantText(t, w.refused(thisPipe, "apply", "-auto-approve", "-input=false", "-refresh=false"), says[0], "is postgres")
			f.wantWrites()

			w.file("main.tf", f.provider()+pipeConfig(mockplatform.KafkaPipeID, ""))
			w.apply()
			if source := w.state()[thisPipe]["source"]; member(source, "kafka") != nil || member(source, "postgres.host") != "customers.pg.example.com" {
				t.Errorf("the state has %v", source)
			}
			w.wantEmptyPlan()
		})
	}
}
