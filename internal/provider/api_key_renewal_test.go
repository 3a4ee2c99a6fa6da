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

// date is some hours after the beginning.
func date(hours int) string {
	return time.Date(2000, 1, 1, hours, 0, 0, 0, time.UTC).Format(time.RFC3339)
}

// until waits until some hours after the beginning.
func until(hours int) {
	time.Sleep(time.Until(time.Date(2000, 1, 1, hours, 0, 0, 0, time.UTC)))
}

// A plan replaces a key from early_renewal_hours before its expiry on, and not a second before, and the plan
// after it is empty. It says what becomes of the old key, as the destruction of the new one does, after the
// same time.
func TestAPIKeyRenewal(t *testing.T) {
	type row struct {
		key       string
		isEndless bool // the platform gives it no expiry
		after     int
		why, left string
	}
	played(t, map[string]row{
		"early":        {lasting, false, 90, `its renewal is due. The old key (suffix %s) stays valid until 2000-01-05T04:00:00.000Z. `, "stays valid until 2000-01-08T22:00:00.000Z. Revoke it"},
		"once expired": {"validity_hours = 100", false, 100, "its renewal is due. The old key (suffix %s) expired at 2000-01-05T04:00:00.000Z. ", "expired at 2000-01-09T08:00:00.000Z."},
		"endless":      {lasting, true, 90, "its renewal is due. The old key (suffix %s) stays valid, because it does not expire. ", ") stays valid, because it does not expire. Revoke it in the platform's console."},
	}, func(t *testing.T, f *fixture, test row) {
		if test.isEndless {
			f.returns("expireAt", nil)
		}
		b := f.key(test.key)
		b.block.CreateBeforeDestroy = true
		b.apply()
		b.block.State.Private = []byte("\x00\xff") // of an earlier version, or damaged: it is read as none
		suffix := b.shown()["key_suffix"]
		time.Sleep(time.Duration(test.after)*time.Hour - time.Second)
		b.wantQuiet()
		time.Sleep(time.Second)
		plan := b.plan()
		if plan.because() != "ready_for_renewal" || !plan.prior.At("ready_for_renewal").True() {
			t.Errorf("%s after %d hours", plan.because(), test.after)
		}
		wantWarning(t, plan.warnings, "The key is replaced because "+fmt.Sprintf(test.why, suffix))
		wantText(t, plan.String(), "If the plan says that it destroys the key and then creates a replacement (-/+), set create_before_destroy first, or a rejected creation loses the old secret.")
		b.applyPlan(plan)
		const body = `{"name": "n", "roles": ["admin"], "state": "enabled", "expireAt": %q}`
		f.wantWrites(fmt.Sprintf(body, date(100)), fmt.Sprintf(body, date(test.after+100)))
		b.wantStored("")
		b.wantQuiet()

		until(2 * test.after)
		b.block.State.Private = []byte("\x00\xff")
		planned, applied := b.destroy()
		for _, warnings := range [][]string{planned, applied} {
			wantWarning(t, warnings, test.left)
		}
	})
}

// What ignore_changes hides is no error of the plan that replaces a key: an expiry that has passed stands in
// it with the old value, and the new key ignores nothing. What is unknown is told as unknown.
func TestAPIKeyIgnoresChanges(t *testing.T) {
	type row struct{ first, then, why string }
	played(t, map[string]row{
		"an expiry that was never set": {"validity_hours = 10", "validity_hours = 10\nlifecycle {\nignore_changes = [name, expire_at, roles]\n}", "its renewal is due"},
		"an expiry":                    {`expire_at = "2000-01-01T10:00:00Z"`, "expire_at = \"2000-02-01T00:00:00Z\"\nrotation_triggers = { a = 1 }\nlifecycle {\nignore_changes = [expire_at]\n}", "rotation_triggers changed"},
		"unknown":                      {"validity_hours = 100", "validity_hours = 100\nroles = [\"developer\"]\n" + delayed("rotation_triggers", "{ a = 1 }"), "roles changed, and rotation_triggers is known only after apply"},
	}, func(t *testing.T, f *fixture, test row) {
		b := f.key(test.first)
		b.apply()
		until(11)
		b.arguments = test.then
		b.learn(cty.Zero)
		r := b.plan()
		if r.action != "replace" {
			t.Fatalf("%s: %s", r.action, r)
		}
		wantText(t, r.String(), "The key is replaced because "+test.why+". ")
		b.applyPlan(r)
		b.wantQuiet()
	})
}

// A reminder that changes sends nothing, and the plan after it goes by it.
func TestAPIKeyReminderChanges(t *testing.T) {
	t.Parallel()
	type row struct {
		hours       int // since the creation
		first, then string
		action      string
		further     string // the plan after it
	}
	rows(t, map[string]row{
		"earlier, not due":       {50, "10", "20", "update", "none"},
		"earlier, due by it":     {50, "10", "60", "update", "replace"},
		"earlier, due before it": {95, "10", "20", "replace", "none"},
		"later, due before it":   {95, "10", "1", "update", "none"},
		"removed, expired":       {101, "10", "null", "update", "replace"},
	}, func(t *testing.T, test row) {
		const lasts = "validity_hours = 100\n"
		for i, then := range []string{"early_renewal_hours = " + test.then, delayed("early_renewal_hours", test.then)} {
			inBubble(func(t *testing.T, f *fixture) {
				b := f.key(lasts + "early_renewal_hours = " + test.first)
				b.apply()
				f.ResetJournal()
				until(test.hours)
				b.arguments = lasts + then
				b.learn(cty.Zero)
				plan := b.plan()
				if isKnown := i == 0; isKnown && plan.action != test.action {
					t.Errorf("%s because of %v, want %s", plan.action, plan.replaces, test.action)
				}
				// Time passes between plan and apply, and may not change the plan's end.
				time.Sleep(time.Hour)
				b.applyPlan(plan)
				if len(f.Writes()) != map[string]int{"update": 0, "replace": 1}[plan.action] {
					t.Errorf("%s: %s", plan.action, f.Writes())
				}
				if plan.action == "replace" {
					return
				}
				wantWarning(t, plan.warnings, "")
				if next := b.plan(); next.action != test.further {
					t.Errorf("the next plan: %s because of %v, want %s", next.action, next.replaces, test.further)
				}
			})(t)
		}
	})
}

// Whatever the platform makes of an expiry, no key is created with every plan, and none is
// kept for ever. A warning says what the platform has made of it, once.
func TestAPIKeyExpiryOfThePlatform(t *testing.T) {
	const endless, otherwise = "the API returned none. The key never expires on its own: revoke it", "differs from the request"
	type row struct {
		key      string
		returned any    // expiry
		state    any    // expire_at
		due      int    // hours until its renewal
		says     string // "" for nothing
	}
	played(t, map[string]row{
		"in another spelling":   {lasting, "2000-01-05T05:00:00.000+01:00", "2000-01-05T05:00:00.000+01:00", 90, ""},
		"none":                  {lasting, nil, nil, 90, endless},
		"none, created earlier": {lasting, nil, date(100), 90, endless},
		"no timestamp":          {lasting, "in 100 hours", date(100), 90, `the API returned "in 100 hours"`},
		"later":                 {lasting, date(200), date(200), 190, "the API returned \"" + date(200) + "\""},
		"sooner":                {lasting, date(50), date(50), 40, "the API returned \"" + date(50) + "\""},
		"past":                  {lasting, date(-1), date(100), 90, `expire_at: requested "` + date(100) + `", and the API returned "` + date(-1) + `"`},
		"shortest":              {"validity_hours = 2\nearly_renewal_hours = 1", "2000-01-01T01:59:00Z", date(2), 1, otherwise},
	}, func(t *testing.T, f *fixture, test row) {
		f.responds(func(_, key document) {
			key["expireAt"] = test.returned
			if test.returned == nil && test.state != nil { // created earlier
				key["createdAt"] = date(-200)
			}
		})
		b := f.key(test.key)
		r := b.apply()
		if got := b.shown()["expire_at"]; got != test.state || !strings.Contains(r.String(), test.says) || strings.Contains(r.String(), "differs") != (test.says != "") {
			t.Errorf("expire_at is %v, want %v and %q: %s", got, test.state, test.says, r)
		}
		for _, want := range []struct {
			after  int
			action string
		}{{0, "none"}, {test.due - 1, "none"}, {test.due, "replace"}} {
			until(want.after)
			if plan := b.plan(); plan.action != want.action {
				t.Errorf("after %d hours: %s because of %v", want.after, plan.action, plan.replaces)
			}
		}
	})
}

// An expiry that is past is rejected for a key that is to be created, by the plan or by the apply before the
// request, and said of one there is, which can be planned, replaced and destroyed all the same.
func TestAPIKeyPastExpiry(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		fixed := func(hours int) string { return fmt.Sprintf("expire_at = %q\n", date(hours)) }
		const refused = "expire_at must be in the future when the key is created"
		b := f.key(fixed(100))
		b.apply()
		f.ResetJournal()

		until(100)
		plan := b.plan()
		if plan.action != "none" {
			t.Errorf("%s because of %v", plan.action, plan.replaces)
		}
		wantWarning(t, plan.warnings, ") has expired: The key expired at "+date(100))
		b.arguments = fixed(100) + `name = "other"`
		b.refuses(b.tryPlan(f.start()), refused)
		b.arguments = fixed(200)
		plan = b.plan()
		wantText(t, plan.String(), "has expired and is replaced: The key is replaced because expire_at changed.", "expired at "+date(100))
		wantNoText(t, plan.String(), "stays valid")
		until(200)
		b.block.CreateBeforeDestroy = true
		b.carryOut(f.start(), plan)
		b.refuses(plan, refused)

		expired := f.key(fixed(300))
		expired.apply()
		until(300)
		planned, applied := expired.destroy()
		for _, warnings := range [][]string{planned, applied} {
			wantWarning(t, warnings, "has expired and stays on the platform: The API cannot delete keys, so destroying this resource changes nothing on the platform. The key (suffix ")
			wantText(t, strings.Join(warnings, "\n"), ") expired at "+date(300)+".")
			wantNoText(t, strings.Join(warnings, "\n"), "valid", "Revoke")
		}
	})(t)
}
