package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// pipeConfig is a pipe of the seed with further arguments.
func pipeConfig(id, arguments string) string {
	return fmt.Sprintf(`
resource "dataplatform_pipe" "this" {
  service_id = %q
  pipe_id    = %q
%s
}
`, mockplatform.ServiceID, id, arguments)
}

// wrote checks the writes of a step.
func (f *fixture) wrote(bodies ...string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		f.t.Helper()
		f.wantWrites(bodies...)
		return nil
	}
}

const thisPipe = "dataplatform_pipe.this"

func TestPipeAdoptsWhatMatchesWithoutAWrite(t *testing.T) {
	f := newFixture(t)
	f.run(resource.TestStep{
		Config: f.provider() + pipeConfig(mockplatform.KafkaPipeID, `
  name     = "orders"
  settings = { engine_max_threads = 8 }
  source   = { kafka = { reverse_private_endpoint_ids = ["rpe-south", "rpe-north"] } }
`),
		Check: f.wrote(),
	})
}

func TestPipeSendsOwnedLeavesThatDiffer(t *testing.T) {
	f := newFixture(t)
	f.run(
		resource.TestStep{
			Config: f.provider() + pipeConfig(mockplatform.KafkaPipeID, `
  name           = "renamed"
  settings       = { engine_max_threads = 8, object_storage_max_insert_bytes = 9007199254740993 }
  source         = { kafka = { iam_role = "role:other", reverse_private_endpoint_ids = [] }, validate_samples = true }
  destination    = { columns = [{ name = "id", type = "UInt64" }] }
  field_mappings = []
`),
			Check: f.wrote(`{
  "name": "renamed",
  "source": {"kafka": {"iamRole": "role:other", "reversePrivateEndpointIds": []}, "validateSamples": true},
  "destination": {"columns": [{"name": "id", "type": "UInt64"}]},
  "fieldMappings": [],
  "settings": {"object_storage_max_insert_bytes": 9007199254740993}
}`),
		},
		// A change of one leaf sends that leaf, and the plan shows it with
		// what the platform itself moves.
		resource.TestStep{
			Config: f.provider() + pipeConfig(mockplatform.KafkaPipeID, `
  name           = "renamed again"
  settings       = { engine_max_threads = 8.0, object_storage_max_insert_bytes = 9007199254740993 }
  source         = { kafka = { iam_role = "role:other", reverse_private_endpoint_ids = [] }, validate_samples = false }
  destination    = { columns = [{ name = "id", type = "UInt64" }] }
  field_mappings = []
`),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(thisPipe, plancheck.ResourceActionUpdate),
				plancheck.ExpectUnknownValue(thisPipe, tfjsonpath.New("state")),
				plancheck.ExpectUnknownValue(thisPipe, tfjsonpath.New("updated_at")),
				plancheck.ExpectKnownValue(thisPipe, tfjsonpath.New("scaling").AtMapKey("replicas"), knownvalue.Int64Exact(2)),
				plancheck.ExpectKnownValue(thisPipe, tfjsonpath.New("source").AtMapKey("kafka").AtMapKey("brokers"), knownvalue.NotNull()),
				plancheck.ExpectKnownValue(thisPipe, tfjsonpath.New("created_at"), knownvalue.NotNull()),
			}},
			Check: f.wrote(`{"name": "renamed again"}`),
		},
		// Leaving a leaf out leaves it alone.
		resource.TestStep{
			Config: f.provider() + pipeConfig(mockplatform.KafkaPipeID, `
  name = "renamed again"
`),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			Check:            f.wrote(),
		},
	)
}

// TestPipeValidateSamplesAlone is an update in place that sends nothing: the plan says
// what it says because of the configuration, whatever else it shows.
func TestPipeValidateSamplesAlone(t *testing.T) {
	f := newFixture(t)
	f.run(
		resource.TestStep{
			Config: f.provider() + pipeConfig(mockplatform.KafkaPipeID, `source = { kafka = { iam_role = "role:orders-reader" } }`),
			Check:  f.wrote(),
		},
		resource.TestStep{
			Config: f.provider() + pipeConfig(mockplatform.KafkaPipeID, `source = { kafka = { iam_role = "role:orders-reader" }, validate_samples = true }`),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(thisPipe, plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(thisPipe, tfjsonpath.New("updated_at"), knownvalue.NotNull()),
			}},
			Check: f.wrote(),
		},
		resource.TestStep{
			Config: f.provider() + pipeConfig(mockplatform.KafkaPipeID, `source = { kafka = { iam_role = "role:new" }, validate_samples = true }`),
			Check:  f.wrote(`{"source": {"kafka": {"iamRole": "role:new"}, "validateSamples": true}}`),
		},
	)
}

func TestPipeTableMappings(t *testing.T) {
	const customers = `{ source_schema_name = "public", source_table = "customers", target_table = "customers" }`
	f := newFixture(t)
	step := func(mappings, rest string, writes ...string) resource.TestStep {
		return resource.TestStep{
			PreConfig: f.ResetJournal,
			Config: f.provider() + pipeConfig(mockplatform.PostgresPipeID, fmt.Sprintf(`
  source = { postgres = {
    table_mappings = [%s]
    %s
  } }`, mappings, rest)),
			Check: f.wrote(writes...),
		}
	}
	f.run(
		// Adoption: two are not wanted, one is new.
		step(customers+`, { source_schema_name = "public", source_table = "orders", target_table = "orders", excluded_columns = [], sorting_keys = ["id"] }`, `host = "pg2.example.com"`,
			`{"source": {"postgres": {
  "host": "pg2.example.com",
  "tableMappingsToRemove": [
    {"sourceSchemaName": "public", "sourceTable": "addresses", "targetTable": "addresses"},
    {"sourceSchemaName": "sales", "sourceTable": "leads", "targetTable": "sales_leads"}],
  "tableMappingsToAdd": [
    {"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders", "excludedColumns": [], "useCustomSortingKey": false, "sortingKeys": ["id"]}]
}}}`),
		// Another order, and members spelled out, are no change.
		step(`{ source_schema_name = "public", source_table = "orders", target_table = "orders", sorting_keys = ["id"], excluded_columns = [] },
    { source_schema_name = "public", source_table = "customers", target_table = "customers", excluded_columns = ["phone", "password_hash"] }`, ``),
		// A change waits until its source table is free.
		step(customers+`, { source_schema_name = "public", source_table = "orders", target_table = "orders_2", excluded_columns = [], sorting_keys = ["id"] },
    { source_schema_name = "public", source_table = "new", target_table = "new", use_custom_sorting_key = true, sorting_keys = ["x"], excluded_columns = ["y"] }`, ``,
			`{"source": {"postgres": {
  "tableMappingsToRemove": [{"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders"}],
  "tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "new", "targetTable": "new", "excludedColumns": ["y"], "useCustomSortingKey": true, "sortingKeys": ["x"]}]
}}}`,
			`{"source": {"postgres": {
  "tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders_2", "excludedColumns": [], "useCustomSortingKey": false, "sortingKeys": ["id"]}]
}}}`),
		step(``, ``, `{"source": {"postgres": {"tableMappingsToRemove": [
    {"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers"},
    {"sourceSchemaName": "public", "sourceTable": "new", "targetTable": "new"},
    {"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders_2"}]}}}`),
	)
}

func TestPipeCredentials(t *testing.T) {
	f := newFixture(t)
	const secret = `
variable "secret" {
  default   = "s3cr\"et"
  ephemeral = true
}
`
	step := func(id, arguments string, writes ...string) resource.TestStep {
		return resource.TestStep{
			PreConfig: f.ResetJournal,
			Config:    f.provider() + secret + pipeConfig(id, arguments),
			Check:     f.wrote(writes...),
		}
	}
	kafka := func(rest, iamRole string) string {
		return fmt.Sprintf(`
  source             = { kafka = { iam_role = %q } }
  source_credentials = { kafka = { %s } }`, iamRole, rest)
	}
	f.run(
		step(mockplatform.KafkaPipeID, kafka(`username = "u", password_wo = var.secret, password_wo_version = 1`, "role:orders-reader"),
			`{"source": {"kafka": {"credentials": {"username": "u", "password": "s3cr\"et"}}}}`),
		step(mockplatform.KafkaPipeID, kafka(`username = "u", password_wo_version = 1`, "role:orders-reader")),
		step(mockplatform.KafkaPipeID, kafka(`username = "u", password_wo = "new", password_wo_version = 2`, "role:orders-reader"),
			`{"source": {"kafka": {"credentials": {"username": "u", "password": "new"}}}}`),
		step(mockplatform.KafkaPipeID, kafka(`username = "v", password_wo = "new", password_wo_version = 2`, "role:orders-reader"),
			`{"source": {"kafka": {"credentials": {"username": "v", "password": "new"}}}}`),
		step(mockplatform.KafkaPipeID, kafka(`username = "v", password_wo = "new", password_wo_version = 2`, "role:x"),
			`{"source": {"kafka": {"iamRole": "role:x", "credentials": {"username": "v", "password": "new"}}}}`),
	)
}

func TestPipeCredentialsOfEveryKind(t *testing.T) {
	for _, test := range []struct{ id, credentials, body string }{
		{mockplatform.PostgresPipeID, `postgres = { username = "u", password_wo = "p", password_wo_version = 1 }`,
			`{"source": {"postgres": {"credentials": {"username": "u", "password": "p"}}}}`},
		{mockplatform.CloudStreamPipeID, `cloud_stream = { access_key_id = "a", secret_key_wo = "s", secret_key_wo_version = 1 }`,
			`{"source": {"cloudStream": {"accessKey": {"accessKeyId": "a", "secretKey": "s"}}}}`},
		{mockplatform.ObjectStoragePipeID, `object_storage = { access_key_id = "a", secret_key_wo = "s", secret_key_wo_version = 1 }`,
			`{"source": {"objectStorage": {"accessKey": {"accessKeyId": "a", "secretKey": "s"}}}}`},
		{mockplatform.ObjectStoragePipeID, `object_storage = { connection_string_wo = "c", connection_string_wo_version = 1 }`,
			`{"source": {"objectStorage": {"connectionString": "c"}}}`},
	} {
		t.Run(test.credentials, func(t *testing.T) {
			f := newFixture(t)
			f.run(resource.TestStep{
				Config: f.provider() + pipeConfig(test.id, `source_credentials = { `+test.credentials+` }`),
				Check:  f.wrote(test.body),
			})
		})
	}
}

func TestPipeImport(t *testing.T) {
	f := newFixture(t)
	config := f.provider() + pipeConfig(mockplatform.PostgresPipeID, `name = "customers"`)
	short := mockplatform.ServiceID + "/" + mockplatform.PostgresPipeID
	f.run(
		resource.TestStep{Config: config},
		resource.TestStep{ResourceName: thisPipe, ImportState: true, ImportStateId: short, ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "pipe_id"},
		resource.TestStep{ResourceName: thisPipe, ImportState: true, ImportStateId: mockplatform.OrganizationID + "/" + short, ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "pipe_id"},
		resource.TestStep{Config: config, Check: f.wrote(), ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(thisPipe, tfjsonpath.New("source").AtMapKey("postgres").AtMapKey("port"), knownvalue.Int64Exact(5432)),
		}},
	)
}
