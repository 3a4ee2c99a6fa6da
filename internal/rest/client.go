package rest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Config configures a Client.
type Config struct {
	// RequestTimeout bounds one attempt, from dialling to the last byte of the
	// response.
	RequestTimeout time.Duration
	// RetryTimeout bounds one request, all attempts and waits included. 0 turns
	// retries off: one attempt, and no wait for a rate limit.
	RetryTimeout time.Duration
	// MaxConcurrentRequests is the maximum number of concurrent requests to all APIs
	// together.
	MaxConcurrentRequests int
	// UserAgent is the User-Agent header, without control characters.
	UserAgent string
	// Log gets one line per attempt, without bodies, headers or secrets. It may
	// be nil.
	Log func(ctx context.Context, msg string, fields ...map[string]any)
	// Random returns a number from 0 to 1, for the jitter of waits. nil is math/rand's.
	Random func() float64
}

// Client is a client of HTTP APIs. It is safe for concurrent use. A process should use
// one for all requests: concurrency and rate limits are per client.
type Client struct {
	Secrets Secrets

	config Config
	http   *http.Client
	slots  *slots
}

// API is one API. Each is a service of its own, with its own rate limit and outages.
type API struct {
	About
	Base      *url.URL // its path is a prefix of all others
	Authorize func(*http.Request)

	gate gate
}

// New returns a client. No setting may be negative, and only RetryTimeout may be 0.
func New(config Config) *Client {
	limit := config.MaxConcurrentRequests
	if config.Random == nil {
		config.Random = rand.Float64
	}
	return &Client{config: config, http: newHTTPClient(limit), slots: newSlots(limit)}
}

// Add prepares an API for requests of this client.
func (c *Client) Add(a *API) {
	a.gate = newGate(c.slots, a.About, c.config)
}

// Host is scheme, host and port of the API, for messages, and that there is a path, which
// stays out of them; "" if the API has no URL.
func (a *API) Host() string {
	switch {
	case a.Base == nil:
		return ""
	case a.Base.Path != "":
		return fmt.Sprintf("%s://%s, with the path of %s", a.Base.Scheme, a.Base.Host, a.URLSetting)
	default:
		return a.Base.Scheme + "://" + a.Base.Host
	}
}

// HasControl reports whether a text contains a control character.
func HasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// Transport returns what connects to the APIs, to tune it before the first request.
func (c *Client) Transport() *http.Transport { return c.http.Transport.(*http.Transport) }
