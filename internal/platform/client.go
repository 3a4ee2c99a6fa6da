package platform

import (
	"cmp"
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

const (
	// DefaultRequestTimeout bounds one attempt. It is long because a list of ten
	// thousand objects is one response.
	DefaultRequestTimeout = 60 * time.Second
	// DefaultRetryTimeout bounds one operation. It is for callers: Config has no
	// default, since 0 turns retries off.
	DefaultRetryTimeout = 5 * time.Minute
	// DefaultMaxConcurrentRequests is Terraform's own default parallelism.
	DefaultMaxConcurrentRequests = 10
)

// Config configures a Client. The settings of either API may be empty if none of its
// operations is called.
type Config struct {
	// BaseURL is the URL of the management API, KeyID and KeySecret are an API key
	// for it. See ParseBaseURL.
	BaseURL, KeyID, KeySecret string
	// AlertsBaseURL is the URL of the alerting API, AlertsAccessToken is a bearer
	// token for it.
	AlertsBaseURL, AlertsAccessToken string
	// AllowHTTP allows plain http to any host. Credentials then travel in the clear.
	AllowHTTP bool

	Sending
}

// Sending configures how requests are sent, to both APIs together. A RequestTimeout or
// MaxConcurrentRequests of 0 is the default.
type Sending = rest.Config

// Client is a client of both APIs. It is safe for concurrent use. A process should
// use one client for all calls: concurrency, rate limits and shared lists are per
// client.
type Client struct {
	*rest.Secrets // which errors and logs must not repeat of responses

	management, alerts *api

	rest  *rest.Client
	lists lists
}

// api is one of the two APIs.
type api struct {
	rest.API
	member string // of a response that contains the result
}

var (
	managementAPI = rest.About{
		Name: "management API", URLSetting: "base_url", Credentials: "key_id and key_secret",
		Unauthorized: "Check key_id and key_secret. The key may be wrong, expired, disabled or revoked.",
		Forbidden:    "The credentials (key_id and key_secret) are valid but lack permission: check organization_id, and the roles of the API key and its IP access list.",
	}
	alertingAPI = rest.About{
		Name: "alerting API", URLSetting: "alerts_base_url", Credentials: "alerts_access_token",
		Unauthorized: "Check alerts_access_token. It may be wrong, expired or revoked.",
		Forbidden:    "The credentials (alerts_access_token) are valid but lack permission: check what the token is allowed to do.",
	}
)

// New returns a client. It rejects a URL that ParseBaseURL rejects. Errors name the setting and
// never contain the URL. The caller has to check that the credentials are valid in HTTP headers,
// and that no limit is negative.
func New(config Config) (*Client, error) {
	config.RequestTimeout = cmp.Or(config.RequestTimeout, DefaultRequestTimeout)
	config.MaxConcurrentRequests = cmp.Or(config.MaxConcurrentRequests, DefaultMaxConcurrentRequests)
	sender := rest.New(config.Sending)
	c := &Client{
		Secrets: &sender.Secrets, rest: sender,
		management: &api{member: "result", API: rest.API{About: managementAPI}},
		alerts:     &api{member: "data", API: rest.API{About: alertingAPI}},
	}
	if err := errors.Join(c.management.setBase(config.BaseURL, config.AllowHTTP), c.alerts.setBase(config.AlertsBaseURL, config.AllowHTTP)); err != nil {
		return nil, err
	}
	c.management.Authorize = func(r *http.Request) { r.SetBasicAuth(config.KeyID, config.KeySecret) }
	c.alerts.Authorize = func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+config.AlertsAccessToken) }
	c.lists = lists{do: c.rest.Do, last: map[string][]*list{}, after: map[string]uint64{}}
	c.rest.Add(&c.management.API)
	c.rest.Add(&c.alerts.API)
	c.AddSecret(config.KeySecret)
	c.AddSecret(config.AlertsAccessToken)
	return c, nil
}

func (a *api) setBase(address string, allowHTTP bool) (err error) {
	if address == "" {
		return nil
	}
	if a.Base, err = ParseBaseURL(address, allowHTTP); err != nil {
		return fmt.Errorf("%s: %w", a.URLSetting, err)
	}
	return nil
}

// Retries reports whether requests are retried.
func (c *Client) Retries() bool { return c.rest.Retries() }

// Transport returns what connects to both APIs, to tune it before the first request.
func (c *Client) Transport() *http.Transport { return c.rest.Transport() }

// ParseBaseURL parses the base URL of an API, without whitespace, query, fragment or user. http is
// for a loopback address, or for any host if that is allowed. A path is kept as a prefix, unless it
// is that of an operation; a trailing slash is ignored. Errors never repeat the URL, which may
// contain a password.
func ParseBaseURL(address string, allowHTTP bool) (*url.URL, error) {
	if strings.ContainsFunc(address, unicode.IsSpace) {
		return nil, errors.New("the URL must not contain whitespace")
	}
	if scheme, _, _ := strings.Cut(address, "://"); !strings.EqualFold(scheme, "https") && !strings.EqualFold(scheme, "http") {
		return nil, errors.New("the URL must begin with https://")
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the value is not a valid URL")
	}
	u.Host = strings.ToLower(u.Host) // as whatever else decides about a host expects it
	switch {
	case u.Hostname() == "":
		return nil, errors.New("the URL has no host")
	case u.User != nil:
		return nil, errors.New("the URL must not contain a user or a password: credentials have settings of their own")
	case strings.ContainsAny(address, "?#"):
		return nil, errors.New("the URL must not contain a query or a fragment")
	case u.Scheme == "http" && !allowHTTP && !rest.IsLoopback(u.Hostname()):
		return nil, errors.New("the URL must use https. Plain http is allowed only for a loopback address (localhost, 127.0.0.1, ::1), or with allow_http")
	}
	if port, err := strconv.ParseUint(cmp.Or(u.Port(), "443"), 10, 16); err != nil || port == 0 {
		return nil, errors.New("the port of the URL must be between 1 and 65535")
	}
	if own := operationPath.FindStringSubmatch(u.Path); own != nil {
		return nil, fmt.Errorf("the URL must not contain %s, which the provider adds: set it without %[1]s and what follows", cmp.Or(own[1], own[2]))
	}
	return url.Parse(strings.TrimRight(u.String(), "/"))
}

// operationPath matches a path that ends with the beginning of an operation's path, which would send
// requests to /v1/v1/….
var operationPath = regexp.MustCompile(`(/v1)(?:/organizations(?:/.*)?)?/*$|(/api/v2)(?:/alerts(?:/.*)?)?/*$`)
