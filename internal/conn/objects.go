package conn

import (
	"context"
	"slices"
	"sync"

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
	read    *tfvalue.Value // what ReadOnce keeps
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
			o.read = nil
			c.objects.mu.Unlock()
			<-o.writing
		}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// ReadOnce returns what an earlier call for the object has read, or reads it: Terraform
// plans a creation once more right before its apply, which would be three reads. A read
// is kept until the next write ends, and not at all if one ended during the read, since
// it may precede the write.
func (c *Connection) ReadOnce(key string, read func() (tfvalue.Value, error)) (tfvalue.Value, error) {
	c.objects.mu.Lock()
	o := c.objects.at(key)
	kept, before := o.read, o.writes
	c.objects.mu.Unlock()
	if kept != nil {
		return *kept, nil
	}
	value, err := read()
	c.objects.mu.Lock()
	defer c.objects.mu.Unlock()
	if err == nil && o.writes == before {
		o.read = &value
	}
	return value, err
}

// FirstWarning reports whether this is the first call of the run with a key. It limits
// the warning about an object that stays on the platform to one.
func (c *Connection) FirstWarning(key string) bool {
	if c == nil {
		return true
	}
	_, reported := c.objects.warned.LoadOrStore(key, true)
	return !reported
}

// Claim records what a resource owns of an object, and returns what other resources
// of this run own of it.
func (c *Connection) Claim(key string, owned tfvalue.Value) []tfvalue.Value {
	c.objects.mu.Lock()
	defer c.objects.mu.Unlock()
	o := c.objects.at(key)
	others := o.claims
	o.claims = append(slices.Clone(others), owned)
	return others
}
