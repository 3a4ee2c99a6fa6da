package process

import (
	"os"
	"runtime/debug"
)

// A provider runs for seconds, and what it allocates for a resource is garbage at
// once. With Go's defaults, a third of its time goes into collecting a heap of a few
// megabytes.
const (
	// gcPercent is the growth of the heap, relative to the live part, at which it is
	// collected. The live part is small: the list of services and the calls in
	// flight.
	gcPercent = 1600
	// memoryLimit, in bytes, is the soft limit above which the heap is collected
	// earlier than gcPercent allows.
	memoryLimit = 96 << 20
)

// TuneMemory lets the heap grow for fewer collections, up to a soft limit of 96 MB.
// GOGC and GOMEMLIMIT take precedence.
func TuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}
