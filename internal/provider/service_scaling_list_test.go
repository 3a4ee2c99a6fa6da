package provider

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// listed asks for services over the protocol. Each is its name and the ID of its identity; or what went wrong. What
// else a result has is seen by TestAccServiceScalingQuery.
func (f *fixture) listed(t *testing.T, arguments string, limit int64) (all []string) {
	t.Helper()
	const name = "dataplatform_service_scaling"
	config := configuration(t, schemasOnce().ListResourceSchemas[name], arguments)
	stream := must(f.start().ListResource(t.Context(), &tfprotov6.ListResourceRequest{TypeName: name, Config: config, Limit: limit}))
	typ := serviceScaling.IdentityOf(tfvalue.Null(schemasOnce().ResourceSchemas[name].ValueType())).Type()
	for result := range stream.Results {
		if len(result.Diagnostics) > 0 {
			all = append(all, diagnosed(result.Diagnostics).String())
			continue
		}
		identity := tfvalue.Of(must(result.Identity.IdentityData.Unmarshal(typ)))
		all = append(all, result.DisplayName+" "+identity.At("service_id").Text())
	}
	return all
}

// TestQueryListsServices lists services from one list of the organization's: a name is what a terminal
// can show, or the ID.
func TestQueryListsServices(t *testing.T) {
	const first, second, third = mockplatform.ServiceID, mockplatform.ReadonlyServiceID, mockplatform.FullServiceID
	f := newFixture(t)
	f.UpdateService(second, func(doc mockplatform.Document) { delete(doc, "name") })
	f.UpdateService(third, func(doc mockplatform.Document) { doc["name"] = "ledger\x1b[2J\u202e\n-us" })
	for _, test := range []struct {
		arguments string
		limit     int64
		want      []string
	}{
		{"", 100, []string{"events-eu " + first, second + " " + second, "ledger [2J -us " + third}},
		{"", 2, []string{"events-eu " + first, second + " " + second}},
		{`organization_id = "` + mockplatform.OtherOrganizationID + `"`, 100, []string{"beacon " + mockplatform.BeaconServiceID}},
		{`filter = ["tag:env=nowhere"]`, 100, nil},
	} {
		f.ResetJournal()
		if got := f.listed(t, test.arguments, test.limit); !slices.Equal(got, test.want) || len(f.Requests()) != 1 {
			t.Errorf("%s: %q with %d requests, want %q with one", test.arguments, got, len(f.Requests()), test.want)
		}
	}
	if query := f.Requests()[0].Query["filter"]; !slices.Equal(query, []string{"tag:env=nowhere"}) {
		t.Errorf("the filter is sent as %q", query)
	}
	f.Inject(mockplatform.Fault{Operation: mockplatform.ListServices, Status: http.StatusForbidden})
	if failed := f.listed(t, "", 100); len(failed) != 1 || !strings.Contains(failed[0], "HTTP 403") {
		t.Errorf("a list that fails gives %q", failed)
	}
}
