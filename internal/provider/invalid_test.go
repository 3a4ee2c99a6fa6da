package provider

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// invalid is one bad configuration: a block of one kind with these arguments,
// and what its error has to say. The first text is the attribute's name as the
// user writes it.
type invalid struct {
	block, arguments string
	says             []string
}

const (
	invalidScaling  = `resource "dataplatform_service_scaling"`
	invalidKey      = `resource "dataplatform_api_key"`
	invalidPipe     = `resource "dataplatform_pipe"`
	invalidServices = `data "dataplatform_services"`
	invalidPipeData = `data "dataplatform_pipe"`
	invalidAlert    = `data "dataplatform_alert"`
	invalidProvider = `provider "dataplatform"`

	service = `service_id = "20000000-0000-4000-8000-000000000001"`
	pipeIDs = service + "\n" + `pipe_id = "40000000-0000-4000-8000-000000000001"`
	aKey    = `name = "k"` + "\n" + `roles = ["admin"]`
)

// invalidConfigurations are rejected before anything is sent.
var invalidConfigurations = []invalid{
	// Service scaling.
	{invalidScaling, ``, []string{"service_id", "required"}},
	{invalidScaling, `service_id = ""`, []string{"service_id", "UUID"}},
	{invalidScaling, `service_id = "events-eu"`, []string{"service_id", "UUID", "events-eu"}},
	{invalidScaling, `service_id = "{20000000-0000-4000-8000-000000000001}"`, []string{"service_id", "UUID"}},
	{invalidScaling, `service_id = "20000000000040008000000000000001"`, []string{"service_id", "UUID"}},
	{invalidScaling, `service_id = " 20000000-0000-4000-8000-000000000001"`, []string{"service_id", "UUID"}},
	{invalidScaling, service + "\n" + `organization_id = "nordwind"`, []string{"organization_id", "UUID", "nordwind"}},
	{invalidScaling, service + "\n" + `organization_id = ""`, []string{"organization_id", "UUID"}},
	{invalidScaling, service + "\n" + `num_replicas = 0`, []string{"num_replicas", "between 1 and 20", "0"}},
	{invalidScaling, service + "\n" + `num_replicas = -3`, []string{"num_replicas", "between 1 and 20", "-3"}},
	{invalidScaling, service + "\n" + `num_replicas = 21`, []string{"num_replicas", "between 1 and 20", "21"}},
	{invalidScaling, service + "\n" + `num_replicas = 2.5`, []string{"num_replicas", "whole number", "2.5"}},
	{invalidScaling, service + "\n" + `num_replicas = 1e30`, []string{"num_replicas", "between 1 and 20"}},
	{invalidScaling, service + "\n" + `idle_timeout_minutes = 4`, []string{"idle_timeout_minutes", "at least 5", "4"}},
	{invalidScaling, service + "\n" + `idle_timeout_minutes = 5.5`, []string{"idle_timeout_minutes", "whole number", "5.5"}},
	{invalidScaling, service + "\n" + `min_total_memory_gb = 12`, []string{"min_total_memory_gb", "between 24 and 1068", "12"}},
	{invalidScaling, service + "\n" + `min_total_memory_gb = 30`, []string{"min_total_memory_gb", "multiple of 12", "30"}},
	{invalidScaling, service + "\n" + `max_total_memory_gb = 1080`, []string{"max_total_memory_gb", "between 24 and 1068", "1080"}},
	{invalidScaling, service + "\n" + `max_total_memory_gb = 36.5`, []string{"max_total_memory_gb", "multiple of 12", "36.5"}},
	{invalidScaling, service + "\n" + "min_total_memory_gb = 48\nmax_total_memory_gb = 36", []string{"min_total_memory_gb", "max_total_memory_gb", "48", "36"}},
	{invalidScaling, service + "\n" + `num_replicas = "three"`, []string{"num_replicas", "number"}},
	{invalidScaling, service + "\n" + `idle_scaling = "perhaps"`, []string{"idle_scaling", "bool"}},
	{invalidScaling, service + "\n" + `name = "events"`, []string{"Read-only", "name is read-only: the API returns it", "Remove it"}},
	{invalidScaling, service + "\n" + `min_replica_memory_gb = 8`, []string{"Read-only", "min_replica_memory_gb is read-only: the API returns it", "Remove it"}},

	// API keys.
	{invalidKey, `roles = ["admin"]`, []string{"name", "required"}},
	{invalidKey, `name = "k"`, []string{"roles", "required"}},
	{invalidKey, "name = \"\"\n" + `roles = ["admin"]`, []string{"name", "at least 1"}},
	{invalidKey, "name = \"k\"\nroles = []", []string{"roles", "at least 1"}},
	{invalidKey, "name = \"k\"\nroles = [\"owner\"]", []string{"roles", `"admin"`, "owner"}},
	{invalidKey, "name = \"k\"\nroles = [\"Admin\"]", []string{"roles", `"admin"`}},
	{invalidKey, "name = \"k\"\nroles = [null]", []string{"roles", "null"}},
	{invalidKey, aKey + "\n" + `organization_id = "x"`, []string{"organization_id", "UUID"}},
	{invalidKey, aKey + "\n" + `state = "paused"`, []string{"state", `"disabled"`}},
	{invalidKey, aKey + "\n" + `expire_at = "tomorrow"`, []string{"expire_at", "RFC 3339"}},
	{invalidKey, aKey + "\n" + `validity_hours = 0`, []string{"validity_hours", "between 1"}},
	{invalidKey, aKey + "\n" + `validity_hours = 1.5`, []string{"validity_hours", "whole number"}},
	{invalidKey, aKey + "\nvalidity_hours = 24\n" + `expire_at = "2999-01-01T00:00:00Z"`, []string{"expire_at", "validity_hours"}},
	{invalidKey, aKey + "\nearly_renewal_hours = 24", []string{"early_renewal_hours", "validity_hours"}},
	{invalidKey, aKey + "\nvalidity_hours = 24\nearly_renewal_hours = 24", []string{"early_renewal_hours", "validity_hours", "24"}},
	{invalidKey, aKey + "\nip_access_list = [{ source = \"10.0.0.0/33\" }]", []string{"source", "CIDR"}},
	{invalidKey, aKey + "\nip_access_list = [{ source = \"300.0.0.1\" }]", []string{"source", "CIDR"}},

	// Pipes.
	{invalidPipe, service, []string{"pipe_id", "required"}},
	{invalidPipe, service + "\n" + `pipe_id = "orders"`, []string{"pipe_id", "UUID", "orders"}},
	{invalidPipe, "service_id = \"events\"\n" + `pipe_id = "40000000-0000-4000-8000-000000000001"`, []string{"service_id", "UUID"}},
	{invalidPipe, pipeIDs + "\n" + `source = { postgres = { port = 0 } }`, []string{"port", "between 1 and 65535", "0"}},
	{invalidPipe, pipeIDs + "\n" + `source = { postgres = { port = 65536 } }`, []string{"port", "between 1 and 65535", "65536"}},
	{invalidPipe, pipeIDs + "\n" + `source = { kafka = { reverse_private_endpoint_ids = [null] } }`, []string{"reverse_private_endpoint_ids", "null"}},
	{invalidPipe, pipeIDs + "\n" + `field_mappings = [null]`, []string{"field_mappings", "null"}},
	{invalidPipe, pipeIDs + "\n" + `field_mappings = [{ source_field = "a" }]`, []string{"destination_field", "required"}},
	{invalidPipe, pipeIDs + "\n" + `destination = { columns = [null] }`, []string{"columns", "null"}},
	{invalidPipe, pipeIDs + "\n" + `destination = { table = "t" }`, []string{"Read-only", "destination.table is read-only: the API returns it", "Remove it"}},
	{invalidPipe, pipeIDs + "\n" + `source = { kafka = { topics = "a" } }`, []string{"Read-only", "source.kafka.topics is read-only: the API returns it", "Remove it"}},
	{invalidPipe, pipeIDs + "\n" + `source = { kafka = { schema_registry = { url = "https://registry.example.com" } } }`, []string{"Read-only", "source.kafka.schema_registry is read-only: the API returns it"}},
	{invalidPipe, pipeIDs + "\n" + `settings = { engine_max_threads = pow(2, 66) }`, []string{"settings.engine_max_threads", "must be between -9223372036854775808 and 9223372036854775807, got 737869762948382"}},
	{invalidPipe, pipeIDs + "\n" + `settings = { engine_max_threads = -pow(2, 66) }`, []string{"settings.engine_max_threads", "must be between -9223372036854775808 and 9223372036854775807, got -737869762948382"}},
	{invalidPipe, pipeIDs + "\n" + `settings = { engine_parallel_distributed_insert_select = 1e400 }`, []string{"settings.engine_parallel_distributed_insert_select", "must be between -9223372036854775808 and 9223372036854775807", "got 1e+400."}},
	{invalidPipe, pipeIDs + "\n" + `source_credentials = { kafka = { password_wo = "", password_wo_version = 1 } }`, []string{"source_credentials.kafka.password_wo", "Secret is blank", "could no longer read the source"}},
	{invalidPipe, pipeIDs + "\n" + `source_credentials = { object_storage = { connection_string_wo = " \n", connection_string_wo_version = 1 } }`, []string{"source_credentials.object_storage.connection_string_wo", "Secret is blank"}},
	{invalidPipe, pipeIDs + "\n" + `settings = { engine_max_threads = 1.5 }`, []string{"engine_max_threads", "whole number", "1.5"}},
	{invalidPipe, pipeIDs + "\n" + `source_credentials = { kafka = { username = "u", password_wo = "hush-hush" } }`, []string{"password_wo", "password_wo_version"}},
	{invalidPipe, pipeIDs + "\n" + `source = { postgres = { table_mappings = [
      { source_schema_name = "s", source_table = "t", target_table = "x" },
      { source_schema_name = "s", source_table = "t", target_table = "x", sorting_keys = ["a"] }] } }`, []string{"table_mappings", "s.t", "x"}},
	{invalidPipe, pipeIDs + "\n" + `source = { postgres = { table_mappings = [null] } }`, []string{"table_mappings", "null"}},

	// Data sources.
	{invalidServices, `organization_id = "nordwind"`, []string{"organization_id", "UUID", "nordwind"}},
	{invalidServices, `filter = [null]`, []string{"filter", "null"}},
	{invalidServices, `filter = "tag:env=production"`, []string{"filter", "list of string"}},
	{invalidPipeData, service, []string{"pipe_id", "required"}},
	{invalidPipeData, service + "\n" + `pipe_id = "orders"`, []string{"pipe_id", "UUID", "orders"}},
	{invalidAlert, ``, []string{"id", "required"}},
	{invalidAlert, `id = ""`, []string{"id", "empty"}},
	{invalidAlert, `id = "a/b"`, []string{"id", "slash"}},
	{invalidAlert, `id = ".."`, []string{"id", "dot segment"}},
	{invalidAlert, `id = "."`, []string{"id", "dot segment"}},
	{invalidAlert, `id = "a\nb"`, []string{"id", "control character"}},

	// The provider. What may hold a secret is not repeated.
	{invalidProvider, `base_url = "http://platform.example.com"`, []string{"base_url", "https"}},
	{invalidProvider, `base_url = "http://10.0.0.1"`, []string{"base_url", "https"}},
	{invalidProvider, `base_url = "http://localhost.example.com"`, []string{"base_url", "loopback"}},
	{invalidProvider, `base_url = "ftp://platform.example.com"`, []string{"base_url", "https"}},
	{invalidProvider, `base_url = "platform.example.com"`, []string{"base_url", "https"}},
	{invalidProvider, `base_url = ""`, []string{"base_url", "https"}},
	{invalidProvider, `base_url = "https://me:hush-hush@platform.example.com"`, []string{"base_url", "password"}},
	{invalidProvider, `base_url = "https://platform.example.com/?token=hush-hush"`, []string{"base_url", "query"}},
	{invalidProvider, `base_url = "https://platform.example.com#top"`, []string{"base_url", "fragment"}},
	{invalidProvider, `alerts_base_url = "http://alerts.example.com"`, []string{"alerts_base_url", "loopback"}},
	{invalidProvider, `organization_id = "nordwind"`, []string{"organization_id", "UUID", "nordwind"}},
	{invalidProvider, `key_id = ""`, []string{"key_id", "empty"}},
	{invalidProvider, `key_id = "a:b"`, []string{"key_id", "colon"}},
	{invalidProvider, `key_secret = ""`, []string{"key_secret", "empty"}},
	{invalidProvider, `key_secret = "hush-hush\n"`, []string{"key_secret", "begins or ends with one"}},
	{invalidProvider, `key_id = " hush-hush"`, []string{"key_id", "whitespace"}},
	{invalidProvider, `alerts_access_token = ""`, []string{"alerts_access_token", "empty"}},
	{invalidProvider, `alerts_access_token = "hush-hush\n"`, []string{"alerts_access_token", "whitespace"}},
	{invalidProvider, `request_timeout = "30"`, []string{"request_timeout", "duration", "30s", `"30"`}},
	{invalidProvider, `request_timeout = "0s"`, []string{"request_timeout", "greater than zero", `"0s"`}},
	{invalidProvider, `request_timeout = "soon"`, []string{"request_timeout", "duration", `"soon"`}},
	{invalidProvider, `retry_timeout = "-5m"`, []string{"retry_timeout", "negative", `"-5m"`}},
	{invalidProvider, `retry_timeout = "5 minutes"`, []string{"retry_timeout", "duration", `"5 minutes"`}},
	{invalidProvider, `max_concurrent_requests = 0`, []string{"max_concurrent_requests", "between 1 and", "0"}},
	{invalidProvider, `max_concurrent_requests = 2.5`, []string{"max_concurrent_requests", "whole number", "2.5"}},
	{invalidProvider, `max_concurrent_requests = -1`, []string{"max_concurrent_requests", "between 1 and", "-1"}},
	{invalidProvider, `max_concurrent_requests = 5000000000`, []string{"max_concurrent_requests", "5000000000"}},
}

// TestInvalidConfigurations puts all of them into one configuration, each
// block in a file of its own: Terraform reports every error of a plan's
// validation, with the file that it stands in.
func TestInvalidConfigurations(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider())
	for i, bad := range invalidConfigurations {
		w.file(invalidFile(i), bad.hcl(i))
	}
	// A plan validates first, and goes no further where that fails.
	out, err := w.command(t.Context(), "plan", "-json").Output()
	if err == nil {
		t.Fatalf("the plan succeeded:\n%s", out)
	}
	errors := errorsByFile(t, string(out))
	for i, bad := range invalidConfigurations {
		t.Run(strings.Join(strings.Fields(bad.block+" "+bad.arguments), " "), func(t *testing.T) {
			found := errors[invalidFile(i)]
			delete(errors, invalidFile(i))
			if len(found) != 1 {
				t.Fatalf("got %d errors, want 1:\n%s", len(found), strings.Join(found, "\n"))
			}
			wantText(t, found[0], bad.says...)
			if strings.Contains(found[0], "hush-hush") {
				t.Errorf("a secret in %s", found[0])
			}
			for _, fault := range []string{"error in the provider", "bug in the provider"} {
				if strings.Contains(found[0], fault) {
					t.Errorf("the provider takes the blame: %s", found[0])
				}
			}
		})
	}
	for file, others := range errors {
		t.Errorf("errors in %s that no row expects:\n%s", file, strings.Join(others, "\n"))
	}
	if requests := f.Requests(); len(requests) > 0 {
		t.Errorf("%d requests were sent", len(requests))
	}
}

func invalidFile(i int) string { return fmt.Sprintf("bad_%03d.tf", i) }

func (bad invalid) hcl(i int) string {
	if bad.block != invalidProvider {
		return fmt.Sprintf("%s \"bad_%03d\" {\n%s\n}\n", bad.block, i, bad.arguments)
	}
	// Terraform passes over a provider that nothing uses.
	return fmt.Sprintf("%s {\nalias = \"bad_%03d\"\n%s\n}\n%s \"bad_%03d\" {\nprovider = dataplatform.bad_%03d\n}\n",
		invalidProvider, i, bad.arguments, invalidServices, i, i)
}

// errorsByFile reads the errors of a command with -json: summary and detail,
// without the line of the configuration that Terraform prints below.
func errorsByFile(t *testing.T, out string) map[string][]string {
	t.Helper()
	errors := map[string][]string{}
	for line := range strings.Lines(out) {
		var message struct {
			Diagnostic struct {
				Severity string `json:"severity"`
				Summary  string `json:"summary"`
				Detail   string `json:"detail"`
				Range    struct {
					Filename string `json:"filename"`
				} `json:"range"`
			} `json:"diagnostic"`
		}
		if err := json.Unmarshal([]byte(line), &message); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if d := message.Diagnostic; d.Severity == "error" {
			errors[d.Range.Filename] = append(errors[d.Range.Filename], d.Summary+"\n"+d.Detail)
		}
	}
	return errors
}

// TestInvalidAtPlan has what only a read can reject: these send reads, and
// nothing else.
func TestInvalidAtPlan(t *testing.T) {
	const nowhere = "29999999-0000-4000-8000-000000000009"
	f := newFixture(t)
	w := f.workspace(f.provider() + fmt.Sprintf(`
resource "dataplatform_service_scaling" "gone" {
  service_id   = %[1]q
  num_replicas = 3
}
resource "dataplatform_service_scaling" "elsewhere" {
  organization_id = %[2]q
  service_id      = %[3]q
}
resource "dataplatform_pipe" "gone" {
  service_id = %[3]q
  pipe_id    = %[1]q
}
`, nowhere, mockplatform.OtherOrganizationID, mockplatform.ServiceID))
	out, ok := w.terraform("plan")
	if ok {
		t.Fatalf("the plan succeeded:\n%s", out)
	}
	wantText(t, out,
		"There is no service "+nowhere+" in organization "+mockplatform.OrganizationID+": ",
		"There is no service "+mockplatform.ServiceID+" in organization "+mockplatform.OtherOrganizationID+": ",
		"There is no pipe "+nowhere+" of service "+mockplatform.ServiceID+" in organization "+mockplatform.OrganizationID+": ",
	)
	f.wantWrites()
}
