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
	settings map[string]string
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
		problem = (&organization{settings: settings}).probe(context.Background(), os.Getenv(alertVariable))
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
func acceptanceSettings(getenv func(string) string) (map[string]string, string) {
	var invalid diag.Diagnostics
	set := readSettings(tfvalue.Null(schemasOnce().Provider.ValueType()), getenv, &invalid)
	if invalid.HasError() {
		return nil, invalid[0].Detail() + " Nothing was sent."
	}
	for _, api := range []struct{ settings, variables []string }{
		{[]string{"base_url", "organization_id", "key_id", "key_secret"}, []string{serviceVariable, pipesVariable, keyVariable}},
		{[]string{"alerts_base_url", "alerts_access_token"}, []string{alertVariable}},
	} {
		var missing []string
		for _, name := range api.settings {
			if set.values[name] == "" {
				missing = append(missing, conn.Environment(name))
			}
		}
		asked := slices.ContainsFunc(api.variables, func(name string) bool { return getenv(name) != "" })
		if len(missing) > 0 && (asked || len(missing) < len(api.settings)) {
			return nil, "Not set: " + strings.Join(missing, ", ") + ". Nothing was sent."
		}
	}
	if set.values["base_url"] == "" && set.values["alerts_base_url"] == "" {
		return nil, "Neither DATAPLATFORM_BASE_URL nor DATAPLATFORM_ALERTS_BASE_URL is set. CONTRIBUTING.md lists the variables, and those that name what may be changed."
	}
	const id = `[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`
	const pipe = id + "/" + id
	for variable, form := range map[string]string{serviceVariable: id, pipesVariable: pipe + `(\s*,\s*` + pipe + ")*", keyVariable: "1"} {
		if value := getenv(variable); !regexp.MustCompile("^(" + form + ")?$").MatchString(value) {
			return nil, fmt.Sprintf("%s = %q is not valid. CONTRIBUTING.md has its form. Nothing was sent.", variable, value)
		}
	}
	return set.values, ""
}

// probe reads from each API that is configured, and returns why that fails.
func (o *organization) probe(ctx context.Context, alert string) string {
	var paths []string
	if o.settings["base_url"] != "" {
		paths = append(paths, o.services())
	}
	if alert != "" {
		paths = append(paths, alertPath(alert))
	}
	for _, path := range paths {
		if _, err := o.send(ctx, http.MethodGet, path, nil); err != nil {
			return fmt.Sprintf("Check the address, the IDs and the credentials. No test ran, and nothing was changed. %v", err)
		}
	}
	return ""
}

// newPlatform returns a fake of the test's own or, under TF_ACC, the organization.
func newPlatform(t *testing.T) *organization {
	t.Helper()
	needTerraform(t)
	switch {
	case run == nil:
		return newFixture(t).organization()
	case len(run.standing) > 0:
		t.Skip("an earlier test could not put back what it changed")
	case run.interrupted.Load():
		t.Skip("interrupted")
	}
	return &organization{t: t, settings: run.settings}
}

// variable is what a variable names, or what a fake has instead. Without either, the test
// is skipped.
func (o *organization) variable(name, ofFake string) string {
	o.t.Helper()
	if o.fake != nil {
		return ofFake
	}
	value := os.Getenv(name)
	if value == "" {
		o.t.Skipf("%s is not set", name)
	}
	return value
}

// service is a service whose scaling the test may change.
func (o *organization) service() *subject {
	o.t.Helper()
	s := o.theService(o.variable(serviceVariable, mockplatform.ServiceID)).examined()
	if s.before[s.field] == nil {
		s.t.Skipf("service %s returns no %s", s.id, s.field)
	}
	return s
}

// eachPipe runs a test on each pipe that it may change; on a fake, the one with a Kafka
// source.
func eachPipe(t *testing.T, test func(pipe *subject)) {
	t.Helper()
	o := newPlatform(t)
	if o.fake != nil {
		test(o.thePipe(mockplatform.ServiceID, mockplatform.KafkaPipeID))
		return
	}
	for pipe := range strings.SplitSeq(o.variable(pipesVariable, ""), ",") {
		service, id, _ := strings.Cut(strings.TrimSpace(pipe), "/")
		t.Run(id, func(t *testing.T) {
			o := newPlatform(t)
			if named := os.Getenv(serviceVariable); named != "" {
				o.theService(named).examined() // what it risks is less
			}
			s := o.thePipe(service, id)
			if resets := run.learned.resets; resets != "" {
				run.learned.note("pipe", s.before)
				t.Skipf("a PATCH of %s reset what it omits, so no pipe is changed any more", resets)
			}
			test(s.examined())
		})
	}
}

// examined answers the open questions about an object, the first time that a run on an
// organization is about to change it, and puts it back.
func (s *subject) examined() *subject {
	s.t.Helper()
	if s.fake != nil || run.learned.asked[s.id] {
		return s
	}
	run.learned.about(s)
	if err := s.putBack(s.t.Context()); err != nil {
		s.t.Fatal("cannot go on: ", err) // the test's end reports it
	}
	return s
}

// provider is the provider block. That of an organization is empty: its settings come
// from the environment, and no file has them.
func (o *organization) provider() string {
	if o.fake != nil {
		return o.fake.provider()
	}
	return plainProvider + "provider \"dataplatform\" {}\n"
}

// providers are the ProtoV6ProviderFactories of a test.
func providers(t *testing.T) map[string]func() (tfprotov6.ProviderServer, error) {
	t.Helper()
	needTerraform(t)
	return map[string]func() (tfprotov6.ProviderServer, error){
		"dataplatform": func() (tfprotov6.ProviderServer, error) { return serverOf(newProvider("test")), nil },
	}
}

// received is a PostApplyFunc: it fails the test unless the fake was sent exactly these
// bodies in the step. What an organization was sent, nobody can say.
func (o *organization) received(bodies ...string) func() {
	if o.fake == nil {
		return nil
	}
	return func() {
		o.t.Helper()
		o.fake.wantWrites(bodies...)
	}
}
