package platform

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// waits are the waits between attempts, by exponential backoff with full jitter:
// random between nothing and twice the interval. cenkalti/backoff provides the
// intervals alone: its Retry honours any Retry-After, however long, and knows
// nothing of a gate.
type waits struct{ backoff.ExponentialBackOff }

const (
	maxFirstWait = 500 * time.Millisecond // before the second attempt
	maxWait      = 20 * time.Second       // before any
)

func newWaits() waits {
	return waits{backoff.ExponentialBackOff{
		InitialInterval:     maxFirstWait / 2,
		MaxInterval:         maxWait / 2,
		Multiplier:          2,
		RandomizationFactor: 1,
	}}
}

func (w *waits) next() time.Duration { return max(w.NextBackOff(), time.Millisecond) }

// sleep waits, or returns why ctx ended.
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

// acquire takes a slot, or returns why ctx ended.
func acquire(ctx context.Context, slots chan struct{}) error {
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// longestAsked bounds Retry-After, so that no sum of times overflows. It is
// longer than any budget.
const longestAsked = 365 * 24 * time.Hour

// retryAfter reads the Retry-After header, seconds or a date; zero if it is of no
// use. A date is relative to the response's own Date, if it has one, since the
// clocks of the two sides may differ.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if strings.Trim(value, "0123456789.") == "" {
		seconds, _ := strconv.ParseFloat(value, 64) // too large is +Inf, no number 0
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
	case seconds >= longestAsked.Seconds():
		return longestAsked
	default:
		return time.Duration(seconds * float64(time.Second))
	}
}

// readable rounds a duration to what a person wants to read.
func readable(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= longestAsked:
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
