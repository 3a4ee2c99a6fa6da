package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
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
	var said struct {
		Version string `json:"terraform_version"`
	}
	out, err := exec.CommandContext(context.Background(), path, "version", "-json").Output()
	if err != nil {
		return terraformProgram{}, err
	}
	if err := json.Unmarshal(out, &said); err != nil {
		return terraformProgram{}, err
	}
	plain, err := exec.CommandContext(context.Background(), path, "version").Output()
	return terraformProgram{strings.HasPrefix(string(plain), "OpenTofu"), said.Version}, err
})

// programUnder is the program under test.
func programUnder(t *testing.T) terraformProgram {
	t.Helper()
	needTerraform(t)
	program, err := programUnderTest()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// features are what only newer programs can do, by the beginning of their row
// in the documentation's table of versions, and how a configuration that uses
// them is found.
var features = map[string]*regexp.Regexp{
	"`terraform_data` resources":            regexp.MustCompile(`resource "terraform_data"`),
	"`import` blocks with an `id`":          regexp.MustCompile(`(?m)^\s*import \{`),
	"`import` blocks with `for_each`":       regexp.MustCompile(`(?m)^\s*import \{[^}]*for_each`),
	"`removed` blocks with `lifecycle`":     regexp.MustCompile(`(?m)^\s*removed \{[^}]*lifecycle`),
	"`check` blocks":                        regexp.MustCompile(`(?m)^\s*check "`),
	"`plan -generate-config-out` for pipes": regexp.MustCompile(`-generate-config-out`),
	"ephemeral variables":                   regexp.MustCompile(`ephemeral\s*=\s*true`),
	"write-only arguments":                  regexp.MustCompile(`_wo"?\s*[=:]`),
	"`import` blocks with an `identity`":    regexp.MustCompile(`identity\s*=\s*\{`),
}

type needed struct{ terraform, openTofu string }

func (n needed) String() string { return "Terraform " + n.terraform + " or OpenTofu " + n.openTofu }

// versionTable is what the documentation says that each feature needs.
var versionTable = sync.OnceValues(func() (map[string]needed, error) {
	content, err := os.ReadFile(upgradingGuide)
	if err != nil {
		return nil, err
	}
	table := map[string]needed{}
	for feature := range features {
		row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(feature) + `.* \| ([0-9.]+) \| ([0-9.]+) \|$`).FindStringSubmatch(string(content))
		if row == nil {
			return nil, fmt.Errorf("the table of versions in %s has no row %s", upgradingGuide, feature)
		}
		table[feature] = needed{row[1], row[2]}
	}
	return table, nil
})

// neededBy returns the versions that a configuration takes, or false if any
// will do.
func neededBy(t *testing.T, config string) (needed, bool) {
	t.Helper()
	table, err := versionTable()
	if err != nil {
		t.Fatal(err)
	}
	var highest needed
	for feature, pattern := range features {
		if !pattern.MatchString(config) {
			continue
		}
		highest.terraform = newer(highest.terraform, table[feature].terraform)
		highest.openTofu = newer(highest.openTofu, table[feature].openTofu)
	}
	return highest, highest != needed{}
}

// tooOldFor reports whether the documentation calls the program too old for a
// configuration, and what that needs.
func tooOldFor(t *testing.T, config string) (needed, bool) {
	t.Helper()
	needs, ok := neededBy(t, config)
	if !ok {
		return needs, false
	}
	program := programUnder(t)
	return needs, program.openTofu && older(program.version, needs.openTofu) || !program.openTofu && older(program.version, needs.terraform)
}

// skipIfTooOld skips a test of a configuration under a program that is too old for it.
func skipIfTooOld(t *testing.T, config string) {
	t.Helper()
	if needs, tooOld := tooOldFor(t, config); tooOld {
		t.Skipf("takes %s, and this is %s", needs, programUnder(t))
	}
}

// newer is the newer of two versions, one of which may be "".
func newer(a, b string) string {
	if older(a, b) {
		return b
	}
	return a
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
