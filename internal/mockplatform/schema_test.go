package mockplatform

import (
	"encoding/json"
	"testing"
)

// A limit of 0 is a limit like any other, and one that is omitted is none.
func TestLimits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][3]bool{ // accepted from -1, 0 and 1
		`{"type":"number"}`:                          {true, true, true},
		`{"type":"number","minimum":0}`:              {false, true, true},
		`{"type":"number","maximum":0}`:              {true, true, false},
		`{"type":"integer","minimum":0,"maximum":0}`: {false, true, false},
	} {
		var s schema
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		for i, number := range []json.Number{"-1", "0", "1"} {
			if err := s.check("a", number); (err == nil) != want[i] {
				t.Errorf("%s: %s: %v", text, number, err)
			}
		}
	}
}
