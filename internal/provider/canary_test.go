package provider

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// Each secret of this test has characters that JSON, URLs and HCL spell
// otherwise, so that it is looked for in every spelling.
var canaries = map[string]string{
	"the provider's key secret":   `canary-basic-"q"<&>\é`,
	"the alerts' access token":    `canary-bearer-/+=~'"<&>`,
	"the Kafka password":          `canary-kafka "q" \n <&> ü`,
	"the Postgres password":       `canary-postgres 'q' $%`,
	"the stream's secret key":     `canary-stream/+==`,
	"the storage's secret key":    `canary-storage "q"`,
	"the storage's connection":    `canary-connection;AccountKey="q"&sig=%2F`,
	"the Kafka password, changed": `canary-kafka-2 "q" {{}}`,
}

// spellings are the ways in which a secret may be written down.
func spellings(secret string) []string {
	quoted, _ := json.Marshal(secret)
	plain := strings.Trim(string(quoted), `"`)
	return []string{
		secret, plain, strings.ReplaceAll(plain, `\`, `\\`),
		url.QueryEscape(secret), url.PathEscape(secret),
		base64.StdEncoding.EncodeToString([]byte(secret)),
		base64.StdEncoding.EncodeToString([]byte("canary-key-id:" + secret)),
	}
}

// TestCanaries plants a value in each secret, has the platform echo whatever it
// is sent, turns TRACE logs on, and looks for the values wherever a run leaves
// something.
func TestCanaries(t *testing.T) {
	seed := mockplatform.DefaultSeed()
	seed.KeyID, seed.KeySecret, seed.AccessToken = "canary-key-id", canaries["the provider's key secret"], canaries["the alerts' access token"]
	f := newFixtureOf(t, seed)
	w := f.workspace(canaryConfig)
	w.env = append(w.env,
		"DATAPLATFORM_BASE_URL="+f.url, "DATAPLATFORM_ALERTS_BASE_URL="+f.url, "DATAPLATFORM_ORGANIZATION_ID="+mockplatform.OrganizationID,
		"DATAPLATFORM_KEY_ID="+seed.KeyID, "DATAPLATFORM_KEY_SECRET="+seed.KeySecret, "DATAPLATFORM_ALERTS_ACCESS_TOKEN="+seed.AccessToken,
		"DATAPLATFORM_RETRY_TIMEOUT=0s",
		"TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(w.dir, "trace.log"),
		"TF_VAR_postgres="+canaries["the Postgres password"], "TF_VAR_stream="+canaries["the stream's secret key"],
		"TF_VAR_storage="+canaries["the storage's secret key"], "TF_VAR_connection="+canaries["the storage's connection"],
	)
	kafka := func(name string) { w.setVariable("TF_VAR_kafka", canaries[name]) }

	kafka("the Kafka password")
	var out strings.Builder
	must := func(want bool, args ...string) {
		t.Helper()
		printed, ok := w.terraform(args...)
		out.WriteString(printed)
		if ok != want {
			t.Fatalf("terraform %s: %t\n%s", strings.Join(args, " "), ok, printed)
		}
	}
	must(true, "plan", "-input=false", "-out=tfplan")
	must(true, "apply", "tfplan")
	kafka("the Kafka password, changed")
	for _, body := range []mockplatform.BodyKind{mockplatform.BodyEcho, mockplatform.BodyEchoWhole} {
		f.Inject(mockplatform.Fault{Method: "PATCH", Status: 400, Body: body})
		must(false, "apply", "-auto-approve", "-input=false", "-var=kafka_version=2")
		f.Inject(mockplatform.Fault{Operation: mockplatform.GetAlert, Status: 403, Body: body})
		must(false, "plan", "-input=false", "-var=kafka_version=2")
	}
	must(true, "apply", "-auto-approve", "-input=false", "-var=kafka_version=2")
	must(true, "show", "-json")

	secrets := map[string]string{}
	for name, secret := range canaries {
		secrets[name] = secret
	}
	keySecret := f.Keys()[0]["result"].(map[string]any)["keySecret"].(string)
	w.file("printed", out.String())
	w.wantNoSecret(secrets, "printed", "trace.log", "terraform.tfstate", "tfplan", "terraform.tfstate.backup")
	// The secret of a new key stands in the state, which "show" prints, and
	// nowhere else.
	w.wantNoSecret(map[string]string{"the new key's secret": keySecret}, "trace.log")
	if state := w.read("terraform.tfstate"); !strings.Contains(state, keySecret) {
		t.Error("the new key's secret is not in the state")
	}
	if sent := toText(f.PipeSecrets(mockplatform.KafkaPipeID)); !strings.Contains(sent, "canary-kafka-2") {
		t.Errorf("the changed password did not arrive: %s", sent)
	}
}

func toText(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

func (w *workspace) setVariable(name, value string) {
	for i, variable := range w.env {
		if strings.HasPrefix(variable, name+"=") {
			w.env[i] = name + "=" + value
			return
		}
	}
	w.env = append(w.env, name+"="+value)
}

func (w *workspace) read(name string) string {
	w.t.Helper()
	content, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	return string(content)
}

// wantNoSecret looks for secrets in files. A plan file is an archive: what is
// inside is looked at through terraform show, which the test prints.
func (w *workspace) wantNoSecret(secrets map[string]string, files ...string) {
	w.t.Helper()
	for _, file := range files {
		content := w.read(file)
		for name, secret := range secrets {
			for _, spelled := range spellings(secret) {
				if at := strings.Index(content, spelled); at >= 0 {
					w.t.Errorf("%s stands in %s: …%.200q", name, file, content[max(0, at-80):])
					break
				}
			}
		}
	}
}

const canaryConfig = `
terraform {
  required_providers {
    dataplatform = { source = "dataplatform/dataplatform" }
  }
}
variable "kafka" {
  type      = string
  ephemeral = true
}
variable "kafka_version" { default = 1 }
variable "postgres" {
  type      = string
  ephemeral = true
}
variable "stream" {
  type      = string
  ephemeral = true
}
variable "storage" {
  type      = string
  ephemeral = true
}
variable "connection" {
  type      = string
  ephemeral = true
}
locals {
  service = "20000000-0000-4000-8000-000000000001"
}
resource "dataplatform_pipe" "kafka" {
  service_id         = local.service
  pipe_id            = "40000000-0000-4000-8000-000000000001"
  source_credentials = { kafka = { username = "u", password_wo = var.kafka, password_wo_version = var.kafka_version } }
}
resource "dataplatform_pipe" "postgres" {
  service_id         = local.service
  pipe_id            = "40000000-0000-4000-8000-000000000004"
  source_credentials = { postgres = { username = "u", password_wo = var.postgres, password_wo_version = 1 } }
}
resource "dataplatform_pipe" "stream" {
  service_id         = local.service
  pipe_id            = "40000000-0000-4000-8000-000000000003"
  source_credentials = { cloud_stream = { access_key_id = "a", secret_key_wo = var.stream, secret_key_wo_version = 1 } }
}
resource "dataplatform_pipe" "storage" {
  service_id = local.service
  pipe_id    = "40000000-0000-4000-8000-000000000002"
  source_credentials = { object_storage = {
    access_key_id                = "a"
    secret_key_wo                = var.storage
    secret_key_wo_version        = 1
    connection_string_wo         = var.connection
    connection_string_wo_version = 1
  } }
}
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
`
