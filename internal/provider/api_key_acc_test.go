package provider

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing/sealingtest"
)

const thisKey = "dataplatform_api_key.this"

// A key is created, and the state alone has its secret. What nothing changes is not
// created again, and what changes replaces the key. A destroy leaves it valid. On an
// organization this test alone creates a key, and one.
func TestAccAPIKey(t *testing.T) {
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
			{
				Config:             strings.Replace(config, name, name+"-2", 1),
				PlanOnly:           true,
				ExpectNonEmptyPlan: true,
				ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPreRefresh: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(thisKey, plancheck.ResourceActionDestroyBeforeCreate),
					plancheck.ExpectUnknownValue(thisKey, tfjsonpath.New("key_secret")),
				}},
			},
			{Config: config, Destroy: true, PostApplyFunc: o.received()},
		},
	})
}

// The apply that creates a key decrypts its secret, for whatever takes it, and state holds it encrypted. The echo
// provider of terraform-plugin-testing takes it here, into the state of the test.
func TestAccAPIKeySecret(t *testing.T) {
	f, pair := newFixture(t), sealingtest.X25519(t)
	all := providers(t)
	all["echo"] = echoprovider.NewProviderServer()
	decrypted := knownvalue.StringFunc(func(secret string) error {
		if secret != member(f.Keys()[0], "result.keySecret") {
			return errors.New("it is not the secret of the key")
		}
		return nil
	})
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: all,
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_11_0)},
		Steps: []resource.TestStep{{
			Config: strings.Replace(f.provider(), "required_providers {", "required_providers {\n    echo = { source = \"dataplatform/echo\" }", 1) + fmt.Sprintf(`
resource "dataplatform_api_key" "this" {
  name              = "loader"
  roles             = ["developer"]
  secret_recipients = [%q]
}
ephemeral "dataplatform_api_key_secret" "this" {
  encrypted_key_secret = dataplatform_api_key.this.encrypted_key_secret
  identity             = %q
}
provider "echo" {
  data = ephemeral.dataplatform_api_key_secret.this
}
resource "echo" "this" {}
`, pair.Recipient, pair.Identity),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectKnownValue(thisKey, tfjsonpath.New("key_secret"), knownvalue.Null()),
				plancheck.ExpectUnknownValue(thisKey, tfjsonpath.New("encrypted_key_secret")),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(thisKey, tfjsonpath.New("key_secret"), knownvalue.Null()),
				statecheck.ExpectKnownValue(thisKey, tfjsonpath.New("encrypted_key_secret"), knownvalue.NotNull()),
				statecheck.ExpectKnownValue("echo.this", tfjsonpath.New("data").AtMapKey("key_secret"), decrypted),
			},
		}},
	})
}
