package provider

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

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
	command := w.Command(t.Context(), "apply", "-auto-approve", "-input=false", "-no-color")
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if command.ProcessState == nil {
			_ = command.Process.Kill()
		}
	})
	waitFor(t, "two keys, and two more that are asked for", func() bool { return len(f.Keys()) == 2 && logged(4, "Received request")() })
	_ = syscall.Kill(-command.Process.Pid, syscall.SIGTERM) // the whole process group, as Ctrl-C does
	waitFor(t, "an error of the two that were not sent", logged(2, "Response contains error diagnostic"))
	close(noticed)
	f.ClearFaults()
	_ = command.Wait()
	out := folded(output.String())
	secrets := func() [][]string {
		return regexp.MustCompile(`"key_secret": "([^"]+)"`).FindAllStringSubmatch(w.Read("terraform.tfstate"), -1)
	}
	held := secrets()
	if len(held) != 1 || len(f.Keys()) != 2 || f.Count("POST", "") != 2 || !strings.Contains(fmt.Sprint(f.Keys()), held[0][1]) {
		t.Errorf("the state has %v, and %d keys were created by %d requests, want two requests and one response\n%s", held, len(f.Keys()), f.Count("POST", ""), out)
	}
	wantText(t, out, "The request was sent, but no complete response arrived", `name "key-`, "revoke it")
	log := w.Read("trace.log")
	wantText(t, log, `revoke it: name "key-`, "organization "+mockplatform.OrganizationID+", roles admin, expiry ")
	if n := strings.Count(log, "Interrupted while an API key is being created"); n < 2 {
		t.Errorf("%d keys are named at the interrupt:\n%s", n, log)
	}
	w.Apply()
	if held := secrets(); len(held) != 4 || len(f.Keys()) != 5 {
		t.Errorf("%d keys in the end and %d in the state, want 5 and 4", len(f.Keys()), len(held))
	}
}

// waitFor waits for what another process does, for up to a minute.
func waitFor(t *testing.T, what string, seen func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !seen(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a minute has passed without " + what)
		}
	}
}
