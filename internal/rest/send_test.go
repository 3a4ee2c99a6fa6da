package rest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A wait is read from a number of seconds or a date. One that has passed is one, too: it
// counts, and other headers beside it do not.
func TestRequestedWait(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	for value, want := range map[string]time.Duration{
		"7":                              7 * time.Second,
		" 7 ":                            7 * time.Second,
		"0.5":                            time.Second / 2,
		"0.000000001":                    1,
		"1000000000":                     maxRequestedWait, // not since 1970
		"99999999999999999999999999":     maxRequestedWait,
		strings.Repeat("9", 400):         maxRequestedWait,
		"Fri, 02 Jan 2026 03:04:15 GMT":  10*time.Second - 6,
		"Friday, 02-Jan-26 03:04:15 GMT": 10*time.Second - 6,
		"Fri, 02 Jan 9999 03:04:15 GMT":  maxRequestedWait,
		"0":                              0,
		"Fri, 02 Jan 2026 03:04:05 GMT":  0,
		"Fri, 02 Jan 2026 03:04:00 GMT":  0,
		// What is no wait leaves it to the next header.
		"": 60 * time.Second, "-7": 60 * time.Second, "7s": 60 * time.Second, "soon": 60 * time.Second,
		"Inf": 60 * time.Second, "1.2.3": 60 * time.Second, "1e3": 60 * time.Second,
	} {
		header := http.Header{"Retry-After": {value}, "X-Ratelimit-Reset": {"60"}}
		if got, _ := requestedWait(429, header, now); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

// Without Retry-After, a 429 is read for the usual headers of rate limits: seconds, or a
// time in seconds since 1970, from which the response's own date counts.
func TestRateLimitReset(t *testing.T) {
	t.Parallel()
	now := time.Unix(2_000_000_000, 0)
	for _, test := range []struct {
		status int
		header http.Header
		want   time.Duration
		name   string
	}{
		{429, http.Header{"Ratelimit-Reset": {"7"}}, 7 * time.Second, "RateLimit-Reset"},
		{429, http.Header{"X-Ratelimit-Reset": {"8"}}, 8 * time.Second, "X-RateLimit-Reset"},
		{429, http.Header{"X-Ratelimit-Reset": {"8"}, "Ratelimit-Reset": {"7"}, "Retry-After": {"6"}}, 6 * time.Second, "Retry-After"},
		{429, http.Header{"X-Ratelimit-Reset": {"0"}}, 0, ""},
		{503, http.Header{"X-Ratelimit-Reset": {"8"}}, 0, ""},
		{503, http.Header{"Retry-After": {"6"}}, 6 * time.Second, "Retry-After"},
		{429, http.Header{"X-Ratelimit-Reset": {"2000000030"}}, 30 * time.Second, "X-RateLimit-Reset"},
		{429, http.Header{"Ratelimit-Reset": {"2000000030"}}, 30 * time.Second, "RateLimit-Reset"},
		{429, http.Header{"X-Ratelimit-Reset": {"2000000030"}, "Date": {now.Add(20 * time.Second).UTC().Format(http.TimeFormat)}}, 10 * time.Second, "X-RateLimit-Reset"},
		{429, http.Header{"X-Ratelimit-Reset": {"1000000000"}}, 0, ""}, // has passed
		{429, http.Header{"X-Ratelimit-Reset": {"999999999"}}, maxRequestedWait, "X-RateLimit-Reset"},
	} {
		if wait, name := requestedWait(test.status, test.header, now); wait != test.want || name != test.name {
			t.Errorf("%d %v: %s by %q", test.status, test.header, wait, name)
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
	jitter := 1.0
	b := backoff{random: func() float64 { return jitter }}
	for i, want := range []float64{0.5, 1, 2, 4, 8, 16, 20, 20} {
		if got := b.next(); got.Seconds() != want {
			t.Errorf("wait %d is %s, want %v s", i+1, got, want)
		}
	}
	if jitter = 0.25; b.next() != 5*time.Second {
		t.Error("not a quarter of 20 s")
	}
	b.reset()
	if jitter = 0; b.next() != time.Millisecond {
		t.Error("not the shortest wait")
	}
	if jitter = 1; b.next() != time.Second {
		t.Error("not the second wait")
	}
}

// UUIDs are equal in any letter case, other IDs are not.
func TestKey(t *testing.T) {
	t.Parallel()
	key := func(ids ...string) string { return (&Request{Path: ids}).Key() }
	if upper := strings.ToUpper(testPipe); key("v1", upper) != key("v1", testPipe) || key("v1", testPipe) != "/v1/"+testPipe {
		t.Error(key("v1", upper))
	}
	if key("A b/c") != "/A%20b%2Fc" || key("a") == key("A") {
		t.Error(key("A b/c"))
	}
}
