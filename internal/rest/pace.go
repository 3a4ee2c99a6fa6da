package rest

import (
	"math"
	"time"
)

// pace is the rate of requests after a 429: slow start, then
// additive increase and multiplicative decrease, as in TCP. The zero pace does
// not limit anything.
//
// A cubic curve around a measured limit was rejected: it is twice the code and
// reaches no larger share of the limit (TestPaceFollowsALimit -v).
type pace struct {
	rate float64   // requests per second; 0 before the first 429
	last time.Time // when the last request was sent
	next time.Time // when the next one may be sent

	increase float64       // of the rate, per second
	recovery time.Duration // until the rate is what it was at the last 429
	used     time.Duration // since the last 429, while callers used the whole rate
}

const (
	initialRate  = 5.0         // requests per second
	minRate      = 0.5         // requests per second
	doublingTime = time.Second // of the rate in slow start

	// Slow start overshoots the limit by as much as twofold, additive increase
	// by little.
	slowStartDecrease, slowStartRecovery = 0.5, 5 * time.Second
	decrease, recovery                   = 0.9, 20 * time.Second
)

// slowStart reports whether the limit is unknown: before the first decrease, and
// again once the rate has grown well past that of the last 429.
func (p *pace) slowStart() bool { return p.used >= 2*p.recovery }

func (p *pace) interval() time.Duration {
	return time.Duration(float64(time.Second) / p.rate)
}

// start begins the pace when a request has passed again.
func (p *pace) start(now time.Time) {
	if p.rate == 0 {
		p.rate = initialRate
	}
	p.last, p.next = now, now.Add(p.interval())
}

// send counts a request as sent.
func (p *pace) send(now time.Time) {
	if p.rate == 0 {
		return
	}
	interval := p.interval()
	// Compensate for a late timer, but not for idle time: that would be a burst.
	if earliest := now.Add(-interval / 4); p.next.Before(earliest) {
		p.next = earliest
	}
	p.next = p.next.Add(interval)
	// Grow only while callers use the rate: otherwise it would grow without ever
	// reaching the limit.
	if elapsed := now.Sub(p.last); elapsed < 2*interval {
		p.grow(elapsed)
	}
	p.last = now
}

func (p *pace) grow(elapsed time.Duration) {
	p.used += elapsed
	if p.slowStart() {
		p.rate *= math.Exp2(elapsed.Seconds() / doublingTime.Seconds())
	} else {
		p.rate += p.increase * elapsed.Seconds()
	}
}

// slowDown lowers the rate after a 429.
func (p *pace) slowDown() {
	if p.rate == 0 {
		return
	}
	factor, within := decrease, recovery
	if p.slowStart() {
		factor, within = slowStartDecrease, slowStartRecovery
	}
	before := p.rate
	p.rate = max(before*factor, minRate)
	p.increase = (before - p.rate) / within.Seconds()
	p.recovery, p.used = within, 0
}
