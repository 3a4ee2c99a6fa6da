package provider

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// allPipes are those of the seed, one of each kind.
var allPipes = []string{mockplatform.KafkaPipeID, mockplatform.ObjectStoragePipeID, mockplatform.CloudStreamPipeID, mockplatform.PostgresPipeID}

// dataSourceConfig reads all that the seed holds.
func dataSourceConfig() string {
	config := "data \"dataplatform_services\" \"all\" {}\n"
	for i, id := range ourServices {
		config += fmt.Sprintf("data \"dataplatform_service\" \"s%d\" {\n  id = %q\n}\n", i, id)
	}
	for i, id := range allPipes {
		config += fmt.Sprintf("data \"dataplatform_pipe\" \"p%d\" {\n  service_id = %q\n  pipe_id = %q\n}\n", i, mockplatform.ServiceID, id)
	}
	for i, id := range []string{mockplatform.AlertID, mockplatform.FiringAlertID} {
		config += fmt.Sprintf("data \"dataplatform_alert\" \"a%d\" {\n  id = %q\n}\n", i, id)
	}
	return config
}

// unordered are the attributes that are sets.
var unordered = []string{"table_mappings", "excluded_columns", "reverse_private_endpoint_ids"}

// compareResponse compares what a state holds with the document that the
// platform returned, member by member: what the document doesn't have is null,
// and each member that it has is somewhere. seen notes what wasn't null.
func compareResponse(t *testing.T, at string, state, response any, seen map[string]bool) {
	t.Helper()
	switch state := state.(type) {
	case nil:
		if response != nil {
			t.Errorf("%s is null, the platform has %v", at, response)
		}
		return
	case map[string]any:
		document, ok := response.(map[string]any)
		if !ok {
			t.Errorf("%s is %v, the platform has %v", at, state, response)
			return
		}
		named := map[string]any{}
		for name, member := range document {
			named[snake(name)] = member
		}
		for name, member := range state {
			compareResponse(t, at+"."+name, member, named[name], seen)
			delete(named, name)
		}
		for name := range named {
			t.Errorf("%s has no %s, which the platform returns", at, name)
		}
		return
	case []any:
		list, _ := response.([]any)
		if len(list) != len(state) || response == nil {
			t.Errorf("%s is %v, the platform has %v", at, state, response)
			return
		}
		if slices.Contains(unordered, at[strings.LastIndexByte(at, '.')+1:]) {
			state, list = sortedByText(state), sortedByText(list)
		}
		for i, element := range state {
			compareResponse(t, at, element, list[i], seen)
		}
	default:
		if fmt.Sprint(state) != fmt.Sprint(response) {
			t.Errorf("%s is %v, the platform has %v", at, state, response)
		}
	}
	seen[at] = true
}

func sortedByText(all []any) []any {
	return slices.SortedFunc(slices.Values(all), func(a, b any) int { return strings.Compare(lastTexts(a), lastTexts(b)) })
}

// lastTexts spells an element by its values, whatever its members' names.
func lastTexts(element any) string {
	object, ok := element.(map[string]any)
	if !ok {
		return fmt.Sprint(element)
	}
	named := map[string]any{}
	for name, member := range object {
		if text, ok := member.(string); ok {
			named[snake(name)] = text
		}
	}
	return fmt.Sprint(named)
}

// compareAll compares the state of dataSourceConfig with what the platform
// holds, its services in this order.
func (w *workspace) compareAll(order []string, without ...string) map[string]bool {
	w.t.Helper()
	seen := map[string]bool{}
	state := w.state()
	document := func(doc mockplatform.Document) mockplatform.Document {
		doc = maps.Clone(doc)
		for _, name := range without {
			delete(doc, name)
		}
		return doc
	}
	for i, id := range allPipes {
		pipe := state[fmt.Sprintf("data.dataplatform_pipe.p%d", i)]
		if pipe["organization_id"] != mockplatform.OrganizationID || pipe["pipe_id"] != id {
			w.t.Errorf("pipe %s is that of %v, %v", id, pipe["organization_id"], pipe["pipe_id"])
		}
		delete(pipe, "organization_id")
		response := document(w.Pipe(id))
		response["pipeId"], response["serviceId"] = id, mockplatform.ServiceID
		delete(response, "id")
		compareResponse(w.t, "dataplatform_pipe", pipe, response, seen)
	}
	for i, id := range []string{mockplatform.AlertID, mockplatform.FiringAlertID} {
		response := document(w.Alert(id))
		response["id"] = id
		compareResponse(w.t, "dataplatform_alert", state[fmt.Sprintf("data.dataplatform_alert.a%d", i)], response, seen)
	}
	services := state["data.dataplatform_services.all"]
	if services["organization_id"] != mockplatform.OrganizationID {
		w.t.Errorf("services of %v", services["organization_id"])
	}
	var listed []any
	keys := map[string]any{}
	for _, id := range order {
		response := document(w.Service(id))
		single := state[fmt.Sprintf("data.dataplatform_service.s%d", slices.Index(ourServices, id))]
		if single["organization_id"] != mockplatform.OrganizationID {
			w.t.Errorf("service %s is that of %v", id, single["organization_id"])
		}
		delete(single, "organization_id")
		compareResponse(w.t, "dataplatform_service", single, response, seen)
		if key, ok := response["encryptionKey"].(string); ok && key != "" {
			keys[id] = key
		}
		delete(response, "encryptionKey")
		listed = append(listed, response)
	}
	compareResponse(w.t, "dataplatform_services.services", services["services"], listed, seen)
	if got := services["encryption_keys"]; len(keys) != 1 || !reflect.DeepEqual(got, keys) {
		w.t.Errorf("encryption keys are %v, want %v", got, keys)
	}
	return seen
}

// TestDataSourcesHoldEveryField compares all that the platform returns with
// the state, and wants each attribute to have had a value once. One list serves all
// services, also one that is looked up by name. The API's order is kept, and what could
// be a secret is sensitive.
func TestDataSourcesHoldEveryField(t *testing.T) {
	f := newFixture(t)
	first := f.Service(ourServices[0])
	f.RemoveService(ourServices[0])
	f.SetService(mockplatform.OrganizationID, first)
	w := f.workspace(f.provider() + dataSourceConfig() + "data \"dataplatform_service\" \"named\" {\n  name = \"ledger-us\"\n}\noutput \"named\" {\n  value = data.dataplatform_service.named.id\n}\n")
	wantText(t, w.apply(), `named = "`+mockplatform.FullServiceID+`"`)
	f.wantRequestsOnce()
	seen := w.compareAll(slices.Concat(ourServices[1:], ourServices[:1]))
	schemas, _ := served(t)
	for name, schema := range schemas.DataSourceSchemas {
		eachAttribute(name, schema.Block.Attributes, func(path string, a *tfprotov6.SchemaAttribute) {
			if asked := slices.Contains([]string{".filter", ".organization_id", ".encryption_keys"}, strings.TrimPrefix(path, name)); a.NestedType == nil && !seen[path] && !asked {
				t.Errorf("%s never had a value: the seed lacks it, or the provider loses it", path)
			}
		})
	}
	out, err := w.command(t.Context(), "show", "-json").Output()
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, string(out), `"connection_string":true`, `"encryption_key":true`, `"encryption_keys":true`)
}

// wantRequestsOnce fails if a request was sent twice, other than a list, which data sources
// share that are asked for at a time.
func (f *fixture) wantRequestsOnce() {
	f.t.Helper()
	sent := map[string]int{}
	for _, r := range f.Requests() {
		if r.Operation != mockplatform.ListServices {
			sent[r.Method+" "+r.Path]++
		}
	}
	for request, n := range sent {
		if n > 1 {
			f.t.Errorf("%s was sent %d times", request, n)
		}
	}
}

// TestDataSourcesWithoutEveryField reads while the platform omits fields, or returns null
// for them. The client's tests have all spellings of what is returned.
func TestDataSourcesWithoutEveryField(t *testing.T) {
	absent := []string{"name", "source", "scaling", "channel", "ipAccessList", "privateEndpointIds", "fieldMappings"}
	null := []string{"destination", "settings", "endpoints", "threshold"}
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) { b.Responses = sparse(absent, null) })
	w := f.workspace(f.provider() + dataSourceConfig())
	w.apply()
	w.compareAll(ourServices, slices.Concat(absent, null)...)
}

// sparse are responses without these members, and with null for others.
func sparse(absent, null []string) (responses mockplatform.Responses) {
	for i, name := range slices.Concat(absent, null) {
		responses.Sparse = append(responses.Sparse, mockplatform.Sparse{Path: name, Null: i >= len(absent)})
	}
	return responses
}

// TestDataSourcesAfterAnotherWriter reads each data source of services twice in a run: it
// shows what somebody has written in between.
func TestDataSourcesAfterAnotherWriter(t *testing.T) {
	f := newFixture(t)
	s := f.start()
	read := func(name string, config args) tfvalue.Value {
		t.Helper()
		typ := schemasOnce().DataSourceSchemas[name].ValueType()
		resp, err := s.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: dynamic(t, valueOf(config, typ))})
		if err != nil || len(resp.Diagnostics) > 0 {
			t.Fatal(err, diagnosed(resp.Diagnostics))
		}
		state, err := resp.State.Unmarshal(typ)
		if err != nil {
			t.Fatal(err)
		}
		return tfvalue.Of(state)
	}
	for _, replicas := range []int{5, 7} {
		f.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["numReplicas"] = replicas })
		for how, service := range map[string]tfvalue.Value{
			"by ID":   read("dataplatform_service", args{"id": mockplatform.ServiceID}),
			"by name": read("dataplatform_service", args{"name": "events-eu"}),
			"all":     read("dataplatform_services", args{}).At("services").Elements()[0],
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
	w := f.workspace(f.provider() + `
data "dataplatform_services" "theirs" { organization_id = "` + nowhere + `" }
data "dataplatform_service" "gone" { id = "` + nowhere + `" }
data "dataplatform_service" "unnamed" { name = "Ledger-US" }
data "dataplatform_service" "twins" { name = "ledger-us" }
data "dataplatform_pipe" "gone" {
  service_id = "` + mockplatform.ServiceID + `"
  pipe_id    = "` + nowhere + `"
}
data "dataplatform_alert" "gone" { id = "gone" }
`)
	said := w.diagnostics("plan")
	for address, says := range map[string][]string{
		"services.theirs": {"Cannot list services", nowhere, "HTTP 404"},
		"service.gone":    {"There is no service " + nowhere + " in organization " + mockplatform.OrganizationID + ": two consecutive lists of its services omit it. Check id and organization_id."},
		"service.unnamed": {"Cannot read service", "No service of organization " + mockplatform.OrganizationID + " has this name: two consecutive lists omit it. Names are case-sensitive. Check name and organization_id."},
		"service.twins":   {"2 services of organization", mockplatform.ReadonlyServiceID + ", " + mockplatform.FullServiceID, "Set id instead of name"},
		"pipe.gone":       {"Cannot read pipe", nowhere, mockplatform.ServiceID, "HTTP 404"},
		"alert.gone":      {"Cannot read alert", "gone", "HTTP 404"},
	} {
		if errors := said["data.dataplatform_"+address].errors; len(errors) != 1 {
			t.Errorf("%d errors about %s, want 1: %q", len(errors), address, errors)
		} else {
			wantText(t, errors[0], says...)
		}
	}
}
