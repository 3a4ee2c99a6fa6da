package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// listed asks for services over the protocol. Each is its name, the ID of its identity and,
// if asked for, the ID and the replicas of its resource; or what went wrong.
func (f *fixture) listed(t *testing.T, arguments string, limit int64, include bool) (all []string) {
	t.Helper()
	const name = "dataplatform_service_scaling"
	s, config := f.start(), configuration(t, schemasOnce().ListResourceSchemas[name], arguments)
	stream := must(s.ListResource(t.Context(), &tfprotov6.ListResourceRequest{TypeName: name, Config: config, Limit: limit, IncludeResource: include}))
	decode := func(encoded *tfprotov6.DynamicValue, typ tftypes.Type) tfvalue.Value {
		return tfvalue.Of(must(encoded.Unmarshal(typ)))
	}
	typ := schemasOnce().ResourceSchemas[name].ValueType()
	for result := range stream.Results {
		if len(result.Diagnostics) > 0 {
			all = append(all, diagnosed(result.Diagnostics).String())
			continue
		}
		identity := decode(result.Identity.IdentityData, serviceScaling.IdentityOf(tfvalue.Null(typ)).Type())
		line := result.DisplayName + " " + identity.At("service_id").Text()
		if include {
			object := decode(result.Resource, typ)
			line += " " + object.At("service_id").Text() + " " + object.At("num_replicas").Number().String()
		}
		all = append(all, line)
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
	replicas := func(id string) string { return id + " " + id + " " + fmt.Sprint(f.Service(id)["numReplicas"]) }
	for _, test := range []struct {
		arguments string
		limit     int64
		include   bool
		want      []string
	}{
		{"", 100, true, []string{"events-eu " + replicas(first), second + " " + replicas(second), "ledger [2J -us " + replicas(third)}},
		{"", 2, false, []string{"events-eu " + first, second + " " + second}},
		{`organization_id = "` + mockplatform.OtherOrganizationID + `"`, 100, false, []string{"beacon " + mockplatform.BeaconServiceID}},
		{`filter = ["tag:env=nowhere"]`, 100, false, nil},
	} {
		f.ResetJournal()
		if got := f.listed(t, test.arguments, test.limit, test.include); !slices.Equal(got, test.want) || len(f.Requests()) != 1 {
			t.Errorf("%s: %q with %d requests, want %q with one", test.arguments, got, len(f.Requests()), test.want)
		}
	}
	if query := f.Requests()[0].Query["filter"]; !slices.Equal(query, []string{"tag:env=nowhere"}) {
		t.Errorf("the filter is sent as %q", query)
	}
	f.Inject(mockplatform.Fault{Operation: mockplatform.ListServices, Status: http.StatusForbidden})
	if failed := f.listed(t, "", 100, false); len(failed) != 1 || !strings.Contains(failed[0], "HTTP 403") {
		t.Errorf("a list that fails gives %q", failed)
	}
}
