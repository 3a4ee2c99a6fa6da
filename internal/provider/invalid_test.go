package provider

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

const (
	service = `service_id = "20000000-0000-4000-8000-000000000001"`
	pipeIDs = service + "\n" + `pipe_id = "40000000-0000-4000-8000-000000000001"`
)

// invalid are arguments that are wrong, and what the error says: first the attribute's name, as the user
// writes it.
type invalid struct {
	arguments string
	says      []string
}

// invalidConfigurations are rejected by validation, each beside arguments that are right. What Terraform
// itself rejects, such as a missing argument, is not here: TestSchemaGolden has it.
var invalidConfigurations = []struct {
	block, beside string
	rows          []invalid
}{
	{"resource dataplatform_service_scaling", service, []invalid{
		{`organization_id = "nordwind"`, []string{"organization_id", "UUID", "nordwind"}},
		{`num_replicas = 21`, []string{"num_replicas", "between 1 and 20", "21"}},
		{`num_replicas = 2.5`, []string{"num_replicas", "whole number", "2.5"}},
		{`idle_timeout_minutes = 4`, []string{"idle_timeout_minutes", "at least 5", "4"}},
		{`min_total_memory_gb = 12`, []string{"min_total_memory_gb", "between 24 and 1068", "12"}},
		{`max_total_memory_gb = 37`, []string{"max_total_memory_gb", "multiple of 12", "37"}},
		{"min_total_memory_gb = 48\nmax_total_memory_gb = 36", []string{"min_total_memory_gb must not exceed max_total_memory_gb, got 48 and 36."}},
		{`name = "events"`, []string{"Read-only", "name is read-only: the API returns it", "Remove it"}},
	}},
	{"resource dataplatform_api_key", "", []invalid{ // TestAPIKeyInvalid has the others
		{"name = \"k\"\nroles = [null]", []string{"roles", "null"}},
	}},
	{"resource dataplatform_pipe", service, []invalid{
		{`pipe_id = "orders\n"`, []string{`pipe_id must be a UUID, such as 0f6a6b0e-2f3c-4d1e-9a57-1f0c2d3e4a5b, got "orders\n".`}},
	}},
	{"resource dataplatform_pipe", pipeIDs, []invalid{
		{`source = { postgres = { port = 0 } }`, []string{"port", "between 1 and 65535", "0"}},
		{`source = { kafka = { reverse_private_endpoint_ids = [null] } }`, []string{"reverse_private_endpoint_ids", "null"}},
		{`field_mappings = [null]`, []string{"field_mappings", "null"}},
		{`destination = { table = "t" }`, []string{"Read-only", "destination.table is read-only: the API returns it", "Remove it"}},
		{`settings = { engine_max_threads = 73786976294838206464 }`, []string{"settings.engine_max_threads", "whole number of 64 bits, got 737869762948382"}},
		{`settings = { engine_parallel_distributed_insert_select = 1e400 }`, []string{"distributed_insert_select must be a number of 64 bits, got 1e+400."}},
		{`source_credentials = { kafka = { password_wo = "", password_wo_version = 1 } }`, []string{"kafka.password_wo", "Secret is blank"}},
		{`source_credentials = { postgres = { username = "x" } }`, []string{`postgres.password_wo_version" must be specified when `}},
		{`source_credentials = { kafka = { password_wo = "hush-hush" } }`, []string{`kafka.password_wo_version" must be specified when `}},
		{mappings(wanted("s.b", "y", "excluded_columns = null")), []string{`source.postgres.table_mappings["s.b:y"].excluded_columns`, "required"}},
		{mappings(wanted("s.t", "x", `excluded_columns = [null]`)), []string{`source.postgres.table_mappings["s.t:x"].excluded_columns must not contain null`}},
		{mappings(wanted("s.t", "x", `excluded_columns = [""]`)), []string{`mappings["s.t:x"].excluded_columns[...] string length must be at least 1`}},
		{mappings(`"s.t:x" = null`, `"s.u:y" = null`, addressesMapping), []string{
			`- "s.t:x" must not be null: omit it, or set excluded_columns`, `- "s.u:y" must not be null`,
		}},
		{`destination = { columns = [{ name = "a", type = "t" }, { name = "b", type = "t" }, { name = "a", type = "u" }, { name = later, type = "t" }] }`, []string{
			"Invalid columns: destination.columns has these columns more than once: a. Correct the names.",
		}},
		{mappings(wanted("s.t", "x", `excluded_columns = [], target_table = ""`)), []string{"target_table", "at least 1"}},
	}},
	{"data dataplatform_services", "", []invalid{
		{`organization_id = "nordwind"`, []string{"organization_id", "UUID", "nordwind"}},
		{`filter = [null]`, []string{"null"}},
	}},
	{"data dataplatform_service", "", []invalid{
		{``, []string{"id", "Invalid Attribute Combination"}},
		{"name = \"a\"\nid = \"20000000-0000-4000-8000-000000000001\"", []string{"id", "Invalid Attribute Combination"}},
	}},
	{"data dataplatform_alert", "", []invalid{
		{`id = "a/b"`, []string{"id", "slash"}},
		{`id = ".."`, []string{"id", "dot segment"}},
		{`id = "a\nb"`, []string{"id", "control character"}},
	}},
}

// TestInvalidConfigurations validates each, as Terraform does before anything is sent. What may be a secret
// is not repeated.
func TestInvalidConfigurations(t *testing.T) {
	t.Parallel()
	for _, group := range invalidConfigurations {
		for _, bad := range group.rows {
			t.Run(strings.Join(strings.Fields(group.block+" "+bad.arguments), " "), func(t *testing.T) {
				said := validated(t, group.block, group.beside+"\n"+bad.arguments)
				if len(said.errors) != 1 {
					t.Fatalf("got %d errors, want 1: %s", len(said.errors), said)
				}
				wantText(t, said.errors[0], bad.says...)
				wantNoText(t, said.errors[0], "hush-hush")
				wantReadable(t, said.errors[0])
			})
		}
	}
}

// TestEmptyObjects has objects that set nothing: one warning, which names the innermost. One that is unknown may set something.
func TestEmptyObjects(t *testing.T) {
	t.Parallel()
	for arguments, names := range map[string]string{
		"source = { postgres = { settings = {} } }":                                        "source.postgres.settings",
		"settings = {}\nsource = { kafka = { iam_role = null }, postgres = { port = 1 } }": "settings and source.kafka",
		"settings = later\nsource = { kafka = later }":                                     "",
	} {
		want := map[bool]string{true: "Object is empty: No attributes are set in " + names + ", so Terraform manages nothing of it. In a module, declare such " +
			"an object as optional(object({...})) without a default, so that it is null if it is omitted. Otherwise check the spelling: " +
			"Terraform silently ignores misspelled names."}[names != ""]
		if got := strings.Join(validated(t, "resource dataplatform_pipe", pipeIDs+"\n"+arguments).warnings, "\n"); got != want {
			t.Errorf("%s: %q, want %q", arguments, got, want)
		}
	}
}

// TestElementsAreHidden has errors in elements of sets, which the framework spells with
// the whole element: no value of it is printed.
func TestElementsAreHidden(t *testing.T) {
	for text, want := range map[string]string{
		`roles must be set`: `roles must be set`,
		`l[Value({"d":"pin","s":<null>})].s is missing, l[Value("a")] too`: `l[...].s is missing, l[...] too`,
		`l[Value({"d":"a \")] pin","s":["x)]",<unknown>]})].s is missing`:  `l[...].s is missing`,
		`l[Value({"d":"pin`:                 `l[...]`,
		`l[Value(4)][Value("\\")].s ")] x"`: `l[...][...].s ")] x"`,
	} {
		if got := setElement.ReplaceAllString(text, "[...]"); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}

	f := newFixture(t)
	changed, created := f.key(""), f.key("")
	changed.apply()
	f.ResetJournal()
	for _, b := range []*managed{changed, created} {
		b.arguments = `ip_access_list = [{ description = "hush-hush" }]`
		b.refuses(b.tryPlan(f.start()), "ip_access_list[...].source")
	}
}

// validated validates a block, and configures that of a provider.
func validated(t *testing.T, block, arguments string) diagnoses {
	t.Helper()
	s := serverOf(newProvider("test"))
	kind, name, _ := strings.Cut(block, " ")
	config := configuration(t, allSchemas()[block], arguments)
	switch kind {
	case "resource":
		capable := &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true}
		req := &tfprotov6.ValidateResourceConfigRequest{TypeName: name, Config: config, ClientCapabilities: capable}
		return diagnosed(must(s.ValidateResourceConfig(t.Context(), req)).Diagnostics)
	case "data":
		req := &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: config}
		return diagnosed(must(s.ValidateDataResourceConfig(t.Context(), req)).Diagnostics)
	default:
		return diagnosed(must(s.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: config})).Diagnostics)
	}
}

var anyUUID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// wantReadable fails unless an error is sentences that name an ID once. Those of the
// framework's own words are not.
func wantReadable(t *testing.T, text string) {
	t.Helper()
	if strings.HasPrefix(text, "Invalid Attribute ") || strings.HasPrefix(text, "Missing Configuration for ") {
		return
	}
	text = strings.ReplaceAll(folded(text), "[...]", "") // of an element
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
