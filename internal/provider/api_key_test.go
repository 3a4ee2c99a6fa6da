package provider

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// What the configuration of a key comes to: a request, or nothing.

// badKeys are rejected, each with one error that names the argument: at plan, or where the
// value was not known then, at apply before the request.
var badKeys = []struct{ argument, value, beside, says string }{
	{"name", `""`, "", "at least 1"},
	{"roles", `["admin", "owner"]`, "", `roles must contain only admin, developer and query_endpoints, got "owner".`},
	{"state", `"paused"`, "", "disabled"},
	{"organization_id", `"nordwind"`, "", "UUID"},
	{"expire_at", `"2031-01-01"`, "", "such as 2031-01-01T00:00:00Z, got 2031-01-01."},
	{"expire_at", `"hush-hush"`, "", "expire_at must be an RFC 3339 timestamp, such as 2031-01-01T00:00:00Z."},
	{"expire_at", `"1999-12-31T23:59:59Z"`, "", "in the future"},
	{"expire_at", `"2031-01-01T00:00:00Z"`, "validity_hours = 9", "validity_hours"},
	{"validity_hours", `0`, "", "between 1"},
	{"validity_hours", `1.5`, "", "whole number"},
	{"validity_hours", `1e9`, "", "and 876000"},
	{"early_renewal_hours", `1`, "", "validity_hours"},
	{"early_renewal_hours", `1`, `expire_at = "2031-01-01T00:00:00Z"`, "validity_hours"},
	{"early_renewal_hours", `10`, "validity_hours = 9", "early_renewal_hours must be less than validity_hours, got 10 and 9."},
	{"ip_access_list", `[]`, "", "ip_access_list must not be empty, because the API documentation does not say whether an empty list allows every address or none. List the addresses, or set it to null."},
	{"ip_access_list", `[{ source = "192.0.2.300", description = "hush-hush" }]`, "", badSource("192.0.2.300")},
	{"ip_access_list", fmt.Sprintf("[{ source = %q }]", strings.Repeat("1.", 900)), "", badSource(strings.Repeat("1.", 50))},
}

func badSource(source string) string {
	return fmt.Sprintf("source %q of ip_access_list must be a valid IP address, such as 192.0.2.7, or a valid CIDR block, such as 192.0.2.0/24.", source)
}

// delayed is an argument whose value is known once later is, which is 0.
func delayed(argument, value string) string {
	return fmt.Sprintf("%s = [%s][later]", argument, value)
}

func TestAPIKeyInvalid(t *testing.T) {
	t.Parallel()
	inBubble(func(_ *testing.T, f *fixture) {
		for _, bad := range badKeys {
			b := f.key(bad.argument + " = " + bad.value + "\n" + bad.beside)
			b.refuses(b.tryPlan(f.start()), bad.argument, bad.says)
			b.arguments = delayed(bad.argument, bad.value) + "\n" + bad.beside
			b.learn(cty.Zero)
			r := b.plan()
			b.carryOut(f.start(), r)
			b.refuses(r, bad.argument, bad.says)
		}
		f.wantRequests()
	})(t)
}

// What looks like a timestamp or an address and is none is rejected; what the API
// document leaves open passes.
func TestAPIKeyTimestampsAndAddresses(t *testing.T) {
	t.Parallel()
	for _, texts := range []struct {
		textCheck
		bad, good []string
	}{
		{
			textCheck: rfc3339,
			bad: []string{
				"", "2031-01-01T00:00:00", "2031-01-01 00:00:00Z", "2031-01-01T00:00Z", "2031-01-01T1:00:00Z", "2031-01-01T01:00:00,5Z", "2031-02-29T00:00:00Z",
				"2031-01-01x00:00:00Z", "2031-01-01t00:00:00", "2031-01-01T00:00:00+25:00", "2031-01-01T00:00:00+24:00", "2031-01-01T00:00:00+01:60", "1924992000",
			},
			good: []string{"2030-01-01T00:00:01Z", "2029-12-31T23:00:01-01:00", "2031-01-01T00:00:00.123456789+05:45", "2031-01-01t00:00:00z", "2031-01-01t00:00:00.5Z", "2031-01-01t00:00:00+01:00"},
		},
		{
			textCheck: ipSource,
			bad: []string{
				"192.0.2.256", "192.0.2", "192.0.2.1.5", "192.0.02.1", "192.0.2.0/33", "192.0.2.0/-1", "192.0.2.0/", "192.0.2.0/255.255.255.0", "192.0.2.0/24/24", "192.0.2.0/x",
				"192.0.2.1:443", " 192.0.2.1", "192.0.2.1 ", "192.0.2.1\n", "192.0.2.0 /24", "192.0.2.1, 192.0.2.2", "192.0.2.1 192.0.2.2",
				"2001:db8::g", "2001::db8::1", "1:2:3:4:5:6:7:8:9", "1:2:3", "2001:db8::/129", "[2001:db8::1]:443", "[2001:db8::1]", "fe80::1%eth0", "fe80::%eth0/64",
				"2001:db8::1 ", "2001:db8:::1", "00:1a:2b:3c:4d:5e",
			},
			good: []string{
				"192.0.2.1", "0.0.0.0/0", "192.0.2.7/24", "::", "::/0", "2001:db8::1", "2001:DB8::/32", "::ffff:192.0.2.1", "1:2:3:4:5:6:7:8",
				"office.example.com", "4.example.com", "10.0.0.1.example.com", "vpc-0a1b2c", "any", "", "*", "arn:aws:iam::123456789012:role/x", "https://example.com", "Büro",
			},
		},
	} {
		for i, text := range append(texts.good, texts.bad...) {
			var resp validator.StringResponse
			texts.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("a"), ConfigValue: types.StringValue(text)}, &resp)
			if bad := i >= len(texts.good); resp.Diagnostics.HasError() != bad {
				t.Errorf("%q, which %s: %v", text, texts.rule, resp.Diagnostics)
			}
		}
	}
}

// What a configuration comes to is sent, and nothing else, and it plans empty. The order of
// a set is Terraform's.
func TestAPIKeyBodies(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		for _, test := range []struct{ arguments, members string }{
			{"expire_at = later\nip_access_list = later\nstate = later", ``},
			{`roles = ["query_endpoints", "admin", "developer"]`, `"roles": ["admin", "developer", "query_endpoints"]`},
			{"state = \"disabled\"\nexpire_at = \"2031-01-01T00:00:00+02:00\"", `"state": "disabled", "expireAt": "2031-01-01T00:00:00+02:00"`},
			{`expire_at = "2031-01-01t00:00:00.5z"`, `"expireAt": "2031-01-01T00:00:00.5Z"`},
			{"validity_hours = 1\nearly_renewal_hours = 0\nrotation_triggers = { a = 1 }", `"expireAt": "2000-01-01T01:00:00Z"`},
			{"validity_hours = 876000\nearly_renewal_hours = 875999", `"expireAt": "2099-12-07T00:00:00Z"`},
			{`hash_data = { key_id_hash = "a", key_id_suffix = "", key_secret_hash = "c" }`, `"hashData": {"keyIdHash": "a", "keyIdSuffix": "", "keySecretHash": "c"}`},
			{`hash_data = {}`, `"hashData": {}`},
			{`ip_access_list = [{ source = "10.0.0.0/8" }, { source = "b", description = "" }]`, `"ipAccessList": [{"source": "b", "description": ""}, {"source": "10.0.0.0/8"}]`},
		} {
			want := object{"name": "n", "roles": []string{"admin"}, "state": "enabled"}
			if err := json.Unmarshal([]byte("{"+test.members+"}"), &want); err != nil {
				t.Fatal(err)
			}
			b := f.key(test.arguments)
			b.learn(cty.NullVal(cty.DynamicPseudoType))
			b.apply()
			f.wantWrites(toJSON(t, want))
			if next := b.plan(); next.action != "none" {
				t.Errorf("%s: the next plan is to %s because of %v", test.arguments, next.action, next.replaces)
			}
		}
	})(t)
}

// because is "none", "update", or what forces a replacement.
func (r *result) because() string {
	if r.action == "replace" {
		return strings.Join(r.replaces, " ")
	}
	return r.action
}

// wantNewest fails unless the state has the newest key.
func (b *managed) wantNewest() {
	b.t.Helper()
	keys := b.Keys()
	if newest := keys[len(keys)-1]["result"].(mockplatform.Document); b.shown()["key_secret"] != newest["keySecret"] {
		b.t.Errorf("the state does not have the newest key: %s", b.state)
	}
}

// Everything that changes what a key was asked for creates one, and nothing else does,
// there and back.
func TestAPIKeyChanges(t *testing.T) {
	t.Parallel()
	const inOrganization = `organization_id = "`
	for _, test := range []struct{ before, after, there, back string }{
		{``, `name = "other"`, "name", "name"},
		{`roles = ["developer", "admin"]`, `roles = ["admin", "developer"]`, "none", "none"},
		{``, `roles = ["admin", "developer"]`, "roles", "roles"},

		{``, `state = "enabled"`, "none", "none"},
		{``, `state = "disabled"`, "state", "state"},

		{``, `expire_at = "2031-01-01T00:00:00+02:00"`, "expire_at", "none"}, // computed: the key keeps its expiry
		{`expire_at = "2031-01-01T00:00:00+02:00"`, `expire_at = "2030-12-31T22:00:00.000Z"`, "none", "none"},
		{`expire_at = "2031-01-01T00:00:00+02:00"`, `expire_at = "2031-01-01T00:00:00Z"`, "expire_at", "expire_at"},
		{``, `validity_hours = 9`, "validity_hours", "validity_hours"},
		{`validity_hours = 9`, `expire_at = "2031-01-01T00:00:00Z"`, "expire_at validity_hours", "validity_hours"},
		{`validity_hours = 9`, "validity_hours = 9\nearly_renewal_hours = 1", "update", "update"},

		{``, `rotation_triggers = { a = 1 }`, "rotation_triggers", "rotation_triggers"},
		{``, `rotation_triggers = {}`, "update", "update"}, // in place, and nothing is sent
		{`rotation_triggers = { a = 1 }`, `rotation_triggers = {}`, "rotation_triggers", "rotation_triggers"},
		{``, `hash_data = { key_id_hash = "h4sh" }`, "hash_data", "hash_data"},

		{``, `ip_access_list = [{ source = "192.0.2.10" }]`, "ip_access_list", "ip_access_list"},
		{`ip_access_list = [{ source = "192.0.2.10" }]`, `ip_access_list = [{ source = "192.0.2.10", description = "" }]`, "none", "none"},
		{`ip_access_list = [{ source = "192.0.2.10" }]`, `ip_access_list = [{ source = "192.0.2.10", description = "x" }]`, "ip_access_list", "ip_access_list"},

		{``, inOrganization + mockplatform.OrganizationID + `"`, "none", "none"},
		{``, inOrganization + mockplatform.OtherOrganizationID + `"`, "organization_id", "none"},
	} {
		t.Run(test.before+" "+test.after, func(t *testing.T) {
			f := newFixture(t)
			b := f.key(test.before)
			b.apply()
			for _, change := range []struct{ to, because string }{{test.after, test.there}, {test.before, test.back}} {
				created := len(f.Keys())
				r := b.applyAs(change.to)
				if created = len(f.Keys()) - created; r.because() != change.because || created != map[string]int{"replace": 1}[r.action] {
					t.Errorf("%q, want %q, and created %d keys: %s", r.because(), change.because, created, r)
				}
				b.wantNewest()
				if next := b.plan(); next.action != "none" {
					t.Errorf("the next plan is to %s because of %v", next.action, next.replaces)
				}
			}
		})
	}
}

// What is not known yet may be another value: but for the reminder, which asks the platform
// for nothing.
func TestAPIKeyUnknownChanges(t *testing.T) {
	f := newFixture(t)
	arguments := []string{
		`name = "n"`, `roles = ["admin"]`, `organization_id = "` + mockplatform.OrganizationID + `"`, `state = "enabled"`, `validity_hours = 9`, `early_renewal_hours = 1`,
		`rotation_triggers = { a = 1 }`, `hash_data = { key_id_hash = "h4sh" }`, `ip_access_list = [{ source = "192.0.2.10" }]`,
	}
	key := strings.Join(arguments, "\n")
	b := f.key(key)
	b.apply()
	f.ResetJournal()
	for _, argument := range arguments {
		name, value, _ := strings.Cut(argument, " = ")
		want, created := "replace", 1
		if name == "early_renewal_hours" {
			want, created = "update", 0
		}
		b.learn(cty.Zero)
		r := b.applyAs(strings.Replace(key, argument, delayed(name, value), 1))
		if sent := len(f.Writes()); r.action != want || sent != created {
			t.Errorf("%s unknown: %s, want %s; %d new keys", name, r.action, want, sent)
		}
		f.ResetJournal()
	}
	b.arguments = key
	b.wantQuiet()
}

// A key stays in the organization that it was created in when the provider's changes,
// and its successor is created in the provider's. Letter case makes no other organization.
// Settings that a creation lacks are errors of its plan.
func TestAPIKeyOrganization(t *testing.T) {
	f := newFixture(t)
	b := f.key("")
	b.apply()
	for _, organization := range []any{cty.DynamicVal, cty.NullVal(cty.String), mockplatform.OtherOrganizationID} {
		if r := b.tryPlan(f.start(map[string]any{"organization_id": organization})); r.action != "none" {
			t.Errorf("%v: %s because of %v", organization, r.action, r.replaces)
		}
	}
	b.arguments = `name = "other"`
	others := map[string]any{"organization_id": mockplatform.OtherOrganizationID}
	r := b.must(b.tryPlan(f.start(others)))
	b.carryOut(f.start(others), r)
	if got := f.Requests()[1].Path; got != "/v1/organizations/"+mockplatform.OtherOrganizationID+"/keys" || b.shown()["organization_id"] != mockplatform.OtherOrganizationID {
		t.Errorf("created at %s, and the state has %s", got, b.state)
	}
	f.ResetJournal()
	b.arguments = `name = "third"`
	unset := cty.NullVal(cty.String)
	for _, creation := range []*managed{b, f.key("")} {
		creation.refuses(creation.tryPlan(f.start(map[string]any{"base_url": unset, "key_id": unset, "key_secret": unset})), "Missing provider settings: base_url, key_id and key_secret are not set")
	}
	if !keyRules.Same("organization_id", tfvalue.String("ABCDEF"), tfvalue.String("abcdef")) {
		t.Error("letter case counts")
	}
}
