package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// badKeys are rejected, each with one error that names the attribute and has
// this text: at plan, or where the value was not known then, at apply before
// the request.
var badKeys = map[string]badKey{
	"empty name":             {args{"name": ""}, "name", "at least 1"},
	"no role":                {args{"roles": []string{}}, "roles", "at least 1"},
	"unknown role":           {args{"roles": []string{"admin", "owner"}}, "roles", "query_endpoints"},
	"role in capitals":       {args{"roles": []string{"Admin"}}, "roles", "query_endpoints"},
	"unknown state":          {args{"state": "paused"}, "state", "disabled"},
	"empty state":            {args{"state": ""}, "state", "disabled"},
	"no UUID":                {args{"organization_id": "nordwind"}, "organization_id", "UUID"},
	"empty":                  {args{"expire_at": ""}, "expire_at", "RFC 3339"},
	"day alone":              {args{"expire_at": "2031-01-01"}, "expire_at", "such as 2031-01-01T00:00:00Z, got 2031-01-01."},
	"no timestamp":           {args{"expire_at": "hush-hush"}, "expire_at", "expire_at must be an RFC 3339 timestamp, such as 2031-01-01T00:00:00Z."},
	"no offset":              {args{"expire_at": "2031-01-01T00:00:00"}, "expire_at", "RFC 3339"},
	"a space":                {args{"expire_at": "2031-01-01 00:00:00Z"}, "expire_at", "got 2031-01-01 00:00:00Z."},
	"no seconds":             {args{"expire_at": "2031-01-01T00:00Z"}, "expire_at", "RFC 3339"},
	"one digit":              {args{"expire_at": "2031-01-01T1:00:00Z"}, "expire_at", "RFC 3339"},
	"comma":                  {args{"expire_at": "2031-01-01T01:00:00,5Z"}, "expire_at", "RFC 3339"},
	"no such day":            {args{"expire_at": "2031-02-29T00:00:00Z"}, "expire_at", "RFC 3339"},
	"no such offset":         {args{"expire_at": "2031-01-01T00:00:00+25:00"}, "expire_at", "RFC 3339"},
	"epoch":                  {args{"expire_at": "1924992000"}, "expire_at", "RFC 3339"},
	"past":                   {args{"expire_at": "2020-01-01T00:00:00Z"}, "expire_at", "in the future"},
	"past by its offset":     {args{"expire_at": "2029-12-25T00:30:00+01:00"}, "expire_at", "in the future"},
	"offset of a day":        {args{"expire_at": "2031-01-01T00:00:00+24:00"}, "expire_at", "RFC 3339"},
	"offset of an hour":      {args{"expire_at": "2031-01-01T00:00:00+01:60"}, "expire_at", "RFC 3339"},
	"no hours":               {args{"validity_hours": 0}, "validity_hours", "between 1"},
	"negative hours":         {args{"validity_hours": -1}, "validity_hours", "between 1"},
	"part of an hour":        {args{"validity_hours": 1.5}, "validity_hours", "whole number"},
	"too many hours":         {args{"validity_hours": 1e9}, "validity_hours", "and 876000"},
	"reminder alone":         {args{"early_renewal_hours": 1}, "early_renewal_hours", "validity_hours"},
	"reminder and expiry":    {args{"early_renewal_hours": 1, "expire_at": "2031-01-01T00:00:00Z"}, "early_renewal_hours", "validity_hours"},
	"reminder too early":     {args{"early_renewal_hours": 10, "validity_hours": 9}, "early_renewal_hours", "early_renewal_hours must be less than validity_hours, got 10 and 9."},
	"reminder at creation":   {args{"early_renewal_hours": 9, "validity_hours": 9}, "early_renewal_hours", "less than validity_hours"},
	"negative reminder":      {args{"early_renewal_hours": -1, "validity_hours": 9}, "early_renewal_hours", "between 0"},
	"part of a reminder":     {args{"early_renewal_hours": 0.5, "validity_hours": 9}, "early_renewal_hours", "whole number"},
	"two expiries":           {args{"validity_hours": 9, "expire_at": "2031-01-01T00:00:00Z"}, "expire_at", "validity_hours"},
	"address out of range":   source("192.0.2.256"),
	"three numbers":          source("192.0.2"),
	"five numbers":           source("192.0.2.1.5"),
	"leading zero":           source("192.0.02.1"),
	"prefix of IPv4":         source("192.0.2.0/33"),
	"negative prefix":        source("192.0.2.0/-1"),
	"empty prefix":           source("192.0.2.0/"),
	"prefix a mask":          source("192.0.2.0/255.255.255.0"),
	"two prefixes":           source("192.0.2.0/24/24"),
	"prefix no number":       source("192.0.2.0/x"),
	"port":                   source("192.0.2.1:443"),
	"space before":           source(" 192.0.2.1"),
	"space after":            source("192.0.2.1 "),
	"line end":               source("192.0.2.1\n"),
	"space in a prefix":      source("192.0.2.0 /24"),
	"two addresses":          source("192.0.2.1, 192.0.2.2"),
	"two with a space":       source("192.0.2.1 192.0.2.2"),
	"IPv6 with a letter":     source("2001:db8::g"),
	"IPv6 with two gaps":     source("2001::db8::1"),
	"IPv6 too long":          source("1:2:3:4:5:6:7:8:9"),
	"IPv6 too short":         source("1:2:3"),
	"prefix of IPv6":         source("2001:db8::/129"),
	"IPv6 with a port":       source("[2001:db8::1]:443"),
	"IPv6 in brackets":       source("[2001:db8::1]"),
	"IPv6 with a zone":       source("fe80::1%eth0"),
	"IPv6 with zone, prefix": source("fe80::%eth0/64"),
	"IPv6 with a space":      source("2001:db8::1 "),
	"three colons":           source("2001:db8:::1"),
	"hardware address":       source("00:1a:2b:3c:4d:5e"),
}

type badKey struct {
	arguments args
	attribute string
	says      string
}

func source(text string) badKey {
	// To the end, and quoted: nothing else of the entry is repeated.
	return badKey{args{"ip_access_list": []args{{"source": text, "description": "d"}}}, "ip_access_list", fmt.Sprintf("Invalid IP address: source %q of ip_access_list must be a valid IP address, such as 192.0.2.7, or a valid CIDR block, such as 192.0.2.0/24.", text)}
}

func TestAPIKeyInvalid(t *testing.T) {
	f := newFixture(t)
	f.clocked()
	for name, bad := range badKeys {
		d := f.newKeyDriver(t, nil)
		config := plainKey.with(bad.arguments)
		check := func(when string, p keyPlan) {
			t.Helper()
			if len(p.errors) != 1 || !strings.Contains(p.errors[0], bad.says) || !strings.Contains(p.errors[0], bad.attribute) || !d.state.IsNull() {
				t.Errorf("%s, %s: %s", name, when, p.diagnoses)
			}
			if len(p.errors) == 1 && bad.attribute == "ip_access_list" && !strings.HasSuffix(p.errors[0], bad.says) {
				t.Errorf("%s, %s: %s", name, when, p.errors[0])
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
	d := f.newKeyDriver(t, nil)
	p := d.planned(plainKey.with(args{"ip_access_list": []args{{"source": "192.0.2.256"}, {"source": "192.0.2.1"}, {"source": strings.Repeat("1.", 900)}}}))
	if len(p.errors) != 2 || len(p.errors[0]+p.errors[1]) > 500 {
		t.Errorf("two bad sources: %s", p.diagnoses)
	}
	wantText(t, p.String(), `source "192.0.2.256" of`, `source "1.1.1.`, `…" of`)
	if requests := f.Requests(); len(requests) != 0 {
		t.Errorf("%d requests", len(requests))
	}
}

// A refused source is named at plan, wherever it comes from, and nothing else of its
// entry is.
func TestAPIKeyRefusedSources(t *testing.T) {
	f := newFixture(t)
	config := func(second string) string {
		return f.provider() + fmt.Sprintf(`
variable "sources" {
  type    = map(string)
  default = { office = "192.0.2.300", home = %q, vpn = "192.0.2.7" }
}
resource "dataplatform_api_key" "variable" {
  name           = "n"
  roles          = ["admin"]
  validity_hours = 9
  ip_access_list = [{ source = var.sources.office, description = "hush-hush" }, { source = terraform_data.late.output }]
}
resource "dataplatform_api_key" "expression" {
  name           = "n"
  roles          = ["admin"]
  validity_hours = 9
  ip_access_list = [for name, source in var.sources : { source = source, description = "hush-hush ${name}" }]
}
resource "terraform_data" "late" {
  input = "192.0.2.9"
}
`, second)
	}
	w := f.workspace(config("2001:db8::g"))
	planned := w.diagnostics("plan", "-input=false")
	for name, want := range map[string][]string{"variable": {"192.0.2.300"}, "expression": {"192.0.2.300", "2001:db8::g"}} {
		all := planned["dataplatform_api_key."+name]
		if len(all.errors) != len(want) || strings.Contains(all.String(), "hush-hush") {
			t.Errorf("%s: %s", name, all)
		}
		for _, source := range want {
			if n := strings.Count(all.String(), fmt.Sprintf("source %q of ip_access_list must be a valid IP address", source)); n != 1 {
				t.Errorf("%s: %s is named %d times: %s", name, source, n, all)
			}
		}
	}
	f.wantRequests()
	w.file("main.tf", strings.Replace(config("2001:db8::1"), "192.0.2.300", "192.0.2.3", 1))
	w.apply()
	w.wantEmptyPlan()

	// An existing key is checked alike.
	w.file("main.tf", config("2001:db8::1"))
	for address, all := range w.diagnostics("plan", "-input=false") {
		if strings.Contains(address, "api_key") && len(all.errors) != 1 {
			t.Errorf("%s: %s", address, all)
		}
	}
}

// What the API document leaves open passes.
func TestAPIKeyValid(t *testing.T) {
	f := newFixture(t)
	f.clocked()
	d := f.newKeyDriver(t, nil)
	for _, text := range []string{
		"192.0.2.1", "0.0.0.0/0", "192.0.2.7/24", "::", "::/0", "2001:db8::1", "2001:DB8::/32", "::ffff:192.0.2.1", "1:2:3:4:5:6:7:8",
		"office.example.com", "4.example.com", "10.0.0.1.example.com", "vpc-0a1b2c", "any", "", "*", "arn:aws:iam::123456789012:role/x", "https://example.com", "Büro",
	} {
		if p := d.planned(plainKey.with(source(text).arguments)); p.action != "create" {
			t.Errorf("%q: %s", text, p.diagnoses)
		}
	}
	for _, arguments := range []args{
		{"name": " "}, {"name": strings.Repeat("x", 10_000)},
		{"expire_at": "2030-01-01T00:00:01Z"}, {"expire_at": "2029-12-31T23:00:01-01:00"}, {"expire_at": "2031-01-01T00:00:00.123456789+05:45"},
		{"validity_hours": 1}, {"validity_hours": 876_000, "early_renewal_hours": 875_999}, {"validity_hours": 1, "early_renewal_hours": 0},
		{"hash_data": args{}}, {"rotation_triggers": map[string]string{}}, {"ip_access_list": []args{}},
	} {
		if p := d.planned(plainKey.with(arguments)); p.action != "create" {
			t.Errorf("%v: %s", arguments, p.diagnoses)
		}
	}
}

// What a configuration comes to is sent, and nothing else.
func TestAPIKeyBodies(t *testing.T) {
	f := newFixture(t)
	f.clocked()
	for body, arguments := range map[string]args{
		`{"name": "n", "roles": ["admin"]}`:                                                                                  {},
		`{"name": "n", "roles": ["admin", "developer", "query_endpoints"], "state": "enabled"}`:                              {"roles": []string{"admin", "developer", "query_endpoints"}, "state": "enabled"},
		`{"name": "n", "roles": ["admin"], "state": "disabled", "expireAt": "2031-01-01T00:00:00+02:00"}`:                    {"state": "disabled", "expire_at": aDate},
		`{"name": "n", "roles": ["admin"], "expireAt": "2030-01-02T00:00:00Z"}`:                                              {"validity_hours": 24, "early_renewal_hours": 1, "rotation_triggers": map[string]string{"a": "b"}},
		`{"name": "n", "roles": ["admin"], "hashData": {"keyIdHash": "a", "keyIdSuffix": "", "keySecretHash": "c"}}`:         {"hash_data": args{"key_id_hash": "a", "key_id_suffix": "", "key_secret_hash": "c"}},
		`{"name": "n", "roles": ["admin"], "hashData": {}}`:                                                                  {"hash_data": args{}},
		`{"name": "n", "roles": ["admin"], "ipAccessList": []}`:                                                              {"ip_access_list": []args{}},
		`{"name": "n", "roles": ["admin"], "ipAccessList": [{"source": "a", "description": ""}]}`:                            {"ip_access_list": []args{{"source": "a", "description": ""}}},
		`{"name": "n", "roles": ["admin"], "ipAccessList": [{"source": "10.0.0.0/8"}, {"source": "b", "description": "c"}]}`: {"ip_access_list": []args{{"source": "10.0.0.0/8"}, {"source": "b", "description": "c"}}},
	} {
		d := f.newKeyDriver(t, nil)
		if p := d.apply(plainKey.with(arguments)); len(p.errors) > 0 {
			t.Error(p.diagnoses)
		}
		f.wantWrites(body)
		if p := d.planned(plainKey.with(arguments)); p.action != "none" {
			t.Errorf("%v: %s because of %v", arguments, p.action, p.replaces)
		}
	}
	d := f.newKeyDriver(t, nil)
	d.apply(plainKey.with(args{"organization_id": mockplatform.OtherOrganizationID}))
	if got := f.Requests()[0].Path; got != "/v1/organizations/"+mockplatform.OtherOrganizationID+"/keys" {
		t.Error(got)
	}
}
