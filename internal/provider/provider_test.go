package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

const plainProvider = terraformtest.PlainProvider

// setenv adds variables to those of what the workspace runs.
func (w *workspace) setenv(variables ...string) *workspace {
	w.Env = append(slices.Clip(w.Env), variables...)
	return w
}

// TestProviderSettings checks every setting, written and from the environment: what one rejects the other rejects, and
// the variable is named. TestInvalidConfigurations has what is written of those that are no text.
func TestProviderSettings(t *testing.T) {
	const id = mockplatform.OrganizationID
	terraformtest.Rows(t, map[string]struct{ accepted, refused []string }{
		"base_url":            {[]string{"https://a.example.com/prefix/"}, []string{"https://u:p@a", "https://a\n"}}, // TestParseBaseURL has the others
		"alerts_base_url":     {[]string{"http://localhost"}, []string{"a"}},
		"allow_http":          {[]string{"true", "false", "TRUE", "1", "0"}, []string{"maybe", "yes", " true", "true\n"}},
		"organization_id":     {[]string{id, strings.ToUpper(id)}, []string{"nordwind", id + " ", "{" + id + "}", strings.ReplaceAll(id, "-", ""), id[1:]}},
		"key_id":              {[]string{"k", "K-1_2.3"}, []string{"a:b", "a b", "abc\n", "abc\r\n", " abc", "\tabc", "\n"}},
		"key_secret":          {[]string{"s", ":", "ä+/="}, []string{"a b", "abc\n", "abc\r\n", " abc", "abc\t", " ", "a\nb", "abc\u00a0"}},
		"alerts_access_token": {[]string{"t.o-k_e/n=="}, []string{"a b", "a\n", "a\tb", "\u0091"}},
		"request_timeout":     {[]string{"30s", "1m30s", "500ms"}, []string{"30", "0s", "-1s", "soon", "1e3s", "5 m", "9999999999h", "5m\n"}},
		"retry_timeout":       {[]string{"5m", "0s", "0", "1h"}, []string{"5", "-1s", "soon", "30 s", "9999999999h"}},
		// A text may be a secret.
		"max_concurrent_requests": {[]string{"1", "10", "1000"}, []string{"0", "-1", "2.5", "1e3", "10 ", "10\n", "5000000000", "hush-hush"}},
	}, func(t *testing.T, test struct{ accepted, refused []string }) {
		name := strings.TrimPrefix(t.Name(), "TestProviderSettings/")
		variable, isText := conn.Environment(name), name != "allow_http" && name != "max_concurrent_requests"
		isSecret := slices.Contains([]string{"base_url", "key_id", "key_secret", "alerts_access_token"}, name)
		for _, value := range append(test.accepted, "") { // an empty variable is one that is not set
			if said := settingErrors(t, "", map[string]string{variable: value}); said != "" {
				t.Errorf("%s = %q is rejected: %s", variable, value, said)
			}
		}
		for _, value := range test.refused {
			said := settingErrors(t, "", map[string]string{variable: value})
			if !strings.Contains(said, variable) || (isSecret || value == "hush-hush") && len(value) > 2 && strings.Contains(said, value) {
				t.Errorf("%s = %q: %q", variable, value, said)
			}
			if isText && settingErrors(t, fmt.Sprintf("%s = %q", name, value), nil) == "" {
				t.Errorf("%s = %q is accepted", name, value)
			}
		}
		if isText && !strings.Contains(settingErrors(t, name+` = ""`, nil), name+" must not be empty; to leave it unset, omit it or pass null") {
			t.Errorf("%s is empty, and may be so", name)
		}
	})
}

// TestAllowHTTP has plain http to another host, and where it may be allowed. The provider block takes precedence over
// the environment.
func TestAllowHTTP(t *testing.T) {
	const elsewhere = "http://mockplatform:18080"
	const refused = " is not valid: the URL must use https. Plain http is allowed only for a loopback address (localhost, 127.0.0.1, ::1), or with allow_http."
	type row struct {
		written, environment string
		isRefused            bool
	}
	terraformtest.Rows(t, map[string]row{
		"unset":                     {"", "", true},
		"in the environment, false": {"", "false", true},
		"in the environment, true":  {"", "true", false},
		"false":                     {"allow_http = false\n", "true", true},
		"true":                      {"allow_http = true\n", "false", false},
		"unknown":                   {"allow_http = later\n", "", false},
	}, func(t *testing.T, test row) {
		for _, name := range []string{"base_url", "alerts_base_url"} {
			said := settingErrors(t, test.written+name+` = "`+elsewhere+`"`, map[string]string{"DATAPLATFORM_ALLOW_HTTP": test.environment})
			if want := map[bool]string{true: name + refused}[test.isRefused]; said != want {
				t.Errorf("%q, want %q", said, want)
			}
		}
	})
	// Validation does not know the environment, and nothing is sent while the setting is unknown.
	for arguments, errors := range map[string]int{"": 0, "allow_http = false\n": 1, "allow_http = true\n": 0} {
		config := configuration(t, schemasOnce().Provider, arguments+`base_url = "`+elsewhere+`"`)
		resp := must(serverOf(newProvider("test")).ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: config}))
		if len(resp.Diagnostics) != errors {
			t.Errorf("%s: %s", arguments, diagnosed(resp.Diagnostics))
		}
	}
	inBubble(func(_ *testing.T, f *fixture) {
		f.url = elsewhere
		b := f.scaling(mockplatform.ServiceID, "")
		b.must(b.tryPlan(f.start("allow_http = true")))
		f.wantRequests(1)
		b.must(b.tryPlan(f.start("allow_http = later")))
		f.wantRequests(0)
	})(t)
}

// settingErrors are the errors of settings in the configuration and in the environment.
func settingErrors(t *testing.T, written string, environment map[string]string) string {
	t.Helper()
	config := must(configuration(t, schemasOnce().Provider, written).Unmarshal(schemasOnce().Provider.ValueType()))
	var diags diag.Diagnostics
	readSettings(tfvalue.Of(config), func(name string) string { return environment[name] }, &diags)
	var all []string
	for _, d := range diags.Errors() {
		all = append(all, d.Detail())
	}
	return strings.Join(all, "\n")
}

// TestProviderFromEnvironment configures everything by variables, with path prefixes and
// a slash at the end of a URL, the first of them on another host, then with an argument over
// one of them. Each request says what sends it.
func TestProviderFromEnvironment(t *testing.T) {
	seed := mockplatform.DefaultSeed()
	seed.ManagementPrefix, seed.AlertingPrefix = "/mgmt/api", "/alerting"
	f := newFixtureOf(t, seed)
	f.Configure(func(b *mockplatform.Behaviour) { b.Latency = 50 * time.Millisecond })
	config := plainProvider + `
data "dataplatform_alert" "lag" { id = "` + mockplatform.AlertID + "\" }\n" + onePipe("this", mockplatform.KafkaPipeID, `name = "renamed"`)
	w := f.workspace(config).setenv(
		"DATAPLATFORM_BASE_URL=http://mockplatform:18080/mgmt/api/", "HTTP_PROXY="+f.url, // which finds the host
		"DATAPLATFORM_ALLOW_HTTP=true", "DATAPLATFORM_ORGANIZATION_ID="+mockplatform.OrganizationID,
		"DATAPLATFORM_KEY_ID=demo-key-id", "DATAPLATFORM_KEY_SECRET=demo-key-secret",
		"DATAPLATFORM_ALERTS_BASE_URL="+f.url+"/alerting", "DATAPLATFORM_ALERTS_ACCESS_TOKEN=demo-alerts-token",
		"DATAPLATFORM_REQUEST_TIMEOUT=20s", "DATAPLATFORM_RETRY_TIMEOUT=5s", "DATAPLATFORM_MAX_CONCURRENT_REQUESTS=1",
		"TF_APPEND_USER_AGENT= pipeline/7 (nightly) ",
	)
	w.Apply()
	if got, peak := f.Writes(), f.PeakInFlight(); len(got) != 1 || peak != 1 {
		t.Errorf("writes: %q; %d requests at a time, want 1", got, peak)
	}
	for _, r := range f.Requests() {
		wantText(t, r.Header.Get("User-Agent"), "Terraform/1.", "terraform-provider-dataplatform/dev", " pipeline/7 (nightly)")
		if !strings.HasPrefix(r.Path, "/mgmt/api/v1/") && !strings.HasPrefix(r.Path, "/alerting/api/v2/") || r.Status != http.StatusOK {
			t.Errorf("path %s, status %d", r.Path, r.Status)
		}
	}
	w.setenv("DATAPLATFORM_ORGANIZATION_ID=" + mockplatform.OtherOrganizationID)
	w.File("main.tf", config+`provider "dataplatform" { organization_id = "`+mockplatform.OrganizationID+`" }`)
	w.WantEmptyPlan()
}

// TestProviderHalfALogin has settings of which some are set, unknown, or empty in the
// environment. A credential without its partner is one error; all else is for what needs it.
func TestProviderHalfALogin(t *testing.T) {
	t.Parallel()
	for settings, says := range map[string]string{
		"":                                   "Provider not configured: Neither the provider block nor the environment sets any of these: base_url, ",
		`base_url = "https://a.example.com"`: "",
		`key_id = "a"`: "key_id is set, but base_url and key_secret are not: set them in the provider block, or with the environment variables " +
			"DATAPLATFORM_BASE_URL and DATAPLATFORM_KEY_SECRET.",
		"key_id = \"a\"\nkey_secret = \"b\"":                   "Provider settings are incomplete: key_id and key_secret are set, but base_url is not: set it in ",
		"key_id = \"a\"\nalerts_access_token = \"b\"":          "key_id and alerts_access_token are set, but alerts_base_url, base_url and key_secret are not: ",
		"base_url = later\nkey_id = \"a\"\nkey_secret = later": "",
		"base_url = later\nkey_id = \"a\"":                     "key_id is set, but key_secret is not: ",
		`key_id = later`:                                       "", // it may be null in the end
		"alerts_access_token = \"a\"\nalerts_base_url = later": "",
		"max_concurrent_requests = 2.5":                        "max_concurrent_requests must be a whole number between 1 and 2147483647.",
		`key_id = "a\n"`:                                       "must not contain whitespace", // what is invalid is not missing, too
	} {
		said := validated(t, "provider", settings)
		if len(said.warnings) > 0 || len(said.errors) != map[bool]int{true: 1}[says != ""] || !strings.Contains(said.String(), says) {
			t.Errorf("%s: %s, want %q", settings, said, says)
		}
	}
}
