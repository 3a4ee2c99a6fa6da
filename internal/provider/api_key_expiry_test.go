package provider

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

var uuidInText = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)

// keyBlock is a key in a configuration.
func keyBlock(name string, createFirst bool, arguments args) string {
	return fmt.Sprintf("resource \"dataplatform_api_key\" %q {\n%s  lifecycle {\n    create_before_destroy = %t\n  }\n}\n", name, arguments.hcl(), createFirst)
}

// expression is an argument's value as HCL has it.
type expression string

// Terraform plans a creation again in the apply, and with create_before_destroy
// the old key has left the state by then: only an error of the creation itself
// brings it back. So what may be wrong with the new key then and not before
// (the time, a value known late, a setting that is gone) stops the creation,
// and the state keeps the old key, so that its configuration still has it.
func TestAPIKeyIsNotStranded(t *testing.T) {
	t.Parallel()
	const late = "resource \"terraform_data\" \"late\" {\n  input = %s\n}\n"
	for name, test := range map[string]struct {
		change func(f *fixture, s *session, now *clock) // to the new key
		says   string
	}{
		"the expiry passes": {
			change: func(f *fixture, s *session, now *clock) {
				s.file("main.tf", f.provider()+keyBlock("this", true, plainKey.with(args{"expire_at": date(200)})))
				s.mustRun("plan", "-out=plan")
				now.at(200, 0)
			},
			says: "expire_at must be in the future",
		},
		"the expiry is known late": {
			change: func(f *fixture, s *session, _ *clock) {
				s.file("main.tf", f.provider()+fmt.Sprintf(late, `"2020-01-01T00:00:00Z"`)+keyBlock("this", true, plainKey.with(args{"expire_at": expression("terraform_data.late.output")})))
				s.mustRun("plan", "-out=plan")
			},
			says: "expire_at must be in the future",
		},
		"a role is known late": {
			change: func(f *fixture, s *session, _ *clock) {
				s.file("main.tf", f.provider()+fmt.Sprintf(late, `"owner"`)+keyBlock("this", true, plainKey.with(args{"expire_at": date(100), "roles": expression("[terraform_data.late.output]")})))
				s.mustRun("plan", "-out=plan")
			},
			says: "query_endpoints",
		},
		"an address is known late": {
			change: func(f *fixture, s *session, _ *clock) {
				s.file("main.tf", f.provider()+fmt.Sprintf(late, `"192.0.2.300"`)+keyBlock("this", true, plainKey.with(args{"expire_at": date(100), "ip_access_list": expression("[{ source = terraform_data.late.output }]")})))
				s.mustRun("plan", "-out=plan")
			},
			says: "must be a valid IP address",
		},
		"the organization is known late": {
			change: func(f *fixture, s *session, _ *clock) {
				s.file("main.tf", strings.Replace(f.provider(), fmt.Sprintf("= %q", mockplatform.OrganizationID), "= terraform_data.late.output.none", 1)+
					fmt.Sprintf(late, "{ none = null }")+keyBlock("this", true, plainKey.with(args{"expire_at": date(100), "name": "other"})))
				s.mustRun("plan", "-out=plan")
			},
			says: "organization_id",
		},
		"a setting is known late": {
			change: func(f *fixture, s *session, _ *clock) {
				s.file("main.tf", strings.Replace(f.provider(), `= "demo-key-secret"`, "= terraform_data.late.output.none", 1)+
					fmt.Sprintf(late, "{ none = null }")+keyBlock("this", true, plainKey.with(args{"expire_at": date(100), "name": "other"})))
				s.mustRun("plan", "-out=plan")
			},
			says: "Missing provider settings",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			now := f.clocked()
			old := f.provider() + keyBlock("this", true, plainKey.with(args{"expire_at": date(100)}))
			s := f.session(old)
			s.apply()
			held := s.workspace.keys()

			test.change(f, s, now)
			out, ok := s.terraform("apply", "plan")
			if ok {
				t.Fatalf("the new key was created:\n%s", out)
			}
			wantText(t, out, test.says)
			if got := s.workspace.keys(); fmt.Sprint(got) != fmt.Sprint(held) {
				t.Errorf("the state holds %v, want %v", got, held)
			}
			// The configuration of old goes on where it was.
			now.at(1, 0)
			s.file("main.tf", old)
			s.mustRun("apply", "-auto-approve") // terraform_data goes
			s.wantEmptyPlan()
			if n := len(f.Keys()); n != 1 {
				t.Errorf("%d keys, want 1", n)
			}
		})
	}
}

func (w *workspace) mustRun(args ...string) string {
	w.t.Helper()
	out, ok := w.terraform(args...)
	if !ok {
		w.t.Fatalf("terraform %s failed:\n%s", strings.Join(args, " "), out)
	}
	return out
}

// What the API says of a key stands, whatever was requested: its creation warns,
// the state has it where the configuration allows, and what is said when the key
// leaves goes by it.
func TestAPIKeyAnswersThatStand(t *testing.T) {
	f := newFixture(t)
	now := f.clocked()
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Answers.KeyState = true
		b.Patches.Rewrites = []mockplatform.Rewrite{
			{Operation: mockplatform.CreateKey, Path: "expireAt", Unsent: true, To: func(value any) any {
				for requested, returned := range map[string]any{date(100): nil, date(50): "", date(70): date(60)} {
					if text, _ := value.(string); sameInstant(text, requested) {
						return returned
					}
				}
				return value
			}},
			{Operation: mockplatform.CreateKey, Path: "state", Unsent: true, To: func(any) any {
				return "disabled"
			}},
			{Operation: mockplatform.CreateKey, Path: "ipAccessList", Unsent: true, To: func(value any) any {
				if list, _ := value.([]any); len(list) == 0 {
					return []any{map[string]any{"source": "198.51.100.7"}}
				}
				return value
			}},
		}
	})
	given := args{"state": "disabled", "ip_access_list": []args{{"source": "192.0.2.1"}}}
	keys := map[string]args{
		"fixed":  args{"name": "fixed", "roles": []string{"admin"}, "expire_at": date(100)}.with(given),
		"empty":  args{"name": "empty", "roles": []string{"admin"}, "expire_at": date(50)}.with(given),
		"sooner": args{"name": "sooner", "roles": []string{"admin"}, "expire_at": date(70)}.with(given),
		"hours":  args{"name": "hours", "roles": []string{"admin"}, "validity_hours": 100}.with(given),
		"plain":  {"name": "plain", "roles": []string{"admin"}, "expire_at": date(5000)},
	}
	config := f.provider()
	for _, name := range sortedKeys(keys) {
		config += keyBlock(name, true, keys[name])
	}
	s := f.session(config)
	out := s.apply()
	wantText(t, out,
		`API key "fixed" (`, "expire_at: the API returned no expiry, although "+date(100)+" was requested",
		`API key "empty" (`, "expire_at: the API returned no expiry, although "+date(50)+" was requested",
		`API key "sooner" (`, `expire_at: the API returned "`+date(60)+`"`,
		`API key "hours" (`,
		`API key "plain" (`, `state: not set, and the API returned "disabled"`, `ip_access_list: not set, and the API returned [{source = "198.51.100.7"}]`)
	if n := strings.Count(out, ") differs from the request"); n != 5 {
		t.Errorf("%d warnings, want 5:\n%s", n, out)
	}
	s.wantEmptyPlan()
	shown := s.mustRun("state", "show", "dataplatform_api_key.plain")
	wantText(t, shown, `state = "disabled"`, `source = "198.51.100.7"`)
	if hours := s.mustRun("state", "show", "dataplatform_api_key.hours"); strings.Contains(hours, "expire_at") {
		t.Errorf("the state has an expiry:\n%s", hours)
	}

	// A key that never expires isn't called expired, and one that expires
	// sooner than requested is.
	now.at(99, 0)
	out = s.mustRun("plan")
	wantText(t, out, "No changes.", `API key "sooner" (`, "has expired with", "The key expired at "+date(60))
	if n := strings.Count(out, "Warning: API key"); n != 1 {
		t.Errorf("%d warnings, want 1:\n%s", n, out)
	}

	// The renewal goes by the hours, and both ways of leaving say what to do.
	now.at(100, 0)
	const endless = "The key does not expire (an expiry was requested, and the API returned none)."
	out = s.mustRun("plan")
	wantText(t, out, `API key "hours" (`, "is replaced and stays valid", "Renewal is due: by validity_hours, the key expires at "+date(100), endless)
	for times, args := range [][]string{1: {"plan", "-destroy"}, 2: {"destroy", "-auto-approve"}} {
		if args == nil {
			continue
		}
		out = s.mustRun(args...)
		if n := strings.Count(out, endless); n != 3*times {
			t.Errorf("%d keys without an expiry, want %d:\n%s", n, 3*times, out)
		}
		wantText(t, out, "The key expired at "+date(60), "Revoke it in the platform's console.")
	}
}
