package rest

import (
	"context"
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

// testGate is the gate of an API without calls yet.
func testGate(limit time.Duration) *gate {
	g := newGate(newSlots(10), About{Name: "management API", URLSetting: "base_url", Credentials: "key_id and key_secret", Unauthorized: "Check key_id and key_secret."}, Config{RetryTimeout: limit, RequestTimeout: limit / 3})
	return &g
}

// throttle sends n requests by many callers through a gate against a limit, in
// the time of the bubble.
func throttle(n, callers int, limit mockplatform.RateLimit, latency time.Duration) traffic {
	l := mockplatform.NewLimiter(limit)
	g := testGate(time.Hour)
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
					_ = g.admit(context.Background(), c)
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
						g.observe(c, ended(nil))
						break
					}
					header := http.Header{"Date": {now.UTC().Format(http.TimeFormat)}}
					limit.RetryAfter.Set(header, now, wait)
					e := &Error{Status: http.StatusTooManyRequests, Kind: RateLimited}
					e.requested, e.requestedWith = requestedWait(e.Status, header, now)
					g.observe(c, ended(e))
				}
			}
		})
	}
	work.Wait()
	seen.took = time.Since(begun)
	return seen
}

// The pace neither starves the callers nor hammers on a limit. The bounds are wide; -v shows
// which share of the limit was reached, and which share of the requests was rejected.
func TestPaceFollowsALimit(t *testing.T) {
	t.Parallel()
	const r, seconds = 20, 30
	for name, limit := range limits(r) {
		for _, form := range forms {
			limit := limit // or the tests, which run later, would share the last form
			limit.RetryAfter = form
			t.Run(name+"/"+string(form), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					seen := throttle(r*seconds, 10, limit, 30*time.Millisecond)
					if seen.took > 2*seconds*time.Second || seen.rejected > seen.accepted/3 {
						t.Errorf("%+v", seen)
					}
					t.Logf("%.0f %% of the limit, %.0f %% rejected", 100*seconds/seen.took.Seconds(), 100*float64(seen.rejected)/float64(seen.accepted+seen.rejected))
				})
			})
		}
	}
}

// A log line says why requests are held back, as long as they are: for the time that was
// requested, until one has passed, and at the rate after that.
func TestGateState(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, probe := testGate(time.Hour), callTo("a")
		state := func(want string) {
			t.Helper()
			if limit, _ := g.state(); limit != want {
				t.Errorf("%q, want %q", limit, want)
			}
		}
		const limited = "the API is rate limiting requests (HTTP 429, Retry-After)"
		state("")
		if err := g.admit(t.Context(), probe); err != nil {
			t.Fatal(err)
		}
		g.observe(probe, ended(after429(7*time.Second, "Retry-After")))
		state(limited)
		time.Sleep(7 * time.Second)
		state(limited)
		if err := g.admit(t.Context(), probe); err != nil {
			t.Fatal(err)
		}
		g.observe(probe, ended(success))
		state(limited)
		time.Sleep(time.Second / initialRate)
		state("")
		if _, failure := g.state(); failure != "HTTP 429, Retry-After 7s" {
			t.Error(failure)
		}
	})
}

// The rate is spent evenly: idle time is no credit for a burst, and a rate that callers
// don't use does not grow.
func TestPaceIsEven(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	const interval = time.Second / initialRate
	for late, next := range map[time.Duration]time.Duration{ // after the request was due
		0:             interval,
		interval / 5:  interval - interval/5,
		interval / 2:  interval - interval/4,
		time.Hour:     interval - interval/4,
		-interval / 2: interval + interval/2,
	} {
		var p pace
		p.start(now)
		p.increase = 0
		at := now.Add(interval + late)
		p.recovery = time.Hour // so that the rate stays
		p.send(at)
		if got := p.next.Sub(at); got != next {
			t.Errorf("%s after it was due, the next one is %s later, want %s", late, got, next)
		}
	}
	for after, grows := range map[time.Duration]bool{interval: true, 2*interval - 1: true, 2 * interval: false} {
		p := pace{rate: initialRate, last: now, increase: 1, recovery: time.Hour}
		p.send(now.Add(after))
		if (p.rate > initialRate) != grows {
			t.Errorf("%v requests per second after %s", p.rate, after)
		}
	}
}

// A 429 halves a rate whose limit is unknown, and lowers one that is known by a tenth. What
// was lost is recovered in the time given, and after twice that time the limit is unknown
// again. Before the first 429, nothing is limited.
func TestSlowDown(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	var p pace
	p.slowDown()
	p.send(now)
	if p != (pace{}) {
		t.Errorf("limited before the first 429: %+v", p)
	}
	wants := func(rate float64, recovery time.Duration) {
		t.Helper()
		if p.rate != rate || p.recovery != recovery || p.used != 0 {
			t.Errorf("%+v, want %v requests per second, recovered in %s", p, rate, recovery)
		}
		p.grow(recovery)
		p.grow(recovery - 1)
		if p.slowStart() {
			t.Errorf("the limit is unknown after %s", p.used)
		}
	}
	p.start(now)
	p.slowDown()
	wants(initialRate/2, 5*time.Second)
	if p.rate < initialRate*1.49 || p.rate > initialRate*1.51 { // as much again after twice the time
		t.Errorf("recovered to %v", p.rate)
	}
	p.rate = 10
	p.slowDown()
	wants(9, 20*time.Second)
	p.grow(1)
	if !p.slowStart() {
		t.Error("the limit is known for ever")
	}
	before := p.rate
	p.grow(doublingTime)
	if p.rate < before*1.99 || p.rate > before*2.01 {
		t.Errorf("slow start from %v to %v", before, p.rate)
	}
	p.rate = 0.6
	p.slowDown()
	wants(minRate, 5*time.Second)
}
