package platform

import (
	"errors"
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

// A patch is not sent if what it is based on is too old, and one that is unrepeatable only once.
func TestPatchIsFreshAndNotRepeated(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		ctx, update, err := c.UpdatePipe(t.Context(), testOrganization, testService, testPipe)
		if err != nil {
			t.Fatal(err)
		}
		defer update.End()
		patch := Patch{Body: map[string]any{"name": "n"}, AsOf: time.Now().Add(-time.Minute), Unrepeatable: true}
		if again, err := update.Send(ctx, patch, new(object).read); !again || err != nil || f.Sent("") != 0 {
			t.Errorf("based on an old read: %t, %v, %v", again, err, f.Requests())
		}
		f.Always(respond(http.StatusBadGateway, ""))
		patch.AsOf = time.Now()
		if again, err := update.Send(ctx, patch, new(object).read); again || !IsAmbiguous(err) || f.Sent("") != 1 {
			t.Errorf("after a doubtful attempt: %t, %v, %v", again, err, f.Requests())
		}
	})
}

// An error names the setting, and what the provider adds to the URL, but not the URL.
func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"https://api.example", "https://api.example:8443/a%2Fb", "https://api.example:", "https://api.example/v1/alerts", "https://api.example/v1x",
		"http://localhost:8080", "http://127.0.0.1:1/x", "http://127.1.2.3", "http://[::1]:65535",
	} {
		capitals := strings.NewReplacer("localhost", "LocalHost", "api.example", "API.example").Replace(address)
		for _, given := range []string{address, address + "//", strings.Replace(address, "http", "HTTP", 1), capitals} {
			if u, err := ParseBaseURL(given, false); err != nil || u.String() != address {
				t.Errorf("%s: %v, %v", given, u, err)
			}
		}
	}
	for says, addresses := range map[string]string{
		"the URL must begin with https://":    "127.0.0.1:18771 api.example api.example:443 //api.example https:api.example ftp://api.example ://hunter2",
		"the URL has no host":                 "https:///x https://",
		"must not contain a user or a passw":  "https://user:hunter2@api.example https://user@api.example",
		"must not contain a query or a fragm": "https://api.example?x=hunter2 https://api.example? https://api.example#hunter2 https://api.example#",
		"must be between 1 and 65535":         "https://api.example:65536 https://api.example:0",
		"is not a valid URL":                  "https://api.example:x https://hunter2%zz",
		"must not contain whitespace":         "https://api.example\u00a0x https://user:hunter2@api\u3000example",
	} {
		for _, address := range strings.Split(addresses, " ") {
			if _, err := ParseBaseURL(address, true); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: %v, want %s", address, err, says)
			}
		}
	}
	for _, address := range []string{"http://api.example", "http://127.0.0.1.example", "http://localhost.example", "http://10.0.0.1", "http://[::2]"} {
		_, refused := ParseBaseURL(address, false)
		if _, err := ParseBaseURL(address, true); !strings.Contains(fmt.Sprint(refused), "must use https") || err != nil {
			t.Errorf("%s: %v, and with allow_http: %v", address, refused, err)
		}
	}
	for path, own := range map[string]string{
		"/v1": "/v1", "/a/v1/": "/v1", "/v1/organizations": "/v1", "/v1/organizations/hunter2/services": "/v1",
		"/api/v2": "/api/v2", "/api/v2/alerts//": "/api/v2", "/api/v2/alerts/x": "/api/v2",
	} {
		for setting, config := range map[string]Config{
			"base_url": {BaseURL: "https://api.example" + path}, "alerts_base_url": {AlertsBaseURL: "https://api.example" + path},
		} {
			_, err := New(config)
			if err == nil || !strings.HasPrefix(err.Error(), setting+": the URL must not contain "+own+", ") || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

func TestIDsAreChecked(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		const id = "x/.."
		ctx := t.Context()
		_, ofKey := c.CreateAPIKey(ctx, id, nil)
		_, _, ofPipe := c.UpdatePipe(ctx, testOrganization, id, testPipe)
		_, _, ofService := c.UpdateServiceScaling(ctx, testOrganization, id)
		for i, err := range []error{
			ofKey, ofPipe, ofService, c.GetPipe(ctx, testOrganization, testService, id, nil),
			c.GetService(ctx, testOrganization, id, nil), c.FindServices(ctx, id, "n", nil), c.ListServices(ctx, id, nil, nil),
		} {
			if err == nil || !strings.HasSuffix(err.Error(), `ID "x/.." is not a UUID`) {
				t.Errorf("%d: %v", i, err)
			}
		}
		for _, id := range []string{"", "/", "a/b", ".", "..", "a\nb", "\x00", "a\x7f"} {
			if err := c.GetAlert(ctx, id, nil); err == nil || !strings.HasPrefix(err.Error(), "read alert: the alert ID ") {
				t.Errorf("%q: %v", id, err)
			}
		}
		if f.Sent("") != 0 {
			t.Error(f.Requests())
		}
		const inCapitals = "4000000A-0000-4000-8000-000000000001"
		f.Always(respond(200, `{"result":{"id":"`+strings.ToLower(inCapitals)+`"}}`))
		err := c.GetPipe(ctx, testOrganization, testService, inCapitals, new(object).read)
		if err = errors.Join(err, ValidateAlertID("a b?c#d")); err != nil {
			t.Error(err)
		}
	})
}
