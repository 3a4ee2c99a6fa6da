package provider

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

var seedPipes = map[string]string{
	"kafka":    mockplatform.KafkaPipeID,
	"storage":  mockplatform.ObjectStoragePipeID,
	"stream":   mockplatform.CloudStreamPipeID,
	"postgres": mockplatform.PostgresPipeID,
}

// TestPipeGeneratedConfiguration imports pipes of all kinds and lets terraform
// write their configuration, which applies as it is and changes nothing.
func TestPipeGeneratedConfiguration(t *testing.T) {
	for name, behaviour := range map[string]mockplatform.Answers{
		"plain":  {},
		"sparse": {Sparse: []mockplatform.Sparse{{Path: "**", OnlyEmpty: true}}, Numbers: mockplatform.NumbersAsFloats, ShuffleSets: true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(func(b *mockplatform.Behaviour) { b.Answers = behaviour })
			imports := ""
			pipes := maps.Clone(seedPipes)
			pipes["bare"] = f.clonePipe(mockplatform.KafkaPipeID, func(doc mockplatform.Document) { // nothing settable has a value
				doc["settings"] = mockplatform.Document{}
				setMember(doc, "source.kafka", mockplatform.Document{"brokers": "b:9092"})
				setMember(doc, "destination.columns", nil)
			})
			for name, id := range pipes {
				import_ := mockplatform.ServiceID + "/" + id
				if name == "kafka" {
					import_ = mockplatform.OrganizationID + "/" + import_
				}
				imports += generatingImport("dataplatform_pipe."+name, import_)
			}
			w := f.workspace(f.provider())
			w.generates(imports, len(pipes))
			content, err := os.ReadFile(filepath.Join(w.dir, "generated.tf"))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"state", "scaling", "created_at", "updated_at", "brokers", "topics", "consumer_group", "offset", "schema_registry", "stream_name", "url", "queue_url", "delimiter", "compression", "is_continuous", "publication_name", "replication_slot_name", "managed_table", "table_definition"} {
				if regexp.MustCompile(`(?m)^\s*` + name + `\s*=`).Match(content) {
					t.Errorf("%s is in the generated configuration:\n%s", name, content)
				}
			}
			wantText(t, string(content), "field_mappings", "reverse_private_endpoint_ids", "table_mappings", "engine_parallel_view_processing")
			wantNoText(t, w.planText(), "Warning:") // as of the many objects that set nothing
			w.apply()
			w.wantEmptyPlan()
			f.wantWrites()
			for name, id := range pipes {
				if behaviour.Sparse == nil {
					checkPipeState(t, f, "dataplatform_pipe."+name, w.state(), id)
				}
			}
		})
	}
}

// TestPipeImportsTwice imports by both forms of the id, and says what is wrong
// with others.
func TestPipeImportsTwice(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() + onePipe("this", mockplatform.PostgresPipeID, mappings(customersMapping, addressesMapping, leadsMapping)+"\n  name = \"customers\""))
	short := mockplatform.ServiceID + "/" + mockplatform.PostgresPipeID
	for _, id := range []string{short, mockplatform.OrganizationID + "/" + short} {
		if out, ok := w.terraform("import", thisPipe, id); !ok {
			t.Fatal(out)
		}
		checkPipeState(t, f, thisPipe, w.state(), mockplatform.PostgresPipeID)
		w.wantEmptyPlan()
		if out, ok := w.terraform("state", "rm", thisPipe); !ok {
			t.Fatal(out)
		}
	}
	for id, text := range map[string]string{
		mockplatform.PostgresPipeID:        "SERVICE_ID/PIPE_ID or ORGANIZATION_ID/SERVICE_ID/PIPE_ID",
		"x/" + mockplatform.PostgresPipeID: `"x" is not a UUID`,
		short + "/" + short:                "is not a valid import ID; expected",
		short + "/":                        `"" is not a UUID`,
		mockplatform.ServiceID + "/" + mockplatform.OrganizationID: "Cannot import pipe",
	} {
		out, ok := w.terraform("import", thisPipe, id)
		if ok {
			t.Fatalf("imported %s:\n%s", id, out)
		}
		wantText(t, out, text)
	}
	f.wantWrites()
}

// TestPipeImportWithUnknownOrganization imports while the provider's organization is
// known only after apply: the import ID has to contain it.
func TestPipeImportWithUnknownOrganization(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(strings.Replace(f.provider(), fmt.Sprintf("%q", mockplatform.OrganizationID), "terraform_data.organization.output", 1) + `
resource "terraform_data" "organization" { input = "` + mockplatform.OrganizationID + `" }
import {
  to = ` + thisPipe + `
  id = "` + mockplatform.ServiceID + "/" + mockplatform.PostgresPipeID + `"
}
` + onePipe("this", mockplatform.PostgresPipeID, ""))
	out, ok := w.terraform("plan", "-input=false")
	if ok {
		t.Error("planned without the organization")
	}
	wantText(t, folded(out), "Cannot import pipe", "Use the import ID ORGANIZATION_ID/SERVICE_ID/PIPE_ID.")
	f.wantRequests()
}

// TestPipeDataSource shows every field of the documents.
func TestPipeDataSource(t *testing.T) {
	f := newFixture(t)
	config := f.provider()
	for name, id := range seedPipes {
		config += "data \"dataplatform_pipe\" \"" + name + "\" {\n  service_id = \"" + mockplatform.ServiceID + "\"\n  pipe_id = \"" + id + "\"\n}\n"
	}
	w := f.workspace(config)
	w.apply()
	state := w.state()
	for name, id := range seedPipes {
		checkPipeState(t, f, "data.dataplatform_pipe."+name, state, id)
		if n := f.gets(id); n != 1 {
			t.Errorf("%s was read %d times", name, n)
		}
	}
	if got := member(state["data.dataplatform_pipe.storage"], "source.object_storage.connection_string"); got == nil {
		t.Error("no connection string")
	}
	w.file("main.tf", config+"output \"it\" {\n  value = data.dataplatform_pipe.storage.source.object_storage.connection_string\n}\n")
	out, ok := w.terraform("plan", "-input=false")
	if ok || !strings.Contains(out, "sensitive") {
		t.Errorf("the connection string is not sensitive:\n%s", out)
	}

	// Exact and odd numbers, and a document with next to nothing.
	f.UpdatePipe(mockplatform.KafkaPipeID, func(doc mockplatform.Document) {
		setMember(doc, "settings.engine_max_threads", int64(9007199254740993))
		setMember(doc, "settings.engine_parallel_distributed_insert_select", 0.1)
		setMember(doc, "scaling.replicaMemoryGb", 0.1)
		setMember(doc, "settings.object_storage_concurrency", 2.5)
	})
	for _, name := range []string{"name", "state", "scaling", "source", "destination", "fieldMappings", "settings", "createdAt", "updatedAt"} {
		f.UpdatePipe(mockplatform.CloudStreamPipeID, func(doc mockplatform.Document) { delete(doc, name) })
	}
	w.file("main.tf", config)
	w.apply()
	state = w.state()
	checkPipeState(t, f, "data.dataplatform_pipe.kafka", state, mockplatform.KafkaPipeID)
	if got := state["data.dataplatform_pipe.stream"]; got["source"] != nil || got["name"] != nil || got["pipe_id"] != mockplatform.CloudStreamPipeID {
		t.Errorf("the empty pipe is %v", got)
	}
}
