package provider

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing/sealingtest"
)

// What a user of dataplatform_api_key_secret sees. A pipe is the consumer of the secret.

// delivered is a key with these arguments, the ephemeral resource with those, and a pipe that gets the
// secret.
func (f *fixture) delivered(key, secret string) string {
	return f.provider() + keyConfig("  name  = \"n\"\n  roles = [\"admin\"]\n"+key) + `
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
		if len(all) != keys {
			f.t.Fatalf("%d keys were created, want %d", len(all), keys)
		}
		got := member(f.PipeSecrets(mockplatform.KafkaPipeID), "kafka.credentials.password")
		if want := member(all[keys-1], "result.keySecret"); got != want {
			f.t.Errorf("the pipe has %v, want the secret of the newest key", got)
		}
	}
}

// The apply that creates a key delivers its secret, and so does each renewal, by a trigger or with the
// time. If the consumer fails, the next apply delivers the same secret and creates nothing.
func TestAccAPIKeySecret(t *testing.T) {
	needTerraform(t)
	f := newFixture(t)
	pair, other := sealingtest.X25519(t), sealingtest.Ed25519(t, "")
	skipIfTooOld(t, f.delivered("", ""))
	var later time.Duration
	f.now = func() time.Time { return time.Now().Add(later) }
	config := func(trigger, recipients, identity string) string {
		return f.delivered(lasting+"\nrotation_triggers = { t = "+trigger+" }\n"+recipients, "  identity = "+identity)
	}
	identity := fmt.Sprintf("%q", pair.Identity)
	first := config("1", to(pair.Recipient), identity)
	quiet := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	replaces := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(thisKey, plancheck.ResourceActionCreateBeforeDestroy),
		plancheck.ExpectResourceAction("dataplatform_pipe.consumer", plancheck.ResourceActionUpdate),
		plancheck.ExpectUnknownValue(thisKey, tfjsonpath.New("encrypted_key_secret")),
		plancheck.ExpectKnownValue(thisKey, tfjsonpath.New("key_secret"), knownvalue.Null()),
	}}
	failing := mockplatform.Fault{Operation: mockplatform.UpdatePipe, Status: 400}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
			"dataplatform": func() (tfprotov6.ProviderServer, error) {
				p := newProvider("test")
				p.now = f.now
				return serverOf(p), nil
			},
		},
		Steps: []resource.TestStep{
			{PreConfig: func() { f.Inject(failing) }, Config: first, ExpectError: regexp.MustCompile("Cannot update pipe")},
			{
				Config: first, PostApplyFunc: f.wantDelivered(1),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(thisKey, tfjsonpath.New("key_secret"), knownvalue.Null()),
					statecheck.ExpectKnownValue(thisKey, tfjsonpath.New("encrypted_key_secret"), knownvalue.StringRegexp(regexp.MustCompile("BEGIN AGE ENCRYPTED FILE"))),
					statecheck.ExpectKnownValue(thisKey, tfjsonpath.New("secret_version"), knownvalue.NotNull()),
				},
			},
			{Config: first, ConfigPlanChecks: quiet},

			// An identity that cannot decrypt, or none, is an error of the plan, since the text is known.
			{Config: config("1", to(pair.Recipient), fmt.Sprintf("%q", other.Identity)), PlanOnly: true, ExpectError: regexp.MustCompile("identity is of none of the recipients")},
			{Config: config("1", to(pair.Recipient), "null"), PlanOnly: true, ExpectError: regexp.MustCompile("identity must be set")},
			{Config: config("1", to(pair.Recipient), `""`), PlanOnly: true, ExpectError: regexp.MustCompile("identity must be set")},
			{Config: config("1", to(pair.Recipient), `"hush-hush"`), PlanOnly: true, ExpectError: regexp.MustCompile("identity is neither an age identity")},

			{PreConfig: func() { f.Inject(failing) }, Config: config("2", to(pair.Recipient), identity), ConfigPlanChecks: replaces, ExpectError: regexp.MustCompile("Cannot update pipe")},
			{Config: config("2", to(pair.Recipient), identity), PostApplyFunc: f.wantDelivered(2)},
			{PreConfig: func() { later += 91 * time.Hour }, Config: config("2", to(pair.Recipient), identity), ConfigPlanChecks: replaces, PostApplyFunc: f.wantDelivered(3)},
			// Another recipient, with an identity and recipients that are unknown at plan.
			{
				Config: config("2", "secret_recipients = [terraform_data.late.output.recipient]", "terraform_data.late.output.identity") +
					fmt.Sprintf("resource \"terraform_data\" \"late\" {\n  input = { recipient = %q, identity = %q }\n}\n", other.Recipient, other.Identity),
				PostApplyFunc: f.wantDelivered(4),
			},
			// Without recipients, no secret can be decrypted any more.
			{Config: config("2", "", fmt.Sprintf("%q", other.Identity)), ExpectError: regexp.MustCompile("encrypted_key_secret must be set. It is null for a key without")},
		},
	})
}
