package guidestest

import (
	"encoding/json"
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
	const review = `include "plan"; review($plan[0]; "x"; %d; "https://ci.example.com/9")`
	w.shell(fmt.Sprintf("jq -r -L ci --slurpfile plan plan.json '"+review+"' messages.json > out", bytes))
	return w.Read("out")
}

// planned is a plan with one change.
func planned(typ, members string) string {
	const provider = "example.com/dataplatform/dataplatform"
	return fmt.Sprintf(`{"resource_changes": [{"address": "a.b", "type": %q, "provider_name": %q, "change": {%s}}]}`, typ, provider, members)
}

// message is one of terraform plan -json.
func message(severity, summary, detail string) string {
	text, _ := json.Marshal(map[string]any{"diagnostic": map[string]string{"severity": severity, "summary": summary, "detail": detail}})
	return string(text)
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
			"a value that is sensitive, and some that are not known yet", planned("dataplatform_api_key", `"actions": ["create", "delete"],
  "replace_paths": [["roles"]], "after_unknown": {"expire_at": true, "addresses": [false, true]}, "before_sensitive": {}, "after_sensitive": {"hash": true},
  "before": {"addresses": ["a"], "expire_at": "2030", "hash": null, "roles": ["x"]},
  "after": {"addresses": ["a", null], "hash": "hash-of-a-key", "roles": ["x", "y"]}`),
			"a.b: create, delete (+/-)\n  addresses: [\"a\"] -> [\"a\",null], a part of it known after apply\n" +
				"  expire_at: \"2030\" -> (known after apply)\n  hash: (sensitive)\n  roles: + \"y\" # forces replacement\n",
		},
		{
			"credentials that are no longer managed, with a secret", planned("dataplatform_pipe", `"actions": ["update"], "after_unknown": {},
  "before_sensitive": {"source_credentials": {"kafka": {"password_wo": true}}}, "after_sensitive": {},
  "before": {"source_credentials": {"kafka": {"username": "u"}}}, "after": {"source_credentials": null}`),
			"a.b: update\n  source_credentials: no longer managed\n",
		},
		{
			"a service under two addresses", `{"resource_changes": [
  {"address": "a.c", "type": "dataplatform_service_scaling", "change": {"actions": ["no-op"], "before": {"service_id": "1A"}, "after": {"service_id": "1A"}}},
  {"address": "a.d", "mode": "data", "type": "dataplatform_pipe", "change": {"actions": ["read"], "before": null, "after": {"service_id": "1a"}}},
  {"address": "a.e", "type": "dataplatform_service_scaling", "change": {"actions": ["update"], "importing": {"id": "1a"},
    "before": {"name": "n", "service_id": "1a", "num_replicas": 1}, "after": {"name": "n", "service_id": "1a", "num_replicas": 2},
    "after_unknown": {}, "before_sensitive": {}, "after_sensitive": {}}}]}`,
			"warning: 2 resources manage 1a. Each can revert what another one sets\n  in a.c\n  in a.e\n" +
				"a.e: import \"n\" (1a), update\n  num_replicas: 1 -> 2\n",
		},
		{
			"another object", planned("dataplatform_service_scaling", `"actions": ["delete", "create"], "replace_paths": [["service_id"]],
  "after_unknown": {"name": true}, "before_sensitive": {}, "after_sensitive": {},
  "before": {"service_id": "1", "name": "n", "num_replicas": 3}, "after": {"service_id": "2", "num_replicas": 8}`),
			"a.b: delete, create (-/+)\n  service_id: \"1\" -> \"2\" # forces replacement\n",
		},
		{
			"a key that is removed from the state", planned("dataplatform_api_key", `"actions": ["forget"],
  "before": {"key_suffix": "12ab", "expire_at": "2030-01-01T00:00:00Z"}, "after": null`),
			"a.b: no longer managed. The key (suffix \"12ab\") stays valid until 2030-01-01T00:00:00Z, and cannot be imported again\n",
		},
		{
			"names that would forge lines", planned("other", update+`"before": {},
  "after": {"t": {"a\n~~~~~~\n::error::x\r# Approved\u202e": 1, "##[error]": 2}}`),
			"a.b: update\n" + `  t."## [error]": null -> 2` + "\n" + `  t."a\n~~~~~~\n::error::x\r# Approved` + "\ufffd" + `": null -> 1` + "\n",
		},
	} {
		out := w.reviewed(row.plan, "", 60000)
		_, got, _ := strings.Cut(out, "\n")
		if got = regexp.MustCompile("Plan: .*\n$").ReplaceAllString(got, ""); got != row.want {
			t.Errorf("%s:\n%s\nwant\n%s", row.what, got, row.want)
		}
	}
	out := w.reviewed(planned("other", `"actions": ["no-op"]`), message("warning", "a\nb", "c\n::set-output::d\n\n\re"), 60000)
	wantText(t, out, "warning: a b\n  c\n  : :set-output::d\n  \ufffde\n")
}

// TestReviewWarnsAboutSecretOutputs warns about an output that the apply prints and that is made of a secret.
func TestReviewWarnsAboutSecretOutputs(t *testing.T) {
	w := reviewer(t)
	const plan = `{"output_changes": {"o": {"actions": ["create"], "after": null, "after_sensitive": %t}},
  "configuration": {"root_module": {"outputs": {"o": {"expression": {"references": [%q]}}}}}}`
	for _, row := range []struct {
		sensitive bool
		reference string
		warns     bool
	}{
		{false, "k.a.key_secret", true},
		{true, "k.a.key_secret", false},
		{false, "module.m.secrets", true},
		{false, "k.a.secret_version", false},
		{false, "k.a.encrypted_key_secret", false},
	} {
		out := w.reviewed(fmt.Sprintf(plan, row.sensitive, row.reference), "", 60000)
		warns := strings.Contains(out, "warning: The apply prints the output o, which has a secret and is not sensitive\n")
		if printed := strings.Contains(out, "outputs that change: o\n  printed by the apply: o\n"); warns != row.warns || printed == row.sensitive {
			t.Errorf("%+v:\n%s", row, out)
		}
	}
}

// TestReviewShowsRepeatedMessagesOnce shows once what differs only in IDs, and errors that differ in times. A time in a
// warning can be a part of a name.
func TestReviewShowsRepeatedMessagesOnce(t *testing.T) {
	w := reviewer(t)
	for _, row := range []struct {
		severity, one, other string
		shown                int
	}{
		{"error", "gave up after 2 attempts in 1m30s", "gave up after 1 attempt in 1.5s", 1},
		{"error", "column pay_1m", "column pay_2m", 2},
		{"warning", "table 1h", "table 2h", 2},
		{"warning", `pipe "a" (40000000-0000-4000-8000-00000000000a)`, `pipe "b" (40000000-0000-4000-8000-00000000000b)`, 1},
	} {
		out := w.reviewed(planned("other", `"actions": ["no-op"]`), message(row.severity, "S", row.one)+","+message(row.severity, "S", row.other), 60000)
		if got := strings.Count(out, row.severity+": S\n"); got != row.shown {
			t.Errorf("%+v: shown %d times:\n%s", row, got, out)
		}
	}
}

// TestReviewKeepsWhatIsWorst has the title of everything, and what another provider deletes first, whatever the
// length of a name or of a message. What is least dangerous is missing.
func TestReviewKeepsWhatIsWorst(t *testing.T) {
	w := reviewer(t)
	change := func(address, provider, actions string) string {
		return fmt.Sprintf(`{"address": %q, "type": "t", "provider_name": "registry.terraform.io/%s",
  "change": {"actions": [%s], "before": {"id": "orders"}, "after": null}}`, address, provider, actions)
	}
	var all []string
	for i := range 50 {
		all = append(all, change(fmt.Sprintf("a.created%02d", i), "dataplatform/dataplatform", `"create"`))
	}
	all = append(all, change("a.gone", "dataplatform/dataplatform", `"delete"`), change("a.service", "other/platform", `"delete"`),
		change("a.pipe", "other/platform", `"create", "delete"`), change("a.time", "hashicorp/time", `"delete"`))
	plan := `{"resource_changes": [` + strings.Join(all, ",") + `]}`
	const deletions = "This plan DELETES 2 objects of other providers. Plan of x: 0 to import, 51 to add, 0 to change, 4 to destroy.\n" +
		"DELETES a.service (\"orders\"), provider registry.terraform.io/other/platform\n" +
		"DELETES a.pipe (\"orders\") and creates it anew, provider registry.terraform.io/other/platform\n"
	const gone = "\na.gone: delete. Nothing is deleted on the platform\n"
	out := w.reviewed(plan, "", 1000)
	wantText(t, out, deletions, gone, "\na.created00: create\n",
		" objects or messages, the least dangerous ones, are missing here.\nAll lines are in the log. https://ci.example.com/9\nPlan: 0 to import")
	if len(out) > 1400 {
		t.Errorf("%d bytes are left", len(out))
	}

	// A name, many words, what is longer as it is shown, and many lines.
	long, words := strings.Repeat("n", 70000), strings.Repeat("word ", 14000)
	for _, text := range []string{long, words, strings.Repeat("\x01", 7000), strings.Repeat("a column\n", 9000)} {
		out = w.reviewed(plan, message("warning", "Table mappings of a change", text)+","+message("error", text, text), 60000)
		wantText(t, out, deletions, gone, "\nwarning: Table mappings of a change\n", "\na.created49: create\n")
		if strings.Contains(out, "missing here") || len(out) > 62000 {
			t.Errorf("%d bytes of %.20q", len(out), text)
		}
	}

	// What is cut says so, and the columns at the end of a line stay.
	messages := message("warning", "Small", "Detail") + "," + message("warning", "Table mappings of a change", long+" ssn\n"+words)
	cut := "warning: Table mappings of a change\n  " + long[:300] + "… (70000 characters) ssn\n"
	wantText(t, w.reviewed("null", messages, 500), "warning: Small\n  … (1 more lines)\n", cut+"  … (1 more lines)\n", "\nAll lines are in the log.")
	wantText(t, w.reviewed("null", messages, 100000000), long+" ssn\n", "Small\n  Detail\n")
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
	customers := mapping("public.customers", "customers", `["password_hash", "phone"]`, sorted)
	w.File("other.tf", pipe(customers, mapping("public.addresses", "addresses", "[]", ""), leads))
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
	const want = "<!-- terraform plan of default -->Plan of default at 0123456789: " +
		`0 to import, 1 to add, 1 to change, 0 to destroy. A new plan is made after the merge.
    warning: Table mappings of pipe "customers" (` + mockplatform.PostgresPipeID + `) may change
      in dataplatform_pipe.customers (other.tf line …)
      Columns that will be copied from now on. The platform may copy their tables again:
        - "public.customers:customers": password_hash
      Known only after apply:
        - "sales.leads:sales_leads": excluded_columns (excludes notes now)
      Tables that are no longer copied:
        - "public.addresses:addresses"
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
