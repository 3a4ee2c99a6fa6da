package mockplatform_test

import (
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

const (
	aService = "/console/services/" + mockplatform.ServiceID
	aPipe    = "/console/pipes/" + mockplatform.PostgresPipeID
	anAlert  = "/console/alerts/" + mockplatform.AlertID
	keyBody  = `{"name":"ci","roles":["admin"]}`
)

// console sends a request to the console, which needs no credentials.
func (b *bench) console(status int, method, path, body string) string {
	b.Helper()
	recorder := httptest.NewRecorder()
	b.platform.Console().ServeHTTP(recorder, httptest.NewRequest(method, path, strings.NewReader(body)))
	if recorder.Code != status {
		b.Errorf("%s %s: got %d, want %d: %s", method, path, recorder.Code, status, recorder.Body)
	}
	return recorder.Body.String()
}

func TestConsoleChangesObjects(t *testing.T) {
	t.Parallel()
	b := newBench(t, mockplatform.Behaviour{})
	b.console(200, "PATCH", aService, `{"numReplicas":7,"isPrimary":null}`)
	listed := at(b.send("GET", servicesPath, "").body, "result.0")
	equal(t, "service", []any{at(listed, "numReplicas"), at(listed, "isPrimary")}, []any{7, nil})
	b.console(200, "PATCH", aService, `{"isPrimary":true}`) // what was removed
	b.console(200, "PATCH", aPipe, `{"settings":{"engine_max_threads":9007199254740993}}`)
	terraformtest.WantText(t, b.send("GET", postgresPath, "").text, `"engine_max_threads":9007199254740993`)
	terraformtest.WantText(t, b.console(200, "GET", "/console/pipes", ""), `"serviceId": "`+mockplatform.ServiceID)
	terraformtest.WantText(t, b.console(200, "GET", "/console/services", ""), `"organizationId": "`+mockplatform.OtherOrganizationID)
	equal(t, "requests in the journal", b.platform.Count("", ""), 2)
	terraformtest.WantText(t, b.console(400, "PATCH", aPipe, `{"settings":{"engine_max_thread":null}}`), "no such member: settings.engine_max_thread")
}

func TestConsoleRestores(t *testing.T) {
	t.Parallel()
	b := newBench(t, mockplatform.Behaviour{})
	for _, object := range []string{aService, aPipe, anAlert} {
		before := b.console(200, "GET", object, "")
		b.console(200, "DELETE", object, "")
		b.console(404, "GET", object, "")
		terraformtest.WantNoText(t, b.console(200, "GET", filepath.Dir(object), ""), filepath.Base(object))
		b.console(404, "DELETE", object, "")
		b.console(400, "PUT", object, before)
		equal(t, object, b.console(200, "PUT", object, ""), before)
	}
	equal(t, "services of the API", size(b.send("GET", servicesPath, "").body, "result"), 3)
}

func TestConsoleInjectsFaults(t *testing.T) {
	t.Parallel()
	b := newBench(t, mockplatform.Behaviour{})
	get := func(path string) int { return b.send("GET", path, "").status }
	b.console(200, "POST", "/console/faults", "503:2:GET:/pipes/\n")
	equal(t, "503:2:GET:/pipes/", []int{get(servicesPath), get(kafkaPath), get(kafkaPath), get(kafkaPath)}, []int{200, 503, 503, 200})
	b.console(200, "POST", "/console/faults", "after-page-403::POST")
	terraformtest.WantText(t, b.send("POST", keysPath, keyBody).text, "<html>")
	equal(t, "keys", len(b.platform.Keys()), 1)
	b.console(200, "POST", "/console/faults", "429:0")
	equal(t, "429:0", []int{get(servicesPath), get(servicesPath)}, []int{429, 429})
	b.console(200, "DELETE", "/console/faults", "")
	equal(t, "no fault", get(servicesPath), 200)
	for _, text := range []string{"", "100", "503:x", "503:-1", "503:1:FROB", "later-504", "later-14s-cut", "page-reset", "5030"} {
		terraformtest.WantText(t, b.console(400, "POST", "/console/faults", text), "a fault has the form ")
	}
}
