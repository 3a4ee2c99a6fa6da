package platform

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// testClient talks to a handler over a real connection.
func testClient(t testing.TB, handler http.Handler, change ...func(*Config)) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	config := Config{
		BaseURL: server.URL + "/prefix/", KeyID: "key-id", KeySecret: "basic-secret",
		AlertsBaseURL: server.URL, AlertsAccessToken: "bearer-secret",
		RequestTimeout: 5 * time.Second, RetryTimeout: 20 * time.Second,
		UserAgent: "test/1",
	}
	for _, f := range change {
		f(&config)
	}
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.http.CloseIdleConnections)
	return c
}

func TestCalls(t *testing.T) {
	t.Parallel()
	var got string
	answer := ""
	c := testClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r.Method + " " + r.URL.RequestURI() + " " + r.Header.Get("Authorization") + " " + r.Header.Get("Content-Type") + " " + string(body)
		_, _ = io.WriteString(w, answer)
	}))
	ctx := context.Background()
	const (
		basic  = " Basic a2V5LWlkOmJhc2ljLXNlY3JldA== "
		org    = "/prefix/v1/organizations/" + testOrganization
		svc    = org + "/services/" + testService
		bearer = " Bearer bearer-secret "
	)
	three, name := 3.0, "n"
	tests := map[string]struct {
		answer, want string
		call         func() (any, error)
	}{
		"list": {`{"status":200,"requestId":"x","result":[{"id":"` + testService + `"}]}`, "GET " + org + "/services?filter=a%3Db&filter=c" + basic + " ", func() (any, error) {
			return c.ListServices(ctx, testOrganization, []string{"a=b", "c"})
		}},
		"scaling": {`{"status":200,"result":{"id":"` + testService + `","numReplicas":3}}`, "PATCH " + svc + "/scaling" + basic + `application/json {"numReplicas":3}`, func() (any, error) {
			return c.UpdateServiceScaling(ctx, testOrganization, testService, ScalingUpdate{NumReplicas: &three})
		}},
		"key": {`{"status":200,"result":{"key":{"id":"k"},"keyId":"i","keySecret":"ssss"}}`, "POST " + org + "/keys" + basic + `application/json {"name":"n","roles":["admin"]}`, func() (any, error) {
			return c.CreateAPIKey(ctx, testOrganization, APIKeyCreate{Name: "n", Roles: []string{"admin"}})
		}},
		"pipe": {`{"status":200,"result":{"id":"p"}}`, "GET " + svc + "/pipes/" + testPipe + basic + " ", func() (any, error) {
			return c.GetPipe(ctx, testOrganization, testService, testPipe)
		}},
		"update pipe": {`{"status":200,"result":{"id":"p"}}`, "PATCH " + svc + "/pipes/" + testPipe + basic + `application/json {"name":"n"}`, func() (any, error) {
			return c.UpdatePipe(ctx, testOrganization, testService, testPipe, PipeUpdate{Name: &name}, nil)
		}},
		"alert": {`{"data":{"id":"a b","threshold":1}}`, "GET /api/v2/alerts/a%20b%3Fc%23d" + bearer + " ", func() (any, error) {
			return c.GetAlert(ctx, "a b?c#d")
		}},
	}
	for name, test := range tests {
		answer = test.answer
		value, err := test.call()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got != test.want {
			t.Errorf("%s: sent %q, want %q", name, got, test.want)
		}
		if value == nil {
			t.Errorf("%s: no value", name)
		}
	}
}
