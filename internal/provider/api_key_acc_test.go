package provider

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// A key is created, and the state alone has its secret. What nothing changes is not
// created again. A destroy leaves the key valid. On an organization this test alone
// creates a key, and one.
func TestAccAPIKey(t *testing.T) {
	const thisKey = "dataplatform_api_key.this"
	o := newPlatform(t)
	o.variable(keyVariable, "1")
	name := "terraform-acc-" + uuid.NewString()[:8]
	expires := time.Now().Add(50 * time.Minute).UTC().Format(time.RFC3339)
	config := o.provider() + fmt.Sprintf("resource \"dataplatform_api_key\" \"this\" {\n  name = %q\n  roles = [\"query_endpoints\"]\n"+
		"  state = \"disabled\"\n  expire_at = %q\n}\n", name, expires)
	isEmpty := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providers(t),
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(thisKey, plancheck.ResourceActionCreate),
					plancheck.ExpectUnknownValue(thisKey, tfjsonpath.New("key_secret")),
					plancheck.ExpectSensitiveValue(thisKey, tfjsonpath.New("key_secret")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(thisKey, tfjsonpath.New("key_secret"), knownvalue.NotNull()),
				},
				PostApplyFunc: o.received(fmt.Sprintf(`{"name": %q, "roles": ["query_endpoints"], "state": "disabled", "expireAt": %q}`, name, expires)),
			},
			{Config: config, ConfigPlanChecks: isEmpty, PostApplyFunc: o.received()},
			{Config: config, Destroy: true, PostApplyFunc: o.received()},
		},
	})
}
