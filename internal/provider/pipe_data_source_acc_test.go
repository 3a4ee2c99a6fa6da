package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// What a user of data.dataplatform_pipe sees.

func pipeDataConfig(service, id string) string {
	return fmt.Sprintf("data \"dataplatform_pipe\" \"this\" {\n  service_id = %q\n  pipe_id    = %q\n}\n", service, id)
}

// Every pipe can be read, of whatever kind.
func TestAccPipeDataSource(t *testing.T) {
	const this = "data.dataplatform_pipe.this"
	eachPipe(t, func(p *testPlatform, service string, s *subject) {
		resource.Test(p.t, resource.TestCase{
			ProtoV6ProviderFactories: p.providers(),
			Steps: []resource.TestStep{{
				Config: p.provider() + pipeDataConfig(service, s.id),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(this, tfjsonpath.New("pipe_id"), knownvalue.StringExact(s.id)),
					statecheck.ExpectKnownValue(this, tfjsonpath.New("name"), returned(s.before["name"])),
					statecheck.ExpectKnownValue(this, tfjsonpath.New("state"), returned(s.before["state"])),
				},
				PostApplyFunc: p.received(),
			}},
		})
	})
}
