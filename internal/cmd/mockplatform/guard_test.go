package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestWebPagesAreRejected has what a browser sends for a page: an Origin, a Sec-Fetch-Site, or the name under
// which the page reaches the fake. Nothing of it arrives, at the console or at the API.
func TestWebPagesAreRejected(t *testing.T) {
	t.Parallel()
	arrives := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	local := guard(arrives, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	others := guard(arrives, &net.TCPAddr{IP: net.IPv4zero})
	for _, row := range []struct {
		host, header string
		local        int
		others       int
	}{
		{"localhost", "", 200, 200},
		{"127.1.2.3:18080", "", 200, 200},
		{"[::1]:18080", "", 200, 200},
		{"rebound.example:18080", "", 421, 200},
		{"127.0.0.1.example:18080", "", 421, 200},
		{"192.0.2.1", "", 421, 200},
		{"localhost", "Origin:https://page.example", 403, 403},
		{"localhost", "Origin:", 403, 403},
		{"localhost", "Sec-Fetch-Site:cross-site", 403, 403},
		{"localhost", "Sec-Fetch-Site:same-site", 403, 403},
		{"localhost", "Sec-Fetch-Site:none", 200, 200}, // typed into the address bar
	} {
		request := httptest.NewRequest(http.MethodPatch, "http://"+row.host+"/console/services/x", http.NoBody)
		if name, value, ok := strings.Cut(row.header, ":"); ok {
			request.Header.Set(name, value)
		}
		atLocal, atOthers := httptest.NewRecorder(), httptest.NewRecorder()
		local.ServeHTTP(atLocal, request)
		others.ServeHTTP(atOthers, request)
		if atLocal.Code != row.local || atOthers.Code != row.others {
			t.Errorf("Host %q, %s: got %d and %d, want %d and %d", row.host, row.header, atLocal.Code, atOthers.Code, row.local, row.others)
		}
	}
}
