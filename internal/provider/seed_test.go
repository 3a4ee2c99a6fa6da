package provider

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// testSeed is the seed of a random test: TEST_SEED where it is set, to repeat
// a run, and another one each time otherwise.
func testSeed(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("TEST_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal("TEST_SEED:", err)
		}
	}
	t.Logf("seed %d (TEST_SEED=%d repeats this run)", seed, seed)
	return seed
}
