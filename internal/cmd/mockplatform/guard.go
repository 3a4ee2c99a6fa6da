package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
)

// guard keeps web pages out. A browser on this machine lets every page send requests to a
// loopback address, and the console needs no credentials.
//
// Each change that a page asks for has an Origin, and what a page only embeds or links to has
// a Sec-Fetch-Site. No Terraform sends either. A page that
// reaches the fake under a name of its own (DNS rebinding) could also read, and is told
// from a client by its Host. That is not checked if other machines are served on purpose,
// because the fake does not know the names by which they reach it.
func guard(next http.Handler, addr net.Addr) http.Handler {
	local := isLoopback(addr)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case len(r.Header["Origin"]) > 0 || r.Header.Get("Sec-Fetch-Site") == "cross-site" || r.Header.Get("Sec-Fetch-Site") == "same-site":
			deny(w, http.StatusForbidden, "requests from web pages are rejected (Origin: %q, Sec-Fetch-Site: %q)", r.Header["Origin"], r.Header.Get("Sec-Fetch-Site"))
		case local && !isLoopbackHost(r.Host):
			deny(w, http.StatusMisdirectedRequest, "the fake serves only this machine, and %q is not a loopback address; -addr 0.0.0.0:PORT also serves others", r.Host)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// deny has an error in the form that the provider shows.
func deny(w http.ResponseWriter, status int, format string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": "mockplatform: " + fmt.Sprintf(format, args...)})
}

func isLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// isLoopbackHost looks no name up: the answer is what a rebinding changes.
func isLoopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.EqualFold(host, "localhost") || net.ParseIP(strings.Trim(host, "[]")).IsLoopback()
}
