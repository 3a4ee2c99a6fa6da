package platform

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
)

// Tests over real connections, for what memory can't show.

func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	platform := newPlatform()
	platform.Configure(func(b *mockplatform.Behaviour) { b.Latency = 2 * time.Millisecond })
	server := httptest.NewUnstartedServer(platform)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	c, err := New(testConfig(server.URL, func(c *Config) { c.RetryTimeout, c.MaxConcurrentRequests = 0, 6 }))
	if err != nil {
		t.Fatal(err)
	}
	defer c.rest.Transport().CloseIdleConnections()
	transport := c.rest.Transport()
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		time.Sleep(20 * time.Millisecond) // so that some get an idle connection before their own
		return dial(ctx, network, address)
	}
	for range 3 { // between which all connections lie idle
		var work sync.WaitGroup
		for range 40 {
			work.Go(func() {
				if _, err := operations()["update"].call(t.Context(), c); err != nil {
					t.Error(err)
				}
			})
		}
		work.Wait()
	}
	if n := opened.Load(); n > 6 {
		t.Errorf("%d connections for 6 requests at a time", n)
	}
}

var quiet = log.New(io.Discard, "", 0)

// tlsServer is a fake over TLS; trust lets a client accept its certificate.
func tlsServer(t *testing.T, versions *tls.Config, seen *atomic.Value) (server *httptest.Server, trust func(*Client)) {
	t.Helper()
	platform := newPlatform()
	server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if seen != nil {
			seen.Store(r.Proto)
		}
		platform.ServeHTTP(w, r)
	}))
	server.TLS = versions
	server.EnableHTTP2 = true
	server.Config.ErrorLog = quiet
	server.StartTLS()
	t.Cleanup(server.Close)
	return server, func(c *Client) {
		pool := x509.NewCertPool()
		pool.AddCert(server.Certificate())
		c.rest.Transport().TLSClientConfig.RootCAs = pool
	}
}

func clientOf(t *testing.T, address string) *Client {
	t.Helper()
	c, err := New(testConfig(address, func(c *Config) { c.RequestTimeout, c.RetryTimeout = 0, time.Minute }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.rest.Transport().CloseIdleConnections)
	return c
}

func TestHTTP2WhereOffered(t *testing.T) {
	t.Parallel()
	var seen atomic.Value
	server, trust := tlsServer(t, nil, &seen)
	c := clientOf(t, server.URL)
	trust(c)
	for name, o := range operations() {
		if _, err := o.call(t.Context(), c); err != nil {
			t.Error(name, err)
		}
	}
	if seen.Load() != "HTTP/2.0" {
		t.Error(seen.Load())
	}
}

func TestFinalConnectionErrors(t *testing.T) {
	t.Parallel()
	untrusted, _ := tlsServer(t, nil, nil)
	old, trustOld := tlsServer(t, &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}, nil)
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	tests := map[string]struct {
		address string
		trust   func(*Client)
		hint    string
	}{
		"unknown authority": {untrusted.URL, nil, "If the certificate is signed by a private certificate authority, add it to the trusted authorities of this machine."},
		"TLS 1.1":           {old.URL, trustOld, "Check base_url, and HTTPS_PROXY if it is set."},
		"no TLS":            {strings.Replace(plain.URL, "http:", "https:", 1), nil, "The server speaks plain HTTP: check the port of base_url."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := clientOf(t, test.address)
			if test.trust != nil {
				test.trust(c)
			}
			err := readPipe(t.Context(), c)
			var e *Error
			if !errors.As(err, &e) || e.Attempts != 1 || e.Kind != rest.Final || !strings.Contains(e.Detail(), "\n\n"+test.hint) {
				t.Error(err)
			}
			if _, err := operations()["key"].call(t.Context(), c); IsAmbiguous(err) || err == nil {
				t.Error(err)
			}
		})
	}
}

// The rejection of a proxy is reported as such and not retried. The proxy is not
// the fake platform, but a handler of its own.
func TestProxyRefuses(t *testing.T) {
	t.Parallel()
	proxyServer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	defer proxyServer.Close()
	c := clientOf(t, "https://platform.example")
	c.rest.Transport().Proxy = func(*http.Request) (*url.URL, error) { return url.Parse(proxyServer.URL) }
	_, err := operations()["key"].call(t.Context(), c)
	if err == nil || IsAmbiguous(err) || !strings.Contains(err.Error(), "the proxy of the environment (HTTPS_PROXY) returned HTTP 407") || strings.Contains(err.Error(), "attempts") {
		t.Error(err)
	}
}

// An endless response ends at the maximum size.
func TestEndlessAnswers(t *testing.T) {
	t.Parallel()
	tests := map[string]fault{
		"object":      {Status: 200, Text: `{"result":{"id":"`, Endless: "x"},
		"white space": {Status: 200, Body: mockplatform.BodyEmpty, Endless: " "},
		"error":       {Status: 500, Text: `{"error":"`, Endless: "x"},
	}
	for name, fault := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			platform := newPlatform()
			platform.Inject(fault)
			c := testClient(t, platform, func(c *Config) { c.RetryTimeout = 0; c.RequestTimeout = 30 * time.Second })
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := readPipe(t.Context(), c)
			runtime.ReadMemStats(&after)
			if err == nil || strings.Contains(err.Error(), "no response within") {
				t.Error(err)
			}
			if name != "error" && !strings.Contains(err.Error(), "larger than the provider accepts") {
				t.Error(err)
			}
		})
	}
}

// A connection that is reset before or in the middle of a response.
func TestHardResets(t *testing.T) {
	t.Parallel()
	platform := newPlatform()
	c := testClient(t, platform)
	platform.Inject(reset)
	platform.Inject(fault{Reset: true, Cut: mockplatform.CutBody, CutBytes: 10})
	if err := readPipe(t.Context(), c); err != nil || platform.Count("", "") != 3 {
		t.Error(platform.Count("", ""), err)
	}
	platform.ResetJournal()
	platform.Inject(reset)
	if _, err := operations()["key"].call(t.Context(), c); !IsAmbiguous(err) || platform.Count("", "") != 1 {
		t.Error(platform.Count("", ""), err)
	}
}

// The connection of a POST is one that an earlier call left idle and the
// platform has closed meanwhile: net/http must not send it twice.
func TestNoReplayOfAKey(t *testing.T) {
	t.Parallel()
	for range 20 {
		platform := newPlatform()
		platform.Inject(fault{Method: http.MethodPost, Cut: mockplatform.CutHead, Times: mockplatform.Always})
		c := testClient(t, platform)
		_ = readPipe(t.Context(), c)
		if _, err := operations()["key"].call(t.Context(), c); !IsAmbiguous(err) || platform.Count(http.MethodPost, "") != 1 {
			t.Fatal(platform.Count(http.MethodPost, ""), err)
		}
		for _, r := range platform.Requests() {
			if r.Header.Get("Idempotency-Key") != "" || r.Header.Get("X-Idempotency-Key") != "" {
				t.Error("an Idempotency-Key was sent")
			}
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var followed atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		platform := newPlatform()
		server := httptest.NewServer(platform)
		t.Cleanup(server.Close)
		c := clientOf(t, server.URL)
		target := elsewhere.URL
		if status == 308 {
			target = server.URL // the same host is no excuse
		}
		platform.Inject(fault{Status: status, Location: target + "/x?token=hidden", Times: mockplatform.Always})
		for name, o := range operations() {
			_, err := o.call(t.Context(), c)
			again := fmt.Sprintf("HTTP %d ", status) // of the list that two operations share
			if err == nil || !strings.Contains(err.Error(), "a redirect to http://127.0.0.1") && !strings.Contains(err.Error(), again) || strings.Contains(err.Error(), "hidden") {
				t.Error(status, name, err)
			}
		}
		if n, most := platform.Count("", ""), len(operations()); n > most {
			t.Errorf("%d: %d requests for %d calls", status, n, most)
		}
	}
	if followed.Load() != 0 {
		t.Error("followed")
	}
}
