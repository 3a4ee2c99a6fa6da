package rest

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

const testUUID = "5c0e8f6a-1111-4a4a-8b8b-000000000001"

// Whose answer a response is, whether a write may have been carried out, and what the response says: a
// row for each thing that answers in place of an API.
func TestWhoseAnswerAResponseIs(t *testing.T) {
	t.Parallel()
	const (
		blocked = `<!doctype html><html><head><title>Access Denied</title><style>h1 { color: red }</style></head><body>You cannot see &quot;this&quot;.<script>var reference = 1</script>` +
			`<p>Reference #18.2f3e1602.17</p></body></html>`
		spring = `{"timestamp":"2026-01-02","status":404,"error":"Not Found","requestId":"4ebc4a9d-1"}`
		follow = "it is not followed because it would send the credentials elsewhere"
	)
	long := "<title>Sorry</title>" + strings.Repeat("very sorry ", 50) + "Ray ID: 7d5e1f and more"
	for name, row := range map[string]struct {
		status      int
		body        string
		location    string
		isOwn       bool
		form        string
		update, key bool // whether each may have been carried out
		says        string
	}{
		"a result":                   {status: 200, body: `{"result":{}}`, isOwn: true, update: true, key: true, says: `{"result":{}}`},
		"no body":                    {status: 204, body: " ", isOwn: true, update: true, key: true},
		"a request ID alone":         {status: 200, body: `{"requestId":"` + testUUID + `"}`, isOwn: true, update: true, key: true, says: `{"requestId":"` + testUUID + `"}`},
		"an error of the API":        {status: 400, body: `{"requestId":"` + testUUID + `","message":"no"}`, isOwn: true, says: "no"},
		"a list for an object":       {status: 200, body: `{"result":[]}`, form: "JSON that is not the API's", update: true, key: true, says: `{"result":[]}`},
		"a session that has expired": {status: 200, body: `{"message":"Session expired"}`, form: "JSON that is not the API's", update: true, key: true, says: "Session expired"},
		"a login page":               {status: 200, body: resttest.Page, form: htmlPage, update: true, key: true, says: "Sign in no"},
		"JSON and more":              {status: 200, body: `{"result":{}} x`, form: "a text", update: true, key: true, says: `{"result":{}} x`},
		"a redirect":                 {status: 302, location: "https://sso.example/hidden?hidden", form: "a redirect to https://sso.example", update: true, key: true, says: follow},
		"a redirect to a path":       {status: 302, location: "/hidden?hidden", form: "a redirect", update: true, key: true, says: follow},
		"no redirect":                {status: 304, form: "an empty body", update: true, key: true},
		"a redirect of the API":      {status: 301, location: "https://b.example", body: `{"requestId":"` + testUUID + `"}`, isOwn: true, form: "a redirect to https://b.example", update: true, key: true, says: follow},
		"a long page that is cut":    {status: 403, body: "<p>Denied" + strings.Repeat(" ", maxError), form: htmlPage, key: true, says: "Denied"},
		"a redirect to no URL":       {status: 302, location: "https://hidden:%zz", form: "a redirect", update: true, key: true, says: follow},
		"a filter":                   {status: 403, body: blocked, form: htmlPage, key: true, says: `Access Denied You cannot see "this". Reference #18.2f3e1602.17`},
		"a long page":                {status: 403, body: long, form: htmlPage, key: true, says: "Sorry " + strings.Repeat("very sorry ", 26) + "very sor… Ray ID: 7d5e1f"},
		"a framework":                {status: 404, body: spring, form: "JSON that is not the API's", says: "Not Found"},
		"a UUID in an array":         {status: 404, body: `[{"requestId":"` + testUUID + `"}]`, form: "JSON that is not the API's", says: `[{"requestId":"` + testUUID + `"}]`},
		"a JSON that is cut off":     {status: 404, body: `{"requestId":"` + testUUID + `"`, form: "a text", key: true, says: `{"requestId":"` + testUUID + `"`},
		"an empty 403":               {status: 403, form: "an empty body", key: true},
		"a text":                     {status: 502, body: "upstream connect error", form: "a text", update: true, key: true, says: "upstream connect error"},
		"bytes":                      {status: 502, body: "\x00\x01\xff", form: "a text", update: true, key: true, says: "3 bytes that are no text"},
		"a 408":                      {status: 408, body: `{}`, form: "JSON that is not the API's", update: true, key: true, says: "{}"},
		"a 425":                      {status: 425, form: "an empty body"},
		"a 429":                      {status: 429, body: "<p>slow down", form: htmlPage, says: "slow down"},
		"a 409":                      {status: 409, body: "busy", form: "a text", says: "busy"},
		"an outage of the API":       {status: 503, body: `{"requestId":"` + testUUID + `"}`, isOwn: true, update: true, key: true, says: `{"requestId":"` + testUUID + `"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &Response{Status: row.status, Header: http.Header{"Location": {row.location}}, Clean: new(Secrets).Clean}
			r.read(strings.NewReader(row.body), maxBody)
			r.identify(Result{Member: "result"})
			if r.IsOwn != row.isOwn || r.form() != row.form || r.mayBeDone("PATCH") != row.update || r.mayBeDone("POST") != row.key {
				t.Errorf("own %t, %q, may be done %t, a key %t", r.IsOwn, r.form(), r.mayBeDone("PATCH"), r.mayBeDone("POST"))
			}
			if says := r.message(); says != row.says {
				t.Errorf("says %q", says)
			}
		})
	}
}

// A write of which nothing was done was not sent, came too early, or the API itself rejected its credentials.
func TestNothingDone(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]bool{0: true, 429: true, 425: true, 401: true, 403: true, 400: false, 409: false} {
		if e := (&Error{Status: status}); e.NothingDone() != want {
			t.Errorf("HTTP %d: %t", status, !want)
		}
	}
	if e := (&Error{Status: 403, Foreign: htmlPage}); e.NothingDone() {
		t.Error("the 403 of a filter")
	}
}

// The message of an error is found in any usual place, in any letter case, as one clean text; else the
// body is shown. A secret in it is masked, also if it is spelled as the message is cleaned, and a
// message of nothing else is withheld.
func TestMessageIsFoundAndMasked(t *testing.T) {
	t.Parallel()
	var secrets Secrets
	secrets.AddSecret("two words")
	for body, want := range map[string]string{
		`{"error":{"error":{"detail":"too small","code":7}}}`:                         "too small",
		`{"errors":[{"field":"a","message":"too small"},{"reason":"too late"},"no"]}`: "too small; too late; no",
		`{"error":"Bad Request","message":"too small"}`:                               "too small",
		`{"error":"too small","message":"too small or too large"}`:                    "too small or too large",
		`{"message":"no","errors":[{"message":"a is too small"}]}`:                    "no; a is too small",
		`{"code":"QUOTA_EXCEEDED","msg":"Quota of the day"}`:                          "Quota of the day; QUOTA_EXCEEDED",
		`{"Message":"no"}`:                       "no",
		`{"errorCode":"E7","errorSummary":"no"}`: "no",
		`{"error":{"code":"IP_NOT_ALLOWED"}}`:    "IP_NOT_ALLOWED",
		`{"x":{"y":1}}`:                          `{"x":{"y":1}}`,
		`{"message":"two\nlines\u001b[31m and\u202e\u2028\u2029\ufffd more"}`:                   "two lines [31m and more",
		`["0","1","2","3","4","5","6","7","8","9","a","b","c","d","e","f","g","h","i","j","k"]`: "0; 1; 2; 3; 4; 5; 6; 7; 8; 9; a; b; c; d; e; f; g; h; i; j",
		" <title>two words</title>":                         withheld,
		`{"message":"not two\nwords"}`:                      "not ***",
		`{"message":"not Two Words"}`:                       withheld,
		"not " + strings.Repeat(" ", maxText) + "two words": "not",
		strings.Repeat("x", maxMessage-4) + " two words":    strings.Repeat("x", maxMessage-4) + " ***", // of a secret cut in two
	} {
		r := &Response{Status: 400, Header: http.Header{}, Clean: secrets.Clean}
		r.read(strings.NewReader(body), maxBody)
		if got := r.message(); got != want {
			t.Errorf("%.80s: %q, want %q", body, got, want)
		}
	}
}

// A body that is made to take long takes no longer than others. It took minutes.
func TestHostileBodyIsReadInTime(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"many messages":   `[` + strings.Repeat(`"message `+strings.Repeat("x", 100)+`",`, 80_000) + `"y"]`,
		"a long message":  `{"message":["` + strings.Repeat("x", 4<<20) + `","` + strings.Repeat("x", 4<<20) + `"]}`,
		"a deep message":  strings.Repeat(`{"error":`, 9000) + `"x"` + strings.Repeat(`}`, 9000),
		"an open comment": strings.Repeat("<!--", 2<<20),
	} {
		watch := time.AfterFunc(30*time.Second, func() { panic(name) })
		r := &Response{Status: 200, Header: http.Header{}, Clean: new(Secrets).Clean}
		r.read(strings.NewReader(body), 16<<20)
		_ = r.message()
		watch.Stop()
	}
}

// A secret that is a UUID does not come out as the ID of a request.
func TestRequestIDIsMasked(t *testing.T) {
	t.Parallel()
	var secrets Secrets
	secrets.AddSecret(testUUID)
	r := &Response{Status: 400, Header: http.Header{}, Clean: secrets.Clean}
	r.read(strings.NewReader(`{"requestId":"`+testUUID+`"}`), maxBody)
	r.identify(Result{})
	if !r.IsOwn || r.RequestID != mask {
		t.Errorf("own %t, request ID %s", r.IsOwn, r.RequestID)
	}
}
