package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

const (
	aService = "/console/services/" + mockplatform.ServiceID
	aPipe    = "/console/pipes/" + mockplatform.KafkaPipeID
	anAlert  = "/console/alerts/" + mockplatform.AlertID
)

func TestConsoleChangesObjects(t *testing.T) {
	t.Parallel()
	p := start(t, "-journal")
	if got := p.send(200, "PATCH", aService, `{"numReplicas":7,"iamRole":null}`); !strings.Contains(got, `"numReplicas": 7`) || strings.Contains(got, "iamRole") {
		t.Errorf("got %s", got)
	}
	if list := p.send(200, "GET", services, ""); !strings.Contains(list, `"numReplicas":7`) {
		t.Errorf("got %s", list)
	}
	p.send(200, "PATCH", aService, `{"iamRole":"what was removed"}`)
	p.send(200, "PATCH", aPipe, `{"settings":{"engine_max_threads":9007199254740993}}`)
	if pipe := p.send(200, "GET", kafka, ""); !strings.Contains(pipe, `"engine_max_threads":9007199254740993`) || !strings.Contains(pipe, `"engine_max_insert_threads":2`) {
		t.Errorf("got %s", pipe)
	}
	p.send(200, "GET", anAlert, "")
	p.send(404, "GET", "/console/nothing", "")
	p.send(405, "POST", anAlert, `{}`)
	if strings.Contains(p.stdout.String(), "/console") {
		t.Errorf("the console is in the journal:\n%s", p.stdout)
	}
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
	for path, status := range map[string]func(status int){
		aService: func(status int) { p.send(status, "PATCH", scaling, `{}`) },
		aPipe:    func(status int) { p.send(status, "GET", kafka, "") },
		anAlert:  func(status int) { p.send(status, "GET", anAlert, "") },
	} {
		before := p.send(200, "GET", path, "")
		p.send(200, "DELETE", path, "")
		status(404)
		p.send(404, "GET", path, "")
		p.send(404, "DELETE", path, "")
		p.send(400, "PUT", path, before)
		p.send(404, "GET", path, "")
		for range 2 { // there is nothing to restore the second time
			if after := p.send(200, "PUT", path, ""); after != before {
				t.Errorf("%s: got %s, want %s", path, after, before)
			}
		}
		status(200)
	}
	if list := p.send(200, "GET", services, ""); strings.Count(list, mockplatform.ServiceID) != 1 {
		t.Errorf("got %s", list)
	}
	p.send(404, "PUT", aPipe+"0", "")
}

func TestConsoleLists(t *testing.T) {
	t.Parallel()
	p := start(t, "-services", "2", "-pipes", "7", "-spread")
	if got := p.send(200, "GET", "/console/services", ""); strings.Count(got, `"id"`) != 6 || strings.Count(got, `"organizationId"`) != 6 || !strings.Contains(got, `"name": "events-eu"`) {
		t.Errorf("got %s", got)
	}
	got := p.send(200, "GET", "/console/pipes", "")
	// Five services of the first organization share seven pipes; the first has four more.
	for id, count := range map[string]int{
		mockplatform.ServiceID: 6, mockplatform.ReadonlyServiceID: 2, mockplatform.FullServiceID: 1,
		"60000000-0000-4000-8000-000000000001": 1, "60000000-0000-4000-8000-000000000002": 1,
	} {
		if strings.Count(got, `"serviceId": "`+id+`"`) != count {
			t.Errorf("want %d pipes of %s, got %s", count, id, got)
		}
	}
	if got := p.send(200, "GET", "/console/alerts", ""); strings.Count(got, `"name"`) != 2 || strings.Contains(got, "threshold") {
		t.Errorf("got %s", got)
	}
}

func TestConsoleRevokesKeys(t *testing.T) {
	t.Parallel()
	p := start(t)
	if got := p.send(200, "GET", "/console/keys", ""); got != "[]\n" {
		t.Errorf("got %s", got)
	}
	created := p.send(200, "POST", keys, `{"name":"ci","roles":["admin"]}`)
	member := func(name string) string {
		return regexp.MustCompile(`"` + name + `":"([^"]+)"`).FindStringSubmatch(created)[1]
	}
	path := "/console/keys/" + member("id")
	if got := p.send(200, "GET", "/console/keys", ""); !strings.Contains(got, `"name": "ci"`) || strings.Contains(got, "keySecret") {
		t.Errorf("got %s", got)
	}
	p.env["DATAPLATFORM_KEY_ID"], p.env["DATAPLATFORM_KEY_SECRET"] = member("keyId"), member("keySecret")
	p.send(200, "GET", services, "")
	p.send(200, "DELETE", path, "")
	p.send(401, "GET", services, "")
	p.send(404, "DELETE", path, "")
	if got := p.send(200, "GET", "/console/keys", ""); got != "[]\n" {
		t.Errorf("got %s", got)
	}
}

func TestConsoleFaults(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.send(200, "POST", "/console/faults", "503:0:GET\n")
	p.send(503, "GET", services, "")
	p.send(503, "GET", services, "")
	p.send(200, "DELETE", "/console/faults", "")
	p.send(200, "GET", services, "")
	p.send(400, "POST", "/console/faults", "often")
}
