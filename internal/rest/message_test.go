package rest

import (
	"net/http"
	"strings"
	"testing"
)

// The message of an error is found in any usual place, as one clean text. A secret in it is
// masked, also if it is spelled as the message is cleaned, and a message of nothing else is
// withheld.
func TestMessageOfAnErrorIsFoundAndMasked(t *testing.T) {
	t.Parallel()
	var secrets Secrets
	secrets.AddSecret("two words")
	const page = "<html><head><title>Sign in</title></head><body>no</body></html>"
	for _, test := range []struct{ kind, body, want string }{
		{"", `{"status":400,"requestId":"r","error":"too small"}`, "too small"},
		{"", `{"error":{"error":{"detail":"too small","code":7}}}`, "too small"},
		{"", `{"errors":[{"field":"a","message":"too small"},{"reason":"too late"},"no"]}`, "too small; too late; no"},
		{"", `{"detail":"too small","title":"Bad Request"}`, "too small"},
		{"", `{"error":"Bad Request","message":"too small"}`, "too small"},
		{"", `{"error":"too small","message":"too small or too large"}`, "too small or too large"},
		{"", `{"message":"no","errors":[{"message":"a is too small"}]}`, "no; a is too small"},
		{"", `["too small"," "]`, "too small"},
		{"", `{"message":"two\nlines\u001b[31m and\u202e\u2028\u2029\ufffd more"}`, "two lines [31m and more"},
		{"", `{"x":1}`, ""},
		{"", strings.Repeat(`{"error":[`, 100) + `"deep"` + strings.Repeat(`]}`, 100), "deep"},
		{"", `["0","1","2","3","4","5","6","7","8","9","a","b","c","d","e","f","g","h","i","j","k"]`, "0; 1; 2; 3; 4; 5; 6; 7; 8; 9; a; b; c; d; e; f; g; h; i; j"},
		{"text/html; charset=utf-8", "<p>no", htmlPage},
		{"text/plain", page, htmlPage + `, with the title "Sign in"`},
		{"text/html", "<title>a\n b</title>", htmlPage + `, with the title "a b"`},
		{"text/html", "<title>" + strings.Repeat("ä", 100) + "</title>", htmlPage + `, with the title "` + strings.Repeat("ä", 100) + `"`},
		{"text/html", "<title>" + strings.Repeat("ä", 101) + "</title>", htmlPage + `, with the title "` + strings.Repeat("ä", 100) + `…"`},
		{"text/html", "<title> </title>", htmlPage},
		{"text/plain", "upstream connect error", "upstream connect error"},
		{"", "upstream connect error", "upstream connect error"},
		{"application/octet-stream", "\x00\x01\xff binary", ""},
		{"", `{"message":"not two words"}`, "not ***"},
		{"", `{"message":"not two\nwords"}`, "not ***"},
		{"", `{"message":"not Two Words"}`, withheld},
		{"", `<title>two words</title>`, htmlPage},
		{"", "not " + strings.Repeat(" ", maxText) + "two words", "not"},
		{"", strings.Repeat("x", maxMessage-4) + " two words", strings.Repeat("x", maxMessage-4) + " ***"}, // of a secret cut in two
	} {
		r := &Response{Status: 400, Header: http.Header{"Content-Type": {test.kind}}, Body: []byte(test.body), Clean: secrets.Clean}
		if got, _ := describe(r); got != test.want {
			t.Errorf("%.80s: %q, want %q", test.body, got, test.want)
		}
	}
}

// A 404 means that an object does not exist if its body is a JSON object with a requestId, as
// every documented response has; gateways and frameworks return the others. An ID in a header
// does not count.
func TestNotFound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status      int
		body        string
		namesObject bool
		want        bool
	}{
		{status: 404, body: `{"status":404,"requestId":"r","result":null}`, namesObject: true, want: true},
		{status: 404, body: `{"status":404,"requestId":"r","result":null}`},
		{status: 410, body: `{"status":410,"requestId":"r","result":null}`, namesObject: true},
		{status: 404, body: `{"requestId":""}`, namesObject: true},
		{status: 404, body: `[{"requestId":"r"}]`, namesObject: true},
		{status: 404, body: `{"requestId":"r"`, namesObject: true},
	} {
		k := &Call{Request: &Request{API: &API{}, NamesObject: test.namesObject}}
		r := &Response{Status: test.status, Header: http.Header{"X-Request-Id": {"of-a-header"}}, Body: []byte(test.body), Clean: new(Secrets).Clean}
		if got := k.unsuccessful(r).NotFound; got != test.want {
			t.Errorf("%+v: %t", test, got)
		}
	}
}
