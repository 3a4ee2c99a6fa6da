package provider

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

const thisPipe = "dataplatform_pipe.this"

const (
	kafkaUser   = `source_credentials = { kafka = { username = "u", password_wo = "pass", password_wo_version = 1 } }`
	postgresOne = `source_credentials = { postgres = { username = "u", password_wo = "pass", password_wo_version = 1 } }`
	// TestPromises has where credentials are sent, or a warning denies it.
	withoutCredentials = "source.kafka changes, and this plan has no value of source_credentials.kafka.password_wo: either this run does not set it, " +
		"or ignore_changes lists it. If it is not set, no credentials are sent, "
	twoSecrets = `source = { validate_samples = true }
  source_credentials = { object_storage = { access_key_id = "a", secret_key_wo_version = 1, `
)

// pipeChange is a change of one pipe's configuration: what its plan shows, and what is
// sent.
type pipeChange struct {
	kind          string // an ID, that of the Kafka pipe if it is empty
	before, after string
	// differing is what the plan shows with its new value. Without a PATCH nothing else
	// changes; with one, state and updated_at are known after it.
	differing []string
	// unknown is what else is known after the apply alone.
	unknown []string
	patches []string
	// warning is a text of the one warning; where there is none, nothing warns.
	warning string
	// travels is the secret that the warning about credentials beside another change names; where there is none, it does not warn.
	travels string
}

var pipeChanges = map[string]pipeChange{
	"the order of a set, and whitespace after a certificate": {
		before: `source = { kafka = { reverse_private_endpoint_ids = ["rpe-north", "rpe-south"], ca_certificate = "x" } }`,
		after:  `source = { kafka = { reverse_private_endpoint_ids = ["rpe-south", "rpe-north"], ca_certificate = "x \n\n" } }`,
	},
	"validate_samples with a name": {
		before:    `source = { validate_samples = false }`,
		after:     "name = \"n\"\n  source = { validate_samples = true }",
		differing: []string{"name", "source.validate_samples"},
		patches:   []string{`{"name": "n"}`},
	},
	"validate_samples with the source": {
		before:    `source = { kafka = { iam_role = "r" } }`,
		after:     `source = { kafka = { iam_role = "s" }, validate_samples = true }`,
		differing: []string{"source.kafka.iam_role", "source.validate_samples"},
		patches:   []string{`{"source": {"kafka": {"iamRole": "s"}, "validateSamples": true}}`},
	},
	"credentials are ignored": {
		kind: mockplatform.CloudStreamPipeID, after: `source = { cloud_stream = { iam_role = "r" } }
  source_credentials = { cloud_stream = { access_key_id = "a", secret_key_wo = "never sent", secret_key_wo_version = 1 } }
  lifecycle { ignore_changes = [source_credentials] }`,
		differing: []string{"source.cloud_stream.iam_role"},
		patches:   []string{`{"source": {"cloudStream": {"iamRole": "r"}}}`},
	},
	// As that of a data source that waits.
	"a mapping changes, the credentials travel with it, and an ID that is unknown until the apply is no other one": {
		kind: mockplatform.PostgresPipeID, before: seedMappings + "\n" + postgresOne,
		after:     resorted + "\n" + postgresOne + "\n  name = \"n\"\n  pipe_id = later.customers",
		differing: []string{"name", "source.postgres.table_mappings"}, unknown: []string{"pipe_id"}, travels: "postgres.password_wo",
		patches: []string{
			`{"name": "n"}`,
			`{"source": {"postgres": {"credentials": {"username": "u", "password": "pass"},
  "tableMappingsToRemove": [{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers"}]}}}`,
			`{"source": {"postgres": {"credentials": {"username": "u", "password": "pass"},
  "tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers",
  "excludedColumns": ["password_hash", "phone"], "useCustomSortingKey": true, "sortingKeys": ["id"]}]}}}`,
		},
		warning: "its engine and partitions to defaults: - \"public.customers:customers\": sorting_keys",
	},
	"a mapping goes, and another one comes with the defaults of its sorting": {
		kind: mockplatform.PostgresPipeID, before: seedMappings,
		after:     mappings(leadsMapping, addressesMapping, wanted("public.orders", "orders", `excluded_columns = ["iban", "card"]`)),
		differing: []string{"source.postgres.table_mappings"},
		patches: []string{
			`{"source": {"postgres": {"tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders",
  "excludedColumns": ["card", "iban"], "useCustomSortingKey": false, "sortingKeys": []}]}}}`,
			`{"source": {"postgres": {"tableMappingsToRemove": [{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers"}]}}}`,
		},
		warning: "Tables that are no longer copied: - \"public.customers:customers\"",
	},
	"one of two versions changes, and the other secret is not at hand": {
		kind:      mockplatform.ObjectStoragePipeID,
		before:    twoSecrets + `secret_key_wo = "first", connection_string_wo = "text", connection_string_wo_version = 1 } }`,
		after:     twoSecrets + `connection_string_wo = "more", connection_string_wo_version = 2 } }`,
		differing: []string{"source_credentials.object_storage.connection_string_wo_version"},
		patches:   []string{`{"source": {"objectStorage": {"connectionString": "more"}, "validateSamples": true}}`},
	},
	"the credentials of a stream": {
		kind:      mockplatform.CloudStreamPipeID,
		after:     `source_credentials = { cloud_stream = { access_key_id = "a", secret_key_wo = "s", secret_key_wo_version = 1 } }`,
		differing: []string{"source_credentials"},
		patches:   []string{`{"source": {"cloudStream": {"accessKey": {"accessKeyId": "a", "secretKey": "s"}}}}`},
	},
	"field mappings, and the columns that they need travel with them": {
		before:    `destination = { columns = [{ name = "a", type = "String" }] }`,
		after:     "destination = { columns = [{ name = \"a\", type = \"String\" }] }\nfield_mappings = []",
		differing: []string{"field_mappings"},
		patches:   []string{`{"fieldMappings": [], "destination": {"columns": [{"name": "a", "type": "String"}]}}`},
	},
	"a user changes, and a name beside it": {
		before: kafkaUser, after: "name = \"n\"\n  source_credentials = { kafka = { username = \"v\", password_wo = \"pass\", password_wo_version = 1 } }",
		differing: []string{"name", "source_credentials.kafka.username"},
		patches:   []string{`{"name": "n", "source": {"kafka": {"credentials": {"username": "v", "password": "pass"}}}}`},
	},
	"the secret is not at hand and nothing asks for it": {
		before: kafkaUser, after: `source_credentials = { kafka = { username = "u", password_wo_version = 1 } }`,
	},
	"credentials leave the configuration": {
		before: kafkaUser, after: ``,
		differing: []string{"source_credentials"},
		warning: "Credentials are no longer managed: pipe \"orders\" (" + mockplatform.KafkaPipeID +
			"): This removes source_credentials.kafka.password_wo from the configuration only. The platform keeps what it has",
	},
	"credentials leave the configuration, and are ignored": {
		before: kafkaUser, after: "lifecycle {\n  ignore_changes = [source_credentials]\n}",
	},
	"a source changes, and its secret is set": {
		before: kafkaUser, after: kafkaUser + "\n  source = { kafka = { iam_role = \"r\" } }",
		differing: []string{"source.kafka.iam_role"}, travels: "kafka.password_wo",
		patches: []string{`{"source": {"kafka": {"iamRole": "r", "credentials": {"username": "u", "password": "pass"}}}}`},
	},
	"a source changes, and its secret is not at hand": {
		before: kafkaUser, after: "source_credentials = { kafka = { username = \"u\", password_wo_version = 1 } }\n  source = { kafka = { iam_role = \"r\" } }",
		differing: []string{"source.kafka.iam_role"}, patches: []string{`{"source": {"kafka": {"iamRole": "r"}}}`},
		warning: withoutCredentials,
	},
	"a source changes, and its secret is ignored": {
		before:    kafkaUser,
		after:     kafkaUser + "\n  source = { kafka = { iam_role = \"r\" } }\n  lifecycle {\n  ignore_changes = [source_credentials.kafka.password_wo]\n}",
		differing: []string{"source.kafka.iam_role"}, warning: withoutCredentials,
		patches: []string{`{"source": {"kafka": {"iamRole": "r", "credentials": {"username": "u", "password": "pass"}}}}`},
	},
	"a secret ends with a line break": {
		after:     `source_credentials = { kafka = { username = "u", password_wo = "pass\n", password_wo_version = 1 } }`,
		differing: []string{"source_credentials"},
		patches:   []string{`{"source": {"kafka": {"credentials": {"username": "u", "password": "pass\n"}}}}`},
		warning:   "source_credentials.kafka.password_wo ends with a line break",
	},
	"a version and a user that are unknown until the apply": {
		kind: mockplatform.PostgresPipeID, before: postgresOne,
		after:   `source_credentials = { postgres = { username = later.text, password_wo = "pass", password_wo_version = later.number } }`,
		unknown: []string{"source_credentials.postgres.password_wo_version", "source_credentials.postgres.username"},
		patches: []string{`{"source": {"postgres": {"credentials": {"username": "later", "password": "pass"}}}}`},
	},
}

// TestPipeChanges makes each change. Its plan shows what was asked for and what the
// platform moves by itself, and nothing else.
func TestPipeChanges(t *testing.T) {
	t.Parallel()
	terraformtest.Rows(t, pipeChanges, func(t *testing.T, change pipeChange) {
		f := newFixture(t)
		b := f.pipe(cmp.Or(change.kind, mockplatform.KafkaPipeID), change.before)
		b.apply()
		b.arguments = change.after
		f.ResetJournal()
		plan := b.plan()
		if got := f.Count("GET", b.id); got != 1 {
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
		travels := func(warning string) bool {
			return strings.HasPrefix(warning, "Credentials may be sent with another change: ")
		}
		if at := slices.IndexFunc(plan.warnings, travels); at >= 0 != (change.travels != "") {
			t.Errorf("credentials travel: %q", plan.warnings)
		} else if at >= 0 {
			wantText(t, plan.warnings[at], "also sends what its own run has as source_credentials."+change.travels+", although this plan changes no version.")
		}
		wantWarning(t, slices.DeleteFunc(plan.warnings, travels), change.warning)
		b.applyPlan(plan)
		b.wantWrites(change.patches...)
		if next := b.plan(); next.action != "none" {
			t.Errorf("the next plan is to %s %q", next.action, next.changed())
		}
		f.wantWrites()
	})
}

// TestPipeUnknownAtPlan adopts pipes of which the plan does not know the ID, or the provider:
// what a plan checks is checked at the apply, before anything is sent.
func TestPipeUnknownAtPlan(t *testing.T) {
	type row struct{ id, arguments, refused string }
	terraformtest.Rows(t, map[string]row{
		"nothing wrong": {mockplatform.KafkaPipeID, `name = "n"`, ""},
		"a wrong kind":  {mockplatform.KafkaPipeID, `source = { postgres = { host = "h" } }`, "source.postgres is set, but the source of pipe"},
		"an invalid ID": {"none", `name = "n"`, "must be a UUID"},
		"a version without its secret": {mockplatform.KafkaPipeID, `source_credentials = { kafka = { password_wo_version = later.number } }`,
			"password_wo must be set in this run"},
		"a blank secret": {mockplatform.KafkaPipeID, `source_credentials = { kafka = { password_wo = later.blank, password_wo_version = 1 } }`,
			"Secret is blank"},
		"a key of other names": {mockplatform.PostgresPipeID, mappings(leadsMapping, `"sales.other:other" = { source_table = later.table, excluded_columns = [] }`),
			`the key of a mapping that sets other names should be "sales.leads:other"`},
	}, func(t *testing.T, test row) {
		f := newFixture(t)
		b := f.pipe(test.id, test.arguments+"\n  pipe_id = later.id")
		delete(b.ids, "pipe_id")
		b.later = cty.ObjectVal(map[string]cty.Value{
			"id": cty.StringVal(test.id), "number": cty.NumberIntVal(5), "table": cty.StringVal("leads"), "blank": cty.StringVal(" \n"),
		})
		r := b.must(b.tryPlan(f.start("key_id = later")))
		f.wantRequests(0)
		b.carryOut(f.start(), r)
		if test.refused == "" {
			b.must(r)
			b.wantWrites(`{"name": "n"}`)
			b.wantQuiet()
			return
		}
		b.refuses(r, test.refused)
		if !b.state.IsNull() {
			t.Error("a failed adoption is in the state")
		}
	})
}

// TestPipeCredentialRenewals changes versions and users without the secret, and loses a change
// with it.
func TestPipeCredentialRenewals(t *testing.T) {
	f := newFixture(t)
	kafka := func(members string) string { return "source_credentials = { kafka = { " + members + " } }\n" }
	b := f.pipe(mockplatform.KafkaPipeID, kafka(`username = "u", password_wo_version = 1, password_wo = "first"`))
	b.apply()
	f.ResetJournal()
	for _, arguments := range []string{
		kafka(`username = "u", password_wo_version = 2`),
		kafka(`username = "v", password_wo_version = 1`),
		kafka(`username = "u", password_wo_version = 2`) + `source = { kafka = { iam_role = "r" } }`, // which would be a warning, without the error
		// Terraform takes an ignored value out of the configuration that a plan gets.
		kafka(`username = "u", password_wo_version = 2, password_wo = "hush-hush"`) + "lifecycle {\n  ignore_changes = [source_credentials.kafka.password_wo]\n}",
	} {
		b.arguments = arguments
		r := b.tryPlan(f.start())
		b.refuses(r, "source_credentials.kafka.password_wo must be set in this run, because password_wo_version or username is new or changed.",
			"If it is set, but listed in ignore_changes, list password_wo_version there, too, or neither.")
		wantWarning(t, r.warnings, "")
	}

	// A PATCH that fails leaves the version for the next apply.
	b.arguments = kafka(`username = "u", password_wo_version = 2, password_wo = "second"`)
	f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Status: 400})
	wantText(t, b.tryApply().String(), "HTTP 400")
	b.apply()
	const second = `{"source": {"kafka": {"credentials": {"username": "u", "password": "second"}}}}`
	b.wantWrites(second, second)

	// A user whose version is ignored before it was ever applied is not sent alone.
	b.applyAs(kafka(""))
	b.arguments = kafka(`username = "w", password_wo_version = 3`) + "lifecycle {\n  ignore_changes = [source_credentials.kafka.password_wo_version]\n}"
	b.refuses(b.tryPlan(f.start()), "source_credentials.kafka.password_wo must be set in this run, because")
}

// TestResponsesRepeatSecrets has the platform repeat the provider's secret in a field that
// is read, and a password in other fields of its response to an update: no message repeats
// them.
func TestResponsesRepeatSecrets(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		b := f.pipe(mockplatform.PostgresPipeID, `name = "n"
  source             = { postgres = { host = "h2" } }
  source_credentials = { postgres = { username = "bob", password_wo = "hush-hush", password_wo_version = 1 } }`)
		f.UpdatePipe(b.id, func(doc mockplatform.Document) { setMember(doc, "source.postgres.host", "demo-key-secret.example") })
		planned := b.plan().String()
		wantText(t, planned, `source.postgres.host (currently "***.example")`, "credentials of source_credentials.postgres (the API does not return")
		wantNoText(t, planned, "demo-key-secret")
		for _, test := range []struct{ path, says string }{
			{"result.source.postgres.host", "API stored a different value for source.postgres.host"},
			{"result.source.postgres.database", "Other values changed during the update"},
		} {
			repeat := func(body mockplatform.Document) { setMember(body, test.path, "postgres://bob:hush-hush@h2/d") }
			f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Edit: repeat})
			// The read after those of both plans and the apply, if there is one.
			f.Inject(mockplatform.Fault{Operation: mockplatform.GetPipe, Skip: 3, Times: mockplatform.Always, Edit: repeat})
			out := b.tryApply().String()
			wantText(t, out, test.says, "postgres://bob:***@h2/d")
			wantNoText(t, out, "hush-hush")
			f.ClearFaults()
		}
	})(t)
}

// A source of a kind that the API document does not have may be another one than the configured: the plan warns.
func TestSourceOfAnUnknownKind(t *testing.T) {
	f := newFixture(t)
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) { doc["source"] = object{"mysql": object{"host": "h"}} })
	wantWarning(t, f.pipe(mockplatform.PostgresPipeID, "source = { postgres = { host = \"other\" } }").plan().warnings,
		`Source has no known kind: pipe "customers" (`+mockplatform.PostgresPipeID+"): source.postgres is set, but the API returns a source of no kind ")
}
