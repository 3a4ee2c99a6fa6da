package rest

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

// Tests over real connections, for what memory can't show.

// quick is a client that fails soon, on the clock.
func quick(c *Config) { c.RetryTimeout = 5 * time.Second }

// tlsServer serves over TLS, with a certificate that nobody trusts yet.
func tlsServer(t *testing.T, handler http.Handler, versions *tls.Config) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.TLS, server.EnableHTTP2 = versions, versions == nil
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func TestFinalConnectionErrors(t *testing.T) {
	t.Parallel()
	untrusted := tlsServer(t, http.NotFoundHandler(), nil)
	old := tlsServer(t, http.NotFoundHandler(), &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10})
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	tests := map[string]struct {
		address string
		trusted *httptest.Server
		hint    string
	}{
		"unknown authority": {untrusted.URL, nil, "If the certificate is signed by a private certificate authority, add it to the trusted authorities of this machine."},
		"TLS 1.1":           {old.URL, old, "Check base_url, and HTTPS_PROXY if it is set."},
		"no TLS":            {strings.Replace(plain.URL, "http:", "https:", 1), nil, "The server speaks plain HTTP: check the port of base_url."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTestClient(t, test.address, quick)
			if test.trusted != nil {
				resttest.Trust(c.Transport(), test.trusted)
			}
			err := readPipe(t.Context(), c)
			var e *Error
			if !errors.As(err, &e) || e.Attempts != 1 || e.Kind != Final || !strings.Contains(e.Detail(), "\n\n"+test.hint) {
				t.Error(err)
			}
			if err := operations["key"].call(t.Context(), c); isAmbiguous(err) || err == nil {
				t.Error(err)
			}
		})
	}
}

// What would fail in the same way is not tried again.
func TestPermanentErrors(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]bool{
		errProxySetting: true, fmt.Errorf("wrapped: %w", http.ErrSchemeMismatch): true, errors.New("remote error: tls: no"): true, errors.New("EOF"): false,
	} {
		if isPermanent(err) != want {
			t.Error(err)
		}
	}
}
