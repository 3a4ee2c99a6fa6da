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
		{"result null", mockplatform.Fault{Result: "null"}, 200, `"result":null`, 1},
		{"no result", mockplatform.Fault{Result: mockplatform.ResultMissing}, 200, `","status":200}`, 1},
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

	b.platform.Inject(mockplatform.Fault{Method: "PATCH", Path: "/scaling", Status: 500})
	equal(t, "another method", get(kafkaPath), 200)
	equal(t, "another path", b.send("PATCH", kafkaPath, `{}`).status, 200)
	equal(t, "method and path", b.send("PATCH", scalingPath, `{}`).status, 500)

	b.platform.Inject(mockplatform.Fault{Path: "/api/v2/alerts/*", Status: 418, Times: mockplatform.Always})
	equal(t, "pattern", []int{get(alertsPath + "x"), get(alertsPath + "y"), get(servicesPath)}, []int{418, 418, 200})
	b.platform.ClearFaults()
	equal(t, "cleared", get(alertsPath+mockplatform.AlertID), 200)

	b.platform.Inject(mockplatform.Fault{Status: 501})
	b.platform.Inject(mockplatform.Fault{Status: 502})
	equal(t, "in turn", []int{get(servicesPath), get(servicesPath), get(servicesPath)}, []int{501, 502, 200})
}

func TestHalfOfAPatchIsCarriedOut(t *testing.T) {
	t.Parallel()
	b := newBench(t, mockplatform.Behaviour{})
	b.platform.Inject(mockplatform.Fault{Status: 400, Half: true, Times: 2})
	const body = `{"name":"n","source":{"postgres":{"host":"h",` +
		`"tableMappingsToRemove":[{"sourceSchemaName":"public","sourceTable":"customers","targetTable":"customers"}],` +
		`"tableMappingsToAdd":[{"sourceSchemaName":"public","sourceTable":"new","targetTable":"new"}]}}}`
	equal(t, "status", b.send("PATCH", postgresPath, body).status, 400)
	stored := b.platform.Pipe(mockplatform.PostgresPipeID)
	equal(t, "mappings", size(stored, "source.postgres.tableMappings"), 2)
	equal(t, "the rest", []any{stored["name"], at(stored, "source.postgres.host")}, []any{"customers", "customers.pg.example.com"})
	equal(t, "a service", b.send("PATCH", scalingPath, `{"numReplicas":9}`).status, 400)
	equal(t, "replicas", b.platform.Service(mockplatform.ServiceID)["numReplicas"], 3)
}
