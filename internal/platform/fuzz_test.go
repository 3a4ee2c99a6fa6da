package platform

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

func fuzzResponse(body string) *rest.Response {
	return &rest.Response{Status: 200, Body: []byte(body), Mask: unmasked}
}

func unmasked(s string) string { return s }

// No response makes the client panic or run without end.
func FuzzResponse(f *testing.F) {
	for _, seed := range []string{
		`{"status":200,"requestId":"r","result":{"id":"a","settings":{"engine_max_threads":1e9}}}`, `{"status":200,"result":[{"id":"a"},{"id":"A","x":1}]}`,
		`{"data":{"id":"a","threshold":4e0,"channel":null}}`, `{"status":404.5,"error":{"message":"x"},"result":null}`,
		`{"result":{"key":{"id":"k","roles":["a"]},"keyId":"i","keySecret":"s"}}`, resttest.Page, ``, `{`, `[]`, `{"result":[1e999]}`, `{"result":{"scaling":{"replicas":1e400}}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, a := range []*api{{member: "result"}, {member: "data"}} {
			_ = a.accept(testPipe, new(object).read)(fuzzResponse(body))
		}
		found := &list{}
		if found.accept(fuzzResponse(body)) == nil {
			for _, s := range found.services {
				_ = new(object).read(s.json)
			}
		}
		var key CreatedAPIKey
		_ = key.receive(fuzzResponse(body), false)
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
		err := c.GetAlert(context.Background(), id, new(object).read)
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
