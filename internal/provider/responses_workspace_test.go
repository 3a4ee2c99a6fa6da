package provider

import (
	"net/http"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// What a response says of itself counts for whoever runs Terraform: credentials that were not stored are sent again,
// a list that proves nothing removes nothing, what is old is no basis of a PATCH, and what can never succeed ends at once.
func TestResponsesThatSayOtherwise(t *testing.T) {
	needTerraform(t)
	if old, isOld := terraformtest.NeededBy(t, "password_wo"); isOld {
		t.Skip(old)
	}
	const id = `"requestId":"5c0e8f6a-1111-4a4a-8b8b-000000000001"`
	text := func(body string, headers http.Header) mockplatform.Fault {
		return mockplatform.Fault{Status: http.StatusOK, Text: body, Header: headers, Times: mockplatform.Always}
	}
	f := newFixture(t)
	config := func(version, name string) string {
		return f.provider(`retry_timeout = "0s"`) + `
resource "dataplatform_pipe" "row" {
  service_id = "` + mockplatform.ServiceID + `"
  pipe_id    = "` + mockplatform.PostgresPipeID + `"
  name       = "` + name + `"
  source_credentials = { postgres = { username = "u", password_wo = "a-password-of-` + version + `", password_wo_version = ` + version + ` } }
}
resource "dataplatform_service_scaling" "row" {
  service_id = "` + mockplatform.ServiceID + `"
}
`
	}
	w := f.workspace(config("1", "a"))
	w.Apply()
	fails := func(fault mockplatform.Fault, args []string, says ...string) {
		t.Helper()
		f.Inject(fault)
		out, ok := w.Terraform(args...)
		f.ClearFaults()
		t.Log(out)
		wantText(t, out, says...)
		if ok {
			t.Errorf("%v succeeded: %s", args, out)
		}
		if len(w.States()) != 2 {
			t.Errorf("the state has %v", w.States())
		}
	}
	apply, plan, refresh := []string{"apply", "-auto-approve", "-input=false"}, []string{"plan", "-input=false"}, []string{"apply", "-refresh-only", "-auto-approve"}

	w.File("main.tf", config("2", "a"))
	for _, answer := range []struct {
		body string
		says string
	}{
		{`{"status":500,` + id + `,"error":"vault is down, credentials not stored"}`, "HTTP 200 with the status 500 Internal Server Error in the body (request ID"},
		{`{"result":{"ok":false}}`, "does not say whether the credentials in the request have arrived"},
		{``, "does not say whether the credentials in the request have arrived"},
		{`{` + id + `,"result":{"id":"` + mockplatform.PostgresPipeID + `","serviceId":"` + mockplatform.OrganizationID + `"}}`, "it is about another object"},
	} {
		fault := text(answer.body, nil)
		if answer.body == "" {
			fault.Body = mockplatform.BodyEmpty
		}
		fault.Method = http.MethodPatch
		fails(fault, apply, answer.says)
	}
	wantText(t, w.PlanText(), "password_wo_version = 1 -> 2")

	list := func(body string, headers http.Header) mockplatform.Fault {
		fault := text(body, headers)
		fault.Operation = mockplatform.ListServices
		return fault
	}
	fails(list(`{"status":500,`+id+`,"error":"index down","result":[]}`, nil), refresh, "index down")
	fails(list(`{"status":200,`+id+`,"totalCount":2,"result":[]}`, nil), refresh, `the list may be incomplete: the response has the member "totalCount"`)
	key := text(`{"status":500,`+id+`,"error":"quota service down"}`, nil)
	key.Operation = mockplatform.CreateKey
	w.File("key.tf", "resource \"dataplatform_api_key\" \"row\" {\n  name = \"k\"\n  roles = [\"admin\"]\n}\n")
	w.File("main.tf", config("1", "a"))
	fails(key, apply, "quota service down", "The platform may have created the key")
	busy := text(`{"status":409,`+id+`,"error":"a key of this name exists"}`, nil)
	busy.Operation, busy.Status = mockplatform.CreateKey, http.StatusConflict
	fails(busy, apply, "a key of this name exists", "No key was created. If the message says that the name is taken, another key has it")
	w.File("key.tf", "")

	f.ResetJournal()
	w.File("main.tf", config("1", "b"))
	old := mockplatform.Fault{Operation: mockplatform.GetPipe, Header: http.Header{"Age": {"3600"}}, Times: mockplatform.Always}
	fails(old, apply, "A cache or gateway seems to have answered instead of the API: HTTP 200 OK", "a response that is 3600 s old")
	fails(mockplatform.Fault{Status: 101, Hang: true, Cut: mockplatform.CutHead, CutBytes: 1000, Header: http.Header{"Upgrade": {"x"}, "Connection": {"Upgrade"}}}, plan, "HTTP 101 Switching Protocols")
	w.setenv("TF_APPEND_USER_AGENT=a\x01b")
	fails(mockplatform.Fault{}, plan, "The request was not sent", "TF_APPEND_USER_AGENT")
	if n := len(f.Writes()); n > 0 {
		t.Errorf("%d writes on the basis of a read that is old, or of none", n)
	}
}
