package provider

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// TestScenes has worlds in which a column was uncovered once, or a mapping lost: what happens
// in them, and what is left on the platform.
func TestScenes(t *testing.T) {
	t.Parallel()
	const changed = "changed during the apply"
	for name, test := range map[string]struct {
		plan, platform   string
		fault            string
		faultAt          int
		colleague, table string
		actsBefore       int
		err              string
		left             smallSet
	}{
		"a removal waits for a limit, and a column is excluded": {
			"a column more", "keeps", "429", 1, "excludes", "users", 2, changed,
			smallHeld.with("users>users", smallMapping{"password,phone,secret", "id"}),
		},
		"an addition waits for a limit, and the mapping is added again": {
			"a column more", "keeps", "429", 2, "adds again", "users", 3, changed,
			smallHeld.with("users>users", smallMapping{"password,phone,secret", ""}),
		},
		"another object holds the removal back, and a column is excluded": {
			"a column more", "keeps", "another 429", 0, "excludes", "users", 1, changed,
			smallHeld.with("users>users", smallMapping{"password,phone,secret", "id"}),
		},
		"a response is lost, and another mapping is sorted": {
			"a column more", "adds first", "lost after", 1, "sorts", "orders", 2, "",
			smallSet{"users>users": {"password,ssn", ""}, "orders>orders": {"password,phone", "other"}},
		},
		"a response of an adoption is lost, and another mapping is sorted": {
			"an adoption", "keeps", "lost after", 2, "sorts", "orders", 3, "",
			smallSet{"users>users": smallUsers, "orders>orders": {"password,phone", "other"}, "people>people": {"email", ""}},
		},
		"another mapping changes right before the removal": {
			"a column more", "keeps", "", 0, "excludes", "orders", 1, "",
			smallSet{"users>users": {"password,ssn", ""}, "orders>orders": {"password,phone,secret", "id"}},
		},
		"a change of the name waits for a limit, and a column is excluded": {
			"the name alone", "resets to empty", "another 429", 0, "excludes", "users", 1, "",
			smallHeld.with("users>users", smallMapping{"password,phone,secret", "id"}),
		},
		"a change of the name waits for a limit, and a mapping is removed": {
			"the name alone", "keeps", "429", 1, "removes", "users", 2, "",
			smallSet{"orders>orders": smallOrders},
		},
		"the platform drops another mapping": {
			"a column more", "drops others with a removal", "", 0, "", "", 0, "",
			smallHeld.with("users>users", smallMapping{"password,ssn", ""}),
		},
		"the platform resets the mappings, and omits them": {
			"the name alone", "omits what is empty, and resets to it", "", 0, "", "", 0, "",
			smallHeld,
		},
		"the platform clears a member of another mapping": {
			"a column more", "clears others", "", 0, "", "", 0, "",
			smallSet{"users>users": {"password,ssn", ""}, "orders>orders": {"phone", ""}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := slices.IndexFunc(smallPlans, func(p smallPlan) bool { return p.title == test.plan })
			platform := slices.IndexFunc(smallPlatforms, func(p smallPlatform) bool { return p.title == test.platform })
			synctest.Test(t, func(t *testing.T) {
				b := smallBaseOf(t, plan, platform)
				w := b.world()
				w.fault, w.faultAt, w.colleague, w.table, w.actsBefore = test.fault, test.faultAt, test.colleague, test.table, test.actsBefore
				for _, wrong := range b.play(w) {
					t.Error(wrong)
				}
				if text := strings.Join(w.errors, "\n"); !strings.Contains(text, test.err) || (text == "") != (test.err == "") || !maps.Equal(w.held(), test.left) || (test.colleague != "") == w.acted.IsZero() {
					t.Errorf("errors %q, left %v, want %v\n%s", w.errors, w.held(), test.left, w.story())
				}
			})
		})
	}
}
