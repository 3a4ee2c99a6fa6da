package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// What a user of terraform query sees.

// queryVersion skips what needs terraform query, which OpenTofu does not have.
func queryVersion(t *testing.T) []tfversion.TerraformVersionCheck {
	t.Helper()
	if program := terraformtest.ProgramUnder(t); program.OpenTofu {
		t.Skipf("takes terraform query, and this is %s", program)
	}
	return []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)}
}

// A query finds each service by its name, with its identity and, if asked, with what an
// import would read.
func TestAccServiceScalingQuery(t *testing.T) {
	p := newManagement(t)
	s := p.service()
	identity := map[string]knownvalue.Check{
		"organization_id": knownvalue.StringExact(p.organizationSettings["organization_id"]),
		"service_id":      knownvalue.StringExact(s.id),
	}
	const listed = "dataplatform_service_scaling.all"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: p.providers(),
		TerraformVersionChecks:   queryVersion(t),
		Steps: []resource.TestStep{
			{Config: p.provider()},
			{
				Query: true,
				Config: `
list "dataplatform_service_scaling" "all" {
  provider         = dataplatform
  include_resource = true
}
`,
				QueryResultChecks: []querycheck.QueryResultCheck{
					querycheck.ExpectLengthAtLeast(listed, 1),
					querycheck.ExpectIdentity(listed, identity),
					querycheck.ExpectResourceDisplayName(listed, queryfilter.ByResourceIdentity(identity), returned(s.before["name"])),
					querycheck.ExpectResourceKnownValues(listed, queryfilter.ByResourceIdentity(identity), []querycheck.KnownValueCheck{
						{Path: tfjsonpath.New("service_id"), KnownValue: knownvalue.StringExact(s.id)},
						{Path: tfjsonpath.New("name"), KnownValue: returned(s.before["name"])},
					}),
				},
			},
		},
	})
}
