package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// dataSource reads a data source over the protocol. Its name has no prefix.
func (f *fixture) dataSource(s server, name string, config args) (tfvalue.Value, diagnoses) {
	f.t.Helper()
	name = "dataplatform_" + name
	typ := schemasOnce().DataSourceSchemas[name].ValueType()
	resp, err := s.ReadDataSource(f.t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: dynamic(f.t, valueOf(config, typ))})
	if err != nil {
		f.t.Fatal(err)
	}
	said := diagnosed(resp.Diagnostics)
	if len(said.errors) > 0 {
		return tfvalue.Null(typ), said
	}
	state, err := resp.State.Unmarshal(typ)
	if err != nil {
		f.t.Fatal(err)
	}
	return tfvalue.Of(state), said
}

// TestDataSourcesHoldEveryField compares all that the platform returns with what is read,
// in the API's order: from a platform that returns everything, and from one that omits some
// fields and returns null for others. TestAttributesHaveAllTheirPlaces has what no object
// returns.
func TestDataSourcesHoldEveryField(t *testing.T) {
	for name, test := range map[string]struct{ absent, null []string }{
		"all":  {nil, nil},
		"some": {[]string{"name", "source", "scaling", "channel", "ipAccessList", "fieldMappings"}, []string{"destination", "settings", "endpoints", "threshold"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			first := f.Service(ourServices[0])
			f.RemoveService(ourServices[0])
			f.SetService(mockplatform.OrganizationID, first) // is the last one now
			f.Configure(func(b *mockplatform.Behaviour) {
				for i, path := range slices.Concat(test.absent, test.null) {
					b.Responses.Sparse = append(b.Responses.Sparse, mockplatform.Sparse{Path: path, Null: i >= len(test.absent)})
				}
			})
			s := f.start()
			compare := func(what string, shown tfvalue.Value, document mockplatform.Document) {
				t.Helper()
				attributes := shownValue(shown).(object)
				for _, missing := range slices.Concat(test.absent, test.null) {
					delete(document, missing)
					if value := attributes[snake(missing)]; value != nil {
						t.Errorf("%s of %s is %v, and was not returned", missing, what, value)
					}
				}
				compareShown(t, what, document, attributes)
			}
			read := func(name string, config args, document mockplatform.Document) {
				t.Helper()
				shown, said := f.dataSource(s, name, config)
				if len(said.errors)+len(said.warnings) > 0 {
					t.Fatal(said)
				}
				compare(name, shown, document)
			}
			for _, id := range seedPipes {
				document := f.Pipe(id)
				document["organizationId"], document["pipeId"] = mockplatform.OrganizationID, id
				delete(document, "id")
				read("pipe", args{"service_id": mockplatform.ServiceID, "pipe_id": id}, document)
			}
			for _, id := range []string{mockplatform.AlertID, mockplatform.FiringAlertID} {
				read("alert", args{"id": id}, f.Alert(id))
			}
			services, _ := f.dataSource(s, "services", args{})
			var keys map[string]tftypes.Value
			if err := services.At("encryption_keys").As(&keys); err != nil || len(keys) != 1 {
				t.Errorf("%d encryption keys, want 1: %v", len(keys), err)
			}
			for i, id := range append(ourServices[1:], ourServices[0]) {
				document := f.Service(id)
				delete(document, "tags")
				read("service", args{"id": id}, document)
				if key, shown := f.Service(id)["encryptionKey"].(string); shown && key != "" && tfvalue.Of(keys[id]).Text() != key {
					t.Errorf("the encryption keys are %v", keys)
				}
				document = f.Service(id)
				delete(document, "tags")
				delete(document, "encryptionKey")
				compare("services", services.At("services").Elements()[i], document)
			}
		})
	}
}

// TestDataSourcesAfterAnotherWriter reads each data source of services twice in a run: it
// shows what somebody has written in between.
func TestDataSourcesAfterAnotherWriter(t *testing.T) {
	f := newFixture(t)
	s := f.start()
	read := func(name string, config args) tfvalue.Value {
		value, said := f.dataSource(s, name, config)
		if len(said.errors) > 0 {
			t.Fatal(said)
		}
		return value
	}
	for _, replicas := range []int{5, 7} {
		f.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["numReplicas"] = replicas })
		for how, service := range map[string]tfvalue.Value{
			"by ID":   read("service", args{"id": mockplatform.ServiceID}),
			"by name": read("service", args{"name": "events-eu"}),
			"all":     read("services", args{}).At("services").Elements()[0],
		} {
			if got := service.At("num_replicas").Number().String(); got != fmt.Sprint(replicas) {
				t.Errorf("%s: %s replicas, want %d", how, got, replicas)
			}
		}
	}
}

// TestDataSourcesFail has what isn't there, and what several have.
func TestDataSourcesFail(t *testing.T) {
	const nowhere = "49999999-0000-4000-8000-000000000009"
	f := newFixture(t)
	f.UpdateService(mockplatform.ReadonlyServiceID, func(doc mockplatform.Document) { doc["name"] = "ledger-us" })
	for _, test := range []struct {
		name   string
		config args
		says   []string
	}{
		{"services", args{"organization_id": nowhere}, []string{"Cannot list services", nowhere, "HTTP 404"}},
		{"service", args{"id": nowhere}, []string{"There is no service " + nowhere + " in organization " + mockplatform.OrganizationID + ": two consecutive lists of its services omit it. Check id and organization_id."}},
		{"service", args{"name": "Ledger-US"}, []string{"Cannot read service", "two consecutive lists omit it. Names are case-sensitive. Check name and organization_id."}},
		{"service", args{"name": "ledger-us"}, []string{"2 services of organization", mockplatform.ReadonlyServiceID + ", " + mockplatform.FullServiceID, "Set id instead of name"}},
		{"pipe", args{"service_id": mockplatform.ServiceID, "pipe_id": nowhere}, []string{"Cannot read pipe", nowhere, mockplatform.ServiceID, "HTTP 404"}},
		{"alert", args{"id": "gone"}, []string{"Cannot read alert", "gone", "HTTP 404"}},
	} {
		_, said := f.dataSource(f.start(), test.name, test.config)
		if len(said.errors) != 1 {
			t.Errorf("%s %v: %d errors, want 1", test.name, test.config, len(said.errors))
		}
		wantText(t, strings.Join(said.errors, "\n"), test.says...)
	}
}
