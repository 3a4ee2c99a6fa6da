package process

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
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
	// headroom is how many times what lives the limit is at least. A data source
	// with thousands of services nears the limit, and would be collected again and
	// again for little: the time would grow with the square of the services.
	headroom = 4
)

// TuneMemory trades memory for time, within a bound. What the user has set
// through GOGC or GOMEMLIMIT stays.
func TuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
		followHeap(memoryLimit)
	}
}

// followHeap adjusts the memory limit after each collection to what lives, until
// somebody else sets it.
func followHeap(limit int64) {
	type sentinel struct{ _ *byte } // a pointer keeps it out of shared blocks
	runtime.AddCleanup(&sentinel{}, func(limit int64) {
		if debug.SetMemoryLimit(-1) != limit {
			return
		}
		limit = limitFor(liveHeap())
		debug.SetMemoryLimit(limit)
		followHeap(limit)
	}, limit)
}

// limitFor is the memory limit, in bytes, with this much alive.
func limitFor(live uint64) int64 { return max(memoryLimit, headroom*int64(live)) }

// liveHeap is what the last collection left, in bytes.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
