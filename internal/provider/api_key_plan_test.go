package provider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// keyChange is a key that was made with some arguments, and what a plan with
// others does with it.
type keyChange struct {
	before, after args
	action        string // "none", "update", "replace"
	because       []string
}

const (
	aDate      = "2031-01-01T00:00:00+02:00"
	sameDate   = "2030-12-31T22:00:00.000Z"
	laterDate  = "2031-01-01T00:00:00Z"
	someSource = "192.0.2.10"
)

var keyChanges = map[string]keyChange{
	"nothing":       {args{}, args{}, "none", nil},
	"name":          {args{}, args{"name": "other"}, "replace", []string{"name"}},
	"order of role": {args{"roles": []string{"developer", "admin"}}, args{"roles": []string{"admin", "developer"}}, "none", nil},
	"repeated role": {args{}, args{"roles": []string{"admin", "admin"}}, "none", nil},
	"role added":    {args{}, args{"roles": []string{"admin", "developer"}}, "replace", []string{"roles"}},
	"role removed":  {args{"roles": []string{"admin", "developer"}}, args{}, "replace", []string{"roles"}},

	"enabled written down": {args{}, args{"state": "enabled"}, "none", nil},
	"enabled removed":      {args{"state": "enabled"}, args{}, "none", nil},
	"disabled":             {args{}, args{"state": "disabled"}, "replace", []string{"state"}},
	"disabled removed":     {args{"state": "disabled"}, args{}, "replace", []string{"state"}},
	"disabled to enabled":  {args{"state": "disabled"}, args{"state": "enabled"}, "replace", []string{"state"}},

	"expiry":              {args{}, args{"expire_at": aDate}, "replace", []string{"expire_at"}},
	"expiry removed":      {args{"expire_at": aDate}, args{}, "replace", []string{"expire_at"}},
	"expiry respelled":    {args{"expire_at": aDate}, args{"expire_at": sameDate}, "none", nil},
	"expiry in UTC":       {args{"expire_at": sameDate}, args{"expire_at": aDate}, "none", nil},
	"expiry later":        {args{"expire_at": aDate}, args{"expire_at": laterDate}, "replace", []string{"expire_at"}},
	"validity":            {args{}, args{"validity_hours": 9}, "replace", []string{"validity_hours"}},
	"validity changed":    {args{"validity_hours": 9}, args{"validity_hours": 10}, "replace", []string{"validity_hours"}},
	"validity removed":    {args{"validity_hours": 9}, args{}, "replace", []string{"validity_hours"}},
	"validity to expiry":  {args{"validity_hours": 9}, args{"expire_at": aDate}, "replace", []string{"expire_at", "validity_hours"}},
	"expiry to validity":  {args{"expire_at": aDate}, args{"validity_hours": 9}, "replace", []string{"expire_at", "validity_hours"}},
	"reminder":            {args{"validity_hours": 9}, args{"validity_hours": 9, "early_renewal_hours": 1}, "update", nil},
	"reminder changed":    {args{"validity_hours": 9, "early_renewal_hours": 1}, args{"validity_hours": 9, "early_renewal_hours": 8}, "update", nil},
	"reminder removed":    {args{"validity_hours": 9, "early_renewal_hours": 1}, args{"validity_hours": 9}, "update", nil},
	"reminder of nothing": {args{"validity_hours": 9}, args{"validity_hours": 9, "early_renewal_hours": 0}, "update", nil},

	"trigger":         {args{}, args{"rotation_triggers": map[string]string{"a": "1"}}, "replace", []string{"rotation_triggers"}},
	"trigger changed": {args{"rotation_triggers": map[string]string{"a": "1"}}, args{"rotation_triggers": map[string]string{"a": "2"}}, "replace", []string{"rotation_triggers"}},
	"trigger removed": {args{"rotation_triggers": map[string]string{"a": "1"}}, args{}, "replace", []string{"rotation_triggers"}},
	"no triggers":     {args{}, args{"rotation_triggers": map[string]string{}}, "update", nil},

	"hash":         {args{}, args{"hash_data": args{"key_id_hash": "h4sh"}}, "replace", []string{"hash_data"}},
	"hash same":    {args{"hash_data": args{"key_id_hash": "h4sh"}}, args{"hash_data": args{"key_id_hash": "h4sh"}}, "none", nil},
	"hash changed": {args{"hash_data": args{"key_id_hash": "h4sh"}}, args{"hash_data": args{"key_id_hash": "0ther"}}, "replace", []string{"hash_data"}},
	"hash removed": {args{"hash_data": args{"key_id_hash": "h4sh"}}, args{}, "replace", []string{"hash_data"}},

	"address": {args{}, args{"ip_access_list": []args{{"source": someSource}}}, "replace", []string{"ip_access_list"}},
	"order of addresses": {
		args{"ip_access_list": []args{{"source": "192.0.2.10", "description": "b"}, {"source": "10.0.0.0/8"}}},
		args{"ip_access_list": []args{{"source": "10.0.0.0/8"}, {"source": "192.0.2.10", "description": "b"}}}, "none", nil,
	},
	"empty description": {args{"ip_access_list": []args{{"source": someSource}}}, args{"ip_access_list": []args{{"source": someSource, "description": ""}}}, "none", nil},
	"description":       {args{"ip_access_list": []args{{"source": someSource}}}, args{"ip_access_list": []args{{"source": someSource, "description": "x"}}}, "replace", []string{"ip_access_list"}},
	"address removed":   {args{"ip_access_list": []args{{"source": someSource}}}, args{}, "replace", []string{"ip_access_list"}},
	"no addresses":      {args{}, args{"ip_access_list": []args{}}, "update", nil},

	"organization written down":  {args{}, args{"organization_id": mockplatform.OrganizationID}, "none", nil},
	"organization removed":       {args{"organization_id": mockplatform.OrganizationID}, args{}, "none", nil},
	"organization":               {args{}, args{"organization_id": mockplatform.OtherOrganizationID}, "replace", []string{"organization_id"}},
	"other organization removed": {args{"organization_id": mockplatform.OtherOrganizationID}, args{}, "replace", []string{"organization_id"}},
}

var plainKey = args{"name": "n", "roles": []string{"admin"}}

// Everything that changes what a key was asked for makes a new one, and nothing
// else does.
func TestAPIKeyChanges(t *testing.T) {
	f := newFixture(t)
	var before, after strings.Builder
	names := sortedKeys(keyChanges)
	for i, name := range names {
		for b, change := range map[*strings.Builder]args{&before: keyChanges[name].before, &after: keyChanges[name].after} {
			fmt.Fprintf(b, "resource \"dataplatform_api_key\" \"row%d\" {\n%s  lifecycle {\n    create_before_destroy = true\n  }\n}\n", i, plainKey.with(change).hcl())
		}
	}
	w := f.workspace(f.provider() + before.String())
	w.apply("-parallelism=50")
	w.wantEmptyPlan()
	if got := len(f.Keys()); got != len(names) {
		t.Fatalf("%d keys, want %d", got, len(names))
	}

	w.file("main.tf", f.provider()+after.String())
	if out, ok := w.terraform("plan", "-out=plan"); !ok {
		t.Fatal(out)
	}
	shown := w.shownPlan("plan")
	replaced := 0
	for i, name := range names {
		want, got := keyChanges[name], shown[fmt.Sprintf("dataplatform_api_key.row%d", i)]
		if want.action == "replace" {
			replaced++
		}
		if got.action != want.action || !slices.Equal(got.because, want.because) {
			t.Errorf("%s: %s because of %v, want %s because of %v", name, got.action, got.because, want.action, want.because)
		}
	}
	if got := len(f.Keys()); got != len(names) {
		t.Errorf("a plan made %d keys", got-len(names))
	}
	w.apply("-parallelism=50", "plan")
	if got := len(f.Keys()) - len(names); got != replaced {
		t.Errorf("%d new keys, want %d", got, replaced)
	}
	w.wantEmptyPlan()
}

// What is not known yet may be another value: but for the reminder, which asks
// the platform for nothing.
func TestAPIKeyUnknownChanges(t *testing.T) {
	f := newFixture(t)
	key := plainKey.with(args{
		"organization_id": mockplatform.OrganizationID, "state": "enabled", "validity_hours": 9, "early_renewal_hours": 1,
		"rotation_triggers": map[string]string{"a": "1"}, "hash_data": args{"key_id_hash": "h4sh"}, "ip_access_list": []args{{"source": someSource}},
	})
	for name := range key {
		d := f.newKeyDriver(t, nil)
		if p := d.apply(key); len(p.errors) > 0 {
			t.Fatal(p)
		}
		want := "replace"
		if name == "early_renewal_hours" {
			want = "update"
		}
		if p := d.planned(key.with(args{name: unknown})); p.action != want {
			t.Errorf("%s unknown: %s, want %s\n%s", name, p.action, want, p.diagnoses)
		}
		before := len(f.Keys())
		d.apply(key.with(args{name: unknown}), key)
		if made := len(f.Keys()) - before; made != map[string]int{"replace": 1, "update": 0}[want] {
			t.Errorf("%s unknown: %d new keys", name, made)
		}
	}
}

// Letter case makes no other organization.
func TestAPIKeyOrganizationSpelling(t *testing.T) {
	f := newFixture(t)
	const id = "abcdef00-0000-4000-8000-0000000000aa"
	service := f.Service(mockplatform.BeaconServiceID)
	service["id"] = "20000000-0000-4000-8000-0000000000aa"
	f.SetService(id, service)
	d := f.newKeyDriver(t, nil)
	d.apply(plainKey.with(args{"organization_id": id}))
	if p := d.planned(plainKey.with(args{"organization_id": strings.ToUpper(id)})); p.action != "none" {
		t.Errorf("%s because of %v", p.action, p.replaces)
	}
}

// A key stays in the organization that it was made in when the provider's
// changes, and its successor is made in the provider's, which the plan says.
func TestAPIKeyOrganizationOfTheProvider(t *testing.T) {
	f := newFixture(t)
	d := f.newKeyDriver(t, nil)
	d.apply(plainKey)
	moved := f.newKeyDriver(t, args{"organization_id": mockplatform.OtherOrganizationID})
	moved.state, moved.private = d.state, d.private
	if p := moved.planned(plainKey); p.action != "none" {
		t.Errorf("%s because of %v", p.action, p.replaces)
	}
	p := moved.planned(plainKey.with(args{"name": "other"}))
	wantText(t, strings.Join(p.warnings, "\n"), "The old key belongs to organization "+mockplatform.OrganizationID+". The new key is created in "+mockplatform.OtherOrganizationID)

	for name, settings := range map[string]args{"unknown": {"organization_id": unknown}, "missing": {"organization_id": nil}} {
		waiting := f.newKeyDriver(t, settings)
		waiting.state, waiting.private = d.state, d.private
		if p := waiting.planned(plainKey); p.action != "none" {
			t.Errorf("%s: %s because of %v", name, p.action, p.replaces)
		}
	}
}

// What an older version remembered of a request is still understood.
func TestAPIKeyOlderMemory(t *testing.T) {
	t.Parallel()
	const remembered = `{"organization_id":true,"expire_at":true,"state":"disabled","ip_access_list":true,"expiry":"2030-01-05T04:00:00Z","returned":""}`
	want := asked{OrganizationID: true, ExpireAt: true, State: "disabled", IPAccessList: true, Expiry: date(100)}
	if got := recall([]byte(remembered), tfvalue.Null(keyObject(t))); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// shownChange is what Terraform's own JSON says of a planned change.
type shownChange struct {
	action  string
	because []string
}

// shownPlan reads a plan file, by address.
func (w *workspace) shownPlan(file string) map[string]shownChange {
	w.t.Helper()
	out, err := w.command(w.t.Context(), "show", "-json", file).Output()
	if err != nil {
		w.t.Fatal(err)
	}
	var plan struct {
		Changes []struct {
			Address string `json:"address"`
			Change  struct {
				Actions      []string `json:"actions"`
				ReplacePaths [][]any  `json:"replace_paths"`
			} `json:"change"`
		} `json:"resource_changes"`
	}
	if err := json.Unmarshal(out, &plan); err != nil {
		w.t.Fatal(err)
	}
	shown := map[string]shownChange{}
	for _, c := range plan.Changes {
		change := shownChange{action: strings.Join(c.Change.Actions, "+")}
		switch change.action {
		case "create+delete", "delete+create":
			change.action = "replace"
		case "no-op":
			change.action = "none"
		}
		for _, path := range c.Change.ReplacePaths {
			change.because = append(change.because, fmt.Sprint(path[0]))
		}
		slices.Sort(change.because)
		shown[c.Address] = change
	}
	return shown
}
