package rest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

// Tests over real connections, for what memory can't show.

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

// What would fail in the same way is not tried again.
func TestFinalConnectionErrors(t *testing.T) {
	t.Parallel()
	untrusted := tlsServer(t, http.NotFoundHandler(), nil)
	old := tlsServer(t, http.NotFoundHandler(), &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10})
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	const check = "Check base_url, and HTTPS_PROXY if it is set."
	for name, test := range map[string]struct {
		address string
		hint    string
	}{
		"unknown authority": {untrusted.URL, check + trust},
		"TLS 1.1":           {old.URL, check},
		"no TLS":            {strings.Replace(plain.URL, "http:", "https:", 1), check},
	} {
		for _, operation := range []string{"pipe", "key"} {
			c := newTestClient(t, test.address, func(c *Config) { c.RetryTimeout = time.Minute })
			if test.address == old.URL {
				resttest.Trust(c.Transport, old)
			}
			e := failure(t, do(t.Context(), c, operation))
			if e.Attempts != 1 || e.Kind != Final || e.Ambiguous || !strings.HasSuffix(e.Detail(), "\n\n"+test.hint) {
				t.Errorf("%s, %s: %v", name, operation, e)
			}
		}
	}
}

// A connection that fails in TLS after others were good is tried again, and so is a server that does not speak TLS any more. A
// certificate is final.
func TestFailureOfTLSAfterAnAnswer(t *testing.T) {
	t.Parallel()
	server := tlsServer(t, resttest.NewServer(), &tls.Config{})
	for _, err := range []error{errors.New("remote error: tls: internal error"), tls.RecordHeaderError{Msg: "no TLS"}, &tls.CertificateVerificationError{}} {
		c := newTestClient(t, server.URL)
		resttest.Trust(c.Transport, server)
		if err := do(t.Context(), c, "pipe"); err != nil {
			t.Error(err)
		}
		c.Transport.CloseIdleConnections()
		dials, isFinal := 0, errors.As(err, new(*tls.CertificateVerificationError))
		c.Transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			dials++
			if dials == 1 {
				return nil, err
			}
			return new(net.Dialer).DialContext(ctx, network, address)
		}
		if err := do(t.Context(), c, "pipe"); (err != nil) != isFinal {
			t.Errorf("%d dials: %v", dials, err)
		}
	}
}

// Each POST of a key has a connection of its own, which no other request has used or will use:
// on one that a server has just closed, it would be open whether a key exists.
func TestKeyHasAConnectionOfItsOwn(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // much more than it takes
	defer cancel()
	for major, versions := range map[int]*tls.Config{1: {}, 2: nil} {
		platform := resttest.NewServer()
		var used sync.Map // addresses of connections, with whether a key was created on it
		server := tlsServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			isKey := r.Method == http.MethodPost
			before, reused := used.Swap(r.RemoteAddr, isKey)
			// With the header Idempotency-Key, net/http repeats a POST.
			if reused && (isKey || before.(bool)) || r.ProtoMajor != major || r.Header.Get("Idempotency-Key") != "" {
				t.Errorf("%s %s with %v, on a connection that was used before: %t", r.Method, r.Proto, r.Header, reused)
			}
			platform.ServeHTTP(w, r)
		}), versions)
		c := newTestClient(t, server.URL)
		resttest.Trust(c.Transport, server)
		crowd(40, 10, func(int) {
			if err := errors.Join(do(ctx, c, "key"), do(ctx, c, "pipe")); err != nil {
				t.Error(err)
			}
		})
		if n := len(platform.Keys()); n != 40 {
			t.Errorf("%d keys", n)
		}
	}
}

// What a proxy says to CONNECT is the proxy's, not the API's, and repeats nothing of its own words.
func TestProxyThatDoesNotConnect(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{407: "HTTP 407 Proxy Authentication Required.", 502: "HTTP 502 Bad Gateway."} {
		c := newTestClient(t, "https://a.example", func(c *Config) { c.RetryTimeout = 0 })
		c.AddSecret("proxy") // a word of our own sentences
		squid := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			connection, _, _ := http.NewResponseController(w).Hijack()
			_, _ = fmt.Fprintf(connection, "HTTP/1.1 %d hush-hush\r\n\r\n", status)
			_ = connection.Close()
		}))
		t.Cleanup(squid.Close)
		at, _ := url.Parse(squid.URL)
		c.Transport.Proxy = http.ProxyURL(at)
		e := failure(t, do(t.Context(), c, "pipe"))
		says := "The API could not be reached: the proxy " + at.Host + " returned " + want
		if !strings.Contains(e.Detail(), says) || !strings.HasSuffix(e.Detail(), checkProxy) || (e.Kind == Final) != (status == 407) {
			t.Errorf("%d: %v", status, e)
		}
	}
}

// A key whose stream an HTTP/2 server refuses was not created, unless its response has begun.
func TestRefusedStreamIsNotProcessed(t *testing.T) {
	t.Parallel()
	k := &Call{Request: &Request{Method: http.MethodPost, API: &API{}}, client: New(Config{})}
	for response, kind := range map[*Response]Kind{nil: NotSent, {Status: 201}: NoResponse} {
		a := &attempt{response: response}
		a.possible.Store(true)
		a.sent.Store(true)
		e := k.noResponse(t.Context(), errors.New("stream error: stream ID 1; REFUSED_STREAM; received from peer"), a)
		if e.Kind != kind || e.Ambiguous != (kind == NoResponse) {
			t.Errorf("with the response %v: kind %d, ambiguous %t", response, e.Kind, e.Ambiguous)
		}
	}
}
