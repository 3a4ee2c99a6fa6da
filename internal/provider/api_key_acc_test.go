package provider

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing/sealingtest"
)

// What a user of dataplatform_api_key, and of dataplatform_api_key_secret, sees.

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
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(thisKey, tfjsonpath.New("key_secret"), knownvalue.NotNull()),
				},
				PostApplyFunc: o.received(fmt.Sprintf(`{"name": %q, "roles": ["query_endpoints"], "state": "disabled", "expireAt": %q}`, name, expires)),
			},
			{Config: config, ConfigPlanChecks: isEmptyPlan, PostApplyFunc: o.received()},
			{Config: config, Destroy: true, PostApplyFunc: o.received()},
		},
	})
}

var isEmptyPlan = resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}

// delivered is a key with these arguments, the ephemeral resource with those, and a pipe that gets the
// secret.
func delivered(key, secret string) string {
	return keyConfig("  name  = \"n\"\n  roles = [\"admin\"]\n"+key) + `
ephemeral "dataplatform_api_key_secret" "this" {
  encrypted_key_secret = dataplatform_api_key.this.encrypted_key_secret
` + secret + `
}
` + onePipe("consumer", mockplatform.KafkaPipeID, `source_credentials = { kafka = {
    username            = dataplatform_api_key.this.key_id
    password_wo         = ephemeral.dataplatform_api_key_secret.this.key_secret
    password_wo_version = dataplatform_api_key.this.secret_version
  } }`)
}

// wantDelivered is a PostApplyFunc: so many keys were created, and the pipe has the secret of the newest.
func (f *fixture) wantDelivered(keys int) func() {
	return func() {
		f.t.Helper()
		all := f.Keys()
		if len(all) != keys || member(f.PipeSecrets(mockplatform.KafkaPipeID), "kafka.credentials.password") != member(all[keys-1], "result.keySecret") {
			f.t.Fatalf("%d keys were created, want %d, or the pipe has not the secret of the newest", len(all), keys)
		}
	}
}

// The apply that creates a key delivers its secret, and so does each renewal. If the consumer fails, the next apply
// delivers the same secret and creates nothing.
func TestAccAPIKeySecret(t *testing.T) {
	needTerraform(t)
	f := newFixture(t)
	pair, other := sealingtest.X25519(t), sealingtest.Ed25519(t, "")
	skipIfTooOld(t, delivered("", ""))
	var later time.Duration
	config := func(recipients, identity string) string {
		return f.provider() + delivered(lasting+"\n"+recipients, "  identity = "+identity)
	}
	identity := fmt.Sprintf("%q", pair.Identity)
	first := config(to(pair.Recipient), identity)
	replaces := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(thisKey, plancheck.ResourceActionCreateBeforeDestroy),
		plancheck.ExpectResourceAction("dataplatform_pipe.consumer", plancheck.ResourceActionUpdate),
		plancheck.ExpectUnknownValue(thisKey, tfjsonpath.New("encrypted_key_secret")),
		plancheck.ExpectKnownValue(thisKey, tfjsonpath.New("key_secret"), knownvalue.Null()),
	}}
	consumerFails := func() { f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Status: 400}) }
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
			"dataplatform": func() (tfprotov6.ProviderServer, error) {
				p := newProvider("test")
				p.now = func() time.Time { return time.Now().Add(later) }
				return serverOf(p), nil
			},
		},
		Steps: []resource.TestStep{
			{PreConfig: consumerFails, Config: first, ExpectError: regexp.MustCompile("Cannot update pipe")},
			{
				Config: first, PostApplyFunc: f.wantDelivered(1),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(thisKey, tfjsonpath.New("key_secret"), knownvalue.Null()),
					statecheck.ExpectKnownValue(thisKey, tfjsonpath.New("encrypted_key_secret"), knownvalue.StringRegexp(regexp.MustCompile("BEGIN AGE ENCRYPTED FILE"))),
					statecheck.ExpectKnownValue(thisKey, tfjsonpath.New("secret_version"), knownvalue.NotNull()),
				},
			},
			{Config: first, PreConfig: func() { later += 91 * time.Hour }, ConfigPlanChecks: replaces, PostApplyFunc: f.wantDelivered(2)},
			// Another recipient, with an identity and recipients that are unknown at plan.
			{
				Config: config("secret_recipients = [terraform_data.late.output.recipient]", "terraform_data.late.output.identity") +
					fmt.Sprintf("resource \"terraform_data\" \"late\" {\n  input = { recipient = %q, identity = %q }\n}\n", other.Recipient, other.Identity),
				PostApplyFunc: f.wantDelivered(3),
			},
		},
	})
}
