package rest

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func unmasked(s string) string { return s }

// The message of an error is found in any usual place, as one clean text.
func TestMessage(t *testing.T) {
	t.Parallel()
	const page = "<html><head><title>Sign in</title></head><body>no</body></html>"
	const isPage = "it is an HTML page, not a response of the API"
	tests := []struct{ kind, body, want string }{
		{"", `{"status":400,"requestId":"r","error":"too small"}`, "too small"},
		{"", `{"error":{"error":{"detail":"too small","code":7}}}`, "too small"},
		{"", `{"errors":["too small","too late"]}`, "too small; too late"},
		{"", `{"errors":[{"field":"a","message":"too small"},{"reason":"too late"}]}`, "too small; too late"},
		{"", `{"detail":"too small","title":"Unprocessable Entity"}`, "too small"},
		{"", `{"title":"Too small"}`, "Too small"},
		{"", `{"error":"invalid_request","error_description":"too small"}`, "too small; invalid_request"},
		{"", `{"error":"Bad Request","message":"too small"}`, "too small"},
		{"", `{"status":400,"result":{"error":"too small"}}`, "too small"},
		{"", `{"detail":[{"loc":["body","numReplicas"],"message":"too small"}]}`, "too small"},
		{"", `{"message":"no","errors":[{"message":"a is too small"}]}`, "no; a is too small"},
		{"", `["too small"]`, "too small"},
		{"", `{"message":"a <b>too</b> &lt; small"}`, "a too < small"},
		{"", `{"message":"two\nlines\u001b[31m and\u202e more"}`, "two lines [31m and more"},
		{"", `{"x":1}`, ""},
		{"", strings.Repeat(`{"error":[`, 100) + `"deep"` + strings.Repeat(`]}`, 100), "deep"},
		{"", `["0","1","2","3","4","5","6","7","8","9","a","b","c","d","e","f","g","h","i","j","k"]`, "0; 1; 2; 3; 4; 5; 6; 7; 8; 9; a; b; c; d; e; f; g; h; i; j"},
		{"text/html; charset=utf-8", page, isPage + `, with the title "Sign in"`},
		{"text/plain", page, isPage + `, with the title "Sign in"`},
		{"text/plain", "<!DOCTYPE html><body>x", isPage},
		{"text/html", "<title>a\n <i>b</i> &amp; c</title>", isPage + `, with the title "a b & c"`},
		{"text/html", "<title>" + strings.Repeat("x", 101) + "</title>", isPage + `, with the title "` + strings.Repeat("x", 100) + `…"`},
		{"text/plain", "upstream connect error", "upstream connect error"},
		{"", "", ""},
		{"application/octet-stream", "\x00\x01\xff binary", ""},
	}
	for _, test := range tests {
		r := &Response{Status: 400, Header: http.Header{"Content-Type": {test.kind}}, Body: []byte(test.body), Mask: unmasked}
		if got, _ := describe(r); got != test.want {
			t.Errorf("%s: %q, want %q", test.body, got, test.want)
		}
	}
}

// A redirect names where it leads, as far as it says so, without path and query.
func TestRedirect(t *testing.T) {
	t.Parallel()
	for location, want := range map[string]string{
		"https://a.example/x?hidden": "a redirect to https://a.example, which",
		"//a.example/x":              "a redirect to a.example, which",
		"/x?hidden":                  "a redirect, which",
		"https://hidden:%zz":         "a redirect, which",
	} {
		if got := describeRedirect(location, unmasked); !strings.HasPrefix(got, want) || strings.Contains(got, "hidden") {
			t.Errorf("%s: %s", location, got)
		}
	}
}

// The response of an error is its status and the request ID.
func TestResponse(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]*Error{
		"HTTP 404 Not Found":                {Status: 404},
		"HTTP 404 Not Found (request ID r)": {Status: 404, RequestID: "r"},
		"HTTP 499":                          {Status: 499},
	} {
		if got := e.Response(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestIsSuccess(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]bool{199: false, 200: true, 299: true, 300: false} {
		if r := (&Response{Status: status}); r.IsSuccess() != want {
			t.Errorf("%d: %t", status, !want)
		}
	}
}

// A long message is cut where it is shown, and not where it is searched.
func TestMessageIsCut(t *testing.T) {
	t.Parallel()
	e := &Error{Status: 400, Message: strings.Repeat("ä", 2000) + " numReplicas"}
	if e.Cause() != strings.Repeat("ä", maxMessage)+"…" || !strings.HasSuffix(e.Rejection(), " numReplicas") {
		t.Error(e.Cause(), e.Rejection())
	}
}

// A 404 means that an object does not exist if its body is a JSON object with a requestId, as
// every documented response has. Gateways and frameworks answer with the others.
func TestNotFoundIsTheAPIsOwn(t *testing.T) {
	t.Parallel()
	k := &call{Request: &Request{API: &API{}, NamesObject: true}}
	for body, own := range map[string]bool{
		`{"status":404,"requestId":"r","result":null}`:             true,
		`{"requestId":"r","message":"Cannot GET the pipe's path"}`: true,
		`{"status":404,"requestId":""}`:                            false,
		`{"status":404,"requestId":7}`:                             false,
		`[{"requestId":"r"}]`:                                      false,
		`{"data":{"requestId":"r"}}`:                               false,
		`{"requestId":"r"`:                                         false,
		`"requestId"`:                                              false,
		`null`:                                                     false,
		``:                                                         false,
		`{"status":404,"error":"Not Found","path":"/v1"}`: false,
		`{"error":{"code":"PIPE_NOT_FOUND"}}`:             false,
		`<html><title>404</title>requestId</html>`:        false,
	} {
		for status, want := range map[int]bool{404: own, 410: false} {
			header := http.Header{"X-Request-Id": {"of-a-header"}}
			if e := k.unsuccessful(&Response{Status: status, Header: header, Body: []byte(body), Mask: unmasked}); e.NotFound != want {
				t.Errorf("%d %s: %t", status, body, e.NotFound)
			}
		}
	}
}

// Durations are rounded for reading, and a text ends as a sentence does.
func TestReadable(t *testing.T) {
	t.Parallel()
	const second = time.Second
	for d, want := range map[time.Duration]string{
		0: "0s", 1400 * time.Microsecond: "1ms", second - 1: "1s", second: "1s", 1260 * time.Millisecond: "1.3s",
		10*second - 1: "10s", 10*second + second/3: "10s", 48*time.Hour - second: "47h59m59s", 48 * time.Hour: "2 days", 100 * time.Hour: "4 days",
	} {
		if got := readable(d); got != want {
			t.Errorf("%d: %s, want %s", d, got, want)
		}
	}
	for text, want := range map[string]string{"": "", ": ": "", "a": "a.", "a:": "a.", "a.": "a.", "a!": "a!", "a? ": "a?"} {
		if got := sentence(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
