package terraformtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"sync"
	"testing"
)

// Program is what runs the tests: a Terraform or an OpenTofu, and its version. A test of what only a
// newer one can do is skipped, with the reason.
type Program struct {
	OpenTofu bool
	version  string
}

func (p Program) String() string {
	if p.OpenTofu {
		return "OpenTofu " + p.version
	}
	return "Terraform " + p.version
}

// OlderThan compares the version with one of Terraform or of OpenTofu.
func (p Program) OlderThan(terraform, openTofu string) bool {
	if p.OpenTofu {
		return older(p.version, openTofu)
	}
	return older(p.version, terraform)
}

// RegistryHost is the host that the program fills in for a provider's source.
func (p Program) RegistryHost() string {
	if p.OpenTofu {
		return "registry.opentofu.org"
	}
	return "registry.terraform.io"
}

// ProgramUnderTest is the one that TF_ACC_TERRAFORM_PATH names.
var ProgramUnderTest = sync.OnceValues(func() (Program, error) {
	out, err := exec.CommandContext(context.Background(), os.Getenv("TF_ACC_TERRAFORM_PATH"), "version").Output()
	said := regexp.MustCompile(`(?m)^(Terraform|OpenTofu) v([0-9.]+)`).FindStringSubmatch(string(out))
	if err != nil || said == nil {
		return Program{}, fmt.Errorf("no version in %q: %w", out, err)
	}
	return Program{said[1] == "OpenTofu", said[2]}, nil
})

// NeedTerraform skips a test where there is no terraform.
func NeedTerraform(t *testing.T) {
	t.Helper()
	if os.Getenv("TF_ACC_TERRAFORM_PATH") == "" {
		t.Skip("needs terraform on PATH, or the path of a terraform or tofu in TF_ACC_TERRAFORM_PATH; make test fetches one")
	}
}

// ProgramUnder is the program under test.
func ProgramUnder(t *testing.T) Program {
	t.Helper()
	NeedTerraform(t)
	program, err := ProgramUnderTest()
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
	"the function [`table_mapping_key`]":    regexp.MustCompile(`provider::`),
	"`dataplatform_api_key_secret`":         regexp.MustCompile(`(?m)^\s*ephemeral "`),
	"write-only arguments":                  regexp.MustCompile(`_wo"?\s*[=:]`),
	"`import` blocks with an `identity`":    regexp.MustCompile(`identity\s*=\s*\{`),
}

// Needed are the versions that a configuration needs.
type Needed struct{ terraform, openTofu string }

func (n Needed) String() string { return "Terraform " + n.terraform + " or OpenTofu " + n.openTofu }

// upgradingGuide is seen from the packages of internal.
const upgradingGuide = "../../templates/guides/upgrading.md"

// versionTable is what the documentation says that each feature needs.
var versionTable = sync.OnceValues(func() (map[string]Needed, error) {
	content, err := os.ReadFile(upgradingGuide)
	if err != nil {
		return nil, err
	}
	table := map[string]Needed{}
	for feature := range features {
		row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(feature) + `.* \| ([0-9.]+) \| ([0-9.]+) \|$`).FindStringSubmatch(string(content))
		if row == nil {
			return nil, fmt.Errorf("the table of versions in %s has no row %s", upgradingGuide, feature)
		}
		table[feature] = Needed{row[1], row[2]}
	}
	return table, nil
})

// NeededBy returns the versions that a configuration needs, or false if any will do.
func NeededBy(t *testing.T, config string) (Needed, bool) {
	t.Helper()
	table, err := versionTable()
	if err != nil {
		t.Fatal(err)
	}
	var highest Needed
	for feature, pattern := range features {
		if !pattern.MatchString(config) {
			continue
		}
		highest.terraform = newer(highest.terraform, table[feature].terraform)
		highest.openTofu = newer(highest.openTofu, table[feature].openTofu)
	}
	return highest, highest != Needed{}
}

// tooOld reports whether the documentation calls the program too old for a
// configuration, and what that needs.
func tooOld(t *testing.T, config string) (Needed, bool) {
	t.Helper()
	needs, ok := NeededBy(t, config)
	return needs, ok && ProgramUnder(t).OlderThan(needs.terraform, needs.openTofu)
}

// SkipIfTooOld skips a test of a configuration under a program that is too old for it.
func SkipIfTooOld(t *testing.T, config string) {
	t.Helper()
	if needs, old := tooOld(t, config); old {
		t.Skipf("takes %s, and this is %s", needs, ProgramUnder(t))
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
	var a, b [2]int
	_, _ = fmt.Sscanf(version, "%d.%d", &a[0], &a[1])
	_, _ = fmt.Sscanf(than, "%d.%d", &b[0], &b[1])
	return slices.Compare(a[:], b[:]) < 0
}
