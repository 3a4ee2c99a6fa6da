package rest

import (
	"encoding/base64"
	"html"
	"net/url"
	"testing"
)

func TestMask(t *testing.T) {
	t.Parallel()
	var c Secrets
	const secret = `se"c/r<e>t` + "\n" + `ü\`
	c.Add(secret)
	c.Add("bearer-token")
	c.Add("id:" + secret)
	c.Add("abc")       // too short
	c.Add("begin")     // begins another
	c.Add("beginning") // and must not leave "ning" standing
	c.Add("")
	for _, text := range []string{
		secret, "bearer-token", "beginning", "begin", `se"c/r<e>t ü\`,
		JSONInside(secret), `se\"c\/r<e>t\nü\\`, `se\"c/r\u003ce\u003et\nü\\`,
		html.EscapeString(secret), url.QueryEscape(secret), url.PathEscape(secret),
		base64.RawStdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
		base64.RawStdEncoding.EncodeToString([]byte("id:" + secret)),
	} {
		if got := c.Mask("a " + text + " z"); got != "a *** z" {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := c.Mask("abc, nothing"); got != "abc, nothing" {
		t.Error(got)
	}
	if got := plain("a se&#34;c/r&#x3c;e&#62;t\n\u00fc\\ z", c.Mask); got != "a *** z" {
		t.Errorf("another spelling of HTML became %q", got)
	}
}
