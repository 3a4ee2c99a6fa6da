package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// What a user of data.dataplatform_services sees.

// All services of an organization are listed, and those that all criteria of a filter select.
func TestAccServicesDataSource(t *testing.T) {
	f := newFixture(t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: f.providers(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_4_6)}, // its states say what is sensitive
		Steps: []resource.TestStep{{
			Config: f.provider() + fmt.Sprintf(`
data "dataplatform_services" "all" {}
data "dataplatform_services" "production" { filter = ["tag:env=production"] }
data "dataplatform_services" "two" { filter = ["tag:team=ingest", "tag:env=production"] }
data "dataplatform_services" "none" { filter = [] }
data "dataplatform_services" "theirs" { organization_id = %q }
output "names" { value = data.dataplatform_services.production.services[*].name }
`, mockplatform.OtherOrganizationID),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.dataplatform_services.all", tfjsonpath.New("services"), knownvalue.ListSizeExact(3)),
				statecheck.ExpectKnownValue("data.dataplatform_services.all", tfjsonpath.New("services").AtSliceIndex(0), knownvalue.ObjectPartial(map[string]knownvalue.Check{
					"id":           knownvalue.StringExact(mockplatform.ServiceID),
					"name":         knownvalue.StringExact("events-eu"),
					"num_replicas": knownvalue.Int64Exact(3),
					"endpoints":    knownvalue.ListSizeExact(1),
				})),
				// Only the map is sensitive: plans over the list can be read.
				statecheck.ExpectKnownValue("data.dataplatform_services.all", tfjsonpath.New("encryption_keys"), knownvalue.MapExact(map[string]knownvalue.Check{
					mockplatform.FullServiceID: knownvalue.StringExact("key:ledger-us/2024"),
				})),
				statecheck.ExpectSensitiveValue("data.dataplatform_services.all", tfjsonpath.New("encryption_keys")),
				statecheck.ExpectKnownOutputValue("names", knownvalue.TupleExact([]knownvalue.Check{knownvalue.StringExact("events-eu"), knownvalue.StringExact("events-eu-readers")})),
				statecheck.ExpectKnownValue("data.dataplatform_services.two", tfjsonpath.New("services"), knownvalue.ListExact([]knownvalue.Check{
					knownvalue.ObjectPartial(map[string]knownvalue.Check{"name": knownvalue.StringExact("events-eu")}),
				})),
				statecheck.ExpectKnownValue("data.dataplatform_services.none", tfjsonpath.New("services"), knownvalue.ListSizeExact(3)),
				statecheck.ExpectKnownValue("data.dataplatform_services.theirs", tfjsonpath.New("services"), knownvalue.ListSizeExact(1)),
			},
			PostApplyFunc: f.received(),
		}},
	})
}

// An organization needs no variable but the provider's own for this one.
func TestAccServicesDataSourceOfOrganization(t *testing.T) {
	p := newManagement(t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: p.providers(),
		Steps: []resource.TestStep{{
			Config: p.provider() + "data \"dataplatform_services\" \"all\" {}\n",
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.dataplatform_services.all", tfjsonpath.New("organization_id"), knownvalue.StringExact(p.organizationSettings["organization_id"])),
				statecheck.ExpectKnownValue("data.dataplatform_services.all", tfjsonpath.New("services"), knownvalue.NotNull()),
			},
			PostApplyFunc: p.received(),
		}},
	})
}
