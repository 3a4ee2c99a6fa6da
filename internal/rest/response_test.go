package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// No member of a JSON response is taken for another, no digit is lost, nothing of it can stop the
// program, and nothing may follow it.
func TestResponseJSONIsReadExactly(t *testing.T) {
	t.Parallel()
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, test := range map[string]struct{ body, want string }{
		"names to the letter":     {`{"Name":1,"name":2,"NAME":3,"n\u0061me2":4}`, `map[NAME:3 Name:1 name:2 name2:4]`},
		"the last of two members": {`{"a":1,"b":{"c":1},"a":null,"b":{"d":3}}`, `map[a:<nil> b:map[d:3]]`},
		"not UTF-8":               {"{\"a\xff\":\"b\xc3\",\"c\":\"\\ud800\"}", "map[a\ufffd:b\ufffd c:\ufffd]"},
		"numbers as spelled":      {`[1.50,-0,9007199254740993,1E+2,1e999999999,` + strings.Repeat("7", 99) + `]`, `[1.50 -0 9007199254740993 1E+2 1e999999999 ` + strings.Repeat("7", 99) + `]`},
		"white space around":      {" \r\n\t{} \r\n\t", `map[]`},
		"deep":                    {nested(10_000), nested(10_000)},
		"far too deep":            {strings.Repeat("[", 1<<20), `no JSON at 10000`},
		"text":                    {`no`, `no JSON at 1`},
		"a value after":           {`{} {}`, `map[], no JSON at 3`},
		"cut in a name":           {`{"a`, `cut`},
		"cut after a member":      {`{"a":"b"`, `cut`},
		"white space":             {" \n", `empty`},
	} {
		value, err := (&Response{Body: []byte(test.body)}).JSON()
		got := strings.TrimPrefix(fmt.Sprint(value), "<nil>")
		switch syntactic := new(json.SyntaxError); {
		case errors.Is(err, io.ErrUnexpectedEOF):
			got += "cut"
		case errors.Is(err, io.EOF):
			got += "empty"
		case errors.As(err, &syntactic):
			got = strings.TrimPrefix(fmt.Sprint(got, ", no JSON at ", syntactic.Offset-1), ", ")
		}
		if got != test.want {
			t.Errorf("%s: %.200s, want %.200s", name, got, test.want)
		}
	}
}

// A response that is larger than the maximum size is cut there, and none before.
func TestMaximumSize(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte("x"), maxBody+2)
	for status, maximum := range map[int]int{199: maxError, 200: maxBody, 299: maxBody, 300: maxError} {
		for size, isCut := range map[int]bool{maximum: false, maximum + 2: true} {
			r := &Response{Status: status}
			r.read(bytes.NewReader(body[:size]), maxBody)
			if (r.Cut != nil) != isCut || len(r.Body) != min(size, maximum+1) {
				t.Errorf("%d with %d bytes: %d, %v", status, size, len(r.Body), r.Cut)
			}
		}
	}
}

// The message of an error is found in any usual place, as one clean text. A secret in it is
// masked, also if it is spelled as the message is cleaned, and a message of nothing else is
// withheld. A redirect has only the target's host.
func TestMessageOfAnErrorIsFoundAndMasked(t *testing.T) {
	t.Parallel()
	var secrets Secrets
	secrets.AddSecret("two words")
	redirect := func(to string) string {
		return "a redirect" + to + ", which is not followed because it would send the credentials elsewhere"
	}
	for _, test := range []struct{ location, body, want string }{
		{"", `{"status":400,"requestId":"r","error":"too small"}`, "too small"},
		{"", `{"error":{"error":{"detail":"too small","code":7}}}`, "too small"},
		{"", `{"errors":[{"field":"a","message":"too small"},{"reason":"too late"},"no"]}`, "too small; too late; no"},
		{"", `{"error":"Bad Request","message":"too small"}`, "too small"},
		{"", `{"error":"too small","message":"too small or too large"}`, "too small or too large"},
		{"", `{"message":"no","errors":[{"message":"a is too small"}]}`, "no; a is too small"},
		{"", `{"message":"two\nlines\u001b[31m and\u202e\u2028\u2029\ufffd more"}`, "two lines [31m and more"},
		{"", `{"x":1}`, ""},
		{"", `["0","1","2","3","4","5","6","7","8","9","a","b","c","d","e","f","g","h","i","j","k"]`, "0; 1; 2; 3; 4; 5; 6; 7; 8; 9; a; b; c; d; e; f; g; h; i; j"},
		{"", " <title>two words</title>", htmlPage},
		{"", "upstream connect error", "upstream connect error"},
		{"", "\x00\x01\xff binary", ""},
		{"", `{"message":"not two\nwords"}`, "not ***"},
		{"", `{"message":"not Two Words"}`, withheld},
		{"", "not " + strings.Repeat(" ", maxText) + "two words", "not"},
		{"", strings.Repeat("x", maxMessage-4) + " two words", strings.Repeat("x", maxMessage-4) + " ***"}, // of a secret cut in two
		{"https://a.example/hidden?hidden", "", redirect(" to https://a.example")},
		{"/hidden?hidden", "", redirect("")},
		{"https://hidden:%zz", "", redirect("")},
	} {
		r := &Response{Status: 400, Header: http.Header{}, Body: []byte(test.body), Clean: secrets.Clean}
		if test.location != "" {
			r.Status = 302
			r.Header.Set("Location", test.location)
		}
		if got, _ := describe(r); got != test.want {
			t.Errorf("%.80s: %q, want %q", test.location+test.body, got, test.want)
		}
	}
}

// A 404 means that an object does not exist if its body is a JSON object with a requestId, as
// every documented response has; gateways and frameworks return the others. An ID in a header
// does not count.
func TestOnlyThePlatforms404MeansNotFound(t *testing.T) {
	t.Parallel()
	const own = `{"status":404,"requestId":"r","result":null}`
	for body, want := range map[string]bool{own: true, `{"requestId":""}`: false, `[{"requestId":"r"}]`: false, `{"requestId":"r"`: false} {
		for _, namesObject := range []bool{true, false} {
			k := &Call{Request: &Request{API: &API{}, NamesObject: namesObject}}
			r := &Response{Status: 404, Header: http.Header{"X-Request-Id": {"of-a-header"}}, Body: []byte(body), Clean: new(Secrets).Clean}
			if got := k.unsuccessful(r).NotFound; got != (want && namesObject) {
				t.Errorf("%s: %t", body, got)
			}
		}
	}
}
