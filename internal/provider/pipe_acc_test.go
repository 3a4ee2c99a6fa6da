package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// What a user of dataplatform_pipe, and of the data source, sees.

func TestAccPipeAdoption(t *testing.T) { eachPipe(t, (*subject).testAdoption) }

func TestAccPipeImport(t *testing.T) { eachPipe(t, (*subject).testImport) }

func TestAccPipeIdentity(t *testing.T) { eachPipe(t, (*subject).testIdentity) }

// Every pipe can be read, of whatever kind.
func TestAccPipeDataSource(t *testing.T) {
	const this = "data.dataplatform_pipe.this"
	eachPipe(t, func(s *subject) {
		resource.Test(s.t, resource.TestCase{
			ProtoV6ProviderFactories: providers(s.t),
			Steps: []resource.TestStep{{
				Config: s.provider() + fmt.Sprintf("data \"dataplatform_pipe\" \"this\" {\n  service_id = %q\n  pipe_id    = %q\n}\n", s.ids[0][1], s.id),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(this, tfjsonpath.New("name"), exactly(s.before["name"])),
					statecheck.ExpectKnownValue(this, tfjsonpath.New("state"), exactly(s.before["state"])),
				},
				PostApplyFunc: s.received(),
			}},
		})
	})
}
