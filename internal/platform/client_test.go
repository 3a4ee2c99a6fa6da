package platform

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

func TestCalls(t *testing.T) {
	t.Parallel()
	var got string
	platform := resttest.NewServer()
	platform.SetAlert(mockplatform.Document{"id": "a b?c#d", "threshold": 1})
	// The platform's journal leaves Authorization out.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r.Method + " " + r.URL.RequestURI() + " " + r.Header.Get("Authorization") + " " + r.Header.Get("Content-Type") + " " + string(body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		platform.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	c := newTestClient(t, server.URL)
	ctx := context.Background()
	const (
		basic  = " Basic a2V5LWlkOmJhc2ljLXNlY3JldA== "
		org    = "/prefix/v1/organizations/" + testOrganization
		svc    = org + "/services/" + testService
		bearer = " Bearer bearer-secret "
	)
	tests := map[string]struct {
		want string
		call func(read Read) error
	}{
		"list": {"GET " + org + "/services?filter=a%3Db&filter=c%3D" + basic + " ", func(read Read) error {
			return c.ListServices(ctx, testOrganization, []string{"a=b", "c="}, read)
		}},
		"scaling": {"PATCH " + svc + "/scaling" + basic + `application/json {"idleScaling":true,"numReplicas":3}`, func(read Read) error {
			return c.UpdateServiceScaling(ctx, testOrganization, testService, map[string]any{"numReplicas": 3, "idleScaling": true}, read)
		}},
		"key": {"POST " + org + "/keys" + basic + `application/json {"ipAccessList":[],"name":"n","roles":["admin"]}`, func(read Read) error {
			_, err := c.CreateAPIKey(ctx, testOrganization, map[string]any{"roles": []string{"admin"}, "name": "n", "ipAccessList": []any{}})
			return errors.Join(err, read(jsontext.Value("{}")))
		}},
		"pipe": {"GET " + svc + "/pipes/" + testPipe + basic + " ", func(read Read) error {
			return c.GetPipe(ctx, testOrganization, testService, testPipe, read)
		}},
		"update pipe": {"PATCH " + svc + "/pipes/" + testPipe + basic + `application/json {"name":"n"}`, func(read Read) error {
			return c.UpdatePipe(ctx, testOrganization, testService, testPipe, PipePatch{Body: renamed}, read)
		}},
		"alert": {"GET /api/v2/alerts/a%20b%3Fc%23d" + bearer + " ", func(read Read) error {
			return c.GetAlert(ctx, "a b?c#d", read)
		}},
	}
	for name, test := range tests {
		value, err := reading(test.call)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got != test.want {
			t.Errorf("%s: sent %q, want %q", name, got, test.want)
		}
		if value == nil && name != "list" { // nothing has such a tag
			t.Errorf("%s: nothing was read", name)
		}
	}
}

func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	good := map[string]string{
		"https://api.example":            "https://api.example",
		"https://api.example/":           "https://api.example",
		"https://api.example/a/b//":      "https://api.example/a/b",
		"https://api.example:8443/a%2Fb": "https://api.example:8443/a%2Fb",
		"HTTPS://api.example":            "https://api.example",
		"http://localhost:8080":          "http://localhost:8080",
		"http://127.0.0.1:1/x":           "http://127.0.0.1:1/x",
		"http://127.1.2.3":               "http://127.1.2.3",
		"http://[::1]:65535":             "http://[::1]:65535",
		"https://api.example:":           "https://api.example:",
		"https://api.example/v1/alerts":  "https://api.example/v1/alerts",
		"https://api.example/v1x":        "https://api.example/v1x",
	}
	for address, want := range good {
		u, err := ParseBaseURL(address)
		if err != nil || u.String() != want {
			t.Errorf("%s: %v, %v", address, u, err)
		}
	}
	bad := []string{
		"", "api.example", "//api.example", "ftp://api.example", "https://", "https:api.example", "https:///x",
		"http://api.example", "http://127.0.0.1.example", "http://localhost.example", "http://10.0.0.1", "http://[::2]",
		"https://user:hunter2@api.example", "https://user@api.example", "https://api.example?x=hunter2", "https://api.example?",
		"https://api.example#hunter2", "https://api.example#", "https://api.example:x", "https://api.example:65536", "https://api.example:0",
		" https://api.example", "https://api.example\n", "https://api.example/a ",
		"https://api.example/v1", "https://api.example/a/v1/", "https://api.example/v1/organizations", "https://api.example/v1/organizations/hunter2/services",
		"https://api.example/api/v2", "https://api.example/api/v2/alerts//", "https://api.example/api/v2/alerts/x",
		"https://api example", "https://user:hunter2@api example", "://hunter2",
	}
	for _, address := range bad {
		u, err := ParseBaseURL(address)
		if err == nil {
			t.Errorf("%s: %v", address, u)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Error(err)
		}
	}
}

// A URL that is rejected is named by its setting.
func TestNewRejects(t *testing.T) {
	t.Parallel()
	for want, config := range map[string]Config{
		"base_url: the URL must begin with https://":                                                           {BaseURL: "x"},
		"base_url: the URL must not contain /v1, which the provider adds: set it without /v1 and what follows": {BaseURL: "https://x/hidden/v1"},
		"alerts_base_url: the URL must not contain /api/v2, which the provider adds":                           {AlertsBaseURL: "https://x/api/v2/alerts"},
	} {
		if _, err := New(config); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestIDsAreChecked(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		const id = "x/.."
		_, err := c.CreateAPIKey(t.Context(), id, nil)
		for i, err := range []error{
			err,
			c.GetPipe(t.Context(), id, testService, testPipe, nil),
			c.UpdatePipe(t.Context(), testOrganization, id, testPipe, PipePatch{}, nil),
			c.GetPipe(t.Context(), testOrganization, testService, id, nil),
			c.GetService(t.Context(), testOrganization, id, nil),
			c.GetFreshService(t.Context(), id, testService, nil),
			c.FindServices(t.Context(), id, "n", nil),
			c.UpdateServiceScaling(t.Context(), testOrganization, id, nil, nil),
			c.ListServices(t.Context(), id, nil, nil),
		} {
			if err == nil || !strings.HasSuffix(err.Error(), `ID "x/.." is not a UUID`) {
				t.Errorf("%d: %v", i, err)
			}
		}
		for _, id := range []string{"", "/", "a/b", ".", "..", "a\nb", "\x00", "a\x7f"} {
			if err := c.GetAlert(t.Context(), id, nil); err == nil || !strings.HasPrefix(err.Error(), "read alert: the alert ID ") {
				t.Errorf("%q: %v", id, err)
			}
		}
		if requests := f.Requests(); len(requests) != 0 {
			t.Error(requests)
		}
		if err := c.GetPipe(t.Context(), strings.ToUpper(testOrganization), testService, strings.ToUpper(testPipe), new(object).read); err != nil {
			t.Error(err)
		}
	})
}
