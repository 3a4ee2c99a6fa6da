package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
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

// TestScalingUnreadableListRemovesNothing breaks the list in every way that could be
// mistaken for a list without the service.
func TestScalingUnreadableListRemovesNothing(t *testing.T) {
	f := newFixture(t)
	all := f.scalings(ourServices, "")
	all.settings = map[string]any{"retry_timeout": "0s"}
	all.apply()
	for _, broken := range []struct {
		name  string
		fault mockplatform.Fault
		says  string
	}{
		{"null result", mockplatform.Fault{Result: `null`}, `no "result"`},
		{"no result", mockplatform.Fault{Result: mockplatform.ResultMissing}, `no "result"`},
		{"an object", mockplatform.Fault{Result: `{}`}, "an object"},
		{"a text", mockplatform.Fault{Result: `"none"`}, "a string"},
		{"an entry without id", mockplatform.Fault{Result: `[{"name": "events-eu"}]`}, "has no ID"},
		{"an entry with null as id", mockplatform.Fault{Result: `[{"id": null}]`}, "has no ID"},
		{"an entry that is null", mockplatform.Fault{Result: `[null]`}, "has no ID"},
		{"an id that is a number", mockplatform.Fault{Result: `[{"id": 7}]`}, "has no ID"},
		{"status 404 in the envelope", mockplatform.Fault{Result: `[]`, Edit: func(body mockplatform.Document) { body["status"] = 404 }}, "contradicts itself"},
		{"a gateway's 404", mockplatform.Fault{Status: http.StatusNotFound, Body: mockplatform.BodyHTML}, "404"},
		{"the API's own 404", mockplatform.Fault{Status: http.StatusNotFound}, "404"},
		{"403", mockplatform.Fault{Status: http.StatusForbidden, Message: "no such role"}, "no such role"},
		{"401", mockplatform.Fault{Status: http.StatusUnauthorized}, "key_id and key_secret"},
		{"204", mockplatform.Fault{Status: http.StatusNoContent, Body: mockplatform.BodyEmpty}, "204"},
		{"a page with 200", mockplatform.Fault{Status: http.StatusOK, Body: mockplatform.BodyHTML}, "page"},
		{"nothing with 200", mockplatform.Fault{Status: http.StatusOK, Body: mockplatform.BodyEmpty}, "empty"},
		{"a redirect", mockplatform.Fault{Location: "https://login.example.com/"}, "redirect"},
		{"cut short", mockplatform.Fault{Cut: mockplatform.CutBody, CutBytes: 200}, "no complete response"},
	} {
		broken.fault.Operation, broken.fault.Times = mockplatform.ListServices, mockplatform.Always
		f.Inject(broken.fault)
		f.ResetJournal()
		said := diagnosesOf(all.refresh())
		f.ClearFaults()
		if n := strings.Count(said.String(), "Cannot read service"); n != len(ourServices) || !strings.Contains(said.String(), broken.says) || len(said.warnings) > 0 {
			t.Errorf("%s: %d errors for %d services, want %q in %s", broken.name, n, len(ourServices), broken.says, said)
		}
		if n := f.Count(http.MethodGet, ""); n != 1 {
			t.Errorf("%s: %d lists, want 1: a failed one is shared", broken.name, n)
		}
		if left := all.left(); len(left) != len(ourServices) {
			t.Errorf("%s: left in state: %q", broken.name, left)
		}
	}
}

// TestScalingGone takes services away: one list more confirms it for all that miss, and
// each is reported.
func TestScalingGone(t *testing.T) {
	f := newFixture(t)
	all := f.scalings(ourServices, "")
	all.apply()
	all.refresh()

	// Missing from one list alone is not gone.
	f.ResetJournal()
	f.Inject(mockplatform.Fault{Operation: mockplatform.ListServices, Result: `[]`})
	if said := diagnosesOf(all.refresh()); len(said.warnings)+len(said.errors) > 0 {
		t.Error(said)
	}
	f.wantRequests("GET services", "GET services")

	// Nor is it on the word of the first list if the second one fails.
	f.RemoveService(mockplatform.ReadonlyServiceID)
	f.RemoveService(mockplatform.FullServiceID)
	f.Inject(mockplatform.Fault{Operation: mockplatform.ListServices, Skip: 1, Times: mockplatform.Always, Status: http.StatusForbidden})
	if said := diagnosesOf(all.refresh()); len(said.errors) == 0 || len(said.warnings) > 0 || len(all.left()) != len(ourServices) {
		t.Errorf("left in state: %q, %s", all.left(), said)
	}
	f.ClearFaults()
	f.ResetJournal()

	said := folded(diagnosesOf(all.refresh()).String())
	for name, id := range map[string]string{"events-eu-readers": mockplatform.ReadonlyServiceID, "ledger-us": mockplatform.FullServiceID} {
		wantText(t, said, fmt.Sprintf("The service %q (%s) is gone", name, id))
	}
	wantText(t, said, "The API no longer returns it in organization "+mockplatform.OrganizationID+" (two consecutive lists omit it), so Terraform treats it as deleted.")
	f.wantRequests("GET services", "GET services")
	if left := all.left(); len(left) != 1 || left[0] != mockplatform.ServiceID {
		t.Errorf("left in state: %q", left)
	}

	// An organization that lost all its services returns an empty list.
	f.RemoveServices(mockplatform.OrganizationID)
	wantText(t, diagnosesOf(all.refresh()).String(), `The service "events-eu" (`+mockplatform.ServiceID+") is gone")
	f.wantRequests("GET services", "GET services")
	if left := all.left(); len(left) != 0 {
		t.Errorf("left in state: %q", left)
	}
}

// TestScalingOfManyOrganizations reads each organization once.
func TestScalingOfManyOrganizations(t *testing.T) {
	f := newFixture(t)
	all := f.scalings(append([]string{mockplatform.BeaconServiceID}, ourServices...), "idle_timeout_minutes = 40")
	all.settings = map[string]any{"max_concurrent_requests": 1}
	all.blocks[0].ids["organization_id"] = cty.StringVal(mockplatform.OtherOrganizationID)
	all.apply()
	for i, id := range append([]string{mockplatform.BeaconServiceID}, ourServices...) {
		organization := map[bool]string{true: mockplatform.OtherOrganizationID, false: mockplatform.OrganizationID}[i == 0]
		if n := f.Count(http.MethodPatch, "/v1/organizations/"+organization+"/services/"+id+"/scaling"); n != 1 {
			t.Errorf("%d updates of %s in its organization", n, id)
		}
	}
	if peak := f.PeakInFlight(); peak != 1 {
		t.Errorf("%d requests at once, want 1", peak)
	}
	f.ResetJournal()
	all.refresh()
	if n := f.Count(http.MethodGet, ""); n != 2 {
		t.Errorf("%d lists for two organizations, want 2", n)
	}
	// One that can't be read leaves the other alone.
	f.Inject(mockplatform.Fault{Path: mockplatform.OtherOrganizationID, Times: mockplatform.Always, Status: http.StatusForbidden})
	if said := diagnosesOf(all.refresh()); len(said.errors) != 1 {
		t.Errorf("want one error: %s", said)
	}
}

// wantCounts compares how many lists and updates there were since the journal was reset,
// and resets it. The lists are at most as many.
func (f *fixture) wantCounts(what string, lists, updates int) {
	f.t.Helper()
	gotLists, gotUpdates := len(f.RequestsOf(mockplatform.ListServices)), len(f.RequestsOf(mockplatform.UpdateScaling))
	f.ResetJournal()
	if gotLists > lists || gotLists == 0 || gotUpdates != updates {
		f.t.Errorf("%s: %d lists and %d updates, want at most %d and %d", what, gotLists, gotUpdates, lists, updates)
	}
}

// readServices reads the data source of all services.
func (f *fixture) readServices(s server) tfvalue.Value {
	f.t.Helper()
	typ := schemasOnce().DataSourceSchemas["dataplatform_services"].ValueType()
	resp, err := s.ReadDataSource(f.t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: "dataplatform_services", Config: dynamic(f.t, unset(typ, nil).Value)})
	if err != nil || len(resp.Diagnostics) > 0 {
		f.t.Error(err, resp)
		return tfvalue.Null(typ)
	}
	read, err := resp.State.Unmarshal(typ)
	if err != nil {
		f.t.Error(err)
	}
	return tfvalue.Of(read)
}

// TestScalingOfManyCostsFewLists counts what many services cost, each with a resource
// of its own.
func TestScalingOfManyCostsFewLists(t *testing.T) {
	const many = 60
	f := newFixture(t)
	all := f.scalings(f.AddServices(mockplatform.OrganizationID, many), "num_replicas = 6")
	all.apply()
	f.wantCounts("adopting", 12, many)
	for _, b := range all.blocks {
		b.arguments = "num_replicas = 7"
	}
	all.apply()
	f.wantCounts("changing", 12, many)
	all.each(func(s server, i int) *result {
		if i < 2 { // data sources share the list
			f.readServices(s)
		}
		return all.blocks[i].tryPlan(s)
	})
	f.wantCounts("a plan", 2, 0)
	f.RemoveServices(mockplatform.OrganizationID)
	all.refresh()
	f.wantCounts("disappearance", 2, 0)
	if left := all.left(); len(left) > 0 {
		t.Errorf("left in the state: %q", left)
	}
}

// TestScalingWriteThenRead has pairs of a write and a list that must show it, all at the
// same time in one apply.
func TestScalingWriteThenRead(t *testing.T) {
	const pairs = 12
	f := newFixture(t)
	all := f.scalings(f.AddServices(mockplatform.OrganizationID, pairs), "num_replicas = 6")
	plans := all.tryPlan()
	all.each(func(s server, i int) *result {
		all.blocks[i].carryOut(s, plans[i])
		for _, service := range f.readServices(s).At("services").Elements() {
			if service.At("id").Text() == all.blocks[i].id && service.At("num_replicas").Number().String() != "6" {
				t.Errorf("the list after the write of %s has %v", all.blocks[i].id, service)
			}
		}
		return plans[i]
	})
	f.wantCounts("pairs", 2*pairs+2, pairs)
}
