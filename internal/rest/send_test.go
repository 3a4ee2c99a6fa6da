package rest

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// A wait is read from a number of seconds or a date. One that has passed is one, too, and other
// headers beside it do not count. Without Retry-After, a 429 is read for the usual headers of rate
// limits.
func TestWaitThatAResponseRequests(t *testing.T) {
	t.Parallel()
	now := time.Unix(2_000_000_000, 0).UTC() // a Wednesday, 03:33:20
	const early, passed = "Wed, 18 May 2033 03:33:30 GMT", "Wed, 18 May 2033 03:33:00 GMT"
	for _, test := range []struct {
		status                   int    // omitted: 429
		after, reset, otherReset string // Retry-After, RateLimit-Reset, X-RateLimit-Reset
		want                     time.Duration
		date                     string
	}{
		{after: "7", reset: "60", want: 7 * time.Second},
		{status: 503, after: "5", want: 5 * time.Second},
		{after: "1000000000", want: maxRequestedWait}, // not since 1970
		{after: strings.Repeat("9", 400), reset: "60", want: time.Minute},
		{after: early, want: 10 * time.Second},
		{after: early, date: "Wed, 18 May 2033 03:33:28 GMT", want: 2 * time.Second},
		{after: early, date: "Wed, 18 May 2033 04:33:28 GMT"},
		{after: early, date: "today", want: 10 * time.Second},
		{after: "0", reset: "60"},
		{after: passed, reset: "60"},
		{reset: "7", otherReset: "8", want: 7 * time.Second},
		{after: "-7", reset: "60", want: time.Minute},
		{status: 503, reset: "7"},
		{reset: "2000000030", want: 30 * time.Second},
		{otherReset: "999999999", want: maxRequestedWait},
		{otherReset: "2000000030500", want: 30 * time.Second}, // in milliseconds
	} {
		header := http.Header{"Retry-After": {test.after}, "Ratelimit-Reset": {test.reset}, "X-Ratelimit-Reset": {test.otherReset}, "Date": {test.date}}
		if wait := requestedWait(cmp.Or(test.status, 429), header, now); wait != test.want {
			t.Errorf("%+v: %s", test, wait)
		}
	}
}

// Waits double from half a second to 20 seconds, and are random below that.
func TestBackoffDoublesAndIsRandom(t *testing.T) {
	t.Parallel()
	for i, row := range [][2]float64{{1, 0.5}, {1, 1}, {1, 2}, {1, 4}, {1, 8}, {1, 16}, {1, 20}, {1, 20}, {0.25, 5}, {0, 0.001}} {
		if got := backoff(i+1, func() float64 { return row[0] }).Seconds(); got != row[1] {
			t.Errorf("%d: %g, want %g", i+1, got, row[1])
		}
	}
}

// A write may have been carried out once it was sent, unless it is said to be rejected.
func TestAmbiguousOnlyIfPossiblyCarriedOut(t *testing.T) {
	t.Parallel()
	// What follows a 101 is no body, and would not end.
	switches := fault{Status: 101, Hang: true, Cut: mockplatform.CutHead, CutBytes: 1000, Header: http.Header{"Upgrade": {"x"}, "Connection": {"Upgrade"}}}
	const silent = "no response within request_timeout of 30s"
	for name, test := range map[string]struct {
		fault       fault
		kind        Kind
		cause       string
		isAmbiguous bool // of a write
	}{
		"refused":            {fault{Status: refused}, NotSent, "connection refused", false},
		"invalid":            {fault{Status: invalid}, Final, "User-Agent", false},
		"reset":              {reset, NoResponse, "EOF", true},
		"cut in the body":    {fault{Cut: mockplatform.CutBody, CutBytes: 14}, NoResponse, "unexpected EOF", true},
		"stalls in the body": {fault{Cut: mockplatform.CutBody, CutBytes: 14, Hang: true}, NoResponse, silent, true},
		"silent":             {hang, NoResponse, silent, true},
		"not readable":       {respond(200, `{"result":{},"requestId":7}`), Unreadable, "it is not what was expected", true},
		"400":                {respond(400, "{}"), Final, "", false},
		"101":                {switches, Final, "", true},
		"505":                {respond(505, "{}"), Final, "", true},
		"501":                {respond(501, "{}"), Final, "", true},
		"520":                {respond(520, "{}"), Temporary, "", true},
	} {
		for _, operation := range []string{"pipe", "update", "key"} {
			bubble(t, func(t *testing.T, f *fake, c *client) {
				f.Always(test.fault)
				switch test.fault.Status {
				case refused:
					f.Refuse(-1)
				case invalid:
					c.config.UserAgent = "a\nb"
				}
				e := failure(t, do(t.Context(), c, operation))
				isAmbiguous := test.isAmbiguous && operation != "pipe"
				if e.Kind != test.kind || !strings.Contains(e.Cause(), test.cause) || e.Ambiguous != isAmbiguous || f.Sent("") > 1 || e.Attempts == 0 != (test.fault.Status == invalid) {
					t.Errorf("%s, %s: %v", name, operation, e)
				}
				if strings.Contains(e.Cause(), `"http`) {
					t.Errorf("%s, %s repeats the URL: %v", name, operation, e)
				}
			}, func(c *Config) { c.RetryTimeout, c.UserAgent = 0, strings.Repeat("x", 8<<10) }) // more than net/http keeps back
		}
	}
}

const refused, invalid = -1, -2 // the status of a fault: every connection is, and no request can be sent

// A loopback address is reached without a proxy, in whatever letters, since plain http may go there. What
// the proxy may repeat is masked.
func TestLoopbackHasNoProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://user-of-the-proxy:p%40ssword-of-it@proxy.example")
	c := New(Config{}, &API{Base: &url.URL{Scheme: "http", Host: "a.example"}})
	if got := c.Clean("user-of-the-proxy failed with p@ssword-of-it", 99); got != "*** failed with ***" {
		t.Errorf("the proxy's user or password is not masked: %s", got)
	}
	for host, direct := range map[string]bool{
		"LocalHost:80": true, "127.1.2.3": true, "[::1]:80": true, "[::ffff:127.0.0.1]": true, "localhost.example": false, "10.0.0.1": false,
	} {
		u, err := proxy(&http.Request{URL: &url.URL{Scheme: "http", Host: host}})
		if direct != (u == nil) || err != nil {
			t.Errorf("%s: %v, %v", host, u, err)
		}
	}
}

// A segment of a path arrives unchanged as one segment.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"a", "..", "a/b", "%2e%2e", "%2F", "a?b#c", `a\b`, "ä", "\xff", " ", "a;b", "%"} {
		f.Add(seed)
	}
	base := &url.URL{Path: "/pre/fix", RawPath: "/pre%2Ffix"}
	f.Fuzz(func(t *testing.T, segment string) {
		sent := (&Request{API: &API{Base: base}, Path: []string{"v1", segment}}).url().RequestURI()
		escaped, found := strings.CutPrefix(sent, "/pre%2Ffix/v1/")
		back, err := url.PathUnescape(escaped)
		if !found || err != nil || back != segment || strings.ContainsAny(escaped, `/?#\`) {
			t.Errorf("%q became %q", segment, sent)
		}
	})
}
