package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// crowd is a configuration of many pipes and services, and a platform that has
// them.
type crowd struct {
	*fixture
	pipes, services []string
}

func newCrowd(t *testing.T, n int) *crowd {
	f := newFixture(t)
	return &crowd{f, f.AddPipes(mockplatform.ServiceID, n), f.AddServices(mockplatform.OrganizationID, n)}
}

// workspace configures the crowd under a provider with these settings.
func (c *crowd) workspace(settings string) *workspace {
	ids := func(all []string) string { return `["` + strings.Join(all, `", "`) + `"]` }
	return c.fixture.workspace(fmt.Sprintf(`%s
provider "dataplatform" {
  %s
}
resource "dataplatform_pipe" "all" {
  for_each   = toset(%s)
  service_id = %q
  pipe_id    = each.value
  name       = "renamed"
}
resource "dataplatform_service_scaling" "all" {
  for_each             = toset(%s)
  service_id           = each.value
  idle_timeout_minutes = 11
}
`, plainProvider, settings, ids(c.pipes), mockplatform.ServiceID, ids(c.services)))
}

// settings are those that the crowd's platform needs.
func (c *crowd) settings(secret string) string {
	return fmt.Sprintf("base_url = %q\n  organization_id = %q\n  key_id = \"demo-key-id\"\n  key_secret = %q\n  retry_timeout = \"0s\"",
		c.url, mockplatform.OrganizationID, secret)
}

// failing plans, and returns each error that Terraform prints, with the seven lines that
// are Terraform's. There is one for each object, or for some of them where Terraform
// stops at the first ones, as from 1.14 on.
func (w *workspace) failing(objects int) []string {
	w.t.Helper()
	out, err := w.command(w.t.Context(), "plan", "-no-color", "-input=false").CombinedOutput()
	var errors []string
	for _, one := range strings.Split(string(out), "\nError: ")[1:] {
		one, _, _ = strings.Cut(one, "\nWarning: ")
		// The empty line before it is Terraform's too.
		errors = append(errors, "\nError: "+strings.TrimSpace(one))
	}
	program, n := programUnder(w.t), len(errors)
	stopsEarly := !program.openTofu && !older(program.version, "1.14")
	if err == nil || n != objects && (!stopsEarly || n == 0 || n > objects) {
		w.t.Fatalf("%d errors for %d objects:\n%s", n, objects, out)
	}
	return errors
}

// TestOutages plans many objects while nothing works: each error can be read alone.
func TestOutages(t *testing.T) {
	t.Parallel()
	const n, secret = 15, "demo-key-secret"
	for name, test := range map[string]struct {
		fault    mockplatform.Fault
		secret   string
		requests int // at most; 0 where the client's tests count them
		says     []string
	}{
		"failing":        {mockplatform.Fault{Status: 503, Message: "a story"}, secret, 0, []string{"HTTP 503 Service Unavailable"}},
		"not responding": {mockplatform.Fault{Reset: true}, secret, 0, []string{"Check base_url, and HTTPS_PROXY if it is set."}},
		"wrong secret":   {mockplatform.Fault{Operation: "none"}, "wrong-secret", 10, []string{"HTTP 401 Unauthorized", "Check key_id and key_secret. The key may be wrong"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCrowd(t, n)
			test.fault.Times = mockplatform.Always
			c.Inject(test.fault)
			for _, text := range c.workspace(c.settings(test.secret)).failing(2 * n) {
				wantText(t, folded(text), append(test.says, "Error: Cannot read ", "Tried to ", " at "+c.url+". ")...)
				if lines := strings.Count(text, "\n") + 1; lines > 20 {
					t.Errorf("%d lines:\n%s", lines, text)
				}
			}
			if test.requests > 0 && len(c.Requests()) > test.requests {
				t.Errorf("%d requests", len(c.Requests()))
			}
		})
	}
}

// Nothing set at all, or half of a login, is one error of the provider over 64 objects.
// Where less is missing, each object says in one short sentence all that it misses.
func TestSettingsMissing(t *testing.T) {
	c := newCrowd(t, 32)
	errors := c.workspace("").failing(1)
	for _, s := range providerSettings {
		if s.needed {
			wantText(t, errors[0], s.name, "DATAPLATFORM_"+strings.ToUpper(s.name))
		}
	}
	half := c.workspace(`key_secret = "x"`).setenv("DATAPLATFORM_BASE_URL="+c.url, "DATAPLATFORM_KEY_ID=").failing(1)
	wantText(t, folded(half[0]), "Provider credentials are incomplete", "key_secret is set, but key_id is not: set it in the provider block, or with the environment variable DATAPLATFORM_KEY_ID.")
	for _, text := range c.workspace(`organization_id = "` + mockplatform.OrganizationID + `"`).failing(64) {
		if lines := strings.Count(text, "\n") + 1; lines > 11 {
			t.Errorf("%d lines:\n%s", lines, text)
		}
	}
	c.wantRequests()
}
