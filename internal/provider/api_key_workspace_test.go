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
	created, _ := w.keys()
	first := created[0]
	for _, step := range []struct {
		source, says string
		status       int
		deposed      bool
	}{
		{"192.0.2.2", "HTTP 403", 403, false},
		{"192.0.2.300", `source "192.0.2.300" of ip_access_list must be a valid IP address`, 0, true},
		{"192.0.2.3", "HTTP 403", 403, true},
	} {
		if step.status > 0 {
			f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, Status: step.status})
		}
		w.File("main.tf", config(step.source))
		out, ok := w.Terraform("apply", "-auto-approve")
		if ok {
			t.Fatalf("the new key was created:\n%s", out)
		}
		wantText(t, out, step.says)
		current, deposed := w.keys()
		if step.deposed {
			current, deposed = deposed, current
		}
		if len(deposed) > 0 || len(current) != 1 || current[0]["key_secret"] != first["key_secret"] {
			t.Errorf("%s: the state has %v and %v", step.says, current, deposed)
		}
	}
	wantText(t, w.Apply(), fmt.Sprintf("API key %q (%s) stays valid", "n", first["id"]), "1 destroyed")
	current, deposed := w.keys()
	if len(f.Keys()) != 2 || len(current) != 1 || len(deposed) > 0 || current[0]["key_secret"] != member(f.Keys()[1], "result.keySecret") {
		t.Errorf("of the keys %v the state has %v and deposed %v", f.Keys(), current, deposed)
	}
}

// An interrupt while the platform is slow: what was sent runs to its end and its secret
// is in the state, what gets no response is the error of an ambiguous end, what was not
// sent never is, and the next apply creates only the rest. A log names the keys at once,
// since a second interrupt would end Terraform without a word.
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
`)
	// What Terraform has printed may not have reached the provider, whose log says more.
	w.setenv("TF_LOG_PROVIDER=TRACE", "TF_LOG_PATH="+filepath.Join(w.Dir, "trace.log"))
	logged := func(n int, message string) bool {
		text, _ := os.ReadFile(filepath.Join(w.Dir, "trace.log"))
		lines := regexp.MustCompile(message+".* tf_rpc=ApplyResourceChange").FindAll(text, -1)
		return len(lines) == n
	}
	out := w.interrupted(syscall.SIGTERM, func() bool { return len(f.Keys()) == 2 && logged(4, "Received request") }, func() {
		waitFor(t, "an error of the two that were not sent", func() bool { return logged(2, "Response contains error diagnostic") })
		close(noticed)
		f.ClearFaults()
	})
	w.setenv("TF_LOG_PROVIDER=")
	held, _ := w.keys()
	if len(held) != 1 || len(f.Keys()) != 2 || f.Count("POST", "") != 2 {
		t.Errorf("state holds %v, %d created by %d requests, want two requests and one response\n%s", held, len(f.Keys()), f.Count("POST", ""), out)
	}
	wantText(t, out, "The request was sent, but no complete response arrived", `name "key-`, "revoke it")
	log := w.Read("trace.log")
	if n := strings.Count(log, "Interrupted while an API key is being created"); n < 2 {
		t.Errorf("%d keys are named at the interrupt:\n%s", n, log)
	}
	wantText(t, log, `revoke it: name "key-`, "organization "+mockplatform.OrganizationID+", roles admin, expiry ")
	for _, key := range held {
		if created := fmt.Sprint(f.Keys()); !strings.Contains(created, key["key_secret"].(string)) {
			t.Errorf("state holds %v, the platform created %s", key, created)
		}
	}
	w.Apply()
	if held, _ := w.keys(); len(held) != 4 || len(f.Keys()) != 5 {
		t.Errorf("%d keys in the end and %d in the state, want 5 and 4", len(f.Keys()), len(held))
	}
}
