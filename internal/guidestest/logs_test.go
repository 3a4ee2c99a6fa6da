package guidestest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// TestQuietRunsLogNothing reads what the provider writes to standard error where TF_LOG is
// not set: Terraform would drop it, and half of the provider's time would go into it.
// TestCanaries reads the log of a run at TRACE.
func TestQuietRunsLogNothing(t *testing.T) {
	w := newWorkspace(t, plainProvider+pipeBlock("orders", mockplatform.KafkaPipeID, "  name = \"orders\"\n"))
	const program = "terraform-provider-dataplatform"
	script := fmt.Sprintf("#!/bin/sh\nexec %q \"$@\" 2>>%q\n", filepath.Join(terraformtest.Built(t), program), filepath.Join(w.Dir, "stderr"))
	if err := os.WriteFile(filepath.Join(w.Dir, program), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	w.edit("terraform.rc", terraformtest.Built(t), w.Dir)
	w.Apply()
	if written := w.Read("stderr"); written != "" {
		t.Errorf("%d bytes on standard error:\n%.1000s", len(written), written)
	}
}

// pipeBlock is a resource block for a pipe of the first service.
func pipeBlock(name, id, arguments string) string {
	return fmt.Sprintf("resource \"dataplatform_pipe\" %q {\n  service_id = %q\n  pipe_id    = %q\n%s}\n", name, mockplatform.ServiceID, id, arguments)
}
