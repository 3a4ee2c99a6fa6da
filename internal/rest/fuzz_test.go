package rest

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Whatever an error's body holds, its text is one clean line of bounded length.
func FuzzErrorBody(f *testing.F) {
	for _, seed := range []string{`{"error":{"message":"x"}}`, `{"errors":[{"path":["a"]}]}`, "<html><title>x</title></html>", "plain", "\x1b[31m", `{"message":"<b>&lt;script&gt;"}`, `<!--`, `<title>`, strings.Repeat("x", maxMessage+2)} {
		f.Add(seed, 404, "text/html", "http://x/y")
		f.Add(seed, 500, "application/json", "")
	}
	f.Fuzz(func(t *testing.T, body string, status int, kind, location string) {
		k := &Call{Request: &Request{Operation: "read pipe", API: &API{}, Accept: func(*Response) error { return io.ErrUnexpectedEOF }, NamesObject: true}}
		e := k.receive(newResponse(&http.Response{
			StatusCode: 400 + (status%200+200)%200,
			Header:     http.Header{"Content-Type": {kind}, "Location": {location}, "X-Request-Id": {body}},
		}, new(Secrets).Clean), strings.NewReader(body))
		for _, text := range []string{e.Error(), e.Detail()} {
			if strings.ContainsFunc(strings.ReplaceAll(text, "\n\n", ""), unicode.IsControl) || !utf8.ValidString(text) {
				t.Errorf("not clean: %q", text)
			}
		}
		if n := utf8.RuneCountInString(e.Cause()); n > maxMessage+1 {
			t.Errorf("%d runes", n)
		}
	})
}

// A segment of a path arrives unchanged as one segment.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"a", "..", "a/b", "%2e%2e", "%2F", "a?b#c", `a\b`, "ä", "\xff", " ", "a;b", "%"} {
		f.Add(seed)
	}
	base := &url.URL{Path: "/pre/fix", RawPath: "/pre%2Ffix"}
	f.Fuzz(func(t *testing.T, segment string) {
		sent := (&Request{API: &API{Base: base}, Path: []string{"v1", segment}}).url().RequestURI()
		escaped, found := strings.CutPrefix(sent, "/pre%2Ffix/v1/")
		back, err := url.PathUnescape(escaped)
		if !found || err != nil || back != segment || strings.ContainsAny(escaped, `/?#\`) {
			t.Errorf("%q became %q", segment, sent)
		}
	})
}
