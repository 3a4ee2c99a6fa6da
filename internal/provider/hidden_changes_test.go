package provider

import (
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing/sealingtest"
)

// What a plan shows as something else, or not at all, is a warning of it: secrets that are sent with another
// change, credentials that the platform keeps, and arguments of a new key below ignore_changes.

func TestCredentialsThatAreSentOrLeft(t *testing.T) {
	const (
		credentials = "source_credentials = { kafka = { username = \"u\", password_wo = \"hush-hush\", password_wo_version = 1 } }\n"
		role        = "source = { kafka = { iam_role = \"role:other\" } }\n"
	)
	f := newFixture(t)
	b := f.pipe(mockplatform.KafkaPipeID, credentials)
	b.apply()
	b.ResetJournal()
	b.arguments = credentials + role
	plan := b.plan()
	wantWarning(t, plan.warnings, "Credentials may be sent with another change: With a change to the source of pipe \"orders\" ("+mockplatform.KafkaPipeID+"), "+
		"the apply also sends what its own run has as source_credentials.kafka.password_wo, although this plan changes no version.")
	b.applyPlan(plan)
	b.wantWrites(`{"source":{"kafka":{"credentials":{"password":"hush-hush","username":"u"},"iamRole":"role:other"}}}`)
	b.arguments = role
	plan = b.plan()
	wantWarning(t, plan.warnings, "Credentials are no longer managed: pipe \"orders\" ("+mockplatform.KafkaPipeID+"): This removes source_credentials.kafka.password_wo from the configuration only.")
	b.applyPlan(plan)
	b.wantWrites()
	b.wantQuiet()
	b.applyAs(credentials + role)
	b.arguments = role + "lifecycle {\n  ignore_changes = [source_credentials]\n}\n"
	b.wantQuiet() // they stay as they are in the state, too
}

func TestKeyBelowIgnoreChanges(t *testing.T) {
	const (
		says    = "ignore_changes does not apply to the new key: it gets the configured "
		trigger = "rotation_triggers = { t = \"2\" }\nvalidity_hours = 9\n"
		ignore  = "lifecycle {\n  ignore_changes = [roles]\n}\n"
	)
	f := newFixture(t)
	b := f.key("rotation_triggers = { t = \"1\" }\nvalidity_hours = 9\n")
	b.apply()
	b.arguments = trigger + ignore
	wantNoText(t, folded(b.plan().warnings[0]), says)
	b.arguments = "rotation_triggers = { t = \"1\" }\nvalidity_hours = 9\nroles = [\"developer\"]\n" + ignore
	b.wantQuiet()
	b.ResetJournal()
	b.arguments = trigger + "roles = [\"developer\"]\n" + ignore
	plan := b.plan()
	wantText(t, folded(plan.warnings[0]), says+"roles, as the plan shows.")
	b.applyPlan(plan)
	wantText(t, b.Writes()[0], `"roles":["developer"]`)
	b.arguments = `rotation_triggers = { t = "3" }
roles = ["developer"]
ip_access_list = [{ source = "10.0.0.0/8" }]
secret_recipients = ["` + strings.TrimSpace(sealingtest.X25519(t).Recipient) + `"]
lifecycle {
  ignore_changes = [ip_access_list, secret_recipients, validity_hours, state]
}
`
	warning := folded(b.plan().warnings[0])
	wantText(t, warning, says+"ip_access_list and secret_recipients, as the plan shows.")
	wantText(t, warning, "The new key will never expire.")
	wantNoText(t, warning, "no ip_access_list")
}
