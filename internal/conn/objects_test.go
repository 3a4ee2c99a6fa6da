package conn

import (
	"context"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestReadOnce has what becomes of the read of a plan: it is kept until the next write to
// the object, and not kept at all if a write ended while it was under way, since it may
// precede the write.
func TestReadOnce(t *testing.T) {
	t.Parallel()
	write := func(c *Connection, key string) {
		unlock, err := c.Lock(context.Background(), key)
		if err != nil {
			t.Fatal(err)
		}
		unlock()
	}
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
			reads := 0
			read := func() (tfvalue.Value, error) {
				reads++
				if reads == 1 && test.between != "" {
					write(c, test.between)
				}
				return tfvalue.String("read"), nil
			}
			_, _ = c.ReadOnce("a", read)
			if test.after != "" {
				write(c, test.after)
			}
			if got, err := c.ReadOnce("a", read); err != nil || got.Text() != "read" || (reads == 1) != test.kept {
				t.Errorf("%d reads of %s: %v, want kept: %t", reads, got.Text(), err, test.kept)
			}
		})
	}
}
