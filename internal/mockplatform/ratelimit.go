package mockplatform

import (
	"cmp"
	"math"
	"sync"
	"time"
)

// RateLimit rejects requests with 429. It allows PerSecond*Window requests in each period of
// this length on the clock. The zero value sets no limit.
type RateLimit struct {
	PerSecond float64
	Window    time.Duration // 0 means a second
}

// limiter counts requests against a rate limit.
type limiter struct {
	mu       sync.Mutex
	limit    RateLimit
	begin    time.Time // of the current window
	admitted int       // in it
}

// take admits a request, or returns the time until the next one is admitted.
// Callers pass the real time even if a test sets the platform's clock, since
// clients wait in real time.
func (l *limiter) take(now time.Time) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.limit.PerSecond <= 0 {
		return 0, true
	}
	length := cmp.Or(l.limit.Window, time.Second)
	if begin := now.Truncate(length); !begin.Equal(l.begin) {
		l.begin, l.admitted = begin, 0
	}
	if l.admitted >= max(1, int(math.Round(l.limit.PerSecond*length.Seconds()))) {
		return l.begin.Add(length).Sub(now), false
	}
	l.admitted++
	return 0, true
}
