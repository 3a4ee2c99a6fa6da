package rest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

// A wait is read from a number of seconds or a date, and counts from the response's own one.
// One that has passed is one, too, and other headers beside it do not count. Without
// Retry-After, a 429 is read for the usual headers of rate limits.
func TestRequestedWait(t *testing.T) {
	t.Parallel()
	now := time.Unix(2_000_000_000, 0).UTC() // a Wednesday, 03:33:20
	const early, passed = "Wed, 18 May 2033 03:33:30 GMT", "Wed, 18 May 2033 03:33:00 GMT"
	for _, test := range []struct {
		status                         int    // omitted: 429
		after, reset, otherReset, date string // Retry-After, RateLimit-Reset, X-RateLimit-Reset, Date
		want                           time.Duration
		name                           string
	}{
		{after: "7", reset: "60", want: 7 * time.Second, name: "Retry-After"},
		{status: 503, after: " 0.5 ", want: time.Second / 2, name: "Retry-After"},
		{after: "1000000000", want: maxRequestedWait, name: "Retry-After"}, // not since 1970
		{after: strings.Repeat("9", 400), want: maxRequestedWait, name: "Retry-After"},
		{after: early, want: 10 * time.Second, name: "Retry-After"},
		{after: "Wednesday, 18-May-33 03:33:30 GMT", date: "Wed, 18 May 2033 03:33:29 GMT", want: time.Second, name: "Retry-After"},
		{after: "0", reset: "60"},
		{after: passed, reset: "60"},
		{reset: "7", otherReset: "8", want: 7 * time.Second, name: "RateLimit-Reset"},
		{reset: "0", otherReset: "8", want: 8 * time.Second, name: "X-RateLimit-Reset"},
		{after: "-7", reset: "60", want: time.Minute, name: "RateLimit-Reset"},
		{after: "1.2.3", reset: "60", want: time.Minute, name: "RateLimit-Reset"},
		{status: 503, reset: "7"},
		{reset: "2000000030", want: 30 * time.Second, name: "RateLimit-Reset"},
		{otherReset: "1000000000"}, // has passed
		{otherReset: "999999999", want: maxRequestedWait, name: "X-RateLimit-Reset"},
	} {
		header := http.Header{"Retry-After": {test.after}, "Ratelimit-Reset": {test.reset}, "X-Ratelimit-Reset": {test.otherReset}, "Date": {test.date}}
		if wait, name := requestedWait(cmp.Or(test.status, 429), header, now); wait != test.want || name != test.name {
			t.Errorf("%+v: %s by %q", test, wait, name)
		}
	}
}

// A body that is first read after the caller has cancelled is not sent.
func TestBodyOfACancelledCall(t *testing.T) {
	t.Parallel()
	for want, cancelled := range map[bool]error{true: nil, false: context.Canceled} {
		a := &attempt{}
		b := &sentBody{attempt: a, cancelled: func() error { return cancelled }}
		b.Reset([]byte("{}"))
		if n, err := b.Read(make([]byte, 9)); (n == 2) != want || !errors.Is(err, cancelled) || a.sent.Load() != want {
			t.Errorf("%d bytes, %v, sent: %v", n, err, a.sent.Load())
		}
	}
}

// Waits double from half a second to 20 seconds, and are random below that.
func TestBackoff(t *testing.T) {
	t.Parallel()
	var jitter float64
	b := backoff{random: func() float64 { return jitter }}
	var waits []float64
	for _, jitter = range []float64{1, 1, 1, 1, 1, 1, 1, 1, 0.25, 0} {
		waits = append(waits, b.next().Seconds())
	}
	b.interval = 0
	jitter = 1
	waits = append(waits, b.next().Seconds())
	if want := []float64{0.5, 1, 2, 4, 8, 16, 20, 20, 5, 0.001, 0.5}; !slices.Equal(waits, want) {
		t.Errorf("%v, want %v", waits, want)
	}
}

// A write may have been carried out unless it was not sent, or the API itself rejected it.
func TestAmbiguousOnlyIfPossiblyCarriedOut(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault     fault
		refused   int // connections; -1: all
		kind      Kind
		cause     string
		ambiguous bool // if it is a write
	}{
		"refused":            {good, -1, NotSent, "connection refused", false},
		"reset":              {reset, 0, NoResponse, "EOF", true},
		"cut in the head":    {fault{Cut: mockplatform.CutHead, CutBytes: 10}, 0, NoResponse, "connection broken", true},
		"cut in the body":    {fault{Cut: mockplatform.CutBody, CutBytes: 14}, 0, NoResponse, "unexpected EOF", true},
		"stalls in the body": {fault{Cut: mockplatform.CutBody, CutBytes: 14, Hang: true}, 0, NoResponse, "no response within request_timeout of 30s", true},
		"silent":             {hang, 0, NoResponse, "no response within request_timeout of 30s", true},
		"not readable":       {respond(200, "[]"), 0, Unreadable, "it is not what was expected", true},
		"302":                {respond(302, ""), 0, Final, "", true},
		"400":                {respond(400, ""), 0, Final, "", false},
		"429":                {respond(429, ""), 0, RateLimited, "", false},
		"499":                {respond(499, ""), 0, Final, "", false},
		"500":                {respond(500, ""), 0, Temporary, "", true},
	} {
		for operation, isWrite := range map[string]bool{"pipe": false, "update": true, "key": true} {
			bubble(t, func(t *testing.T, f *fake, c *client) {
				f.Refuse(test.refused)
				f.Always(test.fault)
				err, e := do(t.Context(), c, operation), new(Error)
				if !errors.As(err, &e) || e.Kind != test.kind || !strings.Contains(e.Cause(), test.cause) || e.Ambiguous != (isWrite && test.ambiguous) {
					t.Errorf("%s, %s: %v", name, operation, err)
				}
			}, func(c *Config) { c.RetryTimeout = 0 })
		}
	}
}

// A redirect is not followed, to the same host either. The error names where it leads, as far
// as the response says so, without path and query. Other statuses may have the header, too.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status         int
		location, says string
	}{
		{302, resttest.Address + "/hidden?hidden", "a redirect to " + resttest.Address + ", which"},
		{307, "//a.example/hidden", "a redirect to a.example, which"},
		{308, "/hidden?hidden", "a redirect, which"},
		{300, "https://hidden:%zz", "a redirect, which"},
		{400, "/hidden", "HTTP 400 Bad Request without a message"},
	} {
		bubble(t, func(t *testing.T, f *fake, c *client) {
			f.InjectEach(respond(test.status, "", "Location: "+test.location))
			err := do(t.Context(), c, "update")
			if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "hidden") || f.Sent("") != 1 {
				t.Errorf("%s: %d requests: %v", test.location, f.Sent(""), err)
			}
		})
	}
}

// A response that is larger than the maximum size is cut there, and none before.
func TestMaximumSize(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte("x"), maxBody+2)
	for status, maximum := range map[int]int{199: maxError, 200: maxBody, 299: maxBody, 300: maxError} {
		for size, isCut := range map[int]bool{maximum: false, maximum + 2: true} {
			r := &Response{Status: status}
			r.read(bytes.NewReader(body[:size]), maxBody)
			if (r.Cut != nil) != isCut || len(r.Body) != min(size, maximum+1) {
				t.Errorf("%d with %d bytes: %d, %v", status, size, len(r.Body), r.Cut)
			}
		}
	}
}

// A loopback address is reached without a proxy, in whatever letters, since plain http may go there.
func TestLoopbackHasNoProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://proxy.example")
	for host, direct := range map[string]bool{"LocalHost:80": true, "127.1.2.3": true, "[::1]:80": true, "[::ffff:127.0.0.1]": true, "localhost.example": false, "10.0.0.1": false} {
		u, err := proxy(&http.Request{URL: &url.URL{Scheme: "http", Host: host}})
		if direct != (u == nil) || err != nil {
			t.Errorf("%s: %v, %v", host, u, err)
		}
	}
}

// TestRetriedStatusesHaveAllTheirPlaces wants each status that is retried in the guides.
func TestRetriedStatusesHaveAllTheirPlaces(t *testing.T) {
	t.Parallel()
	limits, err := os.ReadFile("../../templates/guides/limits.md")
	troubleshooting, err2 := os.ReadFile("../../templates/guides/troubleshooting.md")
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	rows := map[Kind]string{}
	for _, status := range slices.Sorted(maps.Keys(kinds)) {
		kind := kinds[status]
		if kind == RateLimited {
			kind = Temporary
		}
		rows[kind] += fmt.Sprintf(", %d", status)
		if !regexp.MustCompile(fmt.Sprintf("`(HTTP )?%d\\b", status)).Match(troubleshooting) {
			t.Errorf("%d is retried, and templates/guides/troubleshooting.md does not name it", status)
		}
	}
	for kind, says := range map[Kind]string{Temporary: "retried", Busy: "an update is retried for up to a minute"} {
		if row := strings.TrimPrefix(rows[kind], ", "); !strings.Contains(string(limits), "\n| "+row+" | "+says+" |\n") {
			t.Errorf("%s: %s, but the table in templates/guides/limits.md has others", row, says)
		}
	}
}
