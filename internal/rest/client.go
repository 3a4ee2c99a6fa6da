// Package rest sends one request to an HTTP API until it is decided. It knows no operation, type or path of an API. A
// caller declares a request (request.go). A call sends attempts (call.go, send.go), as far as the health of the API and
// the policy of retries allow. What a response says, and who has answered, is read in answer.go, and what it means in
// outcome.go.
package rest

import (
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Config configures a Client.
type Config struct {
	RequestTimeout        time.Duration  // of one attempt, from dialling to the last byte of the response
	RetryTimeout          time.Duration  // of one request, attempts and waits included, unless it is non-idempotent and sent; 0: one attempt
	MaxConcurrentRequests int            // to all APIs together
	UserAgent             string         // without control characters
	Random                func() float64 // for the jitter of waits, from 0 to 1, in any goroutine; nil: that of math/rand
	// Log gets a line before each attempt and one after it, without bodies, headers or secrets. It may be nil.
	Log func(ctx context.Context, msg string, fields ...map[string]any)
}

// Client is safe for concurrent use. A process should use one for all requests: concurrency is limited per client.
type Client struct {
	Secrets
	Transport *http.Transport // connects to the APIs; to be tuned before the first request

	config Config
	slots  chan struct{} // one for each attempt under way
}

// About is how messages name an API and its settings.
type About struct {
	Name                    string // "management API"
	URLSetting, Credentials string // the settings with the URL and the credentials
	Unauthorized, Forbidden string // what to do about a 401 and a 403
}

// API is one API. Each is a service of its own, with its own rate limit and outages.
type API struct {
	About
	Base      *url.URL // its path is a prefix of all others
	Authorize func(*http.Request)

	health health
}

// New returns a client of these APIs. No setting may be negative, and only RetryTimeout may be 0.
func New(config Config, apis ...*API) *Client {
	if config.Random == nil {
		config.Random = rand.Float64
	}
	n := config.MaxConcurrentRequests
	c := &Client{config: config, Transport: newTransport(n), slots: make(chan struct{}, n)}
	for _, a := range apis {
		a.health.patience, a.health.rejected = config.RetryTimeout, map[string]*refusal{}
		if a.Base == nil {
			continue
		}
		if at, _ := proxy(&http.Request{URL: a.Base}); at != nil { // which may repeat its user and password
			password, _ := at.User.Password()
			c.AddSecret(at.User.Username())
			c.AddSecret(password)
		}
	}
	return c
}

// Host is scheme, host and port of the API, for messages; "" if the API has no URL. It mentions that
// there is a path without repeating it.
func (a *API) Host() string {
	if a.Base == nil {
		return ""
	}
	host := a.Base.Scheme + "://" + a.Base.Host
	if a.Base.Path != "" {
		host += ", with the path of " + a.URLSetting
	}
	return host
}

// newTransport tunes net/http for n requests at a time to one host.
func newTransport(n int) *http.Transport {
	return &http.Transport{
		Proxy:                  proxy,
		OnProxyConnectResponse: acceptedByProxy,
		DialContext:            (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    15 * time.Second,
		ForceAttemptHTTP2:      true, // which net/http does not do by itself beside a dialer
		// Without a ping, every request on an HTTP/2 connection that died silently would time out.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second},
		// By default, net/http keeps two idle connections per host, and dials again for the others.
		MaxIdleConns:        2 * n,
		MaxIdleConnsPerHost: n,
		MaxConnsPerHost:     n,
		// Shorter than the usual idle timeout of load balancers (60 s): one that is used is seldom about to close.
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
}

// IsLoopback reports whether a host is localhost or a loopback address.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// isPermanent reports whether a retry would fail to connect in the same way, such as with a certificate that is not
// trusted. Another error of TLS is that of one connection, if the API has answered on others. All errors of crypto/tls have
// "tls: " in their text, and few have a type.
func (h *health) isPermanent(err error) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	isTLS := !h.answered && strings.Contains(err.Error(), "tls: ") || errors.As(err, new(*tls.CertificateVerificationError))
	return isTLS || errors.Is(err, errProxyFinal)
}
