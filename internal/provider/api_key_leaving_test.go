package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// spoken is a workspace whose every output is kept, logs of the finest level
// included, to look for secrets in.
type spoken struct {
	*workspace
	outputs []string
}

func (s *spoken) terraform(args ...string) (string, bool) {
	s.t.Helper()
	out, ok := s.workspace.terraform(args...)
	s.outputs = append(s.outputs, out)
	return out, ok
}

func (s *spoken) succeeds(args ...string) string {
	s.t.Helper()
	out, ok := s.terraform(args...)
	if !ok {
		s.t.Fatal(out)
	}
	return out
}

// wantSilence fails if an output or a log holds one of these.
func (s *spoken) wantSilence(secrets ...string) {
	s.t.Helper()
	logs, err := filepath.Glob(filepath.Join(s.dir, "*.log"))
	if err != nil || len(logs) == 0 {
		s.t.Fatal("no logs", err)
	}
	for _, file := range logs {
		log, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(log), "Data Platform request") {
			s.t.Errorf("%s has no line of the provider's: %v", file, err)
		}
		s.outputs = append(s.outputs, string(log))
	}
	for _, secret := range secrets {
		for _, out := range s.outputs {
			if at := strings.Index(out, secret); at >= 0 {
				s.t.Errorf("a secret in …%s…", out[max(0, at-300):min(len(out), at+100)])
			}
		}
	}
}

func keySecrets(f *fixture) []string {
	secrets := []string{"h4sh-of", "demo-key-secret"}
	for _, key := range f.Keys() {
		secrets = append(secrets, key["result"].(mockplatform.Document)["keySecret"].(string))
	}
	return secrets
}

// The life of three keys in a terminal: what is said when they are made,
// replaced, rejected and destroyed, each key by a warning of its own, and never
// a secret.
func TestAPIKeyLife(t *testing.T) {
	f := newFixture(t)
	config := func(name string, count int) string {
		return f.provider() + fmt.Sprintf(`
resource "dataplatform_api_key" "lasting" {
  count          = %d
  name           = %q
  roles          = ["developer"]
  validity_hours = 1000
  hash_data      = { key_secret_hash = "h4sh-of-secret" }
  lifecycle {
    create_before_destroy = true
  }
}
resource "dataplatform_api_key" "endless" {
  name  = "endless %s"
  roles = ["admin"]
  lifecycle {
    create_before_destroy = true
  }
}
`, count, name, name)
	}
	s := &spoken{workspace: f.workspace(config("one", 2))}
	s.env = append(s.env, "TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(s.dir, "trace.log"))

	const willNot = `API key "endless one" will never expire`
	planned := s.succeeds("plan", "-out=plan")
	wantText(t, planned, "Plan: 3 to add", willNot)
	s.succeeds("apply", "plan")
	s.succeeds("show")
	first := s.keys()

	// Replaced, but rejected: the old keys stay in the state.
	s.file("main.tf", config("two", 2))
	f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, Status: 403, Times: mockplatform.Always, Body: mockplatform.BodyEchoWhole})
	out, ok := s.terraform("apply", "-auto-approve")
	if ok || strings.Contains(out, "may have created") {
		t.Errorf("the refusal of three keys:\n%s", out)
	}
	if held := s.keys(); fmt.Sprint(held) != fmt.Sprint(first) {
		t.Errorf("state holds %v, want %v", held, first)
	}
	f.ClearFaults()

	// Each key is reported in the plan and in the apply.
	expiries := map[string]string{}
	for _, key := range f.Keys() {
		doc := key["result"].(mockplatform.Document)["key"].(mockplatform.Document)
		if expiry, _ := doc["expireAt"].(string); expiry != "" {
			expiries[doc["id"].(string)] = "stays valid until " + expiry
		} else {
			expiries[doc["id"].(string)] = "stays valid, because it does not expire"
		}
	}
	stays := func(out, summary string, keys map[string]keyInState, name string) {
		t.Helper()
		for address, key := range keys {
			if strings.Contains(address, "endless") != strings.HasPrefix(name, "endless") {
				continue
			}
			if n := strings.Count(out, fmt.Sprintf("Warning: API key %q (%s) %s", name, key.id, summary)); n != 1 {
				t.Errorf("%d warnings that %s %s in\n%s", n, address, summary, out)
			}
			if n := strings.Count(out, fmt.Sprintf(`key (suffix %s) %s.`, key.keyID[len(key.keyID)-4:], expiries[key.id])); n != 1 {
				t.Errorf("%s is described %d times in\n%s", address, n, out)
			}
		}
	}
	planned = s.succeeds("plan", "-out=plan")
	wantText(t, planned, "Plan: 3 to add, 0 to change, 3 to destroy", "The key is replaced because name changed.", `API key "endless two" will never expire`)
	if n := strings.Count(planned, "Warning: "); n != 4 {
		t.Errorf("%d warnings, want one for each replaced key and one for the key that will never expire:\n%s", n, planned)
	}
	if strings.Count(planned, "# forces replacement") != 3 {
		t.Errorf("something else than the names forces replacement:\n%s", planned)
	}
	applied := s.succeeds("apply", "plan")
	for out, summary := range map[string]string{planned: "is replaced and stays valid", applied: "stays valid"} {
		stays(out, summary, first, "one")
		stays(out, summary, first, "endless one")
	}
	wantText(t, s.succeeds("plan"), "No changes.")

	// One leaves, then all.
	second := s.keys()
	for _, key := range f.Keys()[3:] {
		doc := key["result"].(mockplatform.Document)["key"].(mockplatform.Document)
		expiries[doc["id"].(string)] = "stays valid, because it does not expire"
		if expiry, _ := doc["expireAt"].(string); expiry != "" {
			expiries[doc["id"].(string)] = "stays valid until " + expiry
		}
	}
	f.ResetJournal()
	s.file("main.tf", config("two", 1))
	planned = s.succeeds("plan", "-out=plan")
	applied = s.succeeds("apply", "plan")
	left := map[string]keyInState{"": second[`dataplatform_api_key.lasting[1]`]}
	stays(planned, "stays valid", left, "two")
	stays(applied, "stays valid", left, "two")
	planned = s.succeeds("plan", "-destroy", "-out=plan")
	applied = s.succeeds("apply", "plan")
	delete(second, `dataplatform_api_key.lasting[1]`)
	for _, out := range []string{planned, applied} {
		stays(out, "stays valid", second, "two")
		stays(out, "stays valid", second, "endless two")
		if n := strings.Count(out, "Warning: API key"); n != 2 {
			t.Errorf("%d warnings for two keys in\n%s", n, out)
		}
	}
	if requests := f.Requests(); len(requests) > 0 {
		t.Errorf("%d requests to destroy", len(requests))
	}
	s.wantSilence(keySecrets(f)...)
}

// What goes wrong with a response shows no secret either.
func TestAPIKeySecretsInTrouble(t *testing.T) {
	f := newFixture(t)
	rows := map[string]keyFault{
		"500 with the secret in its message": {fault: func(m *moment) {
			secret := inOrder(m.make(), false)
			secret = secret[strings.Index(secret, `"keySecret":"`)+13:]
			m.answer(500, fmt.Sprintf(`{"message":"made %s","keySecret":%q}`, secret[:64], secret[:64]))
		}},
		"the request and the key in a text": {fault: func(m *moment) {
			m.w.Header().Set("Content-Type", "text/plain")
			m.w.WriteHeader(502)
			_, _ = fmt.Fprintf(m.w, "%s %s", m.r.Header.Get("Authorization"), m.body)
		}},
		"cut in the secret":      cutIn("keySecret", false, "", "cut"),
		"cut behind the secret":  cutIn("ipAccessList", true, "", "reset"),
		"secret in a wrong type": result("", `{"result":{"key":{"name":{"a":SECRET},"roles":SECRET,"createdAt":[SECRET]},"keyId":KEYID,"keySecret":SECRET}}`),
		"something behind":       result("", `{"result":{"keyId":KEYID,"keySecret":SECRET}} SECRET`),
		"status and message":     result("", `{"status":500,"message":SECRET,"result":{"keyId":KEYID,"keySecret":SECRET}}`),
		"another name":           result("", `{"result":{"name":SECRET,"key":{"roles":["a very long role, so that what follows is cut",SECRET],"name":SECRET,"expireAt":SECRET},"keyId":KEYID,"keySecret":SECRET}}`),
	}
	f.url, _ = f.faulty(rows)
	s := &spoken{workspace: f.workspace(f.provider() + fmt.Sprintf(`
resource "dataplatform_api_key" "row" {
  for_each       = toset([%s])
  name           = each.key
  roles          = ["admin"]
  validity_hours = 9
  hash_data      = each.key == "the request and the key in a text" ? { key_id_hash = "h4sh-of-id" } : null
}
`, strings.Join(quoted(sortedKeys(rows)), ", ")))}
	s.env = append(s.env, "TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(s.dir, "trace.log"))
	s.terraform("apply", "-auto-approve")
	if held := s.keys(); len(held) != 5 {
		t.Errorf("%d keys in the state: %v", len(held), held)
	}
	s.wantSilence(keySecrets(f)...)
}

// There is no import, and it says why, as a command and as a block.
func TestAPIKeyImport(t *testing.T) {
	f := newFixture(t)
	resource := "resource \"dataplatform_api_key\" \"this\" {\n" + plainKey.hcl() + "}\n"
	w := f.workspace(f.provider() + resource)
	out, ok := w.terraform("import", "dataplatform_api_key.this", "10000000-0000-4000-8000-000000000009")
	w.file("main.tf", f.provider()+resource+"import {\n  to = dataplatform_api_key.this\n  id = \"x\"\n}\n")
	block, okBlock := w.terraform("plan")
	for _, out := range []string{out, block} {
		wantText(t, out, "API keys cannot be imported", "returns its secret only in the response to its creation", "Create a new key with this resource, and revoke the old one")
	}
	if ok || okBlock || len(f.Requests()) > 0 {
		t.Errorf("imported: %v, %v, with %d requests", ok, okBlock, len(f.Requests()))
	}
}

// Values that come from another resource are checked when they are known, and
// before anything is sent.
func TestAPIKeyUnknownUntilApply(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() + `
resource "terraform_data" "late" {
  input = { source = "192.0.2.300", date = "2020-01-01T00:00:00Z", role = "owner", hours = 9, good = "192.0.2.3", none = null }
}
locals {
  late = terraform_data.late.output
}
resource "dataplatform_api_key" "source" {
  name           = "n"
  roles          = ["admin"]
  ip_access_list = [{ source = local.late.source }]
}
resource "dataplatform_api_key" "past" {
  name      = "n"
  roles     = ["admin"]
  expire_at = local.late.date
}
resource "dataplatform_api_key" "role" {
  name  = "n"
  roles = [local.late.role]
}
resource "dataplatform_api_key" "early" {
  name                = "n"
  roles               = ["admin"]
  validity_hours      = local.late.hours
  early_renewal_hours = 9
}
resource "dataplatform_api_key" "good" {
  name           = "good"
  roles          = ["admin"]
  ip_access_list = [{ source = local.late.good, description = local.late.none }]
  expire_at      = local.late.none
}
`)
	out := w.diagnostics("apply", "-auto-approve")
	for name, says := range map[string]string{
		"source": "must be a valid IP address, such as", "past": "in the future", "role": "query_endpoints", "early": "less than validity_hours",
	} {
		all := out["dataplatform_api_key."+name]
		if len(all.errors) != 1 || !strings.Contains(all.errors[0], says) {
			t.Errorf("%s: %s", name, all)
		}
	}
	f.wantWrites(`{"name": "good", "roles": ["admin"], "ipAccessList": [{"source": "192.0.2.3"}]}`)
	wantText(t, out["dataplatform_api_key.good"].String(), `API key "good" will never expire`)
}
