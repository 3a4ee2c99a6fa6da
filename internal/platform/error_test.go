package platform

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// failWith is the error of a read of a pipe with this response.
func failWith(t *testing.T, status int, body string, headers ...string) *Error {
	t.Helper()
	var e *Error
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.always(respond(status, body, headers...))
		if !errors.As(readPipe(t.Context(), c), &e) {
			t.Fatal("no error")
		}
	}, func(c *Config) { c.RetryTimeout = 0 })
	return e
}

func TestMessageFromAnyUsualPlace(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		`{"message":"too small"}`:                                                     "too small",
		`{"error":"too small"}`:                                                       "too small",
		`{"status":400,"requestId":"r","error":"too small"}`:                          "too small",
		`{"error":{"message":"too small","code":7}}`:                                  "too small",
		`{"error":{"error":{"detail":"too small"}}}`:                                  "too small",
		`{"errors":["too small","too late"]}`:                                         "too small; too late",
		`{"errors":[{"field":"a","message":"too small"},{"reason":"too late"}]}`:      "too small; too late",
		`{"detail":"too small","title":"Bad Request"}`:                                "too small",
		`{"title":"Too small"}`:                                                       "Too small",
		`{"error":"invalid_request","error_description":"too small"}`:                 "too small; invalid_request",
		`{"error":"Bad Request","message":"too small"}`:                               "too small",
		`{"reason":"too small"}`:                                                      "too small",
		`{"status":400,"result":{"message":"too small"}}`:                             "too small",
		`{"status":400,"result":{"error":"too small"}}`:                               "too small",
		`{"detail":[{"loc":["body","numReplicas"],"msg":"x","message":"too small"}]}`: "too small",
		`{"message":"no","errors":[{"message":"a is too small"}]}`:                    "no; a is too small",
		`["too small"]`:                         "too small",
		`"too small"`:                           "too small",
		`{"message":"a <b>too</b> &lt; small"}`: "a too < small",
		`{"message":"two\nlines\u001b[31m and\u202e more"}`: "two lines [31m and more",
		`too small`: "",
		`{"x":1}`:   "",
		`{"error":{"error":{"error":{"error":{"error":{"error":{"error":{"error":"deep"}}}}}}}}`: "",
	}
	for body, want := range tests {
		if e := failWith(t, 400, body); e.Message != want {
			t.Errorf("%s: %q, want %q", body, e.Message, want)
		}
	}
}

func TestMessageThatIsNotJSON(t *testing.T) {
	t.Parallel()
	const html, text = "Content-Type: text/html; charset=utf-8", "Content-Type: text/plain"
	tests := []struct{ body, header, want string }{
		{page, html, `it is an HTML page, not a response of the API, with the title "Sign in"`},
		{page, text, `it is an HTML page, not a response of the API, with the title "Sign in"`},
		{"<!DOCTYPE html><body>x", text, "it is an HTML page, not a response of the API"},
		{"<title>a\n <i>b</i> &amp; c</title>", html, `it is an HTML page, not a response of the API, with the title "a b & c"`},
		{"upstream connect error", text, "upstream connect error"},
		{"", text, ""},
		{"\x00\x01\xff binary", "Content-Type: application/octet-stream", ""},
	}
	for _, test := range tests {
		e := failWith(t, 502, test.body, test.header)
		if e.Message != test.want || strings.ContainsAny(e.Error(), "<>") {
			t.Errorf("%q: %q, want %q", test.body, e.Message, test.want)
		}
	}
}

func TestMessageIsCut(t *testing.T) {
	t.Parallel()
	e := failWith(t, 400, `{"message":"`+strings.Repeat("ä", 2000)+` numReplicas"}`)
	if n := utf8.RuneCountInString(e.Cause()); n != testMaxMessage+1 {
		t.Errorf("%d runes", n)
	}
	if !strings.HasSuffix(e.Rejection(), " numReplicas") {
		t.Error("the cut part is not searched")
	}
}

// The complete texts.
func TestErrorTexts(t *testing.T) {
	t.Parallel()
	const stateConflict = "The object's current state does not allow the request: apply again once it does"
	const tried = "Tried to read pipe " + testPipe + " of service " + testService + " in organization " + testOrganization + " at http://127.0.0.1. "
	tests := map[string]struct {
		e    *Error
		want string
	}{
		"422": {failWith(t, 422, `{"requestId":"r1","error":"numReplicas is too small"}`),
			tried + "The API returned HTTP 422 Unprocessable Entity (request ID r1): numReplicas is too small.\n\nCorrect the value that the message names, or ask the platform's support with the request ID."},
		"409": {failWith(t, 409, `{"error":"busy:"}`),
			tried + "The API returned HTTP 409 Conflict: busy.\n\n" + stateConflict + "."},
		"423": {failWith(t, 423, "", "X-Request-Id: r5"),
			tried + "The API returned HTTP 423 Locked (request ID r5) without a message.\n\n" + stateConflict + ", or ask the platform's support with the request ID."},
		"400 of a state": {failWith(t, 400, `{"error":"the pipe must be paused first"}`),
			tried + "The API returned HTTP 400 Bad Request: the pipe must be paused first.\n\n" + stateConflict + "."},
		"400": {failWith(t, 400, "", "X-Request-Id: r4"),
			tried + "The API returned HTTP 400 Bad Request (request ID r4) without a message.\n\nAsk the platform's support with the request ID."},
		"401": {failWith(t, 401, "", "X-Request-Id: r2"),
			tried + "The API returned HTTP 401 Unauthorized (request ID r2) without a message.\n\nCheck key_id and key_secret. The key may be wrong, expired, disabled or revoked."},
		"403": {failWith(t, 403, `{"message":"no!"}`),
			tried + "The API returned HTTP 403 Forbidden: no!\n\nThe credentials (key_id and key_secret) are valid but lack permission: check the roles of the API key and its IP access list."},
		"404": {failWith(t, 404, ownError),
			tried + "The API returned HTTP 404 Not Found (request ID r): what a pity.\n\nCheck the IDs."},
		"404 router": {failWith(t, 404, `{"error":"path not found"}`),
			tried + "The API returned HTTP 404 Not Found: path not found.\n\nCheck base_url and the IDs: the response does not look like the API's own."},
		"404 page": {failWith(t, 404, page),
			tried + "The API returned HTTP 404 Not Found: it is an HTML page, not a response of the API, with the title \"Sign in\".\n\nCheck base_url: the response is from a login page or a gateway."},
		"429": {failWith(t, 429, ""),
			tried + "The API returned HTTP 429 Too Many Requests without a message.\n\nRetries are disabled (retry_timeout is 0s): set retry_timeout, or lower Terraform's -parallelism."},
		"200 page": {failWith(t, 200, page),
			tried + "The API returned HTTP 200 OK, but the response cannot be used: it is an HTML page, not a response of the API, with the title \"Sign in\".\n\nCheck base_url: the response is from a login page or a gateway."},
		"200 without result": {failWith(t, 200, `{"requestId":"r3"}`),
			tried + "The API returned HTTP 200 OK (request ID r3), but the response cannot be used: it has no \"result\"."},
		"200 contradiction": {failWith(t, 200, `{"status":404,"error":{"message":"gone"},"result":{}}`),
			tried + "The API returned HTTP 200 OK, but the response cannot be used: it contradicts itself: HTTP 200, but its envelope has status 404: gone."},
		"200 other type": {failWith(t, 200, `{"result":{"scaling":{"replicas":"two"}}}`),
			tried + "The API returned HTTP 200 OK, but the response cannot be used: \"scaling.replicas\" is a string, and the API document has a number."},
		"302": {failWith(t, 302, "", "Location: https://login.example/x?secret"),
			tried + "The API returned HTTP 302 Found: a redirect to https://login.example, which is not followed because it would send the credentials elsewhere; check the base URL."},
	}
	for name, test := range tests {
		if got := test.e.Detail(); got != test.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, test.want)
		}
		if !strings.HasPrefix(test.e.Error(), "read pipe at http://127.0.0.1: ") || strings.Contains(test.e.Error(), "\n") {
			t.Errorf("%s: %q", name, test.e.Error())
		}
	}
}

// A field of another type than documented is named, without its value, which may be a
// secret.
func TestOtherTypesAreNamed(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]string{
		`{"scaling":{"replicas":"three"}}`:      `"scaling.replicas" is a string, and the API document has a number`,
		`{"scaling":{"replicas":true}}`:         `"scaling.replicas" is a boolean, and the API document has a number`,
		`{"scaling":{"replicas":[1]}}`:          `"scaling.replicas" is an array, and the API document has a number`,
		`{"scaling":{"replicas":1e999}}`:        `"scaling.replicas" is a number that is out of range`,
		`{"scaling":[]}`:                        `"scaling" is an array, and the API document has an object`,
		`{"name":7}`:                            `"name" is a number, and the API document has a string`,
		`{"fieldMappings":{"a":1}}`:             `"fieldMappings" is an object, and the API document has an array`,
		`{"fieldMappings":[{},3]}`:              `"fieldMappings.1" is a number, and the API document has an object`,
		`{"destination":{"managedTable":"ye"}}`: `"destination.managedTable" is a string, and the API document has a boolean`,
	} {
		if e := failWith(t, 200, `{"result":`+result+`}`); !strings.HasSuffix(e.Detail(), ": "+want+".") {
			t.Errorf("%s: %s", result, e.Detail())
		}
	}
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.always(respond(200, `{"result":[{"id":"`+testPipe+`"},{"id":"`+testService+`","numReplicas":"many"}]}`))
		const want = "service " + testService + `: "numReplicas" is a string, and the API document has a number.`
		for _, o := range []string{"service", "list"} {
			if _, err := operations()[o].call(t.Context(), c); err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Error(o, err)
			}
		}
	})
}

// A response that is too large is reported as such.
func TestTooLargeIsReported(t *testing.T) {
	t.Parallel()
	for o, want := range map[string]string{
		"pipe":   "it is larger than the provider accepts (16 MiB).",
		"update": "it is larger than the provider accepts (16 MiB).\n\nThe change was probably applied.",
	} {
		for _, begin := range []string{`{"result":{"id":"`, `{"result":{"fieldMappings":[`} {
			c := testClient(t, newLarge(begin), func(c *Config) { c.RetryTimeout = 0; c.RequestTimeout = 30 * time.Second })
			_, err := operations()[o].call(t.Context(), c)
			if e := new(Error); !errors.As(err, &e) || !strings.HasSuffix(e.Detail(), want) {
				t.Error(o, begin, err)
			}
		}
	}
}

func newLarge(begin string) http.Handler {
	platform := newPlatform()
	platform.Inject(fault{Status: 200, Text: begin, Endless: strings.Repeat(" ", 1000)})
	return platform
}

// A short secret that is a word of the provider's own sentences, or a part of an ID,
// alters neither.
func TestOwnWordsAreNotMasked(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		for _, word := range []string{"wrong", "pipe", "status", "Check", "response", testPipe[:8], testService[9:13]} {
			c.AddSecret(word)
		}
		const id = "5f0e0e0e-0000-4000-8000-" + "40000000" + "0000"
		f.inject(respond(401, `{"requestId":"`+id+`","message":"the pipe is wrong"}`), hang)
		want := "Tried to read pipe " + testPipe + " of service " + testService + " in organization " + testOrganization +
			" at http://127.0.0.1. The API returned HTTP 401 Unauthorized (request ID " + id + "): the *** is ***.\n\nCheck key_id and key_secret. The key may be wrong, expired, disabled or revoked."
		if e := new(Error); !errors.As(readPipe(t.Context(), c), &e) || e.Detail() != want {
			t.Errorf("%s\nwant %s", e.Detail(), want)
		}
		c.AddSecret(id)
		f.ClearFaults()
		f.inject(respond(403, `{"status":403,"message":"`+id+`"}`, "X-Request-Id: "+id))
		if _, err := operations()["alert"].call(t.Context(), c); err == nil || strings.Contains(err.Error(), id) || !strings.Contains(err.Error(), "(request ID ***): ***.") {
			t.Error(err)
		}
	}, func(c *Config) { c.RetryTimeout = 0 })
}

func TestErrorOfAWriteReportsWhatMayExist(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		operation string
		fault     fault
		want      string
	}{
		"lost":           {"mappings", reset, "no complete response arrived: EOF.\n\nIt is not known whether the change was applied. The next apply sends only what is still missing."},
		"5xx":            {"mappings", respond(500, ""), "without a message.\n\nIt is not known whether the change was applied. The next apply sends only what is still missing."},
		"unreadable":     {"mappings", respond(200, `[]`), "it is JSON, but not an object.\n\nThe change was probably applied."},
		"lost key":       {"key", reset, "Tried to create API key in organization " + testOrganization + " at http://127.0.0.1. The request was sent, but no complete response arrived: EOF."},
		"unreadable key": {"key", respond(200, `{}`), "it has no \"result\"."},
	}
	for name, test := range tests {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.always(test.fault)
			_, err := operations()[test.operation].call(t.Context(), c)
			var e *Error
			if !errors.As(err, &e) || !strings.HasSuffix(e.Detail(), test.want) || !IsAmbiguous(err) {
				t.Errorf("%s: %q", name, e.Detail())
			}
		})
	}
}

// What to do about errors of connections, of lists and of the alerting API.
func TestHints(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		operation string
		fault     fault
		want      string
	}{
		"a list":            {"list", respond(404, ownError), "what a pity.\n\nCheck organization_id and base_url."},
		"a key":             {"key", respond(404, ownError), "what a pity.\n\nCheck organization_id and base_url."},
		"a token":           {"alert", respond(401, ""), "without a message.\n\nCheck alerts_access_token. It may be wrong, expired or revoked."},
		"a page, alerts":    {"alert", respond(200, page), "\"Sign in\".\n\nCheck alerts_base_url: the response is from a login page or a gateway."},
		"a page of a proxy": {"alert", respond(502, page), "\"Sign in\"."},
	}
	for name, test := range tests {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.always(test.fault)
			_, err := operations()[test.operation].call(t.Context(), c)
			var e *Error
			if !errors.As(err, &e) || !strings.HasSuffix(e.Detail(), test.want) {
				t.Errorf("%s: %v", name, err)
			}
		}, func(c *Config) { c.RetryTimeout = 0 })
	}
	for operation, want := range map[string]string{
		"pipe":  "connection refused.\n\nCheck base_url, and HTTPS_PROXY if it is set.",
		"alert": "connection refused.\n\nCheck alerts_base_url, and HTTPS_PROXY if it is set.",
	} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.refused = -1
			_, err := operations()[operation].call(t.Context(), c)
			var e *Error
			if !errors.As(err, &e) || !strings.HasSuffix(e.Detail(), want) {
				t.Errorf("%s: %v", operation, err)
			}
		}, func(c *Config) { c.RetryTimeout = 0 })
	}
}

func TestNotFoundIsTheAPIsOwn(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		`{"status":404,"requestId":"r"}`:               true,
		`{"status":404,"requestId":"r","result":null}`: true,
		`{"status":404}`:                               true,
		`{"error":"NOT_FOUND: no such pipe"}`:          true,
		`{"message":"Pipe not found"}`:                 true,
		`{"error":{"code":"PIPE_NOT_FOUND"}}`:          true,
		`{"errors":[{"message":"gone"}]}`:              true,
		`{"status":500,"error":"x"}`:                   false,
		`{"statusCode":502,"message":"x"}`:             false,
		`{}`:                                           false,
		`[]`:                                           false,
		`"not found"`:                                  false,
		`null`:                                         false,
		`not found`:                                    false,
		``:                                             false,
		page:                                           false,
		`{"message":"no Route matched with those values"}`:                false,
		`{"message":"Route GET:/v1/x not found","statusCode":404}`:        false,
		`{"message":"Cannot GET /v1/organizations"}`:                      false,
		`{"requestId":"r","message":"Cannot GET the route of this pipe"}`: false,
		`{"status":404,"requestId":"r","err`:                              false, // cut
		`{"status":404,"requestId":"r","error":"path not found"}`:         false,
		`{"status":404,"requestId":"r","error":"PATH_NOT_FOUND"}`:         false,
		`{"message":"The requested URL was not found on the server."}`:    false,
		`{"message":"Path /v1/organizations/x was not found"}`:            false,
		`{"message":"URL path '/v1/organizations/x' not found"}`:          false,
		`{"message":"Not found: path /v1/organizations/x"}`:               false,
		`{"message":"Not Found: /v1/organizations/x"}`:                    false,
		`{"message":"No such resource path"}`:                             false,
		`{"message":"Unknown endpoint"}`:                                  false,
		`{"message":"page not found"}`:                                    false,
		`{"message":"Invalid URI: /v1/organizations/x"}`:                  false,
		`{"status":404,"requestId":"r","error":"pipe not found"}`:         true,
		`{"message":"resource not found"}`:                                true,
		`{"message":"The requested resource was not found"}`:              true,
		`{"message":"no pipe with this id"}`:                              true,
		`{"message":"Pipe 4 at path /x not found"}`:                       true,
		`{"message":"not found: pipe 4"}`:                                 true,
		`{"message":"Alert not found, see the URL of its dashboard"}`:     true,
	}
	for body, want := range tests {
		if e := failWith(t, http.StatusNotFound, body); IsNotFound(e) != want {
			t.Errorf("%s: %v", body, !want)
		}
	}
	if IsNotFound(nil) || IsNotFound(errors.New("x")) || IsAmbiguous(nil) {
		t.Error("other errors are classified")
	}
}
