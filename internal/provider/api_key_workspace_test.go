package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// keys are the keys in the state: those that a replacement has deposed apart.
func (w *workspace) keys() (current, deposed []object) {
	w.t.Helper()
	resources, _ := member(fromJSON(w.t, w.Read("terraform.tfstate")), "resources").([]any)
	for _, resource := range resources {
		if member(resource, "type") != "dataplatform_api_key" {
			continue
		}
		for _, instance := range member(resource, "instances").([]any) {
			key := member(instance, "attributes").(object)
			if member(instance, "deposed") == nil {
				current = append(current, key)
			} else {
				deposed = append(deposed, key)
			}
		}
	}
	return current, deposed
}

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
	wantKey := func(isDeposed bool) {
		t.Helper()
		current, deposed := w.keys()
		has, not := current, deposed
		if isDeposed {
			has, not = deposed, current
		}
		if len(has) != 1 || len(not) > 0 || has[0]["key_secret"] != member(f.Keys()[len(f.Keys())-1], "result.keySecret") {
			t.Errorf("the state has %v and deposed %v, want the newest key alone, deposed: %t", current, deposed, isDeposed)
		}
	}
	for _, step := range []struct {
		source, says string
		deposed      bool
	}{
		{"192.0.2.2", "HTTP 403", false},
		{"192.0.2.300", `source "192.0.2.300" of ip_access_list must be a valid IP address`, true},
		{"192.0.2.3", "HTTP 403", true},
	} {
		f.ClearFaults()
		f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, Status: 403})
		w.File("main.tf", config(step.source))
		out, ok := w.Terraform("apply", "-auto-approve")
		if ok {
			t.Fatalf("the new key was created:\n%s", out)
		}
		wantText(t, out, step.says)
		wantKey(step.deposed)
	}
	f.ClearFaults()
	wantText(t, w.Apply(), `API key "n" (`+fmt.Sprint(member(f.Keys()[0], "result.key.id"))+") stays valid", "1 destroyed")
	wantKey(false)
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
	held, _ := w.keys()
	if len(held) != 1 || len(f.Keys()) != 2 || f.Count("POST", "") != 2 || !strings.Contains(fmt.Sprint(f.Keys()), held[0]["key_secret"].(string)) {
		t.Errorf("the state has %v, and %d keys were created by %d requests, want two requests and one response\n%s", held, len(f.Keys()), f.Count("POST", ""), out)
	}
	wantText(t, out, "The request was sent, but no complete response arrived", `name "key-`, "revoke it")
	log := w.Read("trace.log")
	wantText(t, log, `revoke it: name "key-`, "organization "+mockplatform.OrganizationID+", roles admin, expiry ")
	if n := strings.Count(log, "Interrupted while an API key is being created"); n < 2 {
		t.Errorf("%d keys are named at the interrupt:\n%s", n, log)
	}
	w.Apply()
	if held, _ := w.keys(); len(held) != 4 || len(f.Keys()) != 5 {
		t.Errorf("%d keys in the end and %d in the state, want 5 and 4", len(f.Keys()), len(held))
	}
}
