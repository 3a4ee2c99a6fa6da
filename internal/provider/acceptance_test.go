package provider

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// What acceptance tests have in common. They are in a file for each noun (*_acc_test.go), and run a real Terraform
// through terraform-plugin-testing, with the provider in this process. A test asks for the platform that it needs:
//
//   - newFixture is a fake of its own. On an organization the test is skipped.
//   - newPlatform is a fake of its own, too, and under TF_ACC the organization. The test then asks for each object
//     that it reads or changes, and is skipped if no variable names one. These objects are dedicated to the tests,
//     which put nothing back.

// The variables that say what a run on an organization may touch.
const (
	serviceVariable = "DATAPLATFORM_TEST_SERVICE_ID"
	pipesVariable   = "DATAPLATFORM_TEST_PIPE_IDS"
	alertVariable   = "DATAPLATFORM_TEST_ALERT_ID"
	keyVariable     = "DATAPLATFORM_TEST_CREATE_KEY"
)

// run is the organization that the tests run on; nil if each has a fake. They do not run in parallel then.
var run *organization

// runOnOrganization runs the acceptance tests. It does not begin with settings that are incomplete or rejected.
func runOnOrganization(m *testing.M) int {
	var problems diag.Diagnostics
	set := readSettings(tfvalue.Null(schemasOnce().Provider.ValueType()), os.Getenv, &problems)
	set.checkComplete(&problems)
	run = &organization{settings: set.values}
	if !problems.HasError() && set.values["base_url"] != "" {
		if _, err := run.send(context.Background(), http.MethodGet, run.services(), nil); err != nil {
			problems.AddError("", err.Error())
		}
	}
	if problems.HasError() {
		fmt.Fprintln(os.Stderr, problems[0].Detail(), "No test ran, and nothing was changed.")
		return 1
	}
	// The other tests have platforms of their own, and are not for the shell's settings.
	_ = flag.Set("test.skip", "^(Test([^A]|A[^c]|Ac[^c])|Example|Fuzz)")
	if os.Getenv(conn.Environment("retry_timeout")) == "" {
		_ = os.Setenv(conn.Environment("retry_timeout"), "1m")
	}
	return m.Run()
}

// newPlatform returns a fake of the test's own or, under TF_ACC, the organization.
func newPlatform(t *testing.T) *organization {
	t.Helper()
	needTerraform(t)
	if run == nil {
		return newFixture(t).organization()
	}
	return &organization{t: t, settings: run.settings}
}

// variable is what a variable names, or what a fake has instead. Without either, the test is skipped.
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
	s := o.theService(o.variable(serviceVariable, mockplatform.ServiceID))
	if s.before[s.field] == nil {
		s.t.Skipf("service %s returns no %s", s.id, s.field)
	}
	return s
}

// eachPipe runs a test on each pipe that it may change; on a fake, the one with a Kafka source.
func eachPipe(t *testing.T, test func(pipe *subject)) {
	t.Helper()
	o := newPlatform(t)
	if o.fake != nil {
		test(o.thePipe(mockplatform.ServiceID, mockplatform.KafkaPipeID))
		return
	}
	for pipe := range strings.SplitSeq(o.variable(pipesVariable, ""), ",") {
		service, id, _ := strings.Cut(strings.TrimSpace(pipe), "/")
		t.Run(id, func(t *testing.T) { test(newPlatform(t).thePipe(service, id)) })
	}
}

// provider is the provider block. That of an organization is empty: its settings come from the environment, and no
// file has them.
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

// received is a PostApplyFunc: it fails the test unless the fake was sent exactly these bodies in the step. What an
// organization was sent, nobody can say.
func (o *organization) received(bodies ...string) func() {
	if o.fake == nil {
		return nil
	}
	return func() {
		o.t.Helper()
		o.fake.wantWrites(bodies...)
	}
}
