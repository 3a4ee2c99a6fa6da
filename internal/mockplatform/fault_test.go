package mockplatform_test

import (
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
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
		{"status before", mockplatform.Fault{Status: 503}, 503, `"error":"injected fault"`, 0},
		{"status after", mockplatform.Fault{Status: 503, After: true}, 503, `"status":503`, 1},
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
			wantPart(t, out.text, row.text)
			equal(t, "keys", len(b.platform.Keys()), row.keys)
			equal(t, "after the fault", b.send("POST", keysPath, keyBody).status, 200)
		})
	}
}

func TestWhichRequestsAFaultMeets(t *testing.T) {
	t.Parallel()
	b := newBench(t, mockplatform.Behaviour{})
	get := func(path string) int { return b.send("GET", path, "").status }
	b.platform.Inject(mockplatform.Fault{Operation: mockplatform.GetPipe, Status: 503, Skip: 1, Times: 2})
	equal(t, "another operation", get(servicesPath), 200)
	equal(t, "same operation", []int{get(kafkaPath), get(kafkaPath), get(kafkaPath), get(kafkaPath)}, []int{200, 503, 503, 200})
	b.platform.Inject(mockplatform.Fault{Status: 501})
	b.platform.Inject(mockplatform.Fault{Status: 502})
	equal(t, "in turn", []int{get(servicesPath), get(servicesPath), get(servicesPath)}, []int{501, 502, 200})
}
