package rest

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// newHTTPClient tunes net/http for n requests at a time to one host.
func newHTTPClient(n int) *http.Client {
	return &http.Client{
		// A redirect is an error: to follow it would send the credentials elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:               proxy,
			DialContext:         (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout: 15 * time.Second,
			ForceAttemptHTTP2:   true, // which net/http does not do by itself beside a dialer
			// Without a ping, every request on an HTTP/2 connection that died
			// silently would time out.
			HTTP2: &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second},
			// By default, net/http keeps two idle connections per host, and dials again
			// for the others.
			MaxIdleConns:        2 * n,
			MaxIdleConnsPerHost: n,
			MaxConnsPerHost:     n,
			// Shorter than the usual idle timeout of load balancers (60 s), so that a
			// request seldom uses a connection that is about to close.
			IdleConnTimeout:        30 * time.Second,
			MaxResponseHeaderBytes: 256 << 10,
		},
	}
}

// onOwnConnection returns a client that opens a connection for its request, and closes it after the
// response. Rejected: Request.Close, which may use a connection that others have used.
func onOwnConnection(shared *http.Client) *http.Client {
	own := *shared
	transport := shared.Transport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true
	own.Transport = transport
	return &own
}

var errProxySetting = errors.New("the proxy URL in the environment (HTTPS_PROXY) is not valid")

// proxy returns the proxy of the environment; none for a loopback address, whatever the standard
// library takes for one, because the credentials may travel in the clear. It replaces the error of the
// standard library, which repeats the URL and its password.
func proxy(r *http.Request) (*url.URL, error) {
	if IsLoopback(r.URL.Hostname()) {
		return nil, nil
	}
	u, err := http.ProxyFromEnvironment(r)
	if err != nil {
		return nil, errProxySetting
	}
	return u, nil
}

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// isPermanent reports whether a retry would fail to connect in the same way, such as with a
// certificate that is not trusted. All errors of crypto/tls have "tls: " in their text, and few have
// a type.
func isPermanent(err error) bool {
	return errors.Is(err, http.ErrSchemeMismatch) || errors.Is(err, errProxySetting) || strings.Contains(err.Error(), "tls: ")
}
