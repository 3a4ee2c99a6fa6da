package provider

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
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

// The connection string of an object storage is sensitive, and the mappings of a Postgres
// source are a set.
func TestAccPipeDataSourceKinds(t *testing.T) {
	f := newFixture(t)
	const this = "data.dataplatform_pipe.this"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: f.providers(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_4_6)}, // its states say what is sensitive
		Steps: []resource.TestStep{
			{
				Config: f.provider() + pipeDataConfig(mockplatform.ServiceID, mockplatform.ObjectStoragePipeID),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectSensitiveValue(this, tfjsonpath.New("source").AtMapKey("object_storage").AtMapKey("connection_string")),
					statecheck.ExpectKnownValue(this, tfjsonpath.New("source").AtMapKey("kafka"), knownvalue.Null()),
				},
			},
			{
				Config: f.provider() + pipeDataConfig(mockplatform.ServiceID, mockplatform.PostgresPipeID),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(this, tfjsonpath.New("source").AtMapKey("postgres").AtMapKey("table_mappings"), knownvalue.SetSizeExact(3)),
				},
			},
			{
				Config:      f.provider() + pipeDataConfig(mockplatform.ServiceID, "49999999-0000-4000-8000-000000000009"),
				ExpectError: regexp.MustCompile(`Cannot read pipe`),
			},
		},
	})
	f.wantWrites()
}
