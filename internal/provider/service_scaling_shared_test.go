package provider

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// What one list of services says to the resources of a run.

// scalings are blocks for the scaling of services.
func (f *fixture) scalings(ids []string, arguments string) together {
	var all together
	for _, id := range ids {
		all.blocks = append(all.blocks, f.scaling(id, arguments))
	}
	return all
}

// left are the services in the state.
func (all together) left() (ids []string) {
	for _, b := range all.blocks {
		if !b.state.IsNull() {
			ids = append(ids, b.id)
		}
	}
	return ids
}

// diagnosesOf returns the diagnostics of all blocks.
func diagnosesOf(results []*result) (all diagnoses) {
	for _, r := range results {
		all = all.and(r.diagnoses)
	}
	return all
}

// TestScalingGone takes services away: one list more confirms it for all that miss, and
// each is reported. What a list cannot say removes none. Every order of lists, and every
// list that cannot be read, are tests of the client's.
func TestScalingGone(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		all := f.scalings(ourServices, "")
		all.apply()
		for _, unreadable := range []mockplatform.Fault{{Result: `[{"id": null}]`}, {Result: `[null]`}, {Status: http.StatusNotFound}} {
			unreadable.Operation, unreadable.Times = mockplatform.ListServices, mockplatform.Always
			f.Inject(unreadable)
			f.ResetJournal()
			said := diagnosesOf(all.refresh())
			f.ClearFaults()
			f.wantRequests("GET services")
			if len(said.errors) != len(ourServices) || len(said.warnings) > 0 || len(all.left()) != len(ourServices) {
				t.Errorf("left in state: %q, %s", all.left(), said)
			}
		}

		f.RemoveService(mockplatform.ReadonlyServiceID)
		f.RemoveService(mockplatform.FullServiceID)
		said := folded(diagnosesOf(all.refresh()).String())
		for name, id := range map[string]string{"events-eu-readers": mockplatform.ReadonlyServiceID, "ledger-us": mockplatform.FullServiceID} {
			wantText(t, said, fmt.Sprintf("The service %q (%s) is gone", name, id))
		}
		wantText(t, said, "The API no longer returns it in organization "+mockplatform.OrganizationID+" (two consecutive lists omit it), so Terraform treats it as deleted.")
		f.wantRequests("GET services", "GET services")
		if left := all.left(); len(left) != 1 || left[0] != mockplatform.ServiceID {
			t.Errorf("left in state: %q", left)
		}
	})(t)
}

// wantCounts compares how many lists and updates there were since the journal was reset,
// and resets it.
func (f *fixture) wantCounts(what string, lists, updates int) {
	f.t.Helper()
	gotLists, gotUpdates := len(f.RequestsOf(mockplatform.ListServices)), len(f.RequestsOf(mockplatform.UpdateScaling))
	f.ResetJournal()
	if gotLists != lists || gotUpdates != updates {
		f.t.Errorf("%s: %d lists and %d updates, want %d and %d", what, gotLists, gotUpdates, lists, updates)
	}
}

// TestScalingOfManyCostsFewLists counts what many services cost, each with a resource
// of its own, until all of them are gone: a list in the plan of an adoption, and one for each
// of the two reads in its apply. No more requests are sent at a time than the
// provider's setting allows.
func TestScalingOfManyCostsFewLists(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		const many = 60
		f.Configure(func(b *mockplatform.Behaviour) { b.Latency = 5 * time.Millisecond }) // so that requests would overlap
		all := f.scalings(f.AddServices(mockplatform.OrganizationID, many), "num_replicas = 6")
		all.settings = map[string]any{"max_concurrent_requests": 1}
		all.apply()
		if peak := f.PeakInFlight(); peak != 1 {
			t.Errorf("%d requests at a time, want 1", peak)
		}
		f.wantCounts("adopting", 3, many)
		all.tryPlan()
		f.wantCounts("a plan", 1, 0)
		f.RemoveServices(mockplatform.OrganizationID)
		all.refresh()
		f.wantCounts("disappearance", 2, 0)
		if left := all.left(); len(left) > 0 {
			t.Errorf("left in the state: %q", left)
		}
	})(t)
}
