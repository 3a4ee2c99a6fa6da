package platform

import (
	"context"
	"fmt"
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
// any Retry-After, however long, and cannot wait for a gate.
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

// sleep waits for d. If ctx ends first, it returns the cause.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// acquire takes a slot. If ctx ends first, it returns the cause.
func acquire(ctx context.Context, slots chan struct{}) error {
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// maxRetryAfter caps Retry-After, so that no sum of times overflows.
const maxRetryAfter = 365 * 24 * time.Hour

// retryAfter reads the Retry-After header, in seconds or as a date. It returns 0
// if there is none, or if it cannot be used. A date counts from the response's
// Date header if there is one, since the clocks of the two sides may differ.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if strings.Trim(value, "0123456789.") == "" {
		seconds, _ := strconv.ParseFloat(value, 64) // +Inf if too large, 0 if not a number
		return clamp(seconds)
	}
	when, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	return clamp(when.Sub(now).Seconds())
}

func clamp(seconds float64) time.Duration {
	switch {
	case !(seconds > 0): // NaN included
		return 0
	case seconds >= maxRetryAfter.Seconds():
		return maxRetryAfter
	default:
		return time.Duration(seconds * float64(time.Second))
	}
}

// readable rounds a duration for a message.
func readable(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= maxRetryAfter:
		return "a year or more"
	case d >= 2*day:
		return fmt.Sprintf("%d days", d/day)
	case d >= 10*time.Second:
		d = d.Round(time.Second)
	case d >= time.Second:
		d = d.Round(100 * time.Millisecond)
	default:
		d = d.Round(time.Millisecond)
	}
	return d.String()
}
