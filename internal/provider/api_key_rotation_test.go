package provider

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// clock is a time that a test moves.
type clock struct{ seconds atomic.Int64 }

var beginning = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// clocked gives a fixture and its platform a clock, which stands still.
func (f *fixture) clocked() *clock {
	c := &clock{}
	c.seconds.Store(beginning.Unix())
	f.now = c.time
	f.Configure(func(b *mockplatform.Behaviour) { b.Now = c.time })
	return c
}

func (c *clock) time() time.Time { return time.Unix(c.seconds.Load(), 0).UTC() }

// at is some hours after the beginning, and a second for each "+" or "-".
func (c *clock) at(hours int, seconds int64) {
	c.seconds.Store(beginning.Unix() + int64(hours)*3600 + seconds)
}

func date(hours int) string {
	return beginning.Add(time.Duration(hours) * time.Hour).Format(time.RFC3339)
}

var lasting = plainKey.with(args{"validity_hours": 100, "early_renewal_hours": 10})

// A plan replaces a key from early_renewal_hours before its expiry on, and not
// a second before, and the plan after it is empty.
func TestAPIKeyRenewal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		key   args
		after int
		why   string
	}{
		"early":        {lasting, 90, `its renewal is due (early_renewal_hours is 10). The old key (suffix %s) stays valid until 2030-01-05T04:00:00.000Z. `},
		"once expired": {lasting.with(args{"early_renewal_hours": nil}), 100, "its renewal is due. The old key (suffix %s) expired at 2030-01-05T04:00:00.000Z.\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			now := f.clocked()
			d := f.newKeyDriver(t, nil)
			d.apply(test.key)
			now.at(test.after, -1)
			d.wantNone(test.key)
			if d.get("ready_for_renewal") != "false" {
				t.Error("ready a second too early")
			}
			now.at(test.after, 0)
			p := d.planned(test.key)
			if p.because() != "ready_for_renewal" || d.get("ready_for_renewal") != "true" || len(p.warnings) != 1 {
				t.Errorf("%q, %s\n%s", p.because(), d.get("ready_for_renewal"), p.diagnoses)
			}
			wantText(t, p.String(), "The key is replaced because "+fmt.Sprintf(test.why, d.get("key_suffix")),
				"If the plan says that it destroys the key and then creates a replacement, set create_before_destroy first")
			d.apply(test.key)
			const body = `{"name": "n", "roles": ["admin"], "state": "enabled", "expireAt": %q}`
			f.wantWrites(fmt.Sprintf(body, date(100)), fmt.Sprintf(body, date(test.after+100)))
			d.wantStored()
			d.wantNone(test.key)
		})
	}
}

// A reminder that changes sends nothing, and the plan after it goes by it.
func TestAPIKeyReminderChanges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		hours   int // since the creation
		first   any // early_renewal_hours
		then    any
		action  string
		further string // the plan after it
	}{
		"earlier, not due":       {50, 10, 20, "update", "none"},
		"earlier, due by it":     {50, 10, 60, "update", "replace"},
		"new, due by it":         {50, nil, 60, "update", "replace"},
		"earlier, due before it": {95, 10, 20, "replace", "none"},
		"later, due before it":   {95, 10, 1, "update", "none"},
		"removed, due before it": {95, 10, nil, "update", "none"},
		"removed, expired":       {101, 10, nil, "update", "replace"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			now := f.clocked()
			before, after := lasting.with(args{"early_renewal_hours": test.first}), lasting.with(args{"early_renewal_hours": test.then})
			for _, planned := range []args{after, after.with(args{"early_renewal_hours": unknown})} {
				d := f.newKeyDriver(t, nil)
				now.at(0, 0)
				d.apply(before)
				f.ResetJournal()
				now.at(test.hours, 0)
				p := d.planned(planned)
				if known := planned["early_renewal_hours"] != any(unknown); known && p.action != test.action {
					t.Errorf("%s because of %v, want %s", p.action, p.replaces, test.action)
				}
				// Time passes between plan and apply, and may not change the
				// plan's end.
				now.at(test.hours+1, 0)
				d.carryOut(p, after)
				if len(f.writes()) != map[string]int{"update": 0, "replace": 1}[p.action] {
					t.Errorf("%s: %s", p.action, f.writes())
				}
				if p.action != "update" {
					continue
				}
				if len(p.warnings)+len(p.errors) > 0 {
					t.Error(p.diagnoses)
				}
				if p := d.planned(after); p.action != test.further {
					t.Errorf("the plan after it: %s because of %v, want %s", p.action, p.replaces, test.further)
				}
			}
		})
	}
}

// Whatever the platform makes of an expiry, no key is created with every plan, and none is
// kept for ever.
func TestAPIKeyExpiryOfThePlatform(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		key      args
		returned any
		state    string // expire_at
		due      int    // hours until its renewal, 0 for none
	}{
		"in another spelling":    {lasting, "2030-01-05T05:00:00.000+01:00", "2030-01-05T05:00:00.000+01:00", 90},
		"none":                   {lasting, nil, "null", 90},
		"no timestamp":           {lasting, "in 100 hours", date(100), 90},
		"later":                  {lasting, date(200), date(200), 190},
		"sooner":                 {lasting, date(50), date(50), 40},
		"due in a minute":        {lasting, "2030-01-01T10:01:00Z", date(100), 90},
		"past":                   {lasting, date(-1), date(100), 90},
		"shortest":               {lasting.with(args{"validity_hours": 2, "early_renewal_hours": 1}), "2030-01-01T01:59:00Z", date(2), 1},
		"fixed, returned sooner": {plainKey.with(args{"expire_at": date(100)}), date(50), date(100), 0},
		"not asked for":          {plainKey, date(50), date(50), 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			now := f.clocked()
			f.Configure(func(b *mockplatform.Behaviour) {
				b.Patches.Rewrites = []mockplatform.Rewrite{rewritten("expireAt", test.returned)}
			})
			d := f.newKeyDriver(t, nil)
			p := d.apply(test.key)
			if d.get("expire_at") != test.state {
				t.Errorf("expire_at is %s, want %s\n%s", d.get("expire_at"), test.state, p.diagnoses)
			}
			early, hours, want := test.due-1, test.due, "replace"
			if hours == 0 {
				early, hours, want = 1, 1000, "none"
			}
			for hour, action := range map[int]string{0: "none", early: "none", hours: want} {
				now.at(hour, 0)
				if p := d.planned(test.key); p.action != action {
					t.Errorf("after %d hours: %s because of %v", hour, p.action, p.replaces)
				}
			}
		})
	}
}

// Renewal cannot count from a creation in the past, either.
func TestAPIKeyCreatedInThePast(t *testing.T) {
	f := newFixture(t)
	f.clocked()
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Patches.Rewrites = []mockplatform.Rewrite{rewritten("expireAt", nil), rewritten("createdAt", date(-200))}
	})
	d := f.newKeyDriver(t, nil)
	d.apply(lasting)
	d.wantNone(lasting)
}

// An expiry that is past is rejected for a key that is to be created, and said of one there
// is, which can be planned and replaced all the same.
func TestAPIKeyPastExpiry(t *testing.T) {
	f := newFixture(t)
	now := f.clocked()
	fixed := func(hours int) args { return plainKey.with(args{"expire_at": date(hours)}) }
	d := f.newKeyDriver(t, nil)
	past := func(p *result) {
		t.Helper()
		wantText(t, strings.Join(p.errors, "\n"), "expire_at must be in the future when the key is created")
	}
	past(d.planned(fixed(0))) // this very second
	past(d.apply(plainKey.with(args{"expire_at": unknown}), fixed(-1)))
	d.apply(fixed(100))

	now.at(100, 0)
	p := d.planned(fixed(100))
	if p.action != "none" {
		t.Errorf("%s because of %v", p.action, p.replaces)
	}
	wantText(t, strings.Join(p.warnings, "\n"), ") has expired: The key expired at "+date(100))
	past(d.planned(fixed(100).with(args{"name": "other"})))
	p = d.planned(fixed(200))
	if p.action != "replace" || strings.Contains(p.String(), "stays valid") {
		t.Errorf("%s, and what has expired is called valid:\n%s", p.action, p.diagnoses)
	}
	wantText(t, p.String(), "has expired and is replaced: The key is replaced because expire_at changed.", "expired at "+date(100))

	// One that passes between plan and apply is rejected before the request. With
	// create_before_destroy, the state keeps the old key and its secret.
	d.block.CreateBeforeDestroy = true
	secret := d.get("key_secret")
	now.at(201, 0)
	f.ResetJournal()
	past(d.carryOut(p, fixed(200)))
	f.wantWrites()
	if deposed := d.block.Deposed; len(deposed) != 1 || deposed[0].Value.GetAttr("key_secret").AsString() != secret {
		t.Errorf("deposed: %v", deposed)
	}

	d.reset()
	d.apply(fixed(300))
	now.at(301, 0)
	planned, applied := d.destroy()
	for _, all := range []diagnoses{planned, applied} {
		if len(all.warnings) != 1 || strings.Contains(all.warnings[0], "valid") {
			t.Error(all)
		}
		wantText(t, all.String(), "has expired and stays on the platform", "expired at "+date(300))
	}
}
