package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// keyBlock is a key in a configuration.
func keyBlock(name string, createFirst bool, arguments args) string {
	return fmt.Sprintf("resource \"dataplatform_api_key\" %q {\n%s  lifecycle {\n    create_before_destroy = %t\n  }\n}\n", name, arguments.hcl(), createFirst)
}

// expression is an argument's value as HCL has it.
type expression string

// Terraform plans a creation again in the apply, and with create_before_destroy the old
// key has left the current state by then: only an error of the creation itself brings it
// back. So what time or environment may spoil between plan and apply stops the creation,
// and the state keeps the old key. What was unknown in the plan and turns out to be
// invalid is an error of validation: the old key is in the state as a deposed object,
// with its secret, until an apply creates the new one.
func TestAPIKeyIsNotStranded(t *testing.T) {
	t.Parallel()
	const late = "resource \"terraform_data\" \"late\" {\n  input = %s\n}\n"
	noLate := fmt.Sprintf(late, "{ none = null }")
	other := keyBlock("this", true, plainKey.with(args{"expire_at": date(100), "name": "other"}))
	for name, test := range map[string]struct {
		config  func(provider string) string // of the new key
		applyAt int
		says    string
		deposed bool
	}{
		"the expiry passes": {
			config: func(provider string) string {
				return provider + keyBlock("this", true, plainKey.with(args{"expire_at": date(60)}))
			},
			applyAt: 61, says: "expire_at must be in the future",
		},
		"the organization is known late": {
			config: func(provider string) string {
				return strings.Replace(provider, fmt.Sprintf("= %q", mockplatform.OrganizationID), "= terraform_data.late.output.none", 1) + noLate + other
			},
			says: "organization_id",
		},
		"a setting is known late": {
			config: func(provider string) string {
				return strings.Replace(provider, `= "demo-key-secret"`, "= terraform_data.late.output.none", 1) + noLate + other
			},
			says: "Missing provider settings",
		},
		"an address is known late": {
			config: func(provider string) string {
				return provider + fmt.Sprintf(late, `"192.0.2.300"`) + keyBlock("this", true, plainKey.with(args{"expire_at": date(100), "ip_access_list": expression("[{ source = terraform_data.late.output }]")}))
			},
			says: `source "192.0.2.300" of ip_access_list must be a valid IP address`, deposed: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			now := f.clocked()
			old := f.provider() + keyBlock("this", true, plainKey.with(args{"expire_at": date(100)}))
			w := f.clockedWorkspace(old)
			w.apply()
			held := w.keys()

			w.file("main.tf", test.config(f.provider()))
			w.mustRun("plan", "-out=plan")
			now.at(test.applyAt, 0)
			out, ok := w.terraform("apply", "plan")
			if ok {
				t.Fatalf("the new key was created:\n%s", out)
			}
			wantText(t, out, test.says)
			current, deposed := w.allKeys()
			if !test.deposed {
				if fmt.Sprint(current) != fmt.Sprint(held) || len(deposed) > 0 {
					t.Errorf("the state holds %v and deposed %v, want %v", current, deposed, held)
				}
				// The configuration of old goes on where it was.
				w.file("main.tf", old)
				w.mustRun("apply", "-auto-approve") // terraform_data goes
				w.wantEmptyPlan()
				if n := len(f.Keys()); n != 1 {
					t.Errorf("%d keys, want 1", n)
				}
				return
			}
			was := held["dataplatform_api_key.this"]
			if len(current) > 0 || len(deposed) != 1 || deposed[was.id].secret != was.secret {
				t.Errorf("the state holds %v and deposed %v, want %v deposed", current, deposed, was)
			}
			// The mistake is corrected: the new key comes, and the old one leaves.
			w.file("main.tf", strings.Replace(test.config(f.provider()), "192.0.2.300", "192.0.2.3", 1))
			wantText(t, w.apply(), fmt.Sprintf("API key %q (%s) stays valid", was.name, was.id), "1 destroyed")
			w.wantEmptyPlan()
			if _, deposed := w.allKeys(); len(deposed) > 0 || len(f.Keys()) != 2 {
				t.Errorf("%d keys, and deposed %v", len(f.Keys()), deposed)
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

// What the API made otherwise than requested is reported when the key is created. The
// state has what was configured, or else what the API returned, and what is said when a
// key leaves goes by the state.
func TestAPIKeyAnswersThatStand(t *testing.T) {
	f := newFixture(t)
	now := f.clocked()
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Answers.KeyState = true
		b.Patches.Rewrites = []mockplatform.Rewrite{
			{Operation: mockplatform.CreateKey, Path: "expireAt", Unsent: true, To: func(value any) any {
				if text, _ := value.(string); sameInstant(text, date(100)) {
					return nil
				}
				return value
			}},
			{Operation: mockplatform.CreateKey, Path: "state", Unsent: true, To: func(any) any { return "disabled" }},
			{Operation: mockplatform.CreateKey, Path: "ipAccessList", Unsent: true, To: func(any) any {
				return []any{map[string]any{"source": "198.51.100.7"}}
			}},
		}
	})
	w := f.clockedWorkspace(f.provider() +
		keyBlock("hours", true, args{"name": "hours", "roles": []string{"admin"}, "validity_hours": 100}) +
		keyBlock("plain", true, args{"name": "plain", "roles": []string{"admin"}, "expire_at": date(5000)}))
	out := w.apply()
	wantText(t, out,
		`API key "hours" (`, "expire_at: the API returned no expiry, although "+date(100)+" was requested. The key never expires on its own",
		`API key "plain" (`, `state: not set, and the API returned "disabled"`, `ip_access_list: not set, and the API returned [{source = "198.51.100.7"}]`)
	if n := strings.Count(out, ") differs from the request"); n != 2 {
		t.Errorf("%d warnings, want 2:\n%s", n, out)
	}
	w.wantEmptyPlan()
	wantText(t, w.mustRun("state", "show", "dataplatform_api_key.plain"), `state = "disabled"`, `source = "198.51.100.7"`)
	wantNoText(t, w.mustRun("state", "show", "dataplatform_api_key.hours"), "expire_at")

	now.at(100, 0)
	wantText(t, w.mustRun("plan"), `API key "hours" (`, "is replaced and stays valid", "because its renewal is due.", ") stays valid, because it does not expire.")
	for times, args := range [][]string{1: {"plan", "-destroy"}, 2: {"destroy", "-auto-approve"}} {
		if args == nil {
			continue
		}
		out = w.mustRun(args...)
		if n := strings.Count(out, ") stays valid, because it does not expire. Revoke it in the platform's console."); n != times {
			t.Errorf("%d warnings, want %d:\n%s", n, times, out)
		}
	}
}
