package mockplatform

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// RateLimit rejects requests with 429. The zero value sets no limit.
type RateLimit struct {
	PerSecond float64
	// Burst is the size of the token bucket; 0 means PerSecond, but at least 1.
	Burst int
	// Window, if set, replaces the bucket: it allows PerSecond*Window requests in
	// each period of this length on the clock.
	Window     time.Duration
	RetryAfter RetryAfterForm
}

// RetryAfterForm is how a 429 says when to retry.
type RetryAfterForm string

// The forms; "" means seconds.
const (
	RetryAfterSeconds RetryAfterForm = "seconds"
	RetryAfterDate    RetryAfterForm = "date"
	RetryAfterReset   RetryAfterForm = "reset" // RateLimit-Reset in place of Retry-After
	RetryAfterNone    RetryAfterForm = "none"
)

// Set adds the header. Both forms have whole seconds only, and are rounded up so
// that a client that waits is never early.
func (form RetryAfterForm) Set(header http.Header, now time.Time, wait time.Duration) {
	switch form {
	case RetryAfterNone:
	case RetryAfterDate:
		header.Set("Retry-After", now.Add(wait+time.Second-1).UTC().Format(http.TimeFormat))
	case RetryAfterReset:
		header.Set("RateLimit-Reset", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	default:
		header.Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	}
}

// Limiter counts requests against a rate limit.
type Limiter struct {
	mu       sync.Mutex
	limit    RateLimit
	tokens   float64     // in the bucket at the time filled
	filled   time.Time   // zero before the first request
	admitted []time.Time // in the current window
}

// NewLimiter returns a limiter that has admitted nothing.
func NewLimiter(limit RateLimit) *Limiter { return &Limiter{limit: limit} }

// Take admits a request, or returns the time until the next one is admitted.
// Callers pass the real time even if a test sets the platform's clock, since
// clients wait in real time.
func (l *Limiter) Take(now time.Time) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.limit.PerSecond <= 0:
		return 0, true
	case l.limit.Window > 0:
		return l.takeFromWindow(now)
	default:
		return l.takeFromBucket(now)
	}
}

func (l *Limiter) takeFromBucket(now time.Time) (wait time.Duration, ok bool) {
	size := cmp.Or(float64(l.limit.Burst), math.Max(1, l.limit.PerSecond))
	if l.filled.IsZero() {
		l.tokens = size
	} else {
		l.tokens = math.Min(size, l.tokens+now.Sub(l.filled).Seconds()*l.limit.PerSecond)
	}
	l.filled = now
	if l.tokens < 1 {
		return time.Duration((1 - l.tokens) / l.limit.PerSecond * float64(time.Second)), false
	}
	l.tokens--
	return 0, true
}

func (l *Limiter) takeFromWindow(now time.Time) (wait time.Duration, ok bool) {
	length := l.limit.Window
	begin := now.Truncate(length)
	l.admitted = slices.DeleteFunc(l.admitted, func(t time.Time) bool { return t.Before(begin) })
	if len(l.admitted) >= max(1, int(math.Round(l.limit.PerSecond*length.Seconds()))) {
		return begin.Add(length).Sub(now), false
	}
	l.admitted = append(l.admitted, now)
	return 0, true
}
