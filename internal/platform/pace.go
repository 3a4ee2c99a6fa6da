package platform

import (
	"math"
	"time"
)

// pace is the learnt rate of one API. The zero pace holds nothing back.
//
// The rate climbs until a 429 corrects it: along a cubic curve that is flat
// around knee, where the limit was last found, and steep far beyond it, where
// the limit must have grown (TCP CUBIC does the same for the same reason); but
// twofold every doubling after the first 429, which tells little: a platform
// that lets ten requests in at once may allow many more per second.
type pace struct {
	rate    float64 // requests per second; 0 until a 429 was waited out
	next    time.Time
	atFirst float64 // let in within the second before the first 429

	searching bool
	knee      float64
	way       time.Duration // of a climb, from its begin to the knee
	climbed   time.Duration // of it, so far
	taken     time.Time     // the last request

	// What was let in: since the last 429, since the gate opened after it, and
	// in the current and the previous second.
	limited, opened   time.Time
	cycle, open       int
	second            time.Time
	current, previous int
}

const (
	hold      = time.Second      // before a search begins to climb
	doubling  = time.Second      // of a rate searched for
	firstWay  = 5 * time.Second  // from the begin of a climb to a knee that one 429 told
	laterWay  = 10 * time.Second // and to one that more of them did
	belowKnee = 0.95             // where a climb begins, as a part of the knee
	lowering  = 0.85             // by a 429 too early to measure anything
	enough    = 10               // requests to measure a rate by
	least     = 5.0              // requests per second that a search begins with
	lowest    = 0.5              // requests per second, however often turned away
)

func (p *pace) take(now time.Time) {
	if p.rate == 0 {
		return
	}
	interval := p.interval()
	// A late timer must not cost a part of every turn; more than that is not
	// made up for, or two requests would go at once.
	if p.next.Before(now.Add(-interval / 4)) {
		p.next = now.Add(-interval / 4)
	}
	p.next = p.next.Add(interval)
	p.climb(min(now.Sub(p.taken), max(time.Second, 2*interval)))
	p.taken = now
}

func (p *pace) interval() time.Duration {
	return time.Duration(float64(time.Second) / p.rate)
}

func (p *pace) climb(d time.Duration) {
	p.climbed += d
	if p.searching {
		p.rate = p.knee * belowKnee * math.Exp2(max(0, (p.climbed-hold).Seconds())/doubling.Seconds())
		return
	}
	x := p.climbed.Seconds()/p.way.Seconds() - 1
	p.rate = p.knee * (1 + (1-belowKnee)*x*x*x)
}

// count notes a request that was let in.
func (p *pace) count(now time.Time) {
	p.cycle++
	p.open++
	switch age := now.Sub(p.second); {
	case age < time.Second:
		p.current++
	case age < 2*time.Second:
		p.second, p.previous, p.current = p.second.Add(time.Second), p.current, 1
	default:
		p.second, p.previous, p.current = now, 0, 1
	}
}

// recent is how many requests were let in within the last second.
func (p *pace) recent(now time.Time) float64 {
	age := now.Sub(p.second).Seconds()
	switch {
	case age < 1:
		return float64(p.current) + float64(p.previous)*(1-age)
	case age < 2:
		return float64(p.current) * (2 - age)
	default:
		return 0
	}
}

// reopen notes that the gate lets requests in again. After the first 429 this
// is the time to say what the limit may be: requests under way when the gate
// closed were let in as well, and have been counted since.
func (p *pace) reopen(now time.Time) {
	if p.rate == 0 {
		limit := p.atFirst + float64(p.cycle-1) // but for the probe
		p.begin(limit, limit >= 2*enough, firstWay)
	}
	p.opened, p.open, p.taken, p.next = now, 1, now, now.Add(p.interval())
}

// begin begins a climb to a limit, or the search for one that isn't told.
func (p *pace) begin(limit float64, told bool, way time.Duration) {
	if !told {
		limit = max(limit, least)
	}
	p.knee, p.way, p.climbed, p.searching = max(limit, lowest), way, 0, !told
	p.rate = p.knee * belowKnee
}

// slow corrects the rate after a 429. A probe that is turned away says that
// the gate reopened too early, and nothing about the rate.
func (p *pace) slow(now time.Time, probe bool) {
	if probe {
		return
	}
	if p.rate == 0 {
		p.atFirst = p.recent(now)
	} else {
		limit, told := p.measured(now)
		p.begin(limit, told, laterWay)
	}
	p.limited, p.cycle = now, 0
}

// measured is the limit as the 429s tell it, and whether they tell much: not
// where few requests were made for want of callers.
//
// What was let in between two of them is what the platform allows in that
// time, or less, where it doesn't save up what wasn't asked for while the gate
// was closed. Counted over the time that the gate was open, it is what the
// platform allows, or more, where it does. The truth lies between, and the
// error costs more below it than above.
func (p *pace) measured(now time.Time) (limit float64, told bool) {
	if p.open < enough {
		return p.rate * lowering, true
	}
	atMost := min(max(perSecond(p.open, now.Sub(p.opened)), p.recent(now)), p.rate)
	if atMost < p.rate/2 {
		return atMost, false
	}
	if p.searching { // it began far below: its mean tells nothing
		return atMost, true
	}
	atLeast := perSecond(p.cycle, now.Sub(p.limited))
	return math.Cbrt(atLeast * atMost * atMost), true
}

func perSecond(n int, d time.Duration) float64 {
	return float64(n) / max(d.Seconds(), 0.01)
}
