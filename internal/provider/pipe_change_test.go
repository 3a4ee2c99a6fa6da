package provider

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

const thisPipe = "dataplatform_pipe.this"

// pipeConfig is a pipe of the seed with further arguments.
func pipeConfig(id, arguments string) string { return onePipe("this", id, arguments) }

const (
	kafkaUser   = `source_credentials = { kafka = { username = "u", password_wo = "pass", password_wo_version = 1 } }`
	postgresOne = `source_credentials = { postgres = { username = "u", password_wo = "pass", password_wo_version = 1 } }`
)

// pipeChange is a change of one pipe's configuration: what its plan shows, and what is
// sent.
type pipeChange struct {
	name, kind    string
	before, after string
	// differing is what the plan shows with its new value. Without a PATCH nothing else
	// changes; with one, state and updated_at are known after it.
	differing []string
	// unknown is what else is known after the apply alone.
	unknown []string
	patches []string
	// warning is a text of the one warning; where there is none, nothing warns.
	warning string
}

var pipeChanges = []pipeChange{
	{
		name: "one of many members of a source", kind: mockplatform.PostgresPipeID,
		before: `source = { postgres = { host = "h", port = 5432, settings = { sync_interval_seconds = 60, pull_batch_size = 100000 }, table_mappings = [` + leadsMapping + `, ` + customersMapping + `, ` + addressesMapping + `] } }`,
		after:  `source = { postgres = { host = "h", port = 5432.0, settings = { sync_interval_seconds = 61, pull_batch_size = 100000 }, table_mappings = [` + leadsMapping + `, ` + customersMapping + `, ` + addressesMapping + `] } }`,

		differing: []string{"source.postgres.settings.sync_interval_seconds"},
		patches:   []string{`{"source": {"postgres": {"settings": {"syncIntervalSeconds": 61}}}}`},
	},
	{
		name: "lists, a set and texts are cleared", kind: mockplatform.KafkaPipeID,
		before: `name = "orders"`,
		after: `name = ""
  destination    = { columns = [] }
  field_mappings = []
  source         = { kafka = { iam_role = "", ca_certificate = "", reverse_private_endpoint_ids = [] } }`,
		differing: []string{"destination.columns", "field_mappings", "name", "source.kafka.ca_certificate", "source.kafka.iam_role", "source.kafka.reverse_private_endpoint_ids"},
		patches:   []string{`{"name": "", "fieldMappings": [], "destination": {"columns": []}, "source": {"kafka": {"iamRole": "", "caCertificate": "", "reversePrivateEndpointIds": []}}}`},
	},
	{
		name: "the order of a set, and whitespace after a certificate", kind: mockplatform.KafkaPipeID,
		before: `source = { kafka = { reverse_private_endpoint_ids = ["rpe-north", "rpe-south"], ca_certificate = "x" } }`,
		after:  `source = { kafka = { reverse_private_endpoint_ids = ["rpe-south", "rpe-north"], ca_certificate = "x \n\n" } }`,
	},
	{
		name: "validate_samples alone", kind: mockplatform.KafkaPipeID,
		before:    `source = { kafka = { iam_role = "r" } }`,
		after:     `source = { kafka = { iam_role = "r" }, validate_samples = true }`,
		differing: []string{"source.validate_samples"},
	},
	{
		name: "validate_samples with a name", kind: mockplatform.KafkaPipeID,
		before:    `source = { validate_samples = false }`,
		after:     "name = \"n\"\n  source = { validate_samples = true }",
		differing: []string{"name", "source.validate_samples"},
		patches:   []string{`{"name": "n"}`},
	},
	{
		name: "validate_samples with the source", kind: mockplatform.KafkaPipeID,
		before:    `source = { kafka = { iam_role = "r" } }`,
		after:     `source = { kafka = { iam_role = "s" }, validate_samples = true }`,
		differing: []string{"source.kafka.iam_role", "source.validate_samples"},
		patches:   []string{`{"source": {"kafka": {"iamRole": "s"}, "validateSamples": true}}`},
	},
	{
		name: "lists, a nested leaf and table mappings are ignored", kind: mockplatform.PostgresPipeID,
		before: seedMappings,
		after: mappings(customersMapping) + `
  name           = "n"
  field_mappings = []
  settings       = { engine_max_threads = 3, engine_max_insert_threads = 3 }
  lifecycle { ignore_changes = [source, field_mappings, settings.engine_max_threads] }`,
		differing: []string{"name", "settings.engine_max_insert_threads"},
		patches:   []string{`{"name": "n", "settings": {"engine_max_insert_threads": 3}}`},
	},
	{
		name: "credentials are ignored", kind: mockplatform.CloudStreamPipeID,
		before: ``,
		after: `source = { cloud_stream = { iam_role = "r" } }
  source_credentials = { cloud_stream = { access_key_id = "a", secret_key_wo = "never sent", secret_key_wo_version = 1 } }
  lifecycle { ignore_changes = [source_credentials] }`,
		differing: []string{"source.cloud_stream.iam_role"},
		patches:   []string{`{"source": {"cloudStream": {"iamRole": "r"}}}`},
	},
	{
		name: "a mapping that is declared in full changes", kind: mockplatform.PostgresPipeID,
		before: seedMappings, after: customersSorted + "\n  name = \"n\"",
		differing: []string{"name", "source.postgres.table_mappings"},
		patches:   []string{`{"name": "n", "source": {"postgres": {"tableMappingsToRemove": [` + customersKey + `]}}}`, addsCustomers},
		warning:   "A mapping cannot be changed in place. These are removed and added again, so the platform may copy their tables again. Settings of these tables that are not attributes of a mapping, such as engine and partitions, are reset to the platform's defaults: - public.customers to customers",
	},
	{
		name: "a mapping gets another target, one is new and one goes, with credentials", kind: mockplatform.PostgresPipeID,
		before: seedMappings + "\n" + postgresOne, after: remapped,
		differing: []string{"source.postgres.host", "source.postgres.table_mappings"},
		patches:   []string{firstRemap, secondRemap},
		warning:   "- public.customers to people",
	},
	{
		name: "a target gets another table", kind: mockplatform.PostgresPipeID,
		before:    seedMappings,
		after:     mappings(customersMapping, addressesMapping, wanted("sales.people", "sales_leads", `excluded_columns = []`)),
		differing: []string{"source.postgres.table_mappings"},
		patches: []string{`{"source": {"postgres": {"tableMappingsToRemove": [` + leadsKey + `]}}}`,
			`{"source": {"postgres": {"tableMappingsToAdd": [{"sourceSchemaName": "sales", "sourceTable": "people", "targetTable": "sales_leads", "excludedColumns": [], "useCustomSortingKey": false, "sortingKeys": []}]}}}`},
	},
	{
		name: "a custom sorting key without keys", kind: mockplatform.PostgresPipeID,
		before:    seedMappings,
		after:     mappings(customersMapping, addressesMapping, leadsMapping, wanted("public.new", "new", `excluded_columns = [], use_custom_sorting_key = true`)),
		differing: []string{"source.postgres.table_mappings"},
		patches:   []string{`{"source": {"postgres": {"tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "new", "targetTable": "new", "excludedColumns": [], "useCustomSortingKey": true, "sortingKeys": []}]}}}`},
		warning:   `Table mappings of pipe "customers" (` + mockplatform.PostgresPipeID + `) have no sorting keys`,
	},
	{
		name: "a version changes", kind: mockplatform.CloudStreamPipeID,
		before:    `source_credentials = { cloud_stream = { access_key_id = "a", secret_key_wo = "first", secret_key_wo_version = 1 } }`,
		after:     `source_credentials = { cloud_stream = { access_key_id = "a", secret_key_wo = "second", secret_key_wo_version = 2 } }`,
		differing: []string{"source_credentials.cloud_stream.secret_key_wo_version"},
		patches:   []string{`{"source": {"cloudStream": {"accessKey": {"accessKeyId": "a", "secretKey": "second"}}}}`},
	},
	{
		name: "one of two versions changes, and the other secret is not at hand", kind: mockplatform.ObjectStoragePipeID,
		before: `source = { validate_samples = true }
  source_credentials = { object_storage = { access_key_id = "a", secret_key_wo = "first", secret_key_wo_version = 1, connection_string_wo = "text", connection_string_wo_version = 1 } }`,
		after: `source = { validate_samples = true }
  source_credentials = { object_storage = { access_key_id = "a", secret_key_wo_version = 1, connection_string_wo = "more", connection_string_wo_version = 2 } }`,
		differing: []string{"source_credentials.object_storage.connection_string_wo_version"},
		patches:   []string{`{"source": {"objectStorage": {"connectionString": "more"}, "validateSamples": true}}`},
	},
	{
		name: "a user changes, and a name beside it", kind: mockplatform.KafkaPipeID,
		before:    kafkaUser,
		after:     "name = \"n\"\n  source_credentials = { kafka = { username = \"v\", password_wo = \"pass\", password_wo_version = 1 } }",
		differing: []string{"name", "source_credentials.kafka.username"},
		patches:   []string{`{"name": "n", "source": {"kafka": {"credentials": {"username": "v", "password": "pass"}}}}`},
	},
	{
		name: "the source changes, and its credentials travel with it", kind: mockplatform.KafkaPipeID,
		before: kafkaUser, after: "source = { kafka = { iam_role = \"r\" } }\n" + kafkaUser,
		differing: []string{"source.kafka.iam_role"},
		patches:   []string{`{"source": {"kafka": {"iamRole": "r", "credentials": {"username": "u", "password": "pass"}}}}`},
	},
	{
		name: "something else changes, without the credentials", kind: mockplatform.KafkaPipeID,
		before: kafkaUser, after: "name = \"n\"\n" + kafkaUser,
		differing: []string{"name"},
		patches:   []string{`{"name": "n"}`},
	},
	{
		name: "the secret is not at hand and nothing asks for it", kind: mockplatform.KafkaPipeID,
		before: kafkaUser, after: `source_credentials = { kafka = { username = "u", password_wo_version = 1 } }`,
	},
	{
		name: "the source changes, and the secret is not at hand", kind: mockplatform.PostgresPipeID,
		before: postgresOne, after: `source = { postgres = { host = "other" } }
  source_credentials = { postgres = { username = "u", password_wo_version = 1 } }`,
		differing: []string{"source.postgres.host"},
		patches:   []string{`{"source": {"postgres": {"host": "other"}}}`},
		warning:   `Source of pipe "customers" (` + mockplatform.PostgresPipeID + `) changes without its credentials: source.postgres changes, but this run does not set source_credentials.postgres.password_wo, so no credentials are sent`,
	},
	{
		name: "something else changes, and the secret is not at hand", kind: mockplatform.PostgresPipeID,
		before: postgresOne, after: `name = "n"
  source_credentials = { postgres = { username = "u", password_wo_version = 1 } }`,
		differing: []string{"name"},
		patches:   []string{`{"name": "n"}`},
	},
	{
		name: "the source is ignored, and the secret is not at hand", kind: mockplatform.PostgresPipeID,
		before: postgresOne, after: `source = { postgres = { host = "other" } }
  source_credentials = { postgres = { username = "u", password_wo_version = 1 } }
  lifecycle { ignore_changes = [source] }`,
	},
	{
		name: "credentials leave the configuration", kind: mockplatform.KafkaPipeID,
		before: kafkaUser, after: ``,
		differing: []string{"source_credentials"},
	},
	{
		name: "a version and a user that are unknown until the apply", kind: mockplatform.PostgresPipeID,
		before:  postgresOne,
		after:   `source_credentials = { postgres = { username = later.text, password_wo = "pass", password_wo_version = later.number } }`,
		unknown: []string{"source_credentials.postgres.password_wo_version", "source_credentials.postgres.username"},
		patches: []string{`{"source": {"postgres": {"credentials": {"username": "later", "password": "pass"}}}}`},
	},
	{
		name: "a member of a mapping that is unknown until the apply", kind: mockplatform.PostgresPipeID,
		before: seedMappings,
		after: mappings(customersMapping, addressesMapping, leadsMapping,
			`{ source_schema_name = "public", source_table = later.text, target_table = "t", excluded_columns = ["x"] }`),
		unknown: []string{"source.postgres.table_mappings"},
		patches: []string{`{"source": {"postgres": {"tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "later", "targetTable": "t", "excludedColumns": ["x"], "useCustomSortingKey": false, "sortingKeys": []}]}}}`},
	},
}

// TestPipeChanges makes each change. Its plan shows what was asked for and what the
// platform moves by itself, and nothing else.
func TestPipeChanges(t *testing.T) {
	t.Parallel()
	for _, change := range pipeChanges {
		t.Run(change.name, func(t *testing.T) {
			f := newFixture(t)
			b := f.pipe(change.kind, change.before)
			b.apply()
			b.arguments = change.after
			f.ResetJournal()
			plan := b.plan()
			if got := f.gets(b.id); got != 1 {
				t.Errorf("the plan read the pipe %d times", got)
			}
			f.wantWrites()
			action, unknown := "none", slices.Clone(change.unknown)
			if len(change.differing)+len(unknown) > 0 {
				action = "update"
			}
			if len(change.patches) > 0 {
				unknown = append(unknown, "state", "updated_at")
			}
			slices.Sort(unknown)
			if plan.action != action || !slices.Equal(plan.changed(), change.differing) || !slices.Equal(plan.unknown(), unknown) {
				t.Errorf("the plan is to %s %q, with %q known after it; want %s %q, with %q", plan.action, plan.changed(), plan.unknown(), action, change.differing, unknown)
			}
			wantWarning(t, plan.warnings, change.warning)
			b.applyPlan(plan)
			b.sends(change.patches...)
			b.arguments = change.after
			if next := b.plan(); next.action != "none" {
				t.Errorf("the next plan is to %s %q", next.action, next.changed())
			}
			f.wantWrites()
		})
	}
}

// TestNumberBeyond63Bits has a platform that returns a whole number that no argument may
// have: nothing is sent as long as nobody configures it.
func TestNumberBeyond63Bits(t *testing.T) {
	f := newFixture(t)
	big := json.Number("9223372036854775808")
	f.UpdatePipe(mockplatform.KafkaPipeID, func(doc mockplatform.Document) { setMember(doc, "settings.engine_max_threads", big) })
	w := f.workspace(f.provider() + pipeConfig(mockplatform.KafkaPipeID, `name = "n"`))
	w.apply()
	f.wantWrites(`{"name": "n"}`)
	w.wantEmptyPlan()
	// Nor is a number configured that the protocol does not carry unchanged.
	b := f.pipe(mockplatform.KafkaPipeID, "settings = { engine_parallel_distributed_insert_select = 73786976294838206464 }")
	b.refuses(b.tryPlan(f.start()), "Invalid number", "settings.engine_parallel_distributed_insert_select must be")
}

// TestValidateSamplesBesideAnUnknownLeaf changes the source by a value that is known only
// in the apply, and there is another or the same, while validate_samples comes, stays,
// changes or goes.
func TestValidateSamplesBesideAnUnknownLeaf(t *testing.T) {
	validate := map[string]string{"none": "", "false": "validate_samples = false,", "true": "validate_samples = true,"}
	for was, first := range validate {
		for is, then := range validate {
			for _, role := range []string{"a", "later"} {
				t.Run(fmt.Sprint(role, was, is), func(t *testing.T) {
					f := newFixture(t)
					b := f.pipe(mockplatform.KafkaPipeID, fmt.Sprintf(`source = { %s kafka = { iam_role = %q } }`, first, role))
					b.apply()
					f.ResetJournal()
					b.applyAs(fmt.Sprintf(`source = { %s kafka = { iam_role = later.text } }`, then))
					switch {
					case role == "later":
						b.sends()
					case is == "none":
						b.sends(`{"source": {"kafka": {"iamRole": "later"}}}`)
					default:
						b.sends(`{"source": {"kafka": {"iamRole": "later"}, "validateSamples": ` + is + `}}`)
					}
				})
			}
		}
	}
}
