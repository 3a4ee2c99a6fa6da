package provider

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// The blocks of the rows.
const (
	invalidScaling  = "resource dataplatform_service_scaling"
	invalidKey      = "resource dataplatform_api_key"
	invalidPipe     = "resource dataplatform_pipe"
	invalidServices = "data dataplatform_services"
	invalidService  = "data dataplatform_service"
	invalidPipeData = "data dataplatform_pipe"
	invalidAlert    = "data dataplatform_alert"
	invalidProvider = "provider"

	service = `service_id = "20000000-0000-4000-8000-000000000001"`
	pipeIDs = service + "\n" + `pipe_id = "40000000-0000-4000-8000-000000000001"`
)

// invalidConfigurations are rejected by validation. Each has a block with its arguments, and
// what the error says: first the attribute's name, as the user writes it. What Terraform
// itself rejects, such as a missing argument, is not here: TestSchemaGolden has it.
var invalidConfigurations = []struct {
	block, arguments string
	says             []string
}{
	// Service scaling.
	{invalidScaling, `service_id = "events-eu"`, []string{"service_id", "UUID", "events-eu"}},
	{invalidScaling, service + "\n" + `organization_id = "nordwind"`, []string{"organization_id", "UUID", "nordwind"}},
	{invalidScaling, service + "\n" + `num_replicas = 21`, []string{"num_replicas", "between 1 and 20", "21"}},
	{invalidScaling, service + "\n" + `num_replicas = 2.5`, []string{"num_replicas", "whole number", "2.5"}},
	{invalidScaling, service + "\n" + `idle_timeout_minutes = 4`, []string{"idle_timeout_minutes", "at least 5", "4"}},
	{invalidScaling, service + "\n" + `idle_timeout_minutes = 5.5`, []string{"idle_timeout_minutes", "whole number", "5.5"}},
	{invalidScaling, service + "\n" + `min_total_memory_gb = 12`, []string{"min_total_memory_gb", "between 24 and 1068", "12"}},
	{invalidScaling, service + "\n" + `min_total_memory_gb = 30`, []string{"min_total_memory_gb", "multiple of 12", "30"}},
	{invalidScaling, service + "\n" + `max_total_memory_gb = 1080`, []string{"max_total_memory_gb", "between 24 and 1068", "1080"}},
	{invalidScaling, service + "\n" + `max_total_memory_gb = 36.5`, []string{"max_total_memory_gb", "multiple of 12", "36.5"}},
	{invalidScaling, service + "\n" + "min_total_memory_gb = 48\nmax_total_memory_gb = 36", []string{"min_total_memory_gb must not exceed max_total_memory_gb, got 48 and 36.", "Minimum memory exceeds maximum"}},
	{invalidScaling, service + "\n" + `name = "events"`, []string{"Read-only", "name is read-only: the API returns it", "Remove it"}},

	// API keys. TestAPIKeyInvalid has the others.
	{invalidKey, "name = \"k\"\nroles = [null]", []string{"roles", "null"}},

	// Pipes.
	{invalidPipe, service + "\n" + `pipe_id = "40000000-0000-4000-8000-000000000001\n"`, []string{"pipe_id", `must be a UUID, such as 0f6a6b0e-2f3c-4d1e-9a57-1f0c2d3e4a5b, got "40000000-0000-4000-8000-000000000001\n".`}},
	{invalidPipe, "service_id = \"events\"\n" + `pipe_id = "40000000-0000-4000-8000-000000000001"`, []string{"service_id", "UUID"}},
	{invalidPipe, pipeIDs + "\n" + `source = { postgres = { port = 0 } }`, []string{"port", "between 1 and 65535", "0"}},
	{invalidPipe, pipeIDs + "\n" + `source = { kafka = { reverse_private_endpoint_ids = [null] } }`, []string{"reverse_private_endpoint_ids", "null"}},
	{invalidPipe, pipeIDs + "\n" + `scaling = { replicas = 1 }`, []string{"Read-only", "scaling is read-only: the API returns it"}},
	{invalidPipe, pipeIDs + "\n" + `field_mappings = [null]`, []string{"field_mappings", "null"}},
	{invalidPipe, pipeIDs + "\n" + `destination = { columns = [null] }`, []string{"columns", "null"}},
	{invalidPipe, pipeIDs + "\n" + `destination = { table = "t" }`, []string{"Read-only", "destination.table is read-only: the API returns it", "Remove it"}},
	{invalidPipe, pipeIDs + "\n" + `source = { kafka = { schema_registry = { url = "https://registry.example.com" } } }`, []string{"Read-only", "source.kafka.schema_registry is read-only: the API returns it"}},
	{invalidPipe, pipeIDs + "\n" + `settings = { engine_max_threads = 73786976294838206464 }`, []string{"settings.engine_max_threads", "must be between -9223372036854775808 and 9223372036854775807, got 737869762948382"}},
	{invalidPipe, pipeIDs + "\n" + `settings = { engine_parallel_distributed_insert_select = 1e400 }`, []string{"settings.engine_parallel_distributed_insert_select", "must be between -9223372036854775808 and 9223372036854775807", "got 1e+400."}},
	{invalidPipe, pipeIDs + "\n" + `settings = { engine_parallel_distributed_insert_select = 1e-400 }`, []string{"settings.engine_parallel_distributed_insert_select", "closer to 0 than 5e-324", "got 1e-400."}},
	{invalidPipe, pipeIDs + "\n" + `source_credentials = { kafka = { password_wo = "", password_wo_version = 1 } }`, []string{"source_credentials.kafka.password_wo", "Secret is blank", "could no longer read the source"}},
	{invalidPipe, pipeIDs + "\n" + `source_credentials = { object_storage = { connection_string_wo = " \n", connection_string_wo_version = 1 } }`, []string{"source_credentials.object_storage.connection_string_wo", "Secret is blank"}},
	{invalidPipe, pipeIDs + "\n" + `source_credentials = { postgres = { username = "x" } }`, []string{"Incomplete credential", "source_credentials.postgres.username is sent only with its secret. Set password_wo_version, and password_wo in the run that sends it, or remove username."}},
	{invalidPipe, pipeIDs + "\n" + `source_credentials = { object_storage = { access_key_id = "x", connection_string_wo = "c", connection_string_wo_version = 1 } }`, []string{"source_credentials.object_storage.access_key_id is sent only with its secret", "secret_key_wo_version"}},
	{invalidPipe, pipeIDs + "\n" + `source = { postgres = { table_mappings = [
      { source_schema_name = "s", source_table = "t", target_table = "x", excluded_columns = [] },
      { source_schema_name = "s", source_table = "t", target_table = "x", excluded_columns = [], sorting_keys = ["a"] }] } }`, []string{"table_mappings", "s.t", "x"}},
	{invalidPipe, pipeIDs + "\n" + `source = { postgres = { table_mappings = [
      { source_schema_name = "s", source_table = "a", target_table = "x", excluded_columns = [] },
      { source_schema_name = "s", source_table = "b", target_table = "y", excluded_columns = null }] } }`, []string{"Incomplete table mapping", "excluded_columns must be set in source.postgres.table_mappings for s.b to y. Use `[]` to exclude none."}},
	{invalidPipe, pipeIDs + "\n" + `source = { postgres = { table_mappings = [{ source_schema_name = "s", source_table = "t", target_table = "x", excluded_columns = [""] }] } }`, []string{"excluded_columns", "null or empty elements"}},
	{invalidPipe, pipeIDs + "\n" + `source = { postgres = { table_mappings = [null] } }`, []string{"table_mappings", "null"}},
	{invalidPipe, pipeIDs + "\n" + `source = { postgres = { table_mappings = [{ source_schema_name = "s", source_table = "", target_table = "x", excluded_columns = [] }] } }`, []string{"source_table", "at least 1"}},

	// Data sources.
	{invalidServices, `organization_id = "nordwind"`, []string{"organization_id", "UUID", "nordwind"}},
	{invalidServices, `filter = [null]`, []string{"filter", "null"}},
	{invalidService, ``, []string{"id", "Invalid Attribute Combination"}},
	{invalidService, "name = \"a\"\nid = \"20000000-0000-4000-8000-000000000001\"", []string{"id", "Invalid Attribute Combination"}},
	{invalidPipeData, service + "\n" + `pipe_id = "orders"`, []string{"pipe_id", "UUID", "orders"}},
	{invalidAlert, `id = ""`, []string{"id", "empty"}},
	{invalidAlert, `id = "a/b"`, []string{"id", "slash"}},
	{invalidAlert, `id = ".."`, []string{"id", "dot segment"}},
	{invalidAlert, `id = "a\nb"`, []string{"id", "control character"}},

	// The provider. What may hold a secret is not repeated. TestProviderSettings has the others.
	{invalidProvider, `key_secret = "hush-hush\n"`, []string{"key_secret", "read from a file"}},
	{invalidProvider, `max_concurrent_requests = 0`, []string{"max_concurrent_requests", "between 1 and", "0"}},
	{invalidProvider, `max_concurrent_requests = 2.5`, []string{"max_concurrent_requests", "whole number between 1 and 2147483647", "2.5"}},
	{invalidProvider, `retry_timeout = "-1s"`, []string{"retry_timeout must not be negative", `"-1s"`}},
	{invalidProvider, `retry_timeout = "hush-hush"`, []string{"retry_timeout must be a duration such as 30s or 5m."}},
	{invalidProvider, `request_timeout = "0s\n"`, []string{"request_timeout must be a duration", `got "0s\n"`}},
}

// TestInvalidConfigurations validates each, as Terraform does before anything is sent.
func TestInvalidConfigurations(t *testing.T) {
	t.Parallel()
	for _, bad := range invalidConfigurations {
		t.Run(strings.Join(strings.Fields(bad.block+" "+bad.arguments), " "), func(t *testing.T) {
			said := validated(t, bad.block, bad.arguments)
			if len(said.errors) != 1 {
				t.Fatalf("got %d errors, want 1: %s", len(said.errors), said)
			}
			wantText(t, said.errors[0], bad.says...)
			wantNoText(t, said.errors[0], "hush-hush")
			wantReadable(t, said.errors[0])
		})
	}
}

// validated validates a block, and configures that of a provider.
func validated(t *testing.T, block, arguments string) diagnoses {
	t.Helper()
	s, schemas := compared{serverOf(newProvider("test")), t}, schemasOnce()
	kind, name, _ := strings.Cut(block, " ")
	var diagnostics []*tfprotov6.Diagnostic
	switch kind {
	case "resource":
		resp, err := s.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
			TypeName: name, Config: configuration(t, schemas.ResourceSchemas[name], arguments),
			ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
		})
		if err != nil {
			t.Fatal(err)
		}
		diagnostics = resp.Diagnostics
	case "data":
		resp, err := s.ValidateDataResourceConfig(t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: configuration(t, schemas.DataSourceSchemas[name], arguments)})
		if err != nil {
			t.Fatal(err)
		}
		diagnostics = resp.Diagnostics
	default:
		resp, err := s.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: configuration(t, schemas.Provider, arguments)})
		if err != nil {
			t.Fatal(err)
		}
		diagnostics = resp.Diagnostics
	}
	return diagnosed(diagnostics)
}

var anyUUID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// wantReadable fails unless an error is sentences that name an ID once. Those of the
// framework's own words are not.
func wantReadable(t *testing.T, text string) {
	t.Helper()
	if strings.HasPrefix(text, "Invalid Attribute ") || strings.HasPrefix(text, "Missing Configuration for ") {
		return
	}
	text = folded(text)
	wantNoText(t, text, "..", "bug", "error in the provider")
	for _, id := range anyUUID.FindAllString(text, -1) {
		if strings.Count(text, id) > 1 {
			t.Errorf("%s stands %d times in %s", id, strings.Count(text, id), text)
		}
	}
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "]") {
		t.Errorf("no sentence: %s", text)
	}
}
