package rest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	tests := map[string]time.Duration{
		"":                               0,
		"7":                              7 * time.Second,
		" 7 ":                            7 * time.Second,
		"0.5":                            time.Second / 2,
		"-7":                             0,
		"7s":                             0,
		"soon":                           0,
		"Inf":                            0,
		"1.2.3":                          0,
		"99999999999999999999999999":     maxRequestedWait,
		strings.Repeat("9", 400):         maxRequestedWait,
		"Fri, 02 Jan 2026 03:04:15 GMT":  10*time.Second - 6,
		"Fri, 02 Jan 2026 03:04:00 GMT":  0,
		"Friday, 02-Jan-26 03:04:15 GMT": 10*time.Second - 6,
		"Fri, 02 Jan 9999 03:04:15 GMT":  maxRequestedWait,
	}
	for value, want := range tests {
		if got := waitOf(http.Header{"Retry-After": {value}}, "Retry-After", now); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

// Without Retry-After, a 429 is read for the usual headers of rate limits.
func TestRateLimitReset(t *testing.T) {
	t.Parallel()
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
	} {
		if wait, name := requestedWait(test.status, test.header, time.Now()); wait != test.want || name != test.name {
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
