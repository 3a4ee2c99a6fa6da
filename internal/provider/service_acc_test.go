package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// What a user of dataplatform_service_scaling, of the data sources of services, and of terraform query, sees.

func TestAccServiceScalingAdoption(t *testing.T) { newPlatform(t).service().testAdoption() }

func TestAccServiceScalingImport(t *testing.T) { newPlatform(t).service().testImport() }

func TestAccServiceScalingIdentity(t *testing.T) { newPlatform(t).service().testIdentity() }

// A query finds each service by its name, with its identity and, if asked, with what an
// import would read.
func TestAccServiceScalingQuery(t *testing.T) {
	s := newPlatform(t).service()
	if program := terraformtest.ProgramUnder(t); program.OpenTofu {
		t.Skipf("takes terraform query, and this is %s", program)
	}
	const listed = "dataplatform_service_scaling.all"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providers(t),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		Steps: []resource.TestStep{
			{Config: s.provider()},
			{
				Query:  true,
				Config: "list \"dataplatform_service_scaling\" \"all\" {\n  provider         = dataplatform\n  include_resource = true\n}\n",
				QueryResultChecks: []querycheck.QueryResultCheck{
					querycheck.ExpectLengthAtLeast(listed, 1),
					querycheck.ExpectIdentity(listed, s.identity()),
					querycheck.ExpectResourceDisplayName(listed, queryfilter.ByResourceIdentity(s.identity()), exactly(s.before["name"])),
					querycheck.ExpectResourceKnownValues(listed, queryfilter.ByResourceIdentity(s.identity()), []querycheck.KnownValueCheck{
						{Path: tfjsonpath.New("service_id"), KnownValue: knownvalue.StringExact(s.id)},
						{Path: tfjsonpath.New("name"), KnownValue: exactly(s.before["name"])},
					}),
				},
			},
		},
	})
}

// A service is read by its ID, and by its name.
func TestAccServiceDataSource(t *testing.T) {
	s := newPlatform(t).service()
	name, _ := s.before["name"].(string)
	if name == "" {
		t.Skipf("service %s returns no name", s.id)
	}
	s.wantData("dataplatform_service", fmt.Sprintf("id = %q", s.id), object{"id": s.id, "name": name})
	s.wantData("dataplatform_service", fmt.Sprintf("name = %q", name), object{"id": s.id, "name": name})
}

// All services of an organization are listed, with no variable but the provider's own.
func TestAccServicesDataSource(t *testing.T) {
	o := newPlatform(t)
	if o.settings["base_url"] == "" {
		t.Skip("DATAPLATFORM_BASE_URL is not set")
	}
	o.wantData("dataplatform_services", "", object{"organization_id": o.settings["organization_id"]},
		statecheck.ExpectKnownValue("data.dataplatform_services.this", tfjsonpath.New("services"), knownvalue.NotNull()))
}
