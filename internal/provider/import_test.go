package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestScalingImport imports by string in both forms: a plan follows that is
// empty, and nothing is written.
func TestScalingImport(t *testing.T) {
	f := newFixture(t)
	config := f.provider() + scalingConfig(mockplatform.ServiceID, ``)
	w := f.workspace(config)
	for _, id := range []string{
		mockplatform.ServiceID,
		mockplatform.OrganizationID + "/" + mockplatform.ServiceID,
		strings.ToUpper(mockplatform.OrganizationID + "/" + mockplatform.ServiceID),
	} {
		if out, ok := w.terraform("import", thisScaling, id); !ok {
			t.Fatalf("import of %s failed:\n%s", id, out)
		}
		w.wantEmptyPlan()
		if out, ok := w.terraform("state", "rm", thisScaling); !ok {
			t.Fatal(out)
		}
	}
	// Of an organization that isn't the provider's.
	w.file("main.tf", f.provider()+scalingConfig(mockplatform.BeaconServiceID, `organization_id = "`+mockplatform.OtherOrganizationID+`"`))
	if out, ok := w.terraform("import", thisScaling, mockplatform.OtherOrganizationID+"/"+mockplatform.BeaconServiceID); !ok {
		t.Fatalf("import failed:\n%s", out)
	}
	w.wantEmptyPlan()
	f.wantWrites()
}

func TestScalingImportBlock(t *testing.T) {
	f := newFixture(t)
	// What the configuration says otherwise is planned, and nothing more.
	w := f.workspace(f.provider() + scalingConfig(mockplatform.ServiceID, `num_replicas = 4`) +
		fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", thisScaling, mockplatform.ServiceID))
	wantText(t, w.planText(), "1 to import, 0 to add, 1 to change, 0 to destroy", "num_replicas = 3 -> 4")
	w.apply()
	f.wantWrites(`{"numReplicas": 4}`)
	w.wantEmptyPlan()
}

// TestInvalidImports has what an import rejects, with the form it wants, and
// what isn't there.
func TestInvalidImports(t *testing.T) {
	const nowhere = "29999999-0000-4000-8000-000000000009"
	f := newFixture(t)
	w := f.workspace(f.provider() + scalingConfig(mockplatform.ServiceID, ``) + pipeConfig(mockplatform.KafkaPipeID, ``))
	for _, test := range []struct{ address, id, says string }{
		{thisScaling, "events-eu", "SERVICE_ID or ORGANIZATION_ID/SERVICE_ID"},
		{thisScaling, mockplatform.ServiceID + "/", "SERVICE_ID or ORGANIZATION_ID/SERVICE_ID"},
		{thisScaling, "a/b/c", "SERVICE_ID or ORGANIZATION_ID/SERVICE_ID"},
		{thisScaling, mockplatform.OrganizationID + "/" + mockplatform.ServiceID + "/" + mockplatform.KafkaPipeID, "SERVICE_ID or ORGANIZATION_ID/SERVICE_ID"},
		{thisScaling, nowhere, "Cannot import service There is no service " + nowhere + " in organization " + mockplatform.OrganizationID + ": two consecutive lists of its services omit it. Check the IDs, or create the service in the platform's console first."},
		{thisPipe, mockplatform.KafkaPipeID, "SERVICE_ID/PIPE_ID or ORGANIZATION_ID/SERVICE_ID/PIPE_ID"},
		{thisPipe, mockplatform.ServiceID + "/orders", "SERVICE_ID/PIPE_ID or ORGANIZATION_ID/SERVICE_ID/PIPE_ID"},
		{thisPipe, mockplatform.ServiceID + "/" + nowhere, "Cannot import pipe There is no pipe " + nowhere + " of service " + mockplatform.ServiceID + " in organization " + mockplatform.OrganizationID + ": the API returned HTTP 404 Not Found (request ID "},
		{thisPipe, nowhere + "/" + mockplatform.KafkaPipeID, "Cannot import pipe There is no pipe " + mockplatform.KafkaPipeID + " of service " + nowhere},
	} {
		out, ok := w.terraform("import", test.address, test.id)
		if ok {
			t.Errorf("import of %q succeeded", test.id)
		}
		// What stands before the error repeats the id that was given.
		errors := strings.Split(out, "Error: ")[1:]
		if len(errors) != 1 {
			t.Fatalf("import of %q: %d errors, want 1:\n%s", test.id, len(errors), out)
		}
		wantText(t, errors[0], test.says)
		wantNoText(t, errors[0], "error in the provider", "bug", "Cannot import non-existent remote object")
		for _, id := range []string{nowhere, mockplatform.OrganizationID, mockplatform.ServiceID} {
			if strings.Count(errors[0], id) > 2 {
				t.Errorf("import of %q repeats %s: %s", test.id, id, errors[0])
			}
		}
	}
	f.wantWrites()
}

// TestGeneratedConfiguration imports what has no configuration and lets
// Terraform write one: it applies as it is, changes nothing, and holds neither
// what is deprecated nor what can't be set.
func TestGeneratedConfiguration(t *testing.T) {
	f := newFixture(t)
	pipes := map[string]string{
		"kafka": mockplatform.KafkaPipeID, "object_storage": mockplatform.ObjectStoragePipeID,
		"cloud_stream": mockplatform.CloudStreamPipeID, "postgres": mockplatform.PostgresPipeID,
	}
	imports := ""
	for i, id := range ourServices {
		imports += generatingImport(fmt.Sprintf("dataplatform_service_scaling.s%d", i), id)
	}
	for kind, id := range pipes {
		imports += generatingImport("dataplatform_pipe."+kind, mockplatform.ServiceID+"/"+id)
	}
	w := f.workspace(f.provider())
	w.generates(imports, len(ourServices)+len(pipes))
	generated, err := os.ReadFile(filepath.Join(w.dir, "generated.tf"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(generated)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch name {
		case "min_total_memory_gb", "max_total_memory_gb", "min_replica_memory_gb", "is_primary", "data_warehouse_id", "state", "created_at", "scaling":
			t.Errorf("generated: %s", line)
		}
	}
	out := w.apply()
	wantText(t, out, fmt.Sprintf("%d imported, 0 added, 0 changed, 0 destroyed", len(ourServices)+len(pipes)))
	f.wantWrites()
	w.wantEmptyPlan()
}

// generatingImport is an import block whose configuration is to be generated.
// Terraform 1.16 looks for a provider of another namespace without the last
// line, and every program rejects it once the configuration exists.
func generatingImport(to, id string) string {
	return fmt.Sprintf("import {\n  to = %s\n  id = %q\n  provider = dataplatform\n}\n", to, id)
}

// generates lets Terraform write the configuration of imports into generated.tf.
func (w *workspace) generates(imports string, objects int) {
	w.t.Helper()
	skipIfTooOld(w.t, "-generate-config-out")
	w.file("imports.tf", imports)
	wantText(w.t, w.planText("-generate-config-out=generated.tf"), fmt.Sprintf("%d to import, 0 to add, 0 to change, 0 to destroy", objects))
	w.file("imports.tf", strings.ReplaceAll(imports, "  provider = dataplatform\n", ""))
}

// TestImportByIdentity needs Terraform 1.12, the first that imports so.
func TestImportByIdentity(t *testing.T) {
	f := newFixture(t)
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		ProtoV6ProviderFactories: f.factories(),
		Steps: []resource.TestStep{
			{Config: f.provider() + scalingConfig(mockplatform.ServiceID, ``)},
			{ResourceName: thisScaling, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
			{Config: f.provider() + pipeConfig(mockplatform.KafkaPipeID, ``)},
			{ResourceName: thisPipe, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
		},
	})
}

// TestIdentityOverTheProtocol imports by identity as a newer Terraform does,
// whatever Terraform runs the tests.
func TestIdentityOverTheProtocol(t *testing.T) {
	f := newFixture(t)
	ctx := t.Context()
	factory := f.factories()["dataplatform"]
	for _, test := range []struct {
		name, typeName string
		identity       map[string]string
		organization   string
		says           string
	}{
		{"service", "dataplatform_service_scaling", map[string]string{"service_id": mockplatform.ServiceID}, mockplatform.OrganizationID, ""},
		{"service of another organization", "dataplatform_service_scaling",
			map[string]string{"organization_id": mockplatform.OtherOrganizationID, "service_id": mockplatform.BeaconServiceID}, mockplatform.OtherOrganizationID, ""},
		{"pipe", "dataplatform_pipe", map[string]string{"service_id": mockplatform.ServiceID, "pipe_id": mockplatform.KafkaPipeID}, mockplatform.OrganizationID, ""},
		{"a name for an id", "dataplatform_service_scaling", map[string]string{"service_id": "events-eu"}, "", `"events-eu" is not a UUID`},
		{"a bad organization", "dataplatform_service_scaling", map[string]string{"organization_id": "x", "service_id": mockplatform.ServiceID}, "", `"x" is not a UUID`},
		{"an empty pipe", "dataplatform_pipe", map[string]string{"service_id": mockplatform.ServiceID, "pipe_id": ""}, "", "is not a UUID"},
	} {
		server, err := factory()
		if err != nil {
			t.Fatal(err)
		}
		schemas, identities := served(t)
		configured, err := server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: dynamic(t, providerConfig(map[string]any{
			"base_url": f.url, "organization_id": mockplatform.OrganizationID, "key_id": "demo-key-id", "key_secret": "demo-key-secret",
		}))})
		if err != nil || len(configured.Diagnostics) > 0 {
			t.Fatal(err, configured.Diagnostics)
		}
		identityType := identities.IdentitySchemas[test.typeName].ValueType().(tftypes.Object)
		parts := map[string]tftypes.Value{}
		for name := range identityType.AttributeTypes {
			parts[name] = tftypes.NewValue(tftypes.String, nil)
			if value, given := test.identity[name]; given {
				parts[name] = tftypes.NewValue(tftypes.String, value)
			}
		}
		imported, err := server.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{
			TypeName: test.typeName,
			Identity: &tfprotov6.ResourceIdentityData{IdentityData: dynamic(t, tftypes.NewValue(identityType, parts))},
		})
		if err != nil {
			t.Fatal(err)
		}
		if test.says != "" {
			if len(imported.Diagnostics) == 0 || !strings.Contains(imported.Diagnostics[0].Detail, test.says) {
				t.Errorf("%s: %v", test.name, imported.Diagnostics)
			}
			continue
		}
		if len(imported.Diagnostics) > 0 {
			t.Errorf("%s: %s", test.name, imported.Diagnostics[0].Detail)
			continue
		}
		read, err := server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
			TypeName: test.typeName, CurrentState: imported.ImportedResources[0].State, CurrentIdentity: imported.ImportedResources[0].Identity,
		})
		if err != nil || len(read.Diagnostics) > 0 {
			t.Errorf("%s: %v %v", test.name, err, read.Diagnostics)
			continue
		}
		state, err := read.NewState.Unmarshal(schemas.ResourceSchemas[test.typeName].ValueType())
		if err != nil {
			t.Fatal(err)
		}
		if tfvalue.Of(state).At("organization_id").Text() != test.organization || tfvalue.Of(state).At("name").Text() == "" {
			t.Errorf("%s: read %s", test.name, state)
		}
		whole, err := read.NewIdentity.IdentityData.Unmarshal(identityType)
		if err != nil || tfvalue.Of(whole).At("organization_id").Text() != test.organization {
			t.Errorf("%s: identity %s, %v", test.name, whole, err)
		}
	}
	f.wantWrites()
}

func dynamic(t *testing.T, value tftypes.Value) *tfprotov6.DynamicValue {
	t.Helper()
	encoded, err := tfprotov6.NewDynamicValue(value.Type(), value)
	if err != nil {
		t.Fatal(err)
	}
	return &encoded
}
