package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWebPagesAreRejected has what a browser sends for a page: an Origin, a Sec-Fetch-Site, or the name under
// which the page reaches the fake. Nothing of it arrives, at the console or at the API.
func TestWebPagesAreRejected(t *testing.T) {
	t.Parallel()
	local, others := start(t), start(t, "-addr", "0.0.0.0:0")
	for _, row := range []struct {
		host, header string
		local        int
		others       int
	}{
		{"", "", 200, 200},
		{"localhost", "", 200, 200},
		{"LOCALHOST:18080", "", 200, 200},
		{"127.1.2.3:18080", "", 200, 200},
		{"[::1]:18080", "", 200, 200},
		{"[::1]", "", 200, 200},
		{"rebound.example:18080", "", 421, 200},
		{"localhost.example", "", 421, 200},
		{"127.0.0.1.example:18080", "", 421, 200},
		{"192.0.2.1", "", 421, 200},
		{"", "Origin:https://page.example", 403, 403},
		{"", "Origin:null", 403, 403},
		{"localhost", "Origin:http://localhost:8080", 403, 403},
		{"", "Origin:", 403, 403},
		{"", "Sec-Fetch-Site:cross-site", 403, 403},
		{"", "Sec-Fetch-Site:same-site", 403, 403},
		{"", "Sec-Fetch-Site:none", 200, 200}, // typed into the address bar
		{"", "Sec-Fetch-Site:same-origin", 200, 200},
	} {
		for _, to := range []struct {
			*program
			status int
		}{{local, row.local}, {others, row.others}} {
			for _, request := range []*http.Request{
				to.request("PATCH", aService, `{"numReplicas":7}`),
				to.request("PATCH", scaling, `{"numReplicas":7}`),
			} {
				request.Host = row.host
				if name, value, ok := strings.Cut(row.header, ":"); ok {
					request.Header.Set(name, value)
				}
				response, err := http.DefaultClient.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				_ = response.Body.Close()
				if response.StatusCode != to.status {
					t.Errorf("Host %q, %s, %s: got %d, want %d", row.host, row.header, request.URL, response.StatusCode, to.status)
				}
			}
		}
	}

	request := local.request("POST", "/console/faults", "503:0")
	request.Host = "rebound.example"
	wantText(t, local.do(421, request), `"error": "mockplatform: the fake serves only this machine, and \"rebound.example\" is not a loopback address`)
	local.send(200, "GET", services, "")
}

// TestEnvironmentFile takes the file of -env from those who could read it.
func TestEnvironmentFile(t *testing.T) {
	t.Parallel()
	p := start(t)
	if info, err := os.Stat(filepath.Join(p.dir, "env")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info, err)
	}
	wantNoText(t, p.file("env"), "# an older run")
}
