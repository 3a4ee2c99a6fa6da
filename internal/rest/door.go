package rest

import (
	"context"
	"sync"
	"time"
)

// door lets the attempts of calls through to one API, as its health allows.
type door struct {
	recovered func() // called when an outage has ended

	// turn admits one call at a time to wait for what all wait for; the others queue
	// for it in order. None of them occupies a slot while it waits.
	turn chan struct{}

	mu      sync.Mutex
	health  health
	changed chan struct{} // closed and replaced when those who wait have to decide again
}

// newDoor returns the door of an API.
func newDoor(about About, config Config) door {
	return door{
		turn:    make(chan struct{}, 1),
		changed: make(chan struct{}),
		health: health{
			about: about, limit: config.RetryTimeout, once: config.RequestTimeout,
			backoff: newBackoff(config.Random), logins: map[string]*trouble{},
		},
	}
}

// admit waits until an attempt may be sent, and takes a slot for it. A wait that would
// exceed the end of the call is not begun.
func (d *door) admit(ctx context.Context, c *caller, slots chan struct{}) error {
	if err := d.enter(ctx, c, d.turn); err != nil {
		return err
	}
	defer func() { <-d.turn }()
	for {
		if err := d.enter(ctx, c, slots); err != nil {
			return err
		}
		wait, changed, err := d.ask(c, true)
		if err == nil && wait == 0 {
			return nil
		}
		<-slots
		if err != nil {
			return err
		}
		if err := pause(ctx, wait, changed); err != nil {
			return err
		}
	}
}

// enter takes a place in a room, unless the call is refused meanwhile.
func (d *door) enter(ctx context.Context, c *caller, room chan struct{}) error {
	for {
		_, changed, err := d.ask(c, false)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		select {
		case room <- struct{}{}:
			return nil
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// ask decides about the next attempt of a call, and counts it as sent if it should be
// and nothing is against it.
func (d *door) ask(c *caller, send bool) (wait time.Duration, changed <-chan struct{}, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	wait, err = d.health.decide(c, now)
	if send && err == nil && wait == 0 {
		d.health.count(c, now)
	}
	return wait, d.changed, err
}

// observe records what became of an attempt, and returns why its call must not send
// another; nil if it may.
func (d *door) observe(c *caller, a *attempt) (refused error) {
	d.mu.Lock()
	changed, recovered := d.health.observe(c, a, time.Now())
	if changed {
		close(d.changed)
		d.changed = make(chan struct{})
	}
	refused = d.health.refusal(c, time.Now())
	d.mu.Unlock()
	if recovered && d.recovered != nil {
		d.recovered()
	}
	return refused
}

// sleep waits before the next attempt of a call, unless that turns out to be refused.
func (d *door) sleep(ctx context.Context, c *caller, wait time.Duration) error {
	for end := time.Now().Add(wait); ; {
		d.mu.Lock()
		changed, err := d.changed, d.health.refusal(c, time.Now())
		d.mu.Unlock()
		left := time.Until(end)
		if err != nil || left <= 0 {
			return err
		}
		if err := pause(ctx, left, changed); err != nil {
			return err
		}
	}
}

// state is why requests are held back, "" if they are not, and the last failure of the
// API, for log lines.
func (d *door) state() (limit, failure string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	if now.Before(d.health.notBefore) || d.health.probeDue || now.Before(d.health.pace.next) {
		limit = d.health.reason
	}
	return limit, d.health.lately
}

// pause waits for d, or until something changes. If ctx ends first, it returns the cause.
func pause(ctx context.Context, d time.Duration, changed <-chan struct{}) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-changed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
