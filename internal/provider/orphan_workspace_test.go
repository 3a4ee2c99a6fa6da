//go:build unix

package provider

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// A provider whose Terraform was killed in an apply finishes the PATCH that it has sent, and ends.
func TestTerraformIsKilled(t *testing.T) {
	f := newFixture(t)
	killed := make(chan struct{})
	f.Inject(mockplatform.Fault{Method: "PATCH", Edit: func(mockplatform.Document) { <-killed }})
	w := f.workspace(f.provider() + `
resource "dataplatform_pipe" "row" {
  service_id = "` + mockplatform.ServiceID + `"
  pipe_id    = "` + mockplatform.KafkaPipeID + `"
  name       = "after"
}
`).traced()
	command := w.Command(t.Context(), "apply", "-auto-approve", "-input=false", "-no-color")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "a PATCH", func() bool { return f.Count("PATCH", "") == 1 })
	_ = command.Process.Kill()
	_ = command.Wait()
	log, _ := os.ReadFile(filepath.Join(w.Dir, "trace.log"))
	started := regexp.MustCompile(`plugin started: .*pid=(\d+)`).FindAllSubmatch(log, -1)
	provider, err := strconv.Atoi(string(started[len(started)-1][1]))
	if err != nil || syscall.Kill(provider, 0) != nil {
		t.Fatalf("the provider %d has not waited for the response: %v", provider, err)
	}
	close(killed)
	waitFor(t, "the end of the provider", func() bool { return syscall.Kill(provider, 0) != nil })
	if n := f.Count("", ""); n != f.Count("GET", "")+1 {
		t.Errorf("%d requests: %v", n, f.Requests())
	}
}
