package provider

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// TestMain makes the outcome of the tests independent of what the shell has set, and
// nothing has to be set to run them: terraform is taken from PATH, or from
// TF_ACC_TERRAFORM_PATH. Under TF_ACC, only the acceptance tests run, on the organization
// that the shell's DATAPLATFORM_* variables name.
func TestMain(m *testing.M) {
	prefixes := []string{"TF_", "DATAPLATFORM_"}
	organization := os.Getenv(resource.EnvTfAcc) != ""
	if organization {
		prefixes = prefixes[:1]
	}
	terraformtest.Isolate(prefixes...)
	// terraform-plugin-testing asks for these. What the acceptance tests may touch is
	// decided here and in newPlatform.
	_ = os.Setenv(resource.EnvTfAcc, "1")
	_ = os.Setenv(resource.EnvTfAccProviderNamespace, "dataplatform")
	if program, err := terraformtest.ProgramUnderTest(); err == nil {
		_ = os.Setenv(resource.EnvTfAccProviderHost, program.RegistryHost())
	}
	tests := m.Run
	if organization {
		tests = func() int { return runOnOrganization(m) }
	}
	terraformtest.Run(tests)
}

var (
	folded        = terraformtest.Folded
	needTerraform = terraformtest.NeedTerraform
	wantText      = terraformtest.WantText
	wantNoText    = terraformtest.WantNoText
)

// fixture is one test's own platform, and the provider before it.
type fixture struct {
	t *testing.T
	*mockplatform.Server
	url     string
	random  func() float64 // of waits
	seal    func(secret string, recipients []sealing.Recipient) (string, error)
	network *mockplatform.Memory
	handle  http.HandlerFunc // of the network, if not ServeHTTP
}

// newFixture starts a platform that the test shares with no other.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	return newFixtureOf(t, mockplatform.DefaultSeed())
}

// newFixtureOf starts a platform with a seed of the test's own.
func newFixtureOf(t *testing.T, seed mockplatform.Seed) *fixture {
	t.Helper()
	if run != nil {
		t.Skip("runs on a fake platform alone, with make test")
	}
	t.Parallel()
	platform := mockplatform.New(seed)
	server := httptest.NewServer(platform)
	t.Cleanup(server.Close)
	return &fixture{t: t, Server: platform, url: server.URL, seal: sealing.Seal}
}

// inBubble runs a test with a platform in memory, in the time of a synctest bubble, for
// played resources: time passes when nothing else happens, and waits cost none.
func inBubble(test func(t *testing.T, f *fixture)) func(t *testing.T) {
	return func(t *testing.T) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			f := newMemory(t, mockplatform.DefaultSeed())
			f.handle = f.ServeHTTP
			stop := f.network.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f.handle(w, r) }))
			t.Cleanup(func() {
				time.Sleep(time.Hour) // in which a list ends that nobody waits for any longer
				stop()
				synctest.Wait()
			})
			test(t, f)
		})
	}
}

// newMemory is a platform in memory, which nothing serves yet.
func newMemory(t *testing.T, seed mockplatform.Seed) *fixture {
	return &fixture{t: t, Server: mockplatform.New(seed), url: "http://127.0.0.1", seal: sealing.Seal, network: new(mockplatform.Memory)}
}

// provider is the provider block, with further arguments.
func (f *fixture) provider(arguments ...string) string {
	for name, value := range f.organization().settings {
		arguments = append(arguments, fmt.Sprintf("%s = %q", name, value))
	}
	return plainProvider + "provider \"dataplatform\" {\n  " + strings.Join(arguments, "\n  ") + "\n}\n"
}

// wantWrites compares the bodies of all writes since the journal was reset,
// as JSON, and resets it.
func (f *fixture) wantWrites(want ...string) {
	f.t.Helper()
	got := f.Writes()
	f.ResetJournal()
	list := func(bodies []string) string { return toJSON(f.t, fromJSON(f.t, "["+strings.Join(bodies, ",")+"]")) }
	if list(got) != list(want) {
		f.t.Errorf("sent\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// workspace is a directory in which the real terraform runs the built provider.
type workspace struct {
	*fixture
	*terraformtest.Workspace
}

func (f *fixture) workspace(config string) *workspace {
	f.t.Helper()
	return &workspace{f, terraformtest.NewWorkspace(f.t, config)}
}
