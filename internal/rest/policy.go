package rest

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// decision is what follows an attempt.
type decision struct {
	again    bool
	wait     time.Duration // before the next attempt
	isShared bool          // all calls wait
	because  *refusal      // why there is no next attempt although another could succeed; nil otherwise
}

// busyFor is how long to retry an update whose object is being changed.
const busyFor = time.Minute

// policy decides what follows the last of a request's failures. A wait that would exceed what is left of
// retryTimeout does not begin. After a 429 that names a time, the wait is that long, whatever the backoff.
func policy(r *Request, failures []*Error, random func() float64, now, end time.Time, retryTimeout time.Duration) decision {
	failed := failures[len(failures)-1]
	var again bool
	wait := max(backoff(len(failures), random), failed.requested)
	if failed.Kind == RateLimited && failed.requested > 0 {
		wait = max(failed.requested, minRequestedWait)
	}
	switch failed.Kind {
	case RateLimited, NotSent:
		again = true
	case NoResponse, Temporary:
		again = !r.Unrepeatable || !failed.Ambiguous
	case Busy:
		first := slices.IndexFunc(failures, func(e *Error) bool { return e.Kind == Busy })
		again = r.Method == http.MethodPatch && failed.Elapsed-failures[first].Elapsed+wait <= busyFor
	}
	switch start := now.Add(wait); {
	case !again, retryTimeout == 0:
		return decision{}
	case !start.After(end):
		return decision{again: true, wait: wait}
	case wait == failed.requested:
		return decision{because: late("", start, retryTimeout)}
	default:
		return decision{because: &refusal{reason: fmt.Sprintf("retry_timeout (%s) ends before the next attempt", words.Duration(retryTimeout))}}
	}
}

const (
	firstBackoff = 500 * time.Millisecond // before the second attempt, at most
	maxBackoff   = 20 * time.Second       // before any attempt
	// A response cannot request a shorter wait, which would be a busy loop, nor a longer one, so that no sum
	// of times overflows.
	minRequestedWait, maxRequestedWait = 100 * time.Millisecond, 365 * 24 * time.Hour
	// From these numbers on, a rate limit's reset is a time since 1970, in seconds or milliseconds.
	sinceEpoch, sinceEpochInMillis = 1e9, 1e12
)

// backoff is exponential backoff with full jitter, after some failures: at least 1 ms. A library would provide
// no more than the intervals.
func backoff(failures int, random func() float64) time.Duration {
	most := min(firstBackoff<<min(failures-1, 10), maxBackoff)
	return max(time.Duration(random()*float64(most)), time.Millisecond)
}

// requestedWait is the wait that a response requests; 0 if no header is usable. After a 429 without
// Retry-After, it reads the usual headers of rate limits.
func requestedWait(status int, header http.Header, now time.Time) time.Duration {
	wait, exists := waitOf(header.Get("Retry-After"), now, math.Inf(1))
	if exists || status != http.StatusTooManyRequests {
		return wait
	}
	for _, name := range []string{"RateLimit-Reset", "X-RateLimit-Reset"} {
		if wait, _ := waitOf(header.Get(name), now, sinceEpoch); wait > 0 {
			return wait
		}
	}
	return 0
}

// waitOf reads a wait: a date, or a number of seconds, which count from 1970 if there are at least epoch.
// It reports whether the value is either, even one that has passed.
func waitOf(value string, now time.Time, epoch float64) (wait time.Duration, exists bool) {
	value = strings.TrimSpace(value)
	seconds, err := strconv.ParseFloat(value, 64) // +Inf with an error if it is too large
	switch date, notDate := http.ParseTime(value); {
	case notDate == nil:
		seconds = date.Sub(now).Seconds()
	case strings.Trim(value, "0123456789.") != "", err != nil && !math.IsInf(seconds, 1):
		return 0, false
	case seconds >= epoch:
		if seconds >= sinceEpochInMillis {
			seconds /= 1000
		}
		seconds -= float64(now.UnixNano()) / float64(time.Second)
	}
	return time.Duration(min(max(seconds, 0), maxRequestedWait.Seconds()) * float64(time.Second)), true
}
