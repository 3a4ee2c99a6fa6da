package process

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
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
	// headroom is the minimum ratio of the limit to the live part of the heap. The live
	// part may come near memoryLimit, as with a data source of thousands of services.
	// The heap would then be collected continually, and the time would grow with the
	// square of the number of services.
	headroom = 4
)

// TuneMemory lets the heap grow for fewer collections, up to a soft limit: 96 MB, or
// more if much of the heap is live. GOGC and GOMEMLIMIT take precedence.
func TuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
		followHeap(memoryLimit)
	}
}

// followHeap adjusts the memory limit to the live part of the heap after each
// collection, until other code sets the limit.
func followHeap(limit int64) {
	type sentinel struct{ _ *byte } // the pointer prevents allocation in a shared block
	runtime.AddCleanup(&sentinel{}, func(limit int64) {
		if debug.SetMemoryLimit(-1) != limit {
			return
		}
		limit = limitFor(liveHeap())
		debug.SetMemoryLimit(limit)
		followHeap(limit)
	}, limit)
}

// limitFor returns the memory limit for a live heap, both in bytes.
func limitFor(live uint64) int64 { return max(memoryLimit, headroom*int64(live)) } //nolint:gosec // a live heap is far below 2^61 bytes

// liveHeap returns the size of the heap after the last collection, in bytes.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
