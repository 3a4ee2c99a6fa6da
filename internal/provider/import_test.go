package provider

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// seedPipes are one pipe of each kind.
var seedPipes = map[string]string{
	"kafka":    mockplatform.KafkaPipeID,
	"storage":  mockplatform.ObjectStoragePipeID,
	"stream":   mockplatform.CloudStreamPipeID,
	"postgres": mockplatform.PostgresPipeID,
}

// TestGenerateResourceConfig imports what is there and takes the configuration that the
// provider generates: its plan changes nothing and warns about nothing.
func TestGenerateResourceConfig(t *testing.T) {
	f := newFixture(t)
	schemas, err := f.start().GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil || !schemas.ServerCapabilities.GenerateResourceConfig {
		t.Fatal("Terraform is not told that the provider generates configuration", err)
	}
	const ids, scaling = "service_id", "idle_scaling idle_timeout_minutes num_replicas "
	f.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["idleScaling"] = false })
	bare := f.barePipe()
	for id, want := range map[string]string{
		mockplatform.ServiceID: scaling + ids,
		mockplatform.OtherOrganizationID + "/" + mockplatform.BeaconServiceID: scaling + "organization_id " + ids,
		mockplatform.ServiceID + "/" + bare:                                   "name pipe_id " + ids,
		mockplatform.ServiceID + "/" + mockplatform.KafkaPipeID:               "source.kafka.iam_role",
		mockplatform.ServiceID + "/" + mockplatform.ObjectStoragePipeID:       "source.object_storage.path",
		mockplatform.ServiceID + "/" + mockplatform.CloudStreamPipeID:         "source.cloud_stream.iam_role",
		mockplatform.ServiceID + "/" + mockplatform.PostgresPipeID:            "source.postgres.settings.pull_batch_size source.postgres.settings.sync_interval_seconds source.postgres.table_mappings",
	} {
		name := "dataplatform_pipe"
		if strings.HasPrefix(want, scaling) {
			name = "dataplatform_service_scaling"
		}
		b := f.manage(name, "", "", nil)
		b.must(b.reported(b.block.Import(f.start(), id)))
		b.must(b.reported(b.block.Generate(f.start())))
		var set []string
		for _, leaf := range b.read(b.block.Config).Leaves() {
			set = append(set, leaf.Path.String())
		}
		if got := strings.Join(set, " "); got != want && (strings.Contains(want, ids) || !strings.Contains(got, want)) {
			t.Errorf("%s sets %s, want %s", id, got, want)
		}
		if r := b.tell(&result{change: b.block.Plan(f.start())}, b.block.State); r.action != "none" || len(r.warnings) > 0 {
			t.Errorf("%s: %s %s", id, r.action, r)
		}
	}
	f.wantWrites()
}

// barePipe adds a pipe in which nothing settable but its name has a value, and returns its ID.
func (f *fixture) barePipe() string {
	const id = "49999999-0000-4000-8000-000000000001"
	bare := f.Pipe(mockplatform.KafkaPipeID)
	bare["id"], bare["settings"], bare["fieldMappings"] = id, mockplatform.Document{}, nil
	setMember(bare, "source.kafka", mockplatform.Document{"brokers": "b:9092"})
	setMember(bare, "destination.columns", nil)
	f.SetPipe(bare)
	return id
}

// TestGeneratedConfiguration imports services and pipes of all kinds, and a bare one, from a
// platform that omits what is empty, and lets terraform write their configuration: it applies
// as it is, changes nothing, and has neither what is deprecated nor what cannot be set.
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
	pipes["bare"] = f.barePipe()
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
	// Nothing is deprecated. Without the provider's help, the objects that set nothing are folded
	// into one warning.
	warnings := 0
	if program := terraformtest.ProgramUnder(t); program.OpenTofu || program.OlderThan("1.14", "") {
		warnings = 1
		wantText(t, out, "Warning: Object is empty")
	} else {
		wantNoText(t, w.Read("generated.tf"), "organization_id", "= {\n  }")
	}
	if strings.Count(out, "Warning:") != warnings {
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

// byIdentity is a provider that is asked for imports by identity, not by ID.
type byIdentity struct{ server }

func (s byIdentity) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	typ := engines[req.TypeName].IdentityOf(tfvalue.Null(tftypes.String)).Type().(tftypes.Object)
	ids, values := strings.Split(req.ID, "/"), map[string]tftypes.Value{}
	for i, name := range []string{"organization_id", "service_id", "pipe_id"}[:len(ids)] {
		values[name] = tftypes.NewValue(tftypes.String, ids[i])
	}
	identity, err := tfprotov6.NewDynamicValue(typ, tftypes.NewValue(typ, values))
	if err != nil {
		return nil, err
	}
	req.ID, req.Identity = "", &tfprotov6.ResourceIdentityData{IdentityData: &identity}
	return s.server.ImportResourceState(ctx, req)
}

// planImport plans what an import block asks for.
func (b *managed) planImport(p terraformtest.Provider, id string) *result {
	b.t.Helper()
	b.write(true)
	return b.tell(&result{change: b.block.PlanImport(p, id)}, b.block.State)
}

// TestImportOfAnother imports an object into a resource whose configuration names another, by
// ID and by identity: Terraform would import the one, and replace it with the other.
func TestImportOfAnother(t *testing.T) {
	const ours, others = mockplatform.OrganizationID, mockplatform.OtherOrganizationID
	f := newFixture(t)
	for _, test := range []struct {
		b        *managed
		id, says string
	}{
		{
			f.scaling(mockplatform.FullServiceID, ""), ours + "/" + mockplatform.ServiceID,
			"name different services: service_id is " + mockplatform.ServiceID + " in the import and " + mockplatform.FullServiceID + " in the configuration.",
		},
		{
			f.scaling(mockplatform.BeaconServiceID, "organization_id = \""+ours+"\""), others + "/" + mockplatform.BeaconServiceID,
			"name different services: organization_id is " + others + " in the import and " + ours + " in the configuration.",
		},
		{ // what is unknown may be the same
			f.pipe(mockplatform.PostgresPipeID, "organization_id = later\nname = later"), ours + "/" + mockplatform.ServiceID + "/" + mockplatform.KafkaPipeID,
			"name different pipes: pipe_id is " + mockplatform.KafkaPipeID + " in the import and " + mockplatform.PostgresPipeID + " in the configuration.",
		},
		{
			f.pipe(mockplatform.PostgresPipeID, "service_id = \""+mockplatform.FullServiceID+"\""), ours + "/" + mockplatform.ServiceID + "/" + mockplatform.KafkaPipeID,
			"service_id is " + mockplatform.ServiceID + " in the import and " + mockplatform.FullServiceID + " in the configuration; pipe_id is " + mockplatform.KafkaPipeID + " in the import",
		},
	} {
		for _, p := range []terraformtest.Provider{f.start(), byIdentity{f.start()}} {
			test.b.refuses(test.b.planImport(p, test.id), "Import does not match the configuration: The import and the configuration of this resource ", test.says)
		}
	}
}

// TestAnotherAfterImport changes the ID of what was imported: that is refused only by the plan
// that imports it.
func TestAnotherAfterImport(t *testing.T) {
	f := newFixture(t)
	wantReplaced := func(r *result) {
		t.Helper()
		if len(r.errors) > 0 || r.action != "replace" {
			t.Error(r)
		}
	}

	// Two blocks swap what they manage: one is imported where it left the other.
	s, left, imported := f.start(), f.scaling(mockplatform.ServiceID, ""), f.scaling(mockplatform.ServiceID, "")
	left.apply()
	left.ids["service_id"] = cty.StringVal(mockplatform.FullServiceID)
	r := imported.must(imported.planImport(s, mockplatform.ServiceID))
	wantReplaced(left.tryPlan(s))

	// The ID changes after an apply, which has no work, with a refresh and without.
	imported.applyPlan(r)
	imported.ids["service_id"] = cty.StringVal(mockplatform.FullServiceID)
	imported.write(true)
	wantReplaced(imported.tell(&result{change: imported.block.PlanOnly(f.start())}, imported.block.State))
	wantReplaced(imported.tryPlan(f.start()))

	// What the configuration names is not known yet.
	unknown := f.scaling("", "service_id = later")
	wantReplaced(unknown.planImport(f.start(), mockplatform.ServiceID))
	f.wantWrites()
}
