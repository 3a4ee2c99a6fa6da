package rest

import (
	"net/url"
	"strings"
	"testing"
)

// A proxy of the environment that cannot be used is an error that names its variable and repeats nothing, where it would be used.
func TestProxyThatCannotBeUsed(t *testing.T) {
	const bad = "http://user:p%%ss-hush@proxy.example:3128"
	for _, row := range []struct{ variable, value, address, names string }{
		{"HTTPS_PROXY", bad, "https://api.example", "HTTPS_PROXY"},
		{"https_proxy", bad, "https://api.example", "https_proxy"},
		{"HTTP_PROXY", bad, "http://api.example", "HTTP_PROXY"},
		{"HTTPS_PROXY", "ftp://hush.example", "https://api.example", "HTTPS_PROXY"},
		{"HTTPS_PROXY", "http://:3128", "https://api.example", "HTTPS_PROXY"},
		{"HTTPS_PROXY", "http://hush\x7f.example", "https://api.example", "HTTPS_PROXY"},
		{"HTTP_PROXY", bad, "https://api.example", ""},
		{"HTTPS_PROXY", bad, "http://api.example", ""},
		{"HTTPS_PROXY", bad, "https://127.0.0.1", ""},
		{"HTTPS_PROXY", bad, "https://a.internal.example", ""}, // NO_PROXY
		{"HTTPS_PROXY", "http://user:12#hush@proxy.example:3128", "https://api.example", "HTTPS_PROXY"},
		{"HTTPS_PROXY", "http://user:hush/12@proxy.example:3128", "https://api.example", "HTTPS_PROXY"},
		{"HTTPS_PROXY", "http://proxy.example:3128/", "https://api.example", ""},
		{"HTTPS_PROXY", "proxy.example:3128", "https://api.example", ""},
		{"HTTPS_PROXY", "socks5://user:p%25ss@proxy.example", "https://api.example", ""},
		{"HTTPS_PROXY", "", "https://api.example", ""},
	} {
		t.Run(row.variable+" "+row.value+" "+row.address, func(t *testing.T) {
			for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
				t.Setenv(name, "")
			}
			t.Setenv("NO_PROXY", "internal.example")
			t.Setenv(row.variable, row.value)
			api, _ := url.Parse(row.address)
			err := CheckProxy(api)
			if (err == nil) != (row.names == "") {
				t.Fatal(err)
			}
			if err != nil && (!strings.Contains(err.Error(), "the environment variable "+row.names+" is not") || strings.Contains(err.Error(), "hush")) {
				t.Error(err)
			}
		})
	}
}
