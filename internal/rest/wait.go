package rest

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	cenkalti "github.com/cenkalti/backoff/v5"
)

// backoff is exponential backoff with full jitter, starting at 0.5 s and capped
// at 20 s: each wait is random between 0 and twice the interval.
//
// The library provides only the intervals. Its Retry was rejected: it honours
// any Retry-After, however long, and cannot wait for others.
type backoff struct{ cenkalti.ExponentialBackOff }

const (
	maxFirstWait = 500 * time.Millisecond // before the second attempt
	maxWait      = 20 * time.Second       // before any attempt
)

func newBackoff() backoff {
	return backoff{cenkalti.ExponentialBackOff{
		InitialInterval:     maxFirstWait / 2,
		MaxInterval:         maxWait / 2,
		Multiplier:          2,
		RandomizationFactor: 1,
	}}
}

// next is the wait before the next attempt, at least 1 ms.
func (b *backoff) next() time.Duration { return max(b.NextBackOff(), time.Millisecond) }

// maxRequestedWait caps the wait that a response requests, so that no sum of times
// overflows.
const maxRequestedWait = 365 * 24 * time.Hour

// requestedWait is the wait that a response requests, and the header that it does so
// with; 0 if there is none that can be used. After a 429 without Retry-After, it reads
// the seconds in the usual headers of rate limits.
func requestedWait(status int, header http.Header, now time.Time) (wait time.Duration, name string) {
	names := []string{"Retry-After"}
	if status == http.StatusTooManyRequests {
		names = append(names, "RateLimit-Reset", "X-RateLimit-Reset")
	}
	for _, name := range names {
		if wait := waitOf(header, name, now); wait > 0 {
			return wait, name
		}
	}
	return 0, ""
}

// waitOf reads a wait in seconds or as a date. A date counts from the response's Date
// header if there is one, since the clocks of the two sides may differ.
func waitOf(header http.Header, name string, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get(name))
	var seconds float64
	if strings.Trim(value, "0123456789.") == "" {
		seconds, _ = strconv.ParseFloat(value, 64) // +Inf if too large, 0 if not a number
	} else if when, err := http.ParseTime(value); err == nil {
		if date, err := http.ParseTime(header.Get("Date")); err == nil {
			now = date
		}
		seconds = when.Sub(now).Seconds()
	}
	return time.Duration(min(max(seconds, 0), maxRequestedWait.Seconds()) * float64(time.Second))
}
