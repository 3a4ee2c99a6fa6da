package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing/sealingtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// What the configuration of a key comes to: a request, or nothing.

// delayed is an argument whose value is known once later is, which is 0.
func delayed(argument, value string) string {
	return fmt.Sprintf("%s = [%s][later]", argument, value)
}

// What is wrong with an argument is one error that names it: of the plan, or, where the value was not known
// then, of the apply before the request. What may be a secret is not repeated.
func TestAPIKeyInvalid(t *testing.T) {
	pair, secret := sealingtest.X25519(t), sealingtest.Ed25519(t, "hush-hush").Identity
	source := func(text string) string {
		return fmt.Sprintf("source %q of ip_access_list must be a valid IP address, such as 192.0.2.7, or a valid CIDR block, such as 192.0.2.0/24.", text)
	}
	var many []string
	for i := range 1001 {
		many = append(many, fmt.Sprint(i))
	}
	recipients := func(all ...string) string { _, list, _ := strings.Cut(to(all...), " = "); return list }
	type invalid struct{ argument, value, beside, says string }
	all := map[string]invalid{}
	for _, bad := range []invalid{
		{"name", `""`, "", "at least 1"},
		{"roles", `["admin", "owner"]`, "", `roles[...] value must be one of: ["admin" "developer" "query_endpoints"], got: "owner"`},
		{"state", `"paused"`, "", "disabled"},
		{"organization_id", `"nordwind"`, "", "UUID"},
		{"expire_at", `"hush-hush"`, "", "expire_at must be an RFC 3339 timestamp, such as 2031-01-01T00:00:00Z, or omitted for a key that never expires."},
		{"expire_at", `"2000-01-01T00:00:00Z"`, "", "in the future"}, // this very second
		{"expire_at", `"2031-01-01T00:00:00Z"`, "validity_hours = 9", "validity_hours"},
		{"validity_hours", `1.5`, "", "whole number"},
		{"validity_hours", `1e9`, "", "and 876000"},
		{"early_renewal_hours", `1`, "", "validity_hours"},
		{"early_renewal_hours", `10`, "validity_hours = 9", "early_renewal_hours must be less than validity_hours, got 10 and 9."},
		{"ip_access_list", `[]`, "", "ip_access_list must not be empty, because the API document does not say whether an empty list lets in every address or none. " +
			"Omit it, and the platform decides. A module writes ip_access_list = length(var.addresses) > 0 ? var.addresses : null."},
		{"ip_access_list", `[{ source = "192.0.2.300", description = "hush-hush" }]`, "", source("192.0.2.300")},
		{"ip_access_list", fmt.Sprintf("[{ source = %q }]", strings.Repeat("1.", 900)), "", source(strings.Repeat("1.", 50))},
		{"secret_recipients", "[]", "", "must not be empty"},
		{"secret_recipients", recipients(many...), "", "must not have more than 1000 recipients, got 1001"},
		{"secret_recipients", recipients("ssh-dss hush-hush", sealingtest.Ed25519(t, "").Recipient, pair.Recipient), "",
			"Recipient 2 of 3 in secret_recipients, sorted as Terraform shows the set, is an SSH public key of type ssh-dss, to which nothing can be encrypted"},
		{"secret_recipients", `["hush-hush"]`, "", "Recipient 1 of 1 in secret_recipients, sorted as Terraform shows the set, is neither an age recipient (age1…) nor an SSH public key"},
		{"secret_recipients", recipients(pair.Recipient, secret), "", "contains a private key. Its configuration, and every copy of it, has that key"},
		{"secret_recipients", recipients(pair.Recipient, sealingtest.PostQuantum(t).Recipient), "", "cannot be encrypted to secret_recipients: post-quantum"},
		{"secret_recipients", recipients(pair.Recipient), `hash_data = { key_id_hash = "hush-hush" }`, "secret_recipients conflicts with hash_data"},
	} {
		all[bad.argument+" "+bad.beside+" "+bad.says] = bad
	}
	played(t, all, func(t *testing.T, f *fixture, bad invalid) {
		b := f.key(bad.argument + " = " + bad.value + "\n" + bad.beside)
		b.refuses(b.tryPlan(f.start()), bad.argument, bad.says)
		b.arguments = delayed(bad.argument, bad.value) + "\n" + bad.beside
		b.learn(cty.Zero)
		r := b.plan()
		b.carryOut(f.start(), r)
		b.refuses(r, bad.argument, bad.says)
		wantNoText(t, r.String(), slices.Collect(maps.Values(linesOf(secret)))...)
		f.wantRequests(0)
	})
}

// What looks like a timestamp or an address and is none is rejected; what the API
// document leaves open passes.
func TestAPIKeyTimestampsAndAddresses(t *testing.T) {
	t.Parallel()
	for _, texts := range []struct {
		textCheck
		bad, good []string
	}{
		{rfc3339, []string{
			"", "2031-01-01T00:00:00", "2031-01-01 00:00:00Z", "2031-01-01T01:00:00,5Z", "2031-02-29T00:00:00Z", "2031-01-01T00:00:00+24:00", "1924992000",
		}, []string{"2030-01-01T00:00:01Z", "2029-12-31T23:00:01-01:00", "2031-01-01T00:00:00.123456789+05:45", "2031-01-01t00:00:00.5z"}},
		{ipSource, []string{
			"192.0.2.256", "192.0.2", "192.0.02.1", "192.0.2.0/33", "192.0.2.0/", "192.0.2.0/255.255.255.0", "192.0.2.1:443", " 192.0.2.1", "192.0.2.1\n",
			"192.0.2.1, 192.0.2.2", "2001:db8::g", "2001::db8::1", "1:2:3", "2001:db8::/129", "[2001:db8::1]:443", "fe80::1%eth0", "fe80::%eth0/64",
		}, []string{
			"192.0.2.1", "192.0.2.7/24", "2001:DB8::/32", "::ffff:192.0.2.1", "10.0.0.1.example.com", "vpc-0a1b2c", "", "arn:aws:iam::123456789012:role/x",
		}},
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
			{`hash_data = {}`, ``},
			{`hash_data = { key_id_hash = null, key_id_suffix = later }`, ``},
			{`ip_access_list = [{ source = "::/8" }, { source = "b", description = "" }]`, `"ipAccessList": [{"source": "b", "description": ""}, {"source": "::/8"}]`},
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

// Everything that changes what a key was asked for creates one, and nothing else does,
// there and back. What is not known yet may be another value.
func TestAPIKeyChanges(t *testing.T) {
	const inOrganization = `organization_id = "`
	all := map[string]keyLife{}
	for _, test := range []struct{ before, after, there, back string }{
		{``, `roles = ["admin", "developer"]`, "roles", "roles"},

		{``, `state = "enabled"`, "none", "none"},
		{``, `state = "disabled"`, "state", "state"},

		{``, `expire_at = "2031-01-01T00:00:00+02:00"`, "expire_at", "none"}, // computed: the key keeps its expiry
		{`expire_at = "2031-01-01T00:00:00+02:00"`, `expire_at = "2030-12-31T22:00:00.000Z"`, "none", "none"},
		{`expire_at = "2031-01-01T00:00:00+02:00"`, `expire_at = "2031-01-01T00:00:00Z"`, "expire_at", "expire_at"},
		{``, `validity_hours = 9`, "validity_hours", "validity_hours"},
		{`validity_hours = 9`, "validity_hours = 9\nearly_renewal_hours = 1", "update", "update"},

		{``, `rotation_triggers = { a = 1 }`, "rotation_triggers", "rotation_triggers"},
		{``, `rotation_triggers = {}`, "update", "update"}, // in place, and nothing is sent
		{``, `hash_data = { key_id_hash = "h4sh" }`, "hash_data", "hash_data"},

		{``, `ip_access_list = [{ source = "192.0.2.10" }]`, "ip_access_list", "ip_access_list"},
		{`ip_access_list = [{ source = "192.0.2.10" }]`, `ip_access_list = [{ source = "192.0.2.10", description = "" }]`, "none", "none"},
		{`ip_access_list = [{ source = "192.0.2.10" }]`, `ip_access_list = [{ source = "192.0.2.10", description = "x" }]`, "ip_access_list", "ip_access_list"},

		{`name = "n"`, `name = ["n"][later]`, "name", "none"},
		{"validity_hours = 9\nearly_renewal_hours = 1", "validity_hours = 9\nearly_renewal_hours = [1][later]", "update", "none"},
		{`rotation_triggers = { a = 1 }`, `rotation_triggers = { a = [1][later] }`, "rotation_triggers", "none"},
		{inOrganization + mockplatform.OrganizationID + `"`, `organization_id = ["` + mockplatform.OrganizationID + `"][later]`, "update", "none"},
		{inOrganization + mockplatform.OrganizationID + `"`, inOrganization + mockplatform.OtherOrganizationID + `"`, "organization_id", "organization_id"},
	} {
		all[test.before+" to "+test.after] = keyLife{test.before, []keyStep{
			{1, test.after + "\n", test.there, ""}, {2, test.before + "\n", test.back, ""}, {3, "", "none", ""},
		}, ""}
	}
	played(t, all, func(t *testing.T, f *fixture, life keyLife) { life.play(t, f) })
}

// A key stays in the organization that it was created in when the provider's changes, with a warning unless it sets its
// own, and its successor is created in the provider's. Letter case makes no other organization.
func TestAPIKeyOrganization(t *testing.T) {
	const ours, theirs = mockplatform.OrganizationID, mockplatform.OtherOrganizationID
	f := newFixture(t)
	b := f.key("validity_hours = 48")
	b.apply()
	const warning = "Organization differs from the provider's: Terraform keeps API key \"n\" (%s) in organization " + ours + ", and the provider is set to " +
		theirs + ". Its next replacement, also an unattended renewal, is created there. If it is to stay where it is, set organization_id in the resource."
	const setsOurs, setsTheirs = `organization_id = "` + ours + `"`, `organization_id = "` + theirs + `"`
	for _, row := range []struct{ settings, own, warning string }{
		{setsTheirs, "", fmt.Sprintf(warning, b.shown()["id"])},
		{setsTheirs, setsOurs, ""},
		{"organization_id = later", "", ""},
		{"organization_id = null", "", ""},
	} {
		b.arguments = "validity_hours = 48\n" + row.own
		r := b.tryPlan(f.start(row.settings))
		if r.action != "none" {
			t.Errorf("%v: %s because of %v", row.settings, r.action, r.replaces)
		}
		wantWarning(t, r.warnings, row.warning)
	}
	// One that is only unknown replaces nothing. If it turns out to be another one, nothing is sent, and the next plan replaces.
	f.ResetJournal()
	b.arguments = `validity_hours = 48` + "\n" + `organization_id = ["` + theirs + `"][later]`
	b.learn(cty.Zero)
	later := b.plan()
	if later.action != "update" || len(later.warnings) > 0 {
		t.Errorf("%s: %v", later.action, later.warnings)
	}
	b.carryOut(f.start(), later)
	wantText(t, later.String(), "API key \"n\" (", ") is in another organization: organization_id turned out to be another one")
	f.wantRequests(0)
	if r := b.plan(); r.because() != "organization_id" {
		t.Error(r.because())
	}
	b.arguments = "validity_hours = 48\nname = \"other\""
	r := b.must(b.tryPlan(f.start(setsTheirs)))
	b.carryOut(f.start(setsTheirs), r)
	b.wantValues(object{"organization_id": theirs})
	if got := f.Requests()[0].Path; got != "/v1/organizations/"+theirs+"/keys" {
		t.Errorf("created at %s", got)
	}
	if !keyRules.Same("organization_id", tfvalue.String("ABCDEF"), tfvalue.String("abcdef")) {
		t.Error("letter case counts")
	}
	// Settings that the creation of a key lacks are an error of its plan.
	f.ResetJournal()
	b.arguments = `name = "third"`
	for _, creation := range []*managed{b, f.key("")} {
		r := creation.tryPlan(f.start("base_url = null\nkey_id = null\nkey_secret = null"))
		creation.refuses(r, "Missing provider settings: base_url, key_id and key_secret are not set")
	}
}

// The warning about a key that is created or replaced says what does not limit the new one.
func TestAPIKeyWithoutLimits(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		const (
			listed    = "ip_access_list = [{ source = \"192.0.2.10\" }]\n"
			unlisted  = " No ip_access_list is set: the platform decides which addresses may use the key."
			unlimited = " No expiry is requested: set validity_hours to let the key expire."
		)
		wantWarning(t, f.key("").plan().warnings, "Set validity_hours to let it expire."+unlisted)
		b := f.key(lasting + "\n" + listed)
		wantWarning(t, b.apply().warnings, "")
		b.arguments = listed
		wantWarning(t, b.plan().warnings, "If the plan says")
		b.arguments = "name = \"other\""
		wantWarning(t, b.plan().warnings, "Of the new key, apart from what ignore_changes lists:"+unlisted+unlimited)

		// What is ignored replaces nothing, and a key that is replaced has it all the same.
		b.arguments = lasting + "\n" + listed + "roles = [\"developer\"]\nlifecycle {\n  ignore_changes = [roles]\n}\n"
		b.wantQuiet()
		b.ResetJournal()
		b.arguments += "rotation_triggers = { t = 1 }\n"
		plan := b.plan()
		wantWarning(t, plan.warnings, "The plan shows what the new key gets, also of what ignore_changes lists. If the plan says")
		b.applyPlan(plan)
		wantText(t, b.Writes()[0], `"roles":["developer"]`)
	})(t)
}
