package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// secrets are those of the keys in the state. One that a replacement has deposed is marked.
func (w *workspace) secrets() (all []string) {
	w.t.Helper()
	resources, _ := member(fromJSON(w.t, w.Read("terraform.tfstate")), "resources").([]any)
	for _, resource := range resources {
		if member(resource, "type") != "dataplatform_api_key" {
			continue
		}
		for _, instance := range member(resource, "instances").([]any) {
			secret := member(instance, "attributes.key_secret").(string)
			if member(instance, "deposed") != nil {
				secret += deposed
			}
			all = append(all, secret)
		}
	}
	return all
}

const deposed = " (deposed)"

// With create_before_destroy, no failure costs the old key's secret. A creation that fails
// leaves the state as it was. After an error of the plan that Terraform repeats in the apply,
// the old key is a deposed object, until an apply creates the new one.
func TestAPIKeyDeposed(t *testing.T) {
	f := newFixture(t)
	config := func(source string) string {
		return f.provider() + fmt.Sprintf("resource \"terraform_data\" \"late\" {\n  input = %q\n}\n", source) +
			keyConfig("  name           = \"n\"\n  roles          = [\"admin\"]\n  ip_access_list = [{ source = terraform_data.late.output }]")
	}
	w := f.workspace(config("192.0.2.1"))
	w.Apply()
	wantKey := func(mark string) {
		t.Helper()
		newest := member(f.Keys()[len(f.Keys())-1], "result.keySecret").(string)
		if got := w.secrets(); !slices.Equal(got, []string{newest + mark}) {
			t.Errorf("the state has the secrets %q, want that of the newest key%s", got, mark)
		}
	}
	for _, step := range []struct{ source, says, mark string }{
		{"192.0.2.2", "HTTP 403", ""},
		{"192.0.2.300", `source "192.0.2.300" of ip_access_list must be a valid IP address`, deposed},
		{"192.0.2.3", "HTTP 403", deposed},
	} {
		f.ClearFaults()
		f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, Status: 403})
		w.File("main.tf", config(step.source))
		out, ok := w.Terraform("apply", "-auto-approve")
		if ok {
			t.Fatalf("the new key was created:\n%s", out)
		}
		wantText(t, out, step.says)
		wantKey(step.mark)
	}
	f.ClearFaults()
	wantText(t, w.Apply(), `API key "n" (`+fmt.Sprint(member(f.Keys()[0], "result.key.id"))+") stays valid", "1 destroyed")
	wantKey("")
}

// An interrupt while the platform is slow: what was sent runs to its end and its secret is in the state,
// what gets no response is the error of an unknown outcome, what was not sent never is, and the next apply
// creates only the rest. A log names the keys at once, since a second interrupt would end Terraform
// without a word.
func TestAPIKeyInterrupt(t *testing.T) {
	f := newFixture(t)
	noticed := make(chan struct{})
	f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, Edit: func(mockplatform.Document) { <-noticed }})
	f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, After: true, Hang: true})
	w := f.workspace(f.provider("max_concurrent_requests = 2", `request_timeout = "5m"`) + `
resource "dataplatform_api_key" "row" {
  count          = 4
  name           = "key-${count.index}"
  roles          = ["admin"]
  validity_hours = 9
}
`).traced()
	// What Terraform has printed may not have reached the provider, whose log says more.
	logged := func(n int, message string) func() bool {
		return func() bool {
			text, _ := os.ReadFile(filepath.Join(w.Dir, "trace.log"))
			return len(regexp.MustCompile(message+".* tf_rpc=ApplyResourceChange").FindAll(text, -1)) == n
		}
	}
	out := w.interrupted(syscall.SIGTERM, func() bool { return len(f.Keys()) == 2 && logged(4, "Received request")() }, func() {
		waitFor(t, "an error of the two that were not sent", logged(2, "Response contains error diagnostic"))
		close(noticed)
		f.ClearFaults()
	})
	held := w.secrets()
	if len(held) != 1 || len(f.Keys()) != 2 || f.Count("POST", "") != 2 || !strings.Contains(fmt.Sprint(f.Keys()), held[0]) {
		t.Errorf("the state has %v, and %d keys were created by %d requests, want two requests and one response\n%s", held, len(f.Keys()), f.Count("POST", ""), out)
	}
	wantText(t, out, "The request was sent, but no complete response arrived", `name "key-`, "revoke it")
	log := w.Read("trace.log")
	wantText(t, log, `revoke it: name "key-`, "organization "+mockplatform.OrganizationID+", roles admin, expiry ")
	if n := strings.Count(log, "Interrupted while an API key is being created"); n < 2 {
		t.Errorf("%d keys are named at the interrupt:\n%s", n, log)
	}
	w.Apply()
	if held := w.secrets(); len(held) != 4 || len(f.Keys()) != 5 {
		t.Errorf("%d keys in the end and %d in the state, want 5 and 4", len(f.Keys()), len(held))
	}
}
