package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// wantCounts compares how many lists and updates there were since the journal
// was reset, and resets it. The lists are at most as many.
func (f *fixture) wantCounts(what string, lists, updates int) {
	f.t.Helper()
	gotLists, gotUpdates := len(f.RequestsOf(mockplatform.ListServices)), len(f.RequestsOf(mockplatform.UpdateScaling))
	f.ResetJournal()
	f.t.Logf("%s: %d lists, %d updates", what, gotLists, gotUpdates)
	if gotLists > lists || gotLists == 0 {
		f.t.Errorf("%s: %d lists, want 1 to %d", what, gotLists, lists)
	}
	if gotUpdates != updates {
		f.t.Errorf("%s: %d updates, want %d", what, gotUpdates, updates)
	}
}

// TestScalingOfManyCostsFewLists counts what hundreds of services cost, each
// with a resource of its own.
func TestScalingOfManyCostsFewLists(t *testing.T) {
	const many = 300
	f := newFixture(t)
	ids := f.AddServices(mockplatform.OrganizationID, many)
	config := func(replicas int) string {
		return f.provider() + scalings("this", ids, fmt.Sprintf("num_replicas = %d", replicas)) +
			"data \"dataplatform_services\" \"a\" {}\ndata \"dataplatform_services\" \"b\" {}\n"
	}
	w := f.workspace(config(6))
	w.apply()
	f.wantCounts("adopting", 12, many)
	w.file("main.tf", config(7))
	w.apply()
	f.wantCounts("changing", 12, many)
	w.wantEmptyPlan()
	f.wantCounts("a plan", 2, 0)
	f.RemoveServices(mockplatform.OrganizationID)
	w.apply("-refresh-only")
	f.wantCounts("disappearance", 2, 0)
	if left := w.states(); slices.ContainsFunc(left, func(address string) bool { return strings.HasPrefix(address, "dataplatform_") }) {
		t.Errorf("left in the state: %q", left)
	}
}

// TestScalingWriteThenRead has pairs of a write and a list that must show it,
// all at the same time in one apply.
func TestScalingWriteThenRead(t *testing.T) {
	const pairs = 12
	f := newFixture(t)
	ids := f.AddServices(mockplatform.OrganizationID, pairs)
	config := func(replicas int) string {
		var b strings.Builder
		b.WriteString(f.provider())
		for i, id := range ids {
			fmt.Fprintf(&b, `
resource "dataplatform_service_scaling" "s%[1]d" {
  service_id   = %[2]q
  num_replicas = %[3]d
}
data "dataplatform_services" "s%[1]d" {
  depends_on = [dataplatform_service_scaling.s%[1]d]
}
output "s%[1]d" {
  value = one([for s in data.dataplatform_services.s%[1]d.services : s.num_replicas if s.id == %[2]q])
}
`, i, id, replicas)
		}
		return b.String()
	}
	w := f.workspace(config(6))
	for _, replicas := range []int{6, 7} {
		w.file("main.tf", config(replicas))
		w.apply()
		f.wantCounts("pairs", 2*pairs+2, pairs)
		out, err := w.command(t.Context(), "output", "-json").Output()
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(out), fmt.Sprintf(`"value": %d`, replicas)); n != pairs {
			t.Errorf("%d of %d lists show the write:\n%s", n, pairs, out)
		}
	}
}

// TestScalingUnknown has ids and values that are known only when applied: what
// needs them waits, and nothing is sent for what stays the same.
func TestScalingUnknown(t *testing.T) {
	f := newFixture(t)
	later := func(service, replicas string) string {
		return f.provider() + fmt.Sprintf(`
resource "terraform_data" "later" {
  input = { service = %q, replicas = %s, organization = %q }
}
resource "dataplatform_service_scaling" "this" {
  organization_id = terraform_data.later.output.organization
  service_id      = terraform_data.later.output.service
  num_replicas    = terraform_data.later.output.replicas
}
`, service, replicas, mockplatform.OrganizationID)
	}
	w := f.workspace(later(mockplatform.ServiceID, "4"))
	w.planText()
	f.wantRequests()
	wantText(t, w.apply(), `Creating this resource overwrites current values of service "events-eu" (`+mockplatform.ServiceID+")", "- num_replicas (currently 3)")
	f.wantWrites(`{"numReplicas": 4}`)

	// Checks that a plan had to skip are made before anything is sent.
	for _, bad := range []struct{ service, replicas, says string }{
		{mockplatform.ServiceID, "21", "num_replicas must be between 1 and 20, got 21."},
		{mockplatform.ServiceID, "2.5", "num_replicas must be a whole number between 1 and 20, got 2.5."},
		{"events-eu", "4", "service_id must be a UUID"},
		{"29999999-0000-4000-8000-000000000009", "4", "There is no service 29999999-0000-4000-8000-000000000009 in organization " + mockplatform.OrganizationID},
	} {
		w.file("main.tf", later(bad.service, bad.replicas))
		out, ok := w.terraform("apply", "-auto-approve")
		if ok {
			t.Errorf("applied %s:\n%s", bad.says, out)
		}
		wantText(t, out, bad.says)
		wantNoText(t, out, "bug in the provider")
	}
	if n := f.Count(http.MethodPatch, ""); n != 0 {
		t.Errorf("%d writes", n)
	}
}
