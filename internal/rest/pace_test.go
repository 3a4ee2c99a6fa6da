package rest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// limits are the ways in which a platform may count r requests a second.
func limits(r int) map[string]mockplatform.RateLimit {
	rate := float64(r)
	return map[string]mockplatform.RateLimit{
		"bucket of a second": {PerSecond: rate, Burst: r},
		"bucket of ten":      {PerSecond: rate, Burst: 10},
		"bucket of one":      {PerSecond: rate, Burst: 1},
		"fixed second":       {PerSecond: rate, Window: time.Second},
		"fixed ten seconds":  {PerSecond: rate, Window: 10 * time.Second},
		"sliding second":     {PerSecond: rate, Window: time.Second, Sliding: true},
	}
}

// forms are the forms in which it may return Retry-After.
var forms = []mockplatform.RetryAfterForm{mockplatform.RetryAfterNone, mockplatform.RetryAfterSeconds, mockplatform.RetryAfterDate}

// traffic is what became of the requests of a simulation.
type traffic struct {
	accepted, rejected int
	took               time.Duration
}

// testDoor is the door of an API without calls yet.
func testDoor(limit time.Duration) *door {
	d := newDoor("management API", "https://api.example", "key_id and key_secret", limit)
	return &d
}

// throttle sends n requests by many callers through a door against a limit, in
// the time of the bubble.
func throttle(n, callers int, limit mockplatform.RateLimit, latency time.Duration) traffic {
	l := mockplatform.NewLimiter(limit)
	d := testDoor(time.Hour)
	slots := make(chan struct{}, 10)
	var mu sync.Mutex
	var seen traffic
	var work sync.WaitGroup
	begun := time.Now()
	left := n
	for range callers {
		work.Go(func() {
			for {
				mu.Lock()
				left--
				done := left < 0
				mu.Unlock()
				if done {
					return
				}
				for c := new(caller); ; {
					_ = d.admit(context.Background(), c, slots)
					jitter := time.Duration(float64(latency) * (.9 + .2*rand.Float64()))
					time.Sleep(jitter / 2)
					mu.Lock()
					now := time.Now()
					wait, ok := l.Take(now)
					if ok {
						seen.accepted++
					} else {
						seen.rejected++
					}
					mu.Unlock()
					time.Sleep(jitter / 2)
					if ok {
						d.observe(c, nil)
						<-slots
						break
					}
					header := http.Header{"Date": {now.UTC().Format(http.TimeFormat)}}
					limit.RetryAfter.Set(header, now, wait)
					e := &Error{Status: http.StatusTooManyRequests, Kind: RateLimited}
					e.requested, e.requestedWith = requestedWait(e.Status, header, now)
					d.observe(c, e)
					<-slots
				}
			}
		})
	}
	work.Wait()
	seen.took = time.Since(begun)
	return seen
}

// The pace neither starves the callers nor hammers on a limit. The bounds are
// wide; BenchmarkPace has the figures.
func TestPaceFollowsALimit(t *testing.T) {
	t.Parallel()
	const r, seconds = 20, 30
	for name, limit := range limits(r) {
		for _, form := range forms {
			limit := limit
			limit.RetryAfter = form
			t.Run(name+"/"+string(form), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					seen := throttle(r*seconds, 10, limit, 30*time.Millisecond)
					if seen.took > 2*seconds*time.Second || seen.rejected > seen.accepted/3 {
						t.Errorf("%+v", seen)
					}
				})
			})
		}
	}
}

// BenchmarkPace sends a minute's worth of requests against a rate limit, in
// simulated time, and reports the share of the limit that was reached and the
// share of the requests that were rejected, on average:
//
//	go test -run '^$' -bench Pace -benchtime 20x ./internal/rest
func BenchmarkPace(b *testing.B) {
	for _, r := range []int{5, 20, 50} {
		for name, limit := range limits(r) {
			for _, form := range forms {
				limit := limit
				limit.RetryAfter = form
				b.Run(fmt.Sprintf("%d/%s/%s", r, name, form), func(b *testing.B) {
					var share, lost, runs float64
					for b.Loop() {
						seen := simulate(r*60, limit)
						share += float64(seen.accepted) / seen.took.Seconds() / float64(r)
						lost += float64(seen.rejected) / float64(seen.accepted+seen.rejected)
						runs++
					}
					b.ReportMetric(100*share/runs, "%of_limit")
					b.ReportMetric(100*lost/runs, "%rejected")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}

// simulate runs throttle in a bubble. A benchmark has none of its own:
// synctest wants a test.
func simulate(n int, limit mockplatform.RateLimit) (seen traffic) {
	testing.RunTests(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "simulation", F: func(t *testing.T) {
		synctest.Test(t, func(*testing.T) {
			time.Sleep(rand.N(time.Second)) // windows begin anywhere
			seen = throttle(n, 10, limit, 30*time.Millisecond)
		})
	}}})
	return seen
}
