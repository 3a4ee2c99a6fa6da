package conn

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// objects are the remote objects of this run, by a key that is the same for two
// resources over one object.
type objects struct {
	warned sync.Map // keys of FirstWarning

	mu  sync.Mutex
	all map[string]*object
}

type object struct {
	writing chan struct{}  // has one element during a write
	writes  int            // writes that ended
	read    *tfvalue.Value // what ReadToPlan keeps
	readAt  time.Time
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

// Lock waits for other writes to an object. If ctx ends first, it returns the
// cause.
func (c *Connection) Lock(ctx context.Context, key string) (unlock func(), err error) {
	c.objects.mu.Lock()
	o := c.objects.at(key)
	c.objects.mu.Unlock()
	select {
	case o.writing <- struct{}{}:
		return func() {
			c.objects.mu.Lock()
			o.writes++
			o.read, o.claims = nil, nil
			c.objects.mu.Unlock()
			<-o.writing
		}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// readLifetime is how long an apply may use what the plan right before it has read.
const readLifetime = 30 * time.Second

// ReadToPlan reads an object for the plan of an adoption, and keeps the read for
// ReadToApply: Terraform plans a creation once more right before its apply. A read is not
// kept if a write ended during it, since it may precede the write.
func (c *Connection) ReadToPlan(key string, read func() (tfvalue.Value, error)) (tfvalue.Value, error) {
	c.objects.mu.Lock()
	o := c.objects.at(key)
	before := o.writes
	c.objects.mu.Unlock()
	value, err := read()
	c.objects.mu.Lock()
	defer c.objects.mu.Unlock()
	o.read = nil
	if err == nil && o.writes == before {
		o.read, o.readAt = &value, time.Now()
	}
	return value, err
}

// ReadToApply returns what the last plan has read, or reads. Only the first apply gets the
// read of a plan, and only if it is recent: a process may serve several runs.
func (c *Connection) ReadToApply(key string, read func() (tfvalue.Value, error)) (tfvalue.Value, error) {
	c.objects.mu.Lock()
	o := c.objects.at(key)
	kept := o.read
	recent := time.Since(o.readAt) < readLifetime
	o.read = nil
	c.objects.mu.Unlock()
	if kept != nil && recent {
		return *kept, nil
	}
	return read()
}

// FirstWarning reports whether this is the first call of the run with a key. It limits
// the warning about an object that stays on the platform to one.
func (c *Connection) FirstWarning(key string) bool {
	_, reported := c.objects.warned.LoadOrStore(key, true)
	return !reported
}

// Claim records what a resource manages of an object, and returns what the plans since the
// last write have managed of it.
func (c *Connection) Claim(key string, owned tfvalue.Value) []tfvalue.Value {
	c.objects.mu.Lock()
	defer c.objects.mu.Unlock()
	o := c.objects.at(key)
	others := o.claims
	o.claims = append(slices.Clone(others), owned)
	return others
}
