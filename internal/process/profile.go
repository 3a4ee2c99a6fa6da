//go:build profile

package process

import (
	"fmt"
	"log"
	"os"
	"runtime"
	"runtime/pprof"
)

// A build with the tag profile writes two files per process into the directory
// PROFILE_DIR, if it is set: its CPU profile, and the heap at its end. `make
// profile` uses it. Releases do not include it.
func init() {
	if os.Getenv("PROFILE_DIR") == "" {
		return
	}
	cpu := create("cpu")
	if err := pprof.StartCPUProfile(cpu); err != nil {
		log.Fatal(err)
	}
	atExit = func() {
		pprof.StopCPUProfile()
		runtime.GC()
		if err := pprof.WriteHeapProfile(create("heap")); err != nil {
			log.Fatal(err)
		}
	}
}

func create(kind string) *os.File {
	file, err := os.Create(fmt.Sprintf("%s/%s-%d.pprof", os.Getenv("PROFILE_DIR"), kind, os.Getpid())) //nolint:gosec // the developer sets the directory
	if err != nil {
		log.Fatal(err)
	}
	return file
}
