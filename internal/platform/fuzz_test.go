package platform

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

func fuzzResponse(status int, member, body string, header http.Header) *response {
	return newResponse(&http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body))}, member, unmasked)
}

func unmasked(s string) string { return s }

// No response makes the client panic or run without end, and every caller can
// decode what was accepted.
func FuzzResponse(f *testing.F) {
	for _, seed := range []string{
		`{"status":200,"requestId":"r","result":{"id":"a","settings":{"engine_max_threads":1e9}}}`, `{"status":200,"result":[{"id":"a"},{"id":"A","x":1}]}`,
		`{"data":{"id":"a","threshold":4e0,"channel":null}}`, `{"status":404.5,"error":{"message":"x"},"result":null}`,
		`{"result":{"key":{"id":"k","roles":["a"]},"keyId":"i","keySecret":"s"}}`, page, ``, `{`, `[]`, `{"result":[1e999]}`, `{"result":{"scaling":{"replicas":1e400}}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if _, raw, err := object[Pipe](fuzzResponse(200, "result", body, nil)); err == nil {
			pipe, err := decode[Pipe](raw, unmasked)
			if err != nil {
				t.Error(err)
			}
			if _, err := encode(pipe); err != nil {
				t.Error(err)
			}
		}
		if _, raw, err := object[Alert](fuzzResponse(200, "data", body, nil)); err == nil {
			if _, err := decode[Alert](raw, unmasked); err != nil {
				t.Error(err)
			}
		}
		list := &services{mask: unmasked}
		if list.accept(fuzzResponse(200, "result", body, nil)) == nil {
			for id := range list.index {
				_, _ = list.find(id)
			}
		}
		var key CreatedAPIKey
		whole := key.accept(fuzzResponse(200, "result", body, nil)) == nil
		if found := salvageKey([]byte(body)); whole && found.KeySecret == nil && key.KeySecret != nil {
			t.Error("salvage does not find a secret that is there")
		}
	})
}

// The response to the creation of a key, cut off anywhere, never yields part of a
// secret.
func FuzzSalvageCut(f *testing.F) {
	f.Add("s3cr3t", "name", 40)
	f.Add(`a"b\c`, `"keySecret":"x"`, 70)
	f.Fuzz(func(t *testing.T, secret, name string, at int) {
		if secret == "" || !utf8.ValidString(secret) || !utf8.ValidString(name) { // an empty secret is none
			t.Skip()
		}
		body := `{"status":200,"result":{"key":{"name":` + quote(name) + `},"keyId":"i","keySecret":` + quote(secret) + `}}`
		found := salvageKey([]byte(body[:min(max(at, 0), len(body))]))
		if found.KeySecret != nil && *found.KeySecret != secret {
			t.Errorf("%q instead of %q", *found.KeySecret, secret)
		}
		if whole := salvageKey([]byte(body)); whole.KeySecret == nil || *whole.KeySecret != secret {
			t.Error("not found")
		}
	})
}

func quote(s string) string {
	b, _ := jsontext.AppendQuote(nil, s)
	return string(b)
}

// Whatever an error's body holds, its text is one clean line of bounded length.
func FuzzErrorBody(f *testing.F) {
	for _, seed := range []string{`{"error":{"message":"x"}}`, `{"errors":[{"path":["a"]}]}`, page, "plain", "\x1b[31m", `{"message":"<b>&lt;script&gt;"}`, `<!--`, `<title>`} {
		f.Add(seed, 404, "text/html", "http://x/y")
		f.Add(seed, 500, "application/json", "")
	}
	f.Fuzz(func(t *testing.T, body string, status int, kind, location string) {
		e := readError(fuzzResponse(status, "result", body, http.Header{"Content-Type": {kind}, "Location": {location}, "X-Request-Id": {body}}), nil)
		e.Operation = "read pipe"
		if e.Status != status {
			t.Error("status")
		}
		for _, text := range []string{e.Error(), e.Message} {
			if strings.ContainsFunc(text, isControl) || !utf8.ValidString(text) {
				t.Errorf("not clean: %q", text)
			}
		}
		if n := utf8.RuneCountInString(e.Message); n > maxMessage+1 && status/100 != 3 {
			t.Errorf("%d runes", n)
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"1", "0.5", "-1", "1e9", "Fri, 02 Jan 2026 03:04:15 GMT", "Inf", "9999999999999999999999"} {
		f.Add(seed, "Fri, 02 Jan 2026 03:04:05 GMT")
	}
	f.Fuzz(func(t *testing.T, value, date string) {
		d := retryAfter(http.Header{"Retry-After": {value}, "Date": {date}}, time.Now())
		if d < 0 || d > maxRetryAfter {
			t.Error(d)
		}
	})
}

// An accepted ID arrives unchanged as one segment of the path.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"a", "..", "a/b", "%2e%2e", "%2F", "a?b#c", `a\b`, "ä", "\xff", " ", "a;b", "%"} {
		f.Add(seed)
	}
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.RequestURI)
		_, _ = io.WriteString(w, `{"data":{}}`)
	}))
	f.Cleanup(server.Close)
	c, err := New(Config{AlertsBaseURL: server.URL + "/pre%2Ffix", AlertsAccessToken: "token"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, id string) {
		got = nil
		_, err := c.GetAlert(context.Background(), id)
		if ValidateAlertID(id) != nil {
			if err == nil || got != nil {
				t.Errorf("%q was sent: %v", id, err)
			}
			return
		}
		if err != nil || len(got) != 1 {
			t.Fatalf("%q: %v", id, err)
		}
		escaped, found := strings.CutPrefix(got[0], "/pre%2Ffix/api/v2/alerts/")
		back, err := url.PathUnescape(escaped)
		if !found || err != nil || back != id || strings.ContainsAny(escaped, "/?#\\") {
			t.Errorf("%q became %q", id, got[0])
		}
	})
}

// Mask returns no secret in any spelling.
func FuzzMask(f *testing.F) {
	f.Add("secret", "a secret b")
	f.Add("aaaa", "aaaaaaa")
	f.Fuzz(func(t *testing.T, secret, text string) {
		c, err := New(Config{})
		if err != nil {
			t.Fatal(err)
		}
		c.AddSecret(secret)
		masked := c.Mask(text + secret + text)
		if len(secret) >= minSecretLength && !strings.Contains(mask, secret) && bytes.Contains([]byte(masked), []byte(secret)) && !strings.Contains(strings.ReplaceAll(text+secret+text, secret, mask), secret) {
			t.Errorf("%q in %q", secret, masked)
		}
	})
}
