package provider

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// An interrupt while the platform is slow: what was sent runs to its end and
// its secret is in the state, what was not sent never is, and the next apply
// makes only that.
func TestAPIKeyInterrupt(t *testing.T) {
	interrupt := func(send func(process int)) func(t *testing.T) {
		return func(t *testing.T) {
			f := newFixture(t)
			f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, After: true, Delay: 2 * time.Second, Times: mockplatform.Always})
			w := f.workspace(f.provider("max_concurrent_requests = 2") + `
resource "dataplatform_api_key" "row" {
  count          = 4
  name           = "key-${count.index}"
  roles          = ["admin"]
  validity_hours = 9
}
`)
			out, took := w.interrupted(send)
			t.Logf("ended %s after the interrupt", took)
			held := w.keys()
			if len(held) != 2 || len(f.Keys()) != 2 || f.Count("POST", "") != 2 {
				t.Errorf("%d in the state, %d made, %d requests, want 2 of each\n%s", len(held), len(f.Keys()), f.Count("POST", ""), out)
			}
			for _, key := range f.Keys() {
				result := key["result"].(mockplatform.Document)
				address := fmt.Sprintf("dataplatform_api_key.row[%s]", strings.TrimPrefix(key["request"].(mockplatform.Document)["name"].(string), "key-"))
				if got := held[address]; got.secret != result["keySecret"] || got.keyID != result["keyId"] || got.tainted {
					t.Errorf("%s: state holds %+v, the platform made %v", address, got, result)
				}
			}
			f.ClearFaults()
			w.apply()
			w.wantEmptyPlan()
			if len(f.Keys()) != 4 {
				t.Errorf("%d keys in the end, want 4", len(f.Keys()))
			}
		}
	}
	t.Run("SIGINT to terraform", interrupt(func(pid int) { _ = syscall.Kill(pid, syscall.SIGINT) }))
	t.Run("SIGTERM to terraform", interrupt(func(pid int) { _ = syscall.Kill(pid, syscall.SIGTERM) }))
	t.Run("SIGINT to all", interrupt(func(pid int) { _ = syscall.Kill(-pid, syscall.SIGINT) })) // Ctrl-C in a terminal
	t.Run("SIGTERM to all", interrupt(func(pid int) { _ = syscall.Kill(-pid, syscall.SIGTERM) }))
}

// An interrupt while the platform doesn't answer at all ends with
// request_timeout, and with the error of an ambiguous end.
func TestAPIKeyInterruptWithoutAnswer(t *testing.T) {
	f := newFixture(t)
	f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, After: true, Hang: true, Times: mockplatform.Always})
	w := f.workspace(f.provider(`request_timeout = "3s"`) + `
resource "dataplatform_api_key" "this" {
  name           = "n"
  roles          = ["admin"]
  validity_hours = 9
}
`)
	out, took := w.interrupted(func(pid int) { _ = syscall.Kill(-pid, syscall.SIGINT) })
	t.Logf("ended %s after the interrupt", took)
	if took > 20*time.Second || f.Count("POST", "") != 1 || len(w.keys()) != 0 {
		t.Errorf("after %s, %d requests, state holds %v", took, f.Count("POST", ""), w.keys())
	}
	wantText(t, out, `no response within request_timeout (3s)`, `name "n", organization `+mockplatform.OrganizationID+`, roles admin, expiry `, "revoke it")
}

// interrupted applies in a process group of its own and interrupts it once the
// platform has made a key.
func (w *workspace) interrupted(send func(pid int)) (out string, took time.Duration) {
	w.t.Helper()
	command := w.command(w.t.Context(), "apply", "-auto-approve", "-no-color")
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { end(command) })
	for deadline := time.Now().Add(time.Minute); len(w.Keys()) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatal("no key was asked for")
		}
	}
	time.Sleep(500 * time.Millisecond) // the others are under way, too
	begun := time.Now()
	send(command.Process.Pid)
	_ = command.Wait()
	return folded(output.String()), time.Since(begun)
}

func end(command *exec.Cmd) {
	if command.ProcessState == nil {
		_ = command.Process.Kill()
	}
}
