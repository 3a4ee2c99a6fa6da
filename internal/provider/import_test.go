package provider

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
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
	pipes["bare"] = f.clonePipe(mockplatform.KafkaPipeID, func(doc mockplatform.Document) {
		doc["settings"] = mockplatform.Document{}
		setMember(doc, "source.kafka", mockplatform.Document{"brokers": "b:9092"})
		setMember(doc, "destination.columns", nil)
	})
	for name, id := range pipes {
		imports += generatingImport("dataplatform_pipe."+name, mockplatform.ServiceID+"/"+id)
	}
	objects := len(ourServices) + len(pipes)
	w := f.workspace(f.provider())
	w.generates(imports, objects)
	content := w.Read("generated.tf")
	wantText(t, content, "num_replicas", "field_mappings", "reverse_private_endpoint_ids", "table_mappings", "engine_parallel_view_processing")
	for _, name := range []string{
		"min_total_memory_gb", "max_total_memory_gb", "min_replica_memory_gb", "is_primary", "data_warehouse_id",
		"state", "scaling", "created_at", "updated_at", "brokers", "topics", "consumer_group", "offset", "schema_registry", "stream_name", "url",
		"queue_url", "delimiter", "compression", "is_continuous", "publication_name", "replication_slot_name", "managed_table", "table_definition",
	} {
		if regexp.MustCompile(`(?m)^\s*` + name + `\s*=`).MatchString(content) {
			t.Errorf("%s is in the generated configuration:\n%s", name, content)
		}
	}
	out := w.Apply()
	wantText(t, out, fmt.Sprintf("%d imported, 0 added, 0 changed, 0 destroyed", objects))
	// The objects that set nothing are folded into one warning.
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

// generates lets Terraform write the configuration of imports into generated.tf.
func (w *workspace) generates(imports string, objects int) {
	w.t.Helper()
	skipIfTooOld(w.t, "-generate-config-out")
	w.File("imports.tf", imports)
	wantText(w.t, w.PlanText("-generate-config-out=generated.tf"), fmt.Sprintf("%d to import, 0 to add, 0 to change, 0 to destroy", objects))
	w.File("imports.tf", strings.ReplaceAll(imports, "  provider = dataplatform\n", ""))
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

// TestImports imports over the protocol, by ID and by identity, which needs Terraform
// 1.12: into the object's own organization, or with an error that has the form that is
// wanted, or what isn't there.
func TestImports(t *testing.T) {
	const (
		nowhere         = "29999999-0000-4000-8000-000000000009"
		scaling, pipe   = "dataplatform_service_scaling", "dataplatform_pipe"
		scalings, pipes = "expected SERVICE_ID or ORGANIZATION_ID/SERVICE_ID.", "expected SERVICE_ID/PIPE_ID or ORGANIZATION_ID/SERVICE_ID/PIPE_ID."
		ours, others    = mockplatform.OrganizationID, mockplatform.OtherOrganizationID
	)
	f := newFixture(t)
	ctx := t.Context()
	server := serverOf(newProvider("test"))
	schemas, identities := served(t)
	configured, err := server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: dynamic(t, providerConfig(args{
		"base_url": f.url, "organization_id": ours, "key_id": "demo-key-id", "key_secret": "demo-key-secret",
	}))})
	if err != nil || len(configured.Diagnostics) > 0 {
		t.Fatal(err, configured.Diagnostics)
	}
	for _, test := range []struct {
		typeName, id string
		identity     args
		organization string // of what is imported
		says         string // of an error
	}{
		{scaling, mockplatform.ServiceID, nil, ours, ""},
		{scaling, ours + "/" + mockplatform.ServiceID, nil, ours, ""},
		{scaling, others + "/" + mockplatform.BeaconServiceID, nil, others, ""},
		{pipe, mockplatform.ServiceID + "/" + mockplatform.KafkaPipeID, nil, ours, ""},
		{scaling, "", args{"service_id": mockplatform.ServiceID}, ours, ""},
		{scaling, "", args{"organization_id": others, "service_id": mockplatform.BeaconServiceID}, others, ""},
		{pipe, "", args{"service_id": mockplatform.ServiceID, "pipe_id": mockplatform.KafkaPipeID}, ours, ""},

		{scaling, "", args{"service_id": "events-eu"}, "", `"events-eu" is not a UUID`},
		{scaling, "", args{"organization_id": "x", "service_id": mockplatform.ServiceID}, "", `"x" is not a UUID`},
		{pipe, "", args{"service_id": mockplatform.ServiceID, "pipe_id": ""}, "", "is not a UUID"},
		{scaling, "events-eu", nil, "", scalings},
		{scaling, mockplatform.ServiceID + "/", nil, "", scalings},
		{scaling, ours + "/" + mockplatform.ServiceID + "/" + mockplatform.KafkaPipeID, nil, "", scalings},
		{pipe, mockplatform.KafkaPipeID, nil, "", pipes},
		{scaling, nowhere, nil, "", "Cannot import service: There is no service " + nowhere + " in organization " + ours + ": two consecutive lists of its services omit it. Check the IDs, or create the service in the platform's console first."},
		{pipe, mockplatform.ServiceID + "/" + nowhere, nil, "", "Cannot import pipe: There is no pipe " + nowhere + " of service " + mockplatform.ServiceID + " in organization " + ours + ": the API returned HTTP 404 Not Found (request ID "},
		{pipe, nowhere + "/" + mockplatform.KafkaPipeID, nil, "", "Cannot import pipe: There is no pipe " + mockplatform.KafkaPipeID + " of service " + nowhere},
		{keyType, nowhere, nil, "", "API keys cannot be imported: The API cannot read a key, and returns its secret only in the response to its creation. Create a new key with this resource, and revoke the old one"},
	} {
		request := &tfprotov6.ImportResourceStateRequest{TypeName: test.typeName, ID: test.id}
		var identityType tftypes.Type
		if schema := identities.IdentitySchemas[test.typeName]; schema != nil {
			identityType = schema.ValueType()
		}
		if test.identity != nil {
			request.Identity = &tfprotov6.ResourceIdentityData{IdentityData: dynamic(t, valueOf(test.identity, identityType))}
		}
		imported, err := server.ImportResourceState(ctx, request)
		if err != nil {
			t.Fatal(err)
		}
		said, read := diagnosed(imported.Diagnostics), &tfprotov6.ReadResourceResponse{}
		if len(said.errors) == 0 {
			found := imported.ImportedResources[0]
			read, err = server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: test.typeName, CurrentState: found.State, CurrentIdentity: found.Identity, Private: found.Private})
			if err != nil {
				t.Fatal(err)
			}
			said = diagnosed(read.Diagnostics)
		}
		if test.says != "" || len(said.errors) > 0 {
			if len(said.errors) != 1 || test.says == "" || !strings.Contains(said.errors[0], test.says) {
				t.Errorf("%s %q %v: %s", test.typeName, test.id, test.identity, said)
			}
			continue
		}
		state, err := read.NewState.Unmarshal(schemas.ResourceSchemas[test.typeName].ValueType())
		whole, identityErr := read.NewIdentity.IdentityData.Unmarshal(identityType)
		if err := errors.Join(err, identityErr); err != nil {
			t.Fatal(err)
		}
		if tfvalue.Of(state).At("organization_id").Text() != test.organization || tfvalue.Of(state).At("name").Text() == "" || tfvalue.Of(whole).At("organization_id").Text() != test.organization {
			t.Errorf("%s %q %v: read %s of %s", test.typeName, test.id, test.identity, state, whole)
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
