package provider

import (
	"cmp"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

const (
	aDate     = "2031-01-01T00:00:00+02:00"
	sameDate  = "2030-12-31T22:00:00.000Z"
	laterDate = "2031-01-01T00:00:00Z"
)

var (
	oneSource = []args{{"source": "192.0.2.10"}}
	aTrigger  = map[string]string{"a": "1"}
)

// keyChange is a key with some arguments, and what a plan with others does with it.
type keyChange struct {
	before, after args
	because       string // what forces a replacement; "" if nothing does, and "update" for a change in place
	back          string // the same of the way back, if it differs
}

var keyChanges = map[string]keyChange{
	"nothing":       {args{}, args{}, "", ""},
	"name":          {args{}, args{"name": "other"}, "name", ""},
	"order of role": {args{"roles": []string{"developer", "admin"}}, args{"roles": []string{"admin", "developer"}}, "", ""},
	"role":          {args{}, args{"roles": []string{"admin", "developer"}}, "roles", ""},

	"enabled":  {args{}, args{"state": "enabled"}, "", ""},
	"disabled": {args{}, args{"state": "disabled"}, "state", ""},

	"expiry":             {args{}, args{"expire_at": aDate}, "expire_at", "none"}, // computed: the key keeps its expiry
	"expiry respelled":   {args{"expire_at": aDate}, args{"expire_at": sameDate}, "", ""},
	"expiry later":       {args{"expire_at": aDate}, args{"expire_at": laterDate}, "expire_at", ""},
	"validity":           {args{}, args{"validity_hours": 9}, "validity_hours", ""},
	"validity to expiry": {args{"validity_hours": 9}, args{"expire_at": aDate}, "expire_at validity_hours", "validity_hours"},
	"reminder":           {args{"validity_hours": 9}, args{"validity_hours": 9, "early_renewal_hours": 1}, "update", ""},

	"trigger": {args{}, args{"rotation_triggers": aTrigger}, "rotation_triggers", ""},
	"hash":    {args{}, args{"hash_data": args{"key_id_hash": "h4sh"}}, "hash_data", ""},

	"address":           {args{}, args{"ip_access_list": oneSource}, "ip_access_list", ""},
	"empty description": {args{"ip_access_list": oneSource}, args{"ip_access_list": []args{{"source": "192.0.2.10", "description": ""}}}, "", ""},
	"description":       {args{"ip_access_list": oneSource}, args{"ip_access_list": []args{{"source": "192.0.2.10", "description": "x"}}}, "ip_access_list", ""},

	"organization":       {args{}, args{"organization_id": mockplatform.OrganizationID}, "", ""},
	"other organization": {args{}, args{"organization_id": mockplatform.OtherOrganizationID}, "organization_id", "none"},
}

// Everything that changes what a key was asked for creates one, and nothing else does,
// there and back.
func TestAPIKeyChanges(t *testing.T) {
	t.Parallel()
	for name, test := range keyChanges {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			d := f.newKeyDriver(t, nil)
			before, after := plainKey.with(test.before), plainKey.with(test.after)
			d.apply(before)
			change := func(to args, because string) {
				t.Helper()
				created := len(f.Keys())
				p := d.apply(to)
				if p.because() != because || len(p.errors) > 0 {
					t.Errorf("%q, want %q\n%s", p.because(), because, p.diagnoses)
				}
				if created = len(f.Keys()) - created; (created == 1) != (p.action == "replace") || created > 1 {
					t.Errorf("%s created %d keys", p.action, created)
				}
				d.wantStored()
				if p := d.planned(to); p.action != "none" {
					t.Errorf("the plan after it: %s because of %v", p.action, p.replaces)
				}
			}
			change(after, test.because)
			change(before, strings.TrimPrefix(cmp.Or(test.back, test.because), "none"))
		})
	}
}

// because is a plan as a row of keyChanges has it.
func (r *result) because() string {
	switch r.action {
	case "none":
		return ""
	case "replace":
		return strings.Join(r.replaces, " ")
	default:
		return r.action
	}
}

// What is not known yet may be another value: but for the reminder, which asks
// the platform for nothing.
func TestAPIKeyUnknownChanges(t *testing.T) {
	f := newFixture(t)
	key := plainKey.with(args{
		"organization_id": mockplatform.OrganizationID, "state": "enabled", "validity_hours": 9, "early_renewal_hours": 1,
		"rotation_triggers": aTrigger, "hash_data": args{"key_id_hash": "h4sh"}, "ip_access_list": oneSource,
	})
	d := f.newKeyDriver(t, nil)
	d.apply(key)
	for name := range key {
		want, created := "replace", 1
		if name == "early_renewal_hours" {
			want, created = "update", 0
		}
		before := len(f.Keys())
		p := d.apply(key.with(args{name: unknown}), key)
		if made := len(f.Keys()) - before; p.action != want || made != created || len(p.errors) > 0 {
			t.Errorf("%s unknown: %s, want %s; %d new keys\n%s", name, p.action, want, made, p.diagnoses)
		}
	}
	d.wantNone(key)
}

// A key stays in the organization that it was created in when the provider's changes,
// and its successor is created in the provider's. Letter case makes no other organization.
// Settings that a creation lacks are errors of its plan.
func TestAPIKeyOrganization(t *testing.T) {
	f := newFixture(t)
	d := f.newKeyDriver(t, nil)
	d.apply(plainKey)
	for _, organization := range []any{unknown, nil, mockplatform.OtherOrganizationID} {
		d.settings = d.settings.with(args{"organization_id": organization})
		if p := d.planned(plainKey); p.action != "none" {
			t.Errorf("%v: %s because of %v", organization, p.action, p.replaces)
		}
	}
	p := d.apply(plainKey.with(args{"name": "other"}))
	if got := f.Requests()[1].Path; got != "/v1/organizations/"+mockplatform.OtherOrganizationID+"/keys" || p.planned.At("organization_id").Text() != mockplatform.OtherOrganizationID {
		t.Errorf("planned in %s, created at %s", p.planned.At("organization_id").Text(), got)
	}
	d.settings = d.settings.with(args{"base_url": nil, "key_id": nil, "key_secret": nil})
	for _, p := range []*result{d.planned(plainKey.with(args{"name": "third"})), f.newKeyDriver(t, args{"base_url": nil, "key_id": nil, "key_secret": nil}).planned(plainKey)} {
		wantText(t, strings.Join(p.errors, "\n"), "Missing provider settings: base_url, key_id and key_secret are not set")
	}
	if !keyRules.Same("organization_id", tfvalue.String("ABCDEF"), tfvalue.String("abcdef")) {
		t.Error("letter case counts")
	}
}

// Private state, of an earlier version or damaged, and an organization that somebody removed
// from the state are not the provider's fault: the key is kept until it is due.
func TestAPIKeyEditedState(t *testing.T) {
	f := newFixture(t)
	now := f.clocked()
	for _, private := range []string{"\x00\xff", `{"asked":"eyJleHBpcmVfYXQiOmZhbHNlfQ=="}`} {
		now.at(0, 0)
		d := f.newKeyDriver(t, nil)
		d.apply(lasting)
		d.block.State.Value = d.value(d.state.With(tfvalue.Optional(nil), "organization_id").Value)
		d.block.State.Private = []byte(private)
		d.wantNone(lasting)
		now.at(90, 0)
		if p := d.apply(lasting); p.because() != "ready_for_renewal" || len(p.errors) > 0 {
			t.Errorf("%q: %s because of %v\n%s", private, p.action, p.replaces, p.diagnoses)
		}
		d.wantStored()
		d.block.State.Private = []byte(private)
		if _, applied := d.destroy(); len(applied.errors) > 0 || !d.state.IsNull() {
			t.Errorf("%q: %s", private, applied)
		}
	}
}
