package provider

import (
	"fmt"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
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

// A plan replaces a key from early_renewal_hours before its expiry on, and not
// a second before, and the plan after it is empty.
func TestAPIKeyRenewal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		key   string
		after int
		why   string
	}{
		"early":        {lasting, 90, `its renewal is due (early_renewal_hours is 10). The old key (suffix %s) stays valid until 2000-01-05T04:00:00.000Z. `},
		"once expired": {"validity_hours = 100", 100, "its renewal is due. The old key (suffix %s) expired at 2000-01-05T04:00:00.000Z. "},
	} {
		t.Run(name, inBubble(func(t *testing.T, f *fixture) {
			b := f.key(test.key)
			b.block.CreateBeforeDestroy = true
			b.apply()
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
			if r := b.applyPlan(plan); len(r.warnings) != 2 { // the plan's, and one about the old key
				t.Errorf("%d warnings, want 2: %q", len(r.warnings), r.warnings)
			}
			const body = `{"name": "n", "roles": ["admin"], "state": "enabled", "expireAt": %q}`
			f.wantWrites(fmt.Sprintf(body, date(100)), fmt.Sprintf(body, date(test.after+100)))
			b.wantNewest()
			b.wantQuiet()
		}))
	}
}

// A reminder that changes sends nothing, and the plan after it goes by it.
func TestAPIKeyReminderChanges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		hours       int // since the creation
		first, then string
		action      string
		further     string // the plan after it
	}{
		"earlier, not due":       {50, "10", "20", "update", "none"},
		"earlier, due by it":     {50, "10", "60", "update", "replace"},
		"new, due by it":         {50, "null", "60", "update", "replace"},
		"earlier, due before it": {95, "10", "20", "replace", "none"},
		"later, due before it":   {95, "10", "1", "update", "none"},
		"removed, due before it": {95, "10", "null", "update", "none"},
		"removed, expired":       {101, "10", "null", "update", "replace"},
	} {
		for _, known := range []bool{true, false} {
			t.Run(fmt.Sprint(name, ", known ", known), inBubble(func(t *testing.T, f *fixture) {
				b := f.key("validity_hours = 100\nearly_renewal_hours = " + test.first)
				b.apply()
				f.ResetJournal()
				until(test.hours)
				b.arguments = "validity_hours = 100\nearly_renewal_hours = " + test.then
				if !known {
					b.arguments = "validity_hours = 100\n" + delayed("early_renewal_hours", test.then)
					b.learn(cty.Zero)
				}
				plan := b.plan()
				if known && plan.action != test.action {
					t.Errorf("%s because of %v, want %s", plan.action, plan.replaces, test.action)
				}
				// Time passes between plan and apply, and may not change the plan's end.
				time.Sleep(time.Hour)
				b.applyPlan(plan)
				if len(f.Writes()) != map[string]int{"update": 0, "replace": 1}[plan.action] {
					t.Errorf("%s: %s", plan.action, f.Writes())
				}
				if plan.action != "update" {
					return
				}
				wantWarning(t, plan.warnings, "")
				if next := b.plan(); next.action != test.further {
					t.Errorf("the next plan: %s because of %v, want %s", next.action, next.replaces, test.further)
				}
			}))
		}
	}
}

// Whatever the platform makes of an expiry, no key is created with every plan, and none is
// kept for ever.
func TestAPIKeyExpiryOfThePlatform(t *testing.T) {
	t.Parallel()
	returns := func(expiry any) []mockplatform.Rewrite { return []mockplatform.Rewrite{rewritten("expireAt", expiry)} }
	for name, test := range map[string]struct {
		key      string
		returned []mockplatform.Rewrite
		state    any // expire_at
		due      int // hours until its renewal, 0 for none
	}{
		"in another spelling":    {lasting, returns("2000-01-05T05:00:00.000+01:00"), "2000-01-05T05:00:00.000+01:00", 90},
		"none":                   {lasting, returns(nil), nil, 90},
		"none, created earlier":  {lasting, append(returns(nil), rewritten("createdAt", date(-200))), date(100), 90},
		"no timestamp":           {lasting, returns("in 100 hours"), date(100), 90},
		"later":                  {lasting, returns(date(200)), date(200), 190},
		"sooner":                 {lasting, returns(date(50)), date(50), 40},
		"due in a minute":        {lasting, returns("2000-01-01T10:01:00Z"), date(100), 90},
		"past":                   {lasting, returns(date(-1)), date(100), 90},
		"shortest":               {"validity_hours = 2\nearly_renewal_hours = 1", returns("2000-01-01T01:59:00Z"), date(2), 1},
		"fixed, returned sooner": {`expire_at = "` + date(100) + `"`, returns(date(50)), date(100), 0},
		"not asked for":          {"", returns(date(50)), date(50), 0},
	} {
		t.Run(name, inBubble(func(t *testing.T, f *fixture) {
			f.Configure(func(b *mockplatform.Behaviour) { b.Patches.Rewrites = test.returned })
			b := f.key(test.key)
			r := b.apply()
			if got := b.shown()["expire_at"]; got != test.state {
				t.Errorf("expire_at is %v, want %v: %s", got, test.state, r)
			}
			plans := []struct {
				after  int
				action string
			}{{0, "none"}, {max(0, test.due-1), "none"}, {test.due, "replace"}}
			if test.due == 0 {
				plans[2].after, plans[2].action = 1000, "none"
			}
			for _, want := range plans {
				until(want.after)
				if plan := b.plan(); plan.action != want.action {
					t.Errorf("after %d hours: %s because of %v", want.after, plan.action, plan.replaces)
				}
			}
		}))
	}
}

// An expiry that is past is rejected for a key that is to be created, and said of one there
// is, which can be planned and replaced all the same.
func TestAPIKeyPastExpiry(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		fixed := func(hours int) string { return fmt.Sprintf("expire_at = %q\n", date(hours)) }
		const refused = "expire_at must be in the future when the key is created"
		b := f.key(fixed(0)) // this very second
		b.refuses(b.tryPlan(f.start()), refused)
		b.applyAs(fixed(100))
		f.ResetJournal()

		until(100)
		b.arguments = fixed(100)
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

		// One that passes between plan and apply is rejected before the request.
		b.block.CreateBeforeDestroy = true
		until(201)
		b.carryOut(f.start(), plan)
		b.refuses(plan, refused)
		f.wantWrites()

		expired := f.key(fixed(300))
		expired.apply()
		until(301)
		planned, applied := expired.destroy()
		for _, warnings := range [][]string{planned, applied} {
			wantWarning(t, warnings, "has expired and stays on the platform: ")
			wantText(t, warnings[0], "expired at "+date(300))
			wantNoText(t, warnings[0], "valid")
		}
	})(t)
}

// Private state, of an earlier version or damaged, is read as none.
func TestAPIKeyPrivateState(t *testing.T) {
	t.Parallel()
	inBubble(func(_ *testing.T, f *fixture) {
		b := f.key(lasting)
		b.apply()
		b.block.State.Private = []byte("\x00\xff")
		b.wantQuiet()
		until(90)
		b.apply()
		b.wantNewest()
		b.block.State.Private = []byte("\x00\xff")
		b.destroy()
	})(t)
}
