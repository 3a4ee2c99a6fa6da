package provider

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// listed asks for services over the protocol.
func (f *fixture) listed(t *testing.T, server frameworkServer, config map[string]tfvalue.Value, limit int64, include bool) []tfprotov6.ListResourceResult {
	t.Helper()
	typ := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"organization_id": tftypes.String, "filter": tftypes.List{ElementType: tftypes.String}}}
	encoded, err := tfprotov6.NewDynamicValue(typ, unset(typ, config).Value)
	if err != nil {
		t.Fatal(err)
	}
	valid, err := server.ValidateListResourceConfig(t.Context(), &tfprotov6.ValidateListResourceConfigRequest{TypeName: "dataplatform_service_scaling", Config: &encoded})
	if err != nil || len(valid.Diagnostics) > 0 {
		t.Fatal(valid, err)
	}
	stream, err := server.ListResource(t.Context(), &tfprotov6.ListResourceRequest{TypeName: "dataplatform_service_scaling", Config: &encoded, Limit: limit, IncludeResource: include})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(stream.Results)
}

// TestQuery lists services: display name, identity, and the resource as an
// import would read it, from one list of the organization's services.
func TestQuery(t *testing.T) {
	f := newFixture(t)
	f.UpdateService(mockplatform.ReadonlyServiceID, func(doc mockplatform.Document) { delete(doc, "name") })
	f.UpdateService(mockplatform.FullServiceID, func(doc mockplatform.Document) { doc["name"] = "ledger\x1b[2J\u202e\n-us" })
	server := f.start()
	results := f.listed(t, server, nil, 100, true)
	f.wantRequests("GET services")
	var names []string
	for i, result := range results {
		if len(result.Diagnostics) > 0 {
			t.Errorf("%v", result.Diagnostics)
		}
		names = append(names, result.DisplayName)
		identity, err := result.Identity.IdentityData.Unmarshal(serviceScaling.IdentityOf(tfvalue.Null(serviceScaling.Schema.Type().TerraformType(t.Context()))).Type())
		if err != nil {
			t.Fatal(err)
		}
		id := tfvalue.Of(identity)
		if id.At("organization_id").Text() != mockplatform.OrganizationID || id.At("service_id").Text() != ourServices[i] {
			t.Errorf("the identity is %s", identity)
		}
		object, err := result.Resource.Unmarshal(serviceScaling.Schema.Type().TerraformType(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprint(f.Service(ourServices[i])["numReplicas"])
		if got := tfvalue.Of(object).At("num_replicas").Number().String(); got != want || tfvalue.Of(object).At("service_id").Text() != ourServices[i] {
			t.Errorf("%s has %s replicas, want %s", object, got, want)
		}
	}
	if want := []string{"events-eu", mockplatform.ReadonlyServiceID, "ledger [2J -us"}; !slices.Equal(names, want) {
		t.Errorf("listed %q, want %q", names, want)
	}

	// The limit, another organization, a filter.
	if results := f.listed(t, f.start(), nil, 2, false); len(results) != 2 {
		t.Errorf("%d results, want 2", len(results))
	}
	other := f.listed(t, f.start(), map[string]tfvalue.Value{"organization_id": tfvalue.String(mockplatform.OtherOrganizationID)}, 100, false)
	if len(other) != 1 || other[0].DisplayName != "beacon" {
		t.Errorf("the other organization has %v", other)
	}
	f.ResetJournal()
	filter := tfvalue.Collection(tftypes.List{ElementType: tftypes.String}, []tfvalue.Value{tfvalue.String("tag:env=nowhere")})
	if results := f.listed(t, f.start(), map[string]tfvalue.Value{"filter": filter}, 100, false); len(results) != 0 {
		t.Errorf("a tag that nothing has gives %d results", len(results))
	}
	if query := f.Requests()[0].Query["filter"]; !slices.Equal(query, []string{"tag:env=nowhere"}) {
		t.Errorf("the filter is sent as %q", query)
	}

	// What goes wrong is a diagnostic of the query.
	f.Inject(mockplatform.Fault{Operation: mockplatform.ListServices, Status: http.StatusForbidden})
	failed := f.listed(t, f.start(), nil, 100, false)
	if len(failed) != 1 || len(failed[0].Diagnostics) != 1 || !strings.Contains(failed[0].Diagnostics[0].Detail, "HTTP 403") {
		t.Errorf("a list that fails gives %v", failed)
	}
}

// TestQueryGeneratesConfiguration has terraform write the configuration of what
// it found: it applies unedited and changes nothing.
func TestQueryGeneratesConfiguration(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider())
	if err := w.Command(t.Context(), "query", "-h").Run(); err != nil {
		t.Skip("this program has no query command")
	}
	example, err := os.ReadFile("../../examples/list-resources/dataplatform_service_scaling/list-resource.tfquery.hcl")
	if err != nil {
		t.Fatal(err)
	}
	w.File("services.tfquery.hcl", string(example))
	out, ok := w.Terraform("query", "-generate-config-out=generated.tf")
	if !ok {
		t.Fatal(out)
	}
	wantText(t, out, "events-eu")
	f.ResetJournal()
	wantText(t, w.Apply(), "0 added, 0 changed, 0 destroyed")
	f.wantWrites()
	w.WantEmptyPlan()
	if len(w.States()) == 0 {
		t.Error("nothing was imported")
	}
}
