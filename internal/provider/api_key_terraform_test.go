package provider

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// traced is a workspace whose every output is kept, logs of the finest level
// included, to look for secrets in.
type traced struct {
	*workspace
	outputs strings.Builder
}

func (f *fixture) traced(config string) *traced {
	f.t.Helper()
	w := &traced{workspace: f.workspace(config)}
	w.setenv("TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(w.dir, "trace.log"))
	return w
}

func (w *traced) run(succeeds bool, args ...string) string {
	w.t.Helper()
	out, ok := w.terraform(args...)
	if ok != succeeds {
		w.t.Fatalf("terraform %s: %t\n%s", strings.Join(args, " "), ok, out)
	}
	w.outputs.WriteString(out)
	return out
}

// wantNoSecrets fails if an output or the log has a secret of a key.
func (w *traced) wantNoSecrets() {
	w.t.Helper()
	log := w.read("trace.log")
	wantText(w.t, log, "Data Platform request")
	for _, secret := range keySecrets(w.fixture) {
		for _, out := range []string{log, w.outputs.String()} {
			if at := strings.Index(out, secret); at >= 0 {
				w.t.Errorf("a secret in …%s…", out[max(0, at-300):min(len(out), at+100)])
			}
		}
	}
}

func keySecrets(f *fixture) []string {
	secrets := []string{"h4sh-of", "demo-key-secret"}
	for _, key := range f.Keys() {
		secrets = append(secrets, key["result"].(mockplatform.Document)["keySecret"].(string))
	}
	return secrets
}

// The life of keys in a terminal: what is said when they are created, rejected, replaced
// and destroyed, each key by a warning of its own, and never a secret. What asks for
// nothing new changes nothing, and a reminder changes in place.
func TestAPIKeyLife(t *testing.T) {
	f := newFixture(t)
	config := func(name string, count, early int, kept string) string {
		return f.provider() + fmt.Sprintf(`
resource "dataplatform_api_key" "lasting" {
  count     = %d
  name      = %q
  roles     = ["developer"]
  expire_at = "2999-01-01T00:00:00Z"
  hash_data = { key_secret_hash = "h4sh-of-secret" }
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
resource "dataplatform_api_key" "reminded" {
  name                = "reminded"
  roles               = ["admin"]
  validity_hours      = 1000
  early_renewal_hours = %d
}
resource "dataplatform_api_key" "kept" {
  name = "kept"
%s
}
`, count, name, name, early, kept)
	}
	const (
		kept = `roles = ["admin", "developer"]
  expire_at = "2999-01-01T00:00:00+02:00"
  ip_access_list = [{ source = "192.0.2.10" }, { source = "10.0.0.0/8" }]`
		respelled = `roles = ["developer", "admin"]
  expire_at = "2998-12-31T22:00:00.000Z"
  ip_access_list = [{ source = "10.0.0.0/8" }, { source = "192.0.2.10", description = "" }]
  state = "enabled"
  organization_id = "` + mockplatform.OrganizationID + `"`
	)
	const until, endless = "valid until 2999-01-01T00:00:00Z", "valid, because it does not expire"
	w := f.traced(config("one", 2, 1, kept))
	wantText(t, w.run(true, "apply", "-auto-approve"), "5 added", `API key "endless one" will never expire`)
	first, _ := w.keys()

	// Replaced, but rejected: the old keys stay in the state.
	w.file("main.tf", config("two", 2, 1, kept))
	f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, Status: 403, Times: mockplatform.Always, Body: mockplatform.BodyEchoWhole})
	wantNoText(t, w.run(false, "apply", "-auto-approve"), "may have created")
	if held, deposed := w.keys(); fmt.Sprint(held) != fmt.Sprint(first) || len(deposed) > 0 {
		t.Errorf("state holds %v and deposed %v, want %v", held, deposed, first)
	}
	f.ClearFaults()

	// One is replaced, one leaves, and each of them is reported in the plan and in the
	// apply, once.
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
	w.file("main.tf", config("two", 1, 2, respelled))
	planned := w.run(true, "plan", "-out=plan")
	wantText(t, planned, "Plan: 2 to add, 1 to change, 3 to destroy", "The key is replaced because name changed.", "The new key will never expire.")
	if strings.Count(planned, "Warning: ") != 3 || strings.Count(planned, "# forces replacement") != 2 {
		t.Errorf("want one warning for each key that goes, and no other replacement:\n%s", planned)
	}
	applied := w.run(true, "apply", "plan")
	for out, summary := range map[string]string{planned: "is replaced and stays valid", applied: "stays valid"} {
		says(out, "one", "lasting[0]", summary, until, first)
		says(out, "one", "lasting[1]", "stays valid", until, first)
		says(out, "endless one", "endless", summary, endless, first)
	}
	w.wantEmptyPlan()

	second, _ := w.keys()
	f.ResetJournal()
	planned = w.run(true, "plan", "-destroy", "-out=plan")
	applied = w.run(true, "apply", "plan")
	for _, out := range []string{planned, applied} {
		says(out, "two", "lasting[0]", "stays valid", until, second)
		says(out, "endless two", "endless", "stays valid", endless, second)
		if n := strings.Count(out, "Warning: API key"); n != 4 {
			t.Errorf("%d warnings for four keys in\n%s", n, out)
		}
	}
	f.wantRequests()
	w.wantNoSecrets()
}

// With create_before_destroy, what depends on a key has the new one in the same apply.
// An expiry that passes between plan and apply stops the creation, and the state keeps
// the old key (TestAPIKeyIsNotStranded). What was unknown in the plan and turns out to be
// invalid is an error of validation: the old key is in the state as a deposed object,
// with its secret, until an apply creates the new one.
func TestAPIKeyReplacement(t *testing.T) {
	f := newFixture(t)
	now := f.clocked()
	config := func(arguments, late string) string {
		return f.provider() + fmt.Sprintf(`
resource "terraform_data" "late" {
  input = %q
}
resource "dataplatform_api_key" "this" {
  name  = "n"
  roles = ["admin"]
  %s
  lifecycle {
    create_before_destroy = true
  }
}
resource "terraform_data" "user" {
  input = nonsensitive(dataplatform_api_key.this.key_secret)
}
`, late, arguments)
	}
	w := f.clockedWorkspace(config("validity_hours = 100", ""))
	var held keyInState
	newest := func(keys int) {
		t.Helper()
		current, deposed := w.keys()
		held = current["this"]
		result := f.Keys()[len(f.Keys())-1]["result"].(mockplatform.Document)
		if len(f.Keys()) != keys || held.Secret != result["keySecret"] || len(deposed) > 0 || strings.Count(w.read("terraform.tfstate"), held.Secret) != 3 { // its own, and the user's twice
			t.Errorf("%d keys, the state has %v and deposed %v, and the newest key is %v", len(f.Keys()), current, deposed, result)
		}
	}
	w.apply()
	newest(1)
	now.at(100, 0)
	wantText(t, w.apply(), "create replacement and then destroy", "1 added, 1 changed, 1 destroyed")
	newest(2)
	w.wantEmptyPlan()

	fails := func(arguments, late string, later int, says string) {
		t.Helper()
		w.file("main.tf", config(arguments, late))
		if out, ok := w.terraform("plan", "-out=plan"); !ok {
			t.Fatal(out)
		}
		now.at(later, 0)
		out, ok := w.terraform("apply", "plan")
		if ok {
			t.Fatalf("the new key was created:\n%s", out)
		}
		wantText(t, out, says)
	}
	fails(fmt.Sprintf("expire_at = %q", date(110)), "", 111, "expire_at must be in the future")
	newest(2)

	const list = "validity_hours = 9\n  ip_access_list = [{ source = terraform_data.late.output }]"
	fails(list, "192.0.2.300", 112, `source "192.0.2.300" of ip_access_list must be a valid IP address`)
	if current, deposed := w.keys(); len(current) > 0 || len(deposed) != 1 || deposed["this"] != held {
		t.Errorf("the state holds %v and deposed %v, want %v deposed", current, deposed, held)
	}
	w.file("main.tf", config(list, "192.0.2.3"))
	wantText(t, w.apply(), fmt.Sprintf("API key %q (%s) stays valid", "n", held.ID), "1 destroyed")
	newest(3)
}

// What goes wrong with a response shows no secret either.
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
	w := f.traced(f.provider() + fmt.Sprintf(`
resource "dataplatform_api_key" "row" {
  count          = %d
  name           = "n"
  roles          = ["admin"]
  validity_hours = 9
  hash_data      = { key_id_hash = "h4sh-of-id" }
}
`, len(faults)))
	w.run(false, "apply", "-auto-approve")
	if held, _ := w.keys(); len(held) != 3 || len(f.Keys()) != 4 {
		t.Errorf("%d keys, and in the state: %v", len(f.Keys()), held)
	}
	w.wantNoSecrets()
}

// An interrupt while the platform is slow: what was sent runs to its end and its secret
// is in the state, what gets no response is the error of an ambiguous end after
// request_timeout, what was not sent never is, and the next apply creates only the rest.
func TestAPIKeyInterrupt(t *testing.T) {
	t.Parallel()
	for name, interrupt := range map[string]syscall.Signal{"Ctrl-C": syscall.SIGINT, "SIGTERM to all": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, After: true, Delay: 4 * time.Second}) // until the interrupt has arrived, on a busy machine too
			f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, After: true, Hang: true})
			w := f.workspace(f.provider("max_concurrent_requests = 2", `request_timeout = "7s"`) + `
resource "dataplatform_api_key" "row" {
  count          = 4
  name           = "key-${count.index}"
  roles          = ["admin"]
  validity_hours = 9
}
`)
			out := w.interrupted(interrupt, 2, 4)
			held, _ := w.keys()
			if len(held) != 1 || len(f.Keys()) != 2 || f.Count("POST", "") != 2 {
				t.Errorf("state holds %v, %d created by %d requests, want two requests and one response\n%s", held, len(f.Keys()), f.Count("POST", ""), out)
			}
			wantText(t, out, "no response within request_timeout (7s)", `name "key-`, "revoke it")
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
