// Package workflows tests what no linter knows of the workflows: those of this repository,
// and those that the guides and the scenario hand out.
package workflows

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

const (
	root   = "../../"
	isMain = "github.ref == 'refs/heads/main'"
)

type workflow struct {
	text        string
	Permissions map[string]string
	Env         map[string]string
	Defaults    struct{ Run map[string]string }
	Jobs        map[string]job
}

type job struct {
	If, Environment  string
	Needs, Secrets   any
	Permissions, Env map[string]string
	Steps            []step
}

type step struct {
	ID, If, Uses, Run string
	With, Env         map[string]string
}

func read(t *testing.T, name string) workflow {
	t.Helper()
	content, err := os.ReadFile(root + name)
	if err != nil {
		t.Fatal(err)
	}
	w := workflow{text: string(content)}
	if filepath.Ext(name) == ".md" { // a guide's module.yml
		_, w.text, _ = strings.Cut(w.text, "```yaml\n# .github/workflows/")
		w.text, _, _ = strings.Cut("# "+w.text, "\n```")
	}
	if err := yaml.Unmarshal([]byte(w.text), &w); err != nil || len(w.Jobs) == 0 {
		t.Fatalf("%s: %v, with %d jobs", name, err, len(w.Jobs))
	}
	return w
}

// handedOut is the workflow with which users change their platform.
const handedOut = "examples/scenario/workflows/environment.yml"

// writes are the permissions that a job has beyond reading, by file and job.
var writes = map[string][]string{
	"release.yml release":  {"attestations", "contents", "id-token", "packages"},
	"latest.yml image":     {"packages"},
	"environment.yml plan": {"pull-requests"},
	// What the called workflow may have.
	"terraform.yml staging":    {"pull-requests"},
	"terraform.yml production": {"pull-requests"},
}

var (
	uses   = regexp.MustCompile(`(?m)^ +(?:- )?uses: (.*)$`)
	pinned = regexp.MustCompile(`^([\w./-]+)@([0-9a-f]{40} # v\d+\.\d+\.\d+)$`)
)

func TestWorkflows(t *testing.T) {
	own, err := filepath.Glob(root + ".github/workflows/*")
	if err != nil || len(own) < 3 {
		t.Fatalf("got %q, %v", own, err)
	}
	names := []string{handedOut, "examples/scenario/workflows/terraform.yml", "docs/guides/publishing-a-module.md"}
	for _, name := range own {
		names = append(names, strings.TrimPrefix(name, root))
	}
	pins := map[string]string{}
	for _, name := range names {
		w := read(t, name)
		for _, line := range uses.FindAllStringSubmatch(w.text, -1) {
			pin := pinned.FindStringSubmatch(line[1])
			switch {
			case strings.HasPrefix(line[1], "./"):
			case pin == nil:
				t.Errorf("%s: %s is not pinned to a commit, with its version", name, line[1])
			case pins[pin[1]] != "" && pins[pin[1]] != pin[2]:
				t.Errorf("%s: %s is %s here, and elsewhere %s", name, pin[1], pin[2], pins[pin[1]])
			default:
				pins[pin[1]] = pin[2]
			}
		}
		if w.Permissions == nil || len(w.Permissions) > 1 || len(w.Permissions) == 1 && w.Permissions["contents"] != "read" {
			t.Errorf("%s: permissions are %v", name, w.Permissions)
		}
		if hasSecret(w.Env) {
			t.Errorf("%s: a secret is in the environment of the workflow", name)
		}
		for id, j := range w.Jobs {
			at := filepath.Base(name) + " " + id
			var write []string
			for permission, level := range j.Permissions {
				if level != "read" {
					write = append(write, permission)
				}
			}
			if slices.Sort(write); !slices.Equal(write, writes[at]) {
				t.Errorf("%s: may write %q, want %q", at, write, writes[at])
			}
			if hasSecret(j.Env) || j.Secrets == "inherit" {
				t.Errorf("%s: every step gets a secret, or every secret is passed on", at)
			}
			for _, s := range j.Steps {
				if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != "false" {
					t.Errorf("%s: the token of the checkout stays behind", at)
				}
				if strings.Contains(s.Run, "${{") {
					t.Errorf("%s: %q is made of a text from outside", at, s.Run)
				}
				if (hasSecret(s.Env) || hasSecret(s.With)) && j.Environment == "" {
					t.Errorf("%s: a secret, but no environment", at)
				}
			}
		}
	}
}

func hasSecret(values map[string]string) bool {
	for _, value := range values {
		if strings.Contains(value, "secrets.") {
			return true
		}
	}
	return false
}

// TestHandedOutWorkflow wants what changes something on main alone and in an environment of
// its own, only the plan of this run applied, each secret in one environment, and no exit code lost.
func TestHandedOutWorkflow(t *testing.T) {
	const stop, prefix = `token=$(openssl rand -hex 16); echo "::stop-commands::$token"; trap 'echo "::$token::"' EXIT` + "\n", "${{ inputs.environment }}"
	w := read(t, handedOut)
	if w.Defaults.Run["shell"] != "bash" {
		t.Error("the shell has no pipefail")
	}
	keys, plan, apply := w.Jobs["keys"], w.Jobs["plan"], w.Jobs["apply"]
	if keys.If != isMain || keys.Environment != prefix+"-keys" || !runs(keys, "terraform -chdir=keys apply -auto-approve -input=false -lock-timeout=5m ") {
		t.Errorf("keys: if %s, in %s", keys.If, keys.Environment)
	}
	if plan.Environment != prefix+"-plan" || !runs(plan, "rm -f {.,keys}/{plan.json,tfplan}") || !runs(plan, "[ $code -eq 0 ] || [ $code -eq 2 ]") {
		t.Errorf("plan: in %s, or the comment can be one of the branch, or a failure is none", plan.Environment)
	}
	if !slices.ContainsFunc(plan.Steps, func(s step) bool {
		return s.Run == "exit 2" && s.If == "github.event_name == 'schedule' && steps.plan.outputs.code != '0'"
	}) {
		t.Error("plan: drift is no failure")
	}
	if apply.Needs != "plan" || !strings.HasPrefix(apply.If, isMain+" && github.event_name != 'schedule' && ") || apply.Environment != prefix || !runs(apply, "terraform apply -input=false -lock-timeout=5m tfplan") {
		t.Errorf("apply: if %s, in %s, needs %s", apply.If, apply.Environment, apply.Needs)
	}
	for id, j := range w.Jobs {
		for _, s := range j.Steps {
			switch {
			case s.Env["TF_VAR_age_identity"] != "" && id != "keys":
				t.Errorf("%s gets the identity", id)
			case strings.Contains(s.Env["TF_VAR_customers_password"], "secrets.") && id != "apply":
				t.Errorf("%s gets the password", id)
			case strings.Contains(s.Run, "apply") && id == "plan", strings.Contains(s.Run, "continue-on-error"):
				t.Errorf("%s: %s", id, s.Run)
			case strings.Contains(s.Run, "terraform init") && s.Run != "terraform init -input=false -lockfile=readonly",
				strings.Contains(s.Run, "keys init") && s.Run != "terraform -chdir=keys init -input=false -lockfile=readonly":
				t.Errorf("%s: %q trusts a provider that the lock file does not have", id, s.Run)
			case strings.Contains(s.Run, "terraform ") && !strings.Contains(s.Run, " init ") && !strings.HasPrefix(s.Run, stop):
				t.Errorf("%s: %q can run commands of the workflow, by names of objects", id, s.Run)
			case strings.HasPrefix(s.Uses, "actions/upload-artifact@") && (s.With["path"] != "tfplan" || s.If != isMain) &&
				(id != "keys" || s.With["path"] != "keys/errored.tfstate"): // whose keys have recipients
				t.Errorf("%s: uploads %s if %s", id, s.With, s.If)
			}
		}
	}
}

func runs(j job, command string) bool {
	return slices.ContainsFunc(j.Steps, func(s step) bool { return strings.Contains(s.Run, command) })
}

// TestReleaseWorkflow wants the commit and its vulnerabilities looked at where there is no
// key, no image started where there is one, everything attested that is published, and the tag latest
// moved by the publication.
func TestReleaseWorkflow(t *testing.T) {
	w := read(t, ".github/workflows/release.yml")
	check, release := w.Jobs["check"], w.Jobs["release"]
	if release.Needs != "check" || check.Environment != "" || !runs(check, "git merge-base --is-ancestor HEAD origin/main") || !runs(check, "make vulncheck") {
		t.Errorf("the check is not before the release: %+v", check)
	}
	if runs(release, "buildx create") || runs(release, "docker run") || !runs(release, "containerd-snapshotter") {
		t.Errorf("an image is started beside the keys: %+v", release.Steps)
	}
	var attested []string
	for _, s := range release.Steps {
		if strings.HasPrefix(s.Uses, "actions/attest-build-provenance@") {
			attested = append(attested, strings.Fields(s.With["subject-path"]+" "+s.With["subject-checksums"])...)
		}
	}
	for _, want := range []string{
		"dist/*.zip", "dist/*.sbom.json", "dist/*_SHA256SUMS", "dist/mockplatform_checksums.txt",
		"terraform-registry-manifest.json", "dist/digests.txt",
	} {
		if !slices.Contains(attested, want) {
			t.Errorf("%s is not attested", want)
		}
	}
	packages, err := os.ReadFile(root + ".goreleaser.yml")
	if err != nil || !strings.Contains(string(packages), `    tags: ["{{ .Version }}"]`+"\n") || !strings.Contains(string(packages), `    sbom: "false"`+"\n") {
		t.Errorf("the image has other tags, or its SBOM is made by another image: %v", err)
	}
	commands, err := os.ReadFile(root + "GNUmakefile")
	if err != nil || !strings.Contains(string(commands), "gh release upload --clobber ") ||
		!strings.Contains(string(packages), "  use_existing_draft: true\n  replace_existing_artifacts: true\n") {
		t.Errorf("a release cannot be run again: %v", err)
	}
	if latest := read(t, ".github/workflows/latest.yml"); !strings.Contains(latest.text, "\n  release:\n    types: [released]\n") ||
		!regexp.MustCompile(`(?s)gh attestation verify.*--tag "\$IMAGE:latest"`).MatchString(latest.Jobs["image"].Steps[0].Run) {
		t.Errorf("latest moves otherwise:\n%s", latest.text)
	}
}
