// Package platform is the client of the Data Platform's two APIs: the
// management API (services, API keys, pipes) and the alerting API (alerts). It
// follows the API document and knows nothing of Terraform.
//
//   - service.go, api_key.go, pipe.go and alert.go declare the operations as
//     requests (request.go).
//   - share.go and list.go let equal reads share one request.
//   - transport.go retries a request within retry_timeout, attempt.go sends it
//     once, wait.go has the backoff.
//   - gate.go holds requests back after a 429, pace.go sets their rate after
//     that.
//   - outage.go and login.go fail calls without a request where all others have
//     failed; patience.go logs what a call waits for.
//   - response.go reads a success, message.go an error, salvage.go a key from a
//     broken response.
//   - error.go composes the texts of errors, secrets.go masks secrets in them.
package platform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// DefaultRequestTimeout bounds one attempt. It is long because a list of ten
	// thousand services is one response.
	DefaultRequestTimeout = 60 * time.Second
	// DefaultRetryTimeout bounds one operation. It is for callers: Config has no
	// default, since 0 turns retries off.
	DefaultRetryTimeout = 5 * time.Minute
	// DefaultMaxConcurrentRequests is Terraform's own default parallelism.
	DefaultMaxConcurrentRequests = 10
)

// Config configures a Client. The settings of either API may be empty: an
// operation that needs them returns an error that names them.
type Config struct {
	// BaseURL is the URL of the management API, KeyID and KeySecret are an API key
	// for it. See ParseBaseURL.
	BaseURL, KeyID, KeySecret string
	// AlertsBaseURL is the URL of the alerting API, AlertsAccessToken is a bearer
	// token for it.
	AlertsBaseURL, AlertsAccessToken string

	// RequestTimeout bounds one attempt, from dialling to the last byte of the
	// response. 0 is DefaultRequestTimeout.
	RequestTimeout time.Duration
	// RetryTimeout bounds one operation, all attempts and waits included. 0 turns
	// retries off: one attempt, and no wait for a rate limit.
	RetryTimeout time.Duration
	// MaxConcurrentRequests is the maximum number of concurrent requests to both
	// APIs together. 0 is DefaultMaxConcurrentRequests.
	MaxConcurrentRequests int
	// UserAgent is the User-Agent header; if empty, Go's default is sent.
	UserAgent string
	// Log gets one line per attempt, without bodies, headers or secrets. It may
	// be nil.
	Log func(ctx context.Context, msg string, fields ...map[string]any)
	// Warn gets a line, with what a call waits for, when the call has taken ten
	// seconds, and one each minute after that. It may be nil.
	Warn func(ctx context.Context, msg string, fields ...map[string]any)
}

// Client is a client of both APIs. It is safe for concurrent use. A process should
// use one client for all calls: concurrency, rate limits and shared reads are per
// client.
type Client struct {
	management, alerts *api

	http           *http.Client
	userAgent      string
	log, warnings  func(ctx context.Context, msg string, fields ...map[string]any)
	requestTimeout time.Duration
	retryTimeout   time.Duration
	slots          chan struct{} // one element for each request in flight

	secrets secrets
	lists   lists
}

const tokenSetting = "alerts_access_token"

// api is one of the two APIs. Each is a service of its own, with its own rate
// limit.
type api struct {
	base      *url.URL // nil if it is not set
	authorize func(*http.Request)
	member    string   // of a response that contains the result
	missing   []string // settings that are not set
	settings  string   // the settings with the credentials, for messages
	gate      *gate
	outage    *outage
	logins    logins
	reads     flights
}

// New returns a client. It rejects a URL that ParseBaseURL rejects, credentials
// that HTTP headers cannot carry, and negative limits. Errors name the setting
// and never contain a secret.
func New(config Config) (*Client, error) {
	c := &Client{
		userAgent:      config.UserAgent,
		log:            config.Log,
		warnings:       config.Warn,
		requestTimeout: cmp.Or(config.RequestTimeout, DefaultRequestTimeout),
		retryTimeout:   config.RetryTimeout,
	}
	limit := cmp.Or(config.MaxConcurrentRequests, DefaultMaxConcurrentRequests)
	if limit < 0 || c.requestTimeout < 0 || c.retryTimeout < 0 {
		return nil, errors.New("request_timeout, retry_timeout and max_concurrent_requests must not be negative")
	}
	if strings.ContainsFunc(config.UserAgent, isControl) {
		return nil, errors.New("the User-Agent must not contain a line break or another control character, which no header can carry")
	}
	c.slots = make(chan struct{}, limit)
	c.http = newHTTPClient(limit)

	var err error
	if c.management, err = newManagementAPI(config); err != nil {
		return nil, err
	}
	if c.alerts, err = newAlertingAPI(config); err != nil {
		return nil, err
	}
	for _, secret := range []string{config.KeySecret, config.AlertsAccessToken} {
		c.AddSecret(secret)
	}
	if config.KeySecret != "" {
		// The Authorization header encodes both together, and the base64 of the secret
		// alone does not occur in that.
		c.AddSecret(config.KeyID + ":" + config.KeySecret)
	}
	return c, nil
}

func newManagementAPI(config Config) (*api, error) {
	a := &api{member: "result", settings: "key_id and key_secret", gate: newGate(), outage: newOutage("management API", config.RetryTimeout)}
	if err := a.setBase("base_url", config.BaseURL); err != nil {
		return nil, err
	}
	a.require("key_id", config.KeyID)
	a.require("key_secret", config.KeySecret)
	if strings.Contains(config.KeyID, ":") {
		return nil, errors.New("key_id must not contain a colon, which separates key_id and key_secret in the Authorization header")
	}
	a.authorize = func(r *http.Request) { r.SetBasicAuth(config.KeyID, config.KeySecret) }
	return a, nil
}

func newAlertingAPI(config Config) (*api, error) {
	a := &api{member: "data", settings: tokenSetting, gate: newGate(), outage: newOutage("alerting API", config.RetryTimeout)}
	if err := a.setBase("alerts_base_url", config.AlertsBaseURL); err != nil {
		return nil, err
	}
	a.require(tokenSetting, config.AlertsAccessToken)
	if strings.ContainsFunc(config.AlertsAccessToken, isControl) {
		return nil, errors.New("alerts_access_token must not contain a line break or another control character, which no header can carry")
	}
	a.authorize = func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+config.AlertsAccessToken) }
	return a, nil
}

func (a *api) setBase(setting, address string) (err error) {
	a.require(setting, address)
	if address == "" {
		return nil
	}
	if a.base, err = ParseBaseURL(address); err != nil {
		return fmt.Errorf("%s: %w", setting, err)
	}
	return nil
}

func (a *api) require(setting, value string) {
	if value == "" {
		a.missing = append(a.missing, setting)
	}
}

// ParseBaseURL parses the base URL of an API: https, or http to a loopback
// address, without query, fragment or user. A path is kept as a prefix, and a
// trailing slash is ignored. Errors never repeat the URL, which may contain a
// password.
func ParseBaseURL(address string) (*url.URL, error) {
	if strings.ContainsFunc(address, isControl) || strings.TrimSpace(address) != address {
		return nil, errors.New("the URL must not contain white space or control characters")
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the value is not a valid URL")
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("the URL must begin with https://")
	case u.Opaque != "" || u.Hostname() == "":
		return nil, errors.New("the URL has no host")
	case u.User != nil:
		return nil, errors.New("the URL must not contain a user or a password: credentials have settings of their own")
	case u.RawQuery != "" || u.ForceQuery:
		return nil, errors.New("the URL must not contain a query")
	case u.Fragment != "" || strings.Contains(address, "#"):
		return nil, errors.New("the URL must not contain a fragment")
	case u.Port() != "" && !isPort(u.Port()):
		return nil, errors.New("the port of the URL must be between 1 and 65535")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return nil, errors.New("the URL must use https. Plain http is allowed only for a loopback address (localhost, 127.0.0.1, ::1)")
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if segment == "." || segment == ".." {
			return nil, errors.New("the path of the URL must not contain a dot segment")
		}
	}
	return url.Parse(strings.TrimRight(u.String(), "/"))
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// url builds a URL from the segments of a path. Each segment is escaped, so that
// none can address another path.
func (a *api) url(path []string, query url.Values) (*url.URL, error) {
	var b strings.Builder
	b.WriteString(a.base.String())
	for _, segment := range path {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(segment))
	}
	u, err := url.Parse(b.String())
	if err != nil {
		return nil, fmt.Errorf("building the URL: %w", err)
	}
	u.RawQuery = query.Encode()
	return u, nil
}
