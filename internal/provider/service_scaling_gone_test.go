package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// scalings is the scaling of each service, in one block.
func scalings(name string, ids []string, arguments string) string {
	return fmt.Sprintf(`
resource "dataplatform_service_scaling" %q {
  for_each   = toset(%s)
  service_id = each.key
%s
}
`, name, listOf(ids), arguments)
}

// listOf spells strings as a list, which JSON and HCL spell alike.
func listOf(texts []string) string {
	spelled, err := json.Marshal(texts)
	if err != nil {
		panic(err)
	}
	return string(spelled)
}

// states are the addresses in the workspace's state.
func (w *workspace) states() []string {
	w.t.Helper()
	out, err := w.command(w.t.Context(), "state", "list").Output()
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// ourServices are those of the seed's first organization.
var ourServices = []string{mockplatform.ServiceID, mockplatform.ReadonlyServiceID, mockplatform.FullServiceID}

// TestScalingUnreadableListRemovesNothing breaks the list in every way that
// could be mistaken for a list without the service.
func TestScalingUnreadableListRemovesNothing(t *testing.T) {
	faults := []struct {
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
	}
	f := newFixture(t)
	once := strings.Replace(f.provider(), `"5s"`, `"0s"`, 1)
	w := f.workspace(once + scalings("this", ourServices, ``))
	w.apply()
	for _, broken := range faults {
		fault := broken.fault
		fault.Operation, fault.Times = mockplatform.ListServices, mockplatform.Always
		f.ResetJournal()
		f.Inject(fault)
		out, ok := w.terraform("apply", "-refresh-only", "-auto-approve")
		f.ClearFaults()
		if ok || strings.Contains(out, "is gone") {
			t.Errorf("%s: no error:\n%s", broken.name, out)
		}
		if n := strings.Count(out, "Cannot read service"); n != len(ourServices) {
			t.Errorf("%s: %d errors for %d services", broken.name, n, len(ourServices))
		}
		if !strings.Contains(out, broken.says) {
			t.Errorf("%s: no %q in\n%s", broken.name, broken.says, out)
		}
		if n := f.Count(http.MethodGet, ""); n != 1 {
			t.Errorf("%s: %d lists, want 1: a failed one is shared", broken.name, n)
		}
	}
	if got := w.states(); len(got) != len(ourServices) {
		t.Errorf("left in state: %q", got)
	}
	w.wantEmptyPlan()
}

// TestScalingGone takes services away: one list more confirms it for all that
// miss, and each is reported.
func TestScalingGone(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() + scalings("this", ourServices, ``))
	w.apply()

	// Missing from one list alone is not gone.
	f.ResetJournal()
	f.Inject(mockplatform.Fault{Operation: mockplatform.ListServices, Result: `[]`})
	w.wantEmptyPlan()
	f.wantRequests("GET services", "GET services")

	f.RemoveService(mockplatform.ReadonlyServiceID)
	f.RemoveService(mockplatform.FullServiceID)
	out := w.apply("-refresh-only")
	for name, id := range map[string]string{"events-eu-readers": mockplatform.ReadonlyServiceID, "ledger-us": mockplatform.FullServiceID} {
		wantText(t, out, fmt.Sprintf("The service %q (%s) is gone", name, id))
	}
	wantText(t, out, "The API no longer returns it in organization "+mockplatform.OrganizationID+" (two consecutive lists omit it), so Terraform treats it as deleted.")
	f.wantRequests("GET services", "GET services")
	if got := w.states(); len(got) != 1 || !strings.Contains(got[0], mockplatform.ServiceID) {
		t.Errorf("left in state: %q", got)
	}

	// An organization that lost all its services answers an empty list.
	f.RemoveServices(mockplatform.OrganizationID)
	out = w.apply("-refresh-only")
	wantText(t, out, `The service "events-eu" (`+mockplatform.ServiceID+") is gone")
	f.wantRequests("GET services", "GET services")
	if got := w.states(); len(got) != 0 {
		t.Errorf("left in state: %q", got)
	}
}

// TestScalingGoneNeedsTwoGoodLists has a second list that fails: nothing is
// removed on the word of the first alone.
func TestScalingGoneNeedsTwoGoodLists(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() + scalings("this", ourServices, ``))
	w.apply()
	f.RemoveServices(mockplatform.OrganizationID)
	f.Inject(mockplatform.Fault{Operation: mockplatform.ListServices, Skip: 1, Times: mockplatform.Always, Status: http.StatusForbidden})
	out, ok := w.terraform("apply", "-refresh-only", "-auto-approve")
	if ok || strings.Contains(out, "is gone") {
		t.Errorf("no error:\n%s", out)
	}
	if got := w.states(); len(got) != len(ourServices) {
		t.Errorf("left in state: %q", got)
	}
}

// TestScalingOfManyOrganizations reads each organization once.
func TestScalingOfManyOrganizations(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider(`max_concurrent_requests = 1`) + scalings("ours", ourServices, `idle_timeout_minutes = 40`) +
		scalings("theirs", []string{mockplatform.BeaconServiceID}, `
  organization_id      = "`+mockplatform.OtherOrganizationID+`"
  idle_timeout_minutes = 50`))
	w.apply()
	var patched []string
	for _, r := range f.RequestsOf(mockplatform.UpdateScaling) {
		patched = append(patched, strings.TrimPrefix(r.Path, "/v1/organizations/")+" "+r.Body)
	}
	slices.Sort(patched)
	var want []string
	for _, id := range ourServices {
		want = append(want, mockplatform.OrganizationID+"/services/"+id+`/scaling {"idleTimeoutMinutes":40}`)
	}
	want = append(want, mockplatform.OtherOrganizationID+"/services/"+mockplatform.BeaconServiceID+`/scaling {"idleTimeoutMinutes":50}`)
	if !slices.Equal(patched, want) {
		t.Errorf("sent %q, want %q", patched, want)
	}

	if peak := f.PeakInFlight(); peak != 1 {
		t.Errorf("%d requests at once, want 1", peak)
	}

	f.ResetJournal()
	w.wantEmptyPlan()
	if n := f.Count(http.MethodGet, ""); n != 2 {
		t.Errorf("%d lists for two organizations, want 2", n)
	}

	// One that can't be read leaves the other alone.
	f.Inject(mockplatform.Fault{Path: mockplatform.OtherOrganizationID, Times: mockplatform.Always, Status: http.StatusForbidden})
	out, ok := w.terraform("plan")
	if ok || strings.Count(out, "Cannot read service") != 1 {
		t.Errorf("want one error:\n%s", out)
	}
}
