package provider

import (
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
		for i, r := range all.refresh() {
			wantWarning(t, r.warnings, "("+all.blocks[i].id+") is gone: Terraform treats it as deleted, because in organization "+mockplatform.OrganizationID+
				" two consecutive lists of its services omit it.")
			if !all.blocks[i].state.IsNull() {
				t.Error("a service that is gone is in the state")
			}
		}
		f.wantCounts("disappearance", 2, 0)
	})(t)
}
