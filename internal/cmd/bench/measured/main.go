// Command measured runs a program with its own arguments, and appends what that used to a file:
// nanoseconds of CPU time and peak memory in bytes. It runs BENCH_PROGRAM, or as a provider, which
// Terraform starts with no variable of its own, what is called program beside it.
//
// The benchmarks start neither Terraform nor a provider themselves: the peak memory of a process
// includes that of the process that starts it.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
)

func main() {
	file, program := os.Getenv("BENCH_USAGE_FILE"), os.Getenv("BENCH_PROGRAM")
	if program != "" {
		file += ".terraform"
	}
	command := exec.CommandContext(context.Background(), cmp.Or(program, filepath.Join(filepath.Dir(os.Args[0]), "program")), os.Args[1:]...)
	command.Env = append(os.Environ(), "BENCH_PROGRAM=") // Terraform starts providers
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := command.Run(); command.ProcessState == nil {
		log.Fatal(err)
	}
	state := command.ProcessState
	if used, ok := state.SysUsage().(*syscall.Rusage); ok {
		if err := note(file, used.Maxrss, state); err != nil {
			log.Print(err)
		}
	}
	os.Exit(state.ExitCode())
}

func note(file string, peak int64, state *os.ProcessState) error {
	if runtime.GOOS != "darwin" { // where it is in bytes, and elsewhere in kilobytes
		peak <<= 10
	}
	out, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	_, err = fmt.Fprintln(out, (state.UserTime() + state.SystemTime()).Nanoseconds(), peak)
	return err
}
