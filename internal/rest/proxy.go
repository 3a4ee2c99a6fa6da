package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

var (
	errProxy      = errors.New("the proxy does not connect")
	errProxyFinal = fmt.Errorf("%w, and will not", errProxy)
)

// proxy returns the proxy of the environment; none for a loopback address, whatever the standard
// library takes for one, because the credentials may travel in the clear.
func proxy(r *http.Request) (*url.URL, error) {
	if IsLoopback(r.URL.Hostname()) {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

// acceptedByProxy checks a response to CONNECT. The standard library's error is the reason phrase, as the proxy has it.
func acceptedByProxy(_ context.Context, at *url.URL, _ *http.Request, response *http.Response) error {
	status, cause := response.StatusCode, errProxy
	if status == http.StatusOK {
		return nil
	}
	if meaningOf(status).Kind == Final {
		cause = errProxyFinal
	}
	return &Reworded{fmt.Sprintf("the proxy %s returned %s", at.Host, statusText(status)), cause}
}

// CheckProxy returns an error if the environment has a proxy for a URL that cannot be used: the standard library passes it by
// without a word. The error names the variable and repeats nothing of it.
func CheckProxy(u *url.URL) error {
	name := strings.ToUpper(u.Scheme) + "_PROXY"
	if os.Getenv(name) == "" {
		name = strings.ToLower(name)
	}
	config := httpproxy.FromEnvironment()
	at, err := config.ProxyFunc()(u)
	config.HTTPProxy, config.HTTPSProxy = "http://a.example", "http://a.example"
	would, _ := config.ProxyFunc()(u)
	// A password with a slash, or a number sign, makes a path or a fragment of what follows it.
	isUsable := at != nil && at.Hostname() != "" && strings.Trim(at.Path, "/")+at.RawQuery+at.Fragment == "" && slices.Contains([]string{"http", "https", "socks5", "socks5h"}, at.Scheme)
	if os.Getenv(name) == "" || err == nil && (would == nil || isUsable) {
		return nil
	}
	return fmt.Errorf("the environment variable %s is not the URL of a proxy (http, https or socks5). "+
		"In its user and password, write special characters percent-encoded, such as %%25 for a percent sign", name)
}
