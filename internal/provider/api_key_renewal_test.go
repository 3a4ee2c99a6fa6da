package provider

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
)

// What becomes of a key with the time. A bubble's begins on 1 January 2000.

// lasting is a key for 100 hours, of which the last 10 are for its renewal.
const lasting = "validity_hours = 100\nearly_renewal_hours = 10"

// at is some hours after the beginning, date its text, and fixed a key that expires then. until waits for it.
func at(hours int) time.Time { return time.Date(2000, 1, 1, hours, 0, 0, 0, time.UTC) }
func date(hours int) string  { return at(hours).Format(time.RFC3339) }
func fixed(hours int) string { return fmt.Sprintf("expire_at = %q\n", date(hours)) }
func until(hours int)        { time.Sleep(time.Until(at(hours))) }

// keyLife is a key, and what follows its creation.
type keyLife struct {
	arguments string
	steps     []keyStep
	left      string // of its destruction in the end
}

// moved is what the plan of a destruction says, and its apply does not: that also destroys what it has replaced.
const moved = " If the plan also creates the key at another address, such as with another for_each key, add a moved block instead of applying it. "

// keyStep is a plan of a key, and its apply a minute later: time that passes between them may not change the plan's end.
type keyStep struct {
	at            int    // hours since the beginning
	then          string // new arguments; without, the plan of a second before is quiet
	because, says string
}

// play lives a life, which begins with the bubble's time.
func (life keyLife) play(t *testing.T, f *fixture) {
	b := f.key(life.arguments)
	b.block.CreateBeforeDestroy = true
	b.apply()
	for _, step := range life.steps {
		if step.then == "" {
			time.Sleep(time.Until(at(step.at)) - time.Second)
			b.wantQuiet()
		} else {
			b.arguments = step.then
			b.learn(cty.Zero)
		}
		until(step.at)
		plan, created := b.plan(), len(f.Keys())
		if step.says != "" || plan.action == "update" {
			wantWarning(t, plan.warnings, strings.ReplaceAll(step.says, "SUFFIX", b.shown()["key_suffix"].(string)))
		}
		time.Sleep(time.Minute)
		b.applyPlan(plan)
		if created = len(f.Keys()) - created; plan.because() != step.because || created != map[string]int{"replace": 1}[plan.action] {
			t.Errorf("after %d hours: %q, want %q, and created %d keys", step.at, plan.because(), step.because, created)
		}
		b.wantStored("")
		if plan.action == "replace" {
			b.wantQuiet()
		}
	}
	if life.left != "" {
		planned, applied := b.destroy()
		wantWarning(t, planned, life.left)
		wantWarning(t, applied, strings.TrimSuffix(life.left, moved))
		wantNoText(t, strings.Join(applied, " "), "moved")
	}
}

// A key is renewed from early_renewal_hours before its expiry on, and not a second before. A reminder that changes sends
// nothing, and the plan after it goes by it. A plan says why it replaces a key and what becomes of the old one, as the
// destruction in the end does. What ignore_changes hides is no error of the plan that replaces a key.
func TestAPIKeyInTime(t *testing.T) {
	const due, renewed = "ready_for_renewal", "The key is replaced because its renewal is due. The old key (suffix SUFFIX) "
	early := func(hours string) string { return "validity_hours = 100\nearly_renewal_hours = " + hours }
	later := func(hours string) string { return "validity_hours = 100\n" + delayed("early_renewal_hours", hours) }
	ignoring := func(names, arguments string) string {
		return arguments + "\nlifecycle {\n  ignore_changes = [" + names + "]\n}"
	}
	played(t, map[string]keyLife{
		"renewed early": {early("10"), []keyStep{{90, "", due, renewed + "stays valid until 2000-01-05T04:00:00.000Z. "}},
			"stays valid until 2000-01-08T22:01:00.000Z. Revoke it in the platform's console." + moved},
		"renewed once expired": {early("null"), []keyStep{{100, "", due, renewed + "expired at 2000-01-05T04:00:00.000Z. "}}, ""},
		"no expiry": {"", []keyStep{{1, `name = "other"`, "name", "because name changed. The old key (suffix SUFFIX) stays valid, because it does not expire. "}},
			") stays valid, because it does not expire. Revoke it in the platform's console."},
		"an expiry that passes": {fixed(100), []keyStep{
			{100, "", "none", ") has expired: The key expired at " + date(100)},
			{101, fixed(200), "expire_at", ") has expired and is replaced: The key is replaced because expire_at changed. "},
			{200, "", "none", ") has expired: "},
		}, ") has expired and stays on the platform: The API cannot delete keys, so destroying this resource changes nothing on the platform. The key (suffix "},

		"an earlier reminder, not due":       {early("10"), []keyStep{{50, early("20"), "update", ""}, {80, "", due, renewed}}, ""},
		"an earlier reminder, due by it":     {early("10"), []keyStep{{50, early("60"), "update", ""}, {51, early("60"), due, renewed}}, ""},
		"an earlier reminder, due before it": {early("10"), []keyStep{{95, early("20"), due, renewed}}, ""},
		"a later reminder, due before it":    {early("10"), []keyStep{{95, early("1"), "update", ""}, {99, "", due, renewed}}, ""},
		"no reminder any longer, expired":    {early("10"), []keyStep{{101, early("null"), "update", ""}, {102, early("null"), due, renewed}}, ""},
		"an unknown reminder, due by it":     {early("10"), []keyStep{{50, later("60"), "update", ""}, {51, early("60"), due, renewed}}, ""},
		"an unknown reminder, due before it": {early("10"), []keyStep{{95, later("1"), due, renewed}}, ""},

		"an expiry is ignored that was never set": {early("10"), []keyStep{{91, ignoring("name, expire_at", early("10")), due, renewed}}, ""},
		"an expiry is ignored that has passed": {fixed(10), []keyStep{
			{11, ignoring("expire_at", fixed(700)+`state = "disabled"`), "state", ") has expired and is replaced: The key is replaced because state changed. "},
		}, ""},
		"changes, known and unknown ones": {early("10"), []keyStep{
			{11, early("10") + "\nroles = [\"developer\"]\n" + delayed("rotation_triggers", "{ a = 1 }"), "roles rotation_triggers",
				"because roles changed, and rotation_triggers is known only after apply and may turn out the same. "},
		}, ""},
	}, func(t *testing.T, f *fixture, life keyLife) { life.play(t, f) })
}

// Whatever the platform makes of an expiry, the state has it, no key is created with every plan, and none is kept for ever
// in silence. A warning says once what the platform has made of it, and each plan that a key has less time than validity_hours.
func TestAPIKeyExpiryOfThePlatform(t *testing.T) {
	const (
		endless = "the API returned none. The key never expires on its own: revoke it"
		less    = ") has less time than validity_hours: The platform set the expiry to "
		dead    = " after the creation of the key. That is not later than its creation, so it is not renewed: each apply would create another one like it. "
	)
	type row struct {
		key      string
		returned any    // expiry
		created  any    // createdAt, nil for none
		state    any    // expire_at
		due      int    // hours until its renewal, 0 for never
		says     string // "" for nothing
		each     string // what each plan says
	}
	played(t, map[string]row{
		"in another spelling":   {lasting, "2000-01-05T05:00:00.000+01:00", date(0), "2000-01-05T05:00:00.000+01:00", 90, "", ""},
		"none":                  {lasting, nil, date(0), nil, 90, endless, ""},
		"none, created earlier": {lasting, nil, date(-200), nil, 90, endless, ""},
		"no creation":           {lasting, date(100), nil, date(100), 90, "", ""},
		"creation no timestamp": {lasting, date(100), "yesterday", date(100), 90, "", ""},
		"no timestamp":          {lasting, "in 100 hours", date(0), date(100), 90, `the API returned "in 100 hours"`, ""},
		"later":                 {lasting, date(200), date(0), date(200), 190, "the API returned \"" + date(200) + "\"", ""},
		"a cap of two days": {lasting, date(48), date(0), date(48), 38, "the API returned \"" + date(48) + "\"",
			less + date(48) + ", which is not 100 hours after the creation of the key. Its renewal is due at " + date(38) + ". "},
		"a cap below the reminder": {"validity_hours = 720\nearly_renewal_hours = 168", date(24), date(0), date(24), 16, "the API returned \"" + date(24) + "\"",
			less + date(24) + ", which is not 720 hours after the creation of the key. Its renewal is due at " + date(16) + ". "},
		"a cap of a clock that is late":     {lasting, date(-2), date(-26), date(-2), 0, "the API returned", dead},
		"a cap of a clock that is early":    {"validity_hours = 720", date(100), date(76), date(100), 100, "the API returned", less + date(100)},
		"past":                              {lasting, date(-1), date(0), date(-1), 0, `expire_at: requested "` + date(100) + `", and the API returned "` + date(-1) + `"`, dead},
		"past, and nobody knows since when": {lasting, date(-1), nil, date(-1), 0, "the API returned", dead},
		"shortest":                          {"validity_hours = 2\nearly_renewal_hours = 1", "2000-01-01T01:59:00Z", date(0), "2000-01-01T01:59:00Z", 1, "the API returned", ""},
	}, func(t *testing.T, f *fixture, test row) {
		f.responds(func(_, key document) {
			key["expireAt"], key["createdAt"] = test.returned, test.created
		})
		b := f.key(test.key)
		b.block.CreateBeforeDestroy = true
		r := b.apply()
		b.wantValues(object{"expire_at": test.state})
		wantWarning(t, r.warnings, test.says)
		check := func(after int, action string) {
			t.Helper()
			until(after)
			plan := b.plan()
			if plan.action != action {
				t.Errorf("after %d hours: %s because of %v", after, plan.action, plan.replaces)
			}
			if action == "none" {
				wantWarning(t, plan.warnings, test.each)
			}
		}
		check(0, "none")
		if test.due == 0 {
			check(1000, "none")
			return
		}
		check(test.due-1, "none")
		check(test.due, "replace")
	})
}
