package provider

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// badKeys are rejected, each with one error that names the attribute and has
// this text: at plan, or where the value was not known then, at apply before
// the request.
var badKeys = map[string]struct {
	arguments args
	attribute string
	says      string
}{
	"empty name":          {args{"name": ""}, "name", "at least 1"},
	"unknown role":        {args{"roles": []string{"admin", "owner"}}, "roles", "query_endpoints"},
	"unknown state":       {args{"state": "paused"}, "state", "disabled"},
	"no UUID":             {args{"organization_id": "nordwind"}, "organization_id", "UUID"},
	"day alone":           {args{"expire_at": "2031-01-01"}, "expire_at", "such as 2031-01-01T00:00:00Z, got 2031-01-01."},
	"no timestamp":        {args{"expire_at": "hush-hush"}, "expire_at", "expire_at must be an RFC 3339 timestamp, such as 2031-01-01T00:00:00Z."},
	"past":                {args{"expire_at": "2020-01-01T00:00:00Z"}, "expire_at", "in the future"},
	"no hours":            {args{"validity_hours": 0}, "validity_hours", "between 1"},
	"part of an hour":     {args{"validity_hours": 1.5}, "validity_hours", "whole number"},
	"too many hours":      {args{"validity_hours": 1e9}, "validity_hours", "and 876000"},
	"reminder alone":      {args{"early_renewal_hours": 1}, "early_renewal_hours", "validity_hours"},
	"reminder and expiry": {args{"early_renewal_hours": 1, "expire_at": "2031-01-01T00:00:00Z"}, "early_renewal_hours", "validity_hours"},
	"reminder too early":  {args{"early_renewal_hours": 10, "validity_hours": 9}, "early_renewal_hours", "early_renewal_hours must be less than validity_hours, got 10 and 9."},
	"two expiries":        {args{"validity_hours": 9, "expire_at": "2031-01-01T00:00:00Z"}, "expire_at", "validity_hours"},
	"address":             {args{"ip_access_list": []args{{"source": "192.0.2.300", "description": "hush-hush"}}}, "ip_access_list", badSource("192.0.2.300")},
}

func badSource(source string) string {
	return fmt.Sprintf("Invalid IP address: source %q of ip_access_list must be a valid IP address, such as 192.0.2.7, or a valid CIDR block, such as 192.0.2.0/24.", source)
}

func TestAPIKeyInvalid(t *testing.T) {
	f := newFixture(t)
	f.clocked()
	d := f.newKeyDriver(t, nil)
	for name, bad := range badKeys {
		config := plainKey.with(bad.arguments)
		check := func(when string, p *result) {
			t.Helper()
			if len(p.errors) != 1 || !strings.Contains(p.errors[0], bad.says) || !strings.Contains(p.errors[0], bad.attribute) || strings.Contains(p.errors[0], "hush-hush") || !d.state.IsNull() {
				t.Errorf("%s, %s: %s", name, when, p.diagnoses)
			}
		}
		check("at plan", d.planned(config))
		waiting := config
		for argument := range bad.arguments {
			waiting = waiting.with(args{argument: unknown})
		}
		p := d.planned(waiting)
		if p.action != "create" {
			t.Errorf("%s, not known yet: %s", name, p.diagnoses)
		}
		check("at apply", d.carryOut(p, config))
	}
	f.wantRequests()

	// Each bad source is named, cut, and nothing else of the list.
	p := d.planned(plainKey.with(args{"ip_access_list": []args{
		{"source": "192.0.2.256", "description": "hush-hush"}, {"source": "192.0.2.1"}, {"source": strings.Repeat("1.", 900)}, {"source": unknown},
	}}))
	if len(p.errors) != 2 || len(p.errors[0]+p.errors[1]) > 500 || strings.Contains(p.String(), "hush-hush") {
		t.Errorf("two bad sources: %s", p.diagnoses)
	}
	wantText(t, p.String(), badSource("192.0.2.256"), `source "`+strings.Repeat("1.", 50)+`" of`)
}

// What looks like a timestamp or an address and is none is rejected; what the API
// document leaves open passes.
func TestAPIKeyTexts(t *testing.T) {
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

// What a configuration comes to is sent, and nothing else. The order of a set is Terraform's.
func TestAPIKeyBodies(t *testing.T) {
	f := newFixture(t)
	f.clocked()
	d := f.newKeyDriver(t, nil)
	for members, arguments := range map[string]args{
		``: {"expire_at": unknown, "ip_access_list": unknown, "state": unknown},
		`"roles": ["admin", "developer", "query_endpoints"]`:                      {"roles": []string{"admin", "developer", "query_endpoints"}},
		`"state": "disabled", "expireAt": "2031-01-01T00:00:00+02:00"`:            {"state": "disabled", "expire_at": aDate},
		`"expireAt": "2031-01-01T00:00:00.5Z"`:                                    {"expire_at": "2031-01-01t00:00:00.5z"},
		`"expireAt": "2030-01-01T01:00:00Z"`:                                      {"validity_hours": 1, "early_renewal_hours": 0, "rotation_triggers": aTrigger},
		`"expireAt": "2129-12-08T00:00:00Z"`:                                      {"validity_hours": 876_000, "early_renewal_hours": 875_999},
		`"hashData": {"keyIdHash": "a", "keyIdSuffix": "", "keySecretHash": "c"}`: {"hash_data": args{"key_id_hash": "a", "key_id_suffix": "", "key_secret_hash": "c"}},
		`"hashData": {}`:     {"hash_data": args{}},
		`"ipAccessList": []`: {"ip_access_list": []args{}},
		`"ipAccessList": [{"source": "b", "description": ""}, {"source": "10.0.0.0/8"}]`: {"ip_access_list": []args{{"source": "10.0.0.0/8"}, {"source": "b", "description": ""}}},
	} {
		known := plainKey.with(arguments)
		for name, value := range arguments {
			if value == any(unknown) { // and null in the end
				known = known.with(args{name: nil})
			}
		}
		want := object{"name": "n", "roles": []string{"admin"}, "state": "enabled"}
		if err := json.Unmarshal([]byte("{"+members+"}"), &want); err != nil {
			t.Fatal(err)
		}
		body, _ := json.Marshal(want)
		d.reset()
		if p := d.apply(plainKey.with(arguments), known); len(p.errors) > 0 {
			t.Error(p.diagnoses)
		}
		f.wantWrites(string(body))
		if p := d.planned(known); p.action != "none" {
			t.Errorf("%v: %s because of %v", arguments, p.action, p.replaces)
		}
	}
}
