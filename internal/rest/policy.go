package rest

import (
	"math"
	"net/http"
	"strconv"
	"time"
)

// decision is what follows an attempt.
type decision struct {
	again    bool
	wait     time.Duration // before the next attempt
	isShared bool          // all calls wait
	because  *refusal      // why there is no next attempt although another could succeed; nil otherwise
}

// next decides what follows the last failure of a call. A wait that would exceed what is left of
// retry_timeout does not begin. After a 429 that names a time, the wait is that long, whatever the backoff.
func (k *Call) next(now time.Time) decision {
	failed, config := k.failures[len(k.failures)-1], k.client.config
	wait := max(backoff(len(k.failures), config.Random), failed.requested)
	if failed.Kind == RateLimited && failed.requested > 0 {
		wait = failed.requested
	}
	switch start := now.Add(wait); {
	case config.RetryTimeout == 0 || !k.mayRetry(failed, wait):
		return decision{}
	case !start.After(k.end):
		return decision{again: true, wait: wait}
	case wait == failed.requested:
		return decision{because: late("", start, config.RetryTimeout)}
	default:
		return decision{because: errTime}
	}
}

const (
	firstBackoff = 500 * time.Millisecond // before the second attempt, at most
	maxBackoff   = 20 * time.Second       // before any attempt
	// A response cannot request a longer wait, so that no sum of times overflows.
	maxRequestedWait = 365 * 24 * time.Hour
	// From this number on, a rate limit's reset is a time since 1970.
	sinceEpoch = 1e9
)

// backoff is exponential backoff with full jitter, at least 1 ms. A library would provide no more than the intervals.
func backoff(failures int, random func() float64) time.Duration {
	most := min(firstBackoff<<min(failures-1, 10), maxBackoff)
	return max(time.Duration(random()*float64(most)), time.Millisecond)
}

// requestedWait is the wait that a response requests; 0 if no header is usable. After a 429 without Retry-After, it reads the
// usual headers of rate limits. Times count from the Date of the response: the clock of this machine may be wrong.
func requestedWait(status int, header http.Header, now time.Time) time.Duration {
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	wait, exists := waitOf(header.Get("Retry-After"), now, math.MaxInt64)
	if exists || status != http.StatusTooManyRequests {
		return wait
	}
	wait, _ = waitOf(header.Get("RateLimit-Reset"), now, sinceEpoch)
	if wait == 0 {
		wait, _ = waitOf(header.Get("X-RateLimit-Reset"), now, sinceEpoch)
	}
	return wait
}

// waitOf reads a wait: a date, or a number of seconds, which count from 1970 if there are at least epoch.
// It reports whether the value is either, even one that has passed.
func waitOf(value string, now time.Time, epoch int64) (wait time.Duration, exists bool) {
	if date, err := http.ParseTime(value); err == nil {
		return min(max(date.Sub(now), 0), maxRequestedWait), true
	}
	seconds, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err != nil || seconds < 0:
		return 0, false
	case seconds >= max(epoch, 1000*sinceEpoch): // in milliseconds
		seconds = seconds/1000 - now.Unix()
	case seconds >= epoch:
		seconds -= now.Unix()
	}
	return time.Duration(min(max(seconds, 0), int64(maxRequestedWait/time.Second))) * time.Second, true
}
