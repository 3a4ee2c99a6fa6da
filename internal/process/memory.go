package process

import (
	"os"
	"runtime/debug"
)

// A provider lives for the seconds of one walk and allocates for each resource
// what it drops at once. With Go's defaults a third of its time is garbage
// collection of a heap of a few megabytes.
const (
	// gcPercent lets the heap grow to this much beyond what lives before it is
	// collected. Little does: what is kept is the list of services, and what the
	// calls under way hold.
	gcPercent = 1600
	// memoryLimit, in bytes, is the soft limit from which on the collector works
	// as hard as it must, whatever gcPercent says.
	memoryLimit = 96 << 20
)

// TuneMemory trades memory for time, within a bound. What the user has set
// through GOGC or GOMEMLIMIT stays.
func TuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}
