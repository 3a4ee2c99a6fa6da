package provider

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing/sealingtest"
)

// Secrets of every sort go through a real Terraform, and are looked for wherever it leaves something.

// canaries have characters that JSON, URLs and HCL spell otherwise. No two have twelve in a row that are
// spelled alike: a message with one would be withheld because of the other.
var canaries = map[string]string{
	"basic":      `canary-basic-"q"<&>\é`,
	"bearer":     `canary-bearer-/+=~'"<&>`,
	"postgres":   `canary-postgres 'q' $% \n ü`,
	"stream":     `canary-stream/+==`,
	"storage":    `canary-storage "q" {{}}`,
	"connection": `canary-connection;AccountKey="q"&sig=%2F`,
}

const canaryKeyID = "canary-key-id"

// spellings are the ways in which a secret may be written down.
func spellings(secret string) []string {
	var loose bytes.Buffer
	encoder := json.NewEncoder(&loose)
	encoder.SetEscapeHTML(false) // as hclog and HCL have it
	_ = encoder.Encode(secret)
	strict, _ := json.Marshal(secret)
	all := []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret),
		strings.Trim(strconv.QuoteToASCII(secret), `"`),
		hex.EncodeToString([]byte(secret)),
	}
	for _, quoted := range []string{strings.TrimSpace(loose.String()), string(strict)} {
		plain := strings.TrimSuffix(strings.TrimPrefix(quoted, `"`), `"`)
		// Within a text that is quoted itself, too.
		all = append(all, plain, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(plain))
	}
	for _, text := range []string{secret, canaryKeyID + ":" + secret} {
		all = append(all, base64.RawStdEncoding.EncodeToString([]byte(text)), base64.RawURLEncoding.EncodeToString([]byte(text)))
	}
	return all
}

// wantNoSecret fails where one of the secrets, by name, stands in the text, which has to contain what shows
// that it was looked into.
func wantNoSecret(t *testing.T, place, text, contains string, secrets map[string]string) {
	t.Helper()
	wantText(t, text, contains)
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		for _, spelled := range spellings(secrets[name]) {
			if at := strings.Index(text, spelled); at >= 0 {
				t.Errorf("%s is in %s: …%.200q", name, place, text[max(0, at-80):])
				break
			}
		}
	}
}

// linesOf are the lines of a private key that are long enough to be looked for.
func linesOf(key string) map[string]string {
	lines := map[string]string{}
	for line := range strings.Lines(key) {
		if line = strings.TrimSpace(line); len(line) > 12 && !strings.HasPrefix(line, "-----") {
			lines[fmt.Sprintf("line %d of the private key", len(lines))] = line
		}
	}
	return lines
}

// traced has terraform write all that it can log.
func (w *workspace) traced() *workspace {
	return w.setenv("TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(w.Dir, "trace.log"))
}

// TestCanaries delivers each secret to the platform, which repeats whatever it is sent, and renews the
// keys. No output, plan, state or log has one, but for the secret of the key without recipients, which
// stands in the state and in what is made of it.
func TestCanaries(t *testing.T) {
	seed := mockplatform.DefaultSeed()
	seed.KeyID, seed.KeySecret, seed.AccessToken = canaryKeyID, canaries["basic"], canaries["bearer"]
	f, pair := newFixtureOf(t, seed), sealingtest.Ed25519(t, "")
	w := f.workspace(canaryConfig(pair.Recipient)).traced().setenv(
		"DATAPLATFORM_BASE_URL="+f.url, "DATAPLATFORM_ALERTS_BASE_URL="+f.url, "DATAPLATFORM_ORGANIZATION_ID="+mockplatform.OrganizationID,
		"DATAPLATFORM_KEY_ID="+seed.KeyID, "DATAPLATFORM_KEY_SECRET="+seed.KeySecret, "DATAPLATFORM_ALERTS_ACCESS_TOKEN="+seed.AccessToken,
		"DATAPLATFORM_RETRY_TIMEOUT=0s", "TF_VAR_secrets="+toJSON(t, canaries), "TF_VAR_identity="+pair.Identity,
	)
	printed := ""
	prints := func(want bool, args ...string) string {
		t.Helper()
		out, ok := w.Terraform(args...)
		if printed += out; ok != want {
			t.Fatalf("terraform %s: %t\n%s", strings.Join(args, " "), ok, out)
		}
		return out
	}

	f.Inject(mockplatform.Fault{Operation: mockplatform.GetAlert, Status: 403, Body: mockplatform.BodyEchoWhole})
	wantText(t, prints(false, "plan"), "Cannot read alert", "HTTP 403", "Authorization: Bearer ***")
	prints(true, "plan", "-out=tfplan")
	before := w.Unzipped("tfplan")
	for _, body := range []mockplatform.BodyKind{mockplatform.BodyEcho, mockplatform.BodyEchoWhole} {
		for range 4 { // all pipes
			f.Inject(mockplatform.Fault{Method: "PATCH", Status: 400, Body: body})
		}
		wantText(t, prints(false, "apply", "-auto-approve"), "Cannot update pipe", "HTTP 400", "the message is withheld because it contains a secret")
	}
	prints(true, "apply", "-auto-approve")
	prints(true, "plan", "-out=tfplan", "-var=trigger=2")
	after := w.Unzipped("tfplan")
	prints(true, "apply", "tfplan")
	after += w.Read("terraform.tfstate") + w.Read("terraform.tfstate.backup")

	// What never arrived cannot leak.
	for id, names := range map[string][]string{
		mockplatform.PostgresPipeID: {"postgres"}, mockplatform.CloudStreamPipeID: {"stream"}, mockplatform.ObjectStoragePipeID: {"storage", "connection"},
	} {
		sent := toJSON(t, f.PipeSecrets(id))
		for _, name := range names {
			wantText(t, sent, strings.Trim(toJSON(t, canaries[name]), `"`))
		}
	}
	secrets, plain := linesOf(pair.Identity), map[string]string{} // of keys with recipients, and without
	maps.Copy(secrets, canaries)
	for i, key := range f.Keys() {
		of := secrets
		if member(key, "result.key.name") == "plain" {
			of = plain
		}
		of[fmt.Sprintf("the secret of key %d", i)] = member(key, "result.keySecret").(string)
	}
	if len(plain) != 2 || len(f.Keys()) != 4 || len(secrets) < len(canaries)+4 { // no failed apply has created a key again
		t.Fatalf("%d keys were created, and the test looks for %d and %d secrets", len(f.Keys()), len(plain), len(secrets))
	}
	delivered := member(f.PipeSecrets(mockplatform.KafkaPipeID), "kafka.credentials.password").(string)
	wantText(t, strings.Join(slices.Collect(maps.Values(secrets)), "\n"), delivered)
	trace := w.Read("trace.log")
	for place, text := range map[string][2]string{
		"the output": {printed, "HTTP 400"}, "the first plan": {before, "secret_key_wo_version"}, "the log": {trace, "Data Platform request"},
	} {
		wantNoSecret(t, place, text[0], text[1], secrets)
		wantNoSecret(t, place, text[0], text[1], plain)
	}
	wantNoSecret(t, "a later plan or the state", after, "BEGIN AGE ENCRYPTED FILE", secrets)
	wantText(t, after, slices.Collect(maps.Values(plain))...)
}

// TestStandardLoggerIsSilent lets net/http write each frame of HTTP/2 to the standard logger, with the header of the credentials.
func TestStandardLoggerIsSilent(t *testing.T) {
	f := newFixture(t)
	server := httptest.NewUnstartedServer(f.Server)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	w := f.workspace(plainProvider + `
data "dataplatform_services" "all" {
}
`).traced()
	w.File("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	seed := mockplatform.DefaultSeed()
	w.Env = append(w.Env, "GODEBUG=http2debug=2", "SSL_CERT_FILE="+filepath.Join(w.Dir, "ca.pem"), "DATAPLATFORM_BASE_URL="+server.URL,
		"DATAPLATFORM_ORGANIZATION_ID="+mockplatform.OrganizationID, "DATAPLATFORM_KEY_ID="+seed.KeyID, "DATAPLATFORM_KEY_SECRET="+seed.KeySecret)
	w.Apply()
	trace := w.Read("trace.log")
	wantText(t, trace, "Data Platform request")
	wantNoText(t, trace, "uthorization", "http2: Transport") // Terraform itself writes what it exchanges with the provider
}

// canaryConfig has a key without recipients, one whose secret is encrypted to a recipient and decrypted for a pipe, and a
// pipe of each other kind.
func canaryConfig(recipient string) string {
	return plainProvider + `
variable "secrets" {
  type      = map(string)
  ephemeral = true
}
variable "identity" {
  type      = string
  ephemeral = true
}
variable "trigger" { default = 1 }
data "dataplatform_alert" "this" { id = "` + mockplatform.AlertID + `" }
output "encrypted" {
  value     = dataplatform_api_key.this.encrypted_key_secret
  sensitive = true
}
resource "dataplatform_api_key" "plain" {
  name              = "plain"
  roles             = ["developer"]
  validity_hours    = 24
  rotation_triggers = { t = var.trigger }
}
` + delivered("validity_hours = 24\nrotation_triggers = { t = var.trigger }\n"+to(recipient), "identity = var.identity") +
		onePipe("postgres", mockplatform.PostgresPipeID, `source_credentials = { postgres = {
    username            = "u"
    password_wo         = var.secrets.postgres
    password_wo_version = 1
  } }`) +
		onePipe("stream", mockplatform.CloudStreamPipeID, `source_credentials = { cloud_stream = {
    access_key_id         = "a"
    secret_key_wo         = var.secrets.stream
    secret_key_wo_version = 1
  } }`) +
		onePipe("storage", mockplatform.ObjectStoragePipeID, `source_credentials = { object_storage = {
    access_key_id                = "a"
    secret_key_wo                = var.secrets.storage
    secret_key_wo_version        = 1
    connection_string_wo         = var.secrets.connection
    connection_string_wo_version = 1
  } }`)
}

// delivered is a key with these arguments, the ephemeral resource with those, and a pipe that gets the
// secret.
func delivered(key, secret string) string {
	return `
resource "dataplatform_api_key" "this" {
  name  = "n"
  roles = ["admin"]
` + key + `
  lifecycle {
    create_before_destroy = true
  }
}
ephemeral "dataplatform_api_key_secret" "this" {
  encrypted_key_secret = dataplatform_api_key.this.encrypted_key_secret
` + secret + `
}
` + onePipe("consumer", mockplatform.KafkaPipeID, `source_credentials = { kafka = {
    username            = dataplatform_api_key.this.key_id
    password_wo         = ephemeral.dataplatform_api_key_secret.this.key_secret
    password_wo_version = dataplatform_api_key.this.secret_version
  } }`)
}

// TestPrivateKeysAreNotRepeated sets a private key as a recipient, written in the configuration or known
// only after apply, and a wrong identity: neither output nor log has it. Which texts are rejected is
// tested in package sealing and by TestAPIKeyInvalid.
func TestPrivateKeysAreNotRepeated(t *testing.T) {
	f := newFixture(t)
	good, locked := sealingtest.X25519(t), sealingtest.Ed25519(t, "hush-hush")
	recipients := fmt.Sprintf("[%q, %q]", good.Recipient, locked.Recipient+" x\n"+locked.Identity)
	for place, config := range map[string]string{
		"a recipient": f.provider() + delivered("secret_recipients = "+recipients, `identity = "x"`),
		"a recipient that is unknown": f.provider() + delivered("secret_recipients = terraform_data.late.output", `identity = "x"`) +
			"resource \"terraform_data\" \"late\" {\n  input = sensitive(" + recipients + ")\n}\n",
		"an identity": f.provider() + delivered(to(good.Recipient), fmt.Sprintf("identity = %q", locked.Identity)),
	} {
		w := f.workspace(config).traced()
		out, ok := w.Terraform("apply", "-auto-approve")
		if ok {
			t.Errorf("%s: a private key is accepted", place)
		}
		wantNoSecret(t, "the output for "+place, out, "Error: ", linesOf(locked.Identity))
		wantNoSecret(t, "the log for "+place, w.Read("trace.log"), "plugin", linesOf(locked.Identity))
	}
	if n := len(f.Keys()); n != 1 {
		t.Errorf("%d keys were created, want that for the identity alone", n)
	}
}
