//go:build profile

package main

import (
	"fmt"
	"log"
	"os"
	"runtime"
	"runtime/pprof"
)

// A build with the tag profile writes where its CPU time went, and what was
// still held at the end, into the folder that PROFILE_DIR names: two files for
// each process. `make profile` uses it; no release has it.
func init() {
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
	file, err := os.Create(fmt.Sprintf("%s/%s-%d.pprof", os.Getenv("PROFILE_DIR"), kind, os.Getpid())) //nolint:gosec // a folder that the developer names
	if err != nil {
		log.Fatal(err)
	}
	return file
}
