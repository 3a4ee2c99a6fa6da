package guidestest

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// What ci/plan.sh tells a reviewer.

// reviewer is a workspace with the scripts.
func reviewer(t *testing.T) *workspace {
	t.Helper()
	needs(t, "Requires Terraform 1.0 or OpenTofu 1.6 or later, and jq.\n")
	w := newWorkspace(t, "")
	w.copies(scenarioDir+"/ci", "ci")
	return w
}

// reviewed is what ci/plan.jq makes of a plan and of messages, both as JSON.
func (w *workspace) reviewed(plan, messages string, bytes int) string {
	w.T.Helper()
	w.File("plan.json", plan)
	w.File("messages.json", "["+messages+"]")
	w.shell(fmt.Sprintf(`jq -r -L ci --slurpfile plan plan.json 'include "plan"; review($plan[0]; "x"; %d; "https://ci.example.com/9")' messages.json > out`, bytes))
	return w.Read("out")
}

// planned is a plan with one change.
func planned(typ, members string) string {
	return fmt.Sprintf(`{"resource_changes": [{"address": "a.b", "type": %q, "change": {%s}}], "configuration": {"root_module": {}}}`, typ, members)
}

// TestReviewShowsWhatChanges has values that a reviewer could misread.
func TestReviewShowsWhatChanges(t *testing.T) {
	w := reviewer(t)
	const update = `"actions": ["update"], "after_unknown": {}, "before_sensitive": {}, "after_sensitive": {}, `
	for _, row := range []struct{ what, plan, want string }{
		{
			"a list in another order", planned("other", update+`"before": {"l": [1, 2, 3]}, "after": {"l": [2, 1, 4]}`),
			"a.b: update\n  l: + 4\n  l: - 3\n  l: order [1,2] -> [2,1]\n",
		},
		{
			"an import that changes values", planned("dataplatform_pipe", update+`"importing": {"id": "1/2"}, "before": {"name": "orders", "settings": {"wait": 5000}}, "after": {"name": "orders", "settings": {"wait": 2000}}`),
			"a.b: import \"orders\" (1/2), update\n  settings.wait: 5000 -> 2000\n",
		},
		{
			"a value that is sensitive, and some that are not known yet", planned("dataplatform_api_key", `"actions": ["create", "delete"], "replace_paths": [["roles"]], "after_unknown": {"expire_at": true, "addresses": [false, true]}, "before_sensitive": {}, "after_sensitive": {"hash": true}, "before": {"addresses": ["a"], "expire_at": "2030", "hash": null, "roles": ["x"]}, "after": {"addresses": ["a", null], "hash": "hash-of-a-key", "roles": ["x", "y"]}`),
			"a.b: create, delete (+/-)\n  addresses: [\"a\"] -> [\"a\",null], a part of it known after apply\n  expire_at: \"2030\" -> (known after apply)\n  hash: (sensitive)\n  roles: + \"y\" # forces replacement\n",
		},
		{
			"state of another provider", planned("other", update+`"before": {"state": "running"}, "after": {"state": "stopped"}`),
			"a.b: update\n  state: \"running\" -> \"stopped\"\n",
		},
		{
			"an argument that is no longer managed", planned("dataplatform_pipe", update+`"before": {"state": "s", "source_credentials": {"kafka": {"username": "u"}}}, "after": {"state": null, "source_credentials": null}`),
			"a.b: update\n  source_credentials: no longer managed\n",
		},
		{
			"credentials that are no longer managed, with a secret", planned("dataplatform_pipe", `"actions": ["update"], "after_unknown": {},
  "before_sensitive": {"source_credentials": {"kafka": {"password_wo": true}}}, "after_sensitive": {},
  "before": {"source_credentials": {"kafka": {"username": "u"}}}, "after": {"source_credentials": null}`),
			"a.b: update\n  source_credentials: no longer managed\n",
		},
		{
			"tables that are added, of which one is not known yet", planned("dataplatform_pipe", `"actions": ["update"],
  "before_sensitive": {}, "after_sensitive": {}, "before": {"source": {"postgres": {"table_mappings": {}}}}, "after_unknown": {"source": {"postgres": {"table_mappings": {"a.b:c": true}}}},
  "after": {"source": {"postgres": {"table_mappings": {"a.b:c": null, "d.e:f": {
    "excluded_columns": ["x"], "source_schema_name": "d", "source_table": "e", "target_table": "f"}}}}}`),
			`a.b: update
  source.postgres.table_mappings."a.b:c": null -> (known after apply)
  source.postgres.table_mappings."d.e:f": null -> {"excluded_columns":["x"]}
`,
		},
		{
			"a service under two addresses", `{"configuration": {"root_module": {}}, "resource_changes": [
  {"address": "a.c", "type": "dataplatform_service_scaling", "change": {"actions": ["no-op"], "before": {"service_id": "1A"}, "after": {"service_id": "1A"}}},
  {"address": "a.d", "mode": "data", "type": "dataplatform_pipe", "change": {"actions": ["read"], "before": null, "after": {"service_id": "1a"}}},
  {"address": "a.e", "type": "dataplatform_service_scaling", "change": {"actions": ["update"], "importing": {"id": "1a"},
    "before": {"name": "n", "service_id": "1a", "num_replicas": 1}, "after": {"name": "n", "service_id": "1a", "num_replicas": 2},
    "after_unknown": {}, "before_sensitive": {}, "after_sensitive": {}}}]}`,
			"warning: 2 resources manage 1a. Each can revert what another one sets\n  in a.c\n  in a.e\n" +
				"a.e: import \"n\" (1a), update\n  num_replicas: 1 -> 2\n",
		},
		{
			"credentials that are sent", planned("dataplatform_pipe", update+`"before": {"source": {"kafka": {"iam_role": "a"}}}, "after": {"source": {"kafka": {"iam_role": "b"}}, "source_credentials": {"kafka": {"username": "u"}}}`),
			"a.b: update\n  source.kafka.iam_role: \"a\" -> \"b\"\n  source_credentials.kafka.username: null -> \"u\"\n  credentials of the pipe's source are sent with it\n",
		},
		{
			"another object", planned("dataplatform_service_scaling", `"actions": ["delete", "create"], "replace_paths": [["service_id"]], "after_unknown": {"name": true}, "before_sensitive": {}, "after_sensitive": {}, "before": {"service_id": "1", "name": "n", "num_replicas": 3}, "after": {"service_id": "2", "num_replicas": 8}`),
			"a.b: delete, create (-/+)\n  service_id: \"1\" -> \"2\" # forces replacement\n",
		},
		{
			"a key that is removed from the state", planned("dataplatform_api_key", `"actions": ["forget"], "before": {"key_suffix": "12ab", "expire_at": "2030-01-01T00:00:00Z"}, "after": null`),
			"a.b: no longer managed. The key (suffix \"12ab\") stays valid until 2030-01-01T00:00:00Z, and cannot be imported again\n",
		},
		{
			"an address that moves", `{"resource_changes": [{"address": "a.c", "previous_address": "a.b", "type": "other", "change": {"actions": ["no-op"], "before": {}, "after": {}}}], "configuration": {"root_module": {}}}`,
			"a.c: moved from a.b\n",
		},
		{
			"names that would forge lines", planned("other", update+"\"before\": {}, \"after\": {\"t\": {\"a\\n~~~~~~\\n::error::x\\r# Approved\\u202e\": 1, \"##[error]\": 2}}"),
			"a.b: update\n" + `  t."## [error]": null -> 2` + "\n" + `  t."a\n~~~~~~\n::error::x\r# Approved` + "\ufffd" + `": null -> 1` + "\n",
		},
	} {
		out := w.reviewed(row.plan, "", 60000)
		_, got, _ := strings.Cut(out, "\n")
		if got = regexp.MustCompile("Plan: .*\n$").ReplaceAllString(got, ""); got != row.want {
			t.Errorf("%s:\n%s\nwant\n%s", row.what, got, row.want)
		}
	}
	out := w.reviewed(planned("other", `"actions": ["no-op"]`), `{"diagnostic": {"severity": "warning", "summary": "a\nb", "detail": "c\n::set-output::d\n\n\re"}}`, 60000)
	wantText(t, out, "warning: a b\n  c\n  : :set-output::d\n  \ufffde\n")
}

// TestReviewWarnsAboutSecretOutputs warns about an output that shows a secret, also where it comes through modules,
// and about no output that only looks like one.
func TestReviewWarnsAboutSecretOutputs(t *testing.T) {
	w := reviewer(t)
	const plan = `{"resource_changes": [], "output_changes": {"o": {"actions": ["create"], "after": %s, "after_sensitive": %s}},
  "planned_values": {"root_module": {"child_modules": [{"resources": [{"values": {"list": [{"key_secret": "a-long-secret"}]}, "sensitive_values": {"list": [{"key_secret": true}]}}]}]}},
  "configuration": {"root_module": {"outputs": {"o": {"expression": {"references": [%q]}}},
    "module_calls": {"m": {"module": {"outputs": {"marked": {"sensitive": true, "expression": {}}, "plain": {"expression": {"references": ["k.a.key_secret", "k.a"]}}, "id": {"expression": {"references": ["k.a.key_id"]}}}}}}}}}`
	for _, row := range []struct {
		after, sensitive, reference string
		warns                       bool
	}{
		{`["a-long-secret"]`, "false", "local.a", true},
		{`[{"m": "Bearer a-long-secret"}]`, "false", "local.a", true},
		{`{"a-long-secret": 1}`, "false", "local.a", true},
		{`"YS1sb25nLXNlY3JldA=="`, "false", "local.a", true},
		{`"a-long-secre"`, "false", "local.a", false},
		{`["a-long-secret"]`, "true", "local.a", false},
		{"null", "false", "k.a.key_secret", true},
		{"null", "false", `module.m["x"].plain`, true},
		{"null", "false", "module.m.marked", true},
		{"null", "false", "module.m.id", false},
		{"null", "false", "k.a.secret_version", false},
		{"null", "false", "k.a.encrypted_key_secret", false},
	} {
		const warning = "warning: The apply prints the output o, which has a secret and is not sensitive\n"
		out := w.reviewed(fmt.Sprintf(plan, row.after, row.sensitive, row.reference), "", 60000)
		if strings.Contains(out, warning) != row.warns {
			t.Errorf("%+v:\n%s", row, out)
		}
		wantText(t, out, "outputs that change: o\n")
		if printed := strings.Contains(out, "outputs that change: o\n  printed by the apply: o\n"); printed == (row.sensitive == "true") {
			t.Errorf("%+v: printed is %t:\n%s", row, printed, out)
		}
	}
}

// TestReviewShowsRepeatedMessagesOnce shows once what differs only in IDs, and errors that differ in times. A time in a
// warning can be a part of a name.
func TestReviewShowsRepeatedMessagesOnce(t *testing.T) {
	w := reviewer(t)
	message := func(severity, detail string) string {
		return fmt.Sprintf(`{"diagnostic": {"severity": %q, "summary": "S", "detail": %q}}`, severity, detail)
	}
	for _, row := range []struct {
		severity, one, other string
		shown                int
	}{
		{"error", "gave up after 2 attempts in 1m30s", "gave up after 1 attempt in 1.5s", 1},
		{"error", "table shard1.messages", "table shard2.messages", 2},
		{"error", "column pay_1m", "column pay_2m", 2},
		{"warning", "table shard1.messages", "table shard2.messages", 2},
		{"warning", "table 1h", "table 2h", 2},
		{"warning", `pipe "a" (40000000-0000-4000-8000-00000000000a)`, `pipe "b" (40000000-0000-4000-8000-00000000000b)`, 1},
	} {
		out := w.reviewed(planned("other", `"actions": ["no-op"]`), message(row.severity, row.one)+","+message(row.severity, row.other), 60000)
		if got := strings.Count(out, row.severity+": S\n"); got != row.shown {
			t.Errorf("%+v: shown %d times:\n%s", row, got, out)
		}
	}
}

// TestReviewOmitsTheLeastDangerous leaves out whole objects, the least dangerous first. One that does not fit is cut, and
// what is less dangerous does not take its place.
func TestReviewOmitsTheLeastDangerous(t *testing.T) {
	w := reviewer(t)
	var changes []string
	for i := range 50 {
		changes = append(changes, fmt.Sprintf(`{"address": "a.created%02d", "type": "other", "change": {"actions": ["create"], "before": null, "after": {"v": "w"}}}`, i))
	}
	changes = append(changes, `{"address": "a.gone", "type": "other", "change": {"actions": ["delete"], "before": {}, "after": null}}`)
	out := w.reviewed(`{"resource_changes": [`+strings.Join(changes, ",")+`], "configuration": {"root_module": {}}}`, "", 500)
	wantText(t, out, "Plan of x: 0 to import, 50 to add, 0 to change, 1 to destroy.\n", "a.created00: create\n", "a.gone: delete\n",
		" objects or messages, the least dangerous ones, are missing here. All are in the log. https://ci.example.com/9\nPlan: 0 to import")
	if len(out) > 800 {
		t.Errorf("%d bytes are left", len(out))
	}

	lines := strings.Repeat(`\na column`, 100)
	out = w.reviewed(planned("other", `"actions": ["create"], "before": null, "after": {}`), `{"diagnostic": {"severity": "warning", "summary": "Large", "detail": "First`+lines+`"}},
  {"diagnostic": {"severity": "warning", "summary": "Small"}}`, 300)
	if !regexp.MustCompile(`\nwarning: Large\n  First\n(  a column\n){8,}  … \d\d more lines are in the log\. https://ci\.example\.com/9\n`).MatchString(out) || len(out) > 600 {
		t.Errorf("not cut by lines:\n%s", out)
	}
	wantText(t, out, "warning: Small\n1 objects or messages, the least dangerous ones, are missing here.")
	wantNoText(t, out, "a.b: create")

	invisible := strings.Repeat(`\u0001`, 400) // each is three bytes longer as it is shown
	if out = w.reviewed("null", `{"diagnostic": {"severity": "warning", "summary": "`+invisible+`"}}`, 600); len(out) > 600 {
		t.Errorf("%d bytes are left where 600 fit", len(out))
	}

	// Nothing is as dangerous as a column that is copied, and a long name does not take its place.
	long := strings.Repeat("n", 70000)
	messages := `{"diagnostic": {"severity": "warning", "summary": "Small"}},
  {"diagnostic": {"severity": "warning", "summary": "Table mappings of a change", "detail": "` +
		long + ` ssn\n` + strings.Repeat(long[:299]+" ", 11) + `\nNext"}}`
	cut := long[:300] + "… (70000 characters) ssn\n"
	wantText(t, w.reviewed(planned("other", `"actions": ["no-op"]`), messages, 500),
		"warning: Table mappings of a change\n  "+cut+"  … 2 more lines are in the log. https://ci.example.com/9\n1 objects or messages")
	wantText(t, w.reviewed("null", messages, 60000), cut, "n… (3302 characters)\n  Next\n")
	wantText(t, w.reviewed("null", messages, 100000000), long+" ssn\n")

	out = w.reviewed(planned("other", `"actions": ["no-op"]`), `{"diagnostic": {"severity": "warning", "summary": "Minor"}}, {"diagnostic": {"severity": "error", "summary": "Fatal"}}`, 20)
	wantText(t, out, "error: Fatal\n1 objects or messages, the least dangerous ones, are missing here.")
}

// TestReviewOfARealPlan plans what Terraform's own text hides: one member is sensitive and another one
// unknown. The comment has one line for each table, and nothing twice.
func TestReviewOfARealPlan(t *testing.T) {
	w := scripted(t).setenv("GITHUB_STEP_SUMMARY=summary", "GITHUB_SHA=0123456789abcdef", "GITHUB_EVENT_NAME=pull_request")
	mapping := func(source, target, excluded, more string) string {
		return fmt.Sprintf("%q = { excluded_columns = %s%s }\n", source+":"+target, excluded, more)
	}
	pipe := func(all ...string) string {
		return pipeBlock("customers", mockplatform.PostgresPipeID, "  source = { postgres = { table_mappings = {\n"+strings.Join(all, "")+"} } }\n")
	}
	const sorted = `, use_custom_sorting_key = true, sorting_keys = ["country", "id"]`
	leads := mapping("sales.leads", "sales_leads", `["notes"]`, "")
	w.File("other.tf", pipe(mapping("public.customers", "customers", `["password_hash", "phone"]`, sorted), mapping("public.addresses", "addresses", "[]", ""), leads))
	w.shell("terraform apply -auto-approve")
	w.File("other.tf", `
variable "hidden" {
  sensitive = true
  default   = ["phone"]
}

resource "terraform_data" "later" {
  input = ["notes"]
}
`+pipe(mapping("public.customers", "customers", "var.hidden", sorted), mapping("sales.leads", "sales_leads", "terraform_data.later.output", ""),
		mapping("public.orders", "orders", "[]", "")))
	w.shell("bash ci/plan.sh")
	const want = `<!-- terraform plan of default -->Plan of default at 0123456789: 0 to import, 1 to add, 1 to change, 0 to destroy. A new plan is made after the merge.
    warning: Table mappings of pipe "customers" (` + mockplatform.PostgresPipeID + `) change
      in dataplatform_pipe.customers (other.tf line …)
      Columns that will be copied from now on. The platform may copy their tables again:
        - "public.customers:customers": password_hash
      Known only after apply:
        - "sales.leads:sales_leads": excluded_columns (excludes notes now)
      Tables that are no longer copied:
        - "public.addresses:addresses"
    warning: Source of pipe "customers" (` + mockplatform.PostgresPipeID + `) changes without its credentials
      in dataplatform_pipe.customers (other.tf line …)
      source.postgres changes, and source_credentials.postgres is not set, so no credentials are sent. ` +
		`The API documentation does not say whether the platform keeps the current ones. To send them along, set source_credentials.postgres.
    dataplatform_pipe.customers: update
      source.postgres.table_mappings."public.orders:orders": null -> {"excluded_columns":[],"sorting_keys":[],"use_custom_sorting_key":false}
      source.postgres.table_mappings: see the warning above
    terraform_data.later: create
      input: null -> ["notes"]
    Plan: 0 to import, 1 to add, 1 to change, 0 to destroy.
`
	line := regexp.MustCompile(`tf line \d+`) // that of the block, or from Terraform 1.16 on of the argument
	for _, name := range []string{"plan.md", "summary"} {
		if got := line.ReplaceAllString(w.Read(name), "tf line …"); got != want {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
		}
	}
}
