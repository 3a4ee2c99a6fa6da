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

// standardError makes the workspace's provider one whose standard error goes
// into a file as well as to terraform, and returns the file.
func (w *workspace) standardError() string {
	w.t.Helper()
	folder := filepath.Join(w.Dir, "provider")
	if err := os.Mkdir(folder, 0o700); err != nil {
		w.t.Fatal(err)
	}
	file := filepath.Join(w.Dir, "stderr")
	script := fmt.Sprintf("#!/bin/sh\nexec %q \"$@\" 2>>%q\n", filepath.Join(terraformtest.Built(w.t), "terraform-provider-dataplatform"), file)
	if err := os.WriteFile(filepath.Join(folder, "terraform-provider-dataplatform"), []byte(script), 0o700); err != nil {
		w.t.Fatal(err)
	}
	rc, err := os.ReadFile(filepath.Join(w.Dir, "terraform.rc"))
	if err != nil {
		w.t.Fatal(err)
	}
	w.File("terraform.rc", strings.ReplaceAll(string(rc), terraformtest.Built(w.t), folder))
	return file
}

func TestLogsAreSilentUnlessAskedFor(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(plainProvider + fmt.Sprintf("resource \"dataplatform_pipe\" \"this\" {\n  service_id = %q\n  pipe_id    = %q\n  name       = \"orders\"\n}\n", mockplatform.ServiceID, mockplatform.KafkaPipeID))
	file := w.standardError()
	w.Apply()
	if quiet, err := os.ReadFile(file); err != nil || len(quiet) > 0 {
		t.Errorf("a quiet run wrote %d bytes to standard error (%v):\n%.1000s", len(quiet), err, quiet)
	}

	w.Env = append(w.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(w.Dir, "log"))
	w.Apply()
	loud, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`"@level":"trace"`,
		`"@module":"sdk.proto"`, `"@module":"sdk.framework"`, `"@module":"dataplatform"`,
		"Received request", `"tf_rpc":"ReadResource"`, `"tf_rpc":"PlanResourceChange"`, "Data Platform request",
	} {
		if !strings.Contains(string(loud), line) {
			t.Errorf("no %s in the log of a run with TF_LOG=TRACE", line)
		}
	}
}
