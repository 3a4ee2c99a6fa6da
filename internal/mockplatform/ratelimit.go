package mockplatform

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// limiter counts requests against a RateLimit.
type limiter struct {
	mu    sync.Mutex
	limit RateLimit
	// For a bucket, tokens are what was left at the time since; for windows,
	// what is left of the window that began then.
	tokens float64
	since  time.Time
}

// configure starts counting anew where the limit is another one.
func (l *limiter) configure(limit RateLimit) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if limit != l.limit {
		l.limit, l.tokens, l.since = limit, 0, time.Time{}
	}
}

// take lets a request pass, or says after what time the next one would. It
// goes by the true clock even where a test moves the platform's: clients wait
// in real time.
func (l *limiter) take(now time.Time) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.limit.PerSecond <= 0 {
		return 0, true
	}
	if l.limit.Window > 0 {
		wait = l.turnWindow(now)
	} else {
		wait = l.fillBucket(now)
	}
	if l.tokens < 1 {
		return wait, false
	}
	l.tokens--
	return 0, true
}

func (l *limiter) turnWindow(now time.Time) (wait time.Duration) {
	if now.Sub(l.since) >= l.limit.Window {
		l.since = now
		l.tokens = math.Max(1, l.limit.PerSecond*l.limit.Window.Seconds())
	}
	return l.since.Add(l.limit.Window).Sub(now)
}

func (l *limiter) fillBucket(now time.Time) (wait time.Duration) {
	burst := float64(l.limit.Burst)
	if burst == 0 {
		burst = math.Max(1, l.limit.PerSecond)
	}
	if l.since.IsZero() {
		l.tokens = burst
	} else {
		l.tokens = math.Min(burst, l.tokens+now.Sub(l.since).Seconds()*l.limit.PerSecond)
	}
	l.since = now
	return time.Duration((1 - l.tokens) / l.limit.PerSecond * float64(time.Second))
}

// set adds a Retry-After header. Both forms tell whole seconds only, and are
// rounded up: who waits that long is never too early.
func (form RetryAfterForm) set(header http.Header, wait time.Duration) {
	switch form {
	case RetryAfterNone:
	case RetryAfterDate:
		at := time.Now().Add(wait)
		if whole := at.Truncate(time.Second); whole.Before(at) {
			at = whole.Add(time.Second)
		}
		header.Set("Retry-After", at.UTC().Format(http.TimeFormat))
	default:
		header.Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	}
}
