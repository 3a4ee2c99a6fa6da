package guidestest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// TestLogsAreSilentUnlessAskedFor reads what the provider writes to standard error.
func TestLogsAreSilentUnlessAskedFor(t *testing.T) {
	w := newWorkspace(t, plainProvider+pipeBlock("orders", mockplatform.KafkaPipeID, "  name = \"orders\"\n"))
	const program = "terraform-provider-dataplatform"
	script := fmt.Sprintf("#!/bin/sh\nexec %q \"$@\" 2>>%q\n", filepath.Join(terraformtest.Built(t), program), filepath.Join(w.Dir, "stderr"))
	if err := os.WriteFile(filepath.Join(w.Dir, program), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	w.edit("terraform.rc", terraformtest.Built(t), w.Dir)
	w.Apply()
	if quiet := w.Read("stderr"); quiet != "" {
		t.Errorf("a quiet run wrote %d bytes to standard error:\n%.1000s", len(quiet), quiet)
	}
	w.setenv("TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(w.Dir, "log")).Apply()
	loud := w.Read("stderr")
	for _, text := range []string{`"@level":"trace"`, `"@module":"sdk.proto"`, `"@module":"sdk.framework"`, "Data Platform request"} {
		if !strings.Contains(loud, text) {
			t.Errorf("no %s in the log of a run with TF_LOG=TRACE", text)
		}
	}
}
