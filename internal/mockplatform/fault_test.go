package mockplatform_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

const keyBody = `{"name":"ci","roles":["admin"]}`

func TestFaultsOfTheConnection(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		fault mockplatform.Fault
		keys  int // created in spite of the fault
	}{
		{"reset before", mockplatform.Fault{Reset: true}, 0},
		{"reset after", mockplatform.Fault{Reset: true, After: true}, 1},
		{"cut in the head", mockplatform.Fault{Cut: mockplatform.CutHead, CutBytes: 20}, 1},
		{"cut in the body", mockplatform.Fault{Cut: mockplatform.CutBody, CutBytes: 30}, 1},
		{"reset in the body", mockplatform.Fault{Cut: mockplatform.CutBody, CutBytes: 30, Reset: true}, 1},
		{"cut in an error", mockplatform.Fault{Cut: mockplatform.CutBody, CutBytes: 10, Status: 500}, 0},
	} {
		for protocol, newBench := range map[string]func(*testing.T) *bench{"HTTP/1.1": newBench, "HTTP/2": newHTTP2Bench} {
			t.Run(row.name+", "+protocol, func(t *testing.T) {
				t.Parallel()
				b := newBench(t)
				b.platform.Inject(row.fault)
				if out, err := b.do(b.request("POST", keysPath, keyBody)); err == nil {
					t.Errorf("got a complete response: %s", out.text)
				}
				equal(t, "keys", len(b.platform.Keys()), row.keys)
				equal(t, "after the fault", b.send("POST", keysPath, keyBody).status, 200)
			})
		}
	}
}

func newHTTP2Bench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.server = httptest.NewUnstartedServer(b.platform)
	b.server.EnableHTTP2 = true
	b.server.StartTLS()
	t.Cleanup(b.server.Close)
	b.url, b.client = b.server.URL, b.server.Client()
	return b
}

func TestFaultsOfTheResponse(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		fault   mockplatform.Fault
		status  int
		content string
		text    string
		keys    int
	}{
		{"status before", mockplatform.Fault{Status: 503}, 503, "application/json", `"error":"injected fault"`, 0},
		{"status after", mockplatform.Fault{Status: 503, After: true}, 503, "application/json", `"status":503`, 1},
		{"page", mockplatform.Fault{Status: 404, Body: mockplatform.BodyHTML, Message: "a & b"}, 404, "text/html; charset=utf-8", "<p>a &amp; b</p>", 0},
		{"plain text", mockplatform.Fault{Status: 502, Body: mockplatform.BodyText}, 502, "text/plain; charset=utf-8", "injected fault\n", 0},
		{"empty", mockplatform.Fault{Status: 504, Body: mockplatform.BodyEmpty}, 504, "", "", 0},
		{"echo", mockplatform.Fault{Status: 400, Body: mockplatform.BodyEcho}, 400, "application/json", `{\"name\":\"ci\"`, 0},
		{"echo of the whole request", mockplatform.Fault{Status: 400, Body: mockplatform.BodyEchoWhole}, 400, "text/plain; charset=utf-8", "Authorization: Basic ", 0},
		{"exact text", mockplatform.Fault{Status: 400, Text: `{"detail":1`}, 400, "application/json", `{"detail":1`, 0},
		{"result null", mockplatform.Fault{Result: "null"}, 200, "application/json", `"result":null`, 1},
		{"no result", mockplatform.Fault{Result: mockplatform.ResultMissing}, 200, "application/json", `","status":200}`, 1},
		{"edited", mockplatform.Fault{Edit: func(body mockplatform.Document) {
			body["result"] = at(body, "result.keyId")
		}}, 200, "application/json", `"result":"`, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.platform.Inject(row.fault)
			out := b.send("POST", keysPath, keyBody)
			equal(t, "status", out.status, row.status)
			equal(t, "Content-Type", out.header.Get("Content-Type"), row.content)
			if !strings.Contains(out.text, row.text) {
				t.Errorf("got %q, want %q", out.text, row.text)
			}
			equal(t, "empty", out.text == "", row.text == "")
			equal(t, "keys", len(b.platform.Keys()), row.keys)
			equal(t, "in the journal", b.platform.Requests()[0].Status, row.status)
			equal(t, "after the fault", b.send("POST", keysPath, keyBody).status, 200)
		})
	}
}

func TestFaultsElsewhere(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.platform.Inject(mockplatform.Fault{Operation: mockplatform.GetAlert, Result: "null"})
	equal(t, "alert", b.send("GET", alertsPath+mockplatform.AlertID, "").text, `{"data":null}`)

	b.platform.Inject(mockplatform.Fault{Status: 429, RetryAfter: 1500 * time.Millisecond})
	equal(t, "seconds", b.send("GET", servicesPath, "").header.Get("Retry-After"), "2")

	b.platform.Inject(mockplatform.Fault{Header: http.Header{"retry-after": {"never"}}})
	out := b.send("GET", servicesPath, "")
	equal(t, "real response with another header", []any{out.status, out.header.Get("Retry-After")}, []any{200, "never"})

	b.platform.Inject(mockplatform.Fault{Location: "https://elsewhere.example.com/"})
	out = b.send("PATCH", scalingPath, `{"numReplicas":9}`)
	equal(t, "redirect", []any{out.status, out.header.Get("Location")}, []any{307, "https://elsewhere.example.com/"})
	equal(t, "not carried out", b.platform.Service(mockplatform.ServiceID)["numReplicas"], 3)
}

func TestWhichRequestsAFaultMeets(t *testing.T) {
	t.Parallel()
	b := newBench(t)
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

func TestHang(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		fault mockplatform.Fault
		keys  int
	}{
		"before":      {mockplatform.Fault{Hang: true}, 0},
		"after":       {mockplatform.Fault{Hang: true, After: true}, 1},
		"in the body": {mockplatform.Fault{Hang: true, Cut: mockplatform.CutBody, CutBytes: 9}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bench) {
				row.fault.Times = 2
				b.platform.Inject(row.fault)
				ended := 0
				create := func(ctx context.Context) {
					if _, err := b.do(b.request("POST", keysPath, keyBody).WithContext(ctx)); err == nil {
						b.Error("got a complete response")
					}
					ended++
				}
				ctx, disconnect := context.WithCancel(b.Context())
				go create(ctx)
				go create(b.Context())
				synctest.Wait()
				equal(b.T, "keys", len(b.platform.Keys()), 2*row.keys)
				equal(b.T, "ended by themselves", ended, 0)
				disconnect()
				synctest.Wait()
				equal(b.T, "ended by the client", ended, 1)
				b.platform.ClearFaults()
				synctest.Wait()
				equal(b.T, "ended with the faults", ended, 2)
			})
		})
	}
}

// A server carries a request out although its client has been told otherwise, or has left.
func TestLater(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]mockplatform.Fault{
		"a gateway gives up":   {Status: 504, Later: 14 * time.Second},
		"the client gives up":  {Hang: true, Later: 14 * time.Second},
		"the connection broke": {Reset: true, Later: 14 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bench) {
				replicas := func() any { return b.platform.Service(mockplatform.ServiceID)["numReplicas"] }
				ctx, leave := context.WithTimeout(b.Context(), 2*time.Second)
				defer leave()
				b.platform.Inject(fault)
				out, err := b.do(b.request("PATCH", scalingPath, `{"numReplicas":9}`).WithContext(ctx))
				equal(b.T, "the response", []any{out.status, err != nil}, []any{fault.Status, fault.Status == 0})
				b.platform.ClearFaults()
				<-ctx.Done()
				b.must("PATCH", scalingPath, `{"numReplicas":5}`)
				time.Sleep(11 * time.Second)
				equal(b.T, "after 13 s", replicas(), 5)
				time.Sleep(2 * time.Second)
				equal(b.T, "after 15 s", replicas(), 9)
				equal(b.T, "requests", len(b.platform.Requests()), 2)
			})
		})
	}
}

func TestHalf(t *testing.T) {
	t.Parallel()
	b := newBench(t)
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
