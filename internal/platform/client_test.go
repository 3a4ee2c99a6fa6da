package platform

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// What each operation sends, and that it reads the response.
func TestRequestAndResponseOfEachOperation(t *testing.T) {
	t.Parallel()
	const (
		basic = " Basic a2V5LWlkOmJhc2ljLXNlY3JldA=="
		org   = "/prefix/v1/organizations/" + testOrganization
		svc   = org + "/services/" + testService
	)
	for operation, want := range map[string]string{
		"service": "GET " + org + "/services" + basic + " no-cache",
		"list":    "GET " + org + "/services?filter=a%3Db&filter=c%3D" + basic + " no-cache",
		"scaling": "PATCH " + svc + "/scaling" + basic + ` application/json {"idleScaling":true,"numReplicas":3}`,
		"key":     "POST " + org + "/keys" + basic + ` application/json {"name":"n","roles":["admin"]}`,
		"pipe":    "GET " + svc + "/pipes/" + testPipe + basic + " no-cache",
		"update":  "PATCH " + svc + "/pipes/" + testPipe + basic + ` application/json {"name":"n"}`,
		"alert":   "GET /api/v2/alerts/" + testAlert + " Bearer bearer-secret no-cache",
	} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			var sent string
			// The journal of the fake leaves Authorization out.
			f.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent = fmt.Sprint(r.Method, " ", r.URL.RequestURI(), " ", r.Header.Get("Authorization"), " ", r.Header.Get("Content-Type")+r.Header.Get("Cache-Control"))
				f.ServeHTTP(w, r)
			})
			read, err := do(t.Context(), c, operation)
			sent = strings.TrimSpace(sent + " " + f.Requests()[0].Body)
			if sent != want || err != nil {
				t.Errorf("%s: sent %q, want %q: %v", operation, sent, want, err)
			}
			if read == nil && operation != "list" && operation != "key" { // nothing has such a tag
				t.Errorf("%s: nothing was read", operation)
			}
		})
	}
}

// Credentials have arrived only if a success of the API's own says so; of other values, a read does. What is said to be of
// another object says nothing of this one.
func TestWhetherCredentialsHaveArrived(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response           fault
		credentials, leafs string
	}{
		"a request ID":        {respond(200, `{"requestId":"`+requestID+`"}`), "ok", "ok"},
		"the pipe":            {respond(200, `{"result":{"id":"`+testPipe+`","serviceId":"`+testService+`"}}`), "ok", "ok"},
		"nothing":             {respond(200, ""), "ambiguous", "ok"},
		"another result":      {respond(200, `{"result":{"ok":false}}`), "ambiguous", "ok"},
		"another service":     {respond(200, `{"requestId":"`+requestID+`","result":{"id":"`+testPipe+`","serviceId":"x"}}`), "ambiguous", "ambiguous"},
		"a failure":           {respond(200, `{"status":500,"requestId":"`+requestID+`","error":"vault is down"}`), "ambiguous", "ambiguous"},
		"a rejection":         {respond(200, `{"status":400,"requestId":"`+requestID+`"}`), "ambiguous", "ambiguous"},
		"a status of no HTTP": {respond(200, `{"status":"error","requestId":"`+requestID+`"}`), "ambiguous", "ambiguous"},
		"parts":               {respond(207, `{"requestId":"`+requestID+`"}`), "ambiguous", "ambiguous"},
		"a cache":             {respond(200, `{"requestId":"`+requestID+`"}`, "Age: 60"), "ambiguous", "ambiguous"},
		"a login page":        {respond(200, "<p>Sign in"), "ambiguous", "ambiguous"},
	} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.Always(test.response)
			for i, patch := range []Patch{{Body: map[string]any{"name": "n"}, HasCredentials: true}, {Body: map[string]any{"name": "n"}}} {
				_, u := c.UpdatePipe(t.Context(), testOrganization, testService, testPipe)
				_, err := u.Send(t.Context(), patch, new(object).read)
				u.End()
				if outcome(err) != []string{test.credentials, test.leafs}[i] {
					t.Errorf("%s, %+v: %v", name, patch, err)
				}
			}
		}, func(c *Config) { c.RetryTimeout = 0 })
	}
}

// A patch is not sent if what it is based on is too old, and one that is non-idempotent only once.
func TestPatchIsFreshAndNotRepeated(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.Always(respond(http.StatusBadGateway, ""))
		ctx, update := c.UpdatePipe(t.Context(), testOrganization, testService, testPipe)
		defer update.End()
		for i, age := range []time.Duration{time.Minute, 0} {
			patch := Patch{Body: map[string]any{"name": "n"}, AsOf: time.Now().Add(-age), NonIdempotent: true}
			if again, err := update.Send(ctx, patch, new(object).read); again != (i == 0) || AsError(err).Ambiguous != (i == 1) || f.Sent("") != i {
				t.Errorf("based on a read %s ago: %t, %v, %v", age, again, err, f.Requests())
			}
		}
	})
}

// An address is kept as it is, but for capitals of scheme and host, and slashes at its end.
func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"https://api.example":             "https://api.example",
		"HTTPS://API.example:8443/a%2Fb/": "https://api.example:8443/a%2Fb",
		"https://api.example/v1/alerts//": "https://api.example/v1/alerts",
		"https://api.example/v1x":         "https://api.example/v1x",
		"http://LocalHost:8080":           "http://localhost:8080",
		"http://127.1.2.3":                "http://127.1.2.3",
		"http://[::1]:65535":              "http://[::1]:65535",
	} {
		if u, err := ParseBaseURL(given, false); err != nil || u.String() != want {
			t.Errorf("%s: %v, %v", given, u, err)
		}
	}
	for _, address := range []string{"http://api.example", "http://127.0.0.1.example", "http://10.0.0.1", "http://[::2]"} {
		_, rejected := ParseBaseURL(address, false)
		if _, err := ParseBaseURL(address, true); !strings.Contains(fmt.Sprint(rejected), "must use https") || err != nil {
			t.Errorf("%s: %v, and with allow_http: %v", address, rejected, err)
		}
	}
}

// An error names the setting, and what the provider adds to the URL, but not the URL.
func TestBaseURLIsRejected(t *testing.T) {
	t.Parallel()
	for says, addresses := range map[string]string{
		"the URL must begin with https://":    "127.0.0.1:18771 api.example //api.example https:api.example ftp://api.example ://hunter2",
		"the URL has no host":                 "https:///x https://",
		"must not contain a user or a passw":  "https://user:hunter2@api.example https://user@api.example",
		"must not contain a query or a fragm": "https://api.example?x=hunter2 https://api.example? https://api.example#hunter2 https://api.example#",
		"must be between 1 and 65535":         "https://api.example:65536 https://api.example:0",
		"is not a valid URL":                  "https://api.example:x https://hunter2%zz",
		"must not contain whitespace":         "https://api.example\u00a0x https://user:hunter2@api\u3000example",
		"must not contain /v1, ":              "https://a.example/a/v1/ https://a.example/v1/organizations/hunter2/services",
		"must not contain /V1, ":              "https://a.example/V1/",
		"must be printable ASCII":             "https://a\u202eb.example https://a\u200b https://bücher.example https://a%e2%80%aeb.example",
		"must not contain /api/v2, ":          "https://a.example/api/v2 https://a.example/api/v2/alerts/hunter2",
	} {
		for _, address := range strings.Split(addresses, " ") {
			_, err := New(Config{BaseURL: address, AllowHTTP: true})
			_, ofAlerts := New(Config{AlertsBaseURL: address, AllowHTTP: true})
			text := fmt.Sprint(err, ofAlerts)
			names := strings.HasPrefix(text, "base_url: the ") && strings.Contains(text, "alerts_base_url: the ")
			if !names || strings.Count(text, says) != 2 || strings.Contains(text, "hunter2") {
				t.Errorf("%s: %s, want %s", address, text, says)
			}
		}
	}
}

func TestIDsAreEqualInAnyLetterCase(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		const inCapitals = "4000000A-0000-4000-8000-000000000001"
		f.Always(respond(200, `{"result":{"id":"`+strings.ToLower(inCapitals)+`"}}`))
		if err := c.GetPipe(t.Context(), testOrganization, testService, inCapitals, new(object).read); err != nil {
			t.Error(err)
		}
	})
}

// An ID that is no UUID, such as that of a state that was edited, goes into no request and no message: nothing is sent.
func TestIDsAreUUIDs(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "..", "x/../../keys", "x%2F..", testPipe + "\n::error::", "\x1b[31m", strings.ReplaceAll(testPipe, "-", "")} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			ctx, read := t.Context(), new(object).read
			for attribute, err := range map[string]error{
				"organization_id":  c.GetPipe(ctx, bad, testService, testPipe, read),
				"service_id":       c.GetPipe(ctx, testOrganization, bad, testPipe, read),
				"pipe_id":          c.GetPipe(ctx, testOrganization, testService, bad, read),
				"service_id ":      c.GetService(ctx, testOrganization, bad, read),
				"service_id  ":     updateScaling(ctx, c, bad, nil, read),
				"organization_id ": c.ListServices(ctx, bad, nil, read),
			} {
				attribute = strings.TrimSpace(attribute)
				text := AsError(err).Detail()
				if !strings.Contains(text, "The request was not sent: "+attribute+" is no UUID.") || AsError(err).NotFound || len(bad) > 2 && strings.Contains(text, bad) {
					t.Errorf("%q: %s", bad, text)
				}
			}
			if sent := f.Requests(); len(sent) > 0 {
				t.Errorf("sent %v", sent)
			}
		})
	}
}
