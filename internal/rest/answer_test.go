package rest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

const testUUID = "5c0e8f6a-1111-4a4a-8b8b-000000000001"

// Whose answer a response is, whether a write may have been carried out, and what the response says: a
// row for each thing that answers in place of an API.
func TestWhoseAnswerAResponseIs(t *testing.T) {
	t.Parallel()
	const (
		own     = `{"requestId":"` + testUUID + `"}`
		json    = odd
		cached  = "a response that is 3600 s old"
		blocked = `<!doctype html><title>Access Denied</title><style>h1 { color: red }</style><body>You cannot see &quot;this&quot;.` +
			`<script>var reference = 1</script><p>Reference #18.2f3e1602.17</p></body>`
		follow = "it is not followed because the credentials would go to "
	)
	long := "<title>Sorry</title>" + strings.Repeat("very sorry ", 50) + "Ray ID: 7d5e1f and more"
	shown := "Sorry " + strings.Repeat("very sorry ", 26) + "very sor… Ray ID: 7d5e1f"
	says := func(status int, what string) string {
		return fmt.Sprintf(`{"status":%d,"requestId":"%s","error":"%s"}`, status, testUUID, what)
	}
	for name, row := range map[string]struct {
		status      int
		body        string
		form        string // "" if it is the API's own
		update, key bool   // whether each may have been carried out
		says        string // the body if omitted
	}{
		"a result":                   {200, `{"result":{}}`, "", true, true, ""},
		"no body":                    {204, " ", "", true, true, ""},
		"a request ID alone":         {200, own, "", true, true, ""},
		"an error of the API":        {400, `{"requestId":"` + testUUID + `","message":"no"}`, "", false, false, "no"},
		"a session that has expired": {200, `{"message":"Session expired"}`, json, true, true, "Session expired"},
		"a login page":               {200, resttest.Page, htmlPage, true, true, "Sign in no"},
		"a redirect":                 {302, "https://sso.example/hidden?hidden", redirect, true, true, follow + "sso.example"},
		"a redirect to no URL":       {302, "https://hidden:%zz", redirect, true, true, follow + "another address"},
		"a filter":                   {403, blocked, htmlPage, false, true, `Access Denied You cannot see "this". Reference #18.2f3e1602.17`},
		"a long page":                {403, long, htmlPage, false, true, shown},
		"a framework":                {404, `{"status":404,"error":"Not Found","requestId":"4ebc4a9d-1"}`, json, false, false, "Not Found"},
		"a JSON that is cut off":     {404, own[:len(own)-1], json, false, true, ""},
		"a 425":                      {425, "", json, false, true, ""},
		"a 429":                      {429, "<p>slow down", htmlPage, false, true, "slow down"},
		"a 409":                      {409, "busy", json, false, true, ""},
		"an outage of the API":       {503, own, "", true, true, ""},
		"its own word":               {200, says(503, "index down"), "", true, true, "index down"},
		"a 409 by its own word":      {200, says(409, "busy"), "", true, true, "busy"},
		"a 409 in an outage":         {503, says(409, "busy"), "", true, true, "busy"},
		"a result and a failure":     {200, `{"status":500,"result":{}}`, "", true, true, ""},
		"the word of a framework":    {200, `{"status":400,"error":"no"}`, json, true, true, "no"},
		"a status of another form":   {200, `{"status":2.000e2,"result":{}}`, "", true, true, ""},
		"a byte order mark":          {200, "\ufeff" + own, "", true, true, own},
		"a cache":                    {200, "3600 s old: " + own, cached, true, true, ""},
		"a 404 of a cache":           {404, "3600 s old: " + says(404, "gone"), cached, false, false, "gone"},
		"a cache that is new":        {200, "10 s old: " + own, "", true, true, own},
		"a part":                     {206, own, "a part of a response", true, true, ""},
		"what was changed":           {203, own, "a response that was changed on its way", true, true, ""},
		"parts":                      {207, says(207, "half"), "a response in parts, each with a status of its own", true, true, "half"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &Response{Status: row.status, Header: http.Header{}, Secrets: new(Secrets)}
			body := row.body
			if row.form == redirect {
				r.Header.Set("Location", body)
				body = own // it may be the API's
			}
			if age, rest, isOld := strings.Cut(body, " s old: "); isOld {
				r.Header.Set("Age", age)
				body = rest
			}
			r.read(strings.NewReader(body), maxBody)
			r.judge(&Request{Method: http.MethodPatch, Result: "result"})
			isOwn := row.form == "" || row.form == redirect
			if isSuccess := row.status/100 == 2 && isOwn && (!strings.Contains(body, `"status"`) || strings.Contains(body, "2.000")); isSuccess != (r.Doubt == nil) {
				t.Errorf("doubt: %v", r.Doubt)
			}
			if r.IsOwn != isOwn || r.form() != row.form || r.MayBeDone("PATCH") != row.update || r.MayBeDone("POST") != row.key {
				t.Errorf("own %t, %q, may be done %t, a key %t", r.IsOwn, r.form(), r.MayBeDone("PATCH"), r.MayBeDone("POST"))
			}
			want := row.says
			if want == "" && r.detour() == "" {
				want = strings.TrimSpace(body)
			}
			if says := r.Message(); says != want {
				t.Errorf("says %q, want %q", says, want)
			}
		})
	}
}

// A write of which nothing was done was not sent, came too early, or the API itself rejected its credentials. A read that
// the API itself rejects would be rejected again, unless it came too early or too often.
func TestWhatAFailureSays(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]struct{ nothingDone, isRejected bool }{
		0: {true, false}, 200: {false, false}, 302: {false, false}, 400: {false, true}, 401: {true, true}, 403: {true, true},
		408: {false, false}, 409: {false, true}, 425: {true, false}, 429: {true, false}, 503: {false, false},
	} {
		e := &Error{Status: status}
		if e.NothingDone() != want.nothingDone || e.IsRejected() != want.isRejected {
			t.Errorf("HTTP %d: nothing done %t, rejected %t", status, e.NothingDone(), e.IsRejected())
		}
		e.Foreign = htmlPage
		if e.IsRejected() || e.NothingDone() && (status == 401 || status == 403) {
			t.Errorf("HTTP %d of a filter: nothing done %t, rejected %t", status, e.NothingDone(), e.IsRejected())
		}
	}
}

// The message of an error is found in any usual place, in any letter case, as one clean text; else the
// body is shown. A secret in it is masked, also if it is spelled as the message is cleaned, and a
// message of nothing else is withheld. So is a request ID that is a secret.
func TestMessageIsFoundAndMasked(t *testing.T) {
	t.Parallel()
	var secrets Secrets
	secrets.AddSecret("two words")
	secrets.AddSecret(testUUID)
	for body, want := range map[string]string{
		`{"error":"Bad Request","message":"too small"}`: "too small",
		`{"x":{"y":1}}`: `{"x":{"y":1}}`,
		`{"message":"two\nlines\u001b[31m and\u202e\u2028\u2029\ufffd more"}`: "two lines [31m and more",
		" <title>two words</title>":                                    withheld,
		`{"message":"not two\nwords"}`:                                 "not ***",
		`{"message":"not Two Words"}`:                                  withheld,
		`{"errors":[{"message":"is two"},{"message":" words it is"}]}`: withheld,
		`{"errors":["is two words","or not"]}`:                         "is ***; or not",
		"not " + strings.Repeat(" ", maxText) + "two words":            "not",
		strings.Repeat("x", maxMessage-4) + " two words":               strings.Repeat("x", maxMessage-4) + " ***", // of a secret cut in two
	} {
		r := &Response{Status: 400, Header: http.Header{}, Secrets: &secrets}
		r.read(strings.NewReader(body), maxBody)
		if got := r.Message(); got != want {
			t.Errorf("%.80s: %q, want %q", body, got, want)
		}
	}
	r := &Response{Value: map[string]any{"requestId": testUUID}, Secrets: &secrets}
	r.judge(&Request{})
	if !r.IsOwn || r.RequestID != mask {
		t.Errorf("own %t, request ID %s", r.IsOwn, r.RequestID)
	}
}
