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
		head  bool
	}{
		{"reset before", mockplatform.Fault{Reset: true}, 0, false},
		{"reset after", mockplatform.Fault{Reset: true, After: true}, 1, false},
		{"cut in the head", mockplatform.Fault{Cut: mockplatform.CutHead, CutBytes: 20}, 1, false},
		{"cut in the body", mockplatform.Fault{Cut: mockplatform.CutBody, CutBytes: 30}, 1, true},
		{"reset in the body", mockplatform.Fault{Cut: mockplatform.CutBody, CutBytes: 30, Reset: true}, 1, false},
		{"cut in an error", mockplatform.Fault{Cut: mockplatform.CutBody, CutBytes: 10, Status: 500}, 0, true},
	} {
		for _, protocol := range []string{"HTTP/1.1", "HTTP/2"} {
			t.Run(row.name+", "+protocol, func(t *testing.T) {
				t.Parallel()
				b := newBenchOver(t, protocol)
				b.platform.Inject(row.fault)
				out, err := b.do(b.request("POST", keysPath, keyBody))
				if err == nil {
					t.Fatalf("got a complete response: %s", out.text)
				}
				// A reset discards what the client has not read yet.
				if protocol == "HTTP/1.1" && !row.fault.Reset && row.head != (out.status != 0) {
					t.Errorf("got status %d and %v", out.status, err)
				}
				equal(t, "keys", len(b.platform.Keys()), row.keys)
				equal(t, "after the fault", b.send("POST", keysPath, keyBody).status, 200)
			})
		}
	}
}

func newBenchOver(t *testing.T, protocol string) *bench {
	t.Helper()
	b := newBench(t)
	if protocol == "HTTP/1.1" {
		return b
	}
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
			body["result"] = at(body, "result", "keyId")
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
			if row.text == "" {
				equal(t, "body", out.text, "")
			}
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
	b.platform.Inject(mockplatform.Fault{Operation: mockplatform.ListServices, Edit: func(body mockplatform.Document) {
		delete(objectAt(body, "result", 1), "id")
	}})
	equal(t, "without ID", at(b.send("GET", servicesPath, "").body, "result", 1, "id"), nil)
	equal(t, "not stored", at(b.send("GET", servicesPath, "").body, "result", 1, "id"), mockplatform.ReadonlyServiceID)

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
		for _, end := range []string{"client disconnects", "faults are cleared"} {
			t.Run(name+", "+end, func(t *testing.T) {
				t.Parallel()
				inBubble(t, func(b *bench) {
					b.platform.Inject(row.fault)
					ctx, cancel := context.WithCancel(b.Context())
					defer cancel()
					ended := false
					go func() {
						if _, err := b.do(b.request("POST", keysPath, keyBody).WithContext(ctx)); err == nil {
							b.Error("got a complete response")
						}
						ended = true
					}()
					synctest.Wait()
					if keys := len(b.platform.Keys()); keys != row.keys || ended {
						b.Fatalf("%d keys, the request ended by itself: %t", keys, ended)
					}
					if end == "client disconnects" {
						cancel()
					} else {
						b.platform.ClearFaults()
					}
					synctest.Wait()
					if !ended {
						b.Error("the request still hangs")
					}
				})
			})
		}
	}
}
