package provider

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// Each secret of this test has characters that JSON, URLs and HCL spell
// otherwise, so that it is looked for in every spelling.
var canaries = map[string]string{
	"basic":          `canary-basic-"q"<&>\é`,
	"bearer":         `canary-bearer-/+=~'"<&>`,
	"kafka":          `canary-kafka "q" \n <&> ü`,
	"postgres":       `canary-postgres 'q' $%`,
	"stream":         `canary-stream/+==`,
	"storage":        `canary-storage "q"`,
	"connection":     `canary-connection;AccountKey="q"&sig=%2F`,
	"kafka, changed": `canary-kafka-2 "q" {{}}`,
}

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

const canaryKeyID = "canary-key-id"

// leaks says of each secret that a text holds where it stands.
func leaks(text string, secrets map[string]string) []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		for _, spelled := range spellings(secrets[name]) {
			if at := strings.Index(text, spelled); at >= 0 {
				found = append(found, fmt.Sprintf("%s stands at %d: …%.200q", name, at, text[max(0, at-80):]))
				break
			}
		}
	}
	return found
}

// TestCanaries plants a value in each secret, has the platform echo whatever it
// is sent, turns TRACE logs on, and looks for the values wherever a run leaves
// something.
func TestCanaries(t *testing.T) {
	seed := mockplatform.DefaultSeed()
	seed.KeyID, seed.KeySecret, seed.AccessToken = canaryKeyID, canaries["basic"], canaries["bearer"]
	f := newFixtureOf(t, seed)
	w := f.workspace(canaryConfig)
	w.Env = append(w.Env,
		"DATAPLATFORM_BASE_URL="+f.url, "DATAPLATFORM_ALERTS_BASE_URL="+f.url, "DATAPLATFORM_ORGANIZATION_ID="+mockplatform.OrganizationID,
		"DATAPLATFORM_KEY_ID="+seed.KeyID, "DATAPLATFORM_KEY_SECRET="+seed.KeySecret, "DATAPLATFORM_ALERTS_ACCESS_TOKEN="+seed.AccessToken,
		"DATAPLATFORM_RETRY_TIMEOUT=0s",
		"TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(w.Dir, "trace.log"),
	)
	w.setenv("TF_VAR_secrets=" + toJSON(t, canaries))
	var out strings.Builder
	run := func(want bool, args ...string) string {
		t.Helper()
		printed, ok := w.Terraform(args...)
		if ok != want {
			t.Fatalf("terraform %s: %t\n%s", strings.Join(args, " "), ok, printed)
		}
		out.WriteString(printed)
		return printed
	}
	run(true, "plan", "-input=false", "-out=tfplan")
	plans := w.archive("tfplan")
	run(true, "apply", "tfplan")
	w.wantSecrets(map[string][]string{
		mockplatform.KafkaPipeID:         {"kafka"},
		mockplatform.PostgresPipeID:      {"postgres"},
		mockplatform.CloudStreamPipeID:   {"stream"},
		mockplatform.ObjectStoragePipeID: {"storage", "connection"},
	})
	w.setenv("TF_VAR_kafka=kafka, changed", "TF_VAR_kafka_version=2")
	for _, body := range []mockplatform.BodyKind{mockplatform.BodyEcho, mockplatform.BodyEchoWhole} {
		f.Inject(mockplatform.Fault{Method: "PATCH", Status: 400, Body: body})
		wantText(t, run(false, "apply", "-auto-approve", "-input=false"), "Cannot update pipe", "HTTP 400", "the message is withheld because it contains a secret")
	}
	f.Inject(mockplatform.Fault{Operation: mockplatform.GetAlert, Status: 403, Body: mockplatform.BodyEchoWhole})
	wantText(t, run(false, "plan", "-input=false"), "Cannot read alert", "HTTP 403")
	run(true, "plan", "-input=false", "-out=tfplan")
	later, ok := w.Terraform("show", "-json", "tfplan")
	if !ok {
		t.Fatal(later)
	}
	later += w.archive("tfplan")
	run(true, "apply", "tfplan")
	w.wantSecrets(map[string][]string{mockplatform.KafkaPipeID: {"kafka, changed"}})

	// Each place holds what shows that it was looked into.
	state, backup, trace := w.Read("terraform.tfstate"), w.Read("terraform.tfstate.backup"), w.Read("trace.log")
	for _, place := range []struct{ name, content, holds string }{
		{"the output", out.String(), "HTTP 400"},
		{"the first plan", plans, "secret_key_wo_version"},
		{"the second plan", later, "secret_key_wo_version"},
		{"the state", state, "secret_key_wo_version"},
		{"the state's backup", backup, "secret_key_wo_version"},
		{"the log", trace, "Data Platform request"},
	} {
		if !strings.Contains(place.content, place.holds) {
			t.Errorf("%s doesn't hold %q: the test looks at nothing", place.name, place.holds)
		}
		for _, leak := range leaks(place.content, canaries) {
			t.Errorf("%s: %s", place.name, leak)
		}
	}

	// The secret of a new key stands in the state, and so in later plans, and
	// nowhere else.
	keySecret := f.Keys()[0]["result"].(map[string]any)["keySecret"].(string)
	if len(leaks(state, map[string]string{"the new key's secret": keySecret})) == 0 { // the search itself, too
		t.Error("the new key's secret is not in the state")
	}
	for name, content := range map[string]string{"the output": out.String(), "the first plan": plans, "the log": trace} {
		for _, leak := range leaks(content, map[string]string{"the new key's secret": keySecret}) {
			t.Errorf("%s: %s", name, leak)
		}
	}
}

// wantSecrets fails unless the platform got these canaries for these pipes: one
// that never arrived can't leak.
func (w *workspace) wantSecrets(want map[string][]string) {
	w.t.Helper()
	for id, names := range want {
		sent := toJSON(w.t, w.PipeSecrets(id))
		for _, name := range names {
			if !strings.Contains(sent, strings.Trim(toJSON(w.t, canaries[name]), `"`)) {
				w.t.Errorf("the platform has not got %s: %s", name, sent)
			}
		}
	}
}

// archive is all that stands in a zip file, as a plan is one: what is searched
// for in the file itself is never found.
func (w *workspace) archive(name string) string {
	w.t.Helper()
	files, err := zip.OpenReader(filepath.Join(w.Dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	defer files.Close()
	var all strings.Builder
	for _, file := range files.File {
		content, err := fs.ReadFile(files, file.Name)
		if err != nil {
			w.t.Fatal(err)
		}
		all.Write(content)
	}
	return all.String()
}

var canaryConfig = plainProvider + `
variable "secrets" {
  type      = map(string)
  ephemeral = true
}
variable "kafka" { default = "kafka" }
variable "kafka_version" { default = 1 }
resource "dataplatform_api_key" "this" {
  name           = "canary"
  roles          = ["developer"]
  validity_hours = 24
  lifecycle {
    create_before_destroy = true
  }
}
data "dataplatform_alert" "this" {
  id = "6650c0ffee00000000000001"
}
` +
	onePipe("kafka", mockplatform.KafkaPipeID, `source_credentials = { kafka = { username = "u", password_wo = var.secrets[var.kafka], password_wo_version = var.kafka_version } }`) +
	onePipe("postgres", mockplatform.PostgresPipeID, `source_credentials = { postgres = { username = "u", password_wo = var.secrets.postgres, password_wo_version = 1 } }`) +
	onePipe("stream", mockplatform.CloudStreamPipeID, `source_credentials = { cloud_stream = { access_key_id = "a", secret_key_wo = var.secrets.stream, secret_key_wo_version = 1 } }`) +
	onePipe("storage", mockplatform.ObjectStoragePipeID, `source_credentials = { object_storage = {
    access_key_id                = "a"
    secret_key_wo                = var.secrets.storage
    secret_key_wo_version        = 1
    connection_string_wo         = var.secrets.connection
    connection_string_wo_version = 1
  } }`)
