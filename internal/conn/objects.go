package conn

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// objects are the remote objects that resources have to do with in this run, by
// a key that is the same for two resources over one object.
type objects struct {
	applying atomic.Bool
	left     sync.Map // what FirstLeft was asked about

	mu  sync.Mutex
	all map[string]*object
}

type object struct {
	writing chan struct{} // holds one element while somebody writes
	read    any           // what a plan read, until somebody writes
	claims  []tfvalue.Value
}

func (o *objects) at(key string) *object {
	if o.all == nil {
		o.all = map[string]*object{}
	}
	if o.all[key] == nil {
		o.all[key] = &object{writing: make(chan struct{}, 1)}
	}
	return o.all[key]
}

// Lock waits until nobody else writes to an object, or returns why ctx ended.
func (c *Connection) Lock(ctx context.Context, key string) (unlock func(), err error) {
	c.objects.mu.Lock()
	o := c.objects.at(key)
	c.objects.mu.Unlock()
	select {
	case o.writing <- struct{}{}:
		return func() {
			c.Keep(key, nil)
			<-o.writing
		}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Keep keeps what the plan of an adoption read for its apply: Terraform plans a
// creation again right before it.
func (c *Connection) Keep(key string, read any) {
	c.objects.mu.Lock()
	defer c.objects.mu.Unlock()
	c.objects.at(key).read = read
}

// Kept is what was kept, nil if nothing was or somebody has written since.
func (c *Connection) Kept(key string) any {
	c.objects.mu.Lock()
	defer c.objects.mu.Unlock()
	return c.objects.at(key).read
}

// Applies notes that this run applies a plan.
func (c *Connection) Applies() { c.objects.applying.Store(true) }

// Applying reports whether this run has begun to apply a plan. What is planned
// then was planned before.
func (c *Connection) Applying() bool { return c.objects.applying.Load() }

// FirstLeft reports whether this run asks for the first time about a key: what
// leaves Terraform and stays on the platform is reported once.
func (c *Connection) FirstLeft(key string) bool {
	if c == nil {
		return true
	}
	_, reported := c.objects.left.LoadOrStore(key, true)
	return !reported
}

// Claim notes what a resource owns of an object, and returns what others have
// claimed of it in this run.
func (c *Connection) Claim(key string, owned tfvalue.Value) []tfvalue.Value {
	c.objects.mu.Lock()
	defer c.objects.mu.Unlock()
	o := c.objects.at(key)
	others := o.claims
	o.claims = append(slices.Clone(others), owned)
	return others
}
