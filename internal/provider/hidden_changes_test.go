package provider

import (
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
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
		says    = "The plan shows what the new key gets, also of what ignore_changes lists. Of the new key, apart from what ignore_changes lists: No "
		trigger = "rotation_triggers = { t = \"2\" }\nvalidity_hours = 9\n"
		ignore  = "lifecycle {\n  ignore_changes = [roles]\n}\n"
	)
	f := newFixture(t)
	b := f.key("rotation_triggers = { t = \"1\" }\nvalidity_hours = 9\n")
	b.apply()
	b.arguments = trigger + ignore
	wantText(t, folded(b.plan().warnings[0]), says)
	b.arguments = "rotation_triggers = { t = \"1\" }\nvalidity_hours = 9\nroles = [\"developer\"]\n" + ignore
	b.wantQuiet()
	b.ResetJournal()
	b.arguments = trigger + "roles = [\"developer\"]\n" + ignore
	plan := b.plan()
	wantText(t, folded(plan.warnings[0]), says)
	b.applyPlan(plan)
	wantText(t, b.Writes()[0], `"roles":["developer"]`)
}
