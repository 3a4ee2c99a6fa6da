package rest

import (
	"context"
	"errors"
	"io"
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
	const none = time.Minute // which leaves it to the next header
	for value, want := range map[string]time.Duration{
		"7":                              7 * time.Second,
		" 0.5 ":                          time.Second / 2,
		"1000000000":                     maxRequestedWait, // not since 1970
		strings.Repeat("9", 400):         maxRequestedWait,
		"Fri, 02 Jan 2026 03:04:15 GMT":  10*time.Second - 6,
		"Friday, 02-Jan-26 03:04:15 GMT": 10*time.Second - 6,
		"0":                              0,
		"Fri, 02 Jan 2026 03:04:00 GMT":  0,
		"":                               none,
		"-7":                             none,
		"7s":                             none,
		"Inf":                            none,
		"1.2.3":                          none,
		"1e3":                            none,
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

// endless is a body that never ends; whoever reads twice what a response may have fails.
type endless struct {
	*testing.T
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.read += len(p); e.read > 4*maxBody {
		e.Fatal("read without end")
	}
	return len(p), nil
}

// A response that never ends is cut at the maximum size, and none before.
func TestMaximumSize(t *testing.T) {
	t.Parallel()
	for status, most := range map[int]int{199: maxError, 200: maxBody, 299: maxBody, 300: maxError} {
		r := &Response{Status: status}
		r.read(&endless{T: t})
		if r.Cut == nil || !strings.Contains(r.Cut.Error(), "larger than the provider accepts") {
			t.Errorf("%d: not cut: %v", status, r.Cut)
		}
		r = &Response{Status: status}
		r.read(io.LimitReader(&endless{T: t}, int64(most)))
		if r.Cut != nil || len(r.Body) != most {
			t.Errorf("%d: cut after %d bytes: %v", status, len(r.Body), r.Cut)
		}
	}
}
