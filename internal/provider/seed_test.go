package provider

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// testSeed is where a test's random numbers begin. It is logged, so that a run
// that failed can be repeated.
func testSeed(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if given := os.Getenv("TEST_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatalf("TEST_SEED must be a whole number, got %q", given)
		}
	}
	t.Logf("seed %d (TEST_SEED=%d repeats this run)", seed, seed)
	return seed
}
