package terraformtest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Soak runs random lives, so many at a time, for as long as make soak asks for, until one
// fails. With a seed, it repeats that life instead. Without make soak, the test is skipped.
func Soak(t *testing.T, parallel int, live func(t *testing.T, seed uint64)) {
	t.Helper()
	length, err := time.ParseDuration(os.Getenv("SOAK_DURATION"))
	if err != nil {
		t.Skip("searches for make soak")
	}
	given, notGiven := strconv.ParseUint(os.Getenv("SOAK_SEED"), 10, 64)
	var wait sync.WaitGroup
	slots := make(chan struct{}, parallel)
	lives := 0
	for end := time.Now().Add(length); time.Now().Before(end) && !t.Failed(); lives++ {
		seed := given
		if notGiven != nil {
			seed = rand.Uint64N(1 << 40)
		}
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) { live(t, seed) })
		})
	}
	wait.Wait()
	t.Logf("%d lives", lives)
}
