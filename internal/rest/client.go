// Package rest sends one request to an HTTP API until it is decided. It knows no
// operation, type or path of an API.
//
// From the top down:
//
//   - call.go is the loop of attempts: admit, send, observe, and a policy that decides
//     what is next.
//   - send.go sends one attempt.
//   - client.go has the client and its APIs, request.go declares a request.
//   - door.go lets attempts through as health.go allows: after a 429 (pace.go), during
//     an outage, after a rejected login.
//   - error.go words what failed, advice.go what to do about it, message.go finds the
//     message of a response, response.go reads its body.
//   - wait.go has the backoff, dial.go the connections, secrets.go masks secrets,
//     text.go cleans texts.
package rest

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// DefaultRequestTimeout bounds one attempt. It is long because a list of ten
	// thousand objects is one response.
	DefaultRequestTimeout = 60 * time.Second
	// DefaultMaxConcurrentRequests is Terraform's own default parallelism.
	DefaultMaxConcurrentRequests = 10
)

// Config configures a Client.
type Config struct {
	// RequestTimeout bounds one attempt, from dialling to the last byte of the
	// response. 0 is DefaultRequestTimeout.
	RequestTimeout time.Duration
	// RetryTimeout bounds one request, all attempts and waits included. 0 turns
	// retries off: one attempt, and no wait for a rate limit.
	RetryTimeout time.Duration
	// MaxConcurrentRequests is the maximum number of concurrent requests to all APIs
	// together. 0 is DefaultMaxConcurrentRequests.
	MaxConcurrentRequests int
	// UserAgent is the User-Agent header, without control characters; if empty, Go's
	// default is sent.
	UserAgent string
	// Log gets one line per attempt, without bodies, headers or secrets. It may
	// be nil.
	Log func(ctx context.Context, msg string, fields ...map[string]any)
	// Warn gets a line, with what a call waits for, when the call has taken ten
	// seconds, and one each minute after that. It may be nil.
	Warn func(ctx context.Context, msg string, fields ...map[string]any)
}

// Client is a client of HTTP APIs. It is safe for concurrent use. A process should use
// one for all requests: concurrency and rate limits are per client.
type Client struct {
	Secrets Secrets

	config Config
	http   *http.Client
	slots  chan struct{} // one element for each request in flight
}

// API is one API. Each is a service of its own, with its own rate limit and outages.
type API struct {
	Name string   // "management API"
	Base *url.URL // its path is a prefix of all others
	// URLSetting and Credentials are the settings with the URL and the credentials.
	URLSetting, Credentials string
	// Unauthorized and Forbidden are what to do about a 401 and a 403.
	Unauthorized, Forbidden string
	Authorize               func(*http.Request)
	// Recovered is called when an outage has ended. Optional.
	Recovered func()

	door door
}

// New returns a client. It rejects negative limits.
func New(config Config) (*Client, error) {
	config.RequestTimeout = cmp.Or(config.RequestTimeout, DefaultRequestTimeout)
	limit := cmp.Or(config.MaxConcurrentRequests, DefaultMaxConcurrentRequests)
	if limit < 0 || config.RequestTimeout < 0 || config.RetryTimeout < 0 {
		return nil, errors.New("request_timeout, retry_timeout and max_concurrent_requests must not be negative")
	}
	return &Client{config: config, http: newHTTPClient(limit), slots: make(chan struct{}, limit)}, nil
}

// Add prepares an API for requests of this client.
func (c *Client) Add(a *API) {
	a.door = newDoor(a.Name, a.Host(), a.Credentials, c.config.RetryTimeout)
	a.door.recovered = a.Recovered
}

// Host is scheme, host and port of the API, for messages; "" if it has no URL.
func (a *API) Host() string {
	if a.Base == nil {
		return ""
	}
	return a.Base.Scheme + "://" + a.Base.Host
}

// HasControl reports whether a text contains a control character.
func HasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// Transport returns what connects to the APIs, to tune it before the first request.
func (c *Client) Transport() *http.Transport { return c.http.Transport.(*http.Transport) }
