package provider

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// seedPipes are one pipe of each kind.
var seedPipes = map[string]string{
	"kafka":    mockplatform.KafkaPipeID,
	"storage":  mockplatform.ObjectStoragePipeID,
	"stream":   mockplatform.CloudStreamPipeID,
	"postgres": mockplatform.PostgresPipeID,
}

// TestGeneratedConfiguration imports services and pipes of all kinds, and one in which nothing
// settable has a value, from a platform that omits what is empty, and lets terraform write
// their configuration: it applies as it is, changes nothing, and has neither what is
// deprecated nor what cannot be set.
func TestGeneratedConfiguration(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Responses = mockplatform.Responses{Sparse: []mockplatform.Sparse{{Path: "**", OnlyEmpty: true}}, Numbers: mockplatform.NumbersAsFloats, ShuffleSets: true}
	})
	imports := ""
	for i, id := range ourServices {
		imports += generatingImport(fmt.Sprintf("dataplatform_service_scaling.s%d", i), id)
	}
	pipes := maps.Clone(seedPipes)
	bare := f.Pipe(mockplatform.KafkaPipeID)
	pipes["bare"] = "49999999-0000-4000-8000-000000000001"
	bare["id"], bare["settings"] = pipes["bare"], mockplatform.Document{}
	setMember(bare, "source.kafka", mockplatform.Document{"brokers": "b:9092"})
	setMember(bare, "destination.columns", nil)
	f.SetPipe(bare)
	for name, id := range pipes {
		imports += generatingImport("dataplatform_pipe."+name, mockplatform.ServiceID+"/"+id)
	}
	objects := len(ourServices) + len(pipes)
	w := f.workspace(f.provider())
	skipIfTooOld(t, "-generate-config-out")
	w.File("imports.tf", imports)
	wantText(t, w.PlanText("-generate-config-out=generated.tf"), fmt.Sprintf("%d to import, 0 to add, 0 to change, 0 to destroy", objects))
	w.File("imports.tf", strings.ReplaceAll(imports, "  provider = dataplatform\n", ""))
	wantText(t, w.Read("generated.tf"), "num_replicas", "field_mappings", "reverse_private_endpoint_ids", "table_mappings", "engine_parallel_view_processing")
	out := w.Apply()
	wantText(t, out, fmt.Sprintf("%d imported, 0 added, 0 changed, 0 destroyed", objects))
	// The objects that set nothing are folded into one warning, and nothing is deprecated.
	if strings.Count(out, "Warning:") != 1 || !strings.Contains(out, "Warning: Object is empty") {
		t.Errorf("other warnings:\n%s", out)
	}
	f.wantWrites()
	w.WantEmptyPlan()
}

// generatingImport is an import block whose configuration is to be generated.
// Terraform 1.16 looks for a provider of another namespace without the last
// line, and every program rejects it once the configuration exists.
func generatingImport(to, id string) string {
	return fmt.Sprintf("import {\n  to = %s\n  id = %q\n  provider = dataplatform\n}\n", to, id)
}

// TestImportsFail imports what is not there: the error says what was looked for and where.
// The acceptance tests of each noun import what is there.
func TestImportsFail(t *testing.T) {
	const nowhere, ours, others = "29999999-0000-4000-8000-000000000009", mockplatform.OrganizationID, mockplatform.OtherOrganizationID
	f := newFixture(t)
	for _, test := range []struct{ resource, id, says string }{
		{"dataplatform_service_scaling", nowhere, "There is no service " + nowhere + " in organization " + ours + ": two consecutive lists of its services omit it. Check the IDs"},
		{"dataplatform_service_scaling", others + "/" + mockplatform.ServiceID, "There is no service " + mockplatform.ServiceID + " in organization " + others},
		{"dataplatform_pipe", nowhere + "/" + mockplatform.KafkaPipeID, "There is no pipe " + mockplatform.KafkaPipeID + " of service " + nowhere + " in organization " + ours + ": the API returned HTTP 404"},
		{"dataplatform_pipe", mockplatform.KafkaPipeID, "expected SERVICE_ID/PIPE_ID or ORGANIZATION_ID/SERVICE_ID/PIPE_ID."},
		{"dataplatform_api_key", nowhere, "API keys cannot be imported: The API cannot read a key"},
	} {
		b := f.manage(test.resource, "", "", nil)
		b.refuses(b.reported(b.block.Import(f.start(), test.id)), test.says)
	}
}
