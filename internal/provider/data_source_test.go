package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// dataSource reads a data source over the protocol. Its name has no prefix.
func (f *fixture) dataSource(s server, name, arguments string) (object, diagnoses) {
	f.t.Helper()
	name = "dataplatform_" + name
	schema := schemasOnce().DataSourceSchemas[name]
	resp := must(s.ReadDataSource(f.t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: configuration(f.t, schema, arguments)}))
	said := diagnosed(resp.Diagnostics)
	if len(said.errors) > 0 {
		return nil, said
	}
	state := must(terraformtest.NewSchema(schema).Decode(resp.State))
	return inJSON(f.t, state), said
}

// TestDataSourcesHoldEveryField compares all that the platform returns with what is read, in
// the API's order, with the settings of the one API that it needs. TestAttributesHaveAllTheirPlaces
// has what no object returns.
func TestDataSourcesHoldEveryField(t *testing.T) {
	f := newFixture(t)
	first := f.Service(ourServices[0])
	f.RemoveService(ourServices[0])
	f.SetService(mockplatform.OrganizationID, first) // is the last one now
	managing := f.start("alerts_base_url = null\nalerts_access_token = null")
	alerting := f.start("base_url = null\norganization_id = null\nkey_id = null\nkey_secret = null")
	wantShown := func(what string, document, shown any) {
		t.Helper()
		if diff := cmp.Diff(withoutSpelling("", document), withoutSpelling("", shown)); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	read := func(name, arguments string) object {
		t.Helper()
		s := managing
		if name == "alert" {
			s = alerting
		}
		shown, said := f.dataSource(s, name, arguments)
		if len(said.errors)+len(said.warnings) > 0 {
			t.Fatal(said)
		}
		return shown
	}
	for _, id := range pipesByKind {
		document := f.Pipe(id)
		document["organizationId"], document["pipeId"] = mockplatform.OrganizationID, id
		delete(document, "id")
		wantShown("pipe", document, read("pipe", fmt.Sprintf("service_id = %q\npipe_id = %q", mockplatform.ServiceID, id)))
	}
	for _, id := range []string{mockplatform.AlertID, mockplatform.FiringAlertID} {
		wantShown("alert", f.Alert(id), read("alert", fmt.Sprintf("id = %q", id)))
	}
	services, keys := read("services", ""), object{}
	for i, id := range append(ourServices[1:], ourServices[0]) {
		document := f.Service(id)
		delete(document, "tags")
		document["organizationId"] = mockplatform.OrganizationID
		wantShown("service", document, read("service", fmt.Sprintf("id = %q", id)))
		if key, ok := document["encryptionKey"].(string); ok && key != "" {
			keys[id] = key
		}
		delete(document, "organizationId")
		delete(document, "encryptionKey")
		wantShown("services", document, listOf(services["services"])[i])
	}
	if diff := cmp.Diff(keys, services["encryption_keys"]); diff != "" || len(keys) != 1 {
		t.Errorf("%d encryption keys, want 1: %s", len(keys), diff)
	}
	filtered := listOf(read("services", `filter = ["tag:env=production"]`)["services"])
	if len(filtered) != 1 || member(filtered[0], "id") != mockplatform.ReadonlyServiceID {
		t.Errorf("a filter selects %v", filtered)
	}
}

// TestListsThatAreNullAreEmpty reads lists that are null in a response, also in a list and in a map, and one that is omitted.
func TestListsThatAreNullAreEmpty(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Responses.Sparse = []mockplatform.Sparse{{Path: "privateEndpointIds"}, {Path: "ipAccessList", Null: true}, {Path: tableMappings, Null: true}}
	})
	services, _ := f.dataSource(f.start(), "services", "")
	pipe, _ := f.dataSource(f.start(), "pipe", fmt.Sprintf("service_id = %q\npipe_id = %q", mockplatform.ServiceID, mockplatform.PostgresPipeID))
	service := listOf(services["services"])[0]
	lists := []any{member(service, "ip_access_list"), member(pipe, "source.postgres.table_mappings"), member(service, "private_endpoint_ids")}
	if got := toJSON(t, lists); got != "[[],{},null]" {
		t.Errorf("null, null and omitted lists are %s", got)
	}
}

// TestReadsAndImportsFail has what isn't there, and what several have: the error says what was looked for and where. The
// acceptance tests read and import what is there.
func TestReadsAndImportsFail(t *testing.T) {
	const nowhere, ours = "49999999-0000-4000-8000-000000000009", mockplatform.OrganizationID
	const twice = ": two consecutive lists of its services omit it. Check "
	f := newFixture(t)
	f.UpdateService(mockplatform.ReadonlyServiceID, func(doc mockplatform.Document) { doc["name"] = "ledger-us" })
	for _, test := range []struct{ name, arguments, says string }{
		{"services", `organization_id = "` + nowhere + `"`, "Cannot list services: Tried to list services in organization " + nowhere},
		{"service", `id = "` + nowhere + `"`, "There is no service " + nowhere + " in organization " + ours + twice + "id and organization_id."},
		{"service", `name = "Ledger-US"`, `has the name "Ledger-US": two consecutive lists omit it. Names are case-sensitive. Check name and organization_id.`},
		{"service", `name = "ledger-us"`, `have the name "ledger-us": ` + mockplatform.ReadonlyServiceID + ", " + mockplatform.FullServiceID + ". Set id instead"},
		{"pipe", fmt.Sprintf("service_id = %q\npipe_id = %q", mockplatform.ServiceID, nowhere), "Cannot read pipe: Tried to read pipe " + nowhere},
		{"alert", `id = "gone"`, "Cannot read alert: Tried to read alert \"gone\""},
	} {
		_, said := f.dataSource(f.start(), test.name, test.arguments)
		if len(said.errors) != 1 {
			t.Errorf("%s %s: %d errors, want 1", test.name, test.arguments, len(said.errors))
		}
		wantText(t, said.String(), test.says)
	}
	for _, test := range []struct{ resource, id, says string }{
		{"dataplatform_service_scaling", nowhere, "There is no service " + nowhere + " in organization " + ours + twice + "the IDs"},
		{"dataplatform_pipe", nowhere + "/" + mockplatform.KafkaPipeID, "There is no pipe " + mockplatform.KafkaPipeID + " of service " + nowhere},
		{"dataplatform_pipe", nowhere, "expected SERVICE_ID/PIPE_ID or ORGANIZATION_ID/SERVICE_ID/PIPE_ID."},
		{"dataplatform_api_key", nowhere, "API keys cannot be imported: The API cannot read a key"},
	} {
		said := f.manage(test.resource, "", "", nil).block.Import(f.start(), test.id).Errors
		if len(said) != 1 || !strings.Contains(said[0], test.says) {
			t.Errorf("the import of %s says %q, want %q", test.id, said, test.says)
		}
	}
}

// withoutSpelling is a value with the names of attributes, without nulls, and with sets sorted.
func withoutSpelling(name string, value any) any {
	switch value := value.(type) {
	case object:
		if name == "table_mappings" {
			return withoutSpelling(name, slices.Collect(maps.Values(value)))
		}
		members := object{}
		for name, member := range value {
			if member != nil {
				members[snake(name)] = withoutSpelling(snake(name), member)
			}
		}
		return members
	case []any:
		elements := []any{}
		for _, element := range value {
			elements = append(elements, withoutSpelling("", element))
		}
		if slices.Contains([]string{"table_mappings", "excluded_columns", "reverse_private_endpoint_ids"}, name) {
			slices.SortFunc(elements, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		return elements
	default:
		return fmt.Sprint(value)
	}
}
