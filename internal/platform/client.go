// Package platform is the client of the Data Platform's two APIs: the
// management API (services, API keys, pipes) and the alerting API (alerts). It
// says what the API document says and knows nothing of Terraform.
//
// A call goes through these rooms: service.go, api_key.go, pipe.go and alert.go
// say what is asked; share.go and list.go let equal reads share one request;
// transport.go repeats attempts within a budget, and attempt.go makes one;
// gate.go holds requests back after the platform turned one away, and pace.go
// learns how fast they may go; answer.go reads what came; error.go and
// message.go say what went wrong; secrets.go keeps secrets out of it.
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
	// DefaultRequestTimeout bounds one attempt: generous, since a list of ten
	// thousand services is one answer.
	DefaultRequestTimeout = 60 * time.Second
	// DefaultRetryTimeout is what one call may take, for those who build a
	// Config from settings that may be missing. Config itself has no default
	// for it: zero turns retrying off.
	DefaultRetryTimeout = 5 * time.Minute
	// DefaultMaxConcurrentRequests is Terraform's own default parallelism.
	DefaultMaxConcurrentRequests = 10
)

// Config is what a Client is made of. Either API's settings may be missing: a
// call that needs them then says which.
type Config struct {
	// BaseURL is the address of the management API, KeyID and KeySecret an API
	// key for it.
	BaseURL, KeyID, KeySecret string
	// AlertsBaseURL is the address of the alerting API, AlertsAccessToken a
	// bearer token for it.
	AlertsBaseURL, AlertsAccessToken string

	// RequestTimeout bounds one attempt, from dialling to the last byte of the
	// answer. Zero is DefaultRequestTimeout.
	RequestTimeout time.Duration
	// RetryTimeout bounds one call, waits of every kind included. Zero turns
	// retrying off: one attempt, no waiting for a rate limit.
	RetryTimeout time.Duration
	// MaxConcurrentRequests bounds the requests in flight of the whole client,
	// both APIs together. Zero is DefaultMaxConcurrentRequests.
	MaxConcurrentRequests int
	// UserAgent is sent as it is; empty leaves Go's own.
	UserAgent string
	// Log gets one line per attempt, without bodies, headers or secrets. Nil
	// logs nothing.
	Log func(ctx context.Context, msg string, fields ...map[string]any)
}

// Client calls both APIs. It is safe for concurrent use, and one client should
// serve a whole process: the limit on requests, the rate limit's gate and the
// shared reads are its own.
type Client struct {
	management, alerts *api

	http           *http.Client
	userAgent      string
	log            func(ctx context.Context, msg string, fields ...map[string]any)
	requestTimeout time.Duration
	retryTimeout   time.Duration
	slots          chan struct{} // holds one element for each request in flight

	secrets secrets
	lists   lists
	pipes   flights
	alerted flights
}

// api is one of the two APIs: where it is, how it authenticates, and the gate
// that its rate limit closes. Each has its own gate, as each is a service of
// its own.
type api struct {
	base      *url.URL // nil where the address is not set
	authorize func(*http.Request)
	missing   []string // settings that are not set
	settings  string   // the settings behind the credentials, for a 401
	gate      *gate
}

// New makes a client. It fails on an address that ParseBaseURL refuses, and on
// credentials that no HTTP header can carry.
func New(config Config) (*Client, error) {
	c := &Client{
		userAgent:      config.UserAgent,
		log:            config.Log,
		requestTimeout: cmp.Or(config.RequestTimeout, DefaultRequestTimeout),
		retryTimeout:   config.RetryTimeout,
	}
	limit := cmp.Or(config.MaxConcurrentRequests, DefaultMaxConcurrentRequests)
	if limit < 0 || c.requestTimeout < 0 || c.retryTimeout < 0 {
		return nil, errors.New("request_timeout, retry_timeout and max_concurrent_requests can't be negative")
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
		// What the Authorization header carries hides the secret in one base64
		// with the id, which the secret's own base64 doesn't match.
		c.AddSecret(config.KeyID + ":" + config.KeySecret)
	}
	return c, nil
}

func newManagementAPI(config Config) (*api, error) {
	a := &api{settings: "key_id and key_secret", gate: newGate()}
	if err := a.setBase("base_url", config.BaseURL); err != nil {
		return nil, err
	}
	a.require("key_id", config.KeyID)
	a.require("key_secret", config.KeySecret)
	if strings.Contains(config.KeyID, ":") {
		return nil, errors.New("key_id can't hold a colon: it would end there and the rest would count as the secret")
	}
	a.authorize = func(r *http.Request) { r.SetBasicAuth(config.KeyID, config.KeySecret) }
	return a, nil
}

func newAlertingAPI(config Config) (*api, error) {
	a := &api{settings: "alerts_access_token", gate: newGate()}
	if err := a.setBase("alerts_base_url", config.AlertsBaseURL); err != nil {
		return nil, err
	}
	a.require("alerts_access_token", config.AlertsAccessToken)
	if strings.ContainsFunc(config.AlertsAccessToken, isControl) {
		return nil, errors.New("alerts_access_token holds a line break or another control character, which no header can carry")
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

// ParseBaseURL reads the base address of an API: https, or plain http to a
// loopback address (credentials travel with every request), without query,
// fragment or user. A path is kept as a prefix, a trailing slash ignored. Its
// errors are sentences about the address that never repeat it, as it may hold
// a password.
func ParseBaseURL(address string) (*url.URL, error) {
	if strings.ContainsFunc(address, isControl) || strings.TrimSpace(address) != address {
		return nil, errors.New("the address holds white space or a control character")
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the address can't be read as a URL")
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("the address must begin with https://")
	case u.Opaque != "" || u.Hostname() == "":
		return nil, errors.New("the address has no host")
	case u.User != nil:
		return nil, errors.New("the address can't hold a user or a password: credentials have settings of their own")
	case u.RawQuery != "" || u.ForceQuery:
		return nil, errors.New("the address can't hold a query")
	case u.Fragment != "" || strings.Contains(address, "#"):
		return nil, errors.New("the address can't hold a fragment")
	case u.Port() != "" && !isPort(u.Port()):
		return nil, errors.New("the address has a port that doesn't exist")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return nil, errors.New("plain http is for a loopback address alone (localhost, 127.0.0.1, ::1), since credentials travel with every request: use https")
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if segment == "." || segment == ".." {
			return nil, errors.New("the address can't hold a dot segment in its path")
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

// url builds an address from path elements, each escaped, so that no element
// can reach another path.
func (a *api) url(elements []string, query url.Values) (*url.URL, error) {
	var b strings.Builder
	b.WriteString(a.base.String())
	for _, element := range elements {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(element))
	}
	u, err := url.Parse(b.String())
	if err != nil {
		return nil, fmt.Errorf("building the address: %w", err)
	}
	u.RawQuery = query.Encode()
	return u, nil
}
