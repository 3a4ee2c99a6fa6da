package rest

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// backoff is exponential backoff with full jitter, starting at 0.5 s and capped at 20 s.
// A library was rejected: the intervals are all that one would provide.
type backoff struct {
	random   func() float64 // between 0 and 1
	interval time.Duration
}

const (
	maxFirstWait = 500 * time.Millisecond // before the second attempt
	maxWait      = 20 * time.Second       // before any attempt
)

// next is the wait before the next attempt, at least 1 ms.
func (b *backoff) next() time.Duration {
	b.interval = min(max(2*b.interval, maxFirstWait), maxWait)
	return max(time.Duration(b.random()*float64(b.interval)), time.Millisecond)
}

// maxRequestedWait caps the wait that a response requests, so that no sum of times
// overflows.
const maxRequestedWait = 365 * 24 * time.Hour

// sinceEpoch is the number from which a rate limit's reset is a time, in seconds since 1970. As a
// wait, it would be 31 years.
const sinceEpoch = 1e9

// requestedWait is the wait that a response requests, and the header that does so; 0 if no header is
// usable. After a 429 without Retry-After, it reads the usual headers of rate limits.
func requestedWait(status int, header http.Header, now time.Time) (wait time.Duration, name string) {
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date // a time counts from the response's own, since the clocks may differ
	}
	wait, exists := waitOf(header.Get("Retry-After"), now, math.Inf(1))
	if wait > 0 {
		return wait, "Retry-After"
	}
	if exists || status != http.StatusTooManyRequests {
		return 0, ""
	}
	for _, name := range []string{"RateLimit-Reset", "X-RateLimit-Reset"} {
		if wait, _ := waitOf(header.Get(name), now, sinceEpoch); wait > 0 {
			return wait, name
		}
	}
	return 0, ""
}

// waitOf reads a wait: a date, or a number of seconds, which count from 1970 if there are at least
// epoch. It reports whether the value is a date or a number, even one that has passed.
func waitOf(value string, now time.Time, epoch float64) (wait time.Duration, exists bool) {
	value = strings.TrimSpace(value)
	seconds, err := strconv.ParseFloat(value, 64) // +Inf with an error if it is too large
	switch when, notDate := http.ParseTime(value); {
	case notDate == nil:
		seconds = when.Sub(now).Seconds()
	case strings.Trim(value, "0123456789.") != "", err != nil && !math.IsInf(seconds, 1):
		return 0, false
	case seconds >= epoch:
		seconds -= float64(now.UnixNano()) / float64(time.Second)
	}
	return time.Duration(min(max(seconds, 0), maxRequestedWait.Seconds()) * float64(time.Second)), true
}
