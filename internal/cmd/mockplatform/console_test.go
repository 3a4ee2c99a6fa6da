package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

var (
	fileText   = terraformtest.FileText
	wantText   = terraformtest.WantText
	wantNoText = terraformtest.WantNoText
)

const (
	aService = "/console/services/" + mockplatform.ServiceID
	aPipe    = "/console/pipes/" + mockplatform.KafkaPipeID
	anAlert  = "/console/alerts/" + mockplatform.AlertID
)

func TestConsoleChangesObjects(t *testing.T) {
	t.Parallel()
	p := start(t, "-journal")
	service := p.send(200, "PATCH", aService, `{"numReplicas":7,"iamRole":null}`)
	wantText(t, service, `"numReplicas": 7`)
	wantNoText(t, service, "iamRole")
	wantText(t, p.send(200, "GET", services, ""), `"numReplicas":7`)
	p.send(200, "PATCH", aService, `{"iamRole":"what was removed"}`)
	p.send(200, "PATCH", aPipe, `{"settings":{"engine_max_threads":9007199254740993}}`)
	wantText(t, p.send(200, "GET", kafka, ""), `"engine_max_threads":9007199254740993`, `"engine_max_insert_threads":2`)
	p.send(200, "GET", anAlert, "")
	p.send(404, "GET", "/console/nothing", "")
	p.send(405, "POST", anAlert, `{}`)
	wantNoText(t, p.file("stdout"), "/console")
}

func TestConsoleRejectsUnknownMembers(t *testing.T) {
	t.Parallel()
	p := start(t)
	const customers = "/console/pipes/" + mockplatform.PostgresPipeID
	for _, row := range []struct{ path, body, message string }{
		{aService, `{"num_replicas":7}`, "no such member: num_replicas; there are availablePrivateEndpointIds, "},
		{aService, `{"numReplicas":7,"ipAccessList":[{"sorce":"10.0.0.0/8"}]}`, "no such member: ipAccessList.sorce; there are description, source\n"},
		{aPipe, `{"settings":{"engineMaxThreads":7}}`, "no such member: settings.engineMaxThreads; there are engine_max_download_threads, "},
		{aPipe, `{"settings":{"engine_max_thread":null}}`, "no such member: settings.engine_max_thread; "},
		{customers, `{"source":{"postgres":{"tableMappings":[{"table":"t"}]}}}`, "no such member: source.postgres.tableMappings.table; "},
		{anAlert, `[]`, "the body must be a JSON object\n"},
		{anAlert, `{"threshold"}`, "the body must be a JSON object\ninvalid character"},
	} {
		before := p.send(200, "GET", row.path, "")
		if got := p.send(400, "PATCH", row.path, row.body); !strings.HasPrefix(got, row.message) {
			t.Errorf("%s: got %s, want %s", row.body, got, row.message)
		}
		if after := p.send(200, "GET", row.path, ""); after != before {
			t.Errorf("%s: changed %s to %s", row.body, before, after)
		}
	}
}

func TestConsoleRestores(t *testing.T) {
	t.Parallel()
	p := start(t)
	for _, path := range []string{aService, aPipe, anAlert} {
		before := p.send(200, "GET", path, "")
		p.send(200, "DELETE", path, "")
		p.send(404, "GET", path, "")
		p.send(404, "DELETE", path, "")
		p.send(400, "PUT", path, before)
		p.send(404, "GET", path, "")
		for range 2 { // there is nothing to restore the second time
			if after := p.send(200, "PUT", path, ""); after != before {
				t.Errorf("%s: got %s, want %s", path, after, before)
			}
		}
	}
	p.send(404, "PUT", aPipe+"0", "")
	wantText(t, p.send(200, "GET", services, ""), mockplatform.ServiceID) // the API has it again, too
}

func TestConsoleLists(t *testing.T) {
	t.Parallel()
	p := start(t, "-services", "2", "-pipes", "7", "-spread")
	services, pipes, alerts := p.send(200, "GET", "/console/services", ""), p.send(200, "GET", "/console/pipes", ""), p.send(200, "GET", "/console/alerts", "")
	wantText(t, services, `"name": "events-eu"`, `"organizationId": "`+mockplatform.OrganizationID)
	if strings.Count(services, `"id"`) != 6 {
		t.Errorf("want 6 services, got %s", services)
	}
	// Five services of the first organization share seven pipes; the first has four more.
	for id, count := range map[string]int{mockplatform.ServiceID: 6, mockplatform.ReadonlyServiceID: 2, mockplatform.FullServiceID: 1} {
		if strings.Count(pipes, `"serviceId": "`+id+`"`) != count {
			t.Errorf("want %d pipes of %s, got %s", count, id, pipes)
		}
	}
	wantText(t, alerts, `"name"`)
	wantNoText(t, alerts, "threshold")
}

func TestConsoleRevokesKeys(t *testing.T) {
	t.Parallel()
	p := start(t)
	var created struct {
		Result struct {
			KeyID     string `json:"keyId"`
			KeySecret string `json:"keySecret"`
			Key       struct {
				ID string `json:"id"`
			} `json:"key"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(p.send(200, "POST", keys, `{"name":"ci","roles":["admin"]}`)), &created); err != nil {
		t.Fatal(err)
	}
	key := created.Result
	listed := p.send(200, "GET", "/console/keys", "")
	wantText(t, listed, `"name": "ci"`)
	wantNoText(t, listed, "keySecret")
	p.env["DATAPLATFORM_KEY_ID"], p.env["DATAPLATFORM_KEY_SECRET"] = key.KeyID, key.KeySecret
	p.send(200, "GET", services, "")
	p.send(200, "DELETE", "/console/keys/"+key.Key.ID, "")
	p.send(401, "GET", services, "")
	p.send(404, "DELETE", "/console/keys/"+key.Key.ID, "")
}
