package mockplatform_test

import (
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

const keyBody = `{"name":"ci","roles":["admin"]}`

// TestFaultReplacesTheResponse has faults that a test would not miss if they had no effect.
func TestFaultReplacesTheResponse(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		fault  mockplatform.Fault
		status int
		text   string
		keys   int // created in spite of the fault
	}{
		{"status after", mockplatform.Fault{Status: 503, After: true}, 503, `"error":"injected fault"`, 1},
		{"echo", mockplatform.Fault{Status: 400, Body: mockplatform.BodyEcho}, 400, `{\"name\":\"ci\"`, 0},
		{"echo of the whole request", mockplatform.Fault{Status: 400, Body: mockplatform.BodyEchoWhole}, 400, "Authorization: Basic ", 0},
		{"edited", mockplatform.Fault{Edit: func(body mockplatform.Document) {
			body["result"] = at(body, "result.keyId")
		}}, 200, `"result":"`, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, mockplatform.Behaviour{})
			b.platform.Inject(row.fault)
			out := b.send("POST", keysPath, keyBody)
			equal(t, "status", out.status, row.status)
			terraformtest.WantText(t, out.text, row.text)
			equal(t, "keys", len(b.platform.Keys()), row.keys)
			equal(t, "after the fault", b.send("POST", keysPath, keyBody).status, 200)
		})
	}
}
