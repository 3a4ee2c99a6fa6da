package conn

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestReadToPlan has what becomes of the read of a plan: the first apply after it gets it,
// unless a write to the object ended since the read began, or the read is old.
func TestReadToPlan(t *testing.T) {
	t.Parallel()
	write := func(t *testing.T, c *Connection, key string) {
		unlock, err := c.Lock(context.Background(), key)
		if err != nil {
			t.Fatal(err)
		}
		unlock()
	}
	for name, test := range map[string]struct {
		between, after string // keys of objects that are written to
		wait           time.Duration
		plans, applies int
		reads          int
	}{
		"a plan and its apply":          {plans: 1, applies: 1, reads: 1},
		"every plan reads":              {plans: 2, applies: 1, reads: 2},
		"a second apply reads":          {plans: 1, applies: 2, reads: 2},
		"an apply without a plan":       {applies: 1, reads: 1},
		"a late apply":                  {plans: 1, wait: readLifetime, applies: 1, reads: 2},
		"an apply in time":              {plans: 1, wait: readLifetime - 1, applies: 1, reads: 1},
		"a write during the read":       {between: "a", plans: 1, applies: 1, reads: 2},
		"a write after the read":        {after: "a", plans: 1, applies: 1, reads: 2},
		"writes to another object":      {between: "b", after: "b", plans: 1, applies: 1, reads: 1},
		"a write before, and one after": {between: "a", after: "a", plans: 1, applies: 1, reads: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := &Connection{}
				reads := 0
				read := func() (tfvalue.Value, error) {
					reads++
					if reads == 1 && test.between != "" {
						write(t, c, test.between)
					}
					return tfvalue.String("read"), nil
				}
				for range test.plans {
					_, _ = c.ReadToPlan("a", read)
				}
				if test.after != "" {
					write(t, c, test.after)
				}
				time.Sleep(test.wait)
				for range test.applies {
					if got, err := c.ReadToApply("a", read); err != nil || got.Text() != "read" {
						t.Errorf("read %s: %v", got.Text(), err)
					}
				}
				if reads != test.reads {
					t.Errorf("%d reads, want %d", reads, test.reads)
				}
			})
		})
	}
}

// TestClaim has what a plan manages compared with what the plans before it do, until a write.
func TestClaim(t *testing.T) {
	t.Parallel()
	c := &Connection{}
	if others := c.Claim("a", tfvalue.String("1")); len(others) != 0 {
		t.Errorf("%d claims before the first one", len(others))
	}
	if others := c.Claim("a", tfvalue.String("2")); len(others) != 1 || others[0].Text() != "1" {
		t.Errorf("claims %v, want the first one", others)
	}
	unlock, err := c.Lock(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	if others := c.Claim("a", tfvalue.String("3")); len(others) != 0 {
		t.Errorf("%d claims after a write", len(others))
	}
}

// A wait for another write ends with the caller, and leaves the lock to the next.
func TestLock(t *testing.T) {
	t.Parallel()
	c := &Connection{}
	unlock, err := c.Lock(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("out of time")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := c.Lock(ctx, "a"); !errors.Is(err, cause) {
		t.Error(err)
	}
	other, err := c.Lock(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	other()
	unlock()
	if _, err := c.Lock(t.Context(), "a"); err != nil {
		t.Error(err)
	}
}

// TestReadThatFails has a plan whose read fails: the apply after it gets neither that nor what
// an earlier plan has read.
func TestReadThatFails(t *testing.T) {
	t.Parallel()
	c := &Connection{}
	read := func(text string, err error) func() (tfvalue.Value, error) {
		return func() (tfvalue.Value, error) { return tfvalue.String(text), err }
	}
	_, _ = c.ReadToPlan("a", read("old", nil))
	if _, err := c.ReadToPlan("a", read("failed", errors.New("no response"))); err == nil {
		t.Error("the error is lost")
	}
	if got, err := c.ReadToApply("a", read("new", nil)); err != nil || got.Text() != "new" {
		t.Errorf("read %s: %v, want a new read", got.Text(), err)
	}
}

// TestFirstWarning has a warning about each object once.
func TestFirstWarning(t *testing.T) {
	t.Parallel()
	c := &Connection{}
	for i, want := range []bool{true, false, true, false} {
		if key := string(rune('a' + i/2)); c.FirstWarning(key) != want {
			t.Errorf("warning %d of %s", i, key)
		}
	}
}
