package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// seedPipes are one pipe of each kind.
var seedPipes = map[string]string{
	"kafka":    mockplatform.KafkaPipeID,
	"storage":  mockplatform.ObjectStoragePipeID,
	"stream":   mockplatform.CloudStreamPipeID,
	"postgres": mockplatform.PostgresPipeID,
}

// importable has the import ID of each service, of a pipe of each kind, and of one in which nothing settable
// but its name has a value, with the type of its resource.
func (f *fixture) importable() map[string]string {
	bare := f.Pipe(mockplatform.KafkaPipeID)
	bare["id"], bare["settings"], bare["fieldMappings"] = "49999999-0000-4000-8000-000000000001", mockplatform.Document{}, nil
	setMember(bare, "source.kafka", mockplatform.Document{"brokers": "b:9092"})
	setMember(bare, "destination.columns", nil)
	f.SetPipe(bare)
	all := map[string]string{}
	for _, id := range ourServices {
		all[id] = "dataplatform_service_scaling"
	}
	for _, id := range append(slices.Collect(maps.Values(seedPipes)), bare["id"].(string)) {
		all[mockplatform.ServiceID+"/"+id] = "dataplatform_pipe"
	}
	return all
}

// TestGenerateResourceConfig imports what is there and takes the configuration that the provider generates,
// which package adopt tests: it sets more than IDs, its plan changes nothing and warns about nothing.
func TestGenerateResourceConfig(t *testing.T) {
	f := newFixture(t)
	schemas, err := f.start().GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil || !schemas.ServerCapabilities.GenerateResourceConfig {
		t.Fatal("Terraform is not told that the provider generates configuration", err)
	}
	for id, name := range f.importable() {
		b := f.manage(name, "", "", nil)
		b.must(b.reported(b.block.Import(f.start(), id)))
		b.must(b.reported(b.block.Generate(f.start())))
		if config := b.read(b.block.Config); len(config.Leaves()) < 3 || !config.At("organization_id").IsNull() {
			t.Errorf("%s: %s", id, config)
		}
		if r := b.tell(&result{change: b.block.Plan(f.start())}, b.block.State); r.action != "none" || len(r.warnings) > 0 {
			t.Errorf("%s: %s %s", id, r.action, r)
		}
	}
	f.wantWrites()
}

// TestGeneratedConfiguration imports services and pipes from a platform that omits what is empty, and lets
// terraform write their configuration: it applies as it is, changes nothing, and has neither what is
// deprecated nor what cannot be set.
func TestGeneratedConfiguration(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Responses = mockplatform.Responses{Sparse: []mockplatform.Sparse{{Path: "**", OnlyEmpty: true}}, ShuffleSets: true}
	})
	// Terraform 1.16 looks for a provider of another namespace without this line, and every program
	// rejects it once the configuration exists.
	const untilWritten = "  provider = dataplatform\n"
	imports := ""
	for id, name := range f.importable() {
		imports += fmt.Sprintf("import {\n  to = %s.o%d\n  id = %q\n%s}\n", name, len(imports), id, untilWritten)
	}
	objects := strings.Count(imports, untilWritten)
	w := f.workspace(f.provider())
	skipIfTooOld(t, "-generate-config-out")
	w.File("imports.tf", imports)
	wantText(t, w.PlanText("-generate-config-out=generated.tf"), fmt.Sprintf("%d to import, 0 to add, 0 to change, 0 to destroy", objects))
	w.File("imports.tf", strings.ReplaceAll(imports, untilWritten, ""))
	wantText(t, w.Read("generated.tf"), "num_replicas", "field_mappings", "reverse_private_endpoint_ids", "table_mappings", "engine_parallel_view_processing")
	out := w.Apply()
	wantText(t, out, fmt.Sprintf("%d imported, 0 added, 0 changed, 0 destroyed", objects))
	// Nothing is deprecated. Without the provider's help, the objects that set nothing are folded
	// into one warning.
	if program := terraformtest.ProgramUnder(t); program.OpenTofu || program.OlderThan("1.14", "") {
		out = strings.Replace(out, "Warning: Object is empty", "", 1)
	} else {
		wantNoText(t, w.Read("generated.tf"), "organization_id", "= {\n  }")
	}
	wantNoText(t, out, "Warning:")
	f.wantWrites()
	w.WantEmptyPlan()
}

// TestImportsFail imports what is not there, or into a resource whose configuration names another object:
// the error says what was looked for and where. The acceptance tests of each noun import what is there.
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

	const mismatch = "Import does not match the configuration: The import and the configuration of this resource name different "
	for _, test := range []struct {
		b        *managed
		id, says string
	}{
		{
			f.scaling(mockplatform.BeaconServiceID, fmt.Sprintf("organization_id = %q", ours)), others + "/" + mockplatform.BeaconServiceID,
			"services: organization_id is " + others + " in the import and " + ours + " in the configuration.",
		},
		{ // what is unknown may be the same
			f.pipe(mockplatform.PostgresPipeID, fmt.Sprintf("organization_id = later\nservice_id = %q", mockplatform.FullServiceID)), ours + "/" + mockplatform.ServiceID + "/" + mockplatform.KafkaPipeID,
			"pipes: service_id is " + mockplatform.ServiceID + " in the import and " + mockplatform.FullServiceID + " in the configuration; pipe_id is " + mockplatform.KafkaPipeID + " in the import",
		},
	} {
		test.b.refuses(test.b.planImport(test.id), mismatch+test.says)
	}

	// An ID that changes after the import is applied replaces the object, also in a plan without a refresh.
	b := f.scaling(mockplatform.ServiceID, "")
	b.applyPlan(b.must(b.planImport(mockplatform.ServiceID)))
	b.ids["service_id"] = cty.StringVal(mockplatform.FullServiceID)
	b.write(true)
	if r := b.must(b.tell(&result{change: b.block.PlanOnly(f.start())}, b.block.State)); r.action != "replace" {
		t.Errorf("after the import, another ID comes to %s", r.action)
	}
}

// planImport plans what an import block asks for.
func (b *managed) planImport(id string) *result {
	b.t.Helper()
	b.write(true)
	return b.tell(&result{change: b.block.PlanImport(b.start(), id)}, b.block.State)
}
