package adopt

import (
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestMemberThatNoElementHas has responses that have a member for no mapping at all: they say nothing of it. Where
// one mapping has it, the others have the empty value.
func TestMemberThatNoElementHas(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"mappings": usual})
	tf.events = events{to("", lacks("sorted"))}
	for _, one := range []string{"events sorted without phone", "events without phone", "events sorted without phone"} { // also of one that is added
		tf.config["mappings"], tf.requests = one+", items", nil
		o := tf.apply()
		tf.wantSent("2 GETs, PATCH -events, PATCH +events") // no response leaves a doubt
		tf.wantQuiet(o)
	}
	tf.events = events{to("", lacks("sorted", "events"))}
	if o := tf.plan(); o.Action != terraformtest.Update {
		t.Errorf("the plan is to %s", o.Action)
	}
}

// TestAcceptedAndNotReturned has a value that the platform accepts and does not return while another
// one is off: a warning each time it is sent, and never an error. Otherwise it counts as never
// returned, until it is returned again.
func TestAcceptedAndNotReturned(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"threads": 3, "name": "crm"})
	tf.events = events{to("", func(pipe tfvalue.Value) tfvalue.Value {
		if pipe.At("name").Text() == "off" {
			return pipe.Without("threads")
		}
		return pipe
	})}
	const is = "API does not return all values of pipe "
	tf.plays(
		act{config: m{"name": "off"}, sent: "PATCH name", warnings: []string{"- threads: was 3, is now not set"}, drifts: true},
		act{sent: "PATCH threads", warnings: []string{is + `"off" (` + firstPipe + ")"}},
		act{config: m{"columns": []any{"c"}}, sent: "PATCH columns threads"},
		act{config: m{"threads": 6}, sent: "PATCH threads", warnings: []string{is + `"off"`}},
		act{config: m{"name": "on"}, sent: "PATCH name threads"},
		act{console: m{"threads": 1}, sent: "PATCH threads"},
	)
}

// TestResetLeavesAreCarried has a platform that resets what a PATCH omits: the next plan shows what is managed of it, and
// from then on each PATCH carries it. So it is quiet after two plans. What nobody manages is carried by none.
func TestResetLeavesAreCarried(t *testing.T) {
	t.Parallel()
	for result, shown := range map[string]events{"of a response": nil, "of no response": {none}, "of a response of the past": {past}} {
		t.Run(result, func(t *testing.T) {
			t.Parallel()
			tf := adopted(t, m{"name": "crm", "threads": 3, "columns": []any{"a", "b"}})
			tf.resets, tf.events = true, shown
			tf.plays(
				act{config: m{"threads": 4}, sent: "PATCH threads", drifts: true, warnings: []string{
					"- certificate: was \"c\", is now \"\"\n  - columns: was [\"a\", \"b\"], is now []\n  - destination.table.rows: was 4, is now 0\n  - name: was \"crm\", is now \"\""}},
				act{sent: "PATCH columns name", warnings: []string{"- threads: was 4, is now 0"}, drifts: true},
				act{sent: "PATCH columns name threads"},
				act{config: m{"name": "new"}, sent: "PATCH columns name threads"},
				act{config: m{"credentials": m{"version": "1"}}, sent: "PATCH columns credentials.version name threads"},
				act{config: m{"mappings": changed}, sent: "PATCH columns name threads -events, PATCH columns name threads +events"},
				act{console: m{"columns": []any{"ne\u0301", "b"}}, config: m{"columns": []any{"n\u00e9", "b"}, "threads": 7}, sent: "PATCH name threads",
					warnings: []string{"\"b\"], is now []"}, drifts: true},
			)
		})
	}
}

// TestCarriedLeaves has a pipe of which an update has once reset the threads: a PATCH carries them as they are by then, as
// it does the columns that a certificate needs.
func TestCarriedLeaves(t *testing.T) {
	const moved = "- threads: was 3, is now 9"
	limited := &platform.Error{}
	for !platform.IsRateLimited(limited) {
		limited.Kind++
	}
	eachRow(t, scene.play, map[string]scene{
		"as the platform has them": {reset: true, events: events{before(0, 1, 9, "threads")}, sent: "GET, PATCH name threads", differs: true},
		"after an attempt that failed, from a new read": {reset: true, events: events{before(1, 0, 9, "threads"), busy(1)},
			sent: "GET, PATCH name threads, GET, PATCH name threads, GET", warnings: []string{moved}, differs: true},
		"after a wait in the queue, from a new read": {reset: true, events: events{before(1, 0, 9, "threads"), queues(0, 1, 11*time.Second)},
			sent: "2 GETs, PATCH name threads", took: 11 * time.Second},
		"after a 429, from the same read": {reset: true, events: events{fails(1, false, limited)}, sent: "GET, PATCH name threads, PATCH name threads"},
		"no read before another attempt": {reset: true, events: events{busy(1), forbidsRead(1, 1)}, sent: "GET, PATCH name threads, GET",
			errors: []string{"Nothing more was sent: Tried to "}},
		"with both steps": {reset: true, config: m{"mappings": changed}, sent: "GET, PATCH name threads -events, PATCH threads +events"},
		"which change between the steps": {reset: true, config: m{"mappings": changed}, events: events{stores(1, keeps(9, "threads"))},
			sent: "GET, PATCH name threads -events, PATCH threads +events, GET", warnings: []string{moved}, differs: true},
		"what a leaf needs":                     {config: m{"name": "crm", "certificate": "new"}, sent: "GET, PATCH certificate columns"},
		"what a leaf needs, and nobody manages": {config: m{"name": "crm", "columns": nil, "certificate": "new"}, sent: "GET, PATCH certificate"},
	})
}

// TestInterruptBetweenRemovalAndAddition has a user who interrupts the apply while the removal is under way: waits end,
// nothing new is sent, but for the addition.
func TestInterruptBetweenRemovalAndAddition(t *testing.T) {
	const maybe = "may have been removed"
	change := m{"mappings": changed}
	eachRow(t, scene.play, map[string]scene{
		"the addition follows": {config: change, events: events{interrupts(1, 0)}, sent: "GET, PATCH name -events, PATCH +events"},
		"the removal is late by less than a request may take": {config: change, lag: 3 * time.Second, events: events{interrupts(1, 0)},
			sent: "GET, PATCH name -events, 4 GETs, PATCH +events", took: 3500 * time.Millisecond, errors: []string{unread, maybe}},
		"the removal is not there in the time of a request": {config: change, events: events{interrupts(1, 0), stores(0, keeps(usual, "mappings"))},
			sent: "GET, PATCH name -events, 5 GETs", took: 10 * time.Second, errors: []string{unread, maybe}},
		"the outcome of the removal is not known": {config: change, events: events{interrupts(1, 0), lost(1, true)},
			sent: "GET, PATCH name -events, GET, PATCH +events"},
		"nothing was removed": {config: m{"threads": 5}, events: events{interrupts(0, 1)}, sent: "GET", errors: []string{"Interrupted before it was sent"}},
	})
}

// TestMovedByTheChange has leaves that the platform derives from another one, which is no warning, and leaves that it
// changes beside.
func TestMovedByTheChange(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "crm", "threads": 3})
	tf.block.IgnoreChanges = []cty.Path{cty.GetAttrPath("columns")}
	tf.plays(
		act{config: m{"threads": 4}, events: events{stores(0, keeps(99, "memory"))}, sent: "PATCH threads"}, // with which the memory changes
		act{config: m{"name": "newer"}, events: events{stores(0, keeps(9, "memory"))}, sent: "PATCH name", warnings: []string{"- memory: was 99, is now 9"}},
		act{config: m{"name": "newest"}, events: events{stores(0, keeps(1, "memory")), stores(0, keeps([]any{"d"}, "columns"))}, sent: "PATCH name",
			warnings: []string{"- columns: was [\"a\", \"b\"], is now [\"d\"]\n  - memory: was 9, is now 1"}},
		act{config: m{"name": "again", "columns": []any{"c"}}, events: events{stores(0, keeps([]any{}, "columns"))}, sent: "PATCH name",
			warnings: []string{"- columns: was [\"d\"], is now []"}},
	)
}
