//go:build profile

package main

import (
	"fmt"
	"log"
	"os"
	"runtime/pprof"
)

// A build with the tag profile writes where its CPU time went into the folder
// that PROFILE_DIR names, a file for each process. `make profile` uses it; no
// release has it.
func init() {
	file, err := os.Create(fmt.Sprintf("%s/cpu-%d.pprof", os.Getenv("PROFILE_DIR"), os.Getpid())) //nolint:gosec // a folder that the developer names
	if err != nil {
		log.Fatal(err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		log.Fatal(err)
	}
	atExit = pprof.StopCPUProfile
}
