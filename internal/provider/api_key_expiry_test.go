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
			says: "expire_at must be later than",
		},
		"the expiry is known late": {
			change: func(f *fixture, s *session, _ *clock) {
				s.file("main.tf", f.provider()+fmt.Sprintf(late, `"2020-01-01T00:00:00Z"`)+keyBlock("this", true, plainKey.with(args{"expire_at": expression("terraform_data.late.output")})))
				s.mustRun("plan", "-out=plan")
			},
			says: "expire_at must be later than",
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
			says: "must be an IP address",
		},
		"the organization is known late": {
			change: func(f *fixture, s *session, _ *clock) {
				s.file("main.tf", strings.Replace(f.provider(), fmt.Sprintf("= %q", mockplatform.OrganizationID), "= terraform_data.late.output.none", 1)+
					fmt.Sprintf(late, "{ none = null }")+keyBlock("this", true, plainKey.with(args{"expire_at": date(100), "name": "other"})))
				s.mustRun("plan", "-out=plan")
			},
			says: "Organization missing",
		},
		"a setting is known late": {
			change: func(f *fixture, s *session, _ *clock) {
				s.file("main.tf", strings.Replace(f.provider(), `= "demo-key-secret"`, "= terraform_data.late.output.none", 1)+
					fmt.Sprintf(late, "{ none = null }")+keyBlock("this", true, plainKey.with(args{"expire_at": date(100), "name": "other"})))
				s.mustRun("plan", "-out=plan")
			},
			says: "Provider setting missing",
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
