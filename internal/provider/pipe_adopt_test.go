package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// TestPipeAdoption adopts a pipe of each kind, with what overwrites and what
// matches, and counts: three GETs and one PATCH from plan to state.
func TestPipeAdoption(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() +
		onePipe("kafka", mockplatform.KafkaPipeID, `
  name           = "configured-name"
  field_mappings = [{ source_field = "configured", destination_field = "configured" }]
  settings       = { engine_max_threads = 9007199254740993, engine_max_insert_threads = 2 }
  source         = { kafka = { iam_role = "role:orders-reader", reverse_private_endpoint_ids = ["configured"] }, validate_samples = true }
  source_credentials = { kafka = { username = "configured-user", password_wo = "configured-pass", password_wo_version = 1 } }`) +
		onePipe("stream", mockplatform.CloudStreamPipeID, `source_credentials = { cloud_stream = { access_key_id = "a", secret_key_wo = "configured-secret", secret_key_wo_version = 7 } }`) +
		onePipe("postgres", mockplatform.PostgresPipeID, `source = { postgres = { port = 5432.0, table_mappings = [`+leadsMapping+`, `+addressesMapping+`, `+customersMapping+`] } }`) +
		onePipe("storage", mockplatform.ObjectStoragePipeID, ``))
	out, changes := w.plan()
	wantText(t, out,
		"Creating this resource overwrites current values of pipe \"orders\" ("+mockplatform.KafkaPipeID+")",
		`- field_mappings (currently [{destination_field = "order_id", source_field = "orderId"}`,
		`- name (currently "orders")`,
		`- settings.engine_max_threads (currently 8)`,
		`- source.kafka.reverse_private_endpoint_ids (currently ["rpe-north", "rpe-south"])`,
	)
	warnings, _ := w.planWithWarnings()
	wantNoText(t, strings.Join(adoptionLines(t, warnings["dataplatform_pipe.kafka"]), "\n"), "configured", "9007199254740993", "engine_max_insert_threads", "iam_role")
	wantNoText(t, strings.Join(adoptionLines(t, warnings["dataplatform_pipe.stream"]), "\n"), "configured")
	wantWarning(t, warnings["dataplatform_pipe.postgres"], "")
	wantWarning(t, warnings["dataplatform_pipe.storage"], "")
	wantText(t, out,
		"Creating this resource overwrites current values of pipe \"sensor-readings\" ("+mockplatform.CloudStreamPipeID+")",
		"- credentials of source_credentials.cloud_stream (the API does not return the current ones)",
		"- credentials of source_credentials.kafka (the API does not return the current ones)",
		"To see old and new values in the plan, and in its JSON, use an import block.")
	if n := strings.Count(out, "overwrites current values of"); n != 2 {
		t.Errorf("%d warnings of an adoption", n)
	}
	f.wantWrites()

	if got := changes["dataplatform_pipe.postgres"].Change.AfterUnknown; member(got, "source.postgres.port") != nil || member(got, "source.postgres.host") != true {
		t.Errorf("unknown in the plan are %v", got)
	}
	f.ResetJournal()
	w.apply()
	f.wantPatches(mockplatform.KafkaPipeID, `{
  "name": "configured-name",
  "fieldMappings": [{"sourceField": "configured", "destinationField": "configured"}],
  "settings": {"engine_max_threads": 9007199254740993},
  "source": {"kafka": {"reversePrivateEndpointIds": ["configured"], "credentials": {"username": "configured-user", "password": "configured-pass"}}, "validateSamples": true}
}`)
	f.wantPatches(mockplatform.CloudStreamPipeID, `{"source": {"cloudStream": {"accessKey": {"accessKeyId": "a", "secretKey": "configured-secret"}}}}`)
	f.wantPatches(mockplatform.PostgresPipeID)
	f.wantPatches(mockplatform.ObjectStoragePipeID)
	for _, id := range []string{mockplatform.KafkaPipeID, mockplatform.CloudStreamPipeID, mockplatform.PostgresPipeID, mockplatform.ObjectStoragePipeID} {
		if n := f.gets(id); n > 3 {
			t.Errorf("%s was read %d times", id, n)
		}
	}
	w.wantEmptyPlan()

	state := w.state()
	checkPipeState(t, f, "dataplatform_pipe.kafka", state, mockplatform.KafkaPipeID)
	checkPipeState(t, f, "dataplatform_pipe.stream", state, mockplatform.CloudStreamPipeID)
	checkPipeState(t, f, "dataplatform_pipe.postgres", state, mockplatform.PostgresPipeID)
	checkPipeState(t, f, "dataplatform_pipe.storage", state, mockplatform.ObjectStoragePipeID)
	if all := toJSON(t, state); strings.Contains(all, "configured-pass") || strings.Contains(all, "configured-secret") || strings.Contains(all, "BlobEndpoint") {
		t.Errorf("a secret in the state: %s", all)
	}
}

// checkPipeState compares a pipe in the state with its document, member by
// member. The resource has more, and lacks connectionString.
func checkPipeState(t *testing.T, f *fixture, address string, state map[string]object, id string) {
	t.Helper()
	doc := f.Pipe(id)
	setMember(doc, "pipe_id", doc["id"])
	delete(doc, "id")
	if source, ok := member(doc, "source.objectStorage").(mockplatform.Document); ok && strings.HasPrefix(address, "dataplatform_pipe") {
		delete(source, "connectionString")
	}
	compareShown(t, address, doc, state[address])
}

// compareShown fails for every member of a document that an attribute in
// snake_case doesn't show.
func compareShown(t *testing.T, at string, told, shown any) {
	t.Helper()
	switch told := told.(type) {
	case mockplatform.Document:
		attributes, ok := shown.(object)
		if !ok {
			t.Errorf("%s is %v, want %v", at, shown, told)
			return
		}
		for name, value := range told {
			compareShown(t, at+"."+snake(name), value, attributes[snake(name)])
		}
	case []any:
		elements, ok := shown.([]any)
		if !ok || len(elements) != len(told) {
			t.Errorf("%s is %v, want %v", at, shown, told)
			return
		}
		if strings.HasSuffix(at, "table_mappings") || strings.HasSuffix(at, "_ids") || strings.HasSuffix(at, "excluded_columns") {
			order := func(a, b any) int { return strings.Compare(inSnake(t, a), inSnake(t, b)) }
			told, elements = slices.SortedFunc(slices.Values(told), order), slices.SortedFunc(slices.Values(elements), order)
		}
		for i := range told {
			compareShown(t, fmt.Sprintf("%s[%d]", at, i), told[i], elements[i])
		}
	default:
		if fmt.Sprint(told) != fmt.Sprint(shown) {
			t.Errorf("%s is %v, want %v", at, shown, told)
		}
	}
}

// inSnake spells a JSON value with its names in snake_case.
func inSnake(t *testing.T, value any) string {
	t.Helper()
	if doc, ok := value.(object); ok {
		renamed := object{}
		for name, member := range doc {
			renamed[snake(name)] = member
		}
		value = renamed
	}
	return toJSON(t, value)
}

func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

// TestPipeUnknownAtPlan adopts pipes of which the plan knows neither id nor
// provider: what a plan checks is checked at the apply, before anything is
// sent, and a mapping keeps its excluded columns.
func TestPipeUnknownAtPlan(t *testing.T) {
	const later = `
resource "terraform_data" "id" { input = %q }
`
	pipe := func(arguments string) string {
		return fmt.Sprintf("resource \"dataplatform_pipe\" \"this\" {\n  service_id = %q\n  pipe_id = terraform_data.id.output\n%s\n}\n", mockplatform.ServiceID, arguments)
	}
	wanted := pipe(mappings(`{ source_schema_name = "public", source_table = "customers", target_table = "customers",
      excluded_columns = ["phone", "password_hash"], use_custom_sorting_key = true, sorting_keys = ["id"] }`, addressesMapping, leadsMapping))
	patches := []string{
		`{"source": {"postgres": {"tableMappingsToRemove": [` + customersKey + `]}}}`,
		`{"source": {"postgres": {"tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers",
  "excludedColumns": ["password_hash", "phone"], "useCustomSortingKey": true, "sortingKeys": ["id"]}]}}}`,
	}
	t.Run("id", func(t *testing.T) {
		f := newFixture(t)
		w := f.workspace(f.provider() + fmt.Sprintf(later, mockplatform.PostgresPipeID) + wanted)
		_, changes := w.plan()
		if got := changes[thisPipe].unknown(); !slices.ContainsFunc(got, func(path string) bool { return strings.HasSuffix(path, "].excluded_columns") }) {
			t.Errorf("unknown are %v", got)
		}
		f.wantWrites()
		w.apply()
		f.wantPatches(mockplatform.PostgresPipeID, patches...)
		w.wantEmptyPlan()
	})
	t.Run("provider", func(t *testing.T) {
		f := newFixture(t)
		config := strings.Replace(f.provider(), `"demo-key-id"`, `terraform_data.key.output`, 1) + "resource \"terraform_data\" \"key\" { input = \"demo-key-id\" }\n"
		w := f.workspace(config + strings.ReplaceAll(wanted, "terraform_data.id.output", fmt.Sprintf("%q", mockplatform.PostgresPipeID)))
		w.apply()
		f.wantPatches(mockplatform.PostgresPipeID, patches...)
		w.wantEmptyPlan()
	})
	for name, test := range map[string]struct{ id, arguments, text string }{
		"wrong kind": {mockplatform.KafkaPipeID, `source = { postgres = { host = "h" } }`, "source.postgres is set, but the source of pipe"},
		"wrong kind of credentials": {mockplatform.KafkaPipeID, `source_credentials = { postgres = { username = "u" } }`,
			"source_credentials.postgres is set, but the source of pipe"},
		"no such pipe":    {"40000000-0000-4000-8000-00000000ffff", `name = "n"`, "There is no pipe 40000000-0000-4000-8000-00000000ffff"},
		"invalid id":      {"none", `name = "n"`, "must be a UUID"},
		"version, secret": {mockplatform.KafkaPipeID, `source_credentials = { kafka = { password_wo_version = length(terraform_data.id.output) } }`, "password_wo must be set in this run"},
		"fraction":        {mockplatform.PostgresPipeID, `source = { postgres = { port = length(terraform_data.id.output) + 0.5 } }`, "must be a whole number between 1 and 65535"},
		"null element":    {mockplatform.KafkaPipeID, `source = { kafka = { reverse_private_endpoint_ids = [length(terraform_data.id.output) > 1 ? null : ""] } }`, "null"},
		"mapped twice": {mockplatform.PostgresPipeID, mappings(leadsMapping,
			`{ source_schema_name = length(terraform_data.id.output) > 1 ? "sales" : "", source_table = "leads", target_table = "sales_leads", sorting_keys = ["x"] }`), "more than once"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			w := f.workspace(f.provider() + fmt.Sprintf(later, test.id) + pipe(test.arguments))
			out, ok := w.terraform("apply", "-auto-approve", "-input=false")
			if ok {
				t.Fatalf("applied:\n%s", out)
			}
			wantText(t, out, "terraform_data.id: Creation complete", test.text)
			f.wantWrites()
			if _, left := w.state()[thisPipe]; left {
				t.Error("a failed adoption is in the state")
			}
		})
	}
}

// TestPipeReplaced puts a pipe of another kind in the place of one: nothing of
// the first is compared with the second.
func TestPipeReplaced(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() + onePipe("this", mockplatform.KafkaPipeID, `
  name   = "n"
  source = { kafka = { iam_role = "r" } }
  source_credentials = { kafka = { username = "u", password_wo = "pass", password_wo_version = 1 } }`))
	w.apply()
	other := f.clonePipe(mockplatform.PostgresPipeID)
	arguments := mappings(customersMapping, addressesMapping) + `
  name   = "n"
  source_credentials = { postgres = { username = "u", password_wo = "pass", password_wo_version = 1 } }`
	w.file("main.tf", f.provider()+onePipe("this", other, arguments))
	f.ResetJournal()
	_, changes := w.plan()
	if got := changes[thisPipe].Change.Actions; len(got) != 2 {
		t.Errorf("the plan is to %v", got)
	}
	f.wantWrites()
	w.apply()
	f.wantWrites(`{"name": "n", "source": {"postgres": {"credentials": {"username": "u", "password": "pass"},
  "tableMappingsToRemove": [{"sourceSchemaName": "sales", "sourceTable": "leads", "targetTable": "sales_leads"}]}}}`)
	w.wantEmptyPlan()
	checkPipeState(t, f, thisPipe, w.state(), other)

	// Another spelling of the id is the same pipe.
	w.file("main.tf", f.provider()+onePipe("this", strings.ToUpper(other), arguments))
	w.wantEmptyPlan()
}
