// Package platform is the client of the Data Platform's two APIs: the management API (services, API keys, pipes) and the
// alerting API (alerts). It follows the API document and imports nothing of Terraform. Package rest sends its requests.
//
// service.go, api_key.go, pipe.go and alert.go have the operations. Each declares a request, and hands the JSON of an
// object to a function of the caller, which reads it. The caller has to check that IDs are UUIDs.
package platform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
)

// Defaults of settings, for callers: in a Config, a RetryTimeout of 0 turns retries off.
const (
	DefaultRequestTimeout        = 60 * time.Second // long, because a list of ten thousand objects is one response
	DefaultRetryTimeout          = 5 * time.Minute
	DefaultMaxConcurrentRequests = 10 // Terraform's own default parallelism
)

// Config configures a Client. The settings of an API may be empty if none of its operations is called.
type Config struct {
	BaseURL, KeyID, KeySecret        string // of the management API, and an API key for it
	AlertsBaseURL, AlertsAccessToken string // of the alerting API, and a bearer token for it
	AllowHTTP                        bool   // to any host: credentials then travel in the clear

	Sending
}

// Sending configures how requests are sent. For New, a RequestTimeout or MaxConcurrentRequests of 0 is the default.
type Sending = rest.Config

// Client is a client of both APIs, safe for concurrent use. A process should use one for all calls:
// concurrency, rate limits and shared lists are per client. It sends only its operations.
type Client struct {
	*rest.Secrets
	Sending
	Transport *http.Transport // connects to the APIs; to be tuned before the first request

	rest               *rest.Client
	management, alerts *rest.API
	lists              lists
}

var (
	managementAPI = rest.About{
		Name: "management API", URLSetting: "base_url", Credentials: "key_id and key_secret",
		Unauthorized: "Check key_id and key_secret. The key may be wrong, expired, disabled or revoked.",
		Forbidden: "This may mean that the API key lacks a role, is disabled, has expired or belongs to another organization, " +
			"that its IP access list lacks the address of this machine, or that a gateway rejected the request. Check these.",
	}
	alertingAPI = rest.About{
		Name: "alerting API", URLSetting: "alerts_base_url", Credentials: "alerts_access_token",
		Unauthorized: "Check alerts_access_token. It may be wrong, expired or revoked.",
		Forbidden:    "This may mean that alerts_access_token lacks permission or has expired, or that a gateway rejected the request. Check these.",
	}
)

// New returns a client. It rejects a URL that ParseBaseURL rejects. Errors name the setting and never contain the URL.
// The caller has to check that the credentials are valid in HTTP headers, and that no limit is negative.
func New(config Config) (*Client, error) {
	config.RequestTimeout = cmp.Or(config.RequestTimeout, DefaultRequestTimeout)
	config.MaxConcurrentRequests = cmp.Or(config.MaxConcurrentRequests, DefaultMaxConcurrentRequests)
	management, alerts := &rest.API{About: managementAPI}, &rest.API{About: alertingAPI}
	if err := errors.Join(setBase(management, config.BaseURL, config.AllowHTTP), setBase(alerts, config.AlertsBaseURL, config.AllowHTTP)); err != nil {
		return nil, err
	}
	management.Authorize = func(r *http.Request) { r.SetBasicAuth(config.KeyID, config.KeySecret) }
	alerts.Authorize = func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+config.AlertsAccessToken) }
	sender := rest.New(config.Sending, management, alerts)
	c := &Client{Secrets: &sender.Secrets, Sending: config.Sending, Transport: sender.Transport, rest: sender, management: management, alerts: alerts}
	c.lists = lists{do: sender.Do, last: map[string][]*list{}, after: map[string]uint64{}}
	c.MaskNamed("keySecret", "encryptionKey", "connectionString") // what the API returns of secrets
	c.AddSecret(config.KeySecret)
	c.AddSecret(config.AlertsAccessToken)
	return c, nil
}

func setBase(a *rest.API, address string, allowHTTP bool) (err error) {
	if address == "" {
		return nil
	}
	if a.Base, err = ParseBaseURL(address, allowHTTP); err != nil {
		return fmt.Errorf("%s: %w", a.URLSetting, err)
	}
	return rest.CheckProxy(a.Base)
}

// ParseBaseURL parses the base URL of an API, without whitespace, query, fragment or user. http is for a loopback
// address, or for any host if that is allowed. A path is kept as a prefix, unless it is that of an operation; a
// trailing slash is ignored. Errors never repeat the URL, which may contain a password.
func ParseBaseURL(address string, allowHTTP bool) (*url.URL, error) {
	scheme, _, _ := strings.Cut(strings.ToLower(address), "://")
	switch {
	case strings.ContainsFunc(address, unicode.IsSpace):
		return nil, errors.New("the URL must not contain whitespace")
	case scheme != "https" && scheme != "http":
		return nil, errors.New("the URL must begin with https://")
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the value is not a valid URL")
	}
	u.Host = strings.ToLower(u.Host) // as whatever else decides about a host expects it
	if err := checkBaseURL(u, allowHTTP); err != nil {
		return nil, err
	}
	if strings.ContainsAny(address, "?#") {
		return nil, errors.New("the URL must not contain a query or a fragment")
	}
	return url.Parse(strings.TrimRight(u.String(), "/"))
}

func checkBaseURL(u *url.URL, allowHTTP bool) error {
	port, err := strconv.ParseUint(cmp.Or(u.Port(), "443"), 10, 16)
	own := operationPath.FindStringSubmatch(u.Path)
	switch {
	case u.Hostname() == "":
		return errors.New("the URL has no host")
	case strings.ContainsFunc(u.Host, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("the host of the URL must be printable ASCII: write another name in its ASCII form (xn--…)")
	case u.User != nil:
		return errors.New("the URL must not contain a user or a password: credentials have settings of their own")
	case u.Scheme == "http" && !allowHTTP && !rest.IsLoopback(u.Hostname()):
		return errors.New("the URL must use https. Plain http is allowed only for a loopback address (localhost, 127.0.0.1, ::1), or with allow_http")
	case err != nil || port == 0:
		return errors.New("the port of the URL must be between 1 and 65535")
	case own != nil:
		return fmt.Errorf("the URL must not contain %s, which the provider adds: set it without %[1]s and what follows", cmp.Or(own[1], own[2]))
	default:
		return nil
	}
}

// operationPath matches a path that ends with the beginning of an operation's path, which would send requests to /v1/v1/….
var operationPath = regexp.MustCompile(`(?i)(/v1)(?:/organizations(?:/.*)?)?/*$|(/api/v2)(?:/alerts(?:/.*)?)?/*$`)

// Outlast returns a context that ends one request_timeout after the given one, if that is needed, and otherwise the given one.
func (c *Client) Outlast(ctx context.Context, isNeeded bool) (longer context.Context, stop func()) {
	if !isNeeded {
		return ctx, func() {}
	}
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() {
		time.AfterFunc(c.RequestTimeout, func() { cancel(context.Cause(ctx)) })
	})
	return longer, func() { unhook(); cancel(nil) }
}
