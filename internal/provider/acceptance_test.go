package provider

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// What acceptance tests have in common. They are in a file for each noun (*_acc_test.go),
// and run a real Terraform through terraform-plugin-testing, with the provider in this
// process. A test asks for the platform that it needs:
//
//   - newFixture is a fake of its own. On an organization the test is skipped.
//   - newPlatform is a fake of its own, too, and under TF_ACC the organization. The test
//     then asks for each object that it reads or changes, and is skipped if no variable
//     names one. What it changed is put back when it ends, however it ends.

// The variables that say what a run on an organization may touch.
const (
	serviceVariable = "DATAPLATFORM_TEST_SERVICE_ID"
	pipesVariable   = "DATAPLATFORM_TEST_PIPE_IDS"
	alertVariable   = "DATAPLATFORM_TEST_ALERT_ID"
	keyVariable     = "DATAPLATFORM_TEST_CREATE_KEY"
)

// run is the run on an organization; nil otherwise.
var run *organizationRun

// organizationRun is what the tests of a run on an organization share. They do not run
// in parallel.
type organizationRun struct {
	settings organizationSettings
	learned  *findings
	// standing has what could not be put back. After that, no test changes anything.
	standing    []string
	interrupted atomic.Bool
}

// runOnOrganization runs the acceptance tests, and ends with what it learned. It does not
// begin with settings that are incomplete or rejected.
func runOnOrganization(m *testing.M) int {
	settings, problem := acceptanceSettings(os.Getenv)
	if problem == "" && os.Getenv("TF_ACC_TERRAFORM_PATH") == "" {
		problem = "No terraform is on PATH, and TF_ACC_TERRAFORM_PATH is not set."
	}
	if problem == "" {
		problem = settings.probe(context.Background(), os.Getenv(alertVariable))
	}
	if problem != "" {
		fmt.Fprintln(os.Stderr, problem)
		return 1
	}
	run = &organizationRun{settings: settings, learned: newFindings()}
	// The other tests have platforms of their own, and are not for the shell's settings.
	_ = flag.Set("test.skip", "^(Test([^A]|A[^c]|Ac[^c])|Example|Fuzz)")
	// A test that is killed puts nothing back.
	_ = flag.Set("test.timeout", "0")
	if os.Getenv(conn.Environment("retry_timeout")) == "" {
		_ = os.Setenv(conn.Environment("retry_timeout"), "1m")
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	go func() {
		for range interrupts {
			run.interrupted.Store(true)
			fmt.Fprintln(os.Stderr, "Interrupted. The test that is running ends first, and puts back what it changed. The others are skipped.")
		}
	}()
	code := m.Run()
	for _, line := range run.learned.lines() {
		fmt.Println(line)
	}
	for _, line := range run.standing {
		fmt.Println("LEFT CHANGED: " + line)
	}
	if run.interrupted.Load() {
		return 1
	}
	return code
}

// acceptanceSettings are the settings of a run on an organization, or what is wrong with
// them. One of the two APIs is enough.
func acceptanceSettings(getenv func(string) string) (organizationSettings, string) {
	var invalid diag.Diagnostics
	set := readSettings(tfvalue.Of(providerConfig(nil)), getenv, &invalid)
	if invalid.HasError() {
		return nil, invalid[0].Detail() + " Nothing was sent."
	}
	var lacking []string
	for _, api := range []struct{ settings, variables []string }{
		{[]string{"base_url", "organization_id", "key_id", "key_secret"}, []string{serviceVariable, pipesVariable, keyVariable}},
		{[]string{"alerts_base_url", "alerts_access_token"}, []string{alertVariable}},
	} {
		missing := slices.DeleteFunc(slices.Clone(api.settings), func(name string) bool { return set.values[name] != "" })
		asked := slices.ContainsFunc(api.variables, func(name string) bool { return getenv(name) != "" })
		if asked || len(missing) < len(api.settings) {
			lacking = append(lacking, missing...)
		}
	}
	for i, name := range lacking {
		lacking[i] = conn.Environment(name)
	}
	switch {
	case len(lacking) > 0:
		return nil, "Not set: " + strings.Join(lacking, ", ") + ". Nothing was sent."
	case set.values["base_url"] == "" && set.values["alerts_base_url"] == "":
		return nil, "Neither DATAPLATFORM_BASE_URL nor DATAPLATFORM_ALERTS_BASE_URL is set. CONTRIBUTING.md lists the variables, and those that name what may be changed."
	}
	const id = `[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`
	for variable, form := range map[string][2]string{
		serviceVariable: {id, "a UUID"},
		pipesVariable:   {id + "/" + id + `(\s*,\s*` + id + "/" + id + ")*", "SERVICE_ID/PIPE_ID, and several separated by commas"},
		keyVariable:     {"1", "1"},
	} {
		if value := getenv(variable); value != "" && !regexp.MustCompile("^("+form[0]+")$").MatchString(value) {
			return nil, fmt.Sprintf("%s must be %s, got %q.", variable, form[1], value)
		}
	}
	return set.values, ""
}

// pipesNamed splits the IDs of pipes into those of service and pipe.
func pipesNamed(variable string) (pipes [][2]string) {
	for text := range strings.SplitSeq(variable, ",") {
		if service, pipe, ok := strings.Cut(strings.TrimSpace(text), "/"); ok {
			pipes = append(pipes, [2]string{service, pipe})
		}
	}
	return pipes
}

// probe reads from each API that is configured, and returns why that fails.
func (s organizationSettings) probe(ctx context.Context, alert string) string {
	var paths []string
	if s["base_url"] != "" {
		paths = append(paths, s.services())
	}
	if alert != "" {
		paths = append(paths, alertPath(alert))
	}
	for _, path := range paths {
		got, err := s.send(ctx, http.MethodGet, path, nil)
		switch {
		case err == nil:
		case got.status == http.StatusUnauthorized || got.status == http.StatusForbidden:
			return fmt.Sprintf("The platform rejected the credentials. No test ran, and nothing was changed. %v", err)
		default:
			return fmt.Sprintf("Check the address and the IDs. No test ran, and nothing was changed. %v", err)
		}
	}
	return ""
}

// testPlatform is the platform of a test that can run on an organization, too.
type testPlatform struct {
	*organization
	fake *fixture // nil on an organization
}

// newPlatform returns a fake of the test's own or, under TF_ACC, the organization.
func newPlatform(t *testing.T) *testPlatform {
	t.Helper()
	needTerraform(t)
	if run == nil {
		f := newFixture(t)
		return &testPlatform{fake: f, organization: f.organization()}
	}
	switch {
	case len(run.standing) > 0:
		t.Skip("an earlier test could not put back what it changed")
	case run.interrupted.Load():
		t.Skip("interrupted")
	}
	return &testPlatform{organization: run.settings.in(t)}
}

// newManagement returns a platform whose management API can be read.
func newManagement(t *testing.T) *testPlatform {
	t.Helper()
	p := newPlatform(t)
	if p.organizationSettings["base_url"] == "" {
		t.Skip("DATAPLATFORM_BASE_URL is not set")
	}
	return p
}

// variable is what a variable names, or what a fake has instead. Without either, the test
// is skipped.
func (p *testPlatform) variable(name, ofFake string) string {
	p.t.Helper()
	if p.fake != nil {
		return ofFake
	}
	value := os.Getenv(name)
	if value == "" {
		p.t.Skipf("%s is not set", name)
	}
	return value
}

// service is a service whose scaling the test may change.
func (p *testPlatform) service() *subject {
	p.t.Helper()
	s := p.theService(p.variable(serviceVariable, mockplatform.ServiceID))
	p.examined(s)
	return s
}

// eachPipe runs a test on each pipe that it may change; on a fake, the one with a Kafka
// source.
func eachPipe(t *testing.T, test func(p *testPlatform, service string, pipe *subject)) {
	t.Helper()
	p := newPlatform(t)
	pipes := pipesNamed(p.variable(pipesVariable, mockplatform.ServiceID+"/"+mockplatform.KafkaPipeID))
	if p.fake != nil {
		test(p, pipes[0][0], p.thePipe(pipes[0][0], pipes[0][1]))
		return
	}
	for _, ids := range pipes {
		t.Run(ids[1], func(t *testing.T) {
			p := newPlatform(t)
			if service := os.Getenv(serviceVariable); service != "" && !run.learned.asked[service] {
				p.examined(p.theService(service)) // what it risks is less
			}
			if resets := run.learned.resets; resets != "" {
				run.learned.read(p.organization, "pipe", p.services()+"/"+ids[0]+"/pipes/"+ids[1])
				t.Skipf("a PATCH of %s reset what it omits, so no pipe is changed any more", resets)
			}
			s := p.thePipe(ids[0], ids[1])
			p.examined(s)
			test(p, ids[0], s)
		})
	}
}

// examined answers the open questions about an object, the first time that a run on an
// organization is about to change it, and puts it back.
func (p *testPlatform) examined(s *subject) {
	p.t.Helper()
	if p.fake != nil || run.learned.asked[s.id] {
		return
	}
	run.learned.about(s)
	if err := s.putBack(p.t.Context()); err != nil {
		p.t.Fatal("cannot go on: ", err) // the test's end reports it
	}
}

// standsChanged fails a test for what it could not put back.
func standsChanged(t *testing.T, err error) {
	t.Helper()
	t.Error(err)
	if run != nil {
		run.standing = append(run.standing, err.Error())
	}
}

// provider is the provider block. That of an organization is empty: its settings come
// from the environment, and no file has them.
func (p *testPlatform) provider() string {
	if p.fake != nil {
		return p.fake.provider()
	}
	return plainProvider + "provider \"dataplatform\" {}\n"
}

func (p *testPlatform) providers() map[string]func() (tfprotov6.ProviderServer, error) {
	return providersAt(time.Now)
}

// providers are the ProtoV6ProviderFactories of a test.
func (f *fixture) providers() map[string]func() (tfprotov6.ProviderServer, error) {
	f.t.Helper()
	needTerraform(f.t)
	return providersAt(f.now)
}

func providersAt(now func() time.Time) map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){
		"dataplatform": func() (tfprotov6.ProviderServer, error) {
			return serverOf(&dataplatformProvider{version: "test", now: now}), nil
		},
	}
}

// received is a PostApplyFunc: it fails the test unless the fake was sent exactly these
// bodies in the step. What an organization was sent, nobody can say.
func (p *testPlatform) received(bodies ...string) func() {
	if p.fake == nil {
		return nil
	}
	return p.fake.received(bodies...)
}

func (f *fixture) received(bodies ...string) func() {
	return func() {
		f.t.Helper()
		f.wantWrites(bodies...)
	}
}
