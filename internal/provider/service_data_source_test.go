package provider

import (
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// TestServiceDataSource looks a service up by name: one list serves all, names
// compare exactly, and a name that several or none have is an error.
func TestServiceDataSource(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() + `
data "dataplatform_service" "named" { name = "ledger-us" }
data "dataplatform_service" "of_id" { id = "` + mockplatform.ServiceID + `" }
data "dataplatform_services" "all" {}
`)
	w.apply()
	f.wantRequests("GET services")
	state := w.state()
	if got := state["data.dataplatform_service.named"]["id"]; got != mockplatform.FullServiceID {
		t.Errorf("ledger-us is %v", got)
	}
	if got := state["data.dataplatform_service.of_id"]["name"]; got != "events-eu" {
		t.Errorf("the service is named %v", got)
	}

	fails := func(config string, requests int, texts ...string) {
		t.Helper()
		w.file("main.tf", f.provider()+config)
		f.ResetJournal()
		out, ok := w.terraform("plan", "-input=false")
		if ok {
			t.Fatalf("planned %s:\n%s", config, out)
		}
		wantText(t, out, texts...)
		if got := len(f.Requests()); got != requests {
			t.Errorf("%d requests for %s, want %d", got, config, requests)
		}
	}
	// A second list confirms that there is none.
	fails(`data "dataplatform_service" "this" { name = "Ledger-US" }`, 2, "Cannot read service", "No service of organization "+mockplatform.OrganizationID+" has this name: two consecutive lists omit it. Names are case-sensitive. Check name and organization_id.")
	f.UpdateService(mockplatform.ReadonlyServiceID, func(doc mockplatform.Document) { doc["name"] = "ledger-us" })
	fails(`data "dataplatform_service" "this" { name = "ledger-us" }`, 1, "2 services of organization", mockplatform.ReadonlyServiceID+", "+mockplatform.FullServiceID, "Set id instead of name")
	fails(`data "dataplatform_service" "this" { id = "20000000-0000-4000-8000-00000000ffff" }`, 2, "There is no service 20000000-0000-4000-8000-00000000ffff in organization "+mockplatform.OrganizationID+": two consecutive lists of its services omit it. Check id and organization_id.")
	fails(`data "dataplatform_service" "this" {}`, 0, "Invalid Attribute Combination")
	fails(`data "dataplatform_service" "this" {
  id   = "`+mockplatform.ServiceID+`"
  name = "events-eu"
}`, 0, "Invalid Attribute Combination")
}
