// Package guidestest does what a reader of the documentation does, with a real Terraform,
// the built provider and the fake platform. An example, a snippet or a command that stops
// working fails its test.
package guidestest

import (
	"net/http/httptest"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

func TestMain(m *testing.M) {
	terraformtest.Isolate("TF_", "DATAPLATFORM_")
	// Most of what runs is a terraform that ends before its memory matters.
	_ = os.Setenv("GOGC", "400")
	debug.SetGCPercent(400)
	code := m.Run()
	terraformtest.RemoveBuilt()
	os.Exit(code)
}

var (
	folded       = terraformtest.Folded
	programUnder = terraformtest.ProgramUnder
	skipIfTooOld = terraformtest.SkipIfTooOld
	wantText     = terraformtest.WantText
	wantNoText   = terraformtest.WantNoText
)

// fixture is one test's own platform.
type fixture struct {
	t *testing.T
	*mockplatform.Server
	url string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	t.Parallel()
	platform := mockplatform.New(mockplatform.DefaultSeed())
	server := httptest.NewServer(platform)
	t.Cleanup(server.Close)
	return &fixture{t, platform, server.URL}
}

// writes are the bodies of the requests so far that change something.
func (f *fixture) writes() (bodies []string) {
	for _, r := range f.Requests() {
		if r.Method != "GET" {
			bodies = append(bodies, r.Body)
		}
	}
	return bodies
}

// wantWrites compares the bodies of all writes since the journal was reset, and resets it.
func (f *fixture) wantWrites(want ...string) {
	f.t.Helper()
	if got := f.writes(); !slices.Equal(got, want) {
		f.t.Errorf("writes are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	f.ResetJournal()
}

// workspace has the settings of the provider in the environment, as the documentation
// shows them.
type workspace struct {
	*fixture
	*terraformtest.Workspace
}

func (f *fixture) workspace(config string) *workspace {
	f.t.Helper()
	return (&workspace{f, terraformtest.NewWorkspace(f.t, config)}).setenv(
		"DATAPLATFORM_BASE_URL="+f.url,
		"DATAPLATFORM_ORGANIZATION_ID="+mockplatform.OrganizationID,
		"DATAPLATFORM_KEY_ID=demo-key-id",
		"DATAPLATFORM_KEY_SECRET=demo-key-secret",
		"DATAPLATFORM_ALERTS_BASE_URL="+f.url,
		"DATAPLATFORM_ALERTS_ACCESS_TOKEN=demo-alerts-token",
		"DATAPLATFORM_REQUEST_TIMEOUT=20s",
		"DATAPLATFORM_RETRY_TIMEOUT=5s",
		"DATAPLATFORM_MAX_CONCURRENT_REQUESTS=3",
	)
}

// setenv adds variables to those of what the workspace runs.
func (w *workspace) setenv(variables ...string) *workspace {
	w.Env = append(slices.Clip(w.Env), variables...)
	return w
}

const plainProvider = `
terraform {
  required_providers {
    dataplatform = { source = "dataplatform/dataplatform" }
  }
}
`

// fileText is the content of a file.
func fileText(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
