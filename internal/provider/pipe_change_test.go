package provider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// pipeChange is a change of one pipe's configuration: what its plan shows, and
// what is sent.
type pipeChange struct {
	name, kind    string
	before, after string
	// differing is what the plan shows with its new value. Without a PATCH
	// nothing else changes; with one, state and updated_at are known after it.
	differing []string
	// unknown is what else is known after the apply alone.
	unknown []string
	patches []string
	// warning is a text of the one warning about this pipe; where there is none,
	// nothing warns. Terraform plans again in the apply, which warns alike.
	warning string
}

const (
	customersMapping = `{ source_schema_name = "public", source_table = "customers", target_table = "customers" }`
	addressesMapping = `{ source_schema_name = "public", source_table = "addresses", target_table = "addresses" }`
	leadsMapping     = `{ source_schema_name = "sales", source_table = "leads", target_table = "sales_leads" }`
	customersKey     = `{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers"}`
	addressesKey     = `{"sourceSchemaName": "public", "sourceTable": "addresses", "targetTable": "addresses"}`
)

func mappings(all ...string) string {
	return "source = { postgres = { table_mappings = [" + strings.Join(all, ", ") + "] } }"
}

// fullPostgres is a configuration in which everything of a Postgres pipe is
// declared as it is, but for the members that mappings omit.
func fullPostgres(host string) string {
	return fmt.Sprintf(`
  name     = "customers"
  settings = { engine_max_threads = 8, engine_parallel_distributed_insert_select = 2 }
  source = { postgres = {
    host = %q, port = 5432, database = "crm"
    settings       = { sync_interval_seconds = 60, pull_batch_size = 100000 }
    table_mappings = [%s, %s, %s]
  } }
  field_mappings = [
    { source_field = "id", destination_field = "id" },
    { source_field = "country", destination_field = "country" },
    { source_field = "name", destination_field = "name" },
  ]`, host, leadsMapping, customersMapping, addressesMapping)
}

var pipeChanges = []pipeChange{
	{
		name: "one member of a source", kind: mockplatform.PostgresPipeID,
		before: fullPostgres("customers.pg.example.com"), after: fullPostgres("other"),
		differing: []string{"source.postgres.host"},
		patches:   []string{`{"source": {"postgres": {"host": "other"}}}`},
	},
	{
		name: "one of two settings, and a number's spelling", kind: mockplatform.KafkaPipeID,
		before:    `settings = { engine_max_threads = 8, engine_max_insert_threads = 2 }`,
		after:     `settings = { engine_max_threads = 8.0, engine_max_insert_threads = 3 }`,
		differing: []string{"settings.engine_max_insert_threads"},
		patches:   []string{`{"settings": {"engine_max_insert_threads": 3}}`},
	},
	{
		name: "a setting of a source", kind: mockplatform.PostgresPipeID,
		before:    `source = { postgres = { settings = { sync_interval_seconds = 60 } } }`,
		after:     `source = { postgres = { settings = { sync_interval_seconds = 61 } } }`,
		differing: []string{"source.postgres.settings.sync_interval_seconds"},
		patches:   []string{`{"source": {"postgres": {"settings": {"syncIntervalSeconds": 61}}}}`},
	},
	{
		name: "a list is cleared", kind: mockplatform.ObjectStoragePipeID,
		before: `field_mappings = [{ source_field = "visitor", destination_field = "visitor" }]`, after: `field_mappings = []`,
		differing: []string{"field_mappings"},
		patches:   []string{`{"fieldMappings": []}`},
	},
	{
		name: "another list and a set are cleared, and texts", kind: mockplatform.KafkaPipeID,
		before: `name = "orders"`,
		after: `name = ""
  destination = { columns = [] }
  source      = { kafka = { iam_role = "", ca_certificate = "", reverse_private_endpoint_ids = [] } }`,
		differing: []string{"destination.columns", "name", "source.kafka.ca_certificate", "source.kafka.iam_role", "source.kafka.reverse_private_endpoint_ids"},
		patches:   []string{`{"name": "", "destination": {"columns": []}, "source": {"kafka": {"iamRole": "", "caCertificate": "", "reversePrivateEndpointIds": []}}}`},
	},
	{
		name: "the order of a set, and white space after a certificate", kind: mockplatform.KafkaPipeID,
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
		name: "validate_samples leaves the configuration", kind: mockplatform.KafkaPipeID,
		before:    `source = { kafka = { iam_role = "r" }, validate_samples = true }`,
		after:     `source = { kafka = { iam_role = "r" } }`,
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
		name: "everything is omitted", kind: mockplatform.PostgresPipeID,
		before: fullPostgres("customers.pg.example.com"), after: ``,
	},
	{
		name: "a leaf is ignored", kind: mockplatform.KafkaPipeID,
		before: `name = "orders"`,
		after: `name = "never sent"
  settings = { engine_max_threads = 9 }
  lifecycle { ignore_changes = [name] }`,
		differing: []string{"settings.engine_max_threads"},
		patches:   []string{`{"settings": {"engine_max_threads": 9}}`},
	},
	{
		name: "lists, a nested leaf and table mappings are ignored", kind: mockplatform.PostgresPipeID,
		before: fullPostgres("customers.pg.example.com"),
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
		name: "mappings in another order, with members spelled out", kind: mockplatform.PostgresPipeID,
		before: mappings(customersMapping, addressesMapping, leadsMapping),
		after: mappings(leadsMapping, `{ source_schema_name = "public", source_table = "customers", target_table = "customers",
      excluded_columns = ["phone", "password_hash"], use_custom_sorting_key = true, sorting_keys = ["country", "id"] }`,
			`{ source_schema_name = "public", source_table = "addresses", target_table = "addresses", excluded_columns = [], sorting_keys = [], use_custom_sorting_key = false }`),
	},
	{
		name: "a mapping that is declared in full changes", kind: mockplatform.PostgresPipeID,
		before: mappings(customersMapping, addressesMapping, leadsMapping),
		after: mappings(addressesMapping, leadsMapping,
			`{ source_schema_name = "public", source_table = "customers", target_table = "customers",
      excluded_columns = ["phone", "password_hash"], use_custom_sorting_key = true, sorting_keys = ["id"] }`) + "\n  name = \"n\"",
		differing: []string{"name", "source.postgres.table_mappings"},
		patches: []string{
			`{"name": "n", "source": {"postgres": {"tableMappingsToRemove": [` + customersKey + `]}}}`,
			`{"source": {"postgres": {"tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers",
  "excludedColumns": ["password_hash", "phone"], "useCustomSortingKey": true, "sortingKeys": ["id"]}]}}}`,
		},
		warning: "A mapping cannot be changed in place. These are removed and added again, so the platform may copy their tables again. Settings of these tables that are not attributes of a mapping, such as engine and partitions, are reset to the platform's defaults: - public.customers to customers",
	},
	{
		name: "a mapping gets another target, one is new and one goes", kind: mockplatform.PostgresPipeID,
		before: mappings(customersMapping, addressesMapping, leadsMapping),
		after: mappings(leadsMapping, `{ source_schema_name = "public", source_table = "customers", target_table = "people", excluded_columns = [] }`,
			`{ source_schema_name = "public", source_table = "new", target_table = "new", excluded_columns = ["x"] }`),
		differing: []string{"source.postgres.table_mappings"},
		patches: []string{
			`{"source": {"postgres": {"tableMappingsToRemove": [` + addressesKey + `, ` + customersKey + `],
  "tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "new", "targetTable": "new", "excludedColumns": ["x"], "useCustomSortingKey": false, "sortingKeys": []}]}}}`,
			`{"source": {"postgres": {"tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "people", "excludedColumns": [], "useCustomSortingKey": false, "sortingKeys": []}]}}}`,
		},
		warning: "- public.customers to people",
	},
	{
		name: "credentials travel with a change of their kind, in both PATCHes", kind: mockplatform.PostgresPipeID,
		before: mappings(customersMapping, addressesMapping, leadsMapping) + `
  source_credentials = { postgres = { username = "u", password_wo = "pass", password_wo_version = 1 } }`,
		after: mappings(customersMapping, leadsMapping, `{ source_schema_name = "public", source_table = "addresses", target_table = "a", excluded_columns = [] }`) + `
  source_credentials = { postgres = { username = "u", password_wo = "pass", password_wo_version = 1 } }`,
		differing: []string{"source.postgres.table_mappings"},
		patches: []string{
			`{"source": {"postgres": {"credentials": {"username": "u", "password": "pass"}, "tableMappingsToRemove": [` + addressesKey + `]}}}`,
			`{"source": {"postgres": {"credentials": {"username": "u", "password": "pass"}, "tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "addresses", "targetTable": "a", "excludedColumns": [], "useCustomSortingKey": false, "sortingKeys": []}]}}}`,
		},
		warning: "- public.addresses to a",
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
		before:    `source_credentials = { kafka = { username = "u", password_wo = "pass", password_wo_version = 1 } }`,
		after:     "name = \"n\"\n  source_credentials = { kafka = { username = \"v\", password_wo = \"pass\", password_wo_version = 1 } }",
		differing: []string{"name", "source_credentials.kafka.username"},
		patches:   []string{`{"name": "n", "source": {"kafka": {"credentials": {"username": "v", "password": "pass"}}}}`},
	},
	{
		name: "another kind of leaf changes, without the credentials", kind: mockplatform.KafkaPipeID,
		before:    `source_credentials = { kafka = { username = "u", password_wo = "pass", password_wo_version = 1 } }`,
		after:     "name = \"n\"\n  source_credentials = { kafka = { username = \"u\", password_wo = \"pass\", password_wo_version = 1 } }",
		differing: []string{"name"},
		patches:   []string{`{"name": "n"}`},
	},
	{
		name: "the secret is not at hand and nothing asks for it", kind: mockplatform.KafkaPipeID,
		before: `source_credentials = { kafka = { username = "u", password_wo = "pass", password_wo_version = 1 } }`,
		after:  `source_credentials = { kafka = { username = "u", password_wo_version = 1 } }`,
	},
	{
		name: "credentials are omitted", kind: mockplatform.KafkaPipeID,
		before:    `source_credentials = { kafka = { username = "u", password_wo = "pass", password_wo_version = 1 } }`,
		after:     ``,
		differing: []string{"source_credentials"},
	},
	{
		name: "a value that is unknown until the apply", kind: mockplatform.KafkaPipeID,
		before:  `source = { kafka = { iam_role = "a" } }`,
		after:   `source = { kafka = { iam_role = terraform_data.later.output } }`,
		unknown: []string{"source.kafka.iam_role"},
		patches: []string{`{"source": {"kafka": {"iamRole": "later"}}}`},
	},
	{
		name: "a version and a user that are unknown until the apply", kind: mockplatform.PostgresPipeID,
		before:  `source_credentials = { postgres = { username = "u", password_wo = "pass", password_wo_version = 1 } }`,
		after:   `source_credentials = { postgres = { username = terraform_data.later.output, password_wo = "pass", password_wo_version = length(terraform_data.later.output) } }`,
		unknown: []string{"source_credentials.postgres.password_wo_version", "source_credentials.postgres.username"},
		patches: []string{`{"source": {"postgres": {"credentials": {"username": "later", "password": "pass"}}}}`},
	},
	{
		name: "a member of a mapping that is unknown until the apply", kind: mockplatform.PostgresPipeID,
		before: mappings(customersMapping),
		after: mappings(customersMapping,
			`{ source_schema_name = "public", source_table = terraform_data.later.output, target_table = "t", excluded_columns = ["x"] }`),
		differing: []string{"source.postgres.table_mappings"},
		unknown: []string{
			"source.postgres.table_mappings[1].sorting_keys",
			"source.postgres.table_mappings[1].source_table", "source.postgres.table_mappings[1].use_custom_sorting_key",
		},
		patches: []string{`{"source": {"postgres": {"tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "later", "targetTable": "t", "excludedColumns": ["x"], "useCustomSortingKey": false, "sortingKeys": []}]}}}`},
	},
}

// TestPipeChanges makes all changes at once. Each plan shows what was asked
// for and what the platform moves by itself, and nothing else.
func TestPipeChanges(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() + `resource "terraform_data" "later" { input = "later" }`)
	var ids []string
	var before, after strings.Builder
	for i, change := range pipeChanges {
		id := f.clonePipe(change.kind)
		ids = append(ids, id)
		before.WriteString(onePipe(fmt.Sprintf("p%d", i), id, change.before))
		after.WriteString(onePipe(fmt.Sprintf("p%d", i), id, change.after))
	}
	w.file("main.tf", f.provider()+before.String())
	w.apply()
	w.wantEmptyPlan()

	// terraform_data is new only now, so that its output is unknown.
	w.file("main.tf", f.provider()+`resource "terraform_data" "later" { input = "later" }`+"\n"+after.String())
	f.ResetJournal()
	warnings, changes := w.planWithWarnings()
	for i, change := range pipeChanges {
		t.Run("plan "+change.name, func(t *testing.T) {
			if got := f.gets(ids[i]); got != 1 {
				t.Errorf("the plan read the pipe %d times", got)
			}
			address := fmt.Sprintf("dataplatform_pipe.p%d", i)
			change.checkPlan(t, changes[address])
			wantWarning(t, warnings[address], change.warning)
		})
	}
	f.wantWrites()
	warnings, ok := w.warnings("apply", "-input=false", "tf.plan")
	if !ok {
		t.Fatal("apply failed")
	}
	for i, change := range pipeChanges {
		t.Run("apply "+change.name, func(t *testing.T) {
			f.in(t).wantPatches(ids[i], change.patches...)
			wantWarning(t, warnings[fmt.Sprintf("dataplatform_pipe.p%d", i)], change.warning)
		})
	}
	f.ResetJournal()
	w.wantEmptyPlan()
	f.wantWrites()
}

func (change pipeChange) checkPlan(t *testing.T, plan planned) {
	t.Helper()
	action, unknown := "no-op", slices.Clone(change.unknown)
	if len(change.differing)+len(unknown) > 0 {
		action = "update"
	}
	if len(change.patches) > 0 {
		unknown = append(unknown, "state", "updated_at")
	}
	slices.Sort(unknown)
	if got := plan.Change.Actions; len(got) != 1 || got[0] != action {
		t.Errorf("the plan is to %v, want %s", got, action)
	}
	if got := plan.differing(); !slices.Equal(got, change.differing) {
		t.Errorf("the plan shows changes of %v, want %v", got, change.differing)
	}
	if got := plan.unknown(); !slices.Equal(got, unknown) {
		t.Errorf("known after the apply is %v, want %v", got, unknown)
	}
}

// TestTextInAnotherNormalForm has a platform whose texts are not in the normal form
// that Terraform gives to those of the configuration: they are the same texts.
func TestTextInAnotherNormalForm(t *testing.T) {
	f := newFixture(t)
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
		doc["name"] = "cafe\u0301"
		setMember(doc, "source.postgres.tableMappings", []any{mockplatform.Document{
			"sourceSchemaName": "public", "sourceTable": "cafe\u0301", "targetTable": "cafe\u0301",
			"excludedColumns": []any{"na\u0303o", "pw"}, "useCustomSortingKey": false, "sortingKeys": []any{},
		}})
	})
	mapped := func(members string) string { return mappings(wanted("public.caf\u00e9", "caf\u00e9", members)) }
	full := mapped(`excluded_columns = ["n\u00e3o", "pw"], use_custom_sorting_key = false, sorting_keys = []`)
	w := f.workspace(f.provider() + onePipe("this", mockplatform.PostgresPipeID, full+"\n  name = \"caf\u00e9\""))
	w.apply()
	w.wantEmptyPlan()
	f.wantPatches(mockplatform.PostgresPipeID)
	for i, arguments := range []string{full, mapped("")} {
		w.file("main.tf", f.provider()+onePipe("this", mockplatform.PostgresPipeID, arguments+fmt.Sprintf("\n  name = \"%d\"", i)))
		f.ResetJournal()
		w.apply()
		f.wantPatches(mockplatform.PostgresPipeID, fmt.Sprintf(`{"name": "%d"}`, i))
		w.wantEmptyPlan()
	}
}

// TestMappingInAnotherNormalForm changes and removes a mapping whose names the platform has
// in another normal form than Terraform: they go out as the platform spells them. A column
// that is excluded in another spelling would not be excluded.
func TestMappingInAnotherNormalForm(t *testing.T) {
	f := newFixture(t)
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
		setMember(doc, "source.postgres.tableMappings", []any{mockplatform.Document{
			"sourceSchemaName": "public", "sourceTable": "cafe\u0301", "targetTable": "cafe\u0301",
			"excludedColumns": []any{"na\u0303o", "pw"}, "useCustomSortingKey": false, "sortingKeys": []any{},
		}})
	})
	const key = `"sourceSchemaName": "public", "sourceTable": "cafe\u0301", "targetTable": "cafe\u0301"`
	w := f.workspace(f.provider() + onePipe("this", mockplatform.PostgresPipeID,
		mappings(wanted("public.caf\u00e9", "caf\u00e9", `excluded_columns = ["n\u00e3o", "pw"], use_custom_sorting_key = true, sorting_keys = ["id"]`))))
	w.apply()
	f.wantWrites(`{"source": {"postgres": {"tableMappingsToRemove": [{`+key+`}]}}}`,
		`{"source": {"postgres": {"tableMappingsToAdd": [{`+key+`, "excludedColumns": ["na\u0303o", "pw"], "useCustomSortingKey": true, "sortingKeys": ["id"]}]}}}`)
	w.wantEmptyPlan()
	w.file("main.tf", f.provider()+onePipe("this", mockplatform.PostgresPipeID, mappings()))
	w.apply()
	f.wantWrites(`{"source": {"postgres": {"tableMappingsToRemove": [{` + key + `}]}}}`)
	w.wantEmptyPlan()
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
	if got := fmt.Sprint(member(w.state()[thisPipe], "settings.engine_max_threads")); got != big.String() {
		t.Errorf("the state has %s", got)
	}
	w.wantEmptyPlan()
	if out, ok := w.terraform("state", "rm", thisPipe); !ok {
		t.Fatal(out)
	}
	if out, ok := w.terraform("import", "-input=false", thisPipe, mockplatform.ServiceID+"/"+mockplatform.KafkaPipeID); !ok {
		t.Fatal(out)
	}
	w.wantEmptyPlan()
	f.wantWrites()
}
