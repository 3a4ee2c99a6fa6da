package provider

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// What runs the tests: a Terraform or an OpenTofu, and its version. Tests of
// what only newer ones can do are skipped under older ones, with the reason.

type terraformProgram struct {
	openTofu bool
	version  string
}

func (p terraformProgram) String() string {
	if p.openTofu {
		return "OpenTofu " + p.version
	}
	return "Terraform " + p.version
}

var programUnderTest = sync.OnceValues(func() (terraformProgram, error) {
	path := os.Getenv("TF_ACC_TERRAFORM_PATH")
	var told struct {
		Version string `json:"terraform_version"`
	}
	out, err := exec.CommandContext(context.Background(), path, "version", "-json").Output()
	if err != nil {
		return terraformProgram{}, err
	}
	if err := json.Unmarshal(out, &told); err != nil {
		return terraformProgram{}, err
	}
	plain, err := exec.CommandContext(context.Background(), path, "version").Output()
	return terraformProgram{strings.HasPrefix(string(plain), "OpenTofu"), told.Version}, err
})

// skipBelow skips a test of what takes these versions.
func skipBelow(t *testing.T, terraform, openTofu string) {
	t.Helper()
	program, err := programUnderTest()
	if err != nil {
		t.Fatal(err)
	}
	needed := terraform
	if program.openTofu {
		needed = openTofu
	}
	if older(program.version, needed) {
		t.Skipf("takes Terraform %s or OpenTofu %s, and this is %s", terraform, openTofu, program)
	}
}

// older compares versions by their first two numbers.
func older(version, than string) bool {
	a, b := firstTwo(version), firstTwo(than)
	return a[0] < b[0] || a[0] == b[0] && a[1] < b[1]
}

func firstTwo(version string) [2]int {
	var numbers [2]int
	for i, part := range strings.SplitN(version, ".", 3) {
		if i < 2 {
			numbers[i], _ = strconv.Atoi(part)
		}
	}
	return numbers
}

func TestOlder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		version, than string
		want          bool
	}{
		{"1.11.4", "1.11", false}, {"1.11.4", "1.12", true}, {"1.9.0", "1.10", true}, {"2.0.0", "1.12", false}, {"1.12.0-beta1", "1.12", false},
	} {
		if got := older(test.version, test.than); got != test.want {
			t.Errorf("%s older than %s is %t", test.version, test.than, got)
		}
	}
}
