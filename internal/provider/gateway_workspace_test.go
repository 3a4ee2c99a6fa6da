package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// TestAnswersOfGateways has a real Terraform meet what answers in place of the API: nothing is believed
// that the API itself has not said, and the next apply makes up for it.
func TestAnswersOfGateways(t *testing.T) {
	f := newFixture(t)
	const password = "hüsh-hüsh-123ü"
	config := func(version int, mappings, more string) string {
		return f.provider() + onePipe("customers", mockplatform.PostgresPipeID,
			fmt.Sprintf("%s\nsource_credentials = { postgres = { username = \"u\", password_wo = %q, password_wo_version = %d } }", mappings, password, version)) + more
	}
	w := f.workspace(config(1, seedMappings, ""))
	w.Apply()
	apply := func(config string, fault mockplatform.Fault, fails bool, texts ...string) {
		t.Helper()
		f.ResetJournal()
		w.File("main.tf", config)
		f.Inject(fault)
		out, ok := w.Terraform("apply", "-auto-approve")
		if ok == fails {
			t.Errorf("the apply succeeded: %t\n%s", ok, out)
		}
		wantText(t, folded(out), texts...)
		wantNoText(t, out, "sh-123")
		f.ClearFaults()
	}

	page := mockplatform.Fault{Method: http.MethodPatch, Status: http.StatusOK, Body: mockplatform.BodyHTML}
	apply(config(2, seedMappings, ""), page, true, "A login page or gateway seems to have answered instead of the API: HTTP 200 OK, an HTML page",
		"It is not known whether the change was applied.", "the next apply sends them again", "source_credentials.postgres.password_wo_version")
	f.ResetJournal()
	w.Apply()
	if writes := strings.Join(f.Writes(), "\n"); !strings.Contains(writes, password) {
		t.Errorf("the password is not sent again: %s", writes)
	}

	framework := mockplatform.Fault{
		Operation: mockplatform.GetPipe, Status: http.StatusNotFound, Times: 2,
		Text: `{"timestamp":"2026-01-02T03:04:05Z","status":404,"error":"Not Found","requestId":"4ebc4a9d-1"}`,
	}
	apply(config(2, seedMappings, ""), framework, true, "The API or a gateway in front of it returned HTTP 404 Not Found (request ID 4ebc4a9d-1): Not Found.", "check base_url", "terraform state rm")
	w.WantEmptyPlan()

	// The read of a plan repeats a password that the run has in hand.
	echo := mockplatform.Fault{Path: mockplatform.ObjectStoragePipeID, Status: http.StatusBadRequest, Text: `{"message":"for h&uuml;sh-h\\u00fcsh-123&uuml;"}`}
	adopted := onePipe("files", mockplatform.ObjectStoragePipeID,
		fmt.Sprintf(`source_credentials = { object_storage = { access_key_id = "a", secret_key_wo = %q, secret_key_wo_version = 1 } }`, password))
	apply(config(2, seedMappings, adopted), echo, true, "the message is withheld because it contains a secret")

	late := mockplatform.Fault{Method: http.MethodPatch, Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Later: 4 * time.Second}
	apply(config(2, resorted, ""), late, false, "Apply complete!")
	if got := len(member(f.Pipe(mockplatform.PostgresPipeID), tableMappings).([]any)); got != 3 {
		t.Errorf("%d tables are replicated, want 3", got)
	}

	filter := mockplatform.Fault{Operation: mockplatform.CreateKey, Status: http.StatusForbidden, Body: mockplatform.BodyHTML, After: true}
	apply(config(2, resorted, keyConfig("  name  = \"ci\"\n  roles = [\"admin\"]")), filter, true,
		"HTTP 403 Forbidden, an HTML page", "The platform may have created the key.", `name "ci"`)
}
