//go:build unix

package process

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// A process ends once its parent has ended and its write has, too.
func TestEndWithParent(t *testing.T) {
	if os.Getenv("ORPHAN") != "" {
		orphan()
		return
	}
	// The shell is the parent, and ends as soon as the process has begun a write.
	command := exec.CommandContext(t.Context(), "sh", "-c", `"$0" -test.run ^TestEndWithParent$ & read line`, os.Args[0])
	command.Env = append(os.Environ(), "ORPHAN=1")
	input, _ := command.StdinPipe()
	output, _ := command.StdoutPipe()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	var said []string
	for lines := bufio.NewScanner(output); lines.Scan(); { // until the process has ended
		said = append(said, lines.Text())
		_, _ = fmt.Fprintln(input)
	}
	if got := fmt.Sprint(said); got != "[writing written]" {
		t.Errorf("it said %s", got)
	}
}

func orphan() {
	pollInterval = time.Millisecond
	end := BeginWrite()
	parent := os.Getppid()
	go EndWithParent(parent)
	fmt.Println("writing")
	for os.Getppid() == parent {
		time.Sleep(pollInterval)
	}
	time.Sleep(200 * pollInterval) // in which it does not end
	fmt.Println("written")
	end()
	select {} // until it ends
}
