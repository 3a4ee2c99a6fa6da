package rest

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"
)

// Config configures a Client.
type Config struct {
	// RequestTimeout bounds one attempt, from dialling to the last byte of the response.
	RequestTimeout time.Duration
	// RetryTimeout bounds one request, all attempts and waits included. 0 turns
	// retries off: one attempt, and no wait for a rate limit.
	RetryTimeout time.Duration
	// MaxConcurrentRequests is their maximum number, to all APIs together.
	MaxConcurrentRequests int
	// UserAgent is the User-Agent header, without control characters.
	UserAgent string
	// Log gets one line per attempt, without bodies, headers or secrets. It may be nil.
	Log func(ctx context.Context, msg string, fields ...map[string]any)
	// Random returns a number from 0 to 1 for the jitter of waits, in any goroutine. nil means that
	// of math/rand.
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

// About is how messages name an API and its settings.
type About struct {
	Name string // "management API"
	// URLSetting and Credentials are the settings with the URL and the credentials.
	URLSetting, Credentials string
	// Unauthorized and Forbidden are what to do about a 401 and a 403.
	Unauthorized, Forbidden string
}

// checkAddress is what to do about an API that cannot be reached.
func (a *About) checkAddress() string {
	return "Check " + a.URLSetting + ", and HTTPS_PROXY if it is set."
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
	if config.Random == nil {
		config.Random = rand.Float64
	}
	return &Client{config: config, http: newHTTPClient(config.MaxConcurrentRequests), slots: newSlots(config.MaxConcurrentRequests)}
}

// Add prepares an API for requests of this client.
func (c *Client) Add(a *API) { a.gate = newGate(c.slots, a.About, c.config) }

// Host is scheme, host and port of the API, for messages; "" if the API has no URL. It mentions that
// there is a path without repeating it.
func (a *API) Host() string {
	if a.Base == nil {
		return ""
	}
	return a.Base.Scheme + "://" + a.Base.Host + when(a.Base.Path != "", ", with the path of "+a.URLSetting)
}

// Retries reports whether retry_timeout allows retries.
func (c *Client) Retries() bool { return c.config.RetryTimeout > 0 }

// Transport returns what connects to the APIs, to tune it before the first request.
func (c *Client) Transport() *http.Transport { return c.http.Transport.(*http.Transport) }
