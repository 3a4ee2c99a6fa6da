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
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// What a user of dataplatform_api_key sees.

const thisKey = "dataplatform_api_key.this"

func keyConfig(arguments string) string {
	return fmt.Sprintf("resource \"dataplatform_api_key\" \"this\" {\n%s\n  lifecycle {\n    create_before_destroy = true\n  }\n}\n", arguments)
}

// A key is created, and the state alone has its secret. What nothing changes is not
// created again. A destroy leaves the key valid. On an organization this test alone
// creates a key, and one.
func TestAccAPIKey(t *testing.T) {
	o := newPlatform(t)
	o.variable(keyVariable, "1")
	name := "terraform-acc-" + uuid.NewString()[:8]
	expires := time.Now().Add(50 * time.Minute).UTC().Format(time.RFC3339)
	config := o.provider() + keyConfig(fmt.Sprintf("  name = %q\n  roles = [\"query_endpoints\"]\n  state = \"disabled\"\n  expire_at = %q", name, expires))
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providers(t),
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(thisKey, plancheck.ResourceActionCreate),
					plancheck.ExpectUnknownValue(thisKey, tfjsonpath.New("key_secret")),
					plancheck.ExpectSensitiveValue(thisKey, tfjsonpath.New("key_secret")),
					plancheck.ExpectKnownValue(thisKey, tfjsonpath.New("expire_at"), knownvalue.StringExact(expires)),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(thisKey, tfjsonpath.New("id"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue(thisKey, tfjsonpath.New("key_id"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue(thisKey, tfjsonpath.New("key_secret"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue(thisKey, tfjsonpath.New("state"), knownvalue.StringExact("disabled")),
					statecheck.ExpectKnownValue(thisKey, tfjsonpath.New("ready_for_renewal"), knownvalue.Bool(false)),
				},
				Check:         learnOfKey,
				PostApplyFunc: o.received(fmt.Sprintf(`{"name": %q, "roles": ["query_endpoints"], "state": "disabled", "expireAt": %q}`, name, expires)),
			},
			{
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(thisKey, plancheck.ResourceActionNoop),
				}},
				PostApplyFunc: o.received(),
			},
			{Config: config, Destroy: true, PostApplyFunc: o.received()},
		},
	})
}

// learnOfKey notes, of the key on an organization, what no response contained: only the
// provider has seen the one to its creation.
func learnOfKey(state *terraform.State) error {
	for _, name := range []string{"key_suffix", "created_at", "used_at"} {
		if run != nil && state.RootModule().Resources[thisKey].Primary.Attributes[name] == "" {
			run.learned.say("keys: fields that the response to the creation did not have", name)
		}
	}
	return nil
}
