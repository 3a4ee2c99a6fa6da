package provider

import (
	"fmt"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

func TestPipeCredentialsOfEveryKind(t *testing.T) {
	for _, test := range []struct{ id, credentials, body string }{
		{mockplatform.KafkaPipeID, `kafka = { username = "u", password_wo = "p\"q", password_wo_version = 1 }`,
			`{"source": {"kafka": {"credentials": {"username": "u", "password": "p\"q"}}}}`},
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
			b := f.pipe(test.id, `source_credentials = { `+test.credentials+` }`)
			b.apply()
			b.sends(test.body)
			b.wantQuiet()
		})
	}
}

// TestPipeCredentialsRejected has a secret without its version, which is the schema's, and a
// version without its secret, of every kind of source.
func TestPipeCredentialsRejected(t *testing.T) {
	f := newFixture(t)
	for _, test := range []struct{ kind, id, secret string }{
		{"kafka", mockplatform.KafkaPipeID, "password_wo"},
		{"postgres", mockplatform.PostgresPipeID, "password_wo"},
		{"cloud_stream", mockplatform.CloudStreamPipeID, "secret_key_wo"},
		{"object_storage", mockplatform.ObjectStoragePipeID, "secret_key_wo"},
		{"object_storage", mockplatform.ObjectStoragePipeID, "connection_string_wo"},
	} {
		b := f.pipe(test.id, fmt.Sprintf(`source_credentials = { %s = { %s = "hush-hush" } }`, test.kind, test.secret))
		b.refuses(b.tryPlan(f.start()), fmt.Sprintf("source_credentials.%s.%s_version", test.kind, test.secret))
		b.arguments = fmt.Sprintf(`source_credentials = { %s = { %s_version = 1 } }`, test.kind, test.secret)
		b.refuses(b.tryPlan(f.start()), test.secret+" must be set in this run")
	}
}

// TestPipeCredentialRenewals changes versions and users without the secret, and loses a
// change with it.
func TestPipeCredentialRenewals(t *testing.T) {
	f := newFixture(t)
	kafka := func(user string, version int, rest string) string {
		return fmt.Sprintf("source_credentials = { kafka = { username = %q, password_wo_version = %d %s } }", user, version, rest)
	}
	b := f.pipe(mockplatform.KafkaPipeID, kafka("u", 1, `, password_wo = "first"`))
	b.apply()
	f.ResetJournal()
	// Terraform takes an ignored value out of the configuration that a plan gets.
	const ignored = "\n  lifecycle {\n  ignore_changes = [source_credentials.kafka.password_wo]\n}"
	for _, arguments := range []string{kafka("u", 2, ""), kafka("v", 1, ""), kafka("u", 2, `, password_wo = "hush-hush"`) + ignored} {
		b.arguments = arguments
		b.refuses(b.tryPlan(f.start()), "Credential missing", "source_credentials.kafka.password_wo must be set in this run, because password_wo_version or username is new or has changed. Later runs can omit it. "+
			"If it is set, ignore_changes hides it: remove it from ignore_changes, or add password_wo_version, too.")
	}
	b.arguments = kafka("u", 2, "") + "\n  source = { kafka = { iam_role = \"r\" } }"
	if r := b.tryPlan(f.start()); len(r.errors) != 1 || len(r.warnings) > 0 {
		t.Errorf("want the error alone: %s", r)
	}
	b.arguments = kafka("u", 1, "")
	b.wantQuiet()

	// A PATCH that fails leaves the version for the next apply.
	b.arguments = kafka("u", 2, `, password_wo = "second"`)
	f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Status: 400})
	wantText(t, b.tryApply().String(), "Cannot update pipe", "HTTP 400")
	b.apply()
	const second = `{"source": {"kafka": {"credentials": {"username": "u", "password": "second"}}}}`
	b.sends(second, second)
	b.wantQuiet()

	// With a version gone, the user alone is left; with all gone, nothing.
	b.applyAs(`source_credentials = { kafka = { username = "w" } }`)
	b.sends(`{"source": {"kafka": {"credentials": {"username": "w"}}}}`)
	b.applyAs(`source_credentials = { kafka = {} }`)
	b.sends()
}

// TestBlankSecret has a secret that is known to be blank only in the apply: nothing is
// sent. One that ends with a line break is sent as it is, with a warning.
func TestBlankSecret(t *testing.T) {
	const with = "name = \"n\"\n  source_credentials = { kafka = { username = \"u\", password_wo = %s, password_wo_version = 1 } }"
	f := newFixture(t)
	b := f.pipe(mockplatform.KafkaPipeID, fmt.Sprintf(with, "later"))
	for _, blank := range []string{"", " \n"} {
		b.learn(cty.StringVal(blank))
		b.refuses(b.tryApply(), "Secret is blank", "source_credentials.kafka.password_wo must not be empty or blank: the platform could no longer read the source.")
	}
	r := b.applyAs(fmt.Sprintf(with, `"hush-hush\n"`))
	wantText(t, r.String(), "Secret ends with a line break", "source_credentials.kafka.password_wo ends with a line break")
	wantNoText(t, r.String(), "hush-hush")
	b.sends(`{"name": "n", "source": {"kafka": {"credentials": {"username": "u", "password": "hush-hush\n"}}}}`)
}

// TestResponsesRepeatSecrets has the platform repeat the provider's secret in a field that
// is read, and a password in other fields of its response to an update: no message repeats
// them.
func TestResponsesRepeatSecrets(t *testing.T) {
	f := newFixture(t)
	b := f.pipe(mockplatform.PostgresPipeID, `name = "n"
  source             = { postgres = { host = "h2" } }
  source_credentials = { postgres = { username = "bob", password_wo = "hush-hush", password_wo_version = 1 } }`)
	f.UpdatePipe(b.id, func(doc mockplatform.Document) { setMember(doc, "source.postgres.host", "demo-key-secret.example") })
	planned := b.plan().String()
	wantText(t, planned, `source.postgres.host (currently "***.example")`)
	wantNoText(t, planned, "demo-key-secret")
	for _, test := range []struct{ path, says string }{
		{"result.source.postgres.host", "API stored a different value for source.postgres.host"},
		{"result.source.postgres.database", "also changed unmanaged values"},
	} {
		repeat := func(body mockplatform.Document) { setMember(body, test.path, "postgres://bob:hush-hush@h2/d") }
		f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Edit: repeat})
		// The read after those of both plans and the apply, if there is one.
		f.Inject(mockplatform.Fault{Operation: mockplatform.GetPipe, Skip: 3, Edit: repeat})
		out := b.tryApply().String()
		wantText(t, out, test.says, "postgres://bob:***@h2/d")
		wantNoText(t, out, "hush-hush")
		f.ClearFaults()
	}
}
