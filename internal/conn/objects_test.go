package conn

import (
	"context"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestKeptReads has what becomes of the read of a plan: it is kept until the next write to
// the object, and not kept at all if a write ended while it was under way, since it may
// precede the write.
func TestKeptReads(t *testing.T) {
	t.Parallel()
	write := func(c *Connection, key string) {
		unlock, err := c.Lock(context.Background(), key)
		if err != nil {
			t.Fatal(err)
		}
		unlock()
	}
	read := tfvalue.String("read")
	for name, test := range map[string]struct {
		between, after string // keys of objects that are written to
		kept           bool
	}{
		"no write":                      {"", "", true},
		"a write during the read":       {"a", "", false},
		"a write after the read":        {"", "a", false},
		"writes to another object":      {"b", "b", true},
		"a write before, and one after": {"a", "a", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &Connection{}
			keep := c.Reads("a")
			if test.between != "" {
				write(c, test.between)
			}
			keep(read)
			if test.after != "" {
				write(c, test.after)
			}
			if got := c.Kept("a"); (got != nil) != test.kept {
				t.Errorf("kept is %v, want kept: %t", got, test.kept)
			}
		})
	}
}
