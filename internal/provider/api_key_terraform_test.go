package provider

import (
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

func keySecrets(f *fixture) []string {
	secrets := []string{"h4sh-of", "demo-key-secret"}
	for _, key := range f.Keys() {
		secrets = append(secrets, key["result"].(mockplatform.Document)["keySecret"].(string))
	}
	return secrets
}

// The life of keys in a terminal: each key that is replaced, or leaves, is reported in the
// plan and in the apply by a warning of its own, since Terraform folds those that share a
// summary.
func TestAPIKeyLife(t *testing.T) {
	f := newFixture(t)
	config := func(name string, count int) string {
		return f.provider() + fmt.Sprintf(`
resource "dataplatform_api_key" "lasting" {
  count     = %d
  name      = %q
  roles     = ["developer"]
  expire_at = "2999-01-01T00:00:00Z"
  lifecycle {
    create_before_destroy = true
  }
}
resource "dataplatform_api_key" "endless" {
  name  = "endless %s"
  roles = ["admin"]
  lifecycle {
    create_before_destroy = true
  }
}
`, count, name, name)
	}
	const until, endless = "valid until 2999-01-01T00:00:00Z", "valid, because it does not expire"
	w := f.workspace(config("one", 2))
	wantText(t, w.apply(), "3 added", `API key "endless one" will never expire`)
	first, _ := w.keys()
	says := func(out, name, key, summary, stays string, all map[string]keyInState) {
		t.Helper()
		for _, text := range []string{
			fmt.Sprintf("Warning: API key %q (%s) %s", name, all[key].ID, summary),
			fmt.Sprintf("key (suffix %s) stays %s.", all[key].KeyID[len(all[key].KeyID)-4:], stays),
		} {
			if n := strings.Count(out, text); n != 1 {
				t.Errorf("%d times %q in\n%s", n, text, out)
			}
		}
	}

	// One is replaced, and one leaves.
	w.file("main.tf", config("two", 1))
	planned := w.planText("-out=plan")
	wantText(t, planned, "Plan: 2 to add, 0 to change, 3 to destroy", "The key is replaced because name changed.", "The new key will never expire.")
	if strings.Count(planned, "Warning: ") != 3 || strings.Count(planned, "# forces replacement") != 2 {
		t.Errorf("want one warning for each key that goes, and no other replacement:\n%s", planned)
	}
	for out, summary := range map[string]string{planned: "is replaced and stays valid", w.apply("plan"): "stays valid"} {
		says(out, "one", "lasting[0]", summary, until, first)
		says(out, "one", "lasting[1]", "stays valid", until, first)
		says(out, "endless one", "endless", summary, endless, first)
	}
	w.wantEmptyPlan()

	second, _ := w.keys()
	f.ResetJournal()
	for _, out := range []string{w.planText("-destroy", "-out=plan"), w.apply("plan")} {
		says(out, "two", "lasting[0]", "stays valid", until, second)
		says(out, "endless two", "endless", "stays valid", endless, second)
	}
	f.wantRequests()
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
	w.apply()
	first, _ := w.keys()
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
		w.file("main.tf", config(step.source))
		out, ok := w.terraform("apply", "-auto-approve")
		if ok {
			t.Fatalf("the new key was created:\n%s", out)
		}
		wantText(t, out, step.says)
		current, deposed := w.keys()
		if step.deposed {
			current, deposed = deposed, current
		}
		if len(deposed) > 0 || current["this"] != first["this"] {
			t.Errorf("%s: the state has %v and %v", step.says, current, deposed)
		}
	}
	wantText(t, w.apply(), fmt.Sprintf("API key %q (%s) stays valid", "n", first["this"].ID), "1 destroyed")
	newest := f.Keys()[len(f.Keys())-1]["result"].(mockplatform.Document)
	if current, deposed := w.keys(); len(f.Keys()) != 2 || current["this"].Secret != newest["keySecret"] || len(deposed) > 0 {
		t.Errorf("%d keys, the state has %v and deposed %v, and the newest key is %v", len(f.Keys()), current, deposed, newest)
	}
}

// What goes wrong with a response shows no secret, and no hash: in no output, and in no log
// of the finest level.
func TestAPIKeySecretsInTrouble(t *testing.T) {
	f := newFixture(t)
	secret := func(place func(body, result, key mockplatform.Document, secret any)) mockplatform.Fault {
		return mockplatform.Fault{Edit: func(body mockplatform.Document) {
			result := body["result"].(mockplatform.Document)
			place(body, result, result["key"].(mockplatform.Document), result["keySecret"])
		}}
	}
	faults := []mockplatform.Fault{
		{Status: 502, Body: mockplatform.BodyEchoWhole},
		{Cut: mockplatform.CutBody, CutBytes: -40}, // in the secret
		secret(func(_, _, key mockplatform.Document, secret any) {
			key["name"], key["roles"], key["createdAt"] = mockplatform.Document{"a": secret}, secret, []any{secret}
		}),
		secret(func(body, _, _ mockplatform.Document, secret any) { body["status"], body["message"] = 500, secret }),
		secret(func(_, result, key mockplatform.Document, secret any) {
			result["name"], key["name"], key["expireAt"] = secret, secret, secret
			key["roles"] = []any{"a very long role, so that what follows is cut", secret}
		}),
	}
	for _, fault := range faults {
		f.Inject(fault)
	}
	w := f.workspace(f.provider()+fmt.Sprintf(`
resource "dataplatform_api_key" "row" {
  count          = %d
  name           = "n"
  roles          = ["admin"]
  validity_hours = 9
  hash_data      = { key_id_hash = "h4sh-of-id" }
}
`, len(faults))).setenv("TF_LOG=TRACE", "TF_LOG_PATH=trace.log")
	out, ok := w.terraform("apply", "-auto-approve")
	if ok {
		t.Fatalf("every key was created:\n%s", out)
	}
	if held, _ := w.keys(); len(held) != 3 || len(f.Keys()) != 4 {
		t.Errorf("%d keys, and in the state: %v", len(f.Keys()), held)
	}
	log := w.read("trace.log")
	wantText(t, log, "Data Platform request")
	for _, secret := range keySecrets(f) {
		for _, text := range []string{log, out} {
			if at := strings.Index(text, secret); at >= 0 {
				t.Errorf("a secret in …%s…", text[max(0, at-300):min(len(text), at+100)])
			}
		}
	}
}

// An interrupt while the platform is slow: what was sent runs to its end and its secret
// is in the state, what gets no response is the error of an ambiguous end after
// request_timeout, what was not sent never is, and the next apply creates only the rest. A log
// names the keys at once, since a second interrupt would end Terraform without a word.
func TestAPIKeyInterrupt(t *testing.T) {
	t.Parallel()
	for name, interrupt := range map[string]syscall.Signal{"Ctrl-C": syscall.SIGINT, "SIGTERM to all": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, After: true, Delay: 4 * time.Second}) // until the interrupt has arrived, on a busy machine too
			f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, After: true, Hang: true})
			w := f.workspace(f.provider("max_concurrent_requests = 2", `request_timeout = "7s"`)+`
resource "dataplatform_api_key" "row" {
  count          = 4
  name           = "key-${count.index}"
  roles          = ["admin"]
  validity_hours = 9
}
`).setenv("TF_LOG=WARN", "TF_LOG_PATH=warnings.log")
			out := w.interrupted(interrupt, 2, 4)
			held, _ := w.keys()
			if len(held) != 1 || len(f.Keys()) != 2 || f.Count("POST", "") != 2 {
				t.Errorf("state holds %v, %d created by %d requests, want two requests and one response\n%s", held, len(f.Keys()), f.Count("POST", ""), out)
			}
			wantText(t, out, "no response within request_timeout (7s)", `name "key-`, "revoke it")
			log := w.read("warnings.log")
			if n := strings.Count(log, "Interrupted while an API key is being created"); n < 2 {
				t.Errorf("%d keys are named at the interrupt:\n%s", n, log)
			}
			wantText(t, log, `revoke it: name "key-`, "organization "+mockplatform.OrganizationID+", roles admin, expiry ")
			for _, key := range held {
				if created := fmt.Sprint(f.Keys()); !strings.Contains(created, key.Secret) || key.Tainted {
					t.Errorf("state holds %v, the platform created %s", key, created)
				}
			}
			f.ClearFaults()
			w.apply()
			if held, _ := w.keys(); len(held) != 4 || len(f.Keys()) != 5 {
				t.Errorf("%d keys in the end and %d in the state, want 5 and 4", len(f.Keys()), len(held))
			}
		})
	}
}

// interrupted applies, interrupts the whole process group once the platform has created
// so many keys and the creation of all is under way, and returns what was printed.
func (w *workspace) interrupted(with syscall.Signal, keys, all int) string {
	w.t.Helper()
	command := w.command(w.t.Context(), "apply", "-auto-approve", "-no-color")
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var output printed
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { end(command) })
	for deadline := time.Now().Add(time.Minute); len(w.Keys()) < keys || strings.Count(output.String(), ": Creating...") < all; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatal("not every key was asked for")
		}
	}
	_ = syscall.Kill(-command.Process.Pid, with)
	_ = command.Wait()
	return folded(output.String())
}

// printed is what a command has printed so far.
type printed struct {
	mu   sync.Mutex
	text strings.Builder
}

func (p *printed) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(text)
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

func end(command *exec.Cmd) {
	if command.ProcessState == nil {
		_ = command.Process.Kill()
	}
}
