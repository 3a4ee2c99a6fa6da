package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
)

// What a user of data.dataplatform_service sees.

// A service is read by its ID, and by its name, as the same service.
func TestAccServiceDataSource(t *testing.T) {
	p := newManagement(t)
	s := p.service()
	name, _ := s.before["name"].(string)
	if name == "" {
		t.Skipf("service %s returns no name", s.id)
	}
	const byID, byName = "data.dataplatform_service.by_id", "data.dataplatform_service.by_name"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: p.providers(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_4_6)}, // its states say what is sensitive
		Steps: []resource.TestStep{{
			Config: p.provider() + fmt.Sprintf("data \"dataplatform_service\" \"by_id\" {\n  id = %q\n}\ndata \"dataplatform_service\" \"by_name\" {\n  name = %q\n}\n", s.id, name),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(byID, tfjsonpath.New("name"), knownvalue.StringExact(name)),
				statecheck.ExpectSensitiveValue(byID, tfjsonpath.New("encryption_key")),
				statecheck.CompareValuePairs(byID, tfjsonpath.New("id"), byName, tfjsonpath.New("id"), compare.ValuesSame()),
				statecheck.CompareValuePairs(byID, tfjsonpath.New("endpoints"), byName, tfjsonpath.New("endpoints"), compare.ValuesSame()),
			},
			PostApplyFunc: p.received(),
		}},
	})
}
